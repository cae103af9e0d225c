# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which parameters of a kernel are pointers, by what the kernel does with them."""

import ast
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from flakelint.project.imports import dotted

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

_LANGUAGE = 'triton.language.'
_TAKE_POINTERS = {
    'load': ('pointer',), 'store': ('pointer',), 'make_block_ptr': ('base',), 'make_tensor_descriptor': ('base',),
}
_DESCRIPTOR_METHODS = frozenset({'load', 'store', 'gather', 'scatter'})
_MAX_DEPTH = 8
# what these give is the address that they are given
_KEEP = frozenset({'to', 'cast', 'where', 'multiple_of', 'max_contiguous', 'broadcast_to', 'reshape', 'expand_dims'})

Helper = Callable[['Kernel', ast.expr, str], 'Kernel | None']


Found = tuple[frozenset[str], frozenset[str]]


def address_parameters(kernel: 'Kernel', helper: Helper, known: dict[ast.AST, Found], depth: int = 0) -> Found:
    """The names of the parameters that are pointers, and of those that are descriptors: by what is done with them, there or in helpers.

    Args:
        kernel (Kernel):
            The function.
        helper (Helper):
            Finds the function that a call in a kernel means.
        known (dict[ast.AST, Found]):
            What was found for other functions; what is found is added.
        depth (int, Optional):
            How many calls led here. Default: 0.
    """
    if kernel.definition in known:
        return known[kernel.definition]
    known[kernel.definition] = frozenset(), frozenset()
    bases = _Bases(kernel, helper)
    pointers: set[str] = set()
    descriptors: set[str] = set()
    for address, is_descriptor in _addresses(kernel, helper, known, depth):
        if is_descriptor:
            descriptors |= {address.id} & bases.parameters if isinstance(address, ast.Name) else set()
        else:
            pointers |= bases.of(address) - {''}
    known[kernel.definition] = frozenset(pointers), frozenset(descriptors)
    return known[kernel.definition]


def _addresses(
    kernel: 'Kernel', helper: Helper, known: dict[ast.AST, Found], depth: int,
) -> Iterator[tuple[ast.expr, bool]]:
    """What a function takes for an address, and what for a descriptor."""
    for node in kernel.calls:
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and _is_access(node.func.attr):
            yield node.func.value, True
        name = kernel.bindings.resolve(dotted(node.func) or '')
        leaf = name.rpartition('.')[2]
        if name.startswith(_LANGUAGE):
            keywords = ('pointer',) if leaf.startswith('atomic_') else _TAKE_POINTERS.get(leaf, ())
            yield from ((argument, False) for argument in (_argument(node, 0, keywords[0]) if keywords else ()))
            continue
        called = helper(kernel, node.func, name) if name and depth < _MAX_DEPTH else None
        if called is not None:
            pointers, descriptors = address_parameters(called, helper, known, depth + 1)
            for position, parameter in enumerate(called.parameters):
                if parameter.name in pointers or parameter.name in descriptors:
                    arguments = _argument(node, position, parameter.name)
                    yield from ((argument, parameter.name in descriptors) for argument in arguments)


def _is_access(method: str) -> bool:
    return method in _DESCRIPTOR_METHODS or method.startswith('atomic_')


def _argument(node: ast.Call, position: int, keyword: str) -> Iterator[ast.expr]:
    if len(node.args) > position:
        yield node.args[position]
    else:
        yield from (one.value for one in node.keywords if one.arg == keyword)


def _bound_names(kernel: 'Kernel') -> dict[str, list[ast.expr]]:
    """What each name of the body is assigned."""
    bound: dict[str, list[ast.expr]] = {}
    for node in kernel.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    bound.setdefault(target.id, []).append(node.value)
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for one, value in zip(target.elts, node.value.elts, strict=False):
                        if isinstance(one, ast.Name):
                            bound.setdefault(one.id, []).append(value)
    return bound


class _Bases:
    """Finds the parameters that addresses of a kernel start from."""

    def __init__(self, kernel: 'Kernel', helper: Helper, depth: int = 0) -> None:
        self._kernel = kernel
        self._helper = helper
        self._depth = depth
        self.parameters = {parameter.name for parameter in kernel.parameters if not parameter.is_constexpr}
        self._bound = _bound_names(kernel)
        self._active: set[str] = set()

    @cached_property
    def _factors(self) -> set[str]:
        return _factors(self._kernel)

    def of(self, node: ast.expr) -> set[str]:
        """The parameters that an expression, as an address, starts from: one for each way in which its names are bound."""
        if isinstance(node, ast.Name):
            return self._of_name(node.id)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            left, right = self.of(node.left), self.of(node.right)
            return left - self._factors or right - self._factors or left or right if left and right else left or right
        if isinstance(node, ast.IfExp):
            return self.of(node.body) | self.of(node.orelse)
        if isinstance(node, ast.Subscript):
            return self.of(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _KEEP:
            inner = [node.func.value, *node.args] if node.func.attr != 'where' else node.args[1:]
            return next((found for found in map(self.of, inner) if found), set())
        return self._of_call(node) if isinstance(node, ast.Call) else set()

    def _of_call(self, node: ast.Call) -> set[str]:
        """What the helper that is called gives back starts from."""
        name = self._kernel.bindings.resolve(dotted(node.func) or '')
        called = self._helper(self._kernel, node.func, name) if name and self._depth < _MAX_DEPTH else None
        if called is None:
            return set()
        inside = _Bases(called, self._helper, self._depth + 1)
        returned = [one.value for one in called.body if isinstance(one, ast.Return) and one.value is not None]
        names = {base for value in returned for base in inside.of(value)}
        return {
            base for position, parameter in enumerate(called.parameters) if parameter.name in names
            for argument in _argument(node, position, parameter.name) for base in self.of(argument)
        }

    def _of_name(self, name: str) -> set[str]:
        if name in self._active:
            # what a loop adds to a pointer is none
            return {''}
        found = {name} & self.parameters
        self._active.add(name)
        for value in self._bound.get(name, ()):
            found |= self.of(value)
        self._active.discard(name)
        return found


def _factors(kernel: 'Kernel') -> set[str]:
    """The names that are multiplied, divided or compared somewhere, as no pointer is."""
    found = set()
    for node in kernel.body:
        sides: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add | ast.Sub):
            sides = [node.left, node.right]
        elif isinstance(node, ast.Compare) and not any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            sides = [node.left, *node.comparators]
        found.update(side.id for side in sides if isinstance(side, ast.Name))
    return found
