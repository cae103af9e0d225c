# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip('torch')
pytest.importorskip('triton')

import fla.utils  # noqa: E402
from fla.utils import (  # noqa: E402
    IS_NVIDIA,
    Backend,
    check_environments,
    check_pytorch_version,
    check_shared_mem,
    custom_device_ctx,
    device,
    device_name,
    device_platform,
    device_torch_lib,
    find_spec_cached,
    get_all_max_shared_mem,
    get_device_capability,
    get_multiprocessor_count,
    has_usable_nvcc,
)

ROOT = Path(__file__).parents[2]


def test_every_export_exists():
    assert len(set(fla.utils.__all__)) == len(fla.utils.__all__)
    for name in fla.utils.__all__:
        value = getattr(fla.utils, name)
        if name.isupper():
            assert getattr(fla.utils, name.lower()) is value
            assert name.lower() in fla.utils.__all__


def test_device_names():
    assert device == {'hip': 'cuda'}.get(device_platform, device_platform)
    assert device_name == device
    assert torch.empty(1, device=device).device.type == device
    assert device_torch_lib is getattr(torch, device)
    assert IS_NVIDIA == (device_platform == 'cuda')


def test_device_properties():
    assert get_multiprocessor_count() >= 1
    assert (get_device_capability() == (0, 0)) == (device != 'cuda')
    memory = get_all_max_shared_mem()
    assert memory == [-1] if device == 'cpu' else memory[0] > 0
    assert check_shared_mem('hopper') <= check_shared_mem('ampere') <= check_shared_mem('ada')
    assert not check_shared_mem('ada', len(memory))
    assert Backend.get_shared_memory('hopper') > Backend.get_shared_memory('Ampere') > Backend.get_shared_memory('none')
    with custom_device_ctx(0):
        assert torch.empty(1, device=device).numel() == 1


def test_environment():
    check_environments()
    assert check_pytorch_version('2.7') and not check_pytorch_version('999')
    assert find_spec_cached('torch').name == 'torch'
    assert find_spec_cached('no_such_package.inner') is None
    assert has_usable_nvcc() in (True, False)


@pytest.mark.skipif(device_platform != 'cpu', reason='a machine with a driver may ask it')
@pytest.mark.parametrize('interpret', ['0', '1'], ids=['compiler', 'interpreter'])
def test_import_asks_for_no_driver(interpret):
    code = (
        'import triton\n'
        'def refuse(*args, **kwargs):\n'
        "    raise AssertionError('a driver was asked for')\n"
        'type(triton.runtime.driver).active = property(refuse)\n'
        'import fla, fla.utils, fla.ops\n'
        'import fla.ops.simple_gla, fla.ops.common.chunk_h, fla.ops.common.chunk_o\n'
    )
    env = {**os.environ, 'TRITON_INTERPRET': interpret, 'PYTHONPATH': str(ROOT)}
    result = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, env=env)
    assert result.returncode == 0, result.stderr


def test_package_alone_loads_nothing_heavy():
    code = "import fla, sys; assert fla.__version__; assert not {'torch', 'triton'} & set(sys.modules)"
    result = subprocess.run([sys.executable, '-c', code], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
