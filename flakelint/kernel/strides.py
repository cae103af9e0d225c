# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which tensor each stride of a kernel belongs to, and which strides its tensors are addressed with."""

import ast
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import launches, sizes, types
from flakelint.kernel.graph import Cases, Value, each_value
from flakelint.kernel.names import role_of_name

if TYPE_CHECKING:
    from flakelint.kernel.frames import Frame
    from flakelint.kernel.model import Model

_KEPT = frozenset({'view', 'assign', 'cast', 'trans'})
_ALTERNATIVES = frozenset({'phi', 'where'})
_POINTER_WORDS = re.compile(r'_?(?:ptrs?|pointer)$|^(?:p|ptr)_', re.IGNORECASE)
_STRIDE_WORDS = re.compile(r'_?strides?_?', re.IGNORECASE)
# a dimension is a letter or two behind the name of its tensor, or a word
_MAX_LETTERS = 2
# axes from here on are counted from the end
UNCOUNTED = 500


class Step(NamedTuple):
    """An index that an address adds with a stride.

    Args:
        product (Value):
            The multiplication.
        index (Value):
            The index.
        stride (str):
            The parameter with which it is multiplied.
    """

    product: Value
    index: Value
    stride: str


class Bare(NamedTuple):
    """An index that an address adds as it is.

    Args:
        index (Value):
            The index.
        node (ast.AST):
            Where it is added.
        frame (Frame):
            The function in which that stands.
    """

    index: Value
    node: ast.AST
    frame: 'Frame'


@dataclass
class Layout:
    """How a tensor is addressed.

    Args:
        steps (list[Step]):
            The indices that are added with a stride.
        bare (list[Bare]):
            The indices that are added as they are.
        products (list[Value]):
            The multiplications with something else that are added.
    """

    steps: list[Step] = field(default_factory=list)
    bare: list[Bare] = field(default_factory=list)
    products: list[Value] = field(default_factory=list)


class Strides:
    """The strides of a kernel.

    Args:
        model (Model):
            The kernel.
    """

    def __init__(self, model: 'Model') -> None:
        self._model = model
        pointers = [name for name, value in model.parameters.items() if value.type == types.POINTER]
        strides = [
            name for name, value in model.parameters.items()
            if value.type != types.POINTER and role_of_name(name, constant=False) in (sizes.STRIDE, sizes.OUTER_STRIDE)
        ]
        launched = [
            name for launch in model.facts.launches for name, passed in launch.parameters.items()
            if passed.kind == launches.STRIDE and name in model.parameters
        ]
        self.names = dict.fromkeys([*strides, *launched])
        self._dimensions: dict[str, set[str]] = {}
        self.owners = {name: self._owners(name, pointers) for name in self.names}
        self.layouts: dict[str, Layout] = {}
        self._bases: dict[int, str] = {}
        for access in model.accesses:
            if access.kind != 'offset':
                self._read(access.address)

    def own(self, pointer: str) -> list[str]:
        """The strides that can only belong to a tensor."""
        return [name for name, owners in self.owners.items() if owners == {pointer}]

    def axis(self, stride: str) -> int:
        """The axis of a stride as the launches show it; -1 where they do not."""
        axes = [int(one) for one in self._dimensions.get(stride, ()) if one.lstrip('-').isdigit()]
        # the last of an unknown number of axes comes after all that are counted from the first
        return max((one if one >= 0 else 2 * UNCOUNTED + one for one in axes), default=-1)

    def used(self) -> set[str]:
        """The strides with which some tensor is addressed."""
        return {step.stride for layout in self.layouts.values() for step in layout.steps}

    def is_contiguous(self, stride: str) -> bool:
        """Whether every launch shows that the tensor of a stride is contiguous."""
        passed = [launch.parameters.get(stride) for launch in self._model.facts.launches]
        return bool(passed) and all(one is not None and one.contiguous for one in passed)

    def is_row_of(self, stride: str, length: str) -> bool:
        """Whether every launch shows that from one row to the next there are as many elements as a parameter says."""
        found = self._model.facts.launches
        return bool(found) and all(
            stride in launch.parameters and length in launch.parameters
            and _behind(launch.parameters[stride]) == (launch.parameters[length].identity,)
            for launch in found
        )

    def same_dimension(self, one: str, other: str) -> bool:
        """Whether two strides are those of like dimensions of two tensors."""
        return bool(self._dimensions.get(one, set()) & self._dimensions.get(other, set()) - {''})

    def _owners(self, stride: str, pointers: list[str]) -> set[str]:
        """The tensors that a stride may belong to, by the launches or else by its name; none if neither tells."""
        found: set[str] = set()
        shown = False
        for launch in self._model.facts.launches:
            passed = launch.parameters.get(stride)
            if passed is not None and passed.kind == launches.STRIDE:
                shown = True
                self._dimensions.setdefault(stride, set()).add(str(passed.axis))
                found.update(name for name in pointers if _passes(launch.parameters.get(name), passed.tensor))
        return found if shown else self._owners_by_name(stride, pointers)

    def _owners_by_name(self, stride: str, pointers: list[str]) -> set[str]:
        text = _STRIDE_WORDS.sub('_', stride).strip('_').lower()
        found, dimensions = set(), set()
        names = {pointer: _POINTER_WORDS.sub('', pointer).lower() for pointer in pointers}
        named = {name for name in names.values() if name and f'{text}_'.startswith(f'{name}_')}
        for pointer, name in names.items():
            # `x_cache_stride` is none of `x` where there is an `x_cache`
            if not name or not text.startswith(name) or any(other.startswith(f'{name}_') for other in named):
                continue
            rest = text[len(name):]
            if not rest or rest.startswith('_') or len(rest) <= _MAX_LETTERS:
                found.add(pointer)
                dimensions.add(rest.strip('_'))
        if not found:
            # a letter stands for the tensor that begins with it
            found = {pointer for pointer in pointers if _POINTER_WORDS.sub('', pointer).lower().startswith(text[:1])}
            dimensions = {text[1:].strip('_')}
            if len(text) > 1 + _MAX_LETTERS or len(found) > 1:
                found = set()
        self._dimensions.setdefault(stride, set()).update(dimensions)
        return found

    def _read(self, address: Value | Cases) -> None:
        """Take in what an address is the sum of; what several addresses share is taken in once."""
        bases: set[str] = set()
        pointers: list[Value] = []
        terms: list[tuple[Value, ast.AST, Frame]] = []
        seen: set[int] = set()
        stack = [(value, value.node, value.frame) for value in each_value([address])]
        while stack:
            outer, node, frame = stack.pop()
            value = stripped(outer)
            if id(value) in seen:
                continue
            seen.add(id(value))
            if value.type == types.POINTER:
                known = self._bases.get(id(value))
                if known is not None:
                    bases.add(known)
                    continue
                pointers.append(value)
            if value.op in ('add', 'sub'):
                sides = (value.node.left, value.node.right) if isinstance(value.node, ast.BinOp) else (value.node, value.node)
                for operand, side in zip(value.operands, sides, strict=True):
                    stack.extend((case, side, value.frame) for case in each_value([operand]))
            elif value.op in _ALTERNATIVES and value.type == types.POINTER:
                stack.extend((case, node, frame) for case in each_value(value.operands))
            elif value.op == 'parameter' and value.type == types.POINTER:
                bases.add(value.name)
            else:
                terms.append((value, node, frame))
        base = bases.pop() if len(bases) == 1 else ''
        self._bases.update((id(value), base) for value in pointers)
        if base:
            self._take(self.layouts.setdefault(base, Layout()), terms)

    def _take(self, layout: Layout, terms: 'list[tuple[Value, ast.AST, Frame]]') -> None:
        for term, node, frame in terms:
            if term.op != 'mul':
                layout.bare.append(Bare(term, node, frame))
                continue
            before = len(layout.steps)
            for factor, index in (term.operands, reversed(term.operands)):
                for case in map(stripped, each_value([factor])):
                    if case.op == 'parameter' and case.name in self.names:
                        layout.steps.append(Step(term, stripped(next(each_value([index]))), case.name))
            if len(layout.steps) == before:
                layout.products.append(term)


def stripped(value: Value) -> Value:
    """A value without what only changes its shape or its width."""
    while value.op in _KEPT and type(value.operands[0]) is Value:
        value = value.operands[0]
    return value


def plain(value: Value | Cases) -> Value | None:
    """A value without what only changes its shape or its width; `None` where conditions tell several apart."""
    found = stripped(value) if type(value) is Value else None
    return None if found is None or found.op in _KEPT else found


def _behind(passed: 'launches.Passed') -> tuple[object, ...]:
    """The sizes of the dimensions behind that of a stride, where the host code allocated the tensor."""
    is_seen = passed.kind == launches.STRIDE and passed.axis is not None and passed.contiguous is not False
    return tuple(one.identity for one in passed.dims[passed.axis + 1:]) if is_seen and passed.axis >= 0 else ()


def _passes(passed: 'launches.Passed | None', tensor: str) -> bool:
    return passed is not None and passed.kind == launches.TENSOR and passed.text == tensor
