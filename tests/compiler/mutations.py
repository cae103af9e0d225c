# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Mutations of sound kernels: each changes one thing that an author may get wrong, at a random place."""

import ast
import random
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

_ODD = (
    'import math', 'a_1 = b_1 = 0', 'c_1 = {}', 'd_1 = lambda: 0', 'del tl', 'assert 1 in (1, 2)', 'raise ValueError',
)


class Mutant(NamedTuple):
    """A kernel after one change.

    Args:
        kind (str):
            What was changed.
        text (str):
            The text of the file with it.
        line (int):
            Where.
    """

    kind: str
    text: str
    line: int


class Change(NamedTuple):
    """A change of a text: a node that is replaced, or a statement before which something is put."""

    node: ast.AST
    text: str


Changes = Callable[[ast.FunctionDef, str], Iterator[Change]]


def mutants(text: str, kernel: str, count: int, seed: int) -> list[Mutant]:
    """Mutants of a kernel, of as many kinds as there are places for.

    Args:
        text (str):
            The file.
        kernel (str):
            The name of the kernel, a function of the module.
        count (int):
            How many.
        seed (int):
            What makes the choice the same each time.
    """
    function = next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == kernel)
    draw = random.Random(f'{kernel} {seed}')
    places = {kind: list(changes(function, text)) for kind, changes in KINDS.items()}
    kinds = sum(map(bool, places.values()))
    return drawn(text, places, count, min(count, 4 * kinds), draw)


def drawn(text: str, places: Mapping[str, list[Change]], count: int, tries: int, draw: random.Random) -> list[Mutant]:
    """Mutants of a text, of one kind after the other, each at a place of those that it has.

    Args:
        text (str):
            The text.
        places (Mapping[str, list[Change]]):
            What may be changed, by the kind of the change.
        count (int):
            How many there are to be.
        tries (int):
            How often one is made at most; not each is new, and Python.
        draw (random.Random):
            What chooses.
    """
    kinds = [kind for kind, found in places.items() if found]
    draw.shuffle(kinds)
    made: list[Mutant] = []
    for number in range(tries):
        kind = kinds[number % len(kinds)]
        change = draw.choice(places[kind])
        mutant = Mutant(kind, applied(text, change), change.node.lineno)
        if mutant.text != text and mutant not in made and parses(mutant.text):
            made.append(mutant)
        if len(made) == count:
            break
    return made


def parses(text: str) -> bool:
    """Whether a text is Python."""
    try:
        compile(text, '', 'exec')
    except SyntaxError:
        return False
    return True


def applied(text: str, change: Change) -> str:
    """A text with a change in it."""
    lines = text.encode().split(b'\n')
    node = change.node
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    data = text.encode()
    start = starts[node.lineno - 1] + node.col_offset
    end = starts[node.end_lineno - 1] + node.end_col_offset
    return (data[:start] + change.text.encode() + data[end:]).decode()


def _indented(statement: ast.stmt, text: str) -> str:
    """The text of a statement, one level further in from its second line on."""
    return ast.get_source_segment(text, statement).replace('\n', '\n    ')


def _inside(function: ast.FunctionDef) -> Iterator[ast.AST]:
    for statement in function.body:
        yield from ast.walk(statement)


def _statements(function: ast.FunctionDef, kind: type) -> Iterator[ast.stmt]:
    yield from (node for node in _inside(function) if isinstance(node, kind))


def _calls(function: ast.FunctionDef, *names: str) -> Iterator[ast.Call]:
    for node in _inside(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
            yield node


def _is_plain(statement: ast.Assign) -> bool:
    return len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)


def constexpr_gone(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A parameter is no longer a constant."""
    for one in function.args.args:
        if one.annotation is not None and 'constexpr' in ast.unparse(one.annotation):
            yield Change(one, one.arg)


def misspelt(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A name is read that is bound nowhere."""
    for node in _inside(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in ('tl', 'triton'):
            yield Change(node, f'{node.id}_x')


def assigned_in_a_branch(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """An assignment happens under a run-time condition only."""
    for statement in _statements(function, ast.Assign):
        if _is_plain(statement):
            spaces = ' ' * statement.col_offset
            yield Change(statement, f'if tl.program_id(0) > 3:\n{spaces}    {_indented(statement, text)}')


def assigned_in_a_loop(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """An assignment happens in a loop only."""
    for statement in _statements(function, ast.Assign):
        if _is_plain(statement):
            spaces = ' ' * statement.col_offset
            yield Change(statement, f'for _i in range(tl.program_id(0)):\n{spaces}    {_indented(statement, text)}')


def assignment_gone(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A statement is missing."""
    yield from (Change(statement, 'pass') for statement in _statements(function, ast.Assign))


def arange_end(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A range has another end: a run-time value, an odd length, a larger one."""
    for call in _calls(function, 'arange'):
        if len(call.args) > 1:
            end = ast.unparse(call.args[1])
            for other in ('tl.program_id(0)', '12', f'{end} + 1', f'2 * {end}', '4194304'):
                yield Change(call.args[1], other)


def shape_of_zeros(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A block has another shape."""
    for call in _calls(function, 'zeros', 'full'):
        if isinstance(call.args[0], ast.List | ast.Tuple):
            for dim in call.args[0].elts:
                yield Change(dim, f'2 * {ast.unparse(dim)}')
                yield Change(dim, 'tl.program_id(0)')


def dtype_gone(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A block is made without an element type."""
    for call in _calls(function, 'zeros'):
        if len(call.args) + len(call.keywords) > 1:
            yield Change(call, f'{ast.unparse(call.func)}({ast.unparse(call.args[0])})')


def accumulator_type(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """What a loop carries begins as something else."""
    for statement in _statements(function, ast.Assign):
        if isinstance(statement.value, ast.Call) and ast.unparse(statement.value.func).endswith('zeros'):
            yield Change(statement.value, '0.0')
            yield Change(statement.value, '0')
            yield Change(statement.value, ast.unparse(statement.value).replace('float32', 'float16'))


def axis_gone(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A block is not given its second dimension."""
    for node in _inside(function):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            yield Change(node, ast.unparse(node.value))
            yield Change(node, f'{ast.unparse(node.value)}[0]')


def cast_gone(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A value keeps its type."""
    yield from (Change(call, ast.unparse(call.func.value)) for call in _calls(function, 'to'))


def function_unknown(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A function that Triton does not have."""
    for node in _inside(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == 'tl':
            yield Change(node, f'tl.{node.attr}_of')


def keyword_unknown(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A keyword that a function does not take."""
    for node in _inside(function):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg:
                    yield Change(keyword, f'{keyword.arg}_={ast.unparse(keyword.value)}')


def argument_gone(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A call lacks its first argument."""
    for node in _inside(function):
        if isinstance(node, ast.Call) and len(node.args) > 1:
            rest = [*map(ast.unparse, node.args[1:]), *map(ast.unparse, node.keywords)]
            yield Change(node, f'{ast.unparse(node.func)}({", ".join(rest)})')


def arguments_swapped(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """Two arguments stand in the wrong order."""
    for node in _inside(function):
        if isinstance(node, ast.Call) and len(node.args) > 1:
            first, second, *others = map(ast.unparse, node.args)
            rest = [second, first, *others, *map(ast.unparse, node.keywords)]
            yield Change(node, f'{ast.unparse(node.func)}({", ".join(rest)})')


def mask_operand_gone(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """One of two conditions is missing."""
    for node in _inside(function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
            yield Change(node, ast.unparse(node.left))
            yield Change(node, ast.unparse(node.right))


def mask_gone(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """An access has no mask, and maybe a value for the lanes that it would leave out."""
    for call in _calls(function, 'load', 'store'):
        kept = [ast.unparse(one) for one in call.keywords if one.arg != 'mask']
        if len(kept) < len(call.keywords):
            yield Change(call, f'{ast.unparse(call.func)}({", ".join([*map(ast.unparse, call.args), *kept])})')


def leaves_a_loop(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A loop ends early."""
    for loop in _statements(function, ast.For | ast.While):
        first = loop.body[0]
        spaces = ' ' * first.col_offset
        for word in ('break', 'continue', 'return'):
            yield Change(first, f'if tl.program_id(0) > 3:\n{spaces}    {word}\n{spaces}{ast.get_source_segment(text, first)}')


def unsupported(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A statement that Triton has nothing for."""
    for statement in function.body[1:]:
        spaces, source = ' ' * statement.col_offset, ast.get_source_segment(text, statement)
        for odd in _ODD:
            yield Change(statement, f'{odd}\n{spaces}{source}')


def joined_with_and(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """Blocks are joined with a word."""
    for node in _inside(function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
            yield Change(node, f'({ast.unparse(node.left)}) and ({ast.unparse(node.right)})')


def block_as_condition(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A block decides a branch."""
    for statement in _statements(function, ast.Assign):
        if isinstance(statement.value, ast.Compare | ast.Call) and _is_plain(statement):
            name, spaces = statement.targets[0].id, ' ' * statement.col_offset
            yield Change(statement, f'{_indented(statement, text)}\n{spaces}if {name} > 0:\n{spaces}    pass')


def another_number(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """A literal is another one."""
    for node in _inside(function):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float) and hasattr(node, 'lineno'):
            yield Change(node, repr(node.value + 1))


def another_operator(function: ast.FunctionDef, text: str) -> Iterator[Change]:
    """An operator is another one."""
    for node in _inside(function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
            for symbol in ('//', '-', '*', '@', '**', '<<'):
                yield Change(node, f'({ast.unparse(node.left)}) {symbol} ({ast.unparse(node.right)})')


KINDS: dict[str, Changes] = {changes.__name__: changes for changes in (
    constexpr_gone, misspelt, assigned_in_a_branch, assigned_in_a_loop, assignment_gone, arange_end, shape_of_zeros,
    dtype_gone, accumulator_type, axis_gone, cast_gone, function_unknown, keyword_unknown, argument_gone, arguments_swapped,
    mask_operand_gone, mask_gone, leaves_a_loop, unsupported, joined_with_and, block_as_condition, another_number,
    another_operator,
)}
