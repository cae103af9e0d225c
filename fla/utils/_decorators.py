# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Decorators for operators: guards of their inputs, autocast, caching, deprecation."""

import collections
import enum
import functools
import importlib.metadata
import inspect
import itertools
import threading
import warnings
from collections.abc import Callable

import torch
import torch.utils.checkpoint
from packaging.requirements import Requirement
from packaging.version import Version
from torch import Tensor

import fla
from fla.utils._config import FLA_DISABLE_TENSOR_CACHE, FLA_TENSOR_CACHE_SIZE
from fla.utils._device import custom_device_ctx, device

autocast_custom_fwd = functools.partial(torch.amp.custom_fwd, device_type=device)
autocast_custom_bwd = functools.partial(torch.amp.custom_bwd, device_type=device)


class Action(enum.Enum):
    """What the use of a deprecated keyword argument leads to."""

    NONE = 'none'
    NOTIFY = 'notify'
    NOTIFY_ALWAYS = 'notify_always'
    RAISE = 'raise'


def _identity(value):
    if not isinstance(value, Tensor):
        return (type(value), value)
    return (id(value), value._version)


def _is_inference(value) -> bool:
    return isinstance(value, Tensor) and value.is_inference()


def tensor_cache(fn: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Remember the last results of a function of tensors, keyed by the identity of its arguments.

    A tensor changed in place since counts as another one. An inference tensor does not tell whether it was changed,
    so that with one nothing is looked up.
    `FLA_TENSOR_CACHE_SIZE` results are kept; `FLA_DISABLE_TENSOR_CACHE` keeps none.
    """
    if FLA_DISABLE_TENSOR_CACHE or FLA_TENSOR_CACHE_SIZE < 1:
        return fn
    entries = collections.OrderedDict()
    lock = threading.Lock()

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        if torch.compiler.is_compiling() or any(map(_is_inference, (*args, *kwargs.values()))):
            return fn(*args, **kwargs)
        key = (tuple(map(_identity, args)), tuple((name, _identity(kwargs[name])) for name in sorted(kwargs)))
        with lock:
            if key in entries:
                entries.move_to_end(key)
                return entries[key][0]
        result = fn(*args, **kwargs)
        with lock:
            # the arguments are kept alive, so that no other tensor can take over their identity
            entries[key] = (result, args, kwargs)
            while len(entries) > FLA_TENSOR_CACHE_SIZE:
                entries.popitem(last=False)
        return result

    return wrapper


def _first_tensor(args, kwargs) -> Tensor | None:
    return next((x for x in (*args, *kwargs.values()) if isinstance(x, Tensor)), None)


def input_guard(
    fn: Callable[..., Tensor] | None = None,
    *,
    no_guard_contiguous: bool | list[str] | tuple[str, ...] | set[str] = False,
) -> Callable[..., Tensor]:
    """Make every tensor argument contiguous and run the function on the device of the first one.

    Args:
        fn (Callable, Optional):
            The function; left out where the decorator is given options. Default: `None`.
        no_guard_contiguous (bool | list[str] | tuple[str, ...] | set[str], Optional):
            `True` leaves all arguments as they are, a collection those it names. Default: `False`.
    """
    if fn is None:
        return functools.partial(input_guard, no_guard_contiguous=no_guard_contiguous)
    guard_all = no_guard_contiguous is False
    guard_none = no_guard_contiguous is True
    kept = frozenset() if isinstance(no_guard_contiguous, bool) else frozenset(no_guard_contiguous)
    names = tuple(inspect.signature(fn).parameters)
    unknown = kept - set(names)
    if unknown:
        raise ValueError(f'{fn.__name__} has no parameter {sorted(unknown)[0]!r}')

    def guard(name, value):
        if guard_none or not isinstance(value, Tensor) or (not guard_all and name in kept):
            return value
        return value.contiguous()

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        args = tuple(guard(name, value) for name, value in itertools.zip_longest(names[:len(args)], args))
        kwargs = {name: guard(name, value) for name, value in kwargs.items()}
        tensor = _first_tensor(args, kwargs)
        if tensor is None or tensor.device.index is None:
            return fn(*args, **kwargs)
        with custom_device_ctx(tensor.device.index):
            return fn(*args, **kwargs)

    return wrapper


def contiguous(fn: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`input_guard` without options."""
    return input_guard(fn)


def checkpoint(fn):
    """Recompute the function in the backward pass instead of keeping its intermediate results."""

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return torch.utils.checkpoint.checkpoint(fn, *args, use_reentrant=False, **kwargs)

    return wrapper


def require_version(version, hint):
    """Refuse, at its call, a function whose dependency is missing or of the wrong version.

    Args:
        version (str):
            The requirement in the syntax of pip, such as `triton>=3.3`.
        hint (str):
            What the error message adds.
    """
    requirement = Requirement(version)

    def decorator(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            try:
                found = importlib.metadata.version(requirement.name)
            except importlib.metadata.PackageNotFoundError:
                raise ImportError(f'{fn.__name__} needs {version}, which is not installed. {hint}') from None
            if not requirement.specifier.contains(found, prereleases=True):
                raise ImportError(f'{fn.__name__} needs {version}, but {found} is installed. {hint}')
            return fn(*args, **kwargs)

        return wrapper

    return decorator


def deprecate_kwarg(
    old_name: str,
    version: str,
    new_name: str | None = None,
    warn_if_greater_or_equal_version: bool = False,
    raise_if_greater_or_equal_version: bool = False,
    raise_if_both_names: bool = False,
    additional_message: str | None = None,
):
    """Warn about a keyword argument that goes away, and pass its value on under the new name.

    Args:
        old_name (str):
            The deprecated name.
        version (str):
            The version of this package from which on the name is gone.
        new_name (str, Optional):
            The name that takes its place. Default: `None`.
        warn_if_greater_or_equal_version (bool, Optional):
            Go on warning once the version is reached. Default: `False`.
        raise_if_greater_or_equal_version (bool, Optional):
            Raise `ValueError` once the version is reached. Default: `False`.
        raise_if_both_names (bool, Optional):
            Raise `ValueError` if both names are given; otherwise the new one wins with a warning. Default: `False`.
        additional_message (str, Optional):
            Text added to the message. Default: `None`.
    """
    reached = Version(fla.__version__) >= Version(version)

    def decide(kwargs) -> Action:
        if new_name in kwargs:
            return Action.RAISE if raise_if_both_names else Action.NOTIFY_ALWAYS
        return Action.NOTIFY

    def settle(action: Action) -> Action:
        if reached and raise_if_greater_or_equal_version:
            return Action.RAISE
        if reached and not warn_if_greater_or_equal_version and action is Action.NOTIFY:
            return Action.NONE
        return action

    def describe(fn, kwargs) -> str:
        when = f'removed since version {version}' if reached else f'to be removed in version {version}'
        parts = [f'`{old_name}` of `{fn.__qualname__}` is deprecated and {when}.']
        if new_name in kwargs:
            parts.append(f'Both it and `{new_name}` are given; `{new_name}` is used.')
        elif new_name is not None:
            parts.append(f'Use `{new_name}` instead.')
        return ' '.join(parts + ([additional_message] if additional_message else []))

    def decorator(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            if old_name not in kwargs:
                return fn(*args, **kwargs)
            action, message = settle(decide(kwargs)), describe(fn, kwargs)
            if action is Action.RAISE:
                raise ValueError(message)
            if action is not Action.NONE:
                warnings.warn(message, FutureWarning, stacklevel=2)
            if new_name is not None:
                value = kwargs.pop(old_name)
                kwargs.setdefault(new_name, value)
            return fn(*args, **kwargs)

        return wrapper

    return decorator
