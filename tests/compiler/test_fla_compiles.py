# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Every kernel of fla, compiled for a GPU that need not be there; run as a script it does the compiling.

Triton's interpreter replaces what the compiler needs, so the compiling is done in a process of its own.
"""

import functools
import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compiler.apart import front_end, records

pytest.importorskip('torch')
pytest.importorskip('triton')

ROOT = Path(__file__).parents[2]

# the types of arguments; `*x` stands for a pointer to the type of the inputs
INPUTS = (
    *('q', 'k', 'v', 'w', 'u', 'h', 'do', 'dh', 'dv', 'dv2', 'du', 'dq', 'dk', 'dw', 'A', 'Ai', 'Aqk', 's', 'o', 'gk', 'gv'),
    *('a', 'b', 'x', 'y', 'p', 'dp', 'dx', 'dy', 'kg', 'qg', 'v_new', 'beta', 'padded', 'packed'),
    *('residual', 'gate', 'weight', 'bias', 'total', 'dtotal', 'dresidual', 'dgate'),
)
IN_FP32 = (
    *('g', 'g_gamma', 'dg', 'h0', 'ht', 'dht', 'dh0', 'z', 'e', 'dbeta', 'rstd', 'A_log', 'dt_bias', 'dA'),
    *('mean', 'dweight', 'dbias'),
)
TYPES = {
    **dict.fromkeys(INPUTS, '*x'),
    **dict.fromkeys(IN_FP32, '*fp32'),
    **dict.fromkeys(('cu_seqlens', 'chunk_indices', 'chunk_offsets', 'split_offsets'), '*i64'),
    **dict.fromkeys(('B', 'T', 'M', 'N', 'NS', 'x_batch', 'x_row', 'b_batch'), 'i32'),
    **dict.fromkeys(('scale', 'alpha', 'eps', 'lower_bound'), 'fp32'),
}
# the arguments that are `None` unless a flag is set
OPTIONAL = {
    'USE_G': ['g', 'dg'],
    'USE_G_GAMMA': ['g_gamma'],
    'USE_GK': ['gk'],
    'USE_GV': ['gv'],
    'USE_A': ['A'],
    'STORE_SCORES': ['A'],
    'USE_DW': ['dw', 'dv'],
    'USE_INITIAL_STATE': ['h0'],
    'STORE_FINAL_STATE': ['ht'],
    'USE_FINAL_STATE_GRADIENT': ['dht'],
    'STORE_INITIAL_STATE_GRADIENT': ['dh0'],
    'HAS_SCALE': ['scale'],
    'HAS_BIAS': ['dt_bias', 'bias', 'dbias'],
    'HAS_WEIGHT': ['weight', 'dweight'],
    'HAS_RESIDUAL': ['residual'],
    'HAS_MEAN': ['mean'],
    'HAS_GATE': ['gate', 'dgate'],
    'HAS_SUM_GRADIENT': ['dtotal'],
    'STORE_SUM': ['total'],
    'STORE_RESIDUAL_GRADIENT': ['dresidual'],
    'HAS_LOWER_BOUND': ['lower_bound'],
    'STORE_ERROR': ['e'],
    'STORE_QG': ['qg'],
    'SAVE_NEW_VALUE': ['v_new'],
    'USE_BETA': ['beta'],
    'HAS_INPUT': ['x'],
    'HAS_ALPHA': ['alpha'],
    'HAS_BETA': ['beta'],
    'IS_VARLEN': ['cu_seqlens', 'chunk_indices', 'chunk_offsets', 'split_offsets'],
}
CHUNKED = {'H': 2, 'K': 100, 'V': 60, 'BT': 64, 'BK': 64, 'BV': 64}
GROUPED = {**CHUNKED, 'HV': 4}
DELTA = {**GROUPED, 'BK': 128}
RECURRENT = {'H': 2, 'K': 100, 'V': 60, 'BK': 128, 'BV': 32}
# the block sizes and dimensions of each kernel; its flags are found in its signature
SIZES = {
    'chunk_local_cumsum_fwd_kernel_scalar': {'H': 2, 'BT': 64},
    'chunk_local_cumsum_fwd_kernel_vector': {'H': 2, 'S': 100, 'BT': 64, 'BS': 32},
    'chunk_global_cumsum_fwd_kernel_scalar': {'H': 2, 'BT': 64},
    'chunk_global_cumsum_fwd_kernel_vector': {'H': 2, 'S': 100, 'BT': 64, 'BS': 32},
    'softmax_fwd_kernel_p': {'D': 10000, 'BD': 8192},
    'softmax_bwd_kernel_dx': {'D': 10000, 'BD': 8192},
    'logsumexp_fwd_kernel_z': {'D': 10000, 'BD': 8192},
    'matmul_fwd_kernel_y': {'N': 100, 'K': 60, 'BM': 64, 'BN': 64, 'BK': 32, 'GROUP': 8, 'ACTIVATION': 'tanh'},
    'mean_pooling_fwd_kernel_y': {'H': 2, 'D': 100, 'C': 100, 'BT': 32, 'BD': 64},
    'mean_pooling_bwd_kernel_dx': {'H': 2, 'D': 100, 'C': 100, 'BT': 32, 'BD': 64},
    'pack_sequence_fwd_kernel_rows': {'D': 100, 'BT': 16, 'BD': 64},
    'chunk_fwd_kernel_h': {**CHUNKED, 'BS': 128},
    'chunk_bwd_kernel_dh': {**CHUNKED, 'BS': 128},
    'chunk_fwd_kernel_o': GROUPED,
    'chunk_bwd_kernel_dqkwg': GROUPED,
    'chunk_bwd_kernel_dv': GROUPED,
    'chunk_bwd_kernel_dv_local': GROUPED,
    'fused_chunk_simple_gla_fwd_kernel_o': {**CHUNKED, 'BK': 128},
    'parallel_simple_gla_fwd_kernel_o': {**CHUNKED, 'BK': 128},
    'parallel_simple_gla_bwd_kernel_dq': {**CHUNKED, 'BK': 128},
    'parallel_simple_gla_bwd_kernel_dkv': {**CHUNKED, 'BK': 128},
    'chunk_gla_fwd_kernel_o': CHUNKED,
    'chunk_gla_bwd_kernel_dqkg': CHUNKED,
    'chunk_gla_bwd_kernel_dv': CHUNKED,
    'chunk_kda_fwd_kernel_scores': {'H': 2, 'K': 100, 'BT': 64, 'BK': 64},
    'chunk_kda_fwd_kernel_wu': CHUNKED,
    'chunk_kda_bwd_kernel_wy': CHUNKED,
    'chunk_scaled_dot_kkt_fwd_kernel': {'H': 2, 'HV': 4, 'K': 100, 'BT': 64, 'BK': 64},
    'solve_tril_fwd_kernel': {'H': 2, 'BT': 64},
    'chunk_delta_fwd_kernel_wu': GROUPED,
    'chunk_delta_bwd_kernel_wy': GROUPED,
    'chunk_gated_delta_rule_fwd_kernel_h': DELTA,
    'chunk_gated_delta_rule_bwd_kernel_dhu': DELTA,
    'decay_gate_fwd_kernel': {'HV': 4, 'D': 20, 'BC': 64, 'BT': 32},
    'decay_gate_bwd_kernel': {'HV': 4, 'D': 20, 'BC': 64, 'BT': 32},
    'l2norm_fwd_kernel': {'D': 100, 'BD': 128, 'BT': 16},
    'l2norm_bwd_kernel': {'D': 100, 'BD': 128, 'BT': 16},
    'norm_fwd_kernel': {'G': 2, 'D': 100, 'BT': 32, 'BD': 128},
    'norm_bwd_kernel': {'G': 2, 'D': 100, 'BT': 32, 'BD': 128},
    'activation_fwd_kernel': {'BN': 1024},
    'activation_bwd_kernel': {'BN': 1024},
    'swiglu_fwd_kernel': {'BN': 1024},
    'swiglu_bwd_kernel': {'BN': 1024},
    'fused_recurrent_fwd_kernel_o': RECURRENT,
    'fused_recurrent_bwd_kernel_dq': RECURRENT,
    'fused_recurrent_bwd_kernel_dkv': RECURRENT,
    'fused_recurrent_delta_fwd_kernel_o': {**RECURRENT, 'HV': 4},
    'fused_recurrent_delta_bwd_kernel_dq': {**RECURRENT, 'HV': 4},
    'fused_recurrent_delta_bwd_kernel_dv': {**RECURRENT, 'HV': 4},
}
# enough to reach PTX without spending minutes: with products of blocks, with a loop over tiles or steps, with a scan
PTX_SAMPLE = (
    'chunk_bwd_kernel_dqkwg',
    'parallel_simple_gla_bwd_kernel_dkv',
    'fused_recurrent_bwd_kernel_dkv',
    'chunk_local_cumsum_fwd_kernel_vector',
)


def unwrap(obj):
    """The jitted function below autotuners and heuristics, `None` if there is none."""
    while not inspect.isfunction(obj) and hasattr(obj, 'fn'):
        if inspect.isfunction(obj.fn):
            return obj
        obj = obj.fn
    return None


@functools.cache
def discover_kernels() -> dict:
    """The jitted functions of fla that are launched, by name; a helper has no `_kernel` in its name."""
    import fla

    kernels = {}
    for module in pkgutil.walk_packages(fla.__path__, 'fla.'):
        for obj in vars(importlib.import_module(module.name)).values():
            jit = unwrap(obj)
            if jit is not None and '_kernel' in jit.fn.__name__ and jit.fn.__module__ == module.name:
                kernels[jit.fn.__name__] = jit
    return kernels


def variants(jit) -> Iterator[dict]:
    """Settings of the kernel's flags: none, each alone, all."""
    parameters = [name for name, p in inspect.signature(jit.fn).parameters.items() if 'constexpr' in str(p.annotation)]
    flags = [name for name in parameters if name not in SIZES[jit.fn.__name__]]
    for chosen in ([], *([flag] for flag in flags), flags):
        yield {flag: flag in chosen for flag in flags}


def type_of(name: str, jit) -> str:
    """The type of an argument; `beta` is a factor for `addmm`, and one a step for the delta rule."""
    return 'fp32' if name == 'beta' and 'alpha' in jit.arg_names else TYPES[name]


def signature(jit, flags: dict, dtype: str) -> tuple[dict, dict]:
    """The types and the constants of one variant."""
    absent = {name for flag, names in OPTIONAL.items() if flag in flags and not flags[flag] for name in names}
    if 'USE_DW' not in flags:
        absent.discard('dv')
    constants = {**SIZES[jit.fn.__name__], **flags, **{name: None for name in jit.arg_names if name in absent}}
    types = {}
    for name in jit.arg_names:
        types[name] = 'constexpr' if name in constants else type_of(name, jit).replace('*x', f'*{dtype}')
    return types, constants


def compile_variant(jit, flags: dict, dtype: str, to_ptx: bool) -> dict:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    types, constants = signature(jit, flags, dtype)
    if to_ptx:
        source = ASTSource(fn=jit, signature=types, constexprs=constants)
        return {'ptx': triton.compile(source, target=GPUTarget('cuda', 90, 32)).asm['ptx'].count('\n')}
    return {'ttir': str(front_end(jit, types, constants)).count('tt.store')}


def main() -> None:
    for name, jit in discover_kernels().items():
        if name not in SIZES:
            continue
        every = list(variants(jit))
        jobs = [(flags, dtype, False) for flags in every for dtype in ('bf16', 'fp32')]
        if name in PTX_SAMPLE:
            jobs.append((every[-1], 'bf16', True))
        for flags, dtype, to_ptx in jobs:
            record = {'kernel': name, 'flags': [flag for flag, is_set in flags.items() if is_set], 'dtype': dtype}
            try:
                record.update(compile_variant(jit, flags, dtype, to_ptx))
            except Exception as error:
                record['error'] = f'{type(error).__name__}: {error}'
            print(json.dumps(record), flush=True)


@pytest.fixture(scope='module')
def compiled(tmp_path_factory) -> list[dict]:
    return records(__file__, cache=tmp_path_factory.mktemp('triton'))


def test_every_kernel_has_an_entry():
    assert set(discover_kernels()) == set(SIZES)


@pytest.mark.parametrize('kernel', sorted(SIZES))
def test_kernel_compiles(kernel, compiled):
    records = [record for record in compiled if record['kernel'] == kernel]
    errors = [record for record in records if 'error' in record]
    assert not errors, errors[0]
    assert len(records) >= 2 * len(list(variants(discover_kernels()[kernel])))
    assert all(record.get('ttir', 1) > 0 for record in records)


@pytest.mark.parametrize('kernel', PTX_SAMPLE)
def test_kernel_reaches_ptx(kernel, compiled):
    lines = [record['ptx'] for record in compiled if record['kernel'] == kernel and 'ptx' in record]
    assert len(lines) == 1 and lines[0] > 0


if __name__ == '__main__':
    main()
