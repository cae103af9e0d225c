# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the names of host code are bound to: its parameters, and the targets of assignments."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from flakelint.kernel.host_values import AXES, SAVED, STAR, TUPLE, Tensor, Value, unknown
from flakelint.kernel.launches import FLAG, UNKNOWN

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
        env[one.arg] = parameter(one.arg, ast.unparse(one.annotation) if one.annotation is not None else '')
    for one in filter(None, (arguments.vararg, arguments.kwarg)):
        env[one.arg] = Value(UNKNOWN, one.arg)
    return env


def parameter(name: str, annotation: str) -> Value:
    """A parameter of a host function; its annotation tells whether it is a tensor."""
    words = annotation.replace('|', ' ').replace('[', ' ').replace(']', ' ').replace('"', ' ').replace("'", ' ').split()
    is_tensor = any(word.rpartition('.')[2] in ('Tensor', 'LongTensor', 'IntTensor', 'FloatTensor') for word in words)
    is_one = is_tensor and not _SEVERAL.intersection(words)
    optional = is_one and ('None' in words or any(word.endswith('Optional') for word in words))
    scalar = next((word for word in words if word in ('int', 'float', 'bool', 'str')), '')
    value = unknown(name, dtype='' if is_tensor else scalar)
    value.tensor.seen, value.tensor.optional = is_one, optional
    return replace(value, kind=FLAG) if scalar == 'bool' and len(words) == 1 else value
