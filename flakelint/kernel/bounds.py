# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How large the values of a kernel can become under the assumed sizes.

Sizes are not independent: a number of a tile times the size of a tile is one range of rows, a number of a sequence times a length is all rows. These caps are what keeps the bounds near what launches reach.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from flakelint.kernel import sizes, types
from flakelint.kernel.arguments import Arguments
from flakelint.kernel.decoding import is_start_of_logits, is_start_of_queries
from flakelint.kernel.graph import Cases, Value, each_value
from flakelint.kernel.held import held
from flakelint.kernel.layouts import layouts_of, persistent_programs
from flakelint.kernel.names import is_head_name, is_rank_name, is_request_name, is_sequence_name, role_of_name
from flakelint.kernel.products import multiplied
from flakelint.kernel.relations import divided, divisor_of_rest, is_length, is_same, limits_by_value
from flakelint.kernel.rows import row_width
from flakelint.kernel.sizes import GRID, HEAD, ITERATION, LOADED, NOTHING, OFFSET, PROGRAM, ROW, SEQUENCE, Assumed, Size
from flakelint.kernel.strides import Strides, stripped

if TYPE_CHECKING:
    from flakelint.kernel.model import Model

# a tile within one of these is none of a whole tensor
_SMALL = frozenset({sizes.WIDTH, sizes.HIDDEN, sizes.HEAD_WIDTH, sizes.HEADS, sizes.BLOCK})
# what is compared with these may be larger than they are taken to be
_NO_LIMITS = frozenset({sizes.CONSTANT, sizes.BLOCK})
# what a range of rows may have added to it
_WITHIN_ROWS = frozenset({ROW, sizes.LANE, ITERATION, LOADED, sizes.LENGTH, ''})
_PASSED_ON = frozenset({'view', 'cast', 'assign', 'abs', 'trans', 'neg', 'invert'})


class Bounds:
    """The sizes of the values of a kernel.

    Args:
        model (Model):
            The kernel.
        assumed (Assumed):
            The sizes that are assumed.
    """

    def __init__(self, model: 'Model', assumed: Assumed) -> None:
        self.model = model
        self.assumed = assumed
        launches = model.facts.launches
        self.arguments = Arguments(model.kernel, launches, assumed, _extents(model), held(model))
        self.strides = Strides(model)
        self._known: dict[int, Size] = {}
        self._limits = limits_by_value(model.comparisons)
        self._persistent = persistent_programs(model)
        self._extents = {id(value.operands[1]) for value in model.aranges}
        roles, rows, self.inside = layouts_of(model, self.strides, self._limits)
        self.arguments.set_roles(roles)
        self._widths: dict[str, int | None] = {}
        self._widths = {name: row_width(terms, self._limits, self._of_row) for name, terms in rows.items()}

    def of(self, value: Value | Cases) -> Size:
        """The size of a value, the largest of its cases."""
        if type(value) is Cases:
            found = [self.of(case) for _, case in value.cases]
            return max(found, key=lambda size: (size.tight, size.possible))
        known = self._known.get(id(value))
        if known is None:
            # what a loop carries is made of itself
            self._known[id(value)] = self.of(value.operands[0]) if value.op == 'phi' else NOTHING
            known = self._known[id(value)] = self._limited(value, self._size(value))
        return known

    def _of_row(self, value: Value | Cases) -> Size:
        """The size of what limits a row; what is held whole is all of one."""
        size = self.of(value)
        is_whole = size.role != sizes.BLOCK and type(value) is Value and value.name in self.arguments.held
        return size._replace(role=sizes.HEAD_WIDTH) if is_whole else size

    def limits(self, value: Value) -> list[Value]:
        """What a value is compared with that keeps it small."""
        return self._limits.get(id(value), [])

    def flat(self, product: Value) -> Size:
        """The size of a product where a tensor may be one flat dimension: the number of a tile times its size is not one of rows then."""
        size = self.of(product)
        left, right = (self.of(operand) for operand in product.operands)
        limits = [self.of(one) for one in self._limits.get(id(product), ())]
        narrow = any(one.role in _SMALL or one.exact for one in limits)
        if {left.role, right.role} == {PROGRAM, sizes.BLOCK} and not narrow:
            return size._replace(possible=max(size.possible, left.possible * right.possible))
        return size

    def _limited(self, value: Value, size: Size) -> Size:
        """A size below what the value is compared with."""
        for limit in self._limits.get(id(value), ()) if size.tight > 1 else ():
            bound = self.of(limit)
            if bound.role in _NO_LIMITS:
                continue
            if not bound.index and 0 < bound.tight and (bound.tight < size.tight or bound.possible < size.possible):
                role = size.role if bound.role in (sizes.LENGTH, sizes.FLAT_ROWS) else OFFSET
                possible = min(size.possible, bound.possible) if bound.exact else size.possible
                size = size._replace(tight=min(size.tight, bound.tight), possible=possible, role=role)
        return size

    def _size(self, value: Value) -> Size:
        size = self._of_operation(value)
        if id(value) in self._extents and value.op == 'mul' and sizes.BLOCK in {self.of(one).role for one in value.operands}:
            # a tile of several tiles
            size = size.in_block()._replace(role=sizes.BLOCK)
        return size

    def _of_operation(self, value: Value) -> Size:
        if isinstance(value.literal, int):
            return Size(abs(value.literal), abs(value.literal), '', exact=True)
        handler = _SIZES.get(value.op)
        if handler is not None:
            return handler(self, value)
        if value.op in _PASSED_ON and value.operands:
            return self.of(value.operands[0])
        found = [self.of(operand) for operand in value.operands]
        return max(found, key=lambda size: size.tight, default=NOTHING)._replace(exact=False)

    # where values come from

    def _parameter(self, value: Value) -> Size:
        if value.type in (types.POINTER, types.DESCRIPTOR, types.BLOCK_POINTER, types.NONE, types.FLOAT):
            return NOTHING
        size = self.arguments.size(value.name, value.type == types.CONST)
        width = self._widths.get(value.name)
        # a tensor may be one half of another
        return size if width is None or size.exact else size._replace(tight=min(size.tight, 2 * width))

    def _global(self, value: Value) -> Size:
        return self.assumed.of_role(role_of_name(value.name.rpartition('.')[2], constant=True))

    def _program_id(self, value: Value) -> Size:
        size = self.arguments.program_id(value.detail)
        if size.role == PROGRAM and value.detail == 0 and value.name in self._persistent:
            # it is a program of a few, which walk over all rows
            most = self.assumed.of_role(sizes.PROGRAMS)
            return size._replace(tight=min(size.tight, most.tight))
        if size.role == PROGRAM and (value.detail in (1, 2) or is_request_name(value.name)):
            size = self._named(value, size)
        return size

    def _named(self, value: Value, size: Size) -> Size:
        """A size after the name of what structure shows to be a part of a program's number."""
        for matches, role, index in (
            (is_head_name, sizes.HEADS, HEAD), (is_sequence_name, sizes.BATCH, SEQUENCE),
            (is_request_name, sizes.BATCH, SEQUENCE),
        ):
            if matches(value.name):
                assumed = self.assumed.of_role(role)
                return Size(min(size.tight, assumed.tight), min(size.possible, assumed.possible), index, index=True)
        return size

    def _num_programs(self, value: Value) -> Size:
        return self.assumed.of_role(sizes.PROGRAMS)._replace(role=GRID)

    def _arange(self, value: Value) -> Size:
        size = self.of(value.operands[1])
        return size._replace(role=sizes.LANE, index=False)

    def _load(self, value: Value) -> Size:
        if not types.is_integer(value.type) or types.bits(value.type) < 16:
            return Size(1 << 8, 1 << 8, LOADED, index=True)
        size = self.assumed.of_role(sizes.LENGTH)._replace(role=LOADED, index=True)
        if is_start_of_logits(value):
            size = self.arguments.of_requests(size)
        elif is_start_of_queries(value):
            size = self.arguments.of_decoding(size)
        if is_rank_name(value.name):
            # the rank of a device, or that of a small matrix
            size = size._replace(tight=self.assumed.of_role(sizes.HEAD_WIDTH).tight)
        return self._named(value, size) if is_request_name(value.name) else size

    def _counter(self, value: Value) -> Size:
        start, stop, step = (self.of(operand) for operand in value.operands)
        first = next(each_value(value.operands[:1]))
        if first.op == 'program_id' and first.name in self._persistent:
            # few programs walk over many rows
            start = self.arguments.program_id(first.detail)
        # a loop that counts down begins at its limit
        is_down = start.tight > stop.tight
        largest = start if is_down else stop
        if next(each_value(value.operands[0 if is_down else 1:])).type == types.CONST and not largest.exact:
            # a loop of more rounds that the compiler knows of is in no kernel
            most = self.assumed.of_role(sizes.COUNT).tight * max(1, step.tight)
            # a dimension of which nothing is known is as large as its loop is long
            reached = most if largest.role == sizes.CONSTANT and step.role == sizes.BLOCK else min(largest.tight, most)
            largest = largest._replace(tight=reached)
            start, stop = (largest, stop) if is_down else (start, largest)
        by_rows = step.role == sizes.BLOCK or largest.role in (sizes.LENGTH, ROW, LOADED)
        index = not (start.exact and stop.exact)
        role = ROW if by_rows else ITERATION
        return Size(max(start.tight, stop.tight), max(start.possible, stop.possible), role, index=index)

    def _phi(self, value: Value) -> Size:
        start = self.of(value.operands[0])
        result = start
        for operand in value.operands[1:]:
            step = self._growth(value, operand)
            if step is None:
                other = self.of(operand)
                role = result.role if result.tight >= other.tight else other.role
                result = Size(
                    max(result.tight, other.tight), max(result.possible, other.possible), role, result.index or other.index)
            elif step.tight:
                rows, rounds = self.assumed.of_role(sizes.LENGTH), self.assumed.of_role(sizes.COUNT)
                tight, possible = step.tight * rounds.tight, step.possible * rounds.possible
                if step.role in (sizes.BLOCK, '', sizes.LANE):
                    tight, possible = min(tight, rows.tight), min(possible, rows.possible)
                result = Size(max(result.tight, tight), max(result.possible, possible), ROW, index=True)
        return result

    def _growth(self, carried: Value, end: Value | Cases) -> Size | None:
        """What is added to a carried value in each round; `None` where it is something else altogether."""
        for value in each_value([end]):
            if value.op in ('add', 'sub') and any(one is carried for one in value.operands):
                other = next((one for one in value.operands if one is not carried), carried)
                return self.of(other)
        return None

    # what is made of them

    def _sum(self, value: Value) -> Size:
        left, right = self.of(value.operands[0]), self.of(value.operands[1])
        large, small = (left, right) if left.tight >= right.tight else (right, left)
        tight, possible = left.tight + right.tight, left.possible + right.possible
        role = ROW if ROW in (left.role, right.role) or (large.role == LOADED) else large.role
        if role == ROW and large.role in (ROW, LOADED) and small.role in _WITHIN_ROWS:
            # a place within a range of rows is one of its rows
            tight = max(left.tight, right.tight)
        return Size(tight, possible, role or small.role, left.index or right.index, left.exact and right.exact)

    def _difference(self, value: Value) -> Size:
        divisor = divisor_of_rest(value)
        if divisor is not None:
            return self._rest(value, self.of(value.operands[0]), self.of(divisor))
        if not is_length(value):
            return self._sum(value)
        rows, most = self.assumed.of_role(sizes.LENGTH), self.assumed.of_role(sizes.PLANE_STRIDE).possible
        return Size(min(rows.tight, most), rows.possible, LOADED, index=True)

    def _product(self, value: Value) -> Size:
        left, right = self.of(value.operands[0]), self.of(value.operands[1])
        size = multiplied(self.assumed, left, right)
        if PROGRAM in (left.role, right.role) and size.role == ROW:
            size = self.arguments.of_decoding(size)
        if self._is_plane(value):
            plane = self.assumed.of_role(sizes.PLANE_STRIDE)
            size = size._replace(tight=min(size.tight, plane.tight * plane.tight))
        whole = divided(value, self.strides)
        if whole is None:
            return size
        # a quotient times its own divisor is no more than what was divided
        most = self.of(whole)
        return size._replace(tight=min(size.tight, most.tight), possible=min(size.possible, most.possible))

    def _is_plane(self, product: Value) -> bool:
        """Whether a product leads to a row of a plane with as many rows as columns."""
        for index, factor in (product.operands, product.operands[::-1]):
            for case in map(stripped, each_value([index])):
                if any(is_same(limit, factor) for limit in self._limits.get(id(case), ())):
                    return True
        return False

    def _shifted(self, value: Value) -> Size:
        left, right = self.of(value.operands[0]), self.of(value.operands[1])
        if not right.exact or right.tight > 32:
            return left._replace(exact=False)
        factor = Size(1 << right.tight, 1 << right.tight, '', exact=True)
        return multiplied(self.assumed, left, factor)

    def _shifted_down(self, value: Value) -> Size:
        left, right = self.of(value.operands[0]), self.of(value.operands[1])
        shift = right.tight if right.exact and right.tight < 64 else 0
        return left._replace(tight=left.tight >> shift, possible=left.possible >> shift, exact=False)

    def _quotient(self, value: Value) -> Size:
        left, right = self.of(value.operands[0]), self.of(value.operands[1])
        divisor = right.tight if right.exact and right.tight else 16 if right.role == sizes.BLOCK else 1
        size = Size(max(1, left.tight // divisor), max(1, left.possible // divisor), left.role, left.index)
        if left.index and left.role in (PROGRAM, SEQUENCE):
            if right.role == sizes.HEADS:
                batch = self.assumed.of_role(sizes.BATCH)
                return Size(min(size.tight, batch.tight), min(size.possible, batch.possible), SEQUENCE, True)
            return self._named(value, size)
        if not left.index and right.role in (sizes.BLOCK, '') and left.role == sizes.LENGTH:
            return size._replace(role=sizes.COUNT)
        return size

    def _remainder(self, value: Value) -> Size:
        return self._rest(value, *map(self.of, value.operands))

    def _rest(self, value: Value, left: Size, right: Size) -> Size:
        """The size of what a division leaves."""
        if not right.tight:
            return left
        role = HEAD if right.role == sizes.HEADS else left.role
        size = Size(min(left.tight, right.tight), min(left.possible, right.possible), role, left.index)
        return self._named(value, size) if role != HEAD and left.role == PROGRAM else size

    def _masked(self, value: Value) -> Size:
        left, right = self.of(value.operands[0]), self.of(value.operands[1])
        known = [size for size in (left, right) if size.exact]
        if known:
            other = right if known[0] is left else left
            index = left.index or right.index
            return Size(min(left.tight, right.tight), min(left.possible, right.possible), other.role, index)
        return left if left.tight >= right.tight else right

    def _smaller(self, value: Value) -> Size:
        left, right = self.of(value.operands[0]), self.of(value.operands[1])
        index = left.index or right.index
        large = left if left.tight >= right.tight else right
        role = large.role if large.index else (left.role if left.index else right.role)
        return Size(min(left.tight, right.tight), min(left.possible, right.possible), role, index, left.exact and right.exact)

    def _larger(self, value: Value) -> Size:
        left, right = self.of(value.operands[0]), self.of(value.operands[1])
        large = left if left.tight >= right.tight else right
        return large._replace(
            possible=max(left.possible, right.possible),
            index=left.index or right.index,
            exact=left.exact and right.exact,
        )

    def _swizzled(self, value: Value) -> Size:
        found = [self.of(operand) for operand in value.operands]
        largest = max(found, key=lambda size: size.tight, default=NOTHING)
        return largest._replace(index=True)

    def _reduced(self, value: Value) -> Size:
        size = self.of(value.operands[0])
        if value.detail in ('sum', 'cumsum'):
            if size.index and size.role in (LOADED, ROW):
                # what counts add up to is a number of rows
                return self.assumed.of_role(sizes.LENGTH)._replace(role=LOADED, index=True)
            block = self.assumed.of_role(sizes.BLOCK)
            return size._replace(tight=size.tight * block.tight, possible=size.possible * block.possible, exact=False)
        if value.detail.startswith('arg'):
            return self.assumed.of_role(sizes.HIDDEN)._replace(role=LOADED, index=True)
        return size

    def _known_call(self, value: Value) -> Size:
        if not types.is_integer(value.type):
            found = [self.of(operand) for operand in value.operands]
            return max(found, key=lambda size: size.tight, default=NOTHING)
        return self.assumed.of_role(sizes.NUMBER)

    def _nothing(self, value: Value) -> Size:
        return NOTHING


_SIZES: dict[str, Callable[[Bounds, Value], Size]] = {
    'parameter': Bounds._parameter,
    'global': Bounds._global,
    'program_id': Bounds._program_id,
    'num_programs': Bounds._num_programs,
    'arange': Bounds._arange,
    'load': Bounds._load,
    'counter': Bounds._counter,
    'ends': Bounds._larger,
    'phi': Bounds._phi,
    'add': Bounds._sum,
    'sub': Bounds._difference,
    'or': Bounds._sum,
    'xor': Bounds._sum,
    'mul': Bounds._product,
    'shl': Bounds._shifted,
    'shr': Bounds._shifted_down,
    'floordiv': Bounds._quotient,
    'cdiv': Bounds._quotient,
    'div': Bounds._quotient,
    'mod': Bounds._remainder,
    'and': Bounds._masked,
    'min': Bounds._smaller,
    'max': Bounds._larger,
    'where': Bounds._larger,
    'swizzle': Bounds._swizzled,
    'reduce': Bounds._reduced,
    'call': Bounds._known_call,
    'tuple': Bounds._nothing,
    'dtype': Bounds._nothing,
    'unknown': Bounds._nothing,
}


def _extents(model: 'Model') -> frozenset[str]:
    """The constants that are the length of a `tl.arange`."""
    found = set()
    for value in model.aranges:
        end = value.operands[1]
        if type(end) is Value and end.op == 'parameter':
            found.add(end.name)
    return frozenset(found)
