# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the calls in a test give."""

import ast
import re
from typing import Any

from flakelint.coverage.expressions import Arguments
from flakelint.coverage.libraries import of_named
from flakelint.coverage.names import attribute, lineage, methods_of
from flakelint.coverage.operations import ERRORS, is_plain_format
from flakelint.coverage.run import Call, Run
from flakelint.coverage.shapes import of_call, of_method
from flakelint.coverage.statements import result_of
from flakelint.coverage.values import (
    FINAL_STATE,
    FINAL_STATE_ASKED,
    LEAF,
    OUTPUT,
    REFERENCE,
    Choice,
    Class,
    Function,
    Instance,
    Method,
    Named,
    Opaque,
    Partial,
    Reference,
    Sources,
    Structure,
    Tested,
    is_known,
    joined,
    sources_of,
)
from flakelint.project.imports import called_name, last_name

_MAX_DEPTH = 12
_COMPARES = re.compile(
    r'assert_\w*(?:close|equal|near)\w*|check_close\w*|allclose|equal|(?:\w+_)?(?:err|error|diff)(?:_\w+)?|mse_loss|l1_loss',
)

_METHODS = {
    str: frozenset({
        'endswith', 'format', 'join', 'lower', 'lstrip', 'replace', 'rstrip', 'split', 'startswith', 'strip', 'title', 'upper',
    }),
    dict: frozenset({'copy', 'get', 'items', 'keys', 'pop', 'setdefault', 'update', 'values'}),
    list: frozenset({'append', 'copy', 'count', 'extend', 'index', 'insert', 'pop', 'remove', 'reverse'}),
    tuple: frozenset({'count', 'index', 'numel'}),
    int: frozenset({'bit_length'}),
}
_TOLERANCES = frozenset({
    'atol', 'decimal', 'eps', 'err_atol', 'err_msg', 'err_ratio', 'msg', 'prefix', 'ratio', 'rtol', 'tol', 'tolerance',
    'warning',
})
_FRESH = frozenset({'detach', 'detach_'})


def call(function: Any, arguments: Arguments, run: Run) -> Any:
    """What a call gives.

    Args:
        function (Any):
            What is called.
        arguments (Arguments):
            What is passed.
        run (Run):
            The reading.
    """
    sources = joined([function, arguments.values, arguments.keywords])
    if isinstance(function, Partial):
        values, keywords = [*function.arguments, *arguments.values], {**function.keywords, **arguments.keywords}
        return call(function.function, Arguments(values, keywords, arguments.is_complete), run)
    if isinstance(function, Tested):
        return _tested(function, arguments, run)
    if isinstance(function, Reference):
        return Opaque(sources | {(REFERENCE, function.place)})
    alike = _alike(function, arguments, run) if isinstance(function, Function | Named | Method) else None
    if isinstance(function, Function):
        found = _followed(function, arguments, run)
        return Opaque(alike | sources_of(found)) if alike is not None and isinstance(found, Opaque) else found
    if alike is not None:
        return Opaque(alike)
    if isinstance(function, Class):
        return _made(function, arguments, run)
    if isinstance(function, Instance):
        # as a module of torch calls its `forward`
        methods = [attribute(function, name, run) for name in ('__call__', 'forward')]
        found = next((one for one in methods if isinstance(one, Function)), Opaque())
        return call(found, arguments, run)
    if isinstance(function, Method):
        return _of_method(function, arguments, run)
    if isinstance(function, Named):
        return of_named(function.name, arguments, run)
    return Opaque(sources)


def _made(function: Class, arguments: Arguments, run: Run) -> Any:
    """An object of a class."""
    classes = lineage(function, run)
    is_tuple = any(last_name(base) == 'NamedTuple' for one in classes for base in one.node.bases)
    decorators = set(map(called_name, function.node.decorator_list))
    if is_tuple or 'dataclass' in decorators:
        return Structure(_fields(classes, arguments, run), is_tuple, function.node)
    made = Instance(function.node, function.scope)
    initialise = methods_of(function, run).get('__init__')
    if initialise is not None:
        _followed(Function(initialise, function.scope, (made,)), arguments, run)
    return made


def _fields(classes: list[Class], arguments: Arguments, run: Run) -> dict[str, Any]:
    """The attributes of an object of a data class, by what it is made from."""
    nodes = [(one, node) for one in reversed(classes) for node in one.node.body if isinstance(node, ast.AnnAssign)]
    names = [node.target.id for _, node in nodes if isinstance(node.target, ast.Name)]
    found = dict.fromkeys(names, Opaque())
    found |= {node.target.id: run.evaluate(node.value, one.scope, run) for one, node in nodes if node.value is not None}
    return found | dict(zip(names, arguments.values, strict=False)) | arguments.keywords


def _tested(function: Tested, arguments: Arguments, run: Run) -> Any:
    """The result of an operator, with its final state where it has one."""
    parameters = run.operators[function.place]
    passed = {**dict(zip(parameters, arguments.values, strict=False)), **arguments.keywords}
    number = len(run.record.calls)
    run.record.calls.append(Call(function.place, passed, arguments.is_complete))
    sources = joined(passed.values()) | {(OUTPUT, number)}
    result = Opaque(sources)
    return (result, Opaque(sources | {(FINAL_STATE, number)})) if FINAL_STATE_ASKED in parameters else result


def _followed(function: Function, arguments: Arguments, run: Run) -> Any:
    if run.depth >= _MAX_DEPTH:
        return Opaque(joined([arguments.values, arguments.keywords]))
    run.depth += 1
    try:
        return result_of(function, arguments, run)
    finally:
        run.depth -= 1


def _alike(function: Function | Named | Method, arguments: Arguments, run: Run) -> Sources | None:
    """What a function says to be alike, by its name; `None` for any other function."""
    name = getattr(function.node, 'name', '') if isinstance(function, Function) else function.name.rpartition('.')[2]
    if not _COMPARES.fullmatch(name):
        return None
    values = [value for key, value in arguments.keywords.items() if key not in _TOLERANCES]
    values = [*([function.owner] if isinstance(function, Method) else []), *arguments.values, *values]
    # names and tolerances are no sides
    sides = [one for one in values if isinstance(one, list | tuple | dict) or (isinstance(one, Opaque) and one != Opaque())]
    if len(sides) < 2:
        return None
    found = run.difference(sources_of(sides[0]), sources_of(sides[1]))
    if name.startswith(('assert', 'check')):
        run.is_asserted(found)
    return found


def _of_method(method: Method, arguments: Arguments, run: Run) -> Any:
    owner, name = method.owner, method.name
    if isinstance(owner, Opaque):
        return _of_tensor(owner, name, arguments, run)
    if isinstance(owner, Choice):
        return Opaque(sources_of(owner))
    sources = joined([owner, arguments.values, arguments.keywords])
    allowed = next((names for kind, names in _METHODS.items() if isinstance(owner, kind)), frozenset())
    is_text = isinstance(owner, str)
    if name not in allowed or (is_text and not is_known([arguments.values, arguments.keywords])):
        return Opaque(sources)
    if is_text and name == 'format' and not _is_short(owner, arguments):
        return Opaque(sources)
    try:
        found = getattr(owner, name)(*arguments.values, **arguments.keywords)
    except ERRORS:
        return Opaque(sources)
    return list(found) if name in ('items', 'keys', 'values') else found


def _is_short(text: str, arguments: Arguments) -> bool:
    """Whether a text can be formatted without asking for more than numbers and texts say."""
    values = [*arguments.values, *arguments.keywords.values()]
    return is_plain_format(text) and all(isinstance(one, str | int | float | None) for one in values)


def _of_tensor(owner: Opaque, name: str, arguments: Arguments, run: Run) -> Any:
    if name == 'backward':
        run.backward(owner.sources)
        return None
    if name in _FRESH:
        kept = frozenset(one for one in owner.sources if one[0] != LEAF)
        return Opaque(kept | run.leaf(), owner.shape)
    if name.startswith('new_'):
        made = of_call(f'torch.{name.removeprefix("new_")}', arguments.values, arguments.keywords)
        return Opaque(made.sources | run.leaf(), made.shape)
    return of_method(owner, name, arguments.values, arguments.keywords)
