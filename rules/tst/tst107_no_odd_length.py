# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from flakelint.rules.tst.parametrization import Parametrization, parametrizations
from flakelint.rules.tst.suite import FILES, SuiteRule, Test, suite_of

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

_LEAST = 2
_OFFSETS = 'cu_seqlens'


@dataclass(frozen=True)
class Options:
    """What the rule looks at.

    Args:
        files (tuple[str, ...]):
            Patterns of files that hold tests.
        lengths (tuple[str, ...]):
            The names of parameters that are the length of a sequence.
        least (int):
            Lengths that are all smaller than this are left alone.
    """

    files: tuple[str, ...] = FILES
    lengths: tuple[str, ...] = ('T', 'L', 'seq_len', 'seqlen', 'seq_length', 'sequence_length')
    least: int = 16


class NoOddLength(SuiteRule):
    """A test whose sequence lengths are all powers of two.

    ## What it does
    Flags the parametrisation of a test by the length of the sequence, if two lengths or more are written out and each is a power of two.

    ## Why is this bad?
    A block size divides every power of two that is not smaller, so no block is cut off at the end, and no mask is ever put to the test. Most faults of kernels at the boundary show only at lengths such as 63, 100 or 2000.

    ## Example
    ```toml
    [rules.TST107]
    files = ["example.py"]
    ```

    ```python
    import pytest
    import torch


    @pytest.mark.parametrize('T', [64, 1024])
    def test_chunk(T: int):
        torch.manual_seed(42)
        assert torch.randn(T).cumsum(0).isfinite().all()
    ```

    ## Use instead
    ```toml
    [rules.TST107]
    files = ["example.py"]
    ```

    ```python
    import pytest
    import torch


    @pytest.mark.parametrize('T', [63, 1024])
    def test_chunk(T: int):
        torch.manual_seed(42)
        assert torch.randn(T).cumsum(0).isfinite().all()
    ```

    ## Known limits
    Lengths that are computed are not known, and a test with one of them is left alone. So is one with `cu_seqlens` of other lengths, and files that do not import torch.

    ## Options
    - `files`: patterns of files that hold tests, written as in a `.gitignore`. Default: `["test_*.py", "*_test.py"]`.
    - `lengths`: the names of parameters that are the length of a sequence. Default: `["T", "L", "seq_len", "seqlen", "seq_length", "sequence_length"]`.
    - `least`: lengths that are all smaller than this are left alone. Default: `16`.
    """

    code = 'TST107'
    name = 'no-odd-length'
    severity = 'warning'
    Options = Options

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag the tests of a file that know powers of two alone."""
        if 'parametrize' not in file.text or 'torch' not in file.text or not self._where.covers(file.path):
            return
        if not any(full.partition('.')[0] == 'torch' for _, full in file.bindings.items()):
            return
        seen: set[ast.AST] = set()
        for test in suite_of(file).tests:
            found = self._lengths(test, file)
            if found is None:
                continue
            node, name, lengths = found
            is_varied = len(set(lengths)) >= _LEAST and max(lengths) >= self.options.least
            if node not in seen and is_varied and _are_powers(lengths):
                seen.add(node)
                shown = ', '.join(map(str, sorted(set(lengths))))
                message = f'each length `{name}` is a power of two ({shown}): add one that is none, such as 63, 100 or 2000'
                yield self.finding(file.range(node), message)

    def _lengths(self, test: Test, file: 'File') -> tuple[ast.Call, str, list[int]] | None:
        """The decorator that gives a test its lengths, the parameter, and the lengths; None where they are not all known."""
        decorators = [*(test.owner.decorator_list if test.owner is not None else ()), *test.function.decorator_list]
        found: tuple[ast.Call, str, list[int]] | None = None
        for one in parametrizations(decorators, file):
            name = next((name for name in one.names if name in self.options.lengths), None)
            if any(_OFFSETS in other and _has_odd(one, other) for other in one.names):
                return None
            if name is None:
                continue
            lengths = _numbers(one, name)
            if lengths is None or found is not None:
                return None
            found = (one.node, name, lengths)
        return found


def _numbers(one: Parametrization, name: str) -> list[int] | None:
    found = []
    for case in one.cases or ():
        values = one.values(case)
        value = values[one.names.index(name)] if values else None
        if not isinstance(value, ast.Constant) or type(value.value) is not int:
            return None
        found.append(value.value)
    return found or None


def _has_odd(one: Parametrization, name: str) -> bool:
    """Whether offsets of sequences are not known, or those of lengths that are no powers of two."""
    for case in one.cases or ():
        values = one.values(case)
        value = values[one.names.index(name)] if values else None
        numbers = [node.value for node in ast.walk(value) if isinstance(node, ast.Constant)] if value is not None else []
        if not numbers or any(type(number) is not int for number in numbers):
            return True
        if not _are_powers([after - before for before, after in pairwise(numbers)]):
            return True
    return one.cases is None


def _are_powers(lengths: Sequence[int]) -> bool:
    return all(length > 0 and not length & (length - 1) for length in lengths)
