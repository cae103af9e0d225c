# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a generated kernel is to do, drawn before it is spelled: its axes, its accesses, what bounds them, and which bound is gone."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

# draws one of the options
Pick = Callable[..., Any]

LENGTHS = {'b': 2, 'r': 3, 'm': 20, 'n': 24, 'k': 40, 'd': 16}
TILES = {'program': 16, 'loop': 16, 'whole': 32, 'exact': 16}
_SIZES = {
    'b': ('B',), 'r': ('R', 'n_rows'), 'm': ('M', 'n_rows', 'T'), 'n': ('N', 'n_cols', 'V'), 'k': ('K', 'n_inner', 'L'),
    'd': ('D',),
}
_BLOCKS = ('B{}', 'BLOCK_{}', 'BLOCK_SIZE_{}')
_OTHERS = {'sum': '0.0', 'max': "-float('inf')", 'min': "float('inf')"}


class Axis(NamedTuple):
    """A dimension of a kernel's tensors.

    Args:
        letter (str):
            Its name in names.
        kind (str):
            `scalar` for one index a program, `program` and `loop` for tiles told by programs and rounds, `whole` and `exact` for one tile.
        size (str):
            The argument that holds its length.
        block (str):
            The length of its tile.
    """

    letter: str
    kind: str
    size: str
    block: str


@dataclass
class Access:
    """A load, a store or an atomic addition.

    Args:
        kind (str):
            `load`, `store` or `atomic`.
        tensor (str):
            The tensor.
        tile (str):
            The letters of its tiled axes, in the order of the block.
        memory (str):
            The letters of all of its axes, the outermost one first.
        place (str):
            `before`, `loop` or `after`.
        other (str, Optional):
            What masked lanes of a load give. Default: none.
        is_remasked (bool, Optional):
            Whether what it loads is masked once more. Default: `False`.
        is_advanced (bool, Optional):
            Whether its pointers move on within the loop. Default: `False`.
    """

    kind: str
    tensor: str
    tile: str
    memory: str
    place: str
    # what keeps each tiled axis inside: `bounded`, `wrapped`, `clamped` or `exact`
    states: dict[str, str] = field(default_factory=dict)
    # the axis that a flag says to have no tail
    flag: str = ''
    # the helper that loads: given a `pointer`, or a base and `offsets`
    through: str = ''
    other: str = ''
    is_remasked: bool = False
    is_advanced: bool = False

    @property
    def bounded(self) -> str:
        """The axes that its mask has to bound."""
        return ''.join(letter for letter in self.tile if self.states[letter] == 'bounded')


class Fault(NamedTuple):
    """A bound that is taken away.

    Args:
        access (int):
            The number of the access.
        lacks (str):
            The axes that its mask leaves out.
        behind (bool):
            Whether its mask has the axis of the loop, but does not move on.
    """

    access: int
    lacks: str
    behind: bool = False


@dataclass
class Plan:
    """A kernel.

    Args:
        form (str):
            `elementwise`, `reduction` or `dot`.
        axes (dict[str, Axis]):
            Its axes by letter, those of the outermost dimensions first.
        tile (str):
            The letters of the block that is worked on.
        accesses (list[Access], Optional):
            What it loads and stores. Default: none.
        reduce (str, Optional):
            How the taken axis is brought together: `sum`, `max`, `min` or `dot`. Default: not at all.
        has_strides (bool, Optional):
            Whether strides are arguments. Default: `False`.
        fault (Fault | None, Optional):
            The bound that it lacks. Default: `None`.
    """

    form: str
    axes: dict[str, Axis]
    tile: str
    accesses: list[Access] = field(default_factory=list)
    reduce: str = ''
    # how loaded values are brought together: one sign for each load but the first
    signs: list[str] = field(default_factory=list)
    has_strides: bool = False
    # the axes whose comparison has a name of its own
    named: str = ''
    # how the loop counts, and how indices move: `recomputed` or `moved`
    moves: str = 'recomputed'
    fault: Fault | None = None
    # the loads that lack `other`
    bare: frozenset[int] = frozenset()

    @property
    def taken(self) -> str:
        """The axis that is reduced or contracted."""
        return 'k' if 'k' in self.axes else 'n'

    def letters(self, *kinds: str) -> str:
        """The axes of some kinds."""
        return ''.join(letter for letter, axis in self.axes.items() if axis.kind in kinds)


def plan(pick: Pick) -> Plan:
    """A kernel in which every access stays inside."""
    form = pick('elementwise', 'elementwise', 'reduction', 'reduction', 'dot')
    found = {'elementwise': _elementwise, 'reduction': _reduction, 'dot': _dot}[form](pick)
    loop = found.letters('loop')
    found.moves = pick('recomputed', 'recomputed', 'moved') if loop else 'recomputed'
    found.named = ''.join(letter for letter in found.letters('program', 'whole', 'loop') if pick(True, False))
    for access in found.accesses:
        _bound(pick, found, access)
    return found


def _axes(pick: Pick, kinds: dict[str, str]) -> dict[str, Axis]:
    upper = pick(*_BLOCKS)
    axes: dict[str, Axis] = {}
    for letter, kind in kinds.items():
        sizes = [name for name in _SIZES[letter] if name not in {axis.size for axis in axes.values()}]
        size = pick(*sizes)
        axes[letter] = Axis(letter, kind, size, size if kind == 'exact' else upper.format(letter.upper()))
    return axes


def _access(pick: Pick, found: Plan, kind: str, tensor: str, letters: str, place: str) -> None:
    """An access of the tile of some axes, with a layout of its own."""
    tile = ''.join(letter for letter in letters if found.axes[letter].kind != 'scalar')
    # what a loop does not change has no scalar axis in a weight or a bias
    scalars = found.letters('scalar') if len(letters) > len(tile) or kind != 'load' else ''
    memory = scalars + (tile[::-1] if pick(False, False, True) else tile)
    found.accesses.append(Access(kind, tensor, tile, memory, place))


def _elementwise(pick: Pick) -> Plan:
    kinds = pick(
        {'m': 'program'}, {'m': 'program', 'n': 'program'}, {'m': 'program', 'n': 'program'}, {'b': 'scalar', 'm': 'program'},
        {'b': 'scalar', 'm': 'program', 'n': 'program'}, {'m': 'program', 'd': 'exact'}, {'m': 'program', 'k': 'loop'},
        {'r': 'scalar', 'k': 'loop'}, {'r': 'scalar', 'n': 'whole'}, {'m': 'program', 'n': 'whole'},
    )
    axes = _axes(pick, kinds)
    tiled = ''.join(letter for letter, axis in axes.items() if axis.kind != 'scalar')
    found = Plan('elementwise', axes, tiled[::-1] if pick(False, False, True) else tiled, has_strides=pick(True, False))
    place = 'loop' if found.letters('loop') else 'before'
    scalars = found.letters('scalar')
    _access(pick, found, 'load', 'x', scalars + found.tile, place)
    for tensor in pick((), ('w',), ('w',), ('w', 'v')):
        letters = pick(scalars + found.tile, *found.tile)
        _access(pick, found, 'load', tensor, letters, place)
        found.signs.append(pick('+', '*', '-'))
    for tensor in pick(('y',), ('y',), ('y', 'z')):
        _access(pick, found, pick('store', 'store', 'atomic'), tensor, scalars + found.tile, place)
    return found


def _reduction(pick: Pick) -> Plan:
    kept, taken = pick('r', 'm', 'm'), pick('k', 'n')
    axes = _axes(pick, {kept: 'scalar' if kept == 'r' else 'program', taken: 'loop' if taken == 'k' else 'whole'})
    tile = taken if kept == 'r' else pick(kept + taken, kept + taken, taken + kept)
    found = Plan('reduction', axes, tile, reduce=pick('sum', 'sum', 'max', 'min'), has_strides=pick(True, False))
    place = 'loop' if taken == 'k' else 'before'
    scalars = found.letters('scalar')
    _access(pick, found, 'load', 'x', scalars + tile, place)
    for tensor in pick((), ('w',), ('w', 'v')):
        _access(pick, found, 'load', tensor, pick(scalars + tile, taken), place)
        found.signs.append(pick('+', '*', '-'))
    if taken == 'n' and pick(True, False):
        _access(pick, found, 'store', 'z', scalars + tile, 'after')
    _access(pick, found, pick('store', 'store', 'atomic'), 'y', scalars + kept, 'after')
    return found


def _dot(pick: Pick) -> Plan:
    scalars = {'b': 'scalar'} if pick(False, False, True) else {}
    axes = _axes(pick, {**scalars, 'm': 'program', 'n': 'program', 'k': 'loop'})
    found = Plan('dot', axes, 'mn', reduce='dot', has_strides=pick(True, False))
    outer = found.letters('scalar')
    _access(pick, found, 'load', 'x', outer + 'mk', 'loop')
    _access(pick, found, 'load', 'w', outer + 'kn', 'loop')
    if pick(True, False):
        _access(pick, found, 'load', 'v', pick('n', 'm', outer + 'mn'), 'after')
        found.signs.append(pick('+', '*'))
    _access(pick, found, pick('store', 'store', 'atomic'), 'y', outer + 'mn', 'after')
    return found


def _bound(pick: Pick, found: Plan, access: Access) -> None:
    """What keeps each axis of an access inside."""
    is_load = access.kind == 'load'
    for letter in access.tile:
        kind = found.axes[letter].kind
        wraps = is_load and kind == 'program' and found.form == 'dot'
        wraps = wraps or (is_load and kind == 'program' and pick(True, False, False, False))
        access.states[letter] = 'exact' if kind == 'exact' else pick('bounded', 'wrapped', 'clamped') if wraps else 'bounded'
    access.is_advanced = access.place == 'loop' and 'k' in access.tile and found.moves == 'recomputed' and pick(True, False)
    if not access.bounded or not is_load:
        return
    access.flag = pick(*[''] * 7, access.bounded[-1])
    is_flat = len(access.tile) == 1
    if access.flag:
        access.through = ''
    else:
        access.through = pick('', '', '', '', 'pointer', 'offsets' if is_flat and not access.is_advanced else '')
    reaches = found.form == 'dot' and access.place == 'loop'
    reaches = reaches or (found.form == 'reduction' and any(found.axes[one].kind in ('loop', 'whole') for one in access.tile))
    if not reaches:
        access.other = pick('', '0.0')
        return
    access.other = _OTHERS.get(found.reduce, '0.0') if '*' not in found.signs else '0.0'
    access.is_remasked = found.form == 'reduction' and not (access.flag or access.through) and pick(False, False, False, True)


def faults(found: Plan) -> list[Fault]:
    """The bounds that can be taken away from one access while another one keeps them, as far as the rules say that they look."""
    taken: list[Fault] = []
    for number, access in enumerate(found.accesses):
        kept = [letter for letter in access.bounded if _keepers(found, number, letter)]
        if kept and (not access.flag or len(access.bounded) == 1):
            taken.append(Fault(number, access.bounded))
        if len(access.bounded) == 2:
            for letter in kept:
                beside = access.bounded.replace(letter, '')
                if any(beside in one.bounded for one in _keepers(found, number, letter)):
                    taken.append(Fault(number, letter))
        if 'k' in kept and found.moves == 'recomputed' and access.place == 'loop' and not access.flag:
            taken.append(Fault(number, 'k', behind=True))
    return taken


def _keepers(found: Plan, number: int, letter: str) -> list[Access]:
    """The other accesses that bound an axis: those that write, and loads whose comparison stands at hand."""
    return [
        one for other, one in enumerate(found.accesses)
        if other != number and letter in one.bounded
        and (one.kind != 'load' or letter in found.named or (other < number and one.through != 'offsets'))
    ]


def stripped(pick: Pick, found: Plan) -> frozenset[int]:
    """Loads that may lose their `other`, such that lanes without a value are taken in; none where the kernel has no such loads."""
    if found.form == 'elementwise':
        return frozenset()
    loads = [number for number, access in enumerate(found.accesses) if access.kind == 'load' and found.taken in access.bounded]
    loads = [number for number in loads if found.accesses[number].place == ('loop' if found.taken == 'k' else 'before')]
    if found.form == 'dot' or '*' in found.signs:
        return frozenset(loads)
    return frozenset({pick(*loads)})
