# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Go through the statements of a test and of the functions that it calls."""

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple

from flakelint.coverage.conditions import condition
from flakelint.coverage.expressions import Arguments, assign, elements, evaluate
from flakelint.coverage.names import imported
from flakelint.coverage.operations import compare, operate, truth
from flakelint.coverage.run import Run
from flakelint.coverage.values import LEFT, Class, Function, Opaque, Scope, join
from flakelint.project.imports import dotted
from flakelint.source.expressions import defaults_of

RETURN, BREAK, CONTINUE, RAISE = 'return', 'break', 'continue', 'raise'

# of how many turns of a loop the code is read, and how many a loop that counts has to have for some to be left out
_MAX_TURNS, _ALL_TURNS = 256, 8
_FAILING = frozenset({'raises', 'assertRaises', 'assertRaisesRegex', 'suppress'})
_CAUGHT = frozenset({'AssertionError', 'Exception', 'BaseException'})


class End(NamedTuple):
    """Why statements are left.

    Args:
        kind (str):
            `return`, `break`, `continue` or `raise`.
        value (Any, Optional):
            What is returned. Default: `None`.
    """

    kind: str
    value: Any = None


def result_of(function: Function, arguments: Arguments, run: Run) -> Any:
    """What a function returns; the list of what it yields where it yields."""
    scope = _bound(function, arguments, run)
    if isinstance(function.node, ast.Lambda):
        return evaluate(function.node.body, scope, run)
    end = execute(function.node.body, scope, run)
    if scope.yielded:
        return scope.yielded
    values = scope.returned
    if end is None or end.kind == RETURN:
        values = [*values, None if end is None else end.value]
    found = values[0] if values else None
    for value in values[1:]:
        found = join(found, value)
    return found


def execute(statements: Sequence[ast.stmt], scope: Scope, run: Run) -> End | None:
    """Go through statements; why they are left, if they are left."""
    for node in statements:
        run.step()
        known = _KINDS.get(type(node))
        end = known(node, scope, run) if known is not None else None
        if end is not None:
            return end
    return None


def _bound(function: Function, arguments: Arguments, run: Run) -> Scope:
    """The scope of a call, with the parameters bound."""
    asked = function.node.args
    scope = Scope(function.scope.path, outer=function.scope)
    names = [one.arg for one in [*asked.posonlyargs, *asked.args]]
    values = [*function.first, *arguments.values]
    given = dict(zip(names, values, strict=False))
    keywords = dict(arguments.keywords)
    for one in [*names, *(one.arg for one in asked.kwonlyargs)]:
        if one in keywords:
            given[one] = keywords.pop(one)
    defaults = defaults_of(asked)
    for name in [*names, *(one.arg for one in asked.kwonlyargs)]:
        if name not in given:
            is_default = name in defaults and arguments.is_complete
            given[name] = evaluate(defaults[name], function.scope, run) if is_default else Opaque()
    if asked.vararg is not None:
        given[asked.vararg.arg] = tuple(values[len(names):]) if arguments.is_complete else Opaque()
    if asked.kwarg is not None:
        given[asked.kwarg.arg] = keywords if arguments.is_complete else Opaque()
    scope.names.update(given)
    return scope


def _assign(node: ast.Assign, scope: Scope, run: Run) -> None:
    value = evaluate(node.value, scope, run)
    for target in node.targets:
        assign(target, value, scope, run)


def _annotated(node: ast.AnnAssign, scope: Scope, run: Run) -> None:
    if node.value is not None:
        assign(node.target, evaluate(node.value, scope, run), scope, run)


def _augmented(node: ast.AugAssign, scope: Scope, run: Run) -> None:
    before, value = evaluate(node.target, scope, run), evaluate(node.value, scope, run)
    assign(node.target, operate(type(node.op), before, value), scope, run)


def _expression(node: ast.Expr, scope: Scope, run: Run) -> End | None:
    if isinstance(node.value, ast.Yield):
        value = None if node.value.value is None else evaluate(node.value.value, scope, run)
        scope.yielded.append(value)
        return None
    value = evaluate(node.value, scope, run)
    return End(RAISE) if value is LEFT else None


def _assert(node: ast.Assert, scope: Scope, run: Run) -> End | None:
    run.is_asserted(condition(node.test, scope, run).if_true)
    # a bound that is known to be broken is one that is read wrongly
    return End(RAISE) if isinstance(node.test, ast.Constant) and not node.test.value else None


def _return(node: ast.Return, scope: Scope, run: Run) -> End:
    return End(RETURN, None if node.value is None else evaluate(node.value, scope, run))


def _if(node: ast.If, scope: Scope, run: Run) -> End | None:
    asked = condition(node.test, scope, run)
    known = truth(asked.value)
    if known is not None:
        return execute(node.body if known else node.orelse, scope, run)
    before = dict(scope.names)
    run.unsure += 1
    first = execute(node.body, scope, run)
    after = scope.names
    scope.names = before
    second = execute(node.orelse, scope, run)
    run.unsure -= 1
    # to fail by hand is to assert
    run.is_asserted(asked.if_false if first is not None and first.kind == RAISE else frozenset())
    run.is_asserted(asked.if_true if second is not None and second.kind == RAISE else frozenset())
    if first is not None and second is not None and first.kind == second.kind:
        return End(first.kind, join(first.value, second.value))
    returned = [end.value for end in (first, second) if end is not None and end.kind == RETURN]
    if first is None and second is None:
        scope.names = {
            name: join(after[name], before[name]) if name in after and name in before else after.get(name, before.get(name))
            for name in {**before, **after}
        }
    elif first is None:
        scope.names = after
    scope.returned.extend(returned)
    return None


def _for(node: ast.For, scope: Scope, run: Run) -> End | None:
    found, is_exact = elements(evaluate(node.iter, scope, run))
    if isinstance(node.iter, ast.Call) and len(found) > _ALL_TURNS and all(isinstance(one, int) for one in found):
        # of a loop that counts, the first turns and the last show what it does
        found = [*found[:_ALL_TURNS // 2], found[-1]]
    for value in found[:_MAX_TURNS]:
        assign(node.target, value, scope, run)
        end = execute(node.body, scope, run)
        if end is not None and end.kind == BREAK:
            return None
        if end is not None and end.kind != CONTINUE:
            if is_exact:
                return end
            break
    return execute(node.orelse, scope, run)


def _while(node: ast.While, scope: Scope, run: Run) -> End | None:
    end = execute(node.body, scope, run)
    return end if end is not None and end.kind == RETURN and truth(evaluate(node.test, scope, run)) else None


def _with(node: ast.With, scope: Scope, run: Run) -> End | None:
    for item in node.items:
        value = evaluate(item.context_expr, scope, run)
        if item.optional_vars is not None:
            assign(item.optional_vars, value, scope, run)
    is_muted = any(_expects_failure(item.context_expr) for item in node.items)
    run.muted += is_muted
    end = execute(node.body, scope, run)
    run.muted -= is_muted
    return None if end is not None and end.kind == RAISE and is_muted else end


def _expects_failure(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and (dotted(node.func) or '').rpartition('.')[2] in _FAILING


def _try(node: ast.Try, scope: Scope, run: Run) -> End | None:
    is_muted = any(map(_swallows, node.handlers))
    run.muted += is_muted
    end = execute(node.body, scope, run) or execute(node.orelse, scope, run)
    run.muted -= is_muted
    return execute(node.finalbody, scope, run) or (None if end is not None and end.kind == RAISE and node.handlers else end)


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a handler lets a test go on that an assertion ends."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    catches = any(one is None or dotted(one) in _CAUGHT for one in kinds)
    return catches and not any(isinstance(one, ast.Raise | ast.Assert) for one in ast.walk(handler))


def _define(node: ast.FunctionDef, scope: Scope, run: Run) -> None:
    scope.names[node.name] = Function(node, scope)


def _class(node: ast.ClassDef, scope: Scope, run: Run) -> None:
    scope.names[node.name] = Class(node, scope)


def _import(node: ast.Import | ast.ImportFrom, scope: Scope, run: Run) -> None:
    scope.names.update(imported(node, scope.path, run))


def _outside(node: ast.Nonlocal | ast.Global, scope: Scope, run: Run) -> None:
    scope.outside.update(node.names)


def _match(node: ast.Match, scope: Scope, run: Run) -> End | None:
    """Of cases with a value each, the one that fits; else all of them may."""
    subject = evaluate(node.subject, scope, run)
    for case in node.cases:
        is_plain = isinstance(case.pattern, ast.MatchValue) and case.guard is None
        fits = truth(compare(ast.Eq(), subject, evaluate(case.pattern.value, scope, run), run)) if is_plain else None
        is_last = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None
        if fits is False:
            continue
        run.unsure += not (fits or is_last)
        end = execute(case.body, scope, run)
        run.unsure -= not (fits or is_last)
        if fits or is_last:
            return end
    return None


def _raise(node: ast.Raise, scope: Scope, run: Run) -> End:
    return End(RAISE)


_KINDS: dict[type, Any] = {
    ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented, ast.Expr: _expression, ast.Assert: _assert,
    ast.Return: _return, ast.If: _if, ast.For: _for, ast.AsyncFor: _for, ast.While: _while, ast.With: _with,
    ast.AsyncWith: _with, ast.Try: _try, ast.FunctionDef: _define, ast.AsyncFunctionDef: _define, ast.ClassDef: _class,
    ast.Import: _import, ast.ImportFrom: _import, ast.Raise: _raise, ast.Match: _match, ast.Nonlocal: _outside,
    ast.Global: _outside, ast.Break: lambda node, scope, run: End(BREAK),
    ast.Continue: lambda node, scope, run: End(CONTINUE),
}
