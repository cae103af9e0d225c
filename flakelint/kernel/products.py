# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How large products are: their factors depend on each other, and so do not all reach their largest at once."""

from flakelint.kernel import sizes
from flakelint.kernel.sizes import GRID, ITERATION, LOADED, OFFSET, PROGRAM, ROW, SEQUENCE, Assumed, Size


def multiplied(assumed: Assumed, left: Size, right: Size) -> Size:
    """The size of a product in a kernel."""
    if sizes.ELEMENTS in (left.role, right.role) and (left.index or right.index):
        # what a row is multiplied with is the length of one
        width = assumed.of_role(sizes.WIDTH)
        left, right = (width if one.role == sizes.ELEMENTS and not one.exact else one for one in (left, right))
    tight, possible = min(left.tight * right.tight, sizes.LARGEST), min(left.possible * right.possible, sizes.LARGEST)
    index = left.index or right.index
    role, cap = _cap(assumed, left, right)
    if cap is not None:
        tight, possible = min(tight, cap.tight), min(possible, cap.possible)
    exact = left.exact and right.exact
    return Size(tight, possible, role, index, exact, left.is_certain and right.is_certain and not exact)


def _cap(assumed: Assumed, left: Size, right: Size) -> tuple[str, Size | None]:
    """What a product is, and what it cannot exceed since its factors depend on each other."""
    rows, flat = assumed.of_role(sizes.LENGTH), assumed.of_role(sizes.FLAT_ROWS)
    for index, factor in ((left, right), (right, left)):
        if not index.index or factor.index:
            continue
        if factor.role == sizes.BLOCK and index.role not in (ROW, OFFSET):
            return ROW, rows
        if factor.role == sizes.LENGTH and index.role not in (ROW, OFFSET):
            cap = rows if index.role == SEQUENCE else flat
            return ROW, cap._replace(possible=sizes.LARGEST) if index.role == ITERATION else cap
        if factor.role == sizes.TABLE_STRIDE:
            batch = assumed.of_role(sizes.BATCH)
            return OFFSET, Size(batch.tight * factor.tight, sizes.LARGEST, OFFSET)
        if factor.role == sizes.PLANE_STRIDE:
            return OFFSET, Size(factor.tight * factor.tight, sizes.LARGEST, OFFSET)
        if factor.role == GRID and index.role == PROGRAM:
            return PROGRAM, rows
        if factor.role == sizes.PROGRAMS:
            # few programs walk over many rows, however many axes they are spread over
            most = assumed.of_role(sizes.PROGRAMS).possible
            return PROGRAM, Size(most, sizes.LARGEST, PROGRAM)
        if factor.role == sizes.HEADS and index.role in (ROW, SEQUENCE, LOADED, PROGRAM):
            return ROW if index.role in (ROW, LOADED) else index.role, flat
        return (index.role if factor.exact and factor.tight < 16 else OFFSET), None
    if not left.index and not right.index:
        capped = product_of_arguments(assumed, left, right)
        # few launches are so large in all of their sizes, but some may be
        return capped.role, capped._replace(possible=sizes.LARGEST)
    return OFFSET, None


def product_of_arguments(assumed: Assumed, left: Size, right: Size) -> Size:
    """The size of a product in which no index is, capped where its factors depend on each other: batch times length is all rows."""
    tight, possible = min(left.tight * right.tight, sizes.LARGEST), min(left.possible * right.possible, sizes.LARGEST)
    role, cap = _cap_of_arguments(assumed, left, right)
    if cap is not None:
        tight, possible = min(tight, cap.tight), min(possible, cap.possible)
    return Size(tight, possible, role)


def _cap_of_arguments(assumed: Assumed, left: Size, right: Size) -> tuple[str, Size | None]:
    rows, flat = assumed.of_role(sizes.LENGTH), assumed.of_role(sizes.FLAT_ROWS)
    pair = {left.role, right.role}
    if sizes.LENGTH in pair and pair & {sizes.BATCH, sizes.COUNT, sizes.BLOCK}:
        return sizes.LENGTH, rows
    if pair == {sizes.COUNT, sizes.BLOCK}:
        return sizes.LENGTH, rows
    if pair <= {sizes.COUNT, sizes.BATCH} and sizes.COUNT in pair:
        return sizes.COUNT, rows
    if sizes.HEADS in pair and sizes.LENGTH in pair:
        return sizes.LENGTH, flat
    if pair <= {sizes.BATCH, sizes.HEADS}:
        return sizes.BATCH, None
    if sizes.LANE in pair:
        return sizes.LANE, Size(1 << 30, 1 << 30, sizes.LANE)
    if left.exact or right.exact:
        return (right if left.exact else left).role, None
    return sizes.WIDTH if pair & {sizes.WIDTH, sizes.HIDDEN, sizes.HEAD_WIDTH, sizes.CONSTANT} else '', None
