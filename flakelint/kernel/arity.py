# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether the backward of an autograd function returns a gradient for each argument that `apply` is given."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flakelint.kernel.autograd import AutogradFunction
from flakelint.kernel.host_functions import Application
from flakelint.kernel.returned import Returns
from flakelint.source.syntax import nodes_in_order


class Mismatch(NamedTuple):
    """A return whose values do not fit.

    Args:
        node (ast.Return):
            The return.
        count (int):
            How many values it gives.
        expected (int):
            How many there have to be, or how many at least or at most where no use of `apply` shows it.
        path (str):
            The file of the use of `apply` that shows it; nothing where `forward` does.
        line (int):
            The line of that use.
    """

    node: ast.Return
    count: int
    expected: int
    path: str = ''
    line: int = 0


def _asks_for_count(function: AutogradFunction) -> bool:
    """Whether `backward` asks how many arguments there were, as one that returns as many gradients does."""
    tests = [node.test for node in nodes_in_order(function.methods['backward'].body) if isinstance(node, ast.If)]
    compared = [test for test in tests if isinstance(test, ast.Compare) and isinstance(test.left, ast.Attribute)]
    return any(isinstance(one.comparators[0], ast.Constant) and type(one.comparators[0].value) is int for one in compared)


def mismatches(function: AutogradFunction, returns: Returns, uses: Sequence[tuple[str, Application]]) -> Iterator[Mismatch]:
    """The returns of `backward` that fit no use of `apply`, or that cannot fit any; or all of them, where a use fits none."""
    # a bare None beside other returns stands for the case that no gradient is needed, in which PyTorch does not ask
    nodes = [node for node in returns.nodes if not _is_bare(node)] or returns.nodes
    given = [(node, values) for node in nodes if (values := returns.values(node)) is not None]
    seen = list(_seen(function, uses))
    unfit = {use for use in seen if not any(_fits(values, use[0], returns) for _, values in given)}
    if not unfit and _asks_for_count(function):
        return
    is_whole = bool(seen) and len(seen) == len(uses)
    for node, values in given:
        fitting = [use for use in seen if _fits(values, use[0], returns)]
        if unfit and len(given) == len(nodes) and not fitting:
            yield Mismatch(node, len(values), *min(unfit, key=lambda use: abs(use[0] - len(values))))
        elif is_whole and not fitting:
            yield Mismatch(node, len(values), *min(seen, key=lambda use: abs(use[0] - len(values))))
        elif not fitting:
            expected = _impossible(function, values, returns)
            if expected is not None:
                yield Mismatch(node, len(values), expected)


def _seen(function: AutogradFunction, uses: Sequence[tuple[str, Application]]) -> Iterator[tuple[int, str, int]]:
    """How many gradients each use asks for, with its place; those that fail by themselves are left out."""
    most = None if function.methods['forward'].args.vararg is not None else len(function.arguments)
    for path, use in uses:
        if use.count is None or (most is not None and use.count > most) or use.count < _least(function):
            continue
        # with `setup_context`, `apply` fills in the defaults of `forward`
        count = max(use.count, len(function.arguments)) if 'setup_context' in function.methods else use.count
        yield count, path, use.line


def _least(function: AutogradFunction) -> int:
    return len(function.arguments) - len(function.methods['forward'].args.defaults)


def _impossible(function: AutogradFunction, values: list[ast.expr], returns: Returns) -> int | None:
    """How many values there would have to be at least or at most, where no use at all could fit."""
    if len(values) < function.required:
        return function.required
    most = len(function.arguments)
    if function.methods['forward'].args.vararg is None and any(map(returns.is_value, values[most:])):
        return most
    return None


def _is_bare(node: ast.Return) -> bool:
    return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)


def _fits(values: list[ast.expr], count: int, returns: Returns) -> bool:
    """Whether values fit a number of arguments; what is too much is dropped where it is None, which is not always seen."""
    return len(values) >= count and not any(map(returns.is_value, values[count:]))
