# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.rules.tst.parametrization import Parametrization, is_param, parametrizations
from flakelint.rules.tst.suite import FILES, SuiteRule, suite_of

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

_LEAST = 2


@dataclass(frozen=True)
class Options:
    """What the rule looks at.

    Args:
        files (tuple[str, ...]):
            Patterns of files that hold tests.
    """

    files: tuple[str, ...] = FILES


class ParametrizeIds(SuiteRule):
    """Cases of shapes without names that can be read.

    ## What it does
    Flags `@pytest.mark.parametrize` over tuples with two whole numbers or more, if neither `ids=` nor `pytest.param(..., id=...)` names the cases.

    ## Why is this bad?
    pytest calls the cases `1-63-4-64-0.5` or `shape0`. Whoever sees one fail must count commas to learn its length, and the name changes with the order of the cases.

    ## Example
    ```toml
    [rules.TST106]
    files = ["example.py"]
    ```

    ```python
    import pytest
    import torch


    @pytest.mark.parametrize(('B', 'T', 'H', 'D'), [
        (1, 63, 2, 64),
        (2, 1024, 4, 100),
    ])
    def test_chunk(B, T, H, D):
        assert torch.ones(B, T, H, D).sum() == B * T * H * D
    ```

    ## Use instead
    ```toml
    [rules.TST106]
    files = ["example.py"]
    ```

    ```python
    import pytest
    import torch


    @pytest.mark.parametrize(
        ('B', 'T', 'H', 'D'),
        [pytest.param(*case, id='B{}-T{}-H{}-D{}'.format(*case)) for case in [(1, 63, 2, 64), (2, 1024, 4, 100)]],
    )
    def test_chunk(B, T, H, D):
        assert torch.ones(B, T, H, D).sum() == B * T * H * D
    ```

    ## Known limits
    Only cases that are written out are looked at, in the decorator or in a list at the top of the file. Whether names are good ones is not. One number beside words needs no name, and neither do numbers with a fraction. Files that do not import torch test no shapes, and are left alone.

    ## Options
    - `files`: patterns of files that hold tests, written as in a `.gitignore`. Default: `["test_*.py", "*_test.py"]`.
    """

    code = 'TST106'
    name = 'parametrize-ids'
    severity = 'warning'
    Options = Options

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag the parametrisations of a file whose cases have no names."""
        if 'parametrize' not in file.text or 'torch' not in file.text or not self._where.covers(file.path):
            return
        if not any(full.partition('.')[0] == 'torch' for _, full in file.bindings.items()):
            return
        seen: set[ast.AST] = set()
        for test in suite_of(file).tests:
            decorators = [*(test.owner.decorator_list if test.owner is not None else ()), *test.function.decorator_list]
            for one in parametrizations(decorators, file):
                if one.node not in seen and _is_nameless(one):
                    seen.add(one.node)
                    names = ', '.join(one.names)
                    message = f'the cases of `{names}` have no names: give them `ids=`, or `pytest.param(..., id=...)`'
                    yield self.finding(file.range(one.node), message)


def _is_nameless(one: Parametrization) -> bool:
    ids = next((keyword.value for keyword in one.node.keywords if keyword.arg == 'ids'), None)
    has_ids = (ids is not None and not (isinstance(ids, ast.Constant) and ids.value is None)) or len(one.node.args) > 3
    if has_ids or one.is_made or not one.cases or any(keyword.arg is None for keyword in one.node.keywords):
        return False
    return any(_is_shape(case, one) for case in one.cases if not _has_id(case))


def _has_id(case: ast.expr) -> bool:
    return is_param(case) and any(keyword.arg in ('id', None) for keyword in case.keywords)


def _is_shape(case: ast.expr, one: Parametrization) -> bool:
    """Whether a case holds several numbers, or a tuple of them."""
    values = one.values(case)
    count = sum(_is_number(value) for value in values)
    inner = [value for value in values if isinstance(value, ast.Tuple | ast.List)]
    return count >= _LEAST or any(sum(map(_is_number, value.elts)) >= _LEAST for value in inner)


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) and _is_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) is int
