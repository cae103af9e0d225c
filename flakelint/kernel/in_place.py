# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Tensors that a kernel changes by what they held before, so that to run it twice is not to run it once."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.graph import Cases, Guard, Value, cases_of, compatible
from flakelint.kernel.launches import FLAG, NONE, NUMBER, STRING, TENSOR
from flakelint.kernel.origins import base_of
from flakelint.kernel.updates import operation

if TYPE_CHECKING:
    from flakelint.kernel.frames import Access
    from flakelint.kernel.launches import Launch
    from flakelint.kernel.polynomials import Polynomial
    from flakelint.kernel.tiles import Tiles
    from flakelint.kernel.tuning import Tuned

# atomic operations that change more each time; the largest of values stays the largest
_ADDS = frozenset({'atomic_add', 'atomic_xor'})
# what chooses among values, or bounds them, changes nothing when it is done again
_CHOOSES = frozenset({'where', 'phi', 'cast', 'assign', 'view', 'trans', 'tuple', 'max', 'min'})
_COMPARED = re.compile(r'(?P<name>\w+)(?P<sign>==|<=|<)(?P<number>-?\d+)|(?P<first>-?\d+)(?P<turned>==|<=|<)(?P<second>\w+)')
_HOLDS = {'==': lambda one, other: one == other, '<': lambda one, other: one < other, '<=': lambda one, other: one <= other}


class Updated(NamedTuple):
    """A tensor that a kernel updates.

    Args:
        name (str):
            The parameter.
        access (Access):
            What writes it.
        load (Value | None):
            What reads it; `None` for an atomic operation.
        guard (Guard):
            The compile-time conditions under which that happens.
    """

    name: str
    access: 'Access'
    load: Value | None
    guard: Guard


def updated(tiles: 'Tiles') -> Iterator[Updated]:
    """The parameters that a kernel updates, each in every way that is found."""
    model = tiles.model
    for place, access in enumerate(model.accesses):
        for condition, pointer in cases_of(access.address):
            guard = access.guard | condition
            name = _tensor(pointer)
            if name not in model.parameters or not compatible(access.guard, condition):
                continue
            if access.kind == 'atomic' and operation(access) in _ADDS:
                if not _is_set_before(tiles, place, name, access, guard):
                    yield Updated(name, access, None, guard)
            elif access.kind == 'store' and access.stored is not None:
                for load, inner in _changed(access.stored, name, guard):
                    read = next((one for one in model.accesses if one.node is load.node and one.frame is load.frame), None)
                    if read is None or not _is_same_place(tiles, load.operands[0], pointer):
                        continue
                    if not _is_set_before(tiles, min(place, model.accesses.index(read)), name, read, inner):
                        yield Updated(name, access, load, inner)


def may_hold(guard: Guard, launches: 'Sequence[Launch]', tuned: 'Tuned') -> bool:
    """Whether compile-time conditions may hold in what some launch asks for, with what configurations try."""
    tried = {text: truth for text, truth in guard if not tuned.some.isdisjoint(re.findall(r'\w+', text))}
    if not all(_is_tried(text, truth, tuned.sizes) for text, truth in tried.items()):
        return False
    given = [(text, truth) for text, truth in guard if text not in tried]
    return not launches or any(all(_may_be(launch, text, truth) for text, truth in given) for launch in launches)


def _tensor(address: Value | Cases) -> str:
    """The one tensor that an address leads into; nothing where it is not clear."""
    bases = {(base.name, base.type) for base in base_of(address)}
    name, kind = bases.pop() if len(bases) == 1 else ('', '')
    return name if kind == types.POINTER else ''


def _changed(stored: Value | Cases, name: str, guard: Guard) -> Iterator[tuple[Value, Guard]]:
    """The loads of a tensor from which a stored value is worked out, with the conditions under which it is."""
    stack = [(case, guard | inner, False) for inner, case in cases_of(stored) if compatible(guard, inner)]
    seen = set()
    while stack:
        value, holds, is_changed = stack.pop()
        if (id(value), is_changed) in seen or not compatible(value.guard, holds):
            continue
        seen.add((id(value), is_changed))
        if value.op == 'load':
            if is_changed and value.operands and _tensor(value.operands[0]) == name:
                yield value, holds | value.guard
            continue
        is_changed = is_changed or value.op not in _CHOOSES
        for operand in value.operands:
            stack.extend((case, holds | inner, is_changed) for inner, case in cases_of(operand) if compatible(holds, inner))


def _is_same_place(tiles: 'Tiles', read: Value | Cases, written: Value | Cases) -> bool:
    """Whether two addresses are surely within one tile: but for their lanes they are the same."""
    places = [tiles.polynomials.of(one) for one in (read, written)]
    return read is written or (None not in places and _start(places[0]) == _start(places[1]))


def _start(address: 'Polynomial') -> dict:
    return {monomial: number for monomial, number in address.items() if not any(atom.kind == 'arange' for atom in monomial)}


def _is_set_before(tiles: 'Tiles', place: int, name: str, access: 'Access', guard: Guard) -> bool:
    """Whether the kernel itself has stored to a tensor when it comes to an access."""
    return any(
        one.kind == 'store' and _tensor(one.address) == name and one.guard <= guard
        and one.path == access.path[:len(one.path)] and one.stored is not None
        and not any(True for _ in _changed(one.stored, name, guard))
        for one in tiles.model.accesses[:place]
    )


def _is_tried(text: str, truth: bool, sizes: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether a condition on what configurations set comes out as it should for a value that they try."""
    compared = _COMPARED.fullmatch(text)
    if compared is None:
        return False
    return any(_compare(compared, value) == truth for value in sizes.get(compared['name'] or compared['second'], ()))


def _compare(compared: re.Match, value: float) -> bool:
    if compared['name']:
        return _HOLDS[compared['sign']](value, int(compared['number']))
    return _HOLDS[compared['turned']](int(compared['first']), value)


def _may_be(launch: 'Launch', text: str, truth: bool) -> bool:
    """Whether a condition may come out so where a kernel is launched."""
    name = text.removesuffix(' is None')
    compared = _COMPARED.fullmatch(text)
    passed = launch.parameters.get(compared['name'] or compared['second'] if compared is not None else name)
    if passed is None:
        return True
    if name != text:
        return passed.kind not in ((NONE,) if not truth else (TENSOR, NUMBER, STRING)) or passed.optional
    if passed.kind not in (FLAG, NUMBER, NONE) or (passed.value is None and passed.kind != NONE):
        return True
    if compared is not None:
        return passed.kind == NONE or _compare(compared, passed.value) == truth
    return bool(passed.value) == truth
