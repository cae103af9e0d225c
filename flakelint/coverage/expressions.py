# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The value of an expression of a test."""

import ast
from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

from flakelint.coverage.names import attribute, look_up
from flakelint.coverage.operations import ERRORS, LARGEST, LONGEST, compare, operate, truth
from flakelint.coverage.run import Run
from flakelint.coverage.shapes import indexed
from flakelint.coverage.values import (
    Choice,
    Function,
    Instance,
    Named,
    Opaque,
    Scope,
    Structure,
    is_known,
    join,
    joined,
    sources_of,
)

# a format that is longer may ask for a text of any length
_LONGEST_SPEC = 4


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


def elements(value: Any) -> tuple[list, bool]:
    """The elements of a value, and whether they are known to be these; one stands for all where they are not."""
    if isinstance(value, Choice):
        return [one for option in value.options for one in option], True
    if isinstance(value, Mapping | list | tuple | set | frozenset | str | range):
        return list(value)[:LONGEST], True
    if isinstance(value, Structure) and value.is_tuple:
        return list(value.names.values()), True
    return [indexed(value, 0) if isinstance(value, Opaque) else Opaque()], False


def assign(target: ast.expr, value: Any, scope: Scope, run: Run) -> None:
    """Bind what an assignment binds."""
    if isinstance(target, ast.Name):
        _owner(target.id, scope).names[target.id] = value
    elif isinstance(target, ast.Starred):
        assign(target.value, value, scope, run)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(target.elts, value, scope, run)
    elif isinstance(target, ast.Attribute):
        owner = evaluate(target.value, scope, run)
        if isinstance(owner, Instance | Structure):
            owner.names[target.attr] = value
    elif isinstance(target, ast.Subscript):
        _assign_part(target, value, scope, run)


def _owner(name: str, scope: Scope) -> Scope:
    """The scope in which a name is bound that is declared to be of an outer one."""
    found = scope
    while name in scope.outside and found.outer is not None:
        found = found.outer
        if name in found.names:
            break
    return found


def _assign_part(target: ast.Subscript, value: Any, scope: Scope, run: Run) -> None:
    owner, index = evaluate(target.value, scope, run), evaluate(target.slice, scope, run)
    if isinstance(owner, dict | list) and is_known(index):
        try:
            owner[index] = value
        except ERRORS:
            return
    elif isinstance(owner, Opaque) and isinstance(target.value, ast.Name):
        # a tensor is made of what is written to it, too
        scope.names[target.value.id] = Opaque(owner.sources | sources_of(value), owner.shape)


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
        elif key is not None and _is_key(name):
            found[name] = held
        else:
            return Opaque(joined([*found.values(), held]))
    return found


def _is_key(value: Any) -> bool:
    return is_known(value) and isinstance(value, Hashable) and not isinstance(value, Structure)


def _binary(node: ast.BinOp, scope: Scope, run: Run) -> Any:
    left, right = evaluate(node.left, scope, run), evaluate(node.right, scope, run)
    found = operate(type(node.op), left, right)
    if isinstance(node.op, ast.Sub) and isinstance(left, Opaque) and isinstance(right, Opaque):
        return Opaque(run.difference(left.sources, right.sources), found.shape)
    return found


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
        known = compare(kind, left, right, run)
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
    except ERRORS:
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
    if is_exact and all(_is_key(key) for key, _ in found):
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
    is_plain = isinstance(value, str | int | float | None) and isinstance(spec, str) and len(spec) <= _LONGEST_SPEC
    if not is_plain or (isinstance(value, int) and abs(value) > LARGEST):
        return Opaque()
    try:
        return format(value, spec) if node.conversion == -1 else repr(value)
    except ERRORS:
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
