# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Run all rules over one file, in one pass."""

import os
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

from flakelint.engine import diagnostics
from flakelint.engine.context import File
from flakelint.engine.document import Document
from flakelint.engine.findings import Finding
from flakelint.source.markdown import is_markdown
from flakelint.source.text import Decoded, DecodeError
from flakelint.source.unit import TooDeepError

if TYPE_CHECKING:
    from flakelint.engine.rule import Rule
    from flakelint.engine.settings import Settings
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.launch_calls import LaunchCall
    from flakelint.kernel.repository import Repository
    from flakelint.source.unit import Unit


class Parts(Protocol):
    """What is found in the parts of a file that may be remembered."""

    def check_kernel(self, kernel: 'Kernel', file: File) -> Iterable[Finding]:
        """What the rules find in a kernel, before anything is suppressed."""

    def check_launch(self, calls: 'list[LaunchCall]', file: File) -> Iterable[Finding]:
        """What the rules find in a launch, before anything is suppressed."""


_VISIT = 'visit_'


class Examined(NamedTuple):
    """What was found in a file.

    Args:
        findings (list[Finding]):
            The findings, in order.
        consulted (str):
            The hash of what other files said that the findings may depend on; nothing where they depend on no other file.
    """

    findings: list[Finding]
    consulted: str


class Checker:
    """The rules of a run, sorted by what they look at.

    Args:
        rules (Sequence[Rule]):
            The rules that are enabled.
        known (Iterable[str]):
            The codes of all rules, enabled or not.
        settings (Settings):
            The settings of the run.
        ignored (Callable[[str], set[str]], Optional):
            The codes that the settings ignore in a file. Default: none.
        repository (Callable[[], Repository] | None, Optional):
            Makes the repository in which the files stand, when it is first asked for. Default: `None`, for files that stand alone.
        severities (Mapping[str, str] | None, Optional):
            The severities of rules, by code, where they are not the rules' own. Default: `None`.
    """

    def __init__(
        self,
        rules: 'Sequence[Rule]',
        known: Iterable[str],
        settings: 'Settings',
        ignored: Callable[[str], set[str]] = lambda path: set(),
        repository: 'Callable[[], Repository] | None' = None,
        severities: Mapping[str, str] | None = None,
    ) -> None:
        self.settings = settings
        self._severities = severities or {}
        self.known = set(known)
        self.enabled = {rule.code for rule in rules}
        self._ignored = ignored
        self._make_repository = repository
        self._file_rules = [rule for rule in rules if hasattr(rule, 'check_file')]
        self._markdown_rules = [rule for rule in rules if hasattr(rule, 'check_markdown')]
        self._comment_rules = [rule for rule in rules if hasattr(rule, 'check_comment')]
        self.file_words = sorted({word for rule in rules for word in rule.file_words})
        self._launch_rules = [rule for rule in rules if hasattr(rule, 'check_launch')]
        self._kernel_rules = [rule for rule in rules if hasattr(rule, 'check_kernel')]
        self._visitors = [(rule, _visit_methods(rule)) for rule in rules if _visit_methods(rule)]

    @cached_property
    def repository(self) -> 'Repository':
        """The repository in which the files stand; only where there is one."""
        return self._make_repository()

    def keep(self) -> None:
        """Keep what was learned of the other files for later runs."""
        if 'repository' in vars(self):
            self.repository.index.save()

    @property
    def looks_at_kernels(self) -> bool:
        """Whether a rule may ask what other files know of kernels."""
        return self._make_repository is not None and bool(self._kernel_rules or self._launch_rules)

    def check(self, path: str, data: bytes) -> list[Finding]:
        """All findings in a file, in order.

        Args:
            path (str):
                The path from the root of the configuration, with forward slashes.
            data (bytes):
                The content of the file.
        """
        return self.examine(path, data).findings

    def examine(self, path: str, data: bytes) -> Examined:
        """All findings in a file, and what they depend on besides it; takes what `check` takes."""
        if len(data) > self.settings.max_file_size:
            limit = f'{len(data):,} bytes, more than `max-file-size` ({self.settings.max_file_size:,})'
            return self._refused(diagnostics.problem(diagnostics.TOO_COMPLEX, f'not analysed: {limit}'), path)
        try:
            if is_markdown(path):
                return self._markdown(Document(path, data, self._whole))
            return self.examine_file(self.open(path, data))
        except DecodeError as error:
            problem = diagnostics.problem(diagnostics.UNREADABLE_FILE, f'not text: {error.reason}', error.line)
            return self._refused(problem, path)

    def open(self, path: str, content: bytes | Decoded) -> File:
        """A Python file to be checked, by its path from the root of the configuration.

        Raises:
            DecodeError: the content is no text.
        """
        file = File(path, content, self.settings, self._whole)
        file.enabled = self.enabled
        return file

    def examine_file(self, file: File, parts: 'Parts | None' = None) -> Examined:
        """All findings in a file that `open` gave, and what they depend on besides it.

        Args:
            file (File):
                The file.
            parts (Parts | None, Optional):
                Gives what is found in its parts, instead of the checker itself. Default: `None`.
        """
        try:
            findings = list(self._run(file, parts or self))
            consulted = file.consulted
        except Exception as error:
            return self._refused(_failure('reading the file', error, 1), file.path)
        if file.problem is not None:
            # what cannot be parsed as a whole is not mended in parts
            findings = [finding._replace(fix=None) for finding in findings]
            findings.append(diagnostics.parse_problem(file.problem))
        return Examined(self._finish(findings, file, file.path), consulted)

    def broken(self, file: File) -> list[Finding]:
        """What there is to say of a file that cannot be parsed as a whole, besides what is found in its parts."""
        return self._finish([diagnostics.parse_problem(file.problem)], file, file.path)

    def check_kernel(self, kernel: 'Kernel', file: File) -> list[Finding]:
        """What the rules find in a kernel, before anything is suppressed."""
        too_deep: dict[int, Finding] = {}
        found = []
        for rule in self._kernel_rules:
            found.extend(_guarded(rule, rule.check_kernel, kernel, file, unit=kernel.unit, too_deep=too_deep))
        return [*found, *too_deep.values()]

    def check_launch(self, calls: 'list[LaunchCall]', file: File) -> list[Finding]:
        """What the rules find in a launch, before anything is suppressed."""
        return [one for rule in self._launch_rules for one in _guarded(rule, rule.check_launch, calls, file)]

    def _markdown(self, document: Document) -> Examined:
        findings = [one for rule in self._markdown_rules for one in _guarded(rule, rule.check_markdown, document)]
        return Examined(self._finish(findings, None, document.path), document.consulted)

    def _refused(self, problem: Finding, path: str) -> Examined:
        return Examined(self._finish([problem], None, path), '')

    @property
    def _whole(self) -> 'Callable[[], Repository] | None':
        return (lambda: self.repository) if self._make_repository is not None else None

    def _run(self, file: File, parts: Parts) -> Iterator[Finding]:
        for rule in self._file_rules:
            yield from _guarded(rule, rule.check_file, file)
        if self._comment_rules:
            for comment in file.comments:
                for rule in self._comment_rules:
                    yield from _guarded(rule, rule.check_comment, comment, file)
        too_deep: dict[int, Finding] = {}
        for kernel in file.kernels if self._kernel_rules else ():
            for finding in parts.check_kernel(kernel, file):
                if finding.code == diagnostics.TOO_COMPLEX[0]:
                    # kernels of one statement say it once
                    too_deep[finding.range.start.line] = finding
                else:
                    yield finding
        for calls in file.launch_choices if self._launch_rules else ():
            yield from parts.check_launch(calls, file)
        for unit in file.units if self._visitors else ():
            yield from self._visit(unit, file, too_deep)
        yield from too_deep.values()

    def _visit(self, unit: 'Unit', file: File, too_deep: dict[int, Finding]) -> Iterator[Finding]:
        for rule, methods in self._visitors:
            if not rule.words or any(word in unit.text for word in rule.words):
                yield from _guarded(rule, _visit_nodes, methods, unit, file, unit=unit, too_deep=too_deep)

    def _finish(self, findings: list[Finding], file: File | None, path: str) -> list[Finding]:
        ignored = self._ignored(path)
        kept = [finding for finding in findings if finding.code not in ignored]
        if file is not None:
            kept = self._suppress(kept, file)
        # the engine's own codes can be deselected too, but an internal error is never hidden
        shown = self.enabled - ignored | {diagnostics.INTERNAL_ERROR[0]}
        kept = [finding._replace(path=path) for finding in kept if finding.code in shown]
        if self._severities:
            kept = [one._replace(severity=self._severities.get(one.code, one.severity)) for one in kept]
        return sorted(kept, key=Finding.sort_key)

    def _suppress(self, findings: list[Finding], file: File) -> list[Finding]:
        if not file.suppressions.requests and not file.suppressions.malformed:
            return findings
        kept = [
            finding for finding in findings
            if not file.suppressions.silence(finding.code, (finding.range.start.line, finding.range.end.line))
        ]
        kept.extend(diagnostics.invalid_suppressions(file, self.known))
        if file.problem is None:
            kept.extend(
                finding for finding in diagnostics.unused_suppressions(file, self.enabled - self._ignored(file.path))
                if not file.suppressions.silence(finding.code, (finding.range.start.line,))
            )
        return kept


def _visit_methods(rule: 'Rule') -> dict[str, Callable]:
    return {name.removeprefix(_VISIT): getattr(rule, name) for name in dir(rule) if name.startswith(_VISIT)}


def _visit_nodes(methods: dict[str, Callable], unit: 'Unit', file: File) -> Iterator[Finding]:
    for kind, method in methods.items():
        for node in unit.buckets.get(kind, ()):
            yield from method(node, unit, file)


def _guarded(
    rule: 'Rule', method: Callable, *arguments: object, unit: 'Unit | None' = None, too_deep: dict[int, Finding] | None = None,
) -> list[Finding]:
    """What a rule's method finds; where the method fails, that becomes a finding and the run goes on."""
    try:
        findings = list(method(*arguments) or ())
        wrong = next((item for item in findings if not isinstance(item, Finding)), None)
        if wrong is not None:
            raise TypeError(f'it gave {wrong!r}, which is no finding')
        return findings
    except (TooDeepError, RecursionError) as error:
        if unit is not None and too_deep is not None:
            reason = error if isinstance(error, TooDeepError) else 'its values depend on each other too deeply'
            message = f'this statement is not analysed: {reason}'
            too_deep[unit.first_line] = diagnostics.problem(diagnostics.TOO_COMPLEX, message, unit.first_line)
        return []
    except Exception as error:
        line = unit.first_line if unit is not None else 1
        return [_failure(f'rule {rule.code} {rule.name}', error, line)]


def _failure(what: str, error: Exception, line: int) -> Finding:
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f'{os.path.basename(last.filename)}:{last.lineno}'
    message = f'{what} failed here: {type(error).__name__}: {error} ({where})'
    return diagnostics.problem(diagnostics.INTERNAL_ERROR, message, line)
