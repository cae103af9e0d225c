# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Write a kernel package with its tests: operators, modules, layers and models that import each other as such packages do.

    python -m benchmarks.affected.generate FOLDER [--sources 500] [--tests 120] [--lines 250] [--seed 0]
"""

import argparse
import random
from pathlib import Path

HEADER = '# Copyright (c) 2026, The flakelint Authors\n\n'
HOUSES = ('utils', 'ops', 'modules', 'layers', 'models')
# the share of each house, and in how many packages its files stand
_SHARES = {'utils': (0.04, 0), 'ops': (0.56, 45), 'modules': (0.1, 0), 'layers': (0.1, 0), 'models': (0.2, 25)}
# how many functions of earlier files a file imports, and how many a test
_IMPORTS, _TESTED = 6, 4

_KERNEL = '''
@triton.autotune(configs=[triton.Config({{}}, num_warps=w) for w in (2, 4, 8)], key=['H', 'K', 'V'])
@triton.jit(do_not_specialize=['T'])
def {name}_kernel(q, k, v, o, scale, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr):
    i_v, i_t, i_bh = tl.program_id(0), tl.program_id(1).to(tl.int64), tl.program_id(2).to(tl.int64)
    i_b, i_h = i_bh // H, i_bh % H
    o_t = i_t * BT + tl.arange(0, BT)
    o_v = i_v * V + tl.arange(0, V)
    m_t = o_t < T
    b_o = tl.zeros([BT, V], dtype=tl.float32)
{body}
    # [BT, V]
    p_o = o + (i_b * T * H + i_h) * V + o_t[:, None] * H * V + o_v[None, :]
    tl.store(p_o, b_o.to(p_o.dtype.element_ty), mask=m_t[:, None])


def {name}(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float | None = None) -> torch.Tensor:
    """
    Args:
        q (torch.Tensor):
            Queries of shape `[B, T, H, K]`.
        k (torch.Tensor):
            Keys of shape `[B, T, H, K]`.
        v (torch.Tensor):
            Values of shape `[B, T, H, V]`.
        scale (float, Optional):
            The factor of the scores. Default: `None`.
    """
    B, T, H, K, V = *k.shape, v.shape[-1]
    scale = K ** -0.5 if scale is None else scale
{calls}
    o = torch.empty_like(v)
    {name}_kernel[(V, triton.cdiv(T, LIMIT), B * H)](q, k, v, o, scale, T=T, H=H, K=K, V=V, BT=LIMIT)
    return o
'''
_IMPORTED = '''\
import torch
import triton
import triton.language as tl
from torch import nn
'''
_CONFTEST = '''
import pytest

from pkg.utils import *


@pytest.fixture
def size():
    return 64
'''
_CLASS = '''
class {title}(nn.Module):

    def __init__(self, size: int = 64) -> None:
        super().__init__()
        self.size = size
        self.norm = nn.LayerNorm(size)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """What the layer gives."""
        x = self.norm(x) * LIMIT
{calls}
        return self.mixed(x, y)

    def mixed(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Both together."""
{body}
        return x + y
'''


def write_tree(folder: Path, sources: int, tests: int, lines: int, seed: int) -> int:
    """Write the tree; gives back its number of lines.

    Args:
        folder (Path):
            Where to write.
        sources (int):
            How many files the package has.
        tests (int):
            How many test files there are.
        lines (int):
            How many lines each has, about.
        seed (int):
            Which of many trees: the same seed writes the same files.
    """
    files = _Tree(random.Random(seed), lines).files(sources, tests)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding='utf-8')
    return sum(text.count('\n') for text in files.values())


class _Tree:
    def __init__(self, rng: random.Random, lines: int) -> None:
        self._rng = rng
        self._lines = lines
        # where each function can be taken from: the package that gives it on, and the module that defines it
        self._offered: list[tuple[str, str, str]] = []

    def files(self, sources: int, tests: int) -> dict[str, str]:
        """The texts of all files."""
        found = {'pkg/__init__.py': HEADER + ''.join(f'from pkg import {house}\n' for house in HOUSES)}
        for house in HOUSES:
            share, packages = _SHARES[house]
            found |= self._house(house, round(share * sources), packages)
        for number in range(tests):
            found[f'tests/{self._rng.choice(HOUSES[1:])}/test_{number:03d}.py'] = self._test(number)
        found['tests/conftest.py'] = f'{HEADER}{_CONFTEST}'
        return found

    def _house(self, house: str, count: int, packages: int) -> dict[str, str]:
        folders = [f'pkg/{house}/p{number:02d}' for number in range(packages)] or [f'pkg/{house}']
        inits: dict[str, list[str]] = {folder: [] for folder in [*folders, f'pkg/{house}']}
        found = {}
        for number in range(count - len(inits)):
            folder = folders[number % len(folders)]
            names = [f'{house}_{number:03d}_{letter}' for letter in 'abcdefgh']
            text, names = self._module(f'{folder}/m{number:03d}.py', names, is_kernels=house in ('utils', 'ops'))
            found[f'{folder}/m{number:03d}.py'] = text
            shown = names[:self._rng.randint(1, 3)]
            inits[folder].append(f'from .m{number:03d} import {", ".join(shown)}\n')
            package, module = folder.replace('/', '.'), f'{folder}/m{number:03d}'.replace('/', '.')
            self._offered.extend((package if name in shown else module, module, name) for name in names)
            if folder != f'pkg/{house}':
                inits[f'pkg/{house}'].append(f'from pkg.{house}.{folder.rpartition("/")[2]} import {shown[0]}\n')
        return found | {f'{folder}/__init__.py': HEADER + ''.join(lines) for folder, lines in inits.items()}

    def _module(self, path: str, names: list[str], is_kernels: bool) -> tuple[str, list[str]]:
        taken = self._rng.sample(self._offered, min(_IMPORTS, len(self._offered)))
        imports, calls = self._imports(path, taken)
        parts = [f'{HEADER}{_IMPORTED}\n{imports}\nLIMIT = 64\n']
        made = []
        for name in names:
            if sum(part.count('\n') for part in parts) > self._lines - 30:
                break
            body = self._body('    ' if is_kernels else '        ', 12)
            inner = ''.join(f'    {line}\n' for line in calls.pop() or ['pass']) if calls else ''
            if is_kernels:
                parts.append(_KERNEL.format(name=name, body=body, calls=inner.rstrip()))
            else:
                name = name.title().replace('_', '')
                parts.append(_CLASS.format(title=name, body=body, calls=inner.replace('    ', '        ').rstrip()))
            made.append(name)
        return '\n'.join(parts), made

    def _imports(self, path: str, taken: list[tuple[str, str, str]]) -> tuple[str, list[list[str]]]:
        """The lines at the head of a file, and those of each call."""
        head, calls = [], []
        for package, module, name in taken:
            kind = self._rng.randrange(5)
            if kind == 0:
                calls.append([f'from {package} import {name}', f'{name}(q, k, v)'])
                continue
            if kind == 1 and module.rpartition('.')[0] == path.rpartition('/')[0].replace('/', '.'):
                head.append(f'from .{module.rpartition(".")[2]} import {name}\n')
            elif kind == 2:
                head.append(f'import {module} as {name}_module\n')
                calls.append([f'{name}_module.{name}(q, k, v)'])
                continue
            else:
                head.append(f'from {package} import {name}\n')
            calls.append([f'{name}(q, k, v)'])
        return ''.join(head), calls

    def _body(self, indent: str, count: int) -> str:
        lines = []
        for _ in range(count):
            a, b = self._rng.sample('qkvgwu', 2)
            lines.append(self._rng.choice((
                f'b_{a} = tl.load({a} + i_t * LIMIT, mask=m_t, other=0)',
                f'b_{a} = (b_{a} * tl.exp(b_{b} - tl.max(b_{b}, axis=1)[:, None])).to(b_{a}.dtype)',
                f'b_o += tl.where(m_t[:, None], tl.dot(b_{a}, tl.trans(b_{b})), 0.0) * scale',
                f'# [BT, {b.upper()}]',
            )))
        return '\n'.join(indent + line for line in lines)

    def _test(self, number: int) -> str:
        imports, calls = self._imports('tests', self._rng.sample(self._offered, _TESTED))
        parts = [f'{HEADER}import pytest\nimport torch\nfrom pkg.utils import {self._offered[0][2]}\n\n{imports}\n']
        while sum(part.count('\n') for part in parts) < self._lines - 30 or calls:
            name = f'test_{number}_{len(parts)}'
            lines = calls.pop() if calls else []
            body = ''.join(f'    {line}\n' for line in lines) + self._body('    ', 14).replace('tl.', 'torch.')
            marks = "@pytest.mark.parametrize(('q', 'k', 'v'), [(1, 2, 3), (4, 5, 6)])\n"
            parts.append(f'{marks}def {name}(q, k, v, size):\n{body}\n    assert b_o is not None\n')
        return '\n\n'.join(parts)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('folder', type=Path)
    parser.add_argument('--sources', type=int, default=500)
    parser.add_argument('--tests', type=int, default=120)
    parser.add_argument('--lines', type=int, default=250)
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    lines = write_tree(arguments.folder, arguments.sources, arguments.tests, arguments.lines, arguments.seed)
    print(f'{arguments.sources + arguments.tests} files, {lines} lines in {arguments.folder}')


if __name__ == '__main__':
    main()
