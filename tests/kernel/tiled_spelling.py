# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How the parts of a generated kernel are spelled: offsets, pointers and masks, each in ways that mean the same."""

import ast
from collections.abc import Iterable
from math import prod

from tests.kernel.tiled_plans import LENGTHS, TILES, Access, Pick, Plan

HELPERS = {
    'tile': 'def tile(i, BLOCK: tl.constexpr):\n    return i * BLOCK + tl.arange(0, BLOCK)',
    'inside': 'def inside(o, n):\n    return o < n',
    'split': 'def split(i, n):\n    return i // n, i % n',
    'gate': 'def gate(b):\n    return b * tl.sigmoid(b)',
}


class Spelling:
    """The spelling of a kernel's parts, each chosen where it is asked for.

    Args:
        pick (Pick):
            Chooses.
        found (Plan):
            The kernel.
    """

    def __init__(self, pick: Pick, found: Plan) -> None:
        self.pick = pick
        self.plan = found
        self.lines: list[tuple[str, str]] = []
        self.depth = 1
        self.helpers: dict[str, list[tuple[str, str]]] = {}
        self.programs: dict[int, int] = {}
        self.flags: dict[str, None] = {}
        self.strides: dict[str, str] = {}
        # whether a stride is an argument
        self.stepped: dict[str, bool] = {}
        # what the offsets of axes are called, where they have a name and, in two dimensions, whether they have both
        prefix = pick('o_{}', 'offs_{}', 'cols_{}')
        self.offset = {letter: prefix.format(letter) for letter in found.axes}
        tile = found.tile if found.form == 'elementwise' and len(found.tile) == 2 else ''
        self.wide = ''.join(letter for letter in tile if pick(False, False, True))
        self.pid: dict[str, str] = {}
        self.steps = pick(True, False)
        # what a round of the loop begins at, and the offsets in it
        self.start = 'k' if self.steps else f'k * {found.axes["k"].block}' if 'k' in found.axes else ''

    def write(self, text: str, code: str = '') -> None:
        """Write a statement, with the code of the finding that its first line has to have."""
        indent = '    ' * self.depth
        self.lines.append(('\n'.join(indent + line for line in text.split('\n')), code))

    def helper(self, name: str) -> str:
        """The name of a helper that is called."""
        self.helpers.setdefault(name, [])
        return name

    def write_programs(self) -> None:
        """The program ids."""
        tiled, scalars = self.plan.letters('program'), self.plan.letters('scalar')
        counts = [-(-LENGTHS[letter] // TILES['program']) for letter in tiled]
        if len(tiled) == 2 and self.pick(True, False):
            self.write_flat(*tiled)
            self.programs[0] = counts[0] * counts[1]
        else:
            for number, (letter, count) in enumerate(zip(tiled, counts, strict=True)):
                self.programs[number] = count
                called = self.pick(f'tl.program_id({number})', f'tl.program_id(axis={number})')
                self.pid[letter] = self.pick(called, f'pid_{letter}', f'pid_{letter}')
                if self.pid[letter] != called:
                    self.write(f'{self.pid[letter]} = {called}')
        for letter in scalars:
            number = len(self.programs)
            self.programs[number] = LENGTHS[letter]
            self.write(f'i_{letter} = tl.program_id({number}){self.pick("", ".to(tl.int64)")}')

    def write_flat(self, one: str, other: str) -> None:
        """The program ids of two axes, out of one."""
        axis = self.plan.axes[other]
        self.pid = {one: f'pid_{one}', other: f'pid_{other}'}
        count = self.pick(f'tl.cdiv({axis.size}, {axis.block})', f'({axis.size} + {axis.block} - 1) // {axis.block}')
        self.write(f'n_tiles = {count}')
        pair = f'pid_{one}, pid_{other}'
        style = self.pick('lines', 'tuple', 'helper')
        if style == 'helper':
            self.write(f'{pair} = {self.helper("split")}(tl.program_id(0), n_tiles)')
            return
        self.write('pid = tl.program_id(0)')
        if style == 'tuple':
            self.write(f'{pair} = pid // n_tiles, pid % n_tiles')
        else:
            self.write(f'pid_{one} = pid // n_tiles')
            self.write(f'pid_{other} = pid % n_tiles')

    def write_offsets(self) -> None:
        """The offsets of tiles, named or not."""
        pairs: list[tuple[str, str]] = []
        for letter, axis in self.plan.axes.items():
            if axis.kind == 'scalar':
                continue
            arange = f'tl.arange(0, {axis.block})'
            name = self.offset[letter]
            if axis.kind != 'program':
                pairs.append((name, self.widened(arange, letter)))
                continue
            start = self.pick(f'{self.pid[letter]} * {axis.block}', f'{axis.block} * {self.pid[letter]}')
            if self.pick(False, False, False, True):
                self.write(f's_{letter} = {start}')
                start = f's_{letter}'
            style = self.pick('sum', 'reversed', 'augmented', 'helper', 'hint', 'inline', 'wide cast')
            if style == 'augmented':
                self.write(f'{name} = {self.widened(arange, letter)}')
                self.write(f'{name} += {start}')
                continue
            text = {
                'reversed': f'{arange} + {start}', 'helper': f'tile({self.pid[letter]}, {axis.block})',
                'hint': f'tl.max_contiguous(tl.multiple_of({start} + {arange}, {axis.block}), {axis.block})',
                'wide cast': f'({start}).to(tl.int64) + {arange}',
            }.get(style, f'{start} + {arange}')
            if style == 'helper':
                self.helper('tile')
            if style == 'inline':
                self.offset[letter] = self.widened(f'({text})', letter)
            else:
                pairs.append((name, self.widened(text, letter)))
        if len(pairs) == 2 and self.pick(True, False):
            self.write(f'{pairs[0][0]}, {pairs[1][0]} = {pairs[0][1]}, {pairs[1][1]}')
            return
        for name, text in pairs:
            self.write(f'{name} = {text}')

    def widened(self, text: str, letter: str) -> str:
        """Offsets that have both dimensions from the beginning, where their axis is such a one."""
        return _grouped(text) + self.slot(letter, self.plan.tile) if letter in self.wide else text

    def slot(self, letter: str, tile: str) -> str:
        """What gives a vector of an axis its dimension in a tile."""
        return '' if len(tile) < 2 else '[:, None]' if tile[0] == letter else '[None, :]'

    def write_masks(self, letters: Iterable[str]) -> None:
        """Comparisons that have names."""
        for letter in letters:
            self.write(f'm_{letter} = {self.compared(self.offset[letter], letter)}')

    def compared(self, index: str, letter: str, limit: str = '') -> str:
        """A comparison that keeps an index below its size, or below what is left of it."""
        size = limit or self.plan.axes[letter].size
        style = self.pick('lt', 'lt', 'lt', 'gt', 'gt', 'helper', 'le')
        if style == 'helper':
            return f'{self.helper("inside")}({index}, {size})'
        return {'lt': f'{index} < {size}', 'gt': f'{size} > {index}', 'le': f'{index} <= {size} - 1'}[style]

    def is_wide(self, access: Access) -> bool:
        """Whether an access is spelled with two dimensions."""
        return len(access.tile) == 2 or any(letter in self.wide for letter in access.tile)

    def expanded(self, text: str, letter: str, access: Access) -> str:
        """An index of one axis in the dimensions of an access."""
        if not self.is_wide(access) or letter in self.wide:
            return text
        slot = self.slot(letter, access.tile if len(access.tile) == 2 else self.plan.tile)
        return _grouped(text) + slot

    def index(self, letter: str, access: Access) -> str:
        axis = self.plan.axes[letter]
        if axis.kind == 'scalar':
            return f'i_{letter}'
        name = self.offset[letter]
        if axis.kind == 'loop' and self.plan.moves == 'recomputed' and not access.is_advanced:
            name = 'at_k' if self.steps else self.pick('at_k', f'({self.start} + {name})', f'({name} + {self.start})')
        kept = {'wrapped': f'({name} % {axis.size})', 'clamped': f'tl.minimum({name}, {axis.size} - 1)'}
        return self.expanded(kept.get(access.states[letter], name), letter, access)

    def stride(self, letter: str, access: Access) -> str:
        """What an index is multiplied by; nothing where that is 1."""
        inner = access.memory[access.memory.index(letter) + 1:]
        name = f'stride_{access.tensor}{letter}'
        if name not in self.stepped:
            self.stepped[name] = self.plan.has_strides and (bool(inner) or self.pick(True, False))
        if not self.stepped[name]:
            return ' * '.join(self.plan.axes[one].size for one in inner)
        self.strides[name] = str(prod(LENGTHS[one] for one in inner))
        return name

    def terms(self, access: Access) -> list[str]:
        terms = []
        for letter in access.memory:
            index, stride = self.index(letter, access), self.stride(letter, access)
            terms.append(index if not stride else self.pick(f'{index} * {stride}', f'{stride} * {index}'))
        return terms if self.pick(True, False) else terms[::-1]

    def pointer(self, access: Access) -> str:
        if access.is_advanced:
            return f'p_{access.tensor}'
        terms = self.terms(access)
        style = self.pick('inline', 'inline', 'grouped', 'named', 'offsets', 'augmented')
        if not terms:
            return access.tensor
        if style in ('inline', 'grouped'):
            total = ' + '.join(terms)
            return f'{access.tensor} + {total}' if style == 'inline' else f'{access.tensor} + ({total})'
        if style == 'offsets':
            self.write(f'off_{access.tensor} = {" + ".join(terms)}')
            return f'{access.tensor} + off_{access.tensor}'
        name = f'p_{access.tensor}'
        if style == 'named' or self.is_wide(access):
            self.write(f'{name} = {access.tensor} + {" + ".join(terms)}')
        else:
            self.write(f'{name} = {access.tensor} + {terms[0]}')
            for term in terms[1:]:
                self.write(f'{name} += {term}')
        return name

    def bound(self, letter: str, access: Access, is_behind: bool) -> str:
        """The part of a mask for one axis."""
        axis, name = self.plan.axes[letter], self.offset[letter]
        if axis.kind == 'loop' and is_behind:
            return self.compared(self.expanded(name, letter, access), letter)
        if letter in self.plan.named and self.pick(True, True, True, True, False):
            return self.expanded(f'm_{letter}', letter, access)
        limit = ''
        if axis.kind == 'loop' and self.plan.moves == 'recomputed':
            style = self.pick('at', 'left', 'sum')
            limit = f'{axis.size} - {self.start}' if style == 'left' else ''
            name = {'at': 'at_k', 'left': name, 'sum': f'({self.start} + {name})'}[style]
        if self.pick(True, False):
            return self.compared(self.expanded(name, letter, access), letter, limit)
        return self.expanded(self.compared(name, letter, limit), letter, access)

    def mask(self, access: Access, letters: str, is_behind: bool) -> str:
        """The mask that bounds some axes; nothing where there are none."""
        parts = [self.bound(letter, access, is_behind and letter == 'k') for letter in letters]
        if not parts:
            return ''
        parts = [_grouped(part) for part in parts] if len(parts) > 1 else parts
        parts = parts if self.pick(True, False) else parts[::-1]
        style = self.pick('inline', 'inline', 'named', 'augmented')
        name = f'mask_{access.tensor}'
        if style == 'inline':
            return ' & '.join(parts)
        if style == 'augmented' and len(parts) == 2:
            self.write(f'{name} = {parts[0]}')
            self.write(f'{name} = {name} & {parts[1]}' if self.pick(True, False) else f'{name} &= {parts[1]}')
        else:
            self.write(f'{name} = {" & ".join(parts)}')
        return name

    def loading(self, pointer: str, mask: str, other: str) -> str:
        given = [pointer]
        if mask:
            is_named = self.pick(True, True, False)
            given.append(f'mask={mask}' if is_named else mask)
            if other:
                given.append(f'other={other}' if is_named or self.pick(True, False) else other)
        if self.pick(False, False, False, True):
            return 'tl.load(\n    ' + ',\n    '.join(given) + ',\n)'
        return f'tl.load({", ".join(given)})'


def _grouped(text: str) -> str:
    """An expression in parentheses, unless it holds together without."""
    node = ast.parse(text, mode='eval').body
    return f'({text})' if isinstance(node, ast.BinOp | ast.Compare) and node.col_offset == 0 else text
