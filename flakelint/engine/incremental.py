# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Check a file again and again while somebody edits it: what an edit cannot concern is not looked at anew."""

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from flakelint.engine.dependencies import Dependencies, Words, words_of
from flakelint.engine.diagnostics import is_engines
from flakelint.engine.findings import Finding
from flakelint.engine.moved import UnknownLineError, by_statements, moved, moved_range
from flakelint.kernel.edited import only_a_kernel_differs
from flakelint.source.reuse import change, moves, take_over
from flakelint.source.text import Range, from_text

if TYPE_CHECKING:
    from flakelint.engine.checker import Checker
    from flakelint.engine.context import File
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.launch_calls import LaunchCall
    from flakelint.source.unit import Unit

_Places = tuple[tuple[int, int], ...]
_Told = frozenset[tuple[str, Range]]
# of how many states of a file what was found in kernels is kept: to undo an edit is as common as to make one
_GENERATIONS = 3


class StaleError(Exception):
    """Nobody waits for what is found any more."""


class _Known(NamedTuple):
    """What was found in a kernel.

    Args:
        places (tuple[tuple[int, int], ...]):
            The first and last lines of the statements on which it depends.
        findings (list[Finding]):
            The findings.
        told (frozenset[tuple[str, Range]]):
            The rules and places of which other kernels shall not tell again.
    """

    places: _Places
    findings: list[Finding]
    told: _Told


class _Sound(NamedTuple):
    """A state of a file that could be parsed as a whole.

    Args:
        file (File):
            The file.
        findings (list[Finding]):
            What was found in it.
        known (dict[tuple, _Known]):
            What was found in its parts.
    """

    file: 'File'
    findings: list[Finding]
    known: dict[tuple, _Known]


class Incremental:
    """A file that is edited.

    Args:
        checker (Checker):
            The rules; what it knows of other files must hold as long as this is used.
        path (str):
            The path from the root of the configuration, with forward slashes.
    """

    def __init__(self, checker: 'Checker', path: str) -> None:
        self._checker = checker
        self._path = path
        self._known: list[dict[tuple, _Known]] = []
        self._words: dict[str, Words] = {}
        # the latest state that could be parsed as a whole
        self._sound: _Sound | None = None
        self.file: File | None = None

    def rebase(self, checker: 'Checker') -> bool:
        """Go on with other knowledge of other files; says whether what was found still holds, as they say the same of this one.

        Args:
            checker (Checker):
                The same rules, with the new knowledge.
        """
        # of a file that cannot be parsed nobody asked what it depends on
        holds = self.file is not None and self.file.problem is None and self._says_the_same(self.file, checker)
        self._checker = checker
        if not holds:
            self._known, self._sound = [], None
        return holds

    def _says_the_same(self, file: 'File', checker: 'Checker') -> bool:
        """Whether other files still say what a file was told of them."""
        if not file.consults:
            return True
        same = checker.open(self._path, file.decoded)
        means_the_same = same.repository.consulted(same.module) == file.repository.consulted(file.module)
        return means_the_same and same.repository.index.files.answers.still_hold(sorted(file.notes), texts_only=False)

    def check(self, text: str, is_stale: Callable[[], bool] = lambda: False) -> list[Finding]:
        """All findings in a content, in order.

        While the content cannot be parsed, what was found before in the lines that cannot be is said again, except for lines that were edited since.

        Args:
            text (str):
                The content.
            is_stale (Callable[[], bool], Optional):
                Asked now and then whether to give up. Default: never.

        Raises:
            StaleError: `is_stale` said so.
        """
        data = text.encode('utf-8', 'surrogatepass')
        if len(data) > self._checker.settings.max_file_size:
            self._forget()
            return self._checker.check(self._path, data)
        try:
            return self._check(text, is_stale)
        except RecursionError:
            # a statement is nested too deeply for the short cuts
            self._forget()
            self.file = self._checker.open(self._path, from_text(text))
            return self._checker.examine_file(self.file).findings

    def _forget(self) -> None:
        self._known, self._words = [], {}
        self.file = self._sound = None

    def _check(self, text: str, is_stale: Callable[[], bool]) -> list[Finding]:
        file = self._checker.open(self._path, from_text(text))
        if self._sound is None:
            return self._check_file(file, is_stale)
        give_back = take_over(self._sound.file, file)
        try:
            if file.problem is None and only_a_kernel_differs(self._sound.file.module, file):
                _, last, by = change(self._sound.file.lines, file.lines)
                file.module.keep(self._sound.file.module, last, by)
            return self._check_file(file, is_stale)
        except BaseException:
            give_back()
            raise

    def _check_file(self, file: 'File', is_stale: Callable[[], bool]) -> list[Finding]:
        if file.problem is not None and self._holds_nothing_new(file):
            self.file = file
            return sorted([*self._checker.broken(file), *self._left(file, [])], key=Finding.sort_key)
        run = _Run(self._checker, file, self._known, self._words, is_stale)
        if file.problem is None and self._sound is not None:
            run.adopt(self._sound.file, self._sound.known)
        findings = self._checker.examine_file(file, run).findings
        if run.is_stale:
            raise StaleError
        self._known = [run.known, *self._known[:_GENERATIONS - 1]]
        self._words = run.words
        self.file = file
        if file.problem is None:
            if self._sound is not None:
                self._sound.file.release()
            self._sound = _Sound(file, findings, run.known)
        elif self._sound is not None:
            findings = sorted([*findings, *self._left(file, findings)], key=Finding.sort_key)
        return findings

    def _holds_nothing_new(self, file: 'File') -> bool:
        """Whether all that can be parsed was there when the file could be parsed as a whole."""
        if self._sound is None:
            return False
        known = {unit.text for unit in self._sound.file.units}
        return all(unit.text in known for unit in file.units)

    def _left(self, file: 'File', findings: list[Finding]) -> list[Finding]:
        """What was found last, but for the lines that were edited since, and besides what is found now."""
        before, found, _ = self._sound
        places = moves(before.lines, file.lines)
        known = {unit.text for unit in before.units}
        read = [(unit.first_line, unit.last_line) for unit in file.units if findings and unit.text not in known]
        there = {(finding.code, finding.range) for finding in findings}
        left = []
        # what the engine itself says is of the file as a whole
        for finding in (one for one in found if not is_engines(one.code)):
            try:
                now = moved(finding, self._path, places)._replace(fix=None)
            except UnknownLineError:
                continue
            is_read = any(first <= now.range.start.line <= last for first, last in read)
            if not is_read and (now.code, now.range) not in there:
                left.append(now)
        return left


class _Run:
    """One check of an edited file."""

    def __init__(
        self, checker: 'Checker', file: 'File', earlier: list[dict[tuple, _Known]], words: dict[str, Words],
        is_stale: Callable[[], bool],
    ) -> None:
        self.known: dict[tuple, _Known] = {}
        self.words: dict[str, Words] = {}
        self.is_stale = False
        self._checker = checker
        self._file = file
        self._earlier = earlier
        self._earlier_words = words
        self._asks_whether_stale = is_stale
        self._equals: Counter[tuple] = Counter()
        self._asked: dict[Kernel, tuple[tuple, _Places]] = {}
        self._told: set[tuple[str, Range]] = set()

    def adopt(self, before: 'File', known: dict[tuple, _Known]) -> None:
        """Take over what was worked out of the kernels that are the same, in the same lines.

        Args:
            before (File):
                An earlier state.
            known (dict[tuple, _Known]):
                What was found in its parts.
        """
        earlier = {kernel.definition: kernel for kernel in before.kernels}
        for kernel in self._file.kernels:
            same = earlier.get(kernel.definition)
            key, places = self._asked_of(kernel)
            if same is not None and key in known and known[key].places == places:
                self._file.adopt(kernel, before, same)

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> list[Finding]:
        """As `Checker.check_kernel`; from what is known where that still holds."""
        if self._gives_up():
            return []
        key, places = self._asked_of(kernel)
        known = self._recalled(key, places) or self._found(kernel, places)
        self.known[key] = known
        findings = [one for one in known.findings if not self._is_told(one, known.told)]
        self._told |= known.told
        return findings

    def check_launch(self, calls: 'list[LaunchCall]', file: 'File') -> list[Finding]:
        """As `Checker.check_launch`; from what is known where that still holds."""
        if self._gives_up():
            return []
        node = calls[0].node
        unit = self._statements.around(node.lineno)
        units = self._statements.led_to(unit)
        passed = [(one.kernel.path, one.kernel.qualified_name, one.launch._replace(line=0)) for one in calls]
        key = self._distinct((node.lineno - unit.first_line, node.col_offset, repr(passed), *(one.text for one in units)))
        places = _places(units)
        self.known[key] = self._recalled(key, places) or _Known(places, self._checker.check_launch(calls, file), frozenset())
        return self.known[key].findings

    def _distinct(self, key: tuple) -> tuple:
        """A key that tells apart what is written twice, in order."""
        self._equals[key] += 1
        return (*key, self._equals[key])

    def _gives_up(self) -> bool:
        self.is_stale = self.is_stale or self._asks_whether_stale()
        return self.is_stale

    @cached_property
    def _has_words(self) -> tuple[bool, ...]:
        """Which of the words are there whose presence anywhere in the file matters."""
        return tuple(word in self._file.text for word in self._checker.file_words)

    @cached_property
    def _statements(self) -> Dependencies:
        return Dependencies(self._file, self._words_of)

    def _asked_of(self, kernel: 'Kernel') -> tuple[tuple, _Places]:
        """What the findings in a kernel depend on, and where that stands."""
        if kernel not in self._asked:
            units = self._statements.of(kernel.unit)
            key = (_identity(kernel), _passed(kernel, self._file), self._has_words, *(unit.text for unit in units))
            self._asked[kernel] = self._distinct(key), _places(units)
        return self._asked[kernel]

    def _is_told(self, finding: Finding, own: _Told) -> bool:
        place = (finding.code, finding.range)
        return place in own and place in self._told

    def _recalled(self, key: tuple, places: _Places) -> _Known | None:
        for known in (kept[key] for kept in self._earlier if key in kept):
            if known.places == places:
                return known
            now = by_statements(known.places, places)
            try:
                findings = [moved(one, self._file.path, now) for one in known.findings]
                told = frozenset((code, moved_range(place, now)) for code, place in known.told)
            except UnknownLineError:
                return None
            return _Known(places, findings, told)
        return None

    def _found(self, kernel: 'Kernel', places: _Places) -> _Known:
        told = self._file.tell_afresh()
        findings = self._checker.check_kernel(kernel, self._file)
        return _Known(places, findings, frozenset(told))

    def _words_of(self, unit: 'Unit') -> Words:
        found = self._earlier_words.get(unit.text) or words_of(unit)
        self.words[unit.text] = found
        return found


def _identity(kernel: 'Kernel') -> tuple[str, int, str]:
    return kernel.qualified_name, kernel.definition.lineno - kernel.unit.first_line, kernel.unit.text


def _passed(kernel: 'Kernel', file: 'File') -> str:
    """What there is to know of the launches of a kernel, but for their lines."""
    launches = [launch._replace(line=0) for launch in file.repository.launches(kernel)]
    repository = file.repository
    return repr((
        launches, repository.is_left_out(kernel), repository.is_called_by_kernels(kernel), repository.is_trained(kernel),
    ))


def _places(units: 'list[Unit]') -> _Places:
    return tuple((unit.first_line, unit.last_line) for unit in units)
