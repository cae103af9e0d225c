# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The autotuner of this package: Triton's own on a GPU, and one that does not measure elsewhere."""

import os

import torch
import triton
from triton.runtime import driver
from triton.runtime.jit import JITFunction, KernelInterface

from fla.utils import FLA_CI_ENV, IS_NVIDIA, SUPPORTS_AUTOTUNE_CACHE, device_platform

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


class RememberedLaunch(KernelInterface):
    """An autotuned kernel that is launched without the autotuner when all that its code depends on was seen before.

    What Triton does at every launch, to choose a configuration and to find the code for the types of the arguments, takes longer than many a kernel runs. Here the compiled kernel is kept for what that choice goes by: constants, types, which pointers and sizes are multiples of 16, and which sizes are 1.
    """

    def __init__(self, fn):
        self.fn = fn
        self.arg_names = fn.arg_names
        self.constants = {parameter.name for parameter in fn.fn.params if parameter.is_constexpr}
        self.launches = {}

    def _key(self, kwargs) -> tuple | None:
        """What the code depends on; `None` if that is not known."""
        key = [driver.active.get_current_device(), *kwargs]
        for name, value in kwargs.items():
            if value is None or name in self.constants:
                key.append(value)
            elif isinstance(value, torch.Tensor):
                key += value.dtype, value.data_ptr() % 16 == 0
            elif type(value) is int:
                key += value == 1, value % 16 == 0, value.bit_length(), value < 0
            elif type(value) is float:
                key.append(float)
            else:
                return None
        return tuple(key)

    def run(self, *args, grid, warmup, **kwargs):
        """Launch the kernel, through the autotuner where it has to choose."""
        key = None if args or warmup else self._key(kwargs)
        if key is None or key not in self.launches:
            compiled = self.fn.run(*args, grid=grid, warmup=warmup, **kwargs)
            chosen = self.fn.best_config.kwargs
            if key is not None and compiled is not None and set(self.arg_names) <= kwargs.keys() | chosen.keys():
                self.launches[key] = compiled, chosen
            return compiled
        compiled, chosen = self.launches[key]
        arguments = {**kwargs, **chosen}
        size = grid(arguments) if callable(grid) else grid
        compiled[(*size, 1, 1)[:3]](*[arguments[name] for name in self.arg_names])
        return compiled


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
    autotune = triton.autotune(configs=configs, key=list(key or ()), **options)
    has_hooks = any([reset_to_zero, restore_value, pre_hook, post_hook, *(config.pre_hook for config in configs)])

    def decorate(fn):
        tuned = autotune(fn)
        return RememberedLaunch(tuned) if IS_NVIDIA and isinstance(fn, JITFunction) and not has_hooks else tuned

    return decorate
