# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Ask Triton about the kernels of files, each file in a process with limits of its own."""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from flakelint.compiler import worker
from flakelint.compiler.plans import Plan

_MEMORY = 16 << 30


class Refusal(NamedTuple):
    """A kernel that Triton refuses, whichever of the arguments it is given.

    Args:
        plan (Plan):
            The kernel.
        target (str):
            For which target.
        version (str):
            The version of Triton.
        error (str):
            Its reason, in one line.
        line (int):
            The line that it names; that of the `def` where it names none.
        arguments (str):
            With which arguments.
    """

    plan: Plan
    target: str
    version: str
    error: str
    line: int
    arguments: str


class CompilerError(Exception):
    """Nothing can be said of a file; the text says why.

    Args:
        text (str):
            Why.
        missing (bool):
            Whether that is so for all files, as there is no Triton.
    """

    def __init__(self, text: str, missing: bool = False) -> None:
        super().__init__(text)
        self.missing = missing


def refusals(path: str, kernels: Sequence[Plan], targets: Sequence[str], seconds: int) -> list[Refusal]:
    """The kernels of a file that Triton refuses.

    Args:
        path (str):
            The file, which is imported.
        kernels (Sequence[Plan]):
            What to compile.
        targets (Sequence[str]):
            For what, such as `cuda:90`.
        seconds (int):
            How long it may take.

    Raises:
        CompilerError: the file cannot be imported, it takes too long, or Triton is not there.
    """
    request = {
        'path': path, 'targets': list(targets), 'memory': _MEMORY,
        'kernels': [{'name': one.name, 'variants': [variant._asdict() for variant in one.variants]} for one in kernels],
    }
    command = [sys.executable, worker.__file__]
    try:
        done = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise CompilerError(f'compiling took more than {seconds} seconds') from None
    lines = [line for line in done.stdout.splitlines() if line.startswith('{')]
    if not lines:
        raise CompilerError(f'the compiler ended with {done.returncode}')
    told = json.loads(lines[-1])
    if 'failed' in told:
        raise CompilerError(told['failed'] if told['missing'] else f'cannot be imported: {told["failed"]}', told['missing'])
    by_name = {one.name: one for one in kernels}
    return [_refusal(by_name[one['kernel']], one) for one in told['answers'] if one['error']]


def _refusal(plan: Plan, told: dict) -> Refusal:
    line = plan.line + told['line'] - 1 if told['line'] else plan.line
    types, constants = told['variant']['types'], told['variant']['constants']
    given = [f'{name}={constants[name]!r}' if name in constants else f'{name}={kind}' for name, kind in types.items()]
    return Refusal(plan, told['target'], told['version'], told['error'], min(line, plan.last), ', '.join(given))
