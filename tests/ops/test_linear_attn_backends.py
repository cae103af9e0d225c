# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import os
import subprocess
import sys

import pytest
import torch

from fla.ops.linear_attn import chunk_linear_attn, fused_chunk_linear_attn, fused_recurrent_linear_attn
from fla.ops.linear_attn.backends import MatmulBackend, linear_attn_registry
from fla.ops.linear_attn.naive import naive_recurrent_linear_attn
from fla.utils import assert_close, by_size
from tests.ops.operators import compare, leaf, one_by_one

FUNCTIONS = ['chunk_linear_attn', 'fused_chunk_linear_attn', 'fused_recurrent_linear_attn']
FUNCTION_IDS = ['chunk', 'fused_chunk', 'fused_recurrent']
CASES = [
    pytest.param((2, 150, 2, 20, 40), True, torch.float, id='B2-T150-H2-K20-V40-normalized-fp32'),
    pytest.param((1, 63, 1, 32, 32), False, torch.float, id='B1-T63-H1-K32-V32-plain-fp32'),
    pytest.param((1, 128, 2, 60, 16), True, torch.half, id='B1-T128-H2-K60-V16-normalized-fp16'),
    pytest.param((1, 100, 1, 16, 36), False, torch.bfloat16, id='B1-T100-H1-K16-V36-plain-bf16'),
    pytest.param((1, 1, 1, 16, 16), True, torch.float, id='B1-T1-H1-K16-V16-normalized-fp32'),
]
# a process in which Triton neither interprets kernels nor has a device to compile them for
SERVED = """
import torch
from fla.ops import chunk_linear_attn
from fla.ops.linear_attn.naive import naive_recurrent_linear_attn

torch.manual_seed(42)
q, k = torch.rand(2, 1, 100, 2, 16)
v = torch.randn(1, 100, 2, 36).requires_grad_()
o, _ = chunk_linear_attn(q, k, v)
o.sum().backward()
ref, _ = naive_recurrent_linear_attn(q, k, v.detach(), normalize=True)
print(float((o - ref).abs().max()) < 1e-4, v.grad.isfinite().all().item())
"""


def make_inputs(B, T, H, K, V, N, dtype):
    return {
        'q': leaf((torch.randn(B, T, H, K).relu() + 0.1).to(dtype)),
        'k': leaf((torch.randn(B, T, H, K).relu() + 0.1).to(dtype)),
        'v': leaf(torch.randn(B, T, H, V).to(dtype)),
        'initial_state': leaf(torch.rand(N, H, K, V + 1)),
    }


def with_sums(form, initial_state, normalize, **kwargs):
    """A form whose states have the sums of the keys as their last column, as they were where it does not normalise."""
    state = (initial_state[..., :-1], initial_state[..., -1]) if normalize else initial_state[..., :-1]
    o, ht = form(initial_state=state, output_final_state=True, normalize=normalize, **kwargs)
    kv, z = ht if normalize else (ht, initial_state[..., -1])
    return o, torch.cat([kv, z[..., None]], dim=-1)


def reference(tensors, normalize, reverse=False):
    inputs = {name: x.flip(1) if reverse and name in 'qkv' else x for name, x in tensors.items()}
    o, ht = with_sums(naive_recurrent_linear_attn, normalize=normalize, **inputs)
    return o.flip(1) if reverse else o, ht


@pytest.mark.parametrize('function', FUNCTIONS, ids=FUNCTION_IDS)
@pytest.mark.parametrize(('shape', 'normalize', 'dtype'), CASES)
def test_matmul_backend(function, shape, normalize, dtype):
    torch.manual_seed(42)
    tensors = make_inputs(*shape, shape[0], dtype)
    tri = with_sums(getattr(MatmulBackend(), function), normalize=normalize, **tensors)
    compare(reference(tensors, normalize), tri, tensors, dtype)


@pytest.mark.parametrize('function', FUNCTIONS, ids=FUNCTION_IDS)
@pytest.mark.parametrize('normalize', [False, True], ids=['plain', 'normalized'])
def test_matmul_backend_varlen(function, normalize):
    torch.manual_seed(42)
    lens = [1, 64, 0, 70]
    tensors = make_inputs(1, sum(lens), 2, 20, 36, len(lens), torch.float)
    cu_seqlens = torch.tensor([0, *lens]).cumsum(0)
    tri = with_sums(getattr(MatmulBackend(), function), normalize=normalize, cu_seqlens=cu_seqlens, **tensors)
    compare(one_by_one(lambda one: reference(one, normalize), tensors, lens), tri, tensors, torch.float)


@pytest.mark.parametrize('normalize', [False, True], ids=['plain', 'normalized'])
def test_matmul_backend_reverse(normalize):
    torch.manual_seed(42)
    tensors = make_inputs(2, 70, 1, 20, 36, 2, torch.float)
    tri = with_sums(MatmulBackend().fused_recurrent_linear_attn, normalize=normalize, reverse=True, **tensors)
    compare(reference(tensors, normalize, reverse=True), tri, tensors, torch.float)


def test_matmul_backend_gradcheck():
    torch.manual_seed(42)
    names = ('q', 'k', 'v', 'initial_state')
    shapes = ((1, 7, 2, 3), (1, 7, 2, 3), (1, 7, 2, 4), (1, 2, 3, 5))
    inputs = [torch.rand(*shape, dtype=torch.double).requires_grad_() for shape in shapes]
    form = MatmulBackend().chunk_linear_attn
    assert torch.autograd.gradcheck(
        lambda *tensors: with_sums(form, normalize=True, **dict(zip(names, tensors, strict=True))),
        inputs,
    )


def test_matmul_backend_without_states():
    torch.manual_seed(42)
    tensors = make_inputs(1, 70, 2, 16, 16, 1, torch.float)
    tensors.pop('initial_state')
    o, ht = MatmulBackend().chunk_linear_attn(**tensors, scale=0.3, normalize=False)
    assert ht is None
    assert_close('o', naive_recurrent_linear_attn(**tensors, scale=0.3)[0], o, 1e-5)
    empty, state = MatmulBackend().chunk_linear_attn(*(x[:, :0] for x in tensors.values()), output_final_state=True)
    assert empty.shape == (1, 0, 2, 16) and all(not x.any() for x in state)
    with pytest.raises(ValueError, match='initial state'):
        MatmulBackend().chunk_linear_attn(**tensors, initial_state=torch.zeros(2, 2, 16, 16))


@pytest.mark.skipif(not by_size(True, False), reason='tensors on the CPU need the interpreter')
@pytest.mark.parametrize('op', [chunk_linear_attn, fused_chunk_linear_attn, fused_recurrent_linear_attn], ids=FUNCTION_IDS)
def test_matmul_backend_agrees_with_kernels(op, monkeypatch):
    torch.manual_seed(42)
    tensors = make_inputs(1, 33, 1, 16, 20, 1, torch.float)
    kernels = with_sums(op, normalize=True, **tensors)
    with monkeypatch.context() as patch:
        patch.setattr(MatmulBackend, 'is_available', lambda self: True)
        linear_attn_registry.refresh()
        assert [backend.name for backend in linear_attn_registry.active()] == ['matmul']
        served = with_sums(op, normalize=True, **tensors)
    linear_attn_registry.refresh()
    compare(kernels, served, tensors, torch.float)


@pytest.mark.parametrize(('value', 'is_served'), [('1', True), ('0', False)], ids=['on', 'off'])
def test_matmul_backend_where_triton_cannot_run(value, is_served):
    torch.manual_seed(42)
    hidden = {'CUDA_VISIBLE_DEVICES': '', 'HIP_VISIBLE_DEVICES': '', 'TRITON_INTERPRET': '0'}
    result = subprocess.run(
        [sys.executable, '-c', SERVED],
        env={**os.environ, **hidden, 'FLA_LINEAR_ATTN_MATMUL': value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode == 0) == is_served, result.stderr
    assert result.stdout == ('True True\n' if is_served else '')


def test_matmul_backend_leaves_other_devices_to_kernels():
    torch.manual_seed(42)
    q = torch.empty(1, 4, 1, 8, device='meta')
    backend = MatmulBackend()
    assert backend.refusal('chunk_linear_attn', (q, q, q), {}) == 'it is for tensors on the CPU'
    assert backend.refusal('fused_recurrent_linear_attn', (), {'q': torch.zeros(1), 'k': q, 'v': q}) is None
