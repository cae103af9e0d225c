# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel import carried, exact_types, redefined
from flakelint.kernel.api.uses import is_chosen
from flakelint.rules.tri.places import beside, is_to_tell

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.carried import Change
    from flakelint.kernel.exact_types import Kind
    from flakelint.kernel.kernels import Kernel


class CarriedTypeChange(Rule):
    """A name to which a loop or a branch gives another type or shape, or that is a constant and is assigned there.

    ## What it does
    Flags, where the source shows both sides for certain,

    - a name that a loop carries and whose type or shape it changes: `acc = 0.0`, and `acc += block` in the loop;
    - a name that a run-time branch makes something else than it was before, or whose two sides bind two types;
    - a conditional expression with a run-time condition and two types;
    - a compile-time constant that is assigned in a loop or a run-time branch: an argument that is a `tl.constexpr`, a name that is declared as one, a literal that a helper was given, `None`, and an argument for which a launch passes 1;
    - a `tl.constexpr` that is declared where the name exists already.

    ## Why is this bad?
    Triton compiles a loop and a branch once, with one type for each name. It refuses such kernels, with a message that names the loop and not the assignment. Triton's interpreter, in which kernels are debugged, takes them all.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def sum_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        i_n = tl.program_id(0).to(tl.int64)
        b_s = 0.0
        for i in range(0, n, BLOCK):
            o = i + tl.arange(0, BLOCK)
            b_s += tl.load(x + i_n * n + o, mask=o < n, other=0).to(tl.float32)
        tl.store(y + i_n, tl.sum(b_s, 0))
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def sum_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        i_n = tl.program_id(0).to(tl.int64)
        b_s = tl.zeros([BLOCK], dtype=tl.float32)
        for i in range(0, n, BLOCK):
            o = i + tl.arange(0, BLOCK)
            b_s += tl.load(x + i_n * n + o, mask=o < n, other=0).to(tl.float32)
        tl.store(y + i_n, tl.sum(b_s, 0))
    ```

    ## Known limits
    - What is loaded has the type of the caller's tensor, and an argument has the type of what is passed. Neither is guessed, so a change that depends on them is not flagged.
    - Two dimensions with two names may be equal, and 1 may be the length of any; only numbers that differ, and numbers of dimensions, are told apart.
    - A name that is `None` and is assigned in one side of a run-time branch compiles, and is `None` behind it; that is not flagged.
    - Branches that ask for a type, a shape, a release or a backend are compiled for some of them only, and are left out; so are files for the Triton of another vendor. So is a name whose start and whose change both depend on flags, since these may exclude each other.
    - A function that is not seen to be launched, and that asks for no program id, may be given blocks; of its arguments nothing is known.
    """

    code = 'TRI307'
    name = 'carried-type-change'
    severity = 'error'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the names of a kernel that change what they are."""
        for statement, text in redefined.redefined(kernel):
            where = file.range(statement)
            if file.is_first(self.code, where):
                yield self.finding(where, text)
        if file.repository.is_called_by_kernels(kernel):
            return
        for change in carried.changes(file.model(kernel), file.exact(kernel)):
            frame = change.meeting.frame
            if not is_chosen(frame.kernel, change.node) and is_to_tell(self, change.node, frame, file):
                related = []
                if isinstance(change.origin.node, ast.expr | ast.stmt) and change.origin.frame is frame:
                    related = beside(change.origin, 'what it is before', file)
                yield self.finding(file.range(change.node), _message(change), related=related)


def _message(change: 'Change') -> str:
    name = change.meeting.name
    if change.kind == carried.TERNARY:
        left, right = _both(change.start, change.end)
        text = f'the two sides of the conditional expression are {left} and {right}'
        return f'{text}: Triton refuses that where the condition is known at run time only; {_cast(change)}'
    if change.launch is not None:
        place = f'line {change.launch.line} of `{change.launch.path}`'
        text = f'`{name}` is a compile-time constant where 1 is passed for it, as in {place}'
        return f'{text}, and the loop assigns it: Triton refuses that; copy it to another name before the loop'
    place = 'the loop' if change.kind == carried.LOOP else 'the run-time branch'
    if change.start.dtype == exact_types.NONE:
        text = f'`{name}` is None when the loop begins, and the loop assigns it'
        return f'{text}: Triton refuses that; start it with a value of the type that it gets'
    if change.start.is_constant:
        text = f'`{name}` is {exact_types.described(change.start)}, and {place} assigns it'
        return f'{text}: Triton refuses that; copy it to another name first, which makes it a value of the run time'
    start, end = _both(change.start, change.end)
    if change.kind == carried.SIDES:
        text = f'`{name}` is {start} at the end of one side of the branch, and {end} at the end of the other'
        return f'{text}: Triton refuses two types for one name; {_cast(change)}'
    verb = 'starts as' if change.kind == carried.LOOP else 'is'
    text = f'`{name}` {verb} {start}, and {place} makes it {end}'
    return f'{text}: Triton refuses a type that changes there; {_advice(change)}'


def _both(one: 'Kind', other: 'Kind') -> tuple[str, str]:
    """Two kinds in words; the types where they tell them apart, or where nothing else does."""
    names = exact_types.is_clash(one.dtype, other.dtype) or not exact_types.is_other_shape(one.shape, other.shape)
    found = [exact_types.described(kind, names) for kind in (one, other)]
    return found[0], found[1]


def _advice(change: 'Change') -> str:
    start, end = change.start, change.end
    if start.shape == () and end.shape:
        block = f', such as `tl.zeros([{", ".join(end.shape)}], ...)`' if exact_types.ANY not in end.shape else ''
        return f'start with a block{block}'
    if start.shape and end.shape == ():
        return 'give what is a scalar another name'
    if exact_types.is_other_shape(start.shape, end.shape):
        return 'give what has another shape another name'
    return _cast(change)


def _cast(change: 'Change') -> str:
    start, end = change.start, change.end
    if exact_types.is_other_shape(start.shape, end.shape):
        return 'make both the same shape'
    if start.dtype in exact_types.INTEGERS and end.dtype in exact_types.FLOATS:
        return 'make the integer a float from the start, as `0.0` is one'
    if end.dtype in exact_types.INTEGERS and start.dtype in exact_types.FLOATS:
        return 'make both floats, as `0.0` is one'
    return 'cast one of them with `.to(...)`'
