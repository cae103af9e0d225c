# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the functions of the language that ask for constants are given, and why Triton does not take it."""

import ast
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.conditions import in_words
from flakelint.kernel.constants import TRUTHS
from flakelint.kernel.graph import Cases, Value, cases_of
from flakelint.kernel.known_constants import numbers
from flakelint.kernel.names import role_of_name
from flakelint.kernel.sizes import BLOCK, MAX_BLOCK
from flakelint.kernel.staging import source
from flakelint.source.expressions import is_power_of_2, written

if TYPE_CHECKING:
    from flakelint.kernel.frames import Call
    from flakelint.kernel.known_constants import Known
    from flakelint.kernel.model import Model

_AXES = (0, 1, 2)
_ARITHMETIC = frozenset({'add', 'sub', 'mul', 'floordiv', 'mod', 'shl', 'shr'})
_MADE_BY = {'program_id': '`tl.program_id`', 'num_programs': '`tl.num_programs`', 'load': 'a load', 'counter': 'a loop'}
_RUN_TIME = {
    'arange': 'Triton raises "arange\'s arguments must be of type tl.constexpr"',
    'static_range': 'Triton raises "used as tl.static_range … value is not a constexpr"',
    'static_assert': 'Triton raises "Assertion condition could not be determined at compile-time"',
    'program_id': 'Triton asks for a constant axis',
    'num_programs': 'Triton asks for a constant axis',
}
_TOO_LARGE = 'Triton makes no block of more than 2**20: loop over smaller ones'
_SHAPE = 'Triton raises "Shape element must have type `constexpr[int]`"'


class Problem(NamedTuple):
    """Something that Triton refuses.

    Args:
        node (ast.expr):
            Where.
        message (str):
            What, and why.
        is_size (bool, Optional):
            Whether it is refused for its size, which the Triton of another vendor may take. Default: `False`.
        parameter (str, Optional):
            The parameter of the kernel that should be a constant, where that is all. Default: none.
    """

    node: ast.expr
    message: str
    is_size: bool = False
    parameter: str = ''


class Asked(NamedTuple):
    """A call that asks for constants.

    Args:
        call (Call):
            The call.
        model (Model):
            The model of the kernel from which it was reached.
        trusts (bool):
            Whether the parameters of the kernel are arguments of a launch.
    """

    call: 'Call'
    model: 'Model'
    trusts: bool

    def get(self, position: int, keyword: str) -> tuple[ast.expr, Value | Cases] | None:
        """An argument and its value."""
        key = keyword if keyword in self.call.nodes else position
        return (self.call.nodes[key], self.call.values[key]) if key in self.call.nodes else None

    @property
    def is_complete(self) -> bool:
        """Whether all arguments are seen."""
        node = self.call.node
        return not any(isinstance(one, ast.Starred) for one in node.args) and all(one.arg for one in node.keywords)

    @property
    def text(self) -> str:
        """The function as it is called."""
        return ast.unparse(self.call.node.func)


def _arange(asked: Asked) -> Iterator[Problem]:
    node = asked.call.node
    if not asked.is_complete:
        return
    start, end = asked.get(0, 'start'), asked.get(1, 'end')
    if len(node.args) > 2:
        yield Problem(node.args[2], f'`{asked.text}` takes a start and an end, and no step: multiply the block by it')
        return
    if start is None or end is None:
        yield Problem(node, f'`{written(node)}` lacks its start or its end, and Triton needs both: `tl.arange(0, n)`')
        return
    for one in (start, end):
        yield from _no_number(asked, *one)
    if type(start[1]) is Value and type(end[1]) is Value:
        yield from _range(asked, start[1], *end)


def _range(asked: Asked, start: Value, node: ast.expr, end: Value) -> Iterator[Problem]:
    first, last = _numbers(asked, start), _numbers(asked, end)
    if last is not None and max(last.values) < 1:
        text = f'`{written(asked.call.node)}` ends at {max(last.values)}'
        yield Problem(node, f'{text}: Triton refuses it, as a range starts at 0 or above, and ends behind that')
        return
    if first is None or last is None:
        yield from () if _is_conditional(asked.call) else _odd_range(asked, start, node, end)
        return
    if len(first.values) > 1:
        return
    low = first.values[0]
    if low < 0:
        yield Problem(node, f'`{written(asked.call.node)}` starts below 0, and Triton refuses that: subtract from the block')
    for value in last.values:
        given, length = _given(node, value, last), value - low
        if length < 1:
            yield Problem(node, f'{given} is not greater than the start of the range, {low}: Triton refuses that')
        elif not is_power_of_2(length):
            subject = f'{given} makes a range of {length}, which' if low else given
            yield Problem(node, f'{subject} is no power of 2, and Triton refuses that: take the next one, and a mask', True)
        elif length > MAX_BLOCK:
            yield Problem(node, f'{given} is too many: {_TOO_LARGE}', True)


def _odd_range(asked: Asked, start: Value, node: ast.expr, end: Value) -> Iterator[Problem]:
    """A range whose length is that of a block and an odd number more or less, or odd times as much."""
    low = start.literal
    op, name, number = _multiple(end)
    if not isinstance(low, int) or not _is_length_of_block(name, asked):
        return
    if op == 'mul':
        is_bad = low == 0 and number > 1 and number % 2
        reason = f'{number} times a power of 2 is none'
    else:
        is_bad = (number - low) % 2
        reason = f'`{name}` is one itself, and with {abs(number - low)} {"more" if number > low else "less"} it is odd'
    if is_bad:
        text = f'`{written(asked.call.node)}` has a length that is no power of 2, as'
        yield Problem(node, f'{text} {reason}: Triton refuses it; take the next power of 2, and a mask', True)


def _multiple(value: Value) -> tuple[str, str, int]:
    """A constant parameter, and what is added to it or it is multiplied with; no name where it is something else."""
    if value.op == 'parameter' and value.type == types.CONST:
        return 'add', value.name, 0
    if value.op not in ('add', 'sub', 'mul') or not all(type(one) is Value for one in value.operands):
        return '', '', 0
    left, right = value.operands
    if left.op != 'parameter' and value.op != 'sub':
        left, right = right, left
    if left.op != 'parameter' or left.type != types.CONST or not isinstance(right.literal, int):
        return '', '', 0
    return ('mul', left.name, right.literal) if value.op == 'mul' else (
        'add', left.name, right.literal if value.op == 'add' else -right.literal)


def _is_length_of_block(name: str, asked: Asked) -> bool:
    """Whether a constant is a power of 2 and more than 1: by its name, or as the kernel makes a range of it elsewhere."""
    if not name or name in asked.model.kernel.block_sizes:
        return False
    if role_of_name(name, constant=True) == BLOCK:
        return True
    for call in asked.model.constant_calls:
        if call.name == 'arange' and call.node is not asked.call.node and not _is_conditional(call):
            start, end = (call.values.get(key) for key in (0, 1))
            is_from_start = type(start) is Value and start.literal == 0
            if is_from_start and type(end) is Value and end.op == 'parameter' and end.name == name:
                return True
    return False


def _created(count: int) -> Callable[[Asked], Iterator[Problem]]:
    def check(asked: Asked) -> Iterator[Problem]:
        node = asked.call.node
        shape = asked.get(0, 'shape')
        if shape is not None:
            yield from _shape(asked, *shape)
        if asked.is_complete and asked.get(count - 1, 'dtype') is None:
            yield Problem(node, f'`{written(node)}` has no dtype, and Triton raises TypeError: name one, such as `tl.float32`')
        elif asked.is_complete and shape is None:
            yield Problem(node, f'`{written(node)}` has no shape, and Triton raises TypeError')
        elif asked.is_complete and count > 2 and asked.get(1, 'value') is None:
            yield Problem(node, f'`{written(node)}` has no value, and Triton raises TypeError')
    return check


def _reshaped(asked: Asked) -> Iterator[Problem]:
    nodes = {key: node for key, node in asked.call.nodes.items() if type(key) is int and key > 0}
    if not asked.is_complete or not nodes:
        return
    if len(nodes) == 1:
        ((key, node),) = nodes.items()
        if type(asked.call.values[key]) is Value and asked.call.values[key].type == types.TUPLE:
            yield from _shape(asked, node, asked.call.values[key])
            return
    yield from _items(asked, [(node, asked.call.values[key]) for key, node in nodes.items()])


def _shape(asked: Asked, node: ast.expr, value: Value | Cases) -> Iterator[Problem]:
    """What is wrong with a shape that has to be a tuple."""
    if type(value) is not Value:
        return
    if value.type == types.TUPLE:
        yield from _items(asked, _dimensions(node, value))
    elif value.type == types.DTYPE or _is_float(value):
        yield Problem(node, f'`{written(node)}` stands for the shape, and is none: Triton refuses it; the shape comes first')
    elif source(value, asked.trusts, True) is not None or _is_number(asked, value):
        text = written(node)
        yield Problem(node, f'`{text}` is a number, and Triton takes only a tuple for a shape: write `({text},)`')


def _dimensions(node: ast.expr, shape: Value) -> list[tuple[ast.expr, Value | Cases]]:
    """The dimensions of a shape, each with its place."""
    nodes = node.elts if isinstance(node, ast.Tuple | ast.List) else [node] * len(shape.operands)
    return list(zip(nodes, shape.operands, strict=True))


def _is_number(asked: Asked, value: Value) -> bool:
    is_length = value.op == 'parameter' and value.type == types.CONST and _is_length_of_block(value.name, asked)
    return is_length or value.op in _ARITHMETIC or _numbers(asked, value) is not None


def _items(asked: Asked, items: list[tuple[ast.expr, Value | Cases]]) -> Iterator[Problem]:
    known: list[int] = []
    for node, value in items:
        yield from _no_number(asked, node, value)
        found = _numbers(asked, value) if type(value) is Value else None
        known += found.values if found is not None and len(found.values) == 1 else ()
        for number in found.values if found is not None else ():
            if not is_power_of_2(number):
                yield Problem(node, f'{_given(node, number, found)} is no power of 2: Triton refuses it as a dimension', True)
    if len(known) == len(items) and math.prod(known) > MAX_BLOCK:
        text = f'`{written(asked.call.node)}` has {math.prod(known):,} elements'
        yield Problem(asked.call.node, f'{text}: {_TOO_LARGE}', True)


def _block_shape(position: int) -> Callable[[Asked], Iterator[Problem]]:
    def check(asked: Asked) -> Iterator[Problem]:
        shape = asked.get(position, 'block_shape')
        if shape is not None and type(shape[1]) is Value and shape[1].type == types.TUPLE:
            for item in _dimensions(*shape):
                yield from _no_number(asked, *item)
    return check


def _axis(asked: Asked) -> Iterator[Problem]:
    axis = asked.get(0, 'axis')
    if axis is None:
        if asked.is_complete:
            yield Problem(asked.call.node, f'`{asked.text}()` lacks its axis: 0, 1 or 2')
        return
    yield from _no_number(asked, *axis)
    known = _numbers(asked, axis[1]) if type(axis[1]) is Value else None
    if known is not None and any(value not in _AXES for value in known.values):
        yield Problem(axis[0], f'`{asked.text}({written(axis[0])})`: Triton refuses an axis other than 0, 1 and 2')


def _static_range(asked: Asked) -> Iterator[Problem]:
    for key, node in asked.call.nodes.items():
        if not isinstance(node, ast.Starred):
            yield from _no_number(asked, node, asked.call.values[key])


def _static_assert(asked: Asked) -> Iterator[Problem]:
    node = asked.call.node
    if node.keywords or len(node.args) > 2:
        extra = node.keywords[0].value if node.keywords else node.args[2]
        yield Problem(extra, '`tl.static_assert` takes a condition and a message by position alone: Triton raises TypeError')
        return
    condition = asked.get(0, 'cond')
    if condition is None:
        if asked.is_complete:
            yield Problem(node, '`tl.static_assert` has no condition: Triton raises TypeError')
        return
    yield from _no_number(asked, *condition)
    cases = [case for _, case in cases_of(condition[1])]
    are_numbers = all(
        case.type == types.CONST and (case.op in _ARITHMETIC or type(case.literal) in (int, str)) and case.op not in TRUTHS
        for case in cases
    )
    if are_numbers:
        text = written(condition[0])
        yield Problem(condition[0], f'`{text}` is no bool, which `tl.static_assert` asks for: write `{text} != 0`')


def _no_number(asked: Asked, node: ast.expr, value: Value | Cases) -> Iterator[Problem]:
    """Why something is no whole number that is known when the kernel is compiled."""
    made = [source(case, asked.trusts, asked.call.name != 'static_assert') for _, case in cases_of(value)]
    for (guard, case), by in zip(cases_of(value), made, strict=True):
        if by is not None:
            where = f' where {" and ".join(in_words(guard))}' if None in made and in_words(guard) else ''
            problem = f'`{written(node)}` is known only at run time{where}: {_reason(by, node, asked)}'
            message = f'{problem}; {_RUN_TIME.get(asked.call.name, _SHAPE)}'
            yield Problem(node, message, parameter=by.name if by.op == 'parameter' else '')
        elif asked.call.name != 'static_assert' and _is_float(case):
            yield Problem(node, f'`{written(node)}` is a float, and Triton asks for an integer: use `//`')


def _is_float(value: Value) -> bool:
    return value.type == types.CONST and (isinstance(value.literal, float) or (value.op == 'div' and value.literal is None))


def _reason(made: Value, node: ast.expr, asked: Asked) -> str:
    """What makes a value one of the run time, and what to write instead."""
    line = f' in line {made.node.lineno}' if made.node is not None and made.frame is not None else ''
    if made.op == 'parameter':
        return f'`{made.name}` is an argument of `{asked.model.kernel.name}` without `tl.constexpr`'
    if made.op == 'assign':
        name = made.name or written(node)
        return f'`{name}` is bound{line} to a plain name, which keeps no constant: write `{name}: tl.constexpr = ...`'
    return f'it comes from {_MADE_BY.get(made.op, "a value of the run time")}{line}'


def _numbers(asked: Asked, value: Value) -> 'Known | None':
    """The numbers that a constant is, unless a condition around may keep some of them out."""
    known = numbers(value, asked.model)
    return None if known is not None and value.literal is None and _is_conditional(asked.call) else known


def _is_conditional(call: 'Call') -> bool:
    return bool(call.guard) or id(call.node) in call.frame.kernel.branched


def _given(node: ast.expr, value: int, known: 'Known') -> str:
    text = written(node)
    return f'`{text}`' if not known.origin or text == str(value) else f'`{text}`, {value} by {known.origin},'


CHECKS: dict[str, Callable[[Asked], Iterator[Problem]]] = {
    'arange': _arange,
    'broadcast_to': _reshaped,
    'full': _created(3),
    'make_block_ptr': _block_shape(4),
    'make_tensor_descriptor': _block_shape(3),
    'num_programs': _axis,
    'program_id': _axis,
    'reshape': _reshaped,
    'static_assert': _static_assert,
    'static_range': _static_range,
    'view': _reshaped,
    'zeros': _created(2),
}
