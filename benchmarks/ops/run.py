# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Time operators forward and forward with backward, over a sweep of shapes, and against another commit.

    python -m benchmarks.ops.run --op chunk_gla
    python -m benchmarks.ops.run --op chunk_gla --base main --json out.json
    python -m benchmarks.ops.run --op chunk_gla --base main --lengths 1024,4096,16384 --plot out.png
    python -m benchmarks.ops.run --list

Both sides of a comparison run one after the other in turns, each in a process of its own; the other commit is checked out in a folder that is thrown away.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from benchmarks.ops.registry import Operator, Shape

REPOSITORY = Path(__file__).resolve().parents[2]
# which side of a comparison a process times
_OWN = 'this tree'


def main() -> int:
    """Run; gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--op', action='append', help='an operator; may be given several times')
    parser.add_argument('--base', metavar='REF', help='the commit to compare with')
    parser.add_argument('--list', action='store_true', help='name the operators')
    parser.add_argument('--dtype', default='bfloat16', choices=['bfloat16', 'float16', 'float32'])
    parser.add_argument('--rounds', type=int, default=3, help='how often the sides of a comparison take turns')
    parser.add_argument('--lengths', type=_lengths, help='numbers of steps in place of the shapes: one entry, 8 heads of 128')
    parser.add_argument('--json', metavar='FILE', help='where to write the figures')
    parser.add_argument('--plot', metavar='FILE', help='where to draw the times of both sides against the number of steps')
    arguments = parser.parse_args()
    if arguments.list:
        return _list()
    if not arguments.op:
        parser.error('give an operator with --op; --list names them')
    is_alone = arguments.base is None
    figures = {_OWN: _measured(arguments)} if is_alone else _compared(arguments)
    _show(figures)
    if arguments.plot:
        _draw(figures, arguments.plot)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(figures, indent=2) + '\n', encoding='utf-8')
    return 0


def _lengths(text: str) -> list[int]:
    lengths = [int(word) for word in text.split(',')]
    if min(lengths) < 1:
        raise ValueError('a length is below 1')
    return lengths


def _list() -> int:
    from benchmarks.ops.registry import OPERATORS, SHAPES

    print('\n'.join(OPERATORS))
    print('shapes (B, T, H, D):', ', '.join(map(str, map(tuple, SHAPES))))
    return 0


def _measured(arguments: argparse.Namespace) -> list[dict]:
    """The figures of operators, in milliseconds, bytes and shares of what the GPU does at most."""
    import torch

    from benchmarks.ops.registry import OPERATORS, SHAPES, Shape

    unknown = [name for name in arguments.op if name not in OPERATORS]
    if unknown:
        sys.exit(f'no operator is named {unknown[0]}: --list names them')
    dtype = getattr(torch, arguments.dtype)
    shapes = [Shape(1, T, 8, 128) for T in arguments.lengths] if arguments.lengths else SHAPES
    bandwidth, rate = _bandwidth(), _matrix_rate(dtype)
    found = []
    for name, shape in ((name, shape) for name in arguments.op for shape in shapes):
        figures = _timed(OPERATORS[name], shape, dtype)
        moved, operations = OPERATORS[name].floor(shape, dtype)
        seconds = figures['forward_ms'] / 1e3
        found.append({
            'op': name,
            'shape': list(shape),
            **figures,
            'floor_ms': 1e3 * max(moved / bandwidth, operations / rate),
            'bandwidth_share': moved / bandwidth / seconds,
            'matrix_share': operations / rate / seconds,
        })
    return found


def _timed(operator: 'Operator', shape: 'Shape', dtype: 'torch.dtype') -> dict:
    import torch
    from triton.testing import do_bench

    torch.manual_seed(42)
    inputs = operator.inputs(shape, dtype)
    leaves = [one for one in inputs.values() if one.requires_grad]

    def forward() -> torch.Tensor:
        return operator.function(**inputs)[0]

    def both() -> None:
        torch.autograd.grad(forward(), leaves, do)

    start = time.perf_counter()
    do = torch.randn_like(forward())
    both()
    torch.cuda.synchronize()
    first = time.perf_counter() - start
    torch.cuda.reset_peak_memory_stats()
    forward_ms, both_ms = (do_bench(one, return_mode='median') for one in (forward, both))
    peak = torch.cuda.max_memory_allocated()
    return {'forward_ms': forward_ms, 'both_ms': both_ms, 'first_call_s': first, 'peak_bytes': peak}


def _bandwidth() -> float:
    """The bytes a second that a copy reads and writes."""
    import torch
    from triton.testing import do_bench

    x = torch.empty(1 << 30, dtype=torch.uint8, device='cuda')
    y = torch.empty_like(x)
    return 2 * x.numel() / (do_bench(lambda: y.copy_(x), return_mode='median') / 1e3)


def _matrix_rate(dtype) -> float:
    """The operations a second of a large product of matrices."""
    import torch
    from triton.testing import do_bench

    a = torch.randn(8192, 8192, device='cuda').to(dtype)
    return 2 * 8192 ** 3 / (do_bench(lambda: a @ a, return_mode='median') / 1e3)


def _compared(arguments: argparse.Namespace) -> dict[str, list[dict]]:
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / 'base'
        subprocess.run(['git', 'worktree', 'add', '--detach', str(other), arguments.base], cwd=REPOSITORY, check=True)
        try:
            rounds = [(_in_process(REPOSITORY, arguments), _in_process(other, arguments)) for _ in range(arguments.rounds)]
        finally:
            subprocess.run(['git', 'worktree', 'remove', '--force', str(other)], cwd=REPOSITORY, check=True)
    own, base = ([_median(ones) for ones in zip(*side, strict=True)] for side in zip(*rounds, strict=True))
    return {_OWN: own, arguments.base: base}


def _in_process(tree: Path, arguments: argparse.Namespace) -> list[dict]:
    with tempfile.NamedTemporaryFile(suffix='.json') as file:
        command = [sys.executable, '-m', 'benchmarks.ops.run', '--dtype', arguments.dtype, '--json', file.name]
        command += [word for name in arguments.op for word in ('--op', name)]
        if arguments.lengths:
            command += ['--lengths', ','.join(map(str, arguments.lengths))]
        subprocess.run(command, cwd=tree, check=True, stdout=subprocess.DEVNULL)
        return next(iter(json.loads(Path(file.name).read_text(encoding='utf-8')).values()))


def _median(ones: tuple[dict, ...]) -> dict:
    return ones[0] | {key: statistics.median(one[key] for one in ones) for key in ones[0] if key not in ('op', 'shape')}


def _show(figures: dict[str, list[dict]]) -> None:
    own, *others = figures.values()
    print(f'{"operator":<28} {"B, T, H, D":<20} {"forward":>9} {"both":>9} {"floor":>9} bytes matrix   first      peak')
    for number, one in enumerate(own):
        times = '  '.join(f'{one[key]:6.3f} ms' for key in ('forward_ms', 'both_ms', 'floor_ms'))
        shares = f'{one["bandwidth_share"]:5.0%} {one["matrix_share"]:6.0%}'
        first, peak = one['first_call_s'], one['peak_bytes'] / 1e6
        print(f'{one["op"]:<28} {", ".join(map(str, one["shape"])):<20} {times} {shares} {first:5.1f} s {peak:6.0f} MB')
        for other in others:
            ratios = (f'{one[key] / other[number][key]:6.2f} x ' for key in ('forward_ms', 'both_ms'))
            print(f'{"  of the other commit":<49} {"  ".join(ratios)}')


def _draw(figures: dict[str, list[dict]], path: str) -> None:
    """One picture of an operator a column: forward above, forward with backward below, a line for each side."""
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot as plt
    from matplotlib.ticker import LogLocator

    names = list(dict.fromkeys(one['op'] for one in figures[_OWN]))
    figure, axes = plt.subplots(2, len(names), figsize=(5 * len(names), 7), squeeze=False, sharex='col')
    for column, name in enumerate(names):
        for row, (key, title) in enumerate((('forward_ms', 'forward'), ('both_ms', 'forward and backward'))):
            axis = axes[row][column]
            axis.set(title=f'{name}, {title}', xscale='log', yscale='log', ylabel='ms')
            for side, found in figures.items():
                points = sorted((one['shape'][1], one[key]) for one in found if one['op'] == name)
                lengths, times = zip(*points, strict=True)
                axis.plot(lengths, times, marker='o', label=side)
            axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.yaxis.set_major_formatter('{x:g}')
            axis.set_xticks(lengths, labels=map(str, lengths))
            axis.minorticks_off()
            axis.legend()
        axes[1][column].set_xlabel('steps')
    figure.tight_layout()
    figure.savefig(path, dpi=120)


if __name__ == '__main__':
    sys.exit(main())
