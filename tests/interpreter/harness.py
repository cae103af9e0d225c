# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What kernels of fixtures really do to memory, seen by Triton's interpreter; as a script it runs the kernels.

A comment before a kernel says how to launch it, in sizes that are no multiples of its blocks:

    # run: add_kernel: grid=(4,), x=f(50), ids=ints([3, 1, 4]), y=f(50), n=50,
    #   scale=0.5, BLOCK=16

Lines that go on start with `#   `, as above.
`f` and `h` are tensors of 32 and 16 bits, `i8` one of small integers and `ints` one of the integers given; each is filled with values that repeat from run to run.

Each tensor stands between guard zones in one arena, and each address that a kernel really reads or writes must lie inside a tensor.
A lane that is masked off without an `other` has no value.
A kernel therefore runs again for each load that has such lanes, with other values in them; where a tensor differs afterwards, a lane without a value has reached it.
Those values are finite, so a zero on the other side of a product still stops them.

The interpreter is chosen when Triton is imported, so kernels run in a process of its own.
"""

import importlib.util
import itertools
import json
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.tools import REPOSITORY, clean_environment

GUARD = 1 << 16
SENTINEL = 0xA5
# what a lane without a value holds: one, unless it is the turn of its load;
# the others stay apart when they are squared or lose their sign
FILLER = 1
POISONS = (11000, -130)
SMALL_POISONS = (101, -77)

KEYS = ('outside', 'undefined')

_RUN = re.compile(r'^# run: (?P<name>\w+): (?P<arguments>.*(?:\n#   .*)*)$', re.MULTILINE)


@dataclass(frozen=True)
class Trace:
    """What running a kernel showed.

    Args:
        outside (dict[int, list[str]]):
            The accesses that left their tensor, such as `load x[50]`, by line.
        undefined (dict[int, list[str]]):
            The tensors that hold something made of a lane without a value, by the line of its load.
    """

    outside: dict[int, list[str]]
    undefined: dict[int, list[str]]


def launches(text: str) -> dict[str, str]:
    """The launches that a fixture gives, by kernel, as the arguments of a call."""
    return {match['name']: match['arguments'].replace('\n#  ', '') for match in _RUN.finditer(text)}


def trace(paths: list[Path]) -> dict[tuple[Path, str], Trace]:
    """What the kernels of some fixtures do, by file and kernel."""
    command = [sys.executable, '-m', 'tests.interpreter.harness', *map(str, paths)]
    environment = clean_environment(TRITON_INTERPRET='1', PYTHONPATH=str(REPOSITORY))
    result = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert result.returncode == 0, result.stderr
    records = [json.loads(line) for line in result.stdout.splitlines() if line.startswith('{"path"')]
    return {
        (Path(one['path']), one['kernel']): Trace(*({int(line): what for line, what in one[key].items()} for key in KEYS))
        for one in records
    }


class Arena:
    """One block of memory in which each tensor of a launch stands between guard zones."""

    def __init__(self, tensors: dict[str, Any]) -> None:
        import numpy as np

        self.spans, end = {}, GUARD
        for name, tensor in tensors.items():
            self.spans[name] = (end, end + tensor.nbytes)
            # a multiple of 16 bytes, as allocators give
            end += -(-tensor.nbytes // 16) * 16 + GUARD
        self.memory = np.full(end, SENTINEL, dtype=np.uint8)
        self.inside = np.zeros(end, dtype=bool)
        for name, (start, stop) in self.spans.items():
            self.memory[start:stop] = tensors[name].reshape(-1).view(np.uint8)
            self.inside[start:stop] = True
        self.base = self.memory.ctypes.data

    def tensors(self, like: dict[str, Any]) -> dict[str, Any]:
        """The tensors where they stand in the arena."""
        import torch

        whole = torch.from_numpy(self.memory)
        return {
            name: whole[start:stop].view(torch.from_numpy(like[name]).dtype).view(like[name].shape)
            for name, (start, stop) in self.spans.items()
        }

    def contents(self, name: str) -> bytes:
        """What a tensor holds."""
        start, stop = self.spans[name]
        return self.memory[start:stop].tobytes()

    def guards_are_whole(self) -> bool:
        """Whether no guard zone was written."""
        return bool((self.memory[~self.inside] == SENTINEL).all())

    def name(self, offset: int, size: int) -> str:
        """What lies at an offset, counted from the nearest tensor."""
        nearest = min(self.spans, key=lambda name: max(self.spans[name][0] - offset, offset - self.spans[name][1] + 1))
        return f'{nearest}[{(offset - self.spans[nearest][0]) // size}]'


class Watch:
    """Stands between the interpreter and memory: notes addresses outside the tensors, and says what lanes without a value hold.

    Args:
        builder (Any):
            The builder of Triton's interpreter.
    """

    def __init__(self, builder: Any) -> None:
        self.arena: Arena | None = None
        self.file = ''
        # the line whose load is poisoned, and which of the poisons it gets
        self.line, self.turn = 0, 0
        self.outside: dict[int, dict[str, None]] = defaultdict(dict)
        self.undefined: set[int] = set()
        self._builder = builder
        self._originals = {}
        for name, hook in (
            ('create_masked_load', self._load), ('create_masked_store', self._store), ('create_atomic_rmw', self._update),
        ):
            self._originals[name] = getattr(builder, name)
            setattr(builder, name, hook)

    def _place(self) -> int:
        """The line of the fixture that asks for the access."""
        frame = sys._getframe(2)
        while frame.f_code.co_filename != self.file:
            frame = frame.f_back
        return frame.f_lineno

    def _reachable(self, kind: str, pointer: Any, mask: Any) -> Any:
        """The mask of the lanes that stay in the arena, once those that leave their tensor are noted."""
        import numpy as np

        size = max(pointer.get_element_ty().primitive_bitwidth // 8, 1)
        offsets = pointer.data.astype(np.int64) - self.arena.base
        active = np.broadcast_to(mask.data.astype(bool), offsets.shape)
        in_arena = (offsets >= 0) & (offsets + size <= len(self.arena.inside))
        held = np.zeros(offsets.shape, dtype=bool)
        held[in_arena] = self.arena.inside[offsets[in_arena]] & self.arena.inside[offsets[in_arena] + size - 1]
        for offset in offsets[active & ~held].tolist():
            self.outside[self._place()][f'{kind} {self.arena.name(offset, size)}'] = None
        return type(mask)(active & in_arena, mask.dtype)

    def _load(self, pointer, mask, other, *rest, **named):
        import numpy as np

        reachable = self._reachable('load', pointer, mask)
        result = self._originals['create_masked_load'](pointer, reachable, other, *rest, **named)
        without = ~np.broadcast_to(mask.data.astype(bool), result.data.shape)
        if other is None and without.any():
            line = self._place()
            self.undefined.add(line)
            result.data = np.where(without, self._filling(result, line), result.data).astype(result.data.dtype)
        return result

    def _store(self, pointer, value, mask, *rest, **named):
        return self._originals['create_masked_store'](pointer, value, self._reachable('store', pointer, mask), *rest, **named)

    def _update(self, operation, pointer, value, mask, *rest, **named):
        reachable = self._reachable('atomic', pointer, mask)
        return self._originals['create_atomic_rmw'](operation, pointer, value, reachable, *rest, **named)

    def _filling(self, result: Any, line: int) -> Any:
        """What a lane without a value holds, in the type of what was loaded."""
        import numpy as np
        import triton.language as tl

        scalar = result.dtype.scalar
        poisons = SMALL_POISONS if scalar.primitive_bitwidth == 8 else POISONS
        value = poisons[self.turn] if line == self.line else FILLER
        if scalar == tl.bfloat16:
            # the interpreter holds the upper half of a 32-bit number
            return np.float32(value).view(np.uint32) >> 16
        return value > 0 if scalar == tl.int1 else value


def _arguments(text: str) -> tuple[tuple[int, ...], dict[str, Any], dict[str, Any]]:
    """The grid, the tensors and the other arguments of a launch."""
    import numpy as np

    random = np.random.default_rng(0)
    names = {
        'f': lambda *shape: random.uniform(-2, 2, shape).astype(np.float32),
        'h': lambda *shape: random.uniform(-2, 2, shape).astype(np.float16),
        'i8': lambda *shape: random.integers(-9, 9, shape).astype(np.int8),
        'ints': lambda values: np.array(list(values), dtype=np.int32),
    }
    given = eval(f'dict({text})', names)
    grid = given.pop('grid')
    tensors = {name: value for name, value in given.items() if isinstance(value, np.ndarray)}
    return grid, tensors, {name: value for name, value in given.items() if name not in tensors}


def _results(kernel: Any, text: str, watch: Watch) -> dict[str, bytes]:
    """What the tensors of a launch hold after it."""
    grid, tensors, others = _arguments(text)
    watch.arena = Arena(tensors)
    kernel[grid](**watch.arena.tensors(tensors), **others)
    written = any(not what.startswith('load') for line in watch.outside.values() for what in line)
    assert written or watch.arena.guards_are_whole(), 'a guard zone was written past the watch'
    return {name: watch.arena.contents(name) for name in tensors}


def _run(kernel: Any, text: str, watch: Watch) -> Trace:
    """Run a kernel, once and then twice for each of its loads that has lanes without a value."""
    watch.outside.clear()
    watch.undefined.clear()
    watch.line = 0
    plain = _results(kernel, text, watch)
    outside = {line: list(what) for line, what in watch.outside.items()}
    reached = defaultdict(set)
    for line, turn in itertools.product(sorted(watch.undefined), range(len(POISONS))):
        watch.line, watch.turn = line, turn
        results = _results(kernel, text, watch)
        reached[line].update(name for name in plain if results[name] != plain[name])
    return Trace(outside, {line: sorted(names) for line, names in reached.items() if names})


def main() -> None:
    """Run the kernels of the fixtures named on the command line, and print what each did."""
    from triton.runtime.interpreter import interpreter_builder

    watch = Watch(interpreter_builder)
    for number, path in enumerate(map(Path, sys.argv[1:])):
        watch.file = str(path)
        spec = importlib.util.spec_from_file_location(f'fixture_{number}', path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, text in launches(path.read_text()).items():
            try:
                seen = _run(getattr(module, name), text, watch)
            except Exception as error:
                raise RuntimeError(f'{path.name}: {name} does not run') from error
            print(json.dumps({'path': str(path), 'kernel': name, **asdict(seen)}), flush=True)


if __name__ == '__main__':
    main()
