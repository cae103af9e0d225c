# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The autotuner of this package: Triton's own on a GPU, and one that does not measure elsewhere."""

import os

import triton
from triton.runtime.jit import KernelInterface

from fla.utils import FLA_CI_ENV, SUPPORTS_AUTOTUNE_CACHE, device_platform

IS_MEASURED = device_platform != 'cpu' and os.getenv('TRITON_INTERPRET', '0') != '1' and not FLA_CI_ENV


class FirstConfig(KernelInterface):
    """A kernel that is always launched with the first configuration left by pruning.

    Its one launch is no trial, so the buffers of `reset_to_zero` and `restore_value` are left as the caller passed them,
    as they are before Triton's final launch.
    """

    def __init__(self, fn, configs, key=None, prune_configs_by=None, reset_to_zero=None, restore_value=None):
        names = [*(key or ()), *(reset_to_zero or ()), *(restore_value or ())]
        unknown = [name for name in names if name not in fn.arg_names]
        if unknown:
            raise ValueError(f'{fn} has no argument {unknown[0]!r}')
        self.fn = fn
        self.arg_names = fn.arg_names
        self.configs = list(configs) or [triton.Config({})]
        self.keys = list(key or ())
        self.early_config_prune = (prune_configs_by or {}).get('early_config_prune')

    def _choose(self, args, kwargs) -> triton.Config:
        if self.early_config_prune is None:
            return self.configs[0]
        nargs = dict(zip(self.arg_names, args, strict=False))
        configs = self.early_config_prune(self.configs, nargs, **kwargs)
        if not configs:
            raise RuntimeError(f'pruning left no configuration for {self.fn}')
        return configs[0]

    def run(self, *args, **kwargs):
        """Launch the kernel; names of the configuration must not be passed."""
        config = self._choose(args, kwargs)
        options = config.all_kwargs()
        conflicts = sorted(config.kwargs.keys() & kwargs.keys())
        if conflicts:
            raise ValueError(f'conflicting meta-parameters: {", ".join(conflicts)}')
        if config.pre_hook is not None:
            config.pre_hook({**dict(zip(self.arg_names, args, strict=False)), **kwargs, **options})
        return self.fn.run(*args, **kwargs, **options)


def fla_cache_autotune(
    configs,
    key=None,
    prune_configs_by=None,
    reset_to_zero=None,
    restore_value=None,
    pre_hook=None,
    post_hook=None,
    warmup=None,
    rep=None,
    use_cuda_graph=False,
    do_bench=None,
    cache_results=False,
):
    """`triton.autotune` that also works under Triton's interpreter and without a driver.

    There, and with `FLA_CI_ENV`, the first configuration is taken and nothing is measured.
    Elsewhere all parameters mean what they mean to `triton.autotune`; `cache_results` is dropped where Triton lacks it.
    """
    if not IS_MEASURED:
        return lambda fn: FirstConfig(fn, configs, key, prune_configs_by, reset_to_zero, restore_value)
    options = {
        'prune_configs_by': prune_configs_by,
        'reset_to_zero': reset_to_zero,
        'restore_value': restore_value,
        'pre_hook': pre_hook,
        'post_hook': post_hook,
        'do_bench': do_bench,
    }
    # Triton warns about these even where they hold their defaults
    options.update({'warmup': warmup} if warmup is not None else {})
    options.update({'rep': rep} if rep is not None else {})
    options.update({'use_cuda_graph': True} if use_cuda_graph else {})
    options.update({'cache_results': cache_results} if SUPPORTS_AUTOTUNE_CACHE else {})
    return triton.autotune(configs=configs, key=list(key or ()), **options)
