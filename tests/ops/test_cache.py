# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from types import SimpleNamespace

import pytest
import torch
import triton
import triton.language as tl

from fla.ops.utils import cache
from fla.ops.utils.cache import FirstConfig, RememberedLaunch, fla_cache_autotune
from fla.utils import autotune_cache_kwargs, device

CONFIGS = [triton.Config({'BD': 16}, num_warps=1), triton.Config({'BD': 64}, num_warps=2)]


@triton.heuristics({'HAS_SCALE': lambda args: args['scale'] is not None})
@fla_cache_autotune(configs=CONFIGS, key=['D'], reset_to_zero=['count'], **autotune_cache_kwargs)
@triton.jit
def accumulate_fwd_kernel_x(x, o, count, scale, D: tl.constexpr, BD: tl.constexpr, HAS_SCALE: tl.constexpr):
    i_d = tl.program_id(0).to(tl.int64)
    o_d = i_d * BD + tl.arange(0, BD)
    m_d = o_d < D
    b_x = tl.load(x + o_d, mask=m_d, other=0)
    if HAS_SCALE:
        b_x *= scale
    tl.store(o + o_d, b_x, mask=m_d)
    tl.atomic_add(count, tl.sum(m_d.to(tl.int32), axis=0))


@triton.jit
def width_fwd_kernel_x(o, D, BD: tl.constexpr):
    tl.store(o, BD + D)


def launch(kernel, **kwargs):
    o = torch.zeros(1, dtype=torch.int32, device=device)
    kernel[(1,)](o, **kwargs)
    return o.item()


@pytest.mark.parametrize('D', [63, 64])
@pytest.mark.parametrize('scale', [None, 3.], ids=['plain', 'scale'])
def test_autotuned_kernel(D, scale):
    torch.manual_seed(42)
    x = torch.randn(D, device=device)
    for _ in range(2):
        o, count = torch.empty_like(x), torch.zeros(1, dtype=torch.int32, device=device)
        accumulate_fwd_kernel_x[lambda meta: (triton.cdiv(D, meta['BD']),)](x, o, count, scale, D=D)
        assert torch.equal(o, x if scale is None else x * scale)
        assert count.item() == D


def test_first_config():
    assert launch(FirstConfig(width_fwd_kernel_x, CONFIGS, ['D']), D=2) == 18
    assert launch(FirstConfig(width_fwd_kernel_x, CONFIGS[::-1]), D=2) == 66


def test_first_config_after_pruning():
    def prune(configs, nargs, **kwargs):
        return [config for config in configs if config.kwargs['BD'] > kwargs['D']]

    kernel = FirstConfig(width_fwd_kernel_x, CONFIGS, ['D'], {'early_config_prune': prune})
    assert launch(kernel, D=2) == 18
    assert launch(kernel, D=20) == 84
    with pytest.raises(RuntimeError, match='no configuration'):
        launch(kernel, D=100)


def test_first_config_calls_its_hook():
    seen = []
    config = triton.Config({'BD': 16}, pre_hook=lambda nargs: seen.append((nargs['D'], nargs['BD'])))
    assert launch(FirstConfig(width_fwd_kernel_x, [config]), D=2) == 18
    assert seen == [(2, 16)]


def test_first_config_refuses():
    with pytest.raises(ValueError, match="no argument 'E'"):
        FirstConfig(width_fwd_kernel_x, CONFIGS, ['E'])
    with pytest.raises(ValueError, match="no argument 'p'"):
        FirstConfig(width_fwd_kernel_x, CONFIGS, reset_to_zero=['p'])
    with pytest.raises(ValueError, match='BD'):
        launch(FirstConfig(width_fwd_kernel_x, CONFIGS), D=2, BD=32)


class Tuned:
    """What stands for an autotuned kernel of `x`, `o`, `n` and the constants `D` and `BD` where there is no GPU: it notes what reaches it."""

    arg_names = ('x', 'o', 'n', 'D', 'BD')
    best_config = SimpleNamespace(kwargs={'BD': 16})

    def __init__(self):
        parameters = [SimpleNamespace(name=name, is_constexpr=name in ('D', 'BD')) for name in self.arg_names]
        self.fn = SimpleNamespace(params=parameters)
        self.tuned, self.launched = [], []

    def run(self, *args, grid, warmup, **kwargs):
        self.tuned.append(kwargs)
        return self

    def __getitem__(self, grid):
        return lambda *args: self.launched.append((grid, args))


@pytest.fixture
def remembered(monkeypatch):
    active = SimpleNamespace(get_current_device=lambda: 0)
    monkeypatch.setattr(cache, 'driver', SimpleNamespace(active=active))
    return RememberedLaunch(Tuned())


def test_remembered_launch_passes_on_what_the_first_one_got(remembered):
    torch.manual_seed(42)
    x, o = torch.randn(2, 64)
    for _ in range(3):
        remembered[lambda meta: (meta['D'], meta['BD'])](x=x, o=o, n=5, D=64)
    assert len(remembered.fn.tuned) == 1
    assert [grid for grid, _ in remembered.fn.launched] == [(64, 16, 1)] * 2
    for _, (first, second, *rest) in remembered.fn.launched:
        assert first is x and second is o and rest == [5, 64, 16]


@pytest.mark.parametrize('change', [
    pytest.param({'x': torch.zeros(64).half()}, id='type'),
    pytest.param({'x': torch.zeros(65)[1:]}, id='alignment'),
    pytest.param({'x': None}, id='none'),
    pytest.param({'n': 16}, id='multiple_of_16'),
    pytest.param({'n': 1}, id='one'),
    pytest.param({'n': 2 ** 31}, id='64_bits'),
    pytest.param({'n': 5.}, id='float'),
    pytest.param({'D': 32}, id='constant'),
])
def test_remembered_launch_asks_again_where_the_code_may_differ(remembered, change):
    arguments = {'x': torch.zeros(64), 'o': torch.zeros(64), 'n': 5, 'D': 64}
    for _ in range(2):
        remembered[(1,)](**arguments)
        remembered[(1,)](**{**arguments, **change})
    assert len(remembered.fn.tuned) == 2 and len(remembered.fn.launched) == 2


def test_remembered_launch_leaves_alone_what_it_does_not_know(remembered):
    for _ in range(2):
        remembered[(1,)](torch.zeros(64), torch.zeros(64), n=5, D=64)
        remembered[(1,)](x=torch.zeros(64), o=[1], n=5, D=64)
        remembered.run(x=torch.zeros(64), o=torch.zeros(64), n=5, D=64, grid=(1,), warmup=True)
    assert len(remembered.fn.tuned) == 6 and not remembered.fn.launched
