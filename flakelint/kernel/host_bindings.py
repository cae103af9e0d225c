# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the names of host code are bound to: its parameters, and the targets of assignments."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from flakelint.kernel.host_tensors import Arguments
from flakelint.kernel.host_values import AXES, SAVED, STAR, TUPLE, Tensor, Value, unknown
from flakelint.kernel.launches import FLAG, UNKNOWN
from flakelint.source.syntax import nodes_in_order

_WORD = re.compile(r'\w+')
_TENSORS = frozenset({'Tensor', 'LongTensor', 'IntTensor', 'FloatTensor'})
_OPTIONAL = frozenset({'None', 'Optional'})
_SCALARS = ('int', 'float', 'bool', 'str')
# annotations of what holds tensors, and is none
_SEVERAL = frozenset({'list', 'List', 'tuple', 'Tuple', 'dict', 'Dict', 'Sequence', 'Callable'})


def items_of(value: Value) -> tuple[Value, ...] | None:
    """The values of which one is made up, if it is known which they are."""
    if value.kind == TUPLE:
        return None if any(one.kind == STAR for one in value.items) else value.items
    if value.kind == AXES and value.items.length is not None:
        return tuple(value.items.at(index) for index in range(value.items.length))
    return None


def unpacked(value: Value, targets: Sequence[ast.expr]) -> list[Value]:
    """The values that an assignment to several targets takes out of one; shows how many dimensions a tensor has."""
    star = next((index for index, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
    count = len(targets)
    if value.kind == SAVED:
        return [Value(UNKNOWN, '', Tensor('', seen=True)) for _ in targets]
    if value.kind == AXES:
        if star is None:
            value.items.has(count)
            return [value.items.at(index) for index in range(count)]
        behind = count - star - 1
        before = [value.items.at(index) for index in range(star)]
        return [*before, unknown(''), *(value.items.at(index - behind) for index in range(behind))]
    items = list(value.items) if value.kind == TUPLE else None
    if items is not None and star is None:
        items = list(_spread(items, count))
    if items is not None and not any(one.kind == STAR for one in items):
        if star is None and len(items) == count:
            return items
        if star is not None and len(items) >= count - 1:
            behind = len(items) - (count - star - 1)
            return [*items[:star], Value(TUPLE, items=tuple(items[star:behind])), *items[behind:]]
    return [unknown('') for _ in targets]


def _spread(items: list[Value], count: int) -> Iterator[Value]:
    """The values with the one that is starred spread over what is left of the targets."""
    stars = [one for one in items if one.kind == STAR]
    for one in items:
        inner = one.operands[0] if one.kind == STAR else None
        if inner is not None and len(stars) == 1 and inner.kind == AXES:
            length = count - len(items) + 1
            inner.items.has(length)
            yield from (inner.items.at(index) for index in range(length))
        else:
            yield one


def arguments_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, Value]:
    """The parameters of a host function."""
    arguments = node.args
    env = {}
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        env[one.arg] = _parameter(one.arg, _words(one.annotation))
    for one in filter(None, (arguments.vararg, arguments.kwarg)):
        env[one.arg] = Value(UNKNOWN, one.arg)
    return env


def bound(parameters: ast.arguments, arguments: Arguments) -> dict[str, Value]:
    """The values that a call gives to the parameters of a function."""
    names = [one.arg for one in (*parameters.posonlyargs, *parameters.args)]
    found = dict(zip(names, arguments.positional, strict=False))
    known = {*names, *(one.arg for one in parameters.kwonlyargs)}
    found.update({name: value for name, value in arguments.keywords.items() if name in known})
    if any(value.kind == STAR for value in arguments.positional):
        return {}
    return found


def _parameter(name: str, words: list[str]) -> Value:
    """A parameter; the words of its annotation tell whether it is a tensor."""
    is_tensor = not _TENSORS.isdisjoint(words)
    is_one = is_tensor and _SEVERAL.isdisjoint(words)
    scalar = next((word for word in words if word in _SCALARS), '')
    value = unknown(name, dtype='' if is_tensor else scalar)
    value.tensor.seen, value.tensor.optional = is_one, is_one and not _OPTIONAL.isdisjoint(words)
    return replace(value, kind=FLAG) if words == ['bool'] else value


def _words(annotation: ast.expr | None) -> list[str]:
    """The names in an annotation, of dotted ones the last."""
    found = []
    for node in nodes_in_order([annotation]) if annotation is not None else ():
        if isinstance(node, ast.Name):
            found.append(node.id)
        elif isinstance(node, ast.Attribute):
            found.append(node.attr)
        elif isinstance(node, ast.Constant):
            found.extend(_WORD.findall(str(node.value)))
    return found
