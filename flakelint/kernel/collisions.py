# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Lanes of a program that get in each other's way: updates through indices that several lanes share, and loads of what other threads store."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.graph import Cases, Guard, Value, cases_of, compatible, each_value, is_none, reachable
from flakelint.kernel.origins import bases_of
from flakelint.kernel.polynomials import ONE, Atom, Polynomial, added
from flakelint.kernel.races import waits
from flakelint.project.imports import dotted

if TYPE_CHECKING:
    from flakelint.kernel.frames import Access
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.model import Model
    from flakelint.kernel.tiles import TiledAccess, Tiles

_THROUGH = frozenset({'assign', 'cast', 'view'})
# by these a new value is put together with an old one
_COMBINED = frozenset({'add', 'sub', 'max', 'min', 'or', 'xor', 'and'})
# of these many numbers give one
_MERGES = frozenset({'and', 'floordiv', 'shr'})
# a mask that asks whether indices are equal may leave one of those that are
_EQUAL = frozenset({'eq', 'ne'})
_LANGUAGE = ('triton.', 'tl.')
# what a function is called by which the threads of a program wait for each other
_BARRIERS = ('barrier', 'sync', 'fence', 'asm')
_BUILTINS = frozenset({'abs', 'float', 'int', 'len', 'max', 'min', 'print', 'range'})
_MAX_DEPTH = 8


class Lost(NamedTuple):
    """An update through indices of which several may be the same.

    Args:
        access (Access):
            The store.
        merge (Value):
            What makes one index of several loaded values.
    """

    access: 'Access'
    merge: Value


class Early(NamedTuple):
    """A load of what other threads of the program store.

    Args:
        load (Access):
            The load.
        store (Access):
            The store before it.
    """

    load: 'Access'
    store: 'Access'


def lost(model: 'Model') -> Iterator[Lost]:
    """The updates, by a load and a store, through a vector of indices that loaded values share."""
    if waits(model):
        return
    for access in model.accesses:
        if access.kind != 'store' or access.stored is None or _tells_apart(access):
            continue
        for condition, pointer in cases_of(access.address):
            merge = _merge(pointer) if len(bases_of([pointer])) == 1 else None
            if merge is not None and any(
                _is_alike(one, pointer) for load in _combined(access.stored, access.guard | condition)
                for one in each_value(load.operands[:1])
            ):
                yield Lost(access, merge)
                break


def _merge(pointer: Value) -> Value | None:
    """What brings loaded values, one for each lane, together to fewer indices of an address."""
    for value in reachable([pointer], lambda one: one.operands if one.op != 'load' else ()):
        is_cast = value.op == 'cast' and types.is_integer(value.type) and any(
            case.type == types.FLOAT for case in each_value(value.operands)
        )
        if (is_cast or value.op in _MERGES) and any(map(_is_vector, reachable(value.operands[:1], _inside))):
            return value
    return None


def _inside(value: Value) -> tuple[Value | Cases, ...]:
    """What a value is made of lane by lane."""
    return () if value.op in ('load', 'reduce', 'where') else value.operands


def _is_vector(value: Value) -> bool:
    """Whether each lane loads a value of its own."""
    return value.op == 'load' and bool(value.shape) and any(one.op == 'arange' for one in reachable(value.operands))


def _tells_apart(access: 'Access') -> bool:
    """Whether a mask or a condition on the way may leave one of equal indices."""
    asked = [*access.path, *([access.mask] if access.mask is not None and not is_none(access.mask) else [])]
    return any(value.op in _EQUAL for value in reachable(asked, lambda one: one.operands if one.op != 'load' else ()))


def _combined(stored: Value | Cases, guard: Guard) -> Iterator[Value]:
    """The loads to which a stored value adds something."""
    stack = [(case, False) for condition, case in cases_of(stored) if compatible(condition, guard)]
    while stack:
        value, is_part = stack.pop()
        if value.op in _THROUGH or value.op in _COMBINED:
            stack.extend((case, is_part or value.op in _COMBINED) for case in each_value(value.operands))
        elif value.op == 'load' and is_part and getattr(getattr(value.node, 'func', None), 'attr', '') == 'load':
            yield value


def _is_alike(one: Value, other: Value) -> bool:
    """Whether two addresses are made of the same."""
    if one is other:
        return True
    if one.op != other.op or one.op not in ('add', 'sub', 'mul') or len(one.operands) != len(other.operands):
        return one.op == 'constant' == other.op and one.literal is not None and one.literal == other.literal
    return all(
        type(first) is Value and type(second) is Value and _is_alike(first, second)
        for first, second in zip(one.operands, other.operands, strict=True)
    )


def early(tiles: 'Tiles') -> Iterator[Early]:
    """The loads of what other threads of the program stored, with no barrier between."""
    stores = [one for one in tiles.in_order if one.access.kind == 'store' and one.pointer]
    for load in tiles.in_order if stores else ():
        if load.access.kind != 'load' or not load.pointer:
            continue
        for store in stores:
            may_race = _follows(load, store) and _crosses(tiles, store, load)
            if may_race and not _waits_between(tiles, store.access, load.access):
                yield Early(load.access, store.access)
                break


def _follows(load: 'TiledAccess', store: 'TiledAccess') -> bool:
    """Whether a load of the same tensor surely comes behind a store."""
    one, other = load.access, store.access
    return (
        load.pointer == store.pointer and one.frame is other.frame and one.node.lineno > (other.node.end_lineno or 0)
        and compatible(load.guard, store.guard) and one.path[:len(other.path)] == other.path
    )


def _crosses(tiles: 'Tiles', store: 'TiledAccess', load: 'TiledAccess') -> bool:
    """Whether lanes of a load read what others store: in the same tile, shifted by less than its length, mirrored or paired."""
    aranges = [monomial for monomial in store.address if any(atom.kind == 'arange' for atom in monomial)]
    if len(aranges) != 1 or len(aranges[0]) != 1 or store.address[aranges[0]] != 1:
        return False
    tile = aranges[0][0]
    length, apart = tiles.extent(tile), added(load.address, store.address, -1)
    if not apart or not length:
        return False
    if apart.keys() == {ONE}:
        # of a length that is not written out no more is known than that it is more than 1
        return abs(apart[ONE]) < (length[ONE] if length.keys() == {ONE} else 2)
    mirrored = added(added(length, {ONE: 1}, -1), {(tile,): 2}, -1)
    return apart == mirrored or _is_paired(apart, tile)


def _is_paired(apart: Polynomial, tile: Atom) -> bool:
    """Whether lanes take each other's places, as those of `o ^ 1` do."""
    others = [monomial[0] for monomial, number in apart.items() if number == 1 and len(monomial) == 1]
    return len(apart) == 2 and apart.get((tile,)) == -1 and any(
        atom.kind == 'other' and atom.key[0] == 'xor' and frozenset({((tile,), 1)}) in atom.key for atom in others
    )


def _waits_between(tiles: 'Tiles', store: 'Access', load: 'Access') -> bool:
    """Whether the threads of a program may wait for each other between two accesses of a function."""
    kernel = store.frame.kernel
    return any(
        _may_wait(tiles, kernel, call) for call in kernel.calls
        if store.node.lineno < call.lineno <= load.node.lineno
    )


def _may_wait(tiles: 'Tiles', kernel: 'Kernel', call: ast.Call, depth: int = 0) -> bool:
    """Whether the threads of a program may wait for each other in a call: by its name, in a helper, or in what is not understood."""
    spelled = dotted(call.func) or ''
    name = kernel.bindings.resolve(spelled)
    if any(word in name for word in _BARRIERS):
        return True
    if name.startswith(_LANGUAGE) or spelled in _BUILTINS or not spelled:
        return False
    helper = tiles.model.facts.helper(kernel, call.func, name)
    if helper is None:
        # methods of values, such as `.to`, are no calls of that kind
        return spelled != name or '.' not in spelled
    return depth >= _MAX_DEPTH or any(_may_wait(tiles, helper, inner, depth + 1) for inner in helper.calls)
