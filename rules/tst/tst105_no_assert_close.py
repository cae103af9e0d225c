# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.project.imports import last_name
from flakelint.project.meanings import target_names
from flakelint.rules.tst.comparisons import is_comparison
from flakelint.rules.tst.suite import FILES, SuiteRule, full_name, suite_of

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

_REDUCTIONS = frozenset({'amax', 'max', 'mean', 'norm', 'sum', 'vector_norm'})
_MAGNITUDES = frozenset({'abs', 'absolute', 'norm', 'square', 'vector_norm'})
_CONVERSIONS = frozenset({'cpu', 'float', 'item'})
_OF_TENSORS = frozenset({'cpu', 'detach', 'numpy'})
_TRUTHS = frozenset({'assertTrue', 'assert_'})
_BOUNDS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_ASSERTIONS = frozenset({'assertLess', 'assertLessEqual'})


@dataclass(frozen=True)
class Options:
    """What the rule asks for.

    Args:
        files (tuple[str, ...]):
            Patterns of files that hold tests.
        function (str):
            The full name of the function that compares.
    """

    files: tuple[str, ...] = FILES
    function: str = 'fla.utils.assert_close'


class NoAssertClose(SuiteRule):
    """A test that compares tensors in a way of its own.

    ## What it does
    Flags `assert torch.allclose(...)`, `torch.testing.assert_close`, `np.testing.assert_allclose` and `assert (a - b).abs().max() < 1e-3` in tests, where `assert_close(name, ref, tri, ratio)` of `fla.utils` is meant.

    ## Why is this bad?
    An element-wise tolerance fits one magnitude: at small values it lets everything through, at large ones it fails for nothing. `assert_close` compares the error with the size of the reference, checks for NaN first, and says in which tensor and by how much.

    ## Example
    ```toml
    [rules.TST105]
    files = ["example.py"]
    ```

    ```python
    import torch


    def test_chunk(ref: torch.Tensor, tri: torch.Tensor):
        assert torch.allclose(ref, tri, atol=1e-3)
        torch.testing.assert_close(ref, tri)
        assert (ref - tri).abs().max() < 1e-3
    ```

    ## Use instead
    ```toml
    [rules.TST105]
    files = ["example.py"]
    ```

    ```python
    import torch

    from fla.utils import assert_close


    def test_chunk(ref: torch.Tensor, tri: torch.Tensor):
        assert_close('o', ref, tri, 0.005)
    ```

    ## Known limits
    Exact comparisons are left alone: `torch.equal`, and tolerances of zero. So are comparisons of one error with another, and of numpy's arrays that come from no tensor. Those of numbers are too, such as `math.isclose` and `pytest.approx`, and files that do not import torch.

    ## Options
    - `files`: patterns of files that hold tests, written as in a `.gitignore`. Default: `["test_*.py", "*_test.py"]`.
    - `function`: the full name of the function that compares. Default: `"fla.utils.assert_close"`.
    """

    code = 'TST105'
    name = 'no-assert-close'
    severity = 'warning'
    Options = Options

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag the comparisons of tensors in the tests of a file."""
        if 'torch' not in file.text or not self._where.covers(file.path):
            return
        if not any(full.partition('.')[0] == 'torch' for _, full in file.bindings.items()):
            return
        suite = suite_of(file)
        own = self.options.function.rpartition('.')[2]
        functions = dict.fromkeys(function for test in suite.tests for function in suite.reached(test))
        seen: set[ast.AST] = set()
        for function in functions:
            if function.name != own:
                yield from self._in_nodes(suite.whole(function), seen, file)

    def _in_nodes(self, nodes: list[ast.AST], seen: set[ast.AST], file: 'File') -> 'Iterator[Finding]':
        bound = _bound(nodes)
        errors = {name for name, value in bound if _is_error(value, frozenset())}
        tensors = {name for name, value in bound if _is_of_tensors(value, frozenset())}
        for node in nodes:
            if node in seen:
                continue
            seen.add(node)
            how = _how(node, frozenset(errors), frozenset(tensors), file)
            if how:
                module, _, name = self.options.function.rpartition('.')
                advice = f'use `{name}(name, ref, tri, ratio)`' + (f' of `{module}`' if module else '')
                yield self.finding(file.range(node), f'{how} compares tensors in a way of its own: {advice}')


def _how(node: ast.AST, errors: frozenset[str], tensors: frozenset[str], file: 'File') -> str:
    """What compares tensors in a statement or a call, for the message; nothing where it does not."""
    if isinstance(node, ast.Assert):
        return _in_condition(node.test, errors, file)
    if not isinstance(node, ast.Call):
        return ''
    full = full_name(node.func, file)
    if last_name(node.func) in _TRUTHS and node.args:
        return _in_condition(node.args[0], errors, file)
    if last_name(node.func) in _ASSERTIONS and len(node.args) > 1:
        return '' if not _is_error(node.args[0], errors) else f'`{last_name(node.func)}`'
    is_library = full.startswith(('torch.testing.', 'numpy.testing.')) and is_comparison(node, file)
    return f'`{full}`' if is_library and (full.startswith('torch.') or _is_of_tensors(node, tensors)) else ''


def _in_condition(test: ast.expr, errors: frozenset[str], file: 'File') -> str:
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for part in parts:
        while isinstance(part, ast.Call) and part.args and last_name(part.func) in ('all', 'bool'):
            part = part.args[0]
        if isinstance(part, ast.Call) and last_name(part.func) == 'allclose' and is_comparison(part, file):
            return f'`{full_name(part.func, file) or ast.unparse(part.func)}`'
        elif isinstance(part, ast.Compare) and len(part.ops) == 1 and isinstance(part.ops[0], _BOUNDS):
            small = part.left if isinstance(part.ops[0], ast.Lt | ast.LtE) else part.comparators[0]
            large = part.comparators[0] if small is part.left else part.left
            # which of two errors is smaller says nothing of a tolerance
            if _is_error(small, errors) and not _is_error(large, errors):
                return f'`{ast.unparse(part)}`'
    return ''


def _is_error(value: ast.expr, errors: frozenset[str]) -> bool:
    """Whether a value is a difference of tensors, made one number."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _CONVERSIONS:
        value = value.func.value
    if isinstance(value, ast.Name):
        return value.id in errors
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
        return _is_error(value.left, errors)
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Name) and value.func.id == 'float' and len(value.args) == 1:
        return _is_error(value.args[0], errors)
    names = {last_name(node.func) for node in ast.walk(value) if isinstance(node, ast.Call)}
    # `max(...)` of plain numbers is none
    is_one_number = isinstance(value.func, ast.Attribute) and value.func.attr in _REDUCTIONS and bool(names & _MAGNITUDES)
    return is_one_number and any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) for node in _insides(value))


def _bound(nodes: list[ast.AST]) -> list[tuple[str, ast.expr]]:
    """The names to which nodes assign, each with the value."""
    assigned = [(target, node.value) for node in nodes if isinstance(node, ast.Assign) for target in node.targets]
    return [(name, value) for target, value in assigned for name in target_names(target)]


def _is_of_tensors(value: ast.expr, tensors: frozenset[str]) -> bool:
    """Whether an expression has to do with tensors."""
    for node in ast.walk(value):
        if isinstance(node, ast.Attribute) and node.attr in _OF_TENSORS:
            return True
        if isinstance(node, ast.Name) and (node.id == 'torch' or node.id in tensors):
            return True
    return False


def _insides(call: ast.Call) -> Iterator[ast.AST]:
    """What a chain of calls such as `(a - b).abs().max()` or `torch.max(torch.abs(a - b))` works on."""
    stack: list[ast.AST] = [call]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                stack.append(node.func.value)
            stack.extend(node.args[:1])
