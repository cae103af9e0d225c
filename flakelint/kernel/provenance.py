# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Where the values of a kernel come from: the public face of the model.

A rule asks `analyse` for what is known about a kernel, and sees nothing of how that was found.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel.interpreter import Interpreter
from flakelint.source.unit import TooDeepError

if TYPE_CHECKING:
    import libcst as cst

    from flakelint.kernel.kernels import Kernel

SAFE = 'safe'
UNSURE = 'unsure'
USELESS = 'useless'
FORBIDDEN = 'forbidden'


class NarrowProduct(NamedTuple):
    """A 32-bit multiplication of a program id, or of what derives from it, that is part of an address.

    Args:
        node (cst.CSTNode):
            The multiplication.
        kernel (Kernel):
            The function in which it stands: the kernel itself, or a helper that it calls.
        limits (frozenset[str]):
            The compile-time constants below which the index is kept, if the other factor is a compile-time constant too.
        assumed (bool):
            Whether it is 32-bit only where a value loaded from memory is.
        conditions (frozenset[tuple[str, bool]]):
            The compile-time conditions under which it is 32-bit, and what they are then; none where it always is.
    """

    node: 'cst.CSTNode'
    kernel: 'Kernel'
    limits: frozenset[str]
    assumed: bool
    conditions: frozenset[tuple[str, bool]]


class NarrowId(NamedTuple):
    """A program id that reaches an address through 32-bit multiplications.

    Args:
        node (cst.Call):
            The call of `tl.program_id`.
        name (str):
            The name to which it is assigned; empty if it is none.
        products (tuple[NarrowProduct, ...]):
            The multiplications, in the order in which they are done.
        widening (str):
            What a cast to 64 bits at the call would do:
            `SAFE` where it widens all products and nothing needs 32 bits,
            `UNSURE` where the value also goes into functions that are not followed,
            `USELESS` where a later cast undoes it,
            `FORBIDDEN` where the kernel would no longer compile, or compute something else.
    """

    node: 'cst.Call'
    name: str
    products: tuple[NarrowProduct, ...]
    widening: str


class KernelValues:
    """What is known about the values of a kernel.

    Args:
        narrow_ids (tuple[NarrowId, ...]):
            The program ids in its own body that reach an address without having been cast to 64 bits.
    """

    def __init__(self, narrow_ids: tuple[NarrowId, ...]) -> None:
        self.narrow_ids = narrow_ids


def analyse(kernel: 'Kernel', module: 'Sequence[Kernel]' = ()) -> KernelValues:
    """Find out what the values of a kernel are.

    Args:
        kernel (Kernel):
            The kernel.
        module (Sequence[Kernel], Optional):
            All functions of its module that Triton compiles, so that calls of them can be followed. Default: none.

    Raises:
        TooDeepError: an expression is nested too deeply to be followed.
    """
    helpers = {one.name: one for one in module if one is not kernel}
    try:
        facts = Interpreter(kernel, helpers).run()
    except RecursionError:
        raise TooDeepError('an expression is nested too deeply') from None
    found: dict = {origin: {} for origin in facts.names if origin.kernel is kernel}
    for product in filter(facts.reached.__contains__, facts.products):
        for index in product.indices:
            if index.origin in found:
                limits = frozenset(facts.bounds.get(index.tile, ())) if product.fixed else frozenset()
                narrow = NarrowProduct(product.node, product.kernel, limits, product.assumed, product.guard)
                products = found[index.origin]
                products[narrow] = index.origin in product.lifts and products.get(narrow, True)
    narrow_ids = []
    for origin, products in found.items():
        if not products:
            continue
        if origin in facts.forbidden:
            widening = FORBIDDEN
        elif not all(products.values()):
            widening = USELESS
        else:
            widening = UNSURE if origin in facts.escaped else SAFE
        narrow_ids.append(NarrowId(origin.node, facts.names[origin], tuple(products), widening))
    return KernelValues(tuple(narrow_ids))
