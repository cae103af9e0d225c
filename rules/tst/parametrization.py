# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The cases of `pytest.mark.parametrize`."""

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from flakelint.project.imports import last_name
from flakelint.project.statements import scope_statements

if TYPE_CHECKING:
    from flakelint.engine.context import File

_NAME = 'parametrize'
_ARGUMENTS = ('argnames', 'argvalues')


class Parametrization(NamedTuple):
    """A decorator that gives a test its cases.

    Args:
        node (ast.Call):
            The decorator.
        names (tuple[str, ...]):
            The parameters.
        cases (Sequence[ast.expr] | None):
            The cases as they are written, or None where they are not.
        is_made (bool):
            Whether a comprehension makes `pytest.param` of the cases.
    """

    node: ast.Call
    names: tuple[str, ...]
    cases: Sequence[ast.expr] | None
    is_made: bool

    def values(self, case: ast.expr) -> Sequence[ast.expr]:
        """The values of a case, one for each parameter; none where they are not told."""
        if is_param(case):
            values: Sequence[ast.expr] = case.args
        elif len(self.names) == 1 and not self.is_made:
            values = [case]
        else:
            values = case.elts if isinstance(case, ast.Tuple | ast.List) else ()
        is_told = len(values) == len(self.names) and not any(isinstance(one, ast.Starred) for one in values)
        return values if is_told else ()


def parametrizations(decorators: Sequence[ast.expr], file: 'File') -> Iterator[Parametrization]:
    """The decorators among some that give a test its cases."""
    for node in decorators:
        if not isinstance(node, ast.Call) or last_name(node.func) != _NAME:
            continue
        given = dict(zip(_ARGUMENTS, node.args, strict=False)) | {one.arg: one.value for one in node.keywords}
        names = _names(given.get('argnames'))
        if names and 'argvalues' in given:
            cases, is_made = _cases(given['argvalues'], file)
            yield Parametrization(node, names, cases, is_made)


def is_param(node: ast.expr) -> bool:
    """Whether a case is a `pytest.param`."""
    return isinstance(node, ast.Call) and last_name(node.func) == 'param'


def _names(node: ast.expr | None) -> tuple[str, ...]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return tuple(name.strip() for name in node.value.split(',') if name.strip())
    if isinstance(node, ast.Tuple | ast.List):
        texts = [one.value for one in node.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        return tuple(texts) if len(texts) == len(node.elts) else ()
    return ()


def _cases(node: ast.expr, file: 'File') -> tuple[Sequence[ast.expr] | None, bool]:
    if isinstance(node, ast.Name):
        bound = [
            one.value for one in scope_statements(file.statements) if isinstance(one, ast.Assign | ast.AnnAssign)
            for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
            if isinstance(target, ast.Name) and target.id == node.id
        ]
        # a list may grow by `append`
        is_one = len(bound) == 1 and isinstance(bound[0], ast.List | ast.Tuple) and f'{node.id}.' not in file.text
        return (bound[0].elts, False) if is_one and not _is_starred(bound[0]) else (None, False)
    if isinstance(node, ast.ListComp) and len(node.generators) == 1 and is_param(node.elt):
        source = node.generators[0].iter
        target = node.generators[0].target
        arguments = node.elt.args
        is_plain = len(arguments) == 1 and isinstance(arguments[0], ast.Starred) and isinstance(target, ast.Name)
        if is_plain and isinstance(source, ast.List | ast.Tuple) and not node.generators[0].ifs and not _is_starred(source):
            return source.elts, True
        return None, True
    if isinstance(node, ast.List | ast.Tuple) and not _is_starred(node):
        return node.elts, False
    return None, False


def _is_starred(node: ast.List | ast.Tuple) -> bool:
    return any(isinstance(one, ast.Starred) for one in node.elts)
