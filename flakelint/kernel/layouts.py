# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the addresses of a kernel show of its strides: which is that of the innermost dimension, and which is no stride at all."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import sizes, types
from flakelint.kernel.graph import Value, each_value, reachable
from flakelint.kernel.names import is_head_name, is_partial, role_of_name
from flakelint.kernel.origins import tables_in
from flakelint.kernel.relations import is_same
from flakelint.kernel.strides import Layout, Strides, stripped

if TYPE_CHECKING:
    from flakelint.kernel.model import Model

# what holds indices, and the table of a rotary embedding, by their names
_TABLE = re.compile(
    r'(?:(?:block|page|req\w*)_?tables?|req\w*_to_tok\w*|slots?|slot_mappings?|\w*(?:_|^)ids|ind(?:ex|ices)|idxs?)'
    r'(?:_?ptrs?|_pointer)?$',
    re.IGNORECASE,
)
_ROTARY = re.compile(r'(?:^|_)(?:cos|sin|freqs?)(?:_|\d|$)|cos_?sin', re.IGNORECASE)
_ATTENTION = re.compile(r'(?:^|_)(?:f?mha|attn|attention|flash)(?:_|$)', re.IGNORECASE)
_PROGRAMS = frozenset({'program_id', 'floordiv', 'mod'})
# of the four dimensions that a tensor of heads has, those around a row
_OUTER_DIMENSIONS = 3


class Layouts(NamedTuple):
    """What the addresses of a kernel show of its strides.

    Args:
        roles (dict[str, str]):
            The roles of those that they decide, whatever their names.
        rows (dict[str, list[Value]]):
            For those that lead from one row to the next, what is added to the beginning of a row.
        inside (set[int]):
            The multiplications, by their identity, of a loaded index, or of a row in attention, that counts within what a 64-bit one leads to.
    """

    roles: dict[str, str]
    rows: dict[str, list[Value]]
    inside: set[int]


def layouts_of(model: 'Model', strides: Strides, limits: dict[int, list[Value]]) -> Layouts:
    """What the addresses of a kernel show of its strides.

    Args:
        model (Model):
            The kernel.
        strides (Strides):
            Its strides.
        limits (dict[int, list[Value]]):
            What keeps its values small, by their identity.
    """
    tables = _tables(model)
    found: dict[str, str] = {}
    rows: dict[str, list[Value]] = {}
    inside: set[int] = set()
    counts = Counter(name for layout in strides.layouts.values() for name in {step.stride for step in layout.steps})
    shared = {name for name, count in counts.items() if count > 1}
    is_attention = _ATTENTION.search(model.kernel.name) is not None
    for pointer, layout in strides.layouts.items():
        own = strides.own(pointer)
        used = {step.stride for step in layout.steps}
        if pointer in tables and len(used) == 1 and not (own or layout.bare or layout.products):
            # a list of indices, which lie one behind the other
            found.update(dict.fromkeys(used - shared, sizes.INNER_STRIDE))
        if not own or not used or not used <= set(own):
            continue
        ordered = sorted(used, key=lambda name: (strides.axis(name), own.index(name)))
        terms = [bare.index for bare in layout.bare] + layout.products
        if not layout.bare:
            # every index has a stride, so the last one is that of the innermost dimension
            innermost = ordered.pop()
            found[innermost] = sizes.INNER_STRIDE
            terms = [step.index for step in layout.steps if step.stride == innermost]
        if not ordered:
            continue
        table = pointer in tables or _TABLE.search(pointer) is not None
        role = _row_role(layout, ordered, own, table)
        if _ROTARY.search(pointer) or (table and len(ordered) > 1):
            found.update(dict.fromkeys(ordered, sizes.TABLE_STRIDE))
        elif _is_plane(layout, ordered[-1], limits):
            found[ordered[-1]] = sizes.PLANE_STRIDE
        elif len(own) == len(used) and len(ordered) == _OUTER_DIMENSIONS and strides.is_contiguous(ordered[-1]):
            # behind the rows of a contiguous tensor of four dimensions there is what one head holds
            found[ordered[-1]] = sizes.HEAD_WIDTH
        elif role is not None:
            found[ordered[-1]] = role
        is_row = len(ordered) == 1 or strides.is_contiguous(ordered[-1])
        if is_row and not any(one.name in used for one in _within(terms, limits)):
            rows.setdefault(ordered[-1], []).extend(terms)
        inside.update(_inside(layout, ordered, is_attention))
    found.update(dict.fromkeys(_steps(model, strides), sizes.WINDOW))
    found.update(dict.fromkeys(_numbers_of_programs(model), sizes.PROGRAMS))
    for name in strides.names:
        if found.get(name) != sizes.INNER_STRIDE and _ROTARY.search(name):
            found[name] = sizes.TABLE_STRIDE
        elif found.get(name) is None and is_partial(name):
            found[name] = sizes.STRIDE
    return Layouts({**_sizes_of_heads(model), **found}, rows, inside)


def _inside(layout: Layout, outer: list[str], is_attention: bool) -> Iterator[int]:
    wide = [outer.index(step.stride) for step in layout.steps if step.stride in outer and types.bits(step.product.type) == 64]
    for step in layout.steps if wide else ():
        # nobody attends to so many tokens of one sequence
        if (is_attention or step.index.op == 'load') and step.stride in outer and outer.index(step.stride) > min(wide):
            yield id(step.product)


def persistent_programs(model: 'Model') -> frozenset[str]:
    """The names of program ids from which a loop starts whose step is the number of programs."""
    found = set()
    for counter in model.counters:
        start, _, step = (next(each_value([operand])) for operand in counter.operands)
        if start.op == 'program_id' and step.op == 'num_programs':
            found.add(start.name)
    return frozenset(found)


def _numbers_of_programs(model: 'Model') -> Iterator[str]:
    """The arguments that say how many programs there are: a loop goes from a program's own tile by as many tiles as there are programs."""
    for counter in model.counters:
        start, _, step = (stripped(next(each_value([operand]))) for operand in counter.operands)
        if start.op != 'mul' or step.op != 'mul':
            continue
        for index, tile in (start.operands, start.operands[::-1]):
            for number, other in (step.operands, step.operands[::-1]):
                own = [one.op for one in map(stripped, each_value([index]))]
                named = [one for one in map(stripped, each_value([number])) if one.op == 'parameter']
                if own == ['program_id'] and is_same(tile, other):
                    yield from (one.name for one in named)


def _sizes_of_heads(model: 'Model') -> dict[str, str]:
    """The roles of the arguments that divide a program id into sequence and head, and that say how wide a head is."""
    found = {}
    for remainder in model.remainders:
        for divisor in map(stripped, each_value(remainder.operands[1:])):
            if divisor.op == 'parameter' and role_of_name(divisor.name, constant=True) == sizes.HEADS:
                found[divisor.name] = sizes.HEADS
    tiles = {tile.operands[1].name for tile in model.aranges if type(tile.operands[1]) is Value} - {''}
    # a head begins where the one before it ends
    tiles |= {one.name for one in model.kernel.parameters if role_of_name(one.name, one.is_constexpr) == sizes.HIDDEN}
    for product in model.products:
        names = [{one.name for one in each_value([operand])} for operand in product.operands]
        for index, width in (names, names[::-1]):
            if width & tiles and any(map(is_head_name, index - {''})):
                found.update(dict.fromkeys(width & tiles, sizes.HEAD_WIDTH))
    return found


def _row_role(layout: Layout, outer: list[str], own: list[str], table: bool) -> str | None:
    """What the only stride of a tensor that is not its innermost one leads to; `None` where that is not clear."""
    if len(outer) > 1:
        return None
    if not layout.bare:
        return (sizes.TABLE_STRIDE if table else sizes.STRIDE) if len(own) == len(outer) + 1 else None
    if table or _is_of_programs(layout):
        return sizes.TABLE_STRIDE
    # of two strides one is left out, so the other leads from row to row
    return sizes.STRIDE if len(own) == len(outer) + 1 and _has_block(layout) else None


def _within(terms: list[Value], limits: dict[int, list[Value]]) -> Iterator[Value]:
    """What some values are made of, and what keeps them small."""
    yield from reachable(terms, lambda value: (*value.operands, *limits.get(id(value), ())))


def _is_plane(layout: Layout, stride: str, limits: dict[int, list[Value]]) -> bool:
    """Whether a tensor is addressed by two indices below the same limit, one of them with this stride."""
    rows = [step.index for step in layout.steps if step.stride == stride]
    others = [step.index for step in layout.steps if step.stride != stride] + [bare.index for bare in layout.bare]
    return any(
        is_same(one, other)
        for row in rows for one in limits.get(id(row), ())
        for column in others if column is not row for other in limits.get(id(column), ())
    )


def _tables(model: 'Model') -> set[str]:
    """The tensors of which the loaded values are indices into others."""
    return tables_in(access.address for access in model.accesses)


def _has_block(layout: Layout) -> bool:
    return any(bare.index.shape != () for bare in layout.bare)


def _is_of_programs(layout: Layout) -> bool:
    """Whether each program reads one number of a row, at the place that its own number says."""
    return all(bare.index.shape == () and bare.index.op in _PROGRAMS for bare in layout.bare)


def _steps(model: 'Model', strides: Strides) -> list[str]:
    """The arguments that are named like strides but are steps of an index: what they are multiplied with is multiplied by a stride again."""
    found = []
    for product in model.products:
        factors = [stripped(one) for one in each_value(product.operands)]
        if any(one.op == 'parameter' and one.name in strides.names for one in factors):
            found.extend(name for one in factors for name in _multipliers(one) if name in strides.names)
    return found


def _multipliers(value: Value) -> list[str]:
    """The arguments by which the terms of a sum are multiplied."""
    terms = reachable([value], lambda one: stripped(one).operands if stripped(one).op in ('add', 'sub') else ())
    products = [one for one in map(stripped, terms) if one.op == 'mul' and types.is_integer(one.type)]
    factors = [stripped(one) for product in products for one in each_value(product.operands)]
    return [one.name for one in factors if one.op == 'parameter']
