# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Measure the kernel model: against parsing the same kernels, and along the length and the nesting of a kernel.

Run `python -m benchmarks.model.run [FOLDER ...]`; without folders it measures `fla/`. All figures are CPU seconds of this process; the model and the parser take turns in each round.
"""

import gc
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import libcst

from flakelint.engine.context import File
from flakelint.engine.settings import Settings
from flakelint.kernel.addresses import Addresses
from flakelint.kernel.kernels import Kernel
from flakelint.kernel.model import analyse
from flakelint.kernel.sizes import Assumed

ROUNDS = 5
LENGTHS = (250, 500, 1000, 2000, 4000)
DEPTHS = (1, 2, 4, 8, 16)
ROOT = Path(__file__).parents[2]

_HEAD = '''import triton
import triton.language as tl


@triton.jit
def kernel(x, y, table, stride_b, stride_t, T, H: tl.constexpr, D: tl.constexpr, BT: tl.constexpr, FLAG: tl.constexpr):
    i_t, i_bh = tl.program_id(0), tl.program_id(1)
    i_b, i_h = i_bh // H, i_bh % H
    o_d = tl.arange(0, D)
    p = x + i_b * stride_b + i_h * D
'''


def long_kernel(lines: int) -> str:
    """A kernel of about so many lines: blocks of index arithmetic, branches on a flag, loads and stores."""
    text, number = [_HEAD], 0
    while sum(part.count('\n') for part in text) < lines:
        text.append(f'''    o_{number} = i_t * BT + {number} * BT + tl.arange(0, BT)
    m_{number} = (o_{number} < T)[:, None]
    if FLAG:
        r_{number} = tl.load(table + o_{number}, mask=o_{number} < T, other=0)
    else:
        r_{number} = o_{number} + i_b * T
    q_{number} = p + r_{number}[:, None] * stride_t + o_d[None, :]
    v_{number} = tl.load(q_{number}, mask=m_{number}, other=0.0)
    w_{number} = v_{number} * 2.0 + tl.sum(v_{number}, axis=1)[:, None]
    tl.store(y + o_{number}[:, None] * D + o_d[None, :], w_{number}, mask=m_{number})
''')
        number += 1
    return ''.join(text)


def deep_kernel(depth: int, lines: int = 512) -> str:
    """A kernel of about so many lines, in which loops are nested so deep."""
    text, indent = [_HEAD], '    '
    per_level = max(1, (lines - depth) // (4 * depth))
    for level in range(depth):
        text.append(f'{indent}for i_{level} in range(0, T, BT):\n')
        indent += '    '
        for number in range(per_level):
            name = f'{level}_{number}'
            text.append(f'{indent}o_{name} = i_{level} + tl.arange(0, BT)\n')
            text.append(f'{indent}q_{name} = p + o_{name}[:, None] * stride_t + o_d[None, :]\n')
            text.append(f'{indent}tl.store(y + o_{name}[:, None] * D + o_d[None, :], tl.load(q_{name}))\n')
            text.append(f'{indent}p += stride_t\n')
    return ''.join(text)


def main(folders: list[str]) -> None:
    """Print the figures."""
    gc.disable()
    paths = [path for folder in folders or [str(ROOT / 'fla')] for path in sorted(Path(folder).rglob('*.py'))]
    files = [file for file in map(_file, paths) if file is not None and file.kernels]
    kernels = [(kernel, file) for file in files for kernel in file.kernels]
    texts = ['\n'.join(file.text.split('\n')[_first(kernel) - 1:kernel.definition.end_lineno]) for kernel, file in kernels]
    print(f'{len(kernels)} kernels of {len(files)} files, {sum(text.count(chr(10)) + 1 for text in texts):,} lines')
    parse = [_cpu(lambda: [libcst.parse_module(_dedent(text)) for text in texts]) for _ in range(ROUNDS)]
    model = [_cpu(lambda: [_work(kernel, file) for kernel, file in kernels]) for _ in range(ROUNDS)]
    ratios = sorted(one / other for one, other in zip(model, parse, strict=True))
    print(f'model / libcst on the kernels alone: {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})')
    each = median(model) / len(kernels) * 1000
    print(f'model {median(model):.3f} CPU s, {each:.2f} ms a kernel; libcst {median(parse):.3f} CPU s')
    _axis('lines', [(lines, long_kernel(lines)) for lines in LENGTHS])
    _axis('nested loops', [(depth, deep_kernel(depth)) for depth in DEPTHS])


def _axis(name: str, sources: list[tuple[int, str]]) -> None:
    print(f'\n{name:>14} {"source lines":>13} {"model s":>9} {"libcst s":>9} {"ratio":>6} {"model ms a line":>16}')
    for number, source in sources:
        file = _load('kernel.py', source.encode())
        model = median(_cpu(partial(_work, file.kernels[0], file)) for _ in range(3))
        parse = median(_cpu(partial(libcst.parse_module, source)) for _ in range(3))
        lines = source.count('\n')
        print(f'{number:>14} {lines:>13} {model:>9.3f} {parse:>9.3f} {model / parse:>6.2f} {model / lines * 1000:>16.3f}')


def _work(kernel: Kernel, file: File) -> None:
    Addresses(analyse(kernel, file.repository), Assumed()).faults()


def _file(path: Path) -> File | None:
    try:
        return _load(str(path), path.read_bytes())
    except (OSError, UnicodeDecodeError):
        return None


def _load(name: str, data: bytes) -> File:
    return File(name, data, Settings())


def _first(kernel: Kernel) -> int:
    return min((one.lineno for one in kernel.definition.decorator_list), default=kernel.definition.lineno)


def _dedent(text: str) -> str:
    indent = len(text) - len(text.lstrip(' '))
    return '\n'.join(line[indent:] for line in text.split('\n')) if indent else text


def _cpu(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


if __name__ == '__main__':
    main(sys.argv[1:])
