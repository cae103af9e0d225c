# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How large what a launch passes is taken to be: sizes and strides by their axis, and what is made of them."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from flakelint.kernel import launches, sizes
from flakelint.kernel.names import role_of_name
from flakelint.kernel.products import product_of_arguments
from flakelint.kernel.sizes import Assumed, Size

if TYPE_CHECKING:
    from flakelint.kernel.launches import Launch, Passed

_NAMED_AXES = frozenset({sizes.LENGTH, sizes.BATCH, sizes.HEADS, sizes.COUNT, sizes.ELEMENTS, sizes.ROUNDS})
_WEIGHT = re.compile(r'(?:^|[._])(?:w|weights?|filters?|code_?books?|centroids?|centers)\d?$', re.IGNORECASE)
_FEATURES = re.compile(
    r'(?:\w+_)?(?:dim|features?|channels?|hidden(?:_size)?|embed\w*|codes|clusters|centroids|centers|codebook_size)',
    re.IGNORECASE,
)
# rows that are worked through a few at a time, since all of them together are too many
_CHUNK, _CHUNK_ROWS = re.compile(r'chunk', re.IGNORECASE), 1 << 13
_ROUNDED = 'next_power_of_2'
# a tile or a chunk has as many rows at least
_FEWEST_ROWS = 16
# no device has more multiprocessors
_PROCESSORS = 1 << 10


class HostSizes:
    """The sizes of what launches pass.

    Args:
        assumed (Assumed):
            The sizes that are assumed.
        parameter (Callable[[str], Size]):
            The size of a parameter of the kernel, for expressions that name one.
    """

    def __init__(self, assumed: Assumed, parameter: Callable[[str], Size]) -> None:
        self._assumed = assumed
        self._parameter = parameter
        # the launch that is looked at: it shows sizes of tensors of which a stride is passed
        self.launch: Launch | None = None

    def of(self, passed: 'Passed') -> Size | None:
        """The size of a number; `None` where nothing is known."""
        size, most = self._of(passed), self.most(passed)
        if size is None and most is not None:
            return Size(most, most, sizes.NUMBER, limited=True)
        return size if size is None else size.below(most)

    def most(self, passed: 'Passed') -> int | None:
        """The limit that the conditions on the way to the launch set to a number."""
        if self.launch is None or not self.launch.limits:
            return None
        one = passed.identity
        return min((most for limited, most in self.launch.limits if limited.identity == one), default=None)

    def _of(self, passed: 'Passed') -> Size | None:
        if passed.kind == launches.NUMBER and isinstance(passed.value, int):
            return Size(abs(passed.value), abs(passed.value), '', exact=True)
        if passed.kind == launches.FLAG:
            return self._assumed.of_role(sizes.FLAG)
        if passed.kind == launches.SIZE:
            return self._size(passed)
        if passed.kind == launches.STRIDE:
            return self._stride(passed)
        if passed.kind == launches.EXPRESSION:
            return self._expression(passed)
        return self._by_name(passed.text)

    def _by_name(self, text: str) -> Size | None:
        name = text.rpartition('.')[2]
        role = role_of_name(name, constant=False) if name.isidentifier() else sizes.NUMBER
        return None if role in (sizes.NUMBER, sizes.WIDTH, sizes.FLAG) else self._assumed.of_role(role)

    def _size(self, passed: 'Passed') -> Size | None:
        if passed.head == 'numel':
            return self._assumed.of_role(sizes.ELEMENTS)
        known = self.of(passed.operands[0]) if passed.operands else None
        # a size of -1 is whatever is left
        if known is not None and known.tight > 1:
            return known
        named = role_of_name(passed.text.rpartition('.')[2], constant=False)
        named = named if passed.text.isidentifier() else ''
        axis, rank = passed.axis, passed.rank
        is_last = axis == -1 or (rank is not None and axis == rank - 1 > 0)
        if axis == 0 and rank == 2 and _CHUNK.search(passed.tensor):
            return Size(_CHUNK_ROWS, self._assumed.of_role(sizes.LENGTH).possible, sizes.LENGTH)
        # the last axis of a matrix is a width, whatever it is called
        if axis is None or (named in _NAMED_AXES and not is_last):
            return self._assumed.of_role(named) if named in _NAMED_AXES else None
        if rank == 1:
            return self._assumed.of_role(sizes.LENGTH)
        if is_last:
            return self._assumed.of_role(sizes.HEAD_WIDTH if rank is not None and rank > 3 else sizes.WIDTH)
        if axis == 0 and rank == 2:
            # the rows of a weight are as many as those of a model are wide, and there may be one for each feature
            is_width = _WEIGHT.search(passed.tensor) is not None or _FEATURES.fullmatch(passed.text) is not None
            return self._assumed.of_role(sizes.WIDTH if is_width else sizes.LENGTH)
        rows, batch = self._assumed.of_role(sizes.LENGTH), self._assumed.of_role(sizes.BATCH)
        if axis == 0 and rank is not None:
            return Size(batch.tight, rows.possible, sizes.BATCH)
        # between the first and the last axis there may be heads, tokens or anything else
        return Size(self._assumed.of_role(sizes.NUMBER).tight, rows.possible, sizes.NUMBER) if rank == 3 else None

    def _stride(self, passed: 'Passed') -> Size | None:
        axis, rank = passed.axis, passed.rank
        if axis is None:
            return None
        dims = passed.dims if passed.contiguous is not False else ()
        if dims and 0 <= axis < len(dims):
            return self._of_dims(dims[axis + 1:], dims, is_sequence=axis == 0 < len(dims) - 2)
        inner = self._sizes_behind(passed)
        known = self._of_dims(inner) if inner else None
        by_axis = self._stride_by_axis(axis, rank)
        if known is None and passed.contiguous and rank is not None and axis == rank - 2:
            # a row is as long as the last axis
            known = self._of(launches.Passed(launches.SIZE, '', passed.tensor, rank - 1, rank))
        if known is None:
            return by_axis
        if passed.contiguous:
            return known
        # most tensors are contiguous, but they need not be
        return known._replace(possible=max(known.possible, by_axis.possible if by_axis is not None else 0))

    def _stride_by_axis(self, axis: int, rank: int | None) -> Size | None:
        if axis == -1 or (rank is not None and axis == rank - 1):
            return self._assumed.of_role(sizes.INNER_STRIDE)
        if axis == -2 or (rank is not None and axis == rank - 2):
            return self._assumed.of_role(sizes.STRIDE)
        if axis > 0 and (rank is None or rank < 4):
            return self._assumed.of_role(sizes.STRIDE)
        if rank is not None and rank > 3 and axis == 0:
            return self._assumed.of_role(sizes.OUTER_STRIDE)
        return None

    def _sizes_behind(self, passed: 'Passed') -> 'tuple[Passed, ...]':
        """The sizes of the axes behind that of a stride, if the launch shows all of them."""
        if passed.rank is None or passed.axis is None or self.launch is None or passed.contiguous is False:
            return ()
        found: dict[int | None, Passed] = {}
        stack = [*self.launch.parameters.values(), *(self.launch.grid or ())]
        while stack:
            one = stack.pop()
            stack.extend(one.operands)
            if one.kind == launches.SIZE and one.tensor == passed.tensor and not one.head:
                found[one.axis] = one
        behind = range(passed.axis + 1, passed.rank)
        return tuple(found[axis] for axis in behind) if all(axis in found for axis in behind) else ()

    def _of_dims(
        self, dims: 'tuple[Passed, ...]', whole: 'tuple[Passed, ...]' = (), is_sequence: bool = False,
    ) -> Size | None:
        if not dims:
            return Size(1, 1, sizes.INNER_STRIDE)
        found = [self._in_plane(self.of(one), one, whole) for one in dims]
        if None in found:
            return None
        if is_sequence and self._is_batch(whole[0]):
            found = [self._in_batch(size) for size in found]
        if any(size.role == sizes.HEADS for size in found) and found[-1].role == sizes.WIDTH and not found[-1].is_certain:
            # what comes behind the heads is what one of them holds
            found[-1] = found[-1]._replace(tight=min(found[-1].tight, self._assumed.of_role(sizes.HEAD_WIDTH).tight))
        tight = possible = 1
        for size in found:
            tight, possible = tight * size.tight, possible * size.possible
        outer = self._assumed.of_role(sizes.OUTER_STRIDE)
        long = any(size.role == sizes.LENGTH for size in found)
        role = sizes.OUTER_STRIDE if long else sizes.STRIDE
        if len(dims) == 1 and [one.identity for one in whole].count(dims[0].identity) == 1:
            # one number for each token
            role = found[0].role if long else role
        return Size(min(tight, outer.tight), min(possible, outer.possible), role)

    def _is_batch(self, dim: 'Passed') -> bool:
        size = self.of(dim)
        return size is not None and size.role == sizes.BATCH and not size.is_certain

    def _in_batch(self, size: Size) -> Size:
        """The size of a dimension of one of many sequences: all of them together have no more rows than the longest may have."""
        if size.role not in (sizes.LENGTH, sizes.COUNT) or size.is_certain:
            return size
        rows = self._assumed.of_role(sizes.LENGTH).tight // self._assumed.of_role(sizes.BATCH).tight
        return size._replace(tight=min(size.tight, rows if size.role == sizes.LENGTH else rows // _FEWEST_ROWS))

    def _in_plane(self, size: Size | None, dim: 'Passed', whole: 'tuple[Passed, ...]') -> Size | None:
        """The size of a dimension; of two that are the same, such as those of scores of all positions with each other, neither is long."""
        if size is None or [one.identity for one in whole].count(dim.identity) < 2:
            return size
        return size._replace(tight=min(size.tight, self._assumed.of_role(sizes.PLANE_STRIDE).tight))

    def _expression(self, passed: 'Passed') -> Size | None:
        head = passed.head
        if head == launches.PARAMETER:
            return self._parameter(passed.text)
        if head == launches.PROCESSORS:
            return Size(_PROCESSORS, _PROCESSORS, sizes.COUNT)
        found = [self.of(one) for one in passed.operands]
        if head == 'min' and any(found):
            found = [size for size in found if size is not None]
        if not found or None in found:
            return self._by_name(passed.text)
        if head in ('either', 'max'):
            return max(found, key=lambda size: size.tight)
        if head == 'min':
            return min(found, key=lambda size: size.tight)
        if head == _ROUNDED:
            return found[0]._replace(tight=2 * found[0].tight, possible=2 * found[0].possible, exact=False)
        if len(found) == 2 and head in _COMBINED:
            return _COMBINED[head](self, *found)
        return None

    def _product(self, left: Size, right: Size) -> Size:
        size = product_of_arguments(self._assumed, left, right)
        return _combined(size, left, right)

    def _sum(self, left: Size, right: Size) -> Size:
        large = left if left.tight >= right.tight else right
        return _combined(Size(left.tight + right.tight, left.possible + right.possible, large.role), left, right)

    def _quotient(self, left: Size, right: Size) -> Size | None:
        if not right.tight or not (right.exact or right.role == sizes.BLOCK):
            # divided by something unknown it may be anything
            return None
        divisor = right.tight if right.exact else _FEWEST_ROWS
        role = sizes.COUNT if divisor > 1 else left.role
        return _combined(Size(max(1, left.tight // divisor), max(1, left.possible // divisor), role), left, right)

    def _remainder(self, left: Size, right: Size) -> Size:
        return right if right.tight < left.tight else left


def _combined(size: Size, left: Size, right: Size) -> Size:
    """The size of what is made of two, as certain as they are."""
    exact = left.exact and right.exact
    return size._replace(exact=exact, limited=left.is_certain and right.is_certain and not exact)


_COMBINED: dict[str, Callable[[HostSizes, Size, Size], Size | None]] = {
    '*': HostSizes._product,
    '+': HostSizes._sum,
    '-': HostSizes._sum,
    '//': HostSizes._quotient,
    'cdiv': HostSizes._quotient,
    '%': HostSizes._remainder,
}
