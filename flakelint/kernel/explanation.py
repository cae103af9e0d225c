# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Say what the model knows of an expression, and how it came to know it."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.kernel import types
from flakelint.kernel.bounds import Bounds
from flakelint.kernel.conditions import UNIQUE
from flakelint.kernel.graph import Cases, Guard, Value, cases_of, each_value
from flakelint.kernel.sizes import Assumed, Size

if TYPE_CHECKING:
    from flakelint.kernel.frames import Frame
    from flakelint.kernel.model import Model

_NAMES = {
    types.FLOAT: 'float', types.POINTER: 'pointer', types.CONST: 'compile-time constant', types.TUPLE: 'tuple',
    types.NONE: 'nothing', types.DTYPE: 'dtype', types.LOADED: 'int32, if the tensor holds int32',
    types.LOADED_WIDE: 'int64', types.BOOL: 'boolean',
    types.UNKNOWN: 'unknown',
}
_MAX_STEPS = 40
_MAX_TEXT = 100


class Explained:
    """What is known of the expression at a place.

    Args:
        model (Model):
            A model that records.
        assumed (Assumed):
            The sizes that are assumed.
    """

    def __init__(self, model: 'Model', assumed: Assumed) -> None:
        self._model = model
        self._bounds = Bounds(model, assumed)

    def lines(self, path: str, line: int, column: int | None) -> Iterator[str]:
        """What is known of the smallest expression at a line and column, or of the largest ones on a line.

        Args:
            path (str):
                The file.
            line (int):
                The line, from 1.
            column (int | None):
                The offset in bytes from the beginning of the line.
        """
        found = self._find(path, line, column)
        for node, frame, value in found:
            yield f'`{_text(node)}` in `{frame.kernel.name}`{_called(frame)}'
            for guard, case in cases_of(value):
                yield from self._case(guard, case)

    def _find(self, path: str, line: int, column: int | None) -> list[tuple[ast.AST, 'Frame', Value | Cases]]:
        here = [one for one in self._model.record if one[1].kernel.path == path and _covers(one[0], line, column)]
        if column is None:
            starts = [one for one in here if one[0].lineno == line] or here
            inner = {id(part) for node, _, _ in starts for part in ast.walk(node) if part is not node}
            chosen = [one for one in starts if id(one[0]) not in inner]
        else:
            smallest = min((_length(node) for node, _, _ in here), default=0)
            chosen = [one for one in here if _length(one[0]) == smallest]
        unique = {}
        for node, frame, value in chosen:
            unique.setdefault((id(node), tuple(case.type for case in each_value([value])), frame.call), (node, frame, value))
        return list(unique.values())

    def _case(self, guard: Guard, value: Value) -> Iterator[str]:
        conditions = [f'`{text}` is {str(truth).lower()}' for text, truth in sorted(guard) if UNIQUE not in text]
        if conditions:
            yield f'  where {" and ".join(conditions)}:'
        indent = '    ' if conditions else '  '
        yield f'{indent}type:   {type_name(value.type)}'
        yield f'{indent}shape:  {_shape(value)}'
        yield f'{indent}size:   {self._size(value)}'
        yield f'{indent}from:   {", ".join(dict.fromkeys(_sources(value))) or "constants"}'
        steps = list(self._steps(value, 0, {}))
        if len(steps) > 1:
            yield f'{indent}steps:'
            yield from (f'{indent}  {step}' for step in steps[:_MAX_STEPS])
            if len(steps) > _MAX_STEPS:
                yield f'{indent}  and {len(steps) - _MAX_STEPS} more'

    def _size(self, value: Value) -> str:
        if not types.is_integer(value.type) and value.type != types.CONST:
            return 'no integer'
        return size_text(self._bounds.of(value))

    def _steps(self, value: Value, depth: int, seen: dict[int, None]) -> Iterator[str]:
        text = _label(value)
        size = self._bounds.of(value)
        known = f', {size_text(size)}' if types.is_integer(value.type) or value.type == types.CONST else ''
        where = f' (line {value.node.lineno})' if value.node is not None and hasattr(value.node, 'lineno') else ''
        repeated = id(value) in seen and bool(value.operands)
        yield f'{"  " * depth}{text}{where}: {type_name(value.type)}{known}{" (see above)" if repeated else ""}'
        if repeated or depth > 8 or value.op == 'load':
            return
        seen[id(value)] = None
        for operand in each_value(value.operands):
            if operand.op not in ('constant', 'dtype', 'unknown'):
                yield from self._steps(operand, depth + 1, seen)


def type_name(name: str) -> str:
    """A type in words."""
    if name in _NAMES:
        return _NAMES[name]
    if types.is_integer(name):
        return {'i': 'int', 'u': 'uint'}[name[0]] + name[1:]
    return name


def size_text(size: Size) -> str:
    """A size in words."""
    role = f' ({size.role})' if size.role else ''
    if size.exact:
        return f'{size.tight:,}{role}'
    if size.tight == size.possible:
        return f'at most {_number(size.tight)}{role}'
    return f'at most {_number(size.tight)}, possibly {_number(size.possible)}{role}'


def _number(number: int) -> str:
    if number < 1 << 20:
        return f'{number:,}'
    return f'2**{number.bit_length() - 1}' if number & (number - 1) == 0 else f'{number:.1e}'


def _shape(value: Value) -> str:
    if value.shape is None:
        return 'unknown'
    return f'[{", ".join(value.shape)}]' if value.shape else 'scalar'


def _sources(value: Value) -> Iterator[str]:
    stack, seen = [value], set()
    while stack:
        one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if one.op == 'program_id':
            yield f'program id {one.detail if one.detail is not None else ""}'.strip()
        elif one.op == 'parameter':
            yield f'argument `{one.name}`'
        elif one.op in ('load', 'call'):
            yield f'`{_text(one.node)}`'
        elif one.op == 'counter':
            yield f'loop counter `{one.name}`'
        elif one.op == 'arange':
            yield '`tl.arange`'
        if one.op not in ('load', 'call', 'counter', 'arange'):
            stack.extend(reversed(list(each_value(one.operands))))


def _label(value: Value) -> str:
    text = _text(value.node) if isinstance(value.node, ast.expr) else ''
    if value.name and value.name != text:
        return f'`{value.name}` = `{text}`' if text and value.op not in ('phi', 'counter') else f'`{value.name}`'
    return f'`{text}`' if text else value.op


def _text(node: ast.AST | None) -> str:
    if node is None:
        return ''
    text = ' '.join(ast.unparse(node).split())
    return text if len(text) <= _MAX_TEXT else f'{text[:_MAX_TEXT]}...'


def _called(frame: 'Frame') -> str:
    if frame.call is None or frame.caller is None:
        return ''
    return f', called in line {frame.call.lineno} of `{frame.caller.kernel.name}`'


def _covers(node: ast.AST, line: int, column: int | None) -> bool:
    if not node.lineno <= line <= node.end_lineno:
        return False
    if column is None:
        return True
    return (node.lineno, node.col_offset) <= (line, column) < (node.end_lineno, node.end_col_offset)


def _length(node: ast.AST) -> tuple[int, int]:
    return (node.end_lineno - node.lineno, node.end_col_offset - node.col_offset)
