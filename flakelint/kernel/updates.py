# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Tensors that a kernel changes by atomic operations only, so that what they hold before the launch shows in what they hold after it."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.kernel.graph import Guard, cases_of, is_none, reachable
from flakelint.kernel.launches import FLAG, NUMBER, TENSOR
from flakelint.kernel.origins import base_of
from flakelint.project.imports import dotted

if TYPE_CHECKING:
    from flakelint.kernel.frames import Access
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.launches import Launch, Passed
    from flakelint.kernel.model import Model

# atomic operations whose result depends on what was there before
_UPDATES = frozenset({'atomic_add', 'atomic_and', 'atomic_max', 'atomic_min', 'atomic_or', 'atomic_xor'})
# what differs from program to program, or from lane to lane
_OWN = frozenset({'arange', 'load', 'program_id'})
_LANGUAGE = 'triton.language.'
_FOREIGN = ('asm', 'extern', 'map_elementwise')
_HARMLESS_METHODS = frozenset({'cast', 'to'})
_HARMLESS = frozenset({'float', 'int', 'len', 'max', 'min', 'print', 'range'})
_MAX_DEPTH = 8


def uninitialized(model: 'Model', launch: 'Launch') -> 'Iterator[tuple[Passed, Access]]':
    """The fresh tensors of a launch that the kernel only updates, each with the first operation that surely does."""
    for name, passed in launch.parameters.items():
        if not passed.fresh or passed.kind != TENSOR:
            continue
        updates = list(_updates(model, name))
        if updates and not _escapes(model, model.kernel, {name}):
            sure = next((access for access in updates if _happens(access, name, launch)), None)
            if sure is not None:
                yield passed, sure


def _updates(model: 'Model', name: str) -> 'Iterator[Access]':
    """The operations that update a tensor; none where anything else may write to it."""
    found = []
    for access in model.accesses:
        if access.kind == 'load':
            continue
        involved = {value.name for value in reachable([access.address]) if value.op == 'parameter'}
        bases = {value.name for value in base_of(access.address)}
        if name in involved:
            if access.kind != 'atomic' or bases != {name} or operation(access) not in _UPDATES:
                return
            found.append(access)
        elif not bases and access.kind in ('atomic', 'store'):
            return
    yield from found


def operation(access: 'Access') -> str:
    """The name of the function by which an access is made."""
    return (dotted(access.node.func) or '').rpartition('.')[2]


def _happens(access: 'Access', name: str, launch: 'Launch') -> bool:
    """Whether a launch surely leads to an access: no flag and no argument alone can keep it from that."""
    guards = [access.guard | guard for guard, _ in cases_of(access.address)]
    if not any(_holds(guard, name, launch) for guard in guards):
        return False
    conditions = [*access.path, *([access.mask] if access.mask is not None else [])]
    return all(any(value.op in _OWN for value in reachable([one])) for one in conditions if not is_none(one))


def _holds(guard: Guard, name: str, launch: 'Launch') -> bool:
    for text, truth in guard:
        if (text, truth) == (f'{name} is None', False):
            continue
        passed = launch.parameters.get(text)
        if passed is None or passed.kind not in (FLAG, NUMBER) or passed.value is None or bool(passed.value) != truth:
            return False
    return True


def _escapes(model: 'Model', kernel: 'Kernel', names: set[str], depth: int = 0) -> bool:
    """Whether pointers that some names hold may reach a function that is not understood."""
    names = _derived(kernel, names)
    for node in kernel.calls:
        arguments = [*node.args, *(one.value for one in node.keywords)]
        is_own = isinstance(node.func, ast.Attribute) and _mentions(node.func.value, names)
        given = [one for one in arguments if _mentions(one, names)]
        if is_own and node.func.attr not in _HARMLESS_METHODS:
            return True
        if not given:
            continue
        spelled = dotted(node.func) or ''
        full = kernel.bindings.resolve(spelled)
        if full.startswith(_LANGUAGE):
            if any(word in full for word in _FOREIGN):
                return True
            continue
        if is_own or spelled in _HARMLESS:
            continue
        helper = model.facts.helper(kernel, node.func, full) if full else None
        if helper is None or depth >= _MAX_DEPTH or any(isinstance(one, ast.Starred) for one in node.args):
            return True
        if _escapes(model, helper, {one.name for one in helper.parameters}, depth + 1):
            return True
    return False


def _derived(kernel: 'Kernel', names: set[str]) -> set[str]:
    """The names that may hold what is made of some names."""
    found = set(names)
    while True:
        before = len(found)
        for node in kernel.body:
            is_binding = isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and node.value is not None
            if is_binding and _mentions(node.value, found):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found |= {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
        if len(found) == before:
            return found


def _mentions(node: ast.expr, names: set[str]) -> bool:
    return any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(node))
