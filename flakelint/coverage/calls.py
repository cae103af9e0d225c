# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the calls in a test give."""

import re
from typing import Any

from flakelint.coverage.expressions import Arguments
from flakelint.coverage.libraries import of_named
from flakelint.coverage.run import Call, Run
from flakelint.coverage.shapes import of_call, of_method
from flakelint.coverage.statements import result_of
from flakelint.coverage.values import (
    FINAL_STATE,
    LEAF,
    OUTPUT,
    REFERENCE,
    Choice,
    Function,
    Instance,
    Method,
    Named,
    Opaque,
    Partial,
    Reference,
    Tested,
    is_known,
    joined,
    sources_of,
)

_MAX_DEPTH = 12
_COMPARES = re.compile(
    r'assert_\w*(?:close|equal|near)\w*|check_close\w*|allclose|equal|(?:\w+_)?(?:err|error|diff)(?:_\w+)?|mse_loss|l1_loss',
)
_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

_METHODS = {
    str: frozenset({
        'endswith', 'format', 'join', 'lower', 'lstrip', 'replace', 'rstrip', 'split', 'startswith', 'strip', 'title', 'upper',
    }),
    dict: frozenset({'copy', 'get', 'items', 'keys', 'pop', 'setdefault', 'update', 'values'}),
    list: frozenset({'append', 'copy', 'count', 'extend', 'index', 'insert', 'pop', 'remove', 'reverse'}),
    tuple: frozenset({'count', 'index', 'numel'}),
    int: frozenset({'bit_length'}),
}
_FINAL = 'output_final_state'
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
    if isinstance(function, Function | Named | Method) and _is_comparison(function):
        _note_comparison(function, arguments, run)
    if isinstance(function, Function):
        return _followed(function, arguments, run)
    if isinstance(function, Instance):
        return function
    if isinstance(function, Method):
        return _of_method(function, arguments, run)
    if isinstance(function, Named):
        return Opaque() if _is_comparison(function) else of_named(function.name, arguments, run)
    return Opaque(sources)


def _tested(function: Tested, arguments: Arguments, run: Run) -> Any:
    """The result of an operator, with its final state where it has one."""
    parameters = run.operators[function.place]
    passed = {**dict(zip(parameters, arguments.values, strict=False)), **arguments.keywords}
    number = len(run.record.calls)
    run.record.calls.append(Call(function.place, passed, arguments.is_complete))
    sources = joined(passed.values()) | {(OUTPUT, number)}
    result = Opaque(sources)
    return (result, Opaque(sources | {(FINAL_STATE, number)})) if _FINAL in parameters else result


def _followed(function: Function, arguments: Arguments, run: Run) -> Any:
    if run.depth >= _MAX_DEPTH:
        return Opaque(joined([arguments.values, arguments.keywords]))
    run.depth += 1
    try:
        return result_of(function, arguments, run)
    finally:
        run.depth -= 1


def _is_comparison(function: Function | Named | Method) -> bool:
    if isinstance(function, Function):
        return _COMPARES.fullmatch(getattr(function.node, 'name', '')) is not None
    name = function.name.rpartition('.')[2]
    return _COMPARES.fullmatch(name) is not None


def _note_comparison(function: Function | Named | Method, arguments: Arguments, run: Run) -> None:
    values = [*arguments.values, *arguments.keywords.values()]
    if isinstance(function, Method):
        values.insert(0, function.owner)
    # names and tolerances are no sides
    sides = [one for one in values if isinstance(one, Opaque | list | tuple | dict)]
    if len(sides) > 1:
        run.compare([sources_of(one) for one in sides])


def _of_method(method: Method, arguments: Arguments, run: Run) -> Any:
    owner, name = method.owner, method.name
    if isinstance(owner, Opaque):
        return _of_tensor(owner, name, arguments, run)
    if isinstance(owner, Choice):
        return Opaque(sources_of(owner))
    sources = joined([owner, arguments.values, arguments.keywords])
    allowed = next((names for kind, names in _METHODS.items() if isinstance(owner, kind)), frozenset())
    if name not in allowed or (isinstance(owner, str) and not is_known(arguments.values)):
        return Opaque(sources)
    try:
        found = getattr(owner, name)(*arguments.values, **arguments.keywords)
    except _ERRORS:
        return Opaque(sources)
    return list(found) if name in ('items', 'keys', 'values') else found


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
