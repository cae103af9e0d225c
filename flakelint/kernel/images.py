# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether a kernel works on images: those of one launch have fewer numbers than wrap, where there are no frames or slices besides."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.kernel.graph import Value, each_value, reachable
from flakelint.kernel.origins import products
from flakelint.kernel.strides import stripped

if TYPE_CHECKING:
    from flakelint.kernel.model import Model

_SIDE = r'(?:\w+_)?(?:{letter}\d?|{word})(?:_?(?:in|out|i|o|col))?'
_HEIGHT = re.compile(_SIDE.format(letter='h', word='height'), re.IGNORECASE)
_WIDTH = re.compile(_SIDE.format(letter='w', word='width'), re.IGNORECASE)
# a video has frames, and a volume has slices
_MORE = re.compile(_SIDE.format(letter='[dt]', word='(?:depth|frames?|time)'), re.IGNORECASE)
_INDICES = frozenset({'program_id', 'load', 'call', 'counter'})
_PARTS = frozenset({'mul', 'view', 'assign', 'cast'})


def within_images(model: 'Model', roots: list[Value]) -> set[int]:
    """The multiplications of a kernel, by their identity, that lead to the pixels of images.

    Args:
        model (Model):
            The kernel.
        roots (list[Value]):
            Its addresses, and the limits of its masks.
    """
    planes = [product for product in model.products if _is_plane(_names(product))]
    divided = {id(one) for product in planes for one in _divided_by(model, product)}
    if not divided:
        return set()

    def is_told(one: Value) -> bool:
        """Whether a value is the number of an image, or of a pixel in one."""
        divisors = map(stripped, each_value(one.operands[1:] if one.op == 'floordiv' else ()))
        return id(one) in divided or any(divisor is plane for divisor in divisors for plane in planes)

    def is_within(product: Value) -> bool:
        if _is_plane(_names(product)):
            return True
        parts = list(reachable([product], lambda one: () if is_told(one) else one.operands))
        return any(map(is_told, parts)) and not any(one.op in _INDICES for one in parts)

    return {id(product) for product in products(roots) if is_within(product)}


def _names(product: Value) -> list[str]:
    parts = reachable([product], lambda one: one.operands if one.op in _PARTS else ())
    return [one.name for one in parts if one.op == 'parameter']


def _is_plane(names: list[str]) -> bool:
    sides = any(map(_HEIGHT.fullmatch, names)) and any(map(_WIDTH.fullmatch, names))
    return sides and not any(map(_MORE.fullmatch, names))


def _divided_by(model: 'Model', plane: Value) -> Iterator[Value]:
    """Where an index is told apart into images and pixels, or into the row and the column of one."""
    widths = {name for name in _names(plane) if _WIDTH.fullmatch(name)}
    for remainder in model.remainders:
        divisors = (stripped(one) for one in each_value(remainder.operands[1:]))
        if any(one is plane or (one.op == 'parameter' and one.name in widths) for one in divisors):
            yield remainder
