# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Write a tree of files that look like a kernel repository: kernels, launchers, autograd functions, plain Python.

    python -m benchmarks.lint.generate FOLDER [--files 500] [--lines 140000] [--seed 0]
"""

import argparse
import random
import textwrap
from pathlib import Path

HEADER = """\
# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import torch
import triton
import triton.language as tl

from fla.utils import autotune_cache_kwargs, input_guard

"""

_OPERATIONS = ('gla', 'delta', 'retention', 'rwkv', 'hgrn', 'norm', 'conv', 'mix', 'kda', 'lightning')
_TENSORS = ('q', 'k', 'v', 'g', 'beta', 'do', 'dh', 'dq', 'w', 'u')


def write_tree(folder: Path, files: int, lines: int, seed: int) -> int:
    """Write the tree; gives back its number of lines.

    Args:
        folder (Path):
            Where to write; made if it is not there.
        files (int):
            How many files.
        lines (int):
            How many lines they have together, about.
        seed (int):
            Which of many trees: the same seed writes the same files.
    """
    rng = random.Random(seed)
    total = 0
    for number in range(files):
        operation = rng.choice(_OPERATIONS)
        path = folder / f'pkg{number % 20:02d}' / operation / f'chunk_{number:03d}.py'
        path.parent.mkdir(parents=True, exist_ok=True)
        text = _file(rng, operation, lines * (number + 1) // files - total)
        path.write_text(text, encoding='utf-8')
        total += text.count('\n')
    return total


def _file(rng: random.Random, operation: str, lines: int) -> str:
    parts = [HEADER]
    count = 0
    while sum(part.count('\n') for part in parts) < lines - 30:
        name = f'{operation}_{rng.choice("abcdefgh")}{count}'
        parts.append(_kernel(rng, name))
        parts.append(_launcher(rng, name))
        if rng.random() < 0.4:
            parts.append(_helper(rng, name))
        count += 1
    return '\n\n\n'.join(part.strip('\n') for part in parts) + '\n'


def _kernel(rng: random.Random, name: str) -> str:
    direction = rng.choice(('fwd', 'bwd'))
    tensors = rng.sample(_TENSORS, rng.randint(3, 5))
    cast = '.to(tl.int64)' if rng.random() < 0.9 else ''
    body = _kernel_body(rng, tensors)
    return f'''
@triton.heuristics({{
    'USE_INITIAL_STATE': lambda args: args['h0'] is not None,
    'IS_VARLEN': lambda args: args['cu_seqlens'] is not None,
}})
@triton.autotune(
    configs=[triton.Config({{}}, num_warps=num_warps) for num_warps in [2, 4, 8]],
    key=['H', 'K', 'V', 'BT'],
    **autotune_cache_kwargs,
)
@triton.jit(do_not_specialize=['T'])
def {name}_{direction}_kernel_o(
{''.join(f"    {tensor},{chr(10)}" for tensor in tensors)}    o,
    h0,
    cu_seqlens,
    chunk_indices,
    scale,
    T,
    H: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    BT: tl.constexpr,
    BK: tl.constexpr,
    BV: tl.constexpr,
    USE_INITIAL_STATE: tl.constexpr,
    IS_VARLEN: tl.constexpr,
):
    i_v, i_t, i_bh = tl.program_id(0), tl.program_id(1){cast}, tl.program_id(2){cast}
    i_b, i_h = i_bh // H, i_bh % H
    if IS_VARLEN:
        i_n, i_t = tl.load(chunk_indices + i_t * 2).to(tl.int64), tl.load(chunk_indices + i_t * 2 + 1).to(tl.int64)
        bos, eos = tl.load(cu_seqlens + i_n).to(tl.int64), tl.load(cu_seqlens + i_n + 1).to(tl.int64)
        T = eos - bos
    else:
        bos, eos = i_b * T, i_b * T + T
    o_t = i_t * BT + tl.arange(0, BT)
    o_v = i_v * BV + tl.arange(0, BV)
    m_t = o_t < T
    m_v = o_v < V
    b_o = tl.zeros([BT, BV], dtype=tl.float32)
    b_h = tl.zeros([BK, BV], dtype=tl.float32)
{body}
    m_A = (o_t[:, None] >= o_t[None, :]) & (m_t[:, None] & m_t)
    b_A = tl.where(m_A, tl.dot(b_{tensors[0]}, tl.trans(b_{tensors[1]})), 0)
    # [BT, BV]
    b_o += tl.dot(b_A.to(b_{tensors[2]}.dtype), b_{tensors[2]}) * scale
    p_o = o + (bos * H + i_h) * V + o_t[:, None] * H * V + o_v[None, :]
    tl.store(p_o, b_o.to(p_o.dtype.element_ty), mask=m_t[:, None] & m_v[None, :])
'''


def _kernel_body(rng: random.Random, tensors: list[str]) -> str:
    lines = ['    for i_k in range(tl.cdiv(K, BK)):', '        o_k = i_k * BK + tl.arange(0, BK)', '        m_k = o_k < K']
    for tensor in tensors:
        lines.extend([
            '        # [BT, BK]',
            f'        p_{tensor} = {tensor} + (bos * H + i_h) * K + o_t[:, None] * H * K + o_k[None, :]',
            f'        b_{tensor} = tl.load(p_{tensor}, mask=m_t[:, None] & m_k[None, :], other=0)',
        ])
    for _ in range(rng.randint(2, 12)):
        a, b = rng.sample(tensors, 2)
        lines.append(rng.choice((
            f'        b_{a} = (b_{a} * tl.exp(b_{b} - tl.max(b_{b}, axis=1)[:, None])).to(b_{a}.dtype)',
            f'        b_h += tl.dot(tl.trans(b_{a}), b_{b}.to(b_{a}.dtype))',
            f'        b_{a} += tl.where(m_t[:, None], b_{b}, 0.0)',
            f'        b_o += tl.dot(b_{a}, b_h.to(b_{a}.dtype)) * scale',
        )))
    return '\n'.join(lines)


def _launcher(rng: random.Random, name: str) -> str:
    return f'''
@input_guard
def {name}(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float | None = None,
    cu_seqlens: torch.LongTensor | None = None,
    chunk_size: int = {rng.choice((32, 64, 128))},
) -> torch.Tensor:
    r"""
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
    BT = min(chunk_size, max(16, triton.next_power_of_2(T)))
    NT = triton.cdiv(T, BT) if cu_seqlens is None else len(cu_seqlens)
    scale = K ** -0.5 if scale is None else scale
    o = torch.empty_like(v)

    def grid(meta):
        return (triton.cdiv(V, meta['BV']), NT, B * H)

    {name}_fwd_kernel_o[grid](q, k, v, o, None, cu_seqlens, None, scale, T=T, H=H, K=K, V=V, BT=BT, BK=64, BV=64)
    return o
'''


def _helper(rng: random.Random, name: str) -> str:
    step = '        x = x.reshape(-1, x.shape[-1]) * {} + y[..., {}]'
    steps = '\n'.join(step.format(rng.randint(1, 9), number) for number in range(rng.randint(3, 9)))
    return textwrap.dedent(f'''
        class {name.title().replace("_", "")}Function(torch.autograd.Function):

            @staticmethod
            def forward(ctx, q, k, v, scale):
                o = {name}(q, k, v, scale)
                # the backward pass recomputes the scores
                ctx.save_for_backward(q, k, v)
                ctx.scale = scale
                return o

            @staticmethod
            def backward(ctx, do):
                q, k, v = ctx.saved_tensors
                return do, do, do, None


        def reference_{name}(x, y):
            assert x.shape[0] == y.shape[0], f"{{x.shape}} and {{y.shape}} differ"
    ''') + steps[4:].replace('\n    ', '\n') + '\n    return x\n'


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('folder', type=Path)
    parser.add_argument('--files', type=int, default=500)
    parser.add_argument('--lines', type=int, default=140_000)
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    lines = write_tree(arguments.folder, arguments.files, arguments.lines, arguments.seed)
    print(f'{arguments.files} files, {lines} lines in {arguments.folder}')


if __name__ == '__main__':
    main()
