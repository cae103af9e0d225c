# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The value of an expression of a test."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from flakelint.coverage.names import attribute, look_up
from flakelint.coverage.run import Run
from flakelint.coverage.shapes import indexed, of_operation
from flakelint.coverage.values import Choice, Function, Named, Opaque, Scope, is_known, join, joined, sources_of

# no list or text is made longer, and no number raised to more, than this
_LONGEST, _HIGHEST = 10_000, 64

_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_, ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}
_COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}
_GROWING = (ast.Mult, ast.Pow, ast.LShift)
_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class Arguments(NamedTuple):
    """What is passed to a function.

    Args:
        values (list):
            Without names.
        keywords (dict[str, Any]):
            With names.
        is_complete (bool):
            Whether nothing else may be passed.
    """

    values: list
    keywords: dict[str, Any]
    is_complete: bool = True


def evaluate(node: ast.expr, scope: Scope, run: Run) -> Any:
    """The value of an expression.

    Args:
        node (ast.expr):
            The expression.
        scope (Scope):
            The names there.
        run (Run):
            The reading.
    """
    run.step()
    known = _KINDS.get(type(node))
    if known is not None:
        return known(node, scope, run)
    inner = [evaluate(one, scope, run) for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
    return Opaque(joined(inner))


def truth(value: Any) -> bool | None:
    """Whether a value counts as true; `None` where that is not known."""
    if isinstance(value, Opaque | Choice):
        return None
    try:
        return bool(value)
    except _ERRORS:
        return None


def elements(value: Any) -> tuple[list, bool]:
    """The elements of a value, and whether they are known to be these; one stands for all where they are not."""
    if isinstance(value, Choice):
        return [one for option in value.options for one in option], True
    if isinstance(value, Mapping | list | tuple | set | frozenset | str | range):
        return list(value)[:_LONGEST], True
    return [indexed(value, 0) if isinstance(value, Opaque) else Opaque()], False


def assign(target: ast.expr, value: Any, scope: Scope, run: Run) -> None:
    """Bind what an assignment binds."""
    if isinstance(target, ast.Name):
        scope.names[target.id] = value
    elif isinstance(target, ast.Starred):
        assign(target.value, value, scope, run)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(target.elts, value, scope, run)
    elif isinstance(target, ast.Subscript):
        owner, index = evaluate(target.value, scope, run), evaluate(target.slice, scope, run)
        if isinstance(owner, dict | list) and is_known(index):
            try:
                owner[index] = value
            except _ERRORS:
                return


def _unpack(targets: list[ast.expr], value: Any, scope: Scope, run: Run) -> None:
    found, is_exact = elements(value)
    stars = [place for place, one in enumerate(targets) if isinstance(one, ast.Starred)]
    if stars and is_exact and len(found) >= len(targets) - 1:
        after = len(targets) - stars[0] - 1
        end = len(found) - after
        found = [*found[:stars[0]], found[stars[0]:end], *found[end:]]
    if not is_exact or isinstance(value, Choice):
        found = found[:1] * len(targets)
    if len(found) != len(targets):
        found = [Opaque(sources_of(value))] * len(targets)
    for target, one in zip(targets, found, strict=True):
        assign(target, one, scope, run)


def arguments_of(node: ast.Call, scope: Scope, run: Run) -> Arguments:
    """What a call passes."""
    values: list = []
    keywords: dict[str, Any] = {}
    is_complete = True
    for one in node.args:
        value = evaluate(one.value if isinstance(one, ast.Starred) else one, scope, run)
        if isinstance(one, ast.Starred):
            found, is_exact = elements(value)
            is_complete = is_complete and is_exact
            values.extend(found if is_exact else ())
        else:
            values.append(value)
    for keyword in node.keywords:
        value = evaluate(keyword.value, scope, run)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, Mapping):
            keywords.update(value)
        else:
            is_complete = False
    return Arguments(values, keywords, is_complete)


def operate(kind: type, left: Any, right: Any) -> Any:
    """What an operation on two values gives."""
    for side, other in ((left, right), (right, left)):
        if isinstance(side, Choice) and not isinstance(other, Choice | Opaque):
            pairs = [(one, other) if side is left else (other, one) for one in side.options]
            return Choice(tuple(operate(kind, *pair) for pair in pairs))
    apply = _OPERATIONS.get(kind)
    if apply is None or isinstance(left, Opaque) or isinstance(right, Opaque) or _is_huge(kind, left, right):
        return of_operation(left, right)
    try:
        return apply(left, right)
    except _ERRORS:
        return Opaque(joined([left, right]))


def _is_huge(kind: type, left: Any, right: Any) -> bool:
    if kind not in _GROWING:
        return False
    if isinstance(left, int | float) and isinstance(right, int | float):
        return kind is not ast.Mult and abs(right) > _HIGHEST
    return _size(left) * _size(right) > _LONGEST


def _size(value: Any) -> float:
    return len(value) if isinstance(value, str | list | tuple) else abs(value) if isinstance(value, int | float) else 0


def _compare(kind: ast.cmpop, left: Any, right: Any) -> Any:
    if isinstance(kind, ast.Is | ast.IsNot):
        found = _is_same(left, right)
        return found if found is None or isinstance(kind, ast.Is) else not found
    if isinstance(left, Named) or isinstance(right, Named):
        same = _is_one(left, right)
        return Opaque() if same is None or type(kind) not in (ast.Eq, ast.NotEq) else same is isinstance(kind, ast.Eq)
    if not is_known(left) or not is_known(right):
        return Opaque(joined([left, right]))
    try:
        return _COMPARISONS[type(kind)](left, right)
    except _ERRORS:
        return Opaque()


def _is_one(left: Any, right: Any) -> bool | None:
    """Whether two values are equal, one of them of another package."""
    names = [one.canonical if isinstance(one, Named) else '' for one in (left, right)]
    if names[0] == names[1]:
        return True
    return False if all(name.startswith('torch.') for name in names) or None in (left, right) else None


def _is_same(left: Any, right: Any) -> bool | None:
    for one, other in ((left, right), (right, left)):
        if other is None and isinstance(one, Opaque):
            # what is made of something is something
            return False if one.sources or one.shape is not None else None
    if None in (left, right) or isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return None


def _constant(node: ast.Constant, scope: Scope, run: Run) -> Any:
    return node.value


def _name(node: ast.Name, scope: Scope, run: Run) -> Any:
    return look_up(node.id, scope, run)


def _attribute(node: ast.Attribute, scope: Scope, run: Run) -> Any:
    return attribute(evaluate(node.value, scope, run), node.attr, run)


def _call(node: ast.Call, scope: Scope, run: Run) -> Any:
    function = evaluate(node.func, scope, run)
    return run.call(function, arguments_of(node, scope, run), run)


def _list(node: ast.List | ast.Tuple | ast.Set, scope: Scope, run: Run) -> Any:
    found: list = []
    for one in node.elts:
        value = evaluate(one.value if isinstance(one, ast.Starred) else one, scope, run)
        if isinstance(one, ast.Starred):
            inner, is_exact = elements(value)
            if not is_exact:
                return Opaque(joined([*found, value]))
            found.extend(inner)
        else:
            found.append(value)
    return found if isinstance(node, ast.List | ast.Set) else tuple(found)


def _dict(node: ast.Dict, scope: Scope, run: Run) -> Any:
    found: dict = {}
    for key, value in zip(node.keys, node.values, strict=True):
        held = evaluate(value, scope, run)
        name = evaluate(key, scope, run) if key is not None else None
        if key is None and isinstance(held, Mapping):
            found.update(held)
        elif key is not None and is_known(name) and not isinstance(name, list | dict):
            found[name] = held
        else:
            return Opaque(joined([*found.values(), held]))
    return found


def _binary(node: ast.BinOp, scope: Scope, run: Run) -> Any:
    return operate(type(node.op), evaluate(node.left, scope, run), evaluate(node.right, scope, run))


def _unary(node: ast.UnaryOp, scope: Scope, run: Run) -> Any:
    value = evaluate(node.operand, scope, run)
    if isinstance(node.op, ast.Not):
        known = truth(value)
        return Opaque(sources_of(value)) if known is None else not known
    if isinstance(node.op, ast.USub) and isinstance(value, int | float):
        return -value
    return value if isinstance(value, Opaque) else Opaque()


def _boolean(node: ast.BoolOp, scope: Scope, run: Run) -> Any:
    wanted = isinstance(node.op, ast.Or)
    found = []
    for one in node.values:
        value = evaluate(one, scope, run)
        known = truth(value)
        if known is not None and known is wanted and not found:
            return value
        if known is None or known is wanted:
            found.append(value)
    if not found:
        return value
    return found[0] if len(found) == 1 and one is node.values[0] else Opaque(joined(found))


def _comparison(node: ast.Compare, scope: Scope, run: Run) -> Any:
    left = evaluate(node.left, scope, run)
    found: Any = True
    for kind, right_node in zip(node.ops, node.comparators, strict=True):
        right = evaluate(right_node, scope, run)
        known = _compare(kind, left, right)
        known = Opaque() if known is None else known
        if known is False:
            return False
        found = known if found is True else found
        left = right
    return found


def _choice(node: ast.IfExp, scope: Scope, run: Run) -> Any:
    known = truth(evaluate(node.test, scope, run))
    if known is None:
        return join(evaluate(node.body, scope, run), evaluate(node.orelse, scope, run))
    return evaluate(node.body if known else node.orelse, scope, run)


def _subscript(node: ast.Subscript, scope: Scope, run: Run) -> Any:
    owner, index = evaluate(node.value, scope, run), evaluate(node.slice, scope, run)
    if isinstance(owner, Opaque):
        return indexed(owner, index)
    try:
        return owner[index]
    except _ERRORS:
        return Opaque(joined([owner, index]))


def _slice(node: ast.Slice, scope: Scope, run: Run) -> Any:
    return slice(*(None if one is None else evaluate(one, scope, run) for one in (node.lower, node.upper, node.step)))


def _comprehension(node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope, run: Run) -> Any:
    found: list = []
    inner = Scope(scope.path, outer=scope)
    is_exact = _each(node.generators, inner, run, lambda one: found.append(evaluate(node.elt, one, run)))
    return found if is_exact else Opaque(joined(found))


def _dict_comprehension(node: ast.DictComp, scope: Scope, run: Run) -> Any:
    found: list = []

    def take(one: Scope) -> None:
        found.append((evaluate(node.key, one, run), evaluate(node.value, one, run)))

    is_exact = _each(node.generators, Scope(scope.path, outer=scope), run, take)
    if is_exact and all(is_known(key) and not isinstance(key, list | dict) for key, _ in found):
        return dict(found)
    return Opaque(joined(value for _, value in found))


def _each(generators: list[ast.comprehension], scope: Scope, run: Run, take: Callable[[Scope], None]) -> bool:
    """Go through what comprehensions go through; whether that is known."""
    if not generators:
        take(scope)
        return True
    first, *rest = generators
    found, is_exact = elements(evaluate(first.iter, scope, run))
    for value in found:
        assign(first.target, value, scope, run)
        if all(truth(evaluate(one, scope, run)) is not False for one in first.ifs):
            is_exact = _each(rest, scope, run, take) and is_exact
    return is_exact


def _text(node: ast.JoinedStr, scope: Scope, run: Run) -> Any:
    parts = [evaluate(one, scope, run) for one in node.values]
    return ''.join(parts) if all(isinstance(one, str) for one in parts) else Opaque()


def _formatted(node: ast.FormattedValue, scope: Scope, run: Run) -> Any:
    value = evaluate(node.value, scope, run)
    spec = '' if node.format_spec is None else evaluate(node.format_spec, scope, run)
    if isinstance(value, Named):
        return value.canonical
    if not isinstance(value, str | int | float | list | tuple | None) or not is_known(value) or not isinstance(spec, str):
        return Opaque()
    try:
        return format(value, spec) if node.conversion == -1 else repr(value)
    except _ERRORS:
        return Opaque()


def _lambda(node: ast.Lambda, scope: Scope, run: Run) -> Any:
    return Function(node, scope)


def _walrus(node: ast.NamedExpr, scope: Scope, run: Run) -> Any:
    value = evaluate(node.value, scope, run)
    assign(node.target, value, scope, run)
    return value


_KINDS: dict[type, Callable[[Any, Scope, Run], Any]] = {
    ast.Constant: _constant, ast.Name: _name, ast.Attribute: _attribute, ast.Call: _call, ast.List: _list,
    ast.Tuple: _list, ast.Set: _list, ast.Dict: _dict, ast.BinOp: _binary, ast.UnaryOp: _unary, ast.BoolOp: _boolean,
    ast.Compare: _comparison, ast.IfExp: _choice, ast.Subscript: _subscript, ast.Slice: _slice,
    ast.ListComp: _comprehension, ast.SetComp: _comprehension, ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension, ast.JoinedStr: _text, ast.FormattedValue: _formatted, ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
}
