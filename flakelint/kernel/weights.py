# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which multiplications stay within one weight: a matrix or a filter, not a stack of them, has fewer elements than wrap."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from flakelint.kernel.graph import Value, reachable
from flakelint.kernel.origins import bases_of, products

if TYPE_CHECKING:
    from flakelint.kernel.model import Model
    from flakelint.kernel.strides import Strides

_WEIGHT = re.compile(r'(?:[dq]|d_|grad_|conv_)?(?:w|weight|filter|kernel)\d?(?:_?ptrs?|_pointer)?', re.IGNORECASE)
# kernels whose tensors are a weight and what belongs to it
_OF_WEIGHTS = re.compile(
    r'(?:^|_)weights?_?(?:norm|(?:de)?quant|cast|(?:un)?pack)|(?:quant\w*|pack|cast)_(?:\w+_)?weights?(?:_|$)', re.IGNORECASE)
# what trains a model goes through its weights one by one
_OPTIMIZERS = re.compile(
    r'(?:^|[_/])(?:adamw?|adafactor|adagrad|lamb|lion|muon|newton_?schulz|optim|optimizers?|rmsprop|sgd|shampoo|soap|sophia)'
    r'(?:[_/.]|$)', re.IGNORECASE,
)
_STACKS = re.compile(r'expert|moe|stack', re.IGNORECASE)
_BATCHES = re.compile(r'batch|stride_?b(?:_|$)', re.IGNORECASE)
# what a packed weight is read from, beside itself
_PACKED = re.compile(r'q_?weights?(?:_?ptrs?)?', re.IGNORECASE)
_PARTS = re.compile(
    r'(?:q_?)?(?:weights?|zeros?|zero_?points?|scales?|absmax|code_?book|lut|theta|pairs?)(?:_?ptrs?)?', re.IGNORECASE)
# of the scales of tiles there are far fewer than of the numbers that they belong to
_SCALES = re.compile(r'(?:\w+_)?(?:absmax|norms|scales?|zero_?points?)(?:_?ptrs?|_pointer)?', re.IGNORECASE)
# a stack of matrices, as experts have, comes with three dimensions
_STACKED = 3


def within_weights(model: 'Model', strides: 'Strides', roots: list[Value]) -> set[int]:
    """The multiplications that only lead into a single weight, by their identity.

    Args:
        model (Model):
            The kernel.
        strides (Strides):
            Its strides.
        roots (list[Value]):
            Its addresses, and the limits of its masks.
    """
    if _is_of_weight(model) or _is_unpacked(model):
        return {id(product) for product in products(roots)}
    weights = {name for name in model.parameters if _WEIGHT.fullmatch(name) and _is_single(strides, name)}
    if not weights:
        return set()
    return _leading_into(roots, lambda root: bases_of([root]) <= weights and not _has_loaded_index(root))


def within_scales(model: 'Model', roots: list[Value]) -> set[int]:
    """The multiplications that only lead to the scales of tiles, by their identity."""
    scales = set(filter(_SCALES.fullmatch, model.parameters))
    return _leading_into(roots, lambda root: bases_of([root]) <= scales) if scales else set()


def _leading_into(roots: list[Value], is_inside: Callable[[Value], bool]) -> set[int]:
    """The multiplications that only lead to some addresses, by their identity."""
    inside, outside = [], []
    for root in roots:
        (inside if bases_of([root]) and is_inside(root) else outside).append(root)
    elsewhere = {id(product) for product in products(outside)}
    return {id(product) for product in products(inside)} - elsewhere


def _is_of_weight(model: 'Model') -> bool:
    """Whether the name of a kernel says that it is for one weight, and nothing in it that there are several."""
    kernel = model.kernel
    names = {kernel.name, *model.parameters, *kernel.assigned}
    if any(map(_STACKS.search, names)):
        return False
    trains = any(map(_OPTIMIZERS.search, (kernel.name, kernel.path))) and not any(map(_BATCHES.search, names))
    return trains or _OF_WEIGHTS.search(kernel.name) is not None


def _is_unpacked(model: 'Model') -> bool:
    """Whether a kernel reads a packed weight and what belongs to it only: what it writes is that weight."""
    read = bases_of(access.address for access in model.accesses if access.kind == 'load')
    return any(map(_PACKED.fullmatch, read)) and all(map(_PARTS.fullmatch, read))


def _is_single(strides: 'Strides', pointer: str) -> bool:
    layout = strides.layouts.get(pointer)
    if layout is None:
        return True
    return len({step.stride for step in layout.steps}) + bool(layout.bare) != _STACKED


def _has_loaded_index(address: Value) -> bool:
    """Whether an address has an index that was loaded, such as the number of an expert."""
    return any(value.op == 'load' for value in reachable([address], lambda one: one.operands if one.op != 'load' else ()))
