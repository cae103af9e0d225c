# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Other implementations of operators than the one that stands in their module: who they are, and which one serves a call.

    # fla/ops/linear_attn/backends/__init__.py
    registry = BackendRegistry('linear_attn')
    registry.register(MyBackend())

    # fla/ops/linear_attn/chunk.py
    @dispatch('linear_attn')
    def chunk_linear_attn(q, k, v): ...

A call of the decorated function goes to the first backend that is available, switched on, has a method of the function's name, and finds nothing against the arguments; otherwise the function itself runs.
"""

import functools
import importlib
import logging
import os
from collections.abc import Callable

from fla.utils import find_spec_cached
from fla.utils._config import flag

__all__ = ['BackendRegistry', 'BaseBackend', 'dispatch']

logger = logging.getLogger(__name__)
_registries: dict[str, 'BackendRegistry'] = {}


class BaseBackend:
    """Another implementation of functions of one operation.

    A subclass has a method for each function that it implements, of the same name and parameters. Next to it a method `<function>_verifier` of the same parameters may say why a call cannot be served, or return `None`.

    Args:
        name (str):
            What messages call it.
        env_var (str):
            The environment variable that switches it on or off, read once; without one it is as `is_default` says.
        priority (int):
            The higher, the earlier it is asked.
        is_default (bool):
            Whether it is on where the variable is not set.
    """

    name: str = ''
    env_var: str = ''
    priority: int = 0
    is_default: bool = True

    def is_available(self) -> bool:
        """Whether it can run on this machine, whatever the arguments; asked once."""
        return True

    def is_enabled(self) -> bool:
        """Whether it is switched on."""
        return flag(self.env_var, '1' if self.is_default else '0') if self.env_var else self.is_default

    def is_asked_for(self) -> bool:
        """Whether somebody has switched it on, and would like to know why it does not serve."""
        return bool(self.env_var) and os.getenv(self.env_var) is not None

    def refusal(self, function: str, args: tuple, kwargs: dict) -> str | None:
        """Why it does not serve a call of a function that it implements, `None` if it does."""
        verifier = getattr(self, f'{function}_verifier', None)
        return verifier(*args, **kwargs) if verifier is not None else None


class BackendRegistry:
    """The backends of one operation, in the order in which they are asked.

    Args:
        operation_name (str):
            The operation, as `dispatch` names it: the folder of its module.
    """

    def __init__(self, operation_name: str):
        if operation_name in _registries:
            raise ValueError(f'{operation_name!r} has a registry')
        self.operation_name = operation_name
        self.backends: list[BaseBackend] = []
        self._active: list[BaseBackend] | None = None
        self._said: set[tuple[str, str, str]] = set()
        _registries[operation_name] = self

    def register(self, backend: BaseBackend) -> BaseBackend:
        """Add a backend, after those of its priority."""
        if any(each.name == backend.name for each in self.backends):
            raise ValueError(f'{self.operation_name!r} has a backend {backend.name!r}')
        self.backends = sorted([*self.backends, backend], key=lambda each: -each.priority)
        self.refresh()
        return backend

    def refresh(self) -> None:
        """Ask again which backends are available and switched on, and forget what was said."""
        self._active = None
        self._said.clear()

    def active(self) -> list[BaseBackend]:
        """The backends that are switched on and available."""
        if self._active is None:
            enabled = [backend for backend in self.backends if backend.is_enabled()]
            self._active = [backend for backend in enabled if backend.is_available()]
            for backend in enabled:
                if backend not in self._active and backend.is_asked_for():
                    self._say(backend, self.operation_name, 'it is not available on this machine')
        return self._active

    def choose(self, function: str, args: tuple, kwargs: dict) -> Callable | None:
        """What serves a call in place of the function itself, `None` if nothing does."""
        for backend in self.active():
            method = getattr(backend, function, None)
            if method is None:
                continue
            reason = backend.refusal(function, args, kwargs)
            if reason is None:
                return method
            self._say(backend, function, reason)
        return None

    def _say(self, backend: BaseBackend, function: str, reason: str) -> None:
        if (backend.name, function, reason) not in self._said:
            self._said.add((backend.name, function, reason))
            level = logging.WARNING if backend.is_asked_for() else logging.INFO
            logger.log(level, '%s: the backend %s does not serve it, since %s', function, backend.name, reason)


@functools.cache
def _load(operation: str) -> None:
    """Import the backends of an operation, which register themselves."""
    name = f'fla.ops.{operation}.backends'
    if find_spec_cached(name) is not None:
        importlib.import_module(name)


def dispatch(operation: str) -> Callable[[Callable], Callable]:
    """Let the backends of an operation serve the calls of a function.

    Args:
        operation (str):
            The operation whose registry is asked, a folder of `fla/ops`; its `backends` are imported by the first call. Without a registry the function runs.
    """

    def decorator(fn: Callable) -> Callable:
        name = fn.__name__

        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            _load(operation)
            registry = _registries.get(operation)
            method = registry.choose(name, args, kwargs) if registry is not None else None
            return fn(*args, **kwargs) if method is None else method(*args, **kwargs)

        return wrapper

    return decorator
