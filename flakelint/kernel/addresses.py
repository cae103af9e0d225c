# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The faults of a kernel's address arithmetic: what wraps in 32 bits, and where the cure is."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.bounds import Bounds
from flakelint.kernel.decoding import is_under
from flakelint.kernel.flat import within_flat
from flakelint.kernel.graph import Guard, Value, each_value, reachable
from flakelint.kernel.images import within_images
from flakelint.kernel.model import Place, place
from flakelint.kernel.origins import Origins, accessed, is_narrowing, limit, products
from flakelint.kernel.siblings import within_siblings
from flakelint.kernel.sizes import Assumed, Size
from flakelint.kernel.support import Support
from flakelint.kernel.weights import within_scales, within_weights
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.kernel.model import Model

NARROW = 'narrow'
NARROWING = 'narrowing'
POSSIBLE = 'possible'

# what a product of arguments may be the factor of
_KEPT = frozenset({'add', 'sub', 'mul', 'view', 'assign'})


_WIDENS = re.compile(r'(?:int_?|^|_)64(?:$|_|bit)|long_ind', re.IGNORECASE)
# what these point to is a block of two dimensions or more
_BLOCKS = (types.BLOCK_POINTER, types.DESCRIPTOR)


def _is_chosen(guard: Guard) -> bool:
    """Whether a flag that is not set would make indices of 64 bits, by its name."""
    return any(not truth and _WIDENS.search(text) for text, truth in guard)


def _rank(address: Value) -> int:
    """How many dimensions the block has that an address leads to."""
    return 2 if address.type in _BLOCKS else len(address.shape or ())


class Product(NamedTuple):
    """A multiplication that wraps.

    Args:
        value (Value):
            The multiplication.
        size (Size):
            How large it becomes.
        tight (bool):
            Whether the tight sizes suffice.
    """

    value: Value
    size: Size
    tight: bool


class Fault(NamedTuple):
    """An index, or a product of arguments, that makes an address wrap.

    Args:
        kind (str):
            `narrow`, `narrowing` for a cast that takes bits away, or `possible` for what needs the larger sizes.
        origin (Value):
            Where a cast to 64 bits would have to stand.
        products (tuple[Product, ...]):
            The multiplications that wrap, in the order of the source; the product itself where no index is in it.
    """

    kind: str
    origin: Value
    products: tuple[Product, ...]


class Addresses:
    """The address arithmetic of a kernel.

    Args:
        model (Model):
            The kernel.
        assumed (Assumed):
            The sizes that are assumed.
    """

    def __init__(self, model: 'Model', assumed: Assumed) -> None:
        self.model = model
        self.bounds = Bounds(model, assumed)
        self.origins = Origins(self.bounds)
        self.support = Support(model, self.bounds)
        # what is added to a pointer counts even where the pointer is handed to a function that is not followed
        roots = [*accessed(model.accesses), *model.addresses]
        self.reached: list[Value] = products(roots)
        # what is taken not to wrap, since it stays within something that is smaller
        self._within = within_weights(model, self.bounds.strides, roots) | self.bounds.inside
        self._scales = within_scales(model, roots)
        self._within |= within_flat(model) | within_images(model, roots) | within_siblings(self.bounds, roots)

    def faults(self) -> list[Fault]:
        """What wraps, one fault for each origin, in the order of the source."""
        found: dict[Place, tuple[Value, dict[Place, Product]]] = {}
        for product in self.reached:
            if product.guard & self.model.declined:
                continue
            most = limit(product)
            size = self.bounds.of(product.operands[0]) if product.op == 'cast' else self.bounds.flat(product)
            if size.possible < most:
                continue
            is_outside = id(product) not in self._within and not is_under(product.guard) and not _is_chosen(product.guard)
            wraps = Product(product, size, self._is_tight(product, size) and is_outside)
            origins = self.origins.of(product) if product.op != 'cast' else {}
            for origin in origins or {self._innermost(product): None}:
                _, wrapping = found.setdefault(place(origin.node, origin.frame), (origin, {}))
                before = wrapping.get(where := place(product.node, product.frame))
                if before is None or (wraps.tight, wraps.size.possible) > (before.tight, before.size.possible):
                    wrapping[where] = wraps
        return [
            Fault(self._kind(origin, wrapping), origin, tuple(wrapping[where] for where in sorted(wrapping)))
            for _, (origin, wrapping) in sorted(found.items(), key=lambda item: item[0])
        ]

    def uses(self, values: Sequence[Value]) -> dict[str, tuple[int, int, int]]:
        """How many loads and how many other accesses some values lead to, and how many dimensions the largest block of these has, those together that are written alike."""
        texts = {id(value): written(value.node) for value in values}
        found = dict.fromkeys(texts.values(), (0, 0, 0))
        for access in self.model.accesses:
            is_load = access.kind == 'load'
            rank = max(map(_rank, each_value([access.address])), default=0)
            for text in {texts[id(part)] for part in reachable([access.address]) if id(part) in texts}:
                reads, others, most = found[text]
                found[text] = (reads + is_load, others + (not is_load), max(most, rank))
        return found

    def _is_tight(self, product: Value, size: Size) -> bool:
        """Whether a product wraps under the tight sizes; with a width that the source tells, by more than the most of them."""
        most = limit(product)
        return size.tight >= (2 * most if product.op == 'mul' and self._has_known_width(product) else most)

    def _has_known_width(self, product: Value) -> bool:
        left, right = (self.bounds.of(operand) for operand in product.operands)
        index, width = (left, right) if left.index else (right, left)
        return index.index and not width.index and width.is_certain

    def _innermost(self, product: Value) -> Value:
        """The product of arguments that wraps first in a larger one."""
        if product.op == 'cast':
            return product
        for value in reachable(product.operands, lambda one: one.operands if one.op in _KEPT else ()):
            if value.op in ('mul', 'shl') and value.type in types.NARROW and self.bounds.flat(value).possible >= limit(value):
                return self._innermost(value)
        return product

    def _kind(self, origin: Value, wrapping: dict[Place, Product]) -> str:
        if is_narrowing(origin):
            return NARROWING
        is_index = all(product.value.node is not origin.node for product in wrapping.values())
        tight = [product.value for product in wrapping.values() if product.tight]
        # scales speak for the numbers beside them, and not for themselves
        is_of_numbers = any(id(product) not in self._scales for product in tight)
        return NARROW if is_index and is_of_numbers and self.support.of(origin, tight) else POSSIBLE
