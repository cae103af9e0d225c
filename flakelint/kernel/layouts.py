# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the addresses of a kernel show of its strides: which is that of the innermost dimension, and which is no stride at all."""

from typing import TYPE_CHECKING

from flakelint.kernel import sizes, types
from flakelint.kernel.graph import Value, each_value, reachable
from flakelint.kernel.origins import base_of
from flakelint.kernel.relations import is_same
from flakelint.kernel.strides import Layout, Strides, stripped

if TYPE_CHECKING:
    from flakelint.kernel.model import Model

_PROGRAMS = frozenset({'program_id', 'floordiv', 'mod'})
# of the four dimensions that a tensor of heads has, those around a row
_OUTER_DIMENSIONS = 3


def layout_roles(model: 'Model', strides: Strides, limits: dict[int, list[Value]]) -> dict[str, str]:
    """The roles of the strides that the addresses decide, whatever their names.

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
    for pointer, layout in strides.layouts.items():
        own = strides.own(pointer)
        used = {step.stride for step in layout.steps}
        if not own or not used or not used <= set(own):
            continue
        ordered = sorted(used, key=lambda name: (strides.axis(name), own.index(name)))
        if not layout.bare:
            # every index has a stride, so the last one is that of the innermost dimension
            found[ordered.pop()] = sizes.INNER_STRIDE
            if len(own) == len(used) == 2:
                # of two dimensions the other one is that of rows
                found[ordered[-1]] = sizes.TABLE_STRIDE if pointer in tables else sizes.STRIDE
        elif len(used) == 1 and (pointer in tables or _is_of_programs(layout)):
            found[ordered[-1]] = sizes.TABLE_STRIDE
        elif len(own) == 2 and len(used) == 1 and _has_block(layout):
            # of two strides one is left out, so the other leads from row to row
            found[ordered[-1]] = sizes.STRIDE
        if ordered and _is_plane(layout, ordered[-1], limits):
            found[ordered[-1]] = sizes.PLANE_STRIDE
        elif len(own) == len(used) and len(ordered) == _OUTER_DIMENSIONS and strides.is_contiguous(ordered[-1]):
            # behind the rows of a contiguous tensor of four dimensions there is what one head holds
            found[ordered[-1]] = sizes.HEAD_WIDTH
    return found | dict.fromkeys(_steps(model, strides), sizes.WINDOW)


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
    addresses = (access.address for access in model.accesses)
    values = reachable(addresses, lambda value: value.operands if value.op not in ('load', 'call', 'counter') else ())
    loads = (value for value in values if value.op == 'load')
    return {base.name for load in loads for operand in load.operands for base in base_of(operand)}


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
