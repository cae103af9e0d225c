# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which device the package runs on, found through torch alone: without a GPU Triton has no driver that could be asked."""

import contextlib
import enum
import functools
import platform
import warnings

import torch
import triton
import triton.language as tl
from packaging.version import Version

from fla.utils._config import FLA_USE_TMA


class Backend(enum.IntEnum):
    """Shared memory that one block may use, in bytes, by architecture."""

    ADA = 101376
    AMPERE = 166912
    HOPPER = 232448
    DEFAULT = 102400

    @classmethod
    def get_shared_memory(cls, arch: str) -> int:
        """The amount for an architecture's name, in any case; `DEFAULT` for an unknown one."""
        return int(cls.__members__.get(arch.upper(), cls.DEFAULT))


@functools.cache
def get_available_device() -> str:
    """The name of Triton's backend for this machine: `cuda`, `hip`, `xpu`, `npu`, or `cpu` where there is no accelerator."""
    if torch.cuda.is_available():
        return 'hip' if torch.version.hip is not None else 'cuda'
    for name in ('xpu', 'npu'):
        lib = getattr(torch, name, None)
        if lib is not None and lib.is_available():
            return name
    return 'cpu'


def map_triton_backend_to_torch_device() -> str:
    """The torch device type of Triton's backend: AMD GPUs are `cuda` to torch."""
    backend = get_available_device()
    return 'cuda' if backend == 'hip' else backend


device_platform = get_available_device()
device = map_triton_backend_to_torch_device()
device_name = device
device_torch_lib = getattr(torch, device)


def check_pytorch_version(version_s: str = '2.4') -> bool:
    """Whether the installed torch is at least `version_s`."""
    return Version(torch.__version__) >= Version(version_s)


@functools.cache
def check_environments() -> None:
    """Warn, once, about an environment in which kernels are known to fail."""
    if not check_pytorch_version('2.7'):
        warnings.warn(f'torch {torch.__version__} is older than 2.7, the oldest supported release', stacklevel=2)
    if Version(triton.__version__) < Version('3.3'):
        warnings.warn(f'triton {triton.__version__} is older than 3.3, the oldest supported release', stacklevel=2)


@functools.cache
def get_device_capability(device_index: int = 0) -> tuple[int, int]:
    """The compute capability of a `cuda` device, `(0, 0)` on every other platform."""
    if device != 'cuda' or device_index >= torch.cuda.device_count():
        return (0, 0)
    return torch.cuda.get_device_capability(device_index)


@functools.cache
def get_device_smem_optin(device_index: int = 0) -> int:
    """The shared memory in bytes that a block can opt in to on a device, -1 where it is unknown."""
    if device == 'cpu':
        return -1
    try:
        return triton.runtime.driver.active.utils.get_device_properties(device_index)['max_shared_mem']
    except (AttributeError, KeyError, RuntimeError):
        return -1


@functools.cache
def get_all_max_shared_mem() -> list[int]:
    """`get_device_smem_optin` of each device; `[-1]` where there is none."""
    count = 0 if device == 'cpu' else device_torch_lib.device_count()
    return [get_device_smem_optin(i) for i in range(count)] or [-1]


@functools.cache
def check_shared_mem(arch: str = 'none', tensor_idx: int = 0) -> bool:
    """Whether a device offers the shared memory of an architecture (`ada`, `ampere`, `hopper`)."""
    shared_mem = get_all_max_shared_mem()
    return tensor_idx < len(shared_mem) and shared_mem[tensor_idx] >= Backend.get_shared_memory(arch)


@functools.cache
def get_multiprocessor_count(tensor_idx: int = 0, *, use_aicore: bool = False) -> int:
    """The number of multiprocessors of a device, 1 without an accelerator.

    Args:
        tensor_idx (int, Optional):
            Index of the device. Default: `0`.
        use_aicore (bool, Optional):
            On an NPU, count the cube cores and not the vector cores. Default: `False`.
    """
    if device == 'cpu':
        return 1
    if device == 'npu':
        properties = triton.runtime.driver.active.utils.get_device_properties(tensor_idx)
        return properties['num_aicore' if use_aicore else 'num_vectorcore']
    if device == 'xpu':
        return torch.xpu.get_device_properties(tensor_idx).gpu_subslice_count
    return torch.cuda.get_device_properties(tensor_idx).multi_processor_count


def custom_device_ctx(index: int):
    """A context in which kernels are launched on the device of that index."""
    if device == 'cpu':
        return contextlib.nullcontext()
    return device_torch_lib.device(index)


def _device_label() -> str:
    return '' if device == 'cpu' else device_torch_lib.get_device_name(0)


_CAPABILITY = get_device_capability()

IS_ARM = platform.machine().lower() in ('aarch64', 'arm64')
IS_AMD = device_platform == 'hip'
IS_INTEL = device_platform == 'xpu'
IS_NPU = device_platform == 'npu'
IS_NVIDIA = device_platform == 'cuda'
IS_INTEL_ALCHEMIST = IS_INTEL and 'Intel(R) Arc(TM) A' in _device_label()
IS_NVIDIA_HOPPER = IS_NVIDIA and _CAPABILITY[0] == 9
IS_NVIDIA_SM100 = IS_NVIDIA and _CAPABILITY[0] in (10, 11)
IS_NVIDIA_SM120 = IS_NVIDIA and _CAPABILITY[0] == 12
IS_NVIDIA_BLACKWELL = IS_NVIDIA_SM100 or IS_NVIDIA_SM120
IS_TF32_SUPPORTED = IS_NVIDIA and _CAPABILITY[0] >= 8
IS_GATHER_SUPPORTED = hasattr(tl, 'gather')
IS_TMA_SUPPORTED = FLA_USE_TMA and IS_NVIDIA and _CAPABILITY[0] >= 9 and hasattr(tl, 'make_tensor_descriptor')
