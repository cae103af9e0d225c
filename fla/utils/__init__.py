# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Devices, decorators, test helpers, compatibility and configuration: the one public list of `fla`'s tools."""

from fla.utils._compat import (
    SUPPORTS_AUTOTUNE_CACHE,
    TRITON_ABOVE_3_4_0,
    TRITON_ABOVE_3_5_1,
    TRITON_ABOVE_3_7_1,
    autotune_cache_kwargs,
    find_spec_cached,
    has_usable_nvcc,
)
from fla.utils._config import (
    FLA_CACHE_RESULTS,
    FLA_CI_ENV,
    FLA_DISABLE_TENSOR_CACHE,
    FLA_TENSOR_CACHE_SIZE,
)
from fla.utils._decorators import (
    Action,
    autocast_custom_bwd,
    autocast_custom_fwd,
    checkpoint,
    contiguous,
    deprecate_kwarg,
    input_guard,
    require_version,
    tensor_cache,
)
from fla.utils._device import (
    IS_AMD,
    IS_ARM,
    IS_GATHER_SUPPORTED,
    IS_INTEL,
    IS_INTEL_ALCHEMIST,
    IS_NPU,
    IS_NVIDIA,
    IS_NVIDIA_BLACKWELL,
    IS_NVIDIA_HOPPER,
    IS_NVIDIA_SM100,
    IS_NVIDIA_SM120,
    IS_TF32_SUPPORTED,
    IS_TMA_SUPPORTED,
    Backend,
    check_environments,
    check_pytorch_version,
    check_shared_mem,
    custom_device_ctx,
    device,
    device_name,
    device_platform,
    device_torch_lib,
    get_all_max_shared_mem,
    get_available_device,
    get_device_capability,
    get_device_smem_optin,
    get_multiprocessor_count,
    map_triton_backend_to_torch_device,
)
from fla.utils._testing import (
    assert_close,
    by_size,
    get_abs_err,
    get_err_ratio,
)

__all__ = [
    'FLA_CACHE_RESULTS',
    'FLA_CI_ENV',
    'FLA_DISABLE_TENSOR_CACHE',
    'FLA_TENSOR_CACHE_SIZE',
    'IS_AMD',
    'IS_ARM',
    'IS_GATHER_SUPPORTED',
    'IS_INTEL',
    'IS_INTEL_ALCHEMIST',
    'IS_NPU',
    'IS_NVIDIA',
    'IS_NVIDIA_BLACKWELL',
    'IS_NVIDIA_HOPPER',
    'IS_NVIDIA_SM100',
    'IS_NVIDIA_SM120',
    'IS_TF32_SUPPORTED',
    'IS_TMA_SUPPORTED',
    'SUPPORTS_AUTOTUNE_CACHE',
    'TRITON_ABOVE_3_4_0',
    'TRITON_ABOVE_3_5_1',
    'TRITON_ABOVE_3_7_1',
    'Action',
    'Backend',
    'assert_close',
    'autocast_custom_bwd',
    'autocast_custom_fwd',
    'autotune_cache_kwargs',
    'by_size',
    'check_environments',
    'check_pytorch_version',
    'check_shared_mem',
    'checkpoint',
    'contiguous',
    'custom_device_ctx',
    'deprecate_kwarg',
    'device',
    'device_name',
    'device_platform',
    'device_torch_lib',
    'find_spec_cached',
    'get_abs_err',
    'get_all_max_shared_mem',
    'get_available_device',
    'get_device_capability',
    'get_device_smem_optin',
    'get_err_ratio',
    'get_multiprocessor_count',
    'has_usable_nvcc',
    'input_guard',
    'map_triton_backend_to_torch_device',
    'require_version',
    'tensor_cache',
]

# every constant also goes by its lower-case name
_lowered = {name.lower(): globals()[name] for name in __all__ if name.isupper()}
globals().update(_lowered)
__all__ += list(_lowered)
