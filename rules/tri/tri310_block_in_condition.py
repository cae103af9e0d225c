# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, safe
from flakelint.kernel import types
from flakelint.kernel.constants import COMPILE_TIME
from flakelint.kernel.graph import Shape, Value, cases_of, each_value
from flakelint.kernel.launches import NUMBER, STRING
from flakelint.kernel.staging import is_run_time
from flakelint.rules.tri.places import is_to_tell, takes_arguments
from flakelint.source.expressions import defaults_of, written
from flakelint.source.text import Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding, Fix
    from flakelint.kernel.frames import Test
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.model import Model

_ASKS = (ast.If, ast.While, ast.IfExp, ast.For, ast.Compare)
_WORDS = {ast.If: '`if`', ast.While: '`while`', ast.IfExp: 'a conditional expression'}
_BLOCKS = {
    ast.If: 'Triton raises "Boolean value of Tensor with more than one value is ambiguous": use `tl.where`, or reduce it',
    ast.While: 'Triton fails with "error encountered during parsing": reduce it to one value, as with `tl.max`',
    ast.IfExp: 'Triton fails with "error encountered during parsing": use `tl.where`',
}
_MAKE_FLOATS = frozenset({'call', 'cast', 'div'})
_PASS_FLOATS = frozenset({'add', 'sub', 'mul', 'cdiv', 'max', 'min', 'neg', 'assign'})
_IDENTITY = {ast.Eq: ('==', 'is'), ast.NotEq: ('!=', 'is not')}
_KINDS = {str: 'a string', float: 'a float'}


class BlockInCondition(Rule):
    """A condition or the bound of a loop is something that Triton takes for none.

    ## What it does
    Flags

    - `if`, `while` and the conditional expression on a block;
    - `if` and the conditional expression on a constant that is a string, a float, a tuple or a dtype;
    - `while` on a constant, `while True` among them;
    - `==` and `!=` between an argument and `None`;
    - a bound or a step of `range` or `tl.range` that is a float or a block.

    ## Why is this bad?
    The kernel does not compile. Triton decides a condition once for a whole program, and has no way to do so for each lane; of constants it takes only `None`, `bool` and `int`. For some of these the message of the compiler says no more than "error encountered during parsing". Triton's interpreter accepts most of them.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def relu_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        b_x = tl.load(x + o, mask=o < n, other=0.0)
        b_y = b_x if b_x > 0 else 0.0
        tl.store(y + o, b_y, mask=o < n)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def relu_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        b_x = tl.load(x + o, mask=o < n, other=0.0)
        b_y = tl.where(b_x > 0, b_x, 0.0)
        tl.store(y + o, b_y, mask=o < n)
    ```

    ## Fix safety
    Only `==` and `!=` with `None` are mended: `is` and `is not` compile to the same where the argument is None, and are what was meant where it is not.

    ## Known limits
    - Shapes that the source does not show are not guessed, and `and` and `or` of blocks are left to TRI208.
    - Of a constant argument it has to be seen that it is a string or a float: from its default where nothing launches the kernel, else from its launches.
    - `assert` takes blocks.
    - A step that is negative at run time, as in `range(n, 0, -step)`, compiles, and whether the loop then runs is not looked at.
    """

    code = 'TRI310'
    name = 'block-in-condition'
    severity = 'error'
    fix = 'safe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the conditions and bounds of a kernel that Triton does not take."""
        # a helper of the file may ask too
        if not any(isinstance(node, _ASKS) for one in file.kernels for node in one.body):
            return
        model = file.model(kernel)
        for test in model.tests:
            message = _block(test) or _constant(test, model)
            if message and is_to_tell(self, test.node.test, test.frame, file):
                yield self.finding(file.range(test.node.test), message)
        yield from self._comparisons(kernel, model, file)
        yield from self._bounds(model, file)

    def _comparisons(self, kernel: 'Kernel', model: 'Model', file: 'File') -> 'Iterator[Finding]':
        for compared in model.comparisons:
            node = compared.node
            if not isinstance(node, ast.Compare) or len(node.ops) > 1 or type(node.ops[0]) not in _IDENTITY:
                continue
            others = [one for one in each_value(compared.operands) if one.type != types.NONE]
            trusts = compared.frame is model.frame and takes_arguments(kernel, file)
            is_some = len(others) == 1 and (others[0].type == types.POINTER or is_run_time(others[0], trusts, True))
            if is_some and is_to_tell(self, node, compared.frame, file):
                wrong, right = _IDENTITY[type(node.ops[0])]
                message = (
                    f'`{written(node)}` is computed at run time, and Triton raises "\'NoneType\' object has no attribute '
                    f'\'dtype\'": write `{right}` for `{wrong}`'
                )
                yield self.finding(file.range(node), message, _fix(node, file))

    def _bounds(self, model: 'Model', file: 'File') -> 'Iterator[Finding]':
        for counter in model.counters:
            loop = _loop_of(counter)
            if loop is None:
                continue
            arguments = loop.iter.args
            places = [None, arguments[0], None] if len(arguments) == 1 else [*arguments, None][:3]
            for value, place in zip(counter.operands, places, strict=True):
                reason = _is_no_bound(value) if type(value) is Value else ''
                if reason and place is not None and is_to_tell(self, place, counter.frame, file):
                    yield self.finding(file.range(place), f'`{written(place)}` is {reason} of `range`')


def _block(test: 'Test') -> str:
    for value in each_value([test.value]):
        if value.type not in COMPILE_TIME and _is_wide(value.shape):
            text, kind = written(test.node.test), type(test.node)
            return f'`{text}` is a block of shape `[{", ".join(value.shape)}]` in {_WORDS[kind]}: {_BLOCKS[kind]}'
    return ''


def _constant(test: 'Test', model: 'Model') -> str:
    text = written(test.node.test)
    values = [case for _, case in cases_of(test.value)]
    if isinstance(test.node, ast.While):
        if not all(value.type in COMPILE_TIME for value in values):
            return ''
        return (
            f'`while {text}` has a constant condition: Triton raises "\'constexpr\' object has no attribute \'handle\'"; '
            'loop over `range`, or on a value of the run time'
        )
    kind = next(filter(None, (_kind(value, model) for value in values)), '')
    if not kind:
        return ''
    return (
        f'`{text}` is {kind} in {_WORDS[type(test.node)]}: Triton raises "`if` conditionals can only accept values of type '
        f'NoneType, bool, int"; compare it with what is meant, such as `is not None`'
    )


def _kind(value: Value, model: 'Model') -> str:
    """What a constant is that is no condition."""
    if value.op == 'tuple':
        return 'a tuple'
    if value.type == types.DTYPE and value.op == 'dtype':
        return 'a dtype'
    if value.type != types.CONST:
        return ''
    if value.op == 'parameter' and model.parameters.get(value.name) is value and value.literal is None:
        return _passed(value.name, model)
    return _KINDS.get(type(value.literal), '')


def _passed(name: str, model: 'Model') -> str:
    """What a launch passes for a constant, or its default where nothing launches the kernel."""
    passed = [launch.parameters[name] for launch in model.facts.launches if name in launch.parameters]
    if not model.facts.launches:
        default = defaults_of(model.kernel.definition.args).get(name)
        if isinstance(default, ast.Tuple):
            return 'a tuple'
        return _KINDS.get(type(default.value), '') if isinstance(default, ast.Constant) else ''
    if any(one.kind == STRING for one in passed):
        return _KINDS[str]
    return _KINDS[float] if any(one.kind == NUMBER and isinstance(one.value, float) for one in passed) else ''


def _is_wide(shape: Shape) -> bool:
    return bool(shape) and any(one != '1' for one in shape)


def _is_no_bound(value: Value) -> str:
    if value.type not in COMPILE_TIME and _is_wide(value.shape):
        return f'a block of shape `[{", ".join(value.shape)}]`, and Triton takes only one value as a bound'
    if _is_float(value):
        return 'a float, and Triton raises "For loop bounds and step must all be ints": use `//` or `tl.cdiv` for the bounds'
    return ''


def _is_float(value: Value) -> bool:
    """Whether a value is made a float in the kernel; a tensor that is passed in place of another one may hold any type."""
    if value.type == types.CONST:
        return isinstance(value.literal, float) or (value.op == 'div' and value.literal is None)
    if value.type != types.FLOAT:
        return False
    return value.op in _MAKE_FLOATS or (value.op in _PASS_FLOATS and any(map(_is_float, each_value(value.operands))))


def _loop_of(counter: Value) -> ast.For | None:
    loops = (node for node in counter.frame.kernel.body if isinstance(node, ast.For))
    return next((loop for loop in loops if loop.target is counter.node), None)


def _fix(node: ast.Compare, file: 'File') -> 'Fix | None':
    wrong, right = _IDENTITY[type(node.ops[0])]
    place = Range(file.range(node.left).end, file.range(node.comparators[0]).start)
    text = file.text[file.lines.offset(place.start):file.lines.offset(place.end)]
    before, operator, after = text.partition(wrong)
    if not operator or '#' in text or '\n' in text:
        return None
    before, after = before if before[-1:].isspace() else f'{before} ', after if after[:1].isspace() else f' {after}'
    return safe(f'Use `{right}`', Edit(place, f'{before}{right}{after}'))
