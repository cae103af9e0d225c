# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What else in a kernel speaks for an index that wraps.

That a product passes 2**31 rests on sizes that roles and names tell, and a kernel that reads one weight or one table looks like one that reads a tensor of activations. What tells them apart is what the kernel does besides: data is read and written alike, by rows that are as wide as a model or a run-time size.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from flakelint.kernel import sizes, types
from flakelint.kernel.graph import Cases, Value, each_value, reachable
from flakelint.kernel.names import role_of_name
from flakelint.kernel.origins import bases_of
from flakelint.kernel.relations import is_length
from flakelint.kernel.sizes import NOTHING, OFFSET, PROGRAM, ROW, SEQUENCE, Size
from flakelint.kernel.strides import UNCOUNTED, stripped

if TYPE_CHECKING:
    from flakelint.kernel.bounds import Bounds
    from flakelint.kernel.frames import Access
    from flakelint.kernel.model import Model

_WRITES = frozenset({'store', 'atomic'})
# rows as wide as these make large tensors of many rows
_WIDE = frozenset({sizes.WIDTH, sizes.HIDDEN})
_STRIDES = frozenset({sizes.STRIDE, sizes.OUTER_STRIDE})
# a number of tiles times the size of one is as many as there are of what it is a tile of
_SAYS_NOTHING = frozenset({'', sizes.BLOCK, sizes.CONSTANT, sizes.COUNT})
_ROWS = frozenset({ROW, OFFSET})
# of so many accesses at least one has to be led to
_FEW = 5
# as many tensors that are addressed alike are the data that a kernel is for
_ALIKE = 3
_STARTS = re.compile(r'(?:^|_)cu_?(?:[qk]v?_)?(?:seq)?_?len|start_?loc', re.IGNORECASE)
_SUMS = frozenset({'add', 'sub', 'view', 'assign', 'phi'})
_SPLITS = re.compile(r'split', re.IGNORECASE)
# what chooses the experts of each token has rows as wide as there are experts, unless it multiplies matrices before
_ROUTES = re.compile(
    r'(?:^|_)(?:rout(?:er|ing)|top_?k_(?:gat\w+|sigmoid|softmax)|(?:append|remap)\w*_experts?)(?:_|$)', re.IGNORECASE)
_CHOOSES = re.compile(r'(?:^|_)top_?k(?:_|$)', re.IGNORECASE)
_VECTOR = re.compile(r'gemv|mat_?vec', re.IGNORECASE)


class Support:
    """What speaks for the indices of a kernel that wrap under the tight sizes.

    Args:
        model (Model):
            The kernel.
        bounds (Bounds):
            The sizes of its values.
    """

    def __init__(self, model: 'Model', bounds: 'Bounds') -> None:
        self._model = model
        self._bounds = bounds

    def of(self, origin: Value, products: list[Value]) -> bool:
        """Whether anything but assumed sizes says that an index becomes large.

        Args:
            origin (Value):
                Where the index comes from.
            products (list[Value]):
                The multiplications of it that wrap.
        """
        if self._is_small():
            return False
        if any(self._is_set(factor) for product in products for factor in each_value(product.operands)):
            return True
        known = [product for product in products if self.tells(product) and self._is_outermost(origin, product)]
        if origin.op == 'counter' or not self._is_of_many(origin, known):
            return False
        if origin.op == 'load' and (self._is_start(origin) or _is_of_table(origin)):
            return any(self._factor(product) in _STRIDES for product in known)
        led = list(self._led_to(known))
        tensors = bases_of([access.address for access, _ in led])
        if _FEW * len(led) < len(self._model.accesses):
            # a table on the side
            return False
        stored = {id(product) for access, found in led if access.kind in _WRITES for product in found}
        if all(access.kind in _WRITES for access, _ in led) and not list(self._loops(known, led)):
            # what is only written, and not gone through, is what a sum, a choice or a table leaves
            return False
        if stored and len(tensors) >= _ALIKE:
            return True
        return origin.op != 'load' and self._leads_to_wide_rows(origin, known, led, stored)

    def _is_outermost(self, origin: Value, product: Value) -> bool:
        """Whether an index counts rows of a tensor, and not only what lies within those that another one leads to."""
        if origin.op == 'load' and not _counts_from(product, origin):
            return False
        if origin.op == 'load' and self._is_start(origin):
            return True
        if id(product) in self._inner:
            return False
        return not self._is_beside_wide(product) if origin.op == 'load' else self._is_of_sequences(origin, product)

    def _is_of_many(self, origin: Value, products: list[Value]) -> bool:
        """Whether the launches, or what is done with the rows, speak for as many as there are tokens in a batch."""
        if self._model.facts.is_trained:
            return True
        if origin.op == 'load':
            # pages and slots are as many as memory holds, tokens that are served at once are few
            return _has_rows(origin) or not self._is_start(origin, fewest=2)
        if self._is_multiplied(origin, [product for product in products if self._factor(product) != sizes.OUTER_STRIDE]):
            return True
        return any(self._is_square(origin, end) for end in self._row_ends(products, list(self._led_to(products))))

    def _is_multiplied(self, origin: Value, products: list[Value]) -> bool:
        """Whether an index is the number of a tile of a matrix that is multiplied."""
        if not any(value.op == 'dot' for value in self._model.made):
            return False
        tiles = (
            part for part in reachable(products, _operands)
            if part.op == 'mul' and any(self._bounds.of(one).role == sizes.BLOCK for one in part.operands)
        )
        return any(one is origin for tile in tiles for one in reachable([tile], _operands))

    def _is_of_sequences(self, origin: Value, product: Value) -> bool:
        """Whether an index counts sequences, or the heads of all of them, where nothing but the place of its stride tells how large that is."""
        outer = self._bounds.assumed.of_role(sizes.OUTER_STRIDE)
        found = [self._bounds.of(operand) for operand in product.operands]
        is_known = self._factor(product) != sizes.OUTER_STRIDE or all(size.tight < outer.tight for size in found)
        if is_known or not self._model.facts.launches or any(size.role == SEQUENCE for size in found):
            return True
        axis = _axis(origin)
        grids = [launch.grid for launch in self._model.facts.launches if launch.grid is not None]
        # a program for each combination of two numbers, such as sequences and heads
        return axis is not None and any(grid[axis].head == '*' for grid in grids if axis < len(grid))

    @cached_property
    def _inner(self) -> set[int]:
        """The multiplications, by their identity, of indices that count within what another one leads to, such as the tokens of a sequence."""
        strides, names = self._bounds.strides, list(self._bounds.strides.names)

        def is_inside(stride: str, other: str) -> bool:
            axes = strides.axis(stride), strides.axis(other)
            return axes[0] > axes[1] if min(axes) >= 0 else names.index(stride) > names.index(other)

        inner, outer = set(), set()
        for layout in strides.layouts.values():
            for step in layout.steps:
                is_inner = any(one.index is not step.index and is_inside(step.stride, one.stride) for one in layout.steps)
                (inner if is_inner else outer).add(id(step.product))
        return inner - outer

    def _is_beside_wide(self, product: Value) -> bool:
        """Whether each address that a product leads to adds one of 64 bits: what lies within that was left narrow on purpose."""
        led = [access.address for access, _ in self._led_to([product])]
        return bool(led) and all(self._adds_wide(address, product) for address in led)

    def _adds_wide(self, address: Value | Cases, product: Value) -> bool:
        """Whether an address adds a multiplication of 64 bits of another index."""
        indices = self._indices(product)
        wide = (part for part in reachable([address], _computed_from) if part.op == 'mul' and types.bits(part.type) == 64)
        return any(indices.isdisjoint(self._indices(part)) and self._bounds.of(part).index for part in wide)

    def _indices(self, product: Value) -> set[int]:
        """The program ids, loaded indices and counters that a multiplication is made of, by their identity."""
        return {id(part) for part in reachable([product], _computed_from) if part.op in ('program_id', 'load', 'counter')}

    def _is_small(self) -> bool:
        """Whether a kernel says of itself that its rows are few or short; of what nothing launches nothing is known."""
        kernel = self._model.kernel
        is_of_experts = any(role_of_name(one.name, one.is_constexpr) == sizes.EXPERTS for one in kernel.parameters)
        is_of_routes = _ROUTES.search(kernel.name) or (_CHOOSES.search(kernel.name) and is_of_experts)
        is_of_routes = bool(is_of_routes) and 'dot' not in kernel.words
        return is_of_routes or _VECTOR.search(kernel.name) is not None or self._model.facts.is_left_out

    def tells(self, product: Value) -> bool:
        """Whether what an index is multiplied with says that there are many rows, and how wide they are."""
        return self._factor(product) not in _SAYS_NOTHING and not _is_of_splits(product)

    def _leads_to_wide_rows(
        self, origin: Value, products: list[Value], led: 'list[tuple[Access, list[Value]]]', stored: set[int],
    ) -> bool:
        """Whether rows that are as wide as a model or a run-time size are written, or read by a program each."""
        factors = {self._factor(product) for product in products if id(product) in stored}
        if factors & _WIDE:
            return True
        read = {self._factor(product) for product in products} if origin.op == 'program_id' and not stored else set()
        if read & _WIDE:
            # a row that is only read has to be gone through: one that is held whole may be short
            return any(self._bounds.of(end).role in _WIDE for end in self._loops(products, led))
        ends = list(self._row_ends(products, led))
        if sizes.STRIDE in factors:
            return any(self._bounds.of(end).role in _WIDE or self._is_square(origin, end) for end in ends)
        return sizes.OUTER_STRIDE in factors and any(self._is_square(origin, end) for end in ends)

    def _led_to(self, products: list[Value]) -> 'Iterator[tuple[Access, list[Value]]]':
        """The accesses that some multiplications lead to, each with those that do."""
        wanted = {id(product) for product in products}
        for access in self._model.accesses:
            found = [value for value in reachable([access.address], _computed_from) if id(value) in wanted]
            if found:
                yield access, found

    def _factor(self, product: Value) -> str:
        """What an index is multiplied with, as a role; empty where that says nothing of how large the tensor is."""
        sides = [(self._bounds.of(operand), operand) for operand in product.operands]
        index, _ = max(sides, key=lambda side: (side[0].index, side[0].tight))
        size, factor = next((side for side in sides if side[0] is not index), (NOTHING, None))
        if size.index or (size.role == sizes.OUTER_STRIDE and self._is_row(index, size)):
            # two indices make a number of tiles, and rows are not what lies outermost
            return ''
        if size.role == sizes.STRIDE and factor is not None and any(map(self._is_inner, each_value([factor]))):
            return ''
        return sizes.HIDDEN if size.role == sizes.HEAD_WIDTH and self._is_of_heads(product, factor) else size.role

    def _is_row(self, index: Size, stride: Size) -> bool:
        """Whether there are as many of an index as there are rows, in a tensor of which nothing else is known."""
        rows, outer = self._bounds.assumed.of_role(sizes.LENGTH), self._bounds.assumed.of_role(sizes.OUTER_STRIDE)
        is_program = index.role == PROGRAM and index.tight >= rows.tight and stride.tight >= outer.tight
        return index.role in _ROWS or is_program

    def _is_of_heads(self, product: Value, width: Value | Cases | None) -> bool:
        """Whether a product is one of all heads, or of all rows of one, so that it is as wide as a model."""
        named = role_of_name(stripped(width).name, constant=True) if type(width) is Value else ''
        if named not in (sizes.HEAD_WIDTH, sizes.HIDDEN):
            # there may be so many choices for each head
            return False
        for index in map(stripped, each_value([one for one in product.operands if one is not width])):
            if index.op == 'mul':
                inner = [self._bounds.of(one) for one in index.operands]
                return any(one.role in (sizes.HEADS, sizes.HEAD_WIDTH) and not one.index for one in inner)
        return False

    def _is_set(self, factor: Value) -> bool:
        """Whether the settings give the size of an argument."""
        name = stripped(factor).name
        return bool(name) and self._bounds.assumed.of_name(name) is not None

    def _is_inner(self, factor: Value) -> bool:
        """Whether launches show a stride to be that of an inner dimension: what is multiplied with it stays within one sequence or head."""
        return 0 < self._bounds.strides.axis(stripped(factor).name) < UNCOUNTED

    def _row_ends(self, products: list[Value], led: 'list[tuple[Access, list[Value]]]') -> Iterator[Value | Cases]:
        """What limits what is added to the beginning of a row."""
        for part in _beside(products, led):
            yield from self._ends(part)

    def _ends(self, part: Value) -> 'Iterator[Value | Cases]':
        """What limits a value, and how far it counts."""
        yield from self._bounds.limits(part)
        if part.op == 'counter':
            yield part.operands[1]

    def _loops(self, products: list[Value], led: 'list[tuple[Access, list[Value]]]') -> Iterator[Value | Cases]:
        """How far a row goes through which a loop or several programs go."""
        for part in _beside(products, led):
            if part.op == 'counter':
                yield part.operands[1]
            elif any(one.op == 'program_id' for one in reachable([part], _computed_from)):
                yield from self._bounds.limits(part)

    def _is_square(self, origin: Value, end: Value | Cases) -> bool:
        """Whether there is a program for each of as many rows as a row has elements, as in a matrix of tokens by tokens."""
        launches = self._model.facts.launches
        if origin.op != 'program_id' or type(end) is not Value or not isinstance(origin.detail, int):
            return False
        return end.op == 'parameter' and bool(launches) and all(
            launch.grid is not None and end.name in launch.parameters and origin.detail < len(launch.grid)
            and launch.grid[origin.detail].identity == launch.parameters[end.name].identity
            for launch in launches
        )

    def _is_start(self, load: Value, fewest: int = 1) -> bool:
        """Whether a loaded index says where the rows of a sequence begin among those of all, by the name of the table or by how `fewest` loads of it read it."""
        bases = bases_of(load.operands)
        if any(map(_STARTS.search, bases)):
            return True
        loads = [one.address for one in self._model.accesses if one.kind == 'load' and bases_of([one.address]) == bases]
        # the next one is where the rows end
        return len(loads) >= fewest and {step for address in loads for step in _steps(address)} == {1}


def _axis(origin: Value) -> int | None:
    """The axis of the grid along which an index counts programs."""
    return origin.detail if origin.op == 'program_id' and isinstance(origin.detail, int) else None


def _beside(products: list[Value], led: 'list[tuple[Access, list[Value]]]') -> Iterator[Value]:
    """What addresses are made of besides some multiplications and what these are made of."""
    ends = {id(product) for product in products}
    within = {id(part) for part in reachable(products, _operands)}
    parts = reachable([access.address for access, _ in led], lambda one: () if id(one) in ends else _computed_from(one))
    return (part for part in parts if id(part) not in within)


def _operands(value: Value) -> tuple[Value | Cases, ...]:
    return value.operands


def _computed_from(value: Value) -> tuple[Value | Cases, ...]:
    return value.operands if value.op != 'load' else ()


def _counts_from(product: Value, start: Value) -> bool:
    """Whether a product counts from a loaded index, and not only as far as the length that it is the beginning or the end of."""
    parts = reachable([product], lambda one: one.operands if one.op != 'sub' or not is_length(one) else ())
    return any(part is start for part in parts)


def _is_of_splits(product: Value) -> bool:
    """Whether a product counts the parts into which work is split: there are no more of them than programs."""
    parts = reachable([product], lambda one: one.operands if one.op not in ('load', 'call') else ())
    return any(part.op == 'parameter' and _SPLITS.search(part.name) for part in parts)


def _terms(address: Value | Cases) -> Iterator[Value]:
    """What an address is the sum of, the sums included."""
    yield from reachable([address], lambda one: one.operands if one.op in _SUMS else ())


def _steps(address: Value | Cases) -> set[int]:
    """The numbers that an address adds."""
    return {abs(term.literal) for term in _terms(address) if isinstance(term.literal, int) and term.literal}


def _has_rows(load: Value) -> bool:
    """Whether a loaded index is read from a table of rows, as the offsets of sequences are not."""
    return any(one.op == 'mul' for operand in load.operands[:1] for one in _terms(operand))


def _is_of_table(load: Value) -> bool:
    """Whether a loaded index is read from a table that has a row of them for each sequence, as those of pages do."""
    terms = [one for operand in load.operands[:1] for one in _terms(operand) if one.op not in _SUMS and one.literal is None]
    rows = [
        term for term in terms if term.op == 'mul'
        and any(factor.op == 'parameter' and factor.type != types.CONST for factor in each_value(term.operands))
    ]
    # the base of the table, the row, and a place in it
    return bool(rows) and len(terms) > len(rows) + 1
