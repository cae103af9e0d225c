# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the functions of Python that kernels have, those that print, and helpers that are compiled apart are given and do not take."""

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from flakelint.kernel.decorators import JIT
from flakelint.kernel.graph import Cases, Value, each_value
from flakelint.kernel.helper_calls import is_plain_helper
from flakelint.kernel.staging import is_run_time
from flakelint.kernel.tensors import are_tensors, may_be_tuple
from flakelint.project.imports import dotted
from flakelint.rules.tri.places import takes_arguments
from flakelint.rules.tri.recorded import Seen, values_of
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.kernel.kernels import Kernel

Found = Iterator[tuple[ast.AST, str, bool]]

_OF_NUMBERS = frozenset({'float', 'int'})
_OF_SEVERAL = frozenset({'max', 'min'})
_PRINTS = frozenset({'print', 'triton.language.core.device_print', 'triton.language.device_print'})
_ASKED = frozenset({'len', 'list', *_OF_NUMBERS, *_OF_SEVERAL, *_PRINTS})
_INSTEAD = {'float': '`.to(tl.float32)`', 'int': '`.to(tl.int32)`', 'len': '`.shape`, or `.numel`'}


def problems(kernel: 'Kernel', file: 'File') -> Found:
    """The calls of a kernel that are refused for what they are given, with why, and whether also where they are not compiled."""
    calls = [(call, name) for call in kernel.calls if (name := _name(call, kernel, file))]
    apart = list(_compiled_apart(kernel, file))
    arguments = [one for call, _ in calls for one in call.args] + [one for call, _ in apart for one in call.args]
    seen = values_of(arguments, kernel, file)
    trusts = bool(calls) and takes_arguments(kernel, file) and not file.repository.is_called_by_kernels(kernel)
    assigned = {id(node.value) for node in kernel.body if isinstance(node, ast.Assign)}
    for call, name in calls:
        problem = _of_call(call, name, seen, trusts, id(call) in assigned)
        if problem:
            yield call, problem, False
    for call, name in apart:
        block = next((one for one in call.args if _is_block(_values(one, seen))), None)
        if block is not None:
            problem = f'`{name}` is `noinline`, and is given the block `{written(block)}`'
            yield call, f'{problem}: Triton takes only scalars there; leave `noinline` out', False


def _name(call: ast.Call, kernel: 'Kernel', file: 'File') -> str:
    """The full name of what a call calls, if it is looked at here."""
    name = dotted(call.func) or ''
    full = kernel.bindings.resolve(name)
    if full not in _ASKED and not full.startswith('math.'):
        return ''
    return '' if '.' not in full and (name in kernel.assigned or _is_bound(name, file)) else full


def _is_bound(name: str, file: 'File') -> bool:
    """Whether the module binds a name of Python's own anew."""
    return any(
        getattr(node, 'name', '') == name
        or (isinstance(node, ast.Assign) and any(dotted(target) == name for target in node.targets))
        for node in file.statements
    )


def _of_call(call: ast.Call, name: str, seen: Seen, trusts: bool, is_assigned: bool) -> str:
    text = f'`{written(call)}`'
    if any(isinstance(one, ast.Starred) for one in call.args):
        return ''
    if name.startswith('math.') or name in _OF_NUMBERS:
        late = next((one for one in call.args if _is_late(_values(one, seen), trusts)), None)
        if late is None:
            return ''
        what = f'`{written(late)}` is a value of the run time, and `{written(call.func)}` takes numbers only'
        return f'{what}: compiling raises TypeError; use {_INSTEAD.get(name, "the function of `tl` or `libdevice`")}'
    if name == 'len':
        values = _values(call.args[0], seen) if len(call.args) == 1 else []
        is_tensor = are_tensors(values) and not may_be_tuple(values)
        return f'{text} asks for the length of a tensor: compiling raises TypeError; use {_INSTEAD[name]}' if is_tensor else ''
    if name == 'list':
        problem = f'{text} is bound to a name, which makes a tensor of it: compiling raises TypeError; write a tuple'
        return problem if is_assigned and call.args else ''
    if name in _OF_SEVERAL:
        only = call.args[0] if len(call.args) == 1 else None
        is_refused = isinstance(only, ast.Tuple | ast.List) or (only is not None and are_tensors(_values(only, seen)))
        return f'{text} needs two values at least, and is refused; `tl.{name}` reduces a block' if is_refused else ''
    return _of_print(call, name, seen, trusts)


def _of_print(call: ast.Call, name: str, seen: Seen, trusts: bool) -> str:
    """What is wrong with the first argument of a call that prints."""
    first = call.args[0] if call.args else None
    if first is None:
        return f'`{written(call)}` prints nothing, and is refused: the text comes first' if not call.keywords else ''
    is_number = isinstance(first, ast.Constant) and not isinstance(first.value, str)
    if not is_number and not _is_late(_values(first, seen), trusts):
        return ''
    called = written(call.func)
    text = f'`{called}` starts with a text, and is given `{written(first)}`'
    return f"{text}: Triton refuses it (\"is not string\"); write `{called}('x', x)`"


def _compiled_apart(kernel: 'Kernel', file: 'File') -> Iterator[tuple[ast.Call, str]]:
    """The calls of helpers that are not compiled into the kernel."""
    for call in kernel.calls:
        name = dotted(call.func)
        if not name or kernel.bindings.resolve(name).startswith('triton.'):
            continue
        helper = file.repository.helper(kernel, name)
        if helper is not None and is_plain_helper(helper) and _is_apart(helper):
            yield call, name


def _is_apart(helper: 'Kernel') -> bool:
    asked = [one.keywords.get('noinline') for one in helper.decorators if one.role == JIT]
    return any(isinstance(one, ast.Constant) and one.value is True for one in asked)


def _values(node: ast.expr, seen: Seen) -> list[Value | Cases]:
    return [value for _, value in seen.get(id(node), ())]


def _is_late(values: list[Value | Cases], trusts: bool) -> bool:
    return are_tensors(values) or (bool(values) and all(is_run_time(one, trusts, takes_number=True) for one in values))


def _is_block(values: Iterable[Value | Cases]) -> bool:
    cases = list(each_value(values))
    return bool(cases) and all(one.shape and are_tensors([one]) for one in cases)
