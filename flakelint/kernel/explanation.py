# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Say what the model knows of an expression, and how it came to know it."""

import ast
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.kernel import types
from flakelint.kernel.bounds import Bounds
from flakelint.kernel.conditions import in_words
from flakelint.kernel.exact_types import cleaned
from flakelint.kernel.graph import Cases, Value, cases_of, each_value, reachable
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
# what these are made of is not told
_SOURCES = frozenset({'load', 'call', 'counter', 'arange'})
_MAX_STEPS = 40
_MAX_TEXT = 100
_MAX_DEPTH = 9


Recorded = tuple[ast.AST, 'Frame', Value | Cases]


class Explained:
    """What is known of the expression at a place.

    Args:
        model (Model):
            A model that records.
        assumed (Assumed):
            The sizes that are assumed.
        root (str, Optional):
            The folder to which the paths of files are relative; they are shown from the working folder. Default: that folder.
    """

    def __init__(self, model: 'Model', assumed: Assumed, root: str = '') -> None:
        self._model = model
        self._bounds = Bounds(model, assumed)
        self._root = root

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
        for node, frame, value in self._find(path, line, column):
            yield f'`{_text(node)}` in `{frame.kernel.name}`{self._called(frame)}'
            known: dict[tuple[str, ...], list[str]] = {}
            for guard, case in cases_of(value):
                known.setdefault(tuple(self._case(case, path)), []).append(' and '.join(in_words(guard)))
            for text, conditions in known.items():
                # what is the same in all variants is said once
                if len(known) > 1:
                    yield f'  where {", or ".join(conditions)}:' if all(conditions) else '  in some variant:'
                indent = '    ' if len(known) > 1 else '  '
                yield from (indent + row for row in text)

    def _find(self, path: str, line: int, column: int | None) -> list[Recorded]:
        record = list(_with_counters([one for one in self._model.record if one[1].kernel.path == path]))
        here = [one for one in record if _covers(one[0], line, column)]
        if column is None:
            largest = _largest([one[0] for one in here if one[0].lineno == line] or [one[0] for one in here])
            wanted = {part for node in largest for part in _told(node)} or set(largest)
            chosen = [one for one in record if one[0] in wanted]
        else:
            smallest = min((_length(node) for node, _, _ in here), default=0)
            chosen = [one for one in here if _length(one[0]) == smallest]
        unique = {}
        for node, frame, value in chosen:
            unique.setdefault((id(node), tuple(case.type for case in each_value([value])), frame.call), (node, frame, value))
        return list(unique.values())

    def _case(self, value: Value, path: str) -> Iterator[str]:
        yield f'type:   {type_name(value.type)}{_element(value)}'
        yield f'shape:  {_shape(value)}'
        if _is_number(value):
            yield f'size:   {size_text(self._bounds.of(value))}'
        yield f'from:   {", ".join(dict.fromkeys(_sources(value))) or "constants"}'
        steps = list(self._steps(value, path, 0, {}))
        if len(steps) > 1:
            yield 'steps:'
            yield from (f'  {step}' for step in steps[:_MAX_STEPS])
            if len(steps) > _MAX_STEPS:
                yield f'  and {len(steps) - _MAX_STEPS} more'

    def _steps(self, value: Value, path: str, depth: int, seen: dict[int, None]) -> Iterator[str]:
        size = f', {size_text(self._bounds.of(value))}' if _is_number(value) else ''
        repeated = id(value) in seen and bool(value.operands)
        text = f'{_label(value)}{self._where(value, path)}: {type_name(value.type)}{_element(value)}{size}'
        inner = [one for one in each_value(value.operands) if one.op not in ('constant', 'dtype', 'unknown')]
        ends = repeated or value.op == 'load' or not inner
        rest = ' (see above)' if repeated else ' ...' if depth == _MAX_DEPTH and not ends else ''
        yield f'{"  " * depth}{text}{rest}'
        if ends or depth == _MAX_DEPTH:
            return
        seen[id(value)] = None
        for operand in inner:
            yield from self._steps(operand, path, depth + 1, seen)

    def _where(self, value: Value, path: str) -> str:
        """The line of a value, and its file if that is another one."""
        line = getattr(value.node, 'lineno', None)
        if line is None:
            return ''
        other = value.frame.kernel.path if value.frame is not None else path
        return f' (line {line})' if other == path else f' ({self._shown(other)}:{line})'

    def _called(self, frame: 'Frame') -> str:
        """The calls that led to a function."""
        text, path = '', frame.kernel.path
        while frame.call is not None and frame.caller is not None:
            call, frame = frame.call, frame.caller
            file = '' if frame.kernel.path == path else f' of {self._shown(frame.kernel.path)}'
            text = f'{text}, called in line {call.lineno}{file} in `{frame.kernel.name}`'
        return text

    def _shown(self, path: str) -> str:
        return os.path.relpath(os.path.join(self._root, path))


def type_name(name: str) -> str:
    """A type in words."""
    if name in _NAMES:
        return _NAMES[name]
    return types.spelled(name) if types.is_integer(name) else name


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
    # a size that nobody has named has no name to show
    shape = cleaned(value.shape)
    return f'[{", ".join(shape)}]' if shape else 'scalar'


def _sources(value: Value) -> Iterator[str]:
    for one in reachable([value], lambda one: reversed(list(each_value(one.operands))) if one.op not in _SOURCES else ()):
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


def _with_counters(record: 'list[Recorded]') -> 'Iterator[Recorded]':
    """What was evaluated, with the counters of loops where these are bound."""
    for node, frame, value in record:
        if any(case.op == 'counter' for case in cases_of(value)[0][1:]):
            yield next(each_value([value])).node, frame, value
        yield node, frame, value


def _is_number(value: Value) -> bool:
    return value.type != types.BOOL and (types.is_integer(value.type) or value.type == types.CONST)


def _element(value: Value) -> str:
    known = value.type == types.POINTER and isinstance(value.detail, str) and value.detail != types.UNKNOWN
    return f' to {type_name(value.detail)}' if known else ''


def _largest(nodes: list[ast.AST]) -> list[ast.AST]:
    """The nodes that are no part of another one."""
    inner = {id(part) for node in nodes for part in ast.walk(node) if part is not node}
    return [node for node in nodes if id(node) not in inner]


def _told(node: ast.AST) -> Iterator[ast.AST]:
    """What is told of an expression: itself, or what it is made of where it is a tuple, or a call that gives nothing."""
    if isinstance(node, ast.Tuple):
        for element in node.elts:
            yield from _told(element)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _gives_nothing(node.func.attr):
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            yield from _told(argument)
    elif not isinstance(node, ast.Constant):
        yield node


def _gives_nothing(method: str) -> bool:
    return method == 'store' or method.startswith('static_')


def _covers(node: ast.AST, line: int, column: int | None) -> bool:
    if not node.lineno <= line <= node.end_lineno:
        return False
    if column is None:
        return True
    return (node.lineno, node.col_offset) <= (line, column) < (node.end_lineno, node.end_col_offset)


def _length(node: ast.AST) -> tuple[int, int]:
    return (node.end_lineno - node.lineno, node.end_col_offset - node.col_offset)
