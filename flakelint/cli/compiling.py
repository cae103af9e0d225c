# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""`flakelint check --compile`: what Triton says of the kernels, beside what the rules say."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from flakelint.cli.common import fail, note
from flakelint.compiler.plans import Plan, plans
from flakelint.compiler.process import CompilerError, Refusal, refusals
from flakelint.engine.context import File
from flakelint.engine.diagnostics import COMPILE_ERROR, problem
from flakelint.source.file import SourceFile

if TYPE_CHECKING:
    from flakelint.engine.findings import Finding
    from flakelint.engine.runner import Job
    from flakelint.kernel.repository import Repository

ALL, FLAGGED = 'all', 'flagged'
# the rules that say that a kernel does not compile
_WHY = 'TRI3'


def ask_compiler(
    results: 'dict[str, list[Finding]]', which: str, targets: Sequence[str], seconds: int, job: 'Job',
) -> None:
    """Add what Triton says of the kernels in some files to their findings.

    Args:
        results (dict[str, list[Finding]]):
            The findings of each file, by its path; they are changed.
        which (str):
            `all` kernels, or those that are `flagged` by some finding.
        targets (Sequence[str]):
            For what they are compiled.
        seconds (int):
            How long a file may take.
        job (Job):
            What the run was asked to do.
    """
    repository = job.repository(list(results))
    note('note: --compile imports the files whose kernels it compiles')
    for path, findings in results.items():
        data = _read(path)
        wanted = [one for one in _plans(path, data, repository, job) if which == ALL or _within(one, findings)]
        if not wanted:
            continue
        try:
            found = refusals(path, wanted, targets, seconds)
        except CompilerError as error:
            if error.missing:
                fail(f'{error}; install `flakelint[compiler]`')
            note(f'warning: {os.path.relpath(path)}: {error}')
            continue
        results[path] = _joined(findings, found, SourceFile(path, data))


def _read(path: str) -> bytes:
    try:
        with open(path, 'rb') as source:
            return source.read()
    except OSError:
        # told already
        return b''


def _plans(path: str, data: bytes, repository: 'Repository', job: 'Job') -> list[Plan]:
    if b'triton' not in data:
        return []
    file = File(path, data, job.config.settings, lambda: repository)
    return list(plans(file)) if file.problem is None else []


def _within(plan: Plan, findings: 'Sequence[Finding]') -> bool:
    return any(plan.first <= one.range.start.line <= plan.last for one in findings)


def _joined(findings: 'list[Finding]', found: list[Refusal], file: SourceFile) -> 'list[Finding]':
    """The findings with what Triton says: in the message of a rule that says why, or as one of its own."""
    joined = list(findings)
    for refusal in found:
        plan = refusal.plan
        said = f'Triton {refusal.version} refuses `{plan.name}` for {refusal.target}: {refusal.error}'
        why = [
            number for number, one in enumerate(joined)
            if one.code.startswith(_WHY) and one.severity == 'error' and plan.first <= one.range.start.line <= plan.last
        ]
        if why:
            number = min(why, key=lambda number: abs(joined[number].range.start.line - refusal.line))
            joined[number] = joined[number]._replace(message=f'{joined[number].message} ({said})')
        else:
            text = file.lines.line(refusal.line)
            column = plan.column if refusal.line == plan.line else len(text) - len(text.lstrip()) + 1
            message = f'{said} (with {refusal.arguments})'
            joined.append(problem(COMPILE_ERROR, message, refusal.line, column))
    return joined
