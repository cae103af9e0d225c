# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Generated kernels of tiled accesses, spelled in varying ways, with the answer that the mask rules have to give."""

from dataclasses import dataclass, replace

from hypothesis import assume
from hypothesis import strategies as st

from tests.kernel.tiled_plans import LENGTHS, TILES, Access, Pick, faults, plan, stripped
from tests.kernel.tiled_spelling import HELPERS, Spelling

NAME = 'tiled_fwd_kernel'
_IMPORTS = ['import triton', 'import triton.language as tl']
_UNARY = ('{}', '{}', '{} * 2.0', 'tl.exp({})', 'gate({})', '{}.to(tl.float32)', 'tl.abs({})', 'tl.where({0} > 0, {0}, 0.0)')


@dataclass(frozen=True)
class Generated:
    """A module with one kernel.

    Args:
        text (str):
            The module.
        expected (frozenset[tuple[str, int]]):
            The findings that it has to have, as code and line; there are no others.
    """

    text: str
    expected: frozenset[tuple[str, int]]


@st.composite
def sound_kernels(draw: st.DrawFn) -> Generated:
    """Kernels in which every access stays inside."""
    pick = _picker(draw)
    return _Writer(pick, plan(pick)).module()


@st.composite
def faulty_kernels(draw: st.DrawFn) -> Generated:
    """Kernels in which one access lacks a bound that another one has."""
    pick = _picker(draw)
    found = plan(pick)
    choices = faults(found)
    assume(choices)
    found.fault = pick(*choices)
    return _Writer(pick, found).module()


@st.composite
def undefined_kernels(draw: st.DrawFn) -> Generated:
    """Kernels with loads whose masked lanes have no value and are taken in."""
    pick = _picker(draw)
    found = plan(pick)
    assume(found.form != 'elementwise')
    found.bare = stripped(pick, found)
    for number, access in enumerate(found.accesses):
        access.is_remasked = False
        # zero hides nothing that is added to it
        access.other = '' if number in found.bare else '0.0'
    return _Writer(pick, found).module()


def _picker(draw: st.DrawFn) -> Pick:
    # drawn apart from each other, or shares of kernels would count what hypothesis varies
    random = draw(st.randoms(use_true_random=True))
    return lambda *options: random.choice(options)


class _Writer(Spelling):
    def module(self) -> Generated:
        """The text, and the lines in it."""
        self._kernel()
        helpers = [lines or [(f'@triton.jit\n{HELPERS[name]}', '')] for name, lines in self.helpers.items()]
        signature = f'{self._run()}\n@triton.jit\ndef {NAME}({", ".join(self._parameters())}):'
        lines = [(line, '') for line in _IMPORTS]
        for block in (*helpers, [(signature, ''), *self.lines]):
            lines += [('', ''), ('', '')]
            for text, code in block:
                first, *others = text.split('\n')
                lines += [(first, code), *((line, '') for line in others)]
        expected = frozenset((code, number) for number, (_, code) in enumerate(lines, 1) if code)
        return Generated(''.join(f'{line}\n' for line, _ in lines), expected)

    def _parameters(self) -> list[str]:
        tensors = dict.fromkeys(access.tensor for access in self.plan.accesses)
        sizes = [axis.size for axis in self.plan.axes.values() if axis.kind != 'exact']
        exact = [axis.size for axis in self.plan.axes.values() if axis.kind == 'exact']
        blocks = [axis.block for axis in self.plan.axes.values() if axis.kind not in ('scalar', 'exact')]
        return [*tensors, *sizes, *self.strides, *(f'{name}: tl.constexpr' for name in (*exact, *blocks, *self.flags))]

    def _run(self) -> str:
        """How to launch the kernel, with sizes that are no multiples of its tiles."""
        axes = self.plan.axes
        grid = [str(count) for _, count in sorted(self.programs.items())] or ['1']
        given = [f'grid=({", ".join(grid)},)']
        for access in {one.tensor: one for one in self.plan.accesses}.values():
            given.append(f'{access.tensor}=f({", ".join(str(LENGTHS[letter]) for letter in access.memory) or "1"})')
        given += [f'{axis.size}={LENGTHS[letter]}' for letter, axis in axes.items()]
        given += [f'{axis.block}={TILES[axis.kind]}' for axis in axes.values() if axis.kind not in ('scalar', 'exact')]
        given += [f'{name}={value}' for name, value in self.strides.items()]
        return f'# run: {NAME}: {", ".join(given + [f"{flag}=False" for flag in self.flags])}'

    def _kernel(self) -> None:
        self.write_programs()
        self.write_offsets()
        self.write_masks(letter for letter in self.plan.named if letter != 'k')
        accesses = self.plan.accesses
        self._step([number for number, access in enumerate(accesses) if access.place == 'before'])
        if 'k' in self.plan.axes:
            self._loop([number for number, access in enumerate(accesses) if access.place == 'loop'])
        self._finish([number for number, access in enumerate(accesses) if access.place == 'after'])

    def _step(self, numbers: list[int]) -> None:
        """The accesses outside of a loop that come first."""
        if not numbers:
            return
        for number in numbers:
            if self.plan.accesses[number].kind == 'load':
                self._load(number)
        self._combine(self._loaded(numbers))
        if self.plan.form == 'elementwise':
            self._stores(numbers)
        else:
            self.write(f'b_s = {self._reduced("b")}')

    def _loaded(self, numbers: list[int]) -> list[int]:
        return [number for number in numbers if self.plan.accesses[number].kind == 'load']

    def _stores(self, numbers: list[int]) -> None:
        for number in numbers:
            if self.plan.accesses[number].kind != 'load':
                self._save(number, 'b')

    def _combine(self, loads: list[int]) -> None:
        """Bring loaded blocks together, with some work on each element."""
        texts = [self._full(number) for number in loads]
        texts = [self._worked(text) for text in texts]
        total = texts[0]
        for sign, text in zip(self.plan.signs, texts[1:], strict=True):
            total = f'({total}) {sign} ({text})'
        self.write(f'b = {total}')

    def _worked(self, text: str) -> str:
        form = self.pick(*_UNARY)
        if form.startswith('gate'):
            self.helper('gate')
        return form.format(text)

    def _full(self, number: int) -> str:
        """A loaded block in the dimensions of the kernel's tile."""
        access = self.plan.accesses[number]
        name = f'b_{access.tensor}'
        if len(self.plan.tile) == 2 and not self.is_wide(access):
            return name + self.slot(access.tile, self.plan.tile)
        return name

    def _reduced(self, name: str) -> str:
        axis = self.plan.tile.index(self.plan.taken)
        how = self.plan.reduce
        return self.pick(f'tl.{how}({name}, {axis})', f'tl.{how}({name}, axis={axis})')

    def _loop(self, numbers: list[int]) -> None:
        axis = self.plan.axes['k']
        advanced = [self.plan.accesses[number] for number in numbers if self.plan.accesses[number].is_advanced]
        for access in advanced:
            self.write(f'p_{access.tensor} = {access.tensor} + {" + ".join(self.terms(access))}')
        self._start()
        size, block = axis.size, axis.block
        bounds = f'0, {size}, {block}' if self.steps else self.pick(
            f'tl.cdiv({size}, {block})', f'0, tl.cdiv({size}, {block})', f'({size} + {block} - 1) // {block}',
            f'0, ({size} + {block} - 1) // {block}',
        )
        self.write(f'for k in {self.pick("range", "range", "tl.range")}({bounds}):')
        self.depth += 1
        if self.plan.moves == 'recomputed':
            name = self.offset['k']
            self.write(f'at_k = {self.pick(f"{self.start} + {name}", f"{name} + {self.start}")}')
        if 'k' in self.plan.named:
            index = 'at_k' if self.plan.moves == 'recomputed' else self.offset['k']
            self.write(f'm_k = {self.compared(index, "k")}')
        for number in self._loaded(numbers):
            self._load(number)
        self._accumulate(numbers)
        for access in advanced:
            stride = self.stride('k', access)
            step = block if not stride else self.pick(f'{block} * {stride}', f'{stride} * {block}')
            self.write(f'p_{access.tensor} {self.pick(f"+= {step}", f"= p_{access.tensor} + {step}")}')
        if self.plan.moves == 'moved':
            self.write(f'{self.offset["k"]} += {block}')
        self.depth -= 1
        if self.plan.form == 'reduction' and self.accumulates == 'block':
            self.write(f'b_s = {self._reduced("acc")}')

    def _start(self) -> None:
        """What a loop accumulates, before it."""
        self.accumulates = self.pick('reduced', 'block')
        if self.plan.form == 'elementwise':
            return
        blocks = [self.plan.axes[letter].block for letter in self.plan.tile]
        first = {'max': "-float('inf')", 'min': "float('inf')"}.get(self.plan.reduce, '0.0')
        if self.plan.form == 'reduction' and self.accumulates == 'reduced':
            blocks = [self.plan.axes[letter].block for letter in self.plan.tile if letter != 'k']
            name = 'b_s'
        else:
            name = 'acc'
        if not blocks:
            self.write(f'{name} = {first}')
        elif first == '0.0' and self.pick(True, False):
            self.write(f'{name} = tl.zeros([{", ".join(blocks)}], dtype=tl.float32)')
        else:
            self.write(f'{name} = tl.full([{", ".join(blocks)}], {first}, dtype=tl.float32)')

    def _accumulate(self, numbers: list[int]) -> None:
        if self.plan.form == 'dot':
            left, right = (self._worked(f'b_{name}') for name in 'xw')
            self.write(self.pick(f'acc += tl.dot({left}, {right})', f'acc = tl.dot({left}, {right}, acc)'))
            return
        self._combine(self._loaded(numbers))
        if self.plan.form == 'elementwise':
            self._stores(numbers)
            return
        name, text = ('b_s', self._reduced('b')) if self.accumulates == 'reduced' else ('acc', 'b')
        if self.plan.reduce == 'sum':
            self.write(f'{name} += {text}')
        else:
            self.write(f'{name} = tl.{self.plan.reduce}imum({name}, {text})')

    def _finish(self, numbers: list[int]) -> None:
        """What comes behind a reduction or a product."""
        for number in self._loaded(numbers):
            self._load(number)
        if self.plan.form == 'dot':
            self.write('b = acc')
            for sign, number in zip(self.plan.signs, self._loaded(numbers), strict=False):
                self.write(f'b {sign}= {self._full(number)}')
        for number in numbers:
            access = self.plan.accesses[number]
            if access.kind == 'load':
                continue
            if self.plan.form == 'dot':
                self._save(number, 'b')
            elif access.tensor == 'z':
                slot = self.slot('m', access.tile) if len(access.tile) == 2 else ''
                self._save(number, f'b - b_s{slot}')
            else:
                self._save(number, 'b_s')

    def _lacking(self, number: int) -> tuple[str, bool]:
        """The axes that a mask leaves out, and whether it stays behind."""
        fault = self.plan.fault
        if fault is None or fault.access != number:
            return '', False
        return ('', True) if fault.behind else (fault.lacks, False)

    def _code(self, number: int, mask: str, vouched: str = '') -> str:
        """The code of the finding that an access has to have, if any; a flag may vouch for some axes."""
        lacks, is_behind = self._lacking(number)
        lacks = ''.join(letter for letter in lacks if letter not in vouched)
        if number in self.plan.bare:
            return 'TRI204' if not vouched or self.plan.taken != self.plan.accesses[number].flag else ''
        return 'TRI203' if is_behind or (lacks and mask) else 'TRI202' if lacks else ''

    def _load(self, number: int) -> None:
        access = self.plan.accesses[number]
        lacks, is_behind = self._lacking(number)
        letters = ''.join(letter for letter in access.bounded if letter not in lacks)
        name = f'b_{access.tensor}'
        if access.flag:
            self._flagged(number, access, letters)
        elif access.through == 'offsets':
            self._through_offsets(number, access, letters)
        else:
            pointer = self.pointer(access)
            mask = self.mask(access, letters, is_behind)
            code = self._code(number, mask)
            if access.through:
                self._through_pointer(access, pointer, mask, code)
            else:
                self.write(f'{name} = {self.loading(pointer, mask, access.other)}', code)
        if access.is_remasked and not self._lacking(number)[0] and not is_behind:
            self.write(f'{name} = tl.where({self.mask(access, access.bounded, False)}, {name}, 0.0)')

    def _flagged(self, number: int, access: Access, letters: str) -> None:
        """Twins, of which one does without a bound where a flag says that it may."""
        letter = access.flag.upper()
        # a flag that names no axis speaks of all of them
        flag = f'EVEN_{letter}' if letter in self.plan.axes[access.flag].size.upper() else 'IS_EVEN'
        vouched = [one for one, axis in self.plan.axes.items() if flag == 'IS_EVEN' or letter in axis.size.upper()]
        self.flags[flag] = None
        pointer = self.pointer(access)
        even = self.mask(access, letters.replace(access.flag, ''), False)
        odd = self.mask(replace(access, tensor=f'{access.tensor}t'), letters, False)
        branches = [(even, self._code(number, even, ''.join(vouched))), (odd, self._code(number, odd))]
        is_first = self.pick(True, True, False)
        self.write(f'if {flag}:' if is_first else f'if not {flag}:')
        for turn, (mask, code) in enumerate(branches if is_first else branches[::-1]):
            self.depth += 1
            self.write(f'b_{access.tensor} = {self.loading(pointer, mask, access.other)}', code)
            self.depth -= 1
            if turn == 0:
                self.write('else:')

    def _through_pointer(self, access: Access, pointer: str, mask: str, code: str) -> None:
        name = f'read_{access.tensor}'
        head = f'@triton.jit\ndef {name}(p, mask):' if mask else f'@triton.jit\ndef {name}(p):'
        call = f'tl.load(p, mask=mask{_other(access)})' if mask else 'tl.load(p)'
        self.helpers[name] = [(head, ''), (f'    return {call}', code)]
        self.write(f'b_{access.tensor} = {name}({", ".join([pointer, mask] if mask else [pointer])})')

    def _through_offsets(self, number: int, access: Access, letters: str) -> None:
        name = f'read_{access.tensor}'
        letter = access.tile
        index = self.index(letter, access)
        scalars = [f'i_{one} * {self.stride(one, access)}' for one in access.memory if one != letter]
        stride = self.stride(letter, access)
        base = ' + '.join([access.tensor, *scalars])
        code = self._code(number, letters)
        offset = f'o * {stride}' if stride else 'o'
        given, taken = [base, index, stride], ['p', 'o', stride]
        if letters:
            given, taken = [*given, self.plan.axes[letter].size], [*taken, 'n']
        given, taken = [one for one in given if one], [one for one in taken if one]
        mask = f', mask=o < n{_other(access)}' if letters else ''
        head = f'@triton.jit\ndef {name}({", ".join(taken)}):'
        self.helpers[name] = [(head, ''), (f'    return tl.load(p + {offset}{mask})', code)]
        self.write(f'b_{access.tensor} = {name}({", ".join(given)})')

    def _save(self, number: int, value: str) -> None:
        access = self.plan.accesses[number]
        lacks, is_behind = self._lacking(number)
        letters = ''.join(letter for letter in access.bounded if letter not in lacks)
        pointer = self.pointer(access)
        mask = self.mask(access, letters, is_behind)
        function = 'tl.store' if access.kind == 'store' else self.pick('tl.atomic_add', 'tl.atomic_max')
        given = [pointer, value]
        if mask:
            given.append(f'mask={mask}' if self.pick('named', 'named', 'placed') == 'named' else mask)
        call = f'{function}({", ".join(given)})'
        if self.pick(False, False, False, True):
            call = f'{function}(\n    ' + ',\n    '.join(given) + ',\n)'
        self.write(call, self._code(number, mask))


def _other(access: Access) -> str:
    return f', other={access.other}' if access.other else ''
