# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.api.uses import is_chosen
from flakelint.kernel.exact import Exact
from flakelint.kernel.typed_branches import TypedBranches
from flakelint.rules.tri import (
    operand_arithmetic,
    operand_axes,
    operand_calls,
    operand_functions,
    operand_memory,
    operand_shapes,
)
from flakelint.rules.tri.operand_arithmetic import COMPARED, OPERATIONS
from flakelint.rules.tri.places import is_to_tell
from flakelint.rules.tri.recorded import is_late, values_of
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.frames import Frame
    from flakelint.kernel.graph import Value
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.model import Model

Place = tuple[int, int, str]


class OperandMismatch(Rule):
    """Operands that Triton does not take together: blocks of two lengths, pointers that are multiplied, floats in `//`, wrong arguments of `tl.load`.

    ## What it does
    Flags, where the source shows the types and shapes for certain,

    - operations on blocks whose lengths are two different numbers, or that make more than 2**20 elements, `tl.reshape` that changes the number of elements, `tl.broadcast_to` that cannot be, axes that a block does not have, orders that are no permutation, blocks of two lengths or types that are joined, `.item()` of several elements, and numbers that are reduced;
    - `tl.dot` of scalars or vectors, of inner lengths or types that differ, of an inner length that is too small for NVIDIA GPUs, of integers other than int8, and accumulators of another shape or type;
    - pointers that are multiplied, added to each other, compared, or moved by a float;
    - `**` on anything but constants, floats in `//`, `&`, `|`, `^`, `<<`, `>>` and `~`, integers in `tl.exp`, `tl.fdiv` and their like, `tl.full` with a number that its type does not hold, `+x`, `//` and `%` of a number with a sign and one without, literals that are out of the range of the other operand;
    - bit casts between widths, and `fp_downcast_rounding` where nothing gets narrower or that is neither `rtne` nor `rtz`;
    - loads and stores through what is no pointer, blocks that are stored through a scalar pointer or are wider than their pointers, numbers as masks, `other` without a mask, atomics on types that have none;
    - arguments of `tl.load`, `tl.store`, `tl.dot` and atomics that are missing, given twice, too many, or that no release knows, and strings that they do not take.

    ## Why is this bad?
    Triton refuses to compile such a kernel, with a message that often names its own source instead of the kernel's. Triton's interpreter, in which kernels are debugged, takes many of them.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def halve_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        i = tl.program_id(0).to(tl.int64)
        o = i * BLOCK + tl.arange(0, BLOCK)
        b_x = tl.load(x + o / 2, mask=o < n)
        tl.store(y + o, b_x, mask=o < n)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def halve_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        i = tl.program_id(0).to(tl.int64)
        o = i * BLOCK + tl.arange(0, BLOCK)
        b_x = tl.load(x + o // 2, mask=o < n)
        tl.store(y + o, b_x, mask=o < n)
    ```

    ## Known limits
    - What is loaded has the type of the caller's tensor, and an argument has the type of what is passed; neither is guessed. Atomics are judged by their element type only where every launch shows it.
    - Two lengths with two names may be equal, and any may be 1; only numbers are told apart, and numbers of dimensions.
    - A pointer that is `None` at a launch, and read there, is not followed.
    - A mask that is a block of integers, or is wider than its pointer, is TRI208's; `tl.exp` of float16 is TRI601's; tensor descriptors are TRI206's.
    - Branches that ask for a type, a shape, a release or a backend are compiled for some of them only, and are left out; so are files for the Triton of another vendor. What fits in one variant of a kernel is not flagged for another one.
    - A function that is not seen to be launched, and that asks for no program id, may be given blocks; of its arguments nothing is known.
    """

    code = 'TRI311'
    name = 'operand-mismatch'
    severity = 'error'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the operations and calls of a kernel that Triton refuses."""
        for node, text in operand_calls.problems(kernel):
            where = file.range(node)
            if file.is_first(self.code, where):
                yield self.finding(where, text)
        signed = [node for node in kernel.body if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd)]
        seen = values_of([node.operand for node in signed], kernel, file)
        for node in signed:
            if is_late(node.operand, seen, file) and file.is_first(self.code, file.range(node)):
                text = f'`{written(node)}` has a plus sign, which values of the run time do not have'
                yield self.finding(file.range(node), f'{text}: Triton refuses it; leave the sign out')
        if file.repository.is_called_by_kernels(kernel):
            return
        model = file.model(kernel)
        for node, frame, text in _mismatches(model, file.exact(kernel)):
            if not is_chosen(frame.kernel, node) and is_to_tell(self, node, frame, file):
                yield self.finding(file.range(node), text)


def _mismatches(model: 'Model', exact: 'Exact') -> 'Iterator[tuple[ast.AST, Frame, str]]':
    """What is refused in a kernel whatever the variant, once a place."""
    typed = TypedBranches()
    found: dict[Place, tuple[Value, str]] = {}
    sound: set[Place] = set()
    for value in model.made:
        text = _problem(value, exact)
        if text is None:
            continue
        place = (id(value.node), id(value.frame), value.op)
        if text:
            found.setdefault(place, (value, text))
        else:
            sound.add(place)
    for place, (value, text) in found.items():
        if place not in sound and not typed.has(value.node, value.frame):
            yield value.node, value.frame, text
    for one in model.accesses:
        text = operand_memory.access(one, model, exact) or operand_memory.constant_pointer(one, model)
        if text and not typed.has(one.node, one.frame):
            yield one.node, one.frame, text


def _problem(value: 'Value', exact: Exact) -> str | None:
    """What is wrong with how a value is made; `None` for what is not judged."""
    if value.node is None or value.frame is None:
        return None
    checks = [check for ops, check in _CHECKS if value.op in ops]
    return next(filter(None, (check(value, exact) for check in checks)), '') if checks else None


_CHECKS = (
    (OPERATIONS | COMPARED, operand_arithmetic.binary),
    (OPERATIONS | COMPARED, operand_shapes.broadcast),
    ({'pow'}, operand_arithmetic.power),
    ({'neg', 'invert'}, operand_arithmetic.unary),
    ({'call', 'umulhi'}, operand_functions.function),
    ({'cast'}, operand_arithmetic.cast),
    ({'fill'}, operand_functions.filled),
    ({'assign'}, operand_arithmetic.assigned),
    ({'view'}, operand_shapes.view),
    ({'view'}, operand_axes.ordered),
    ({'view', 'reduce', 'call'}, operand_axes.along),
    ({'call'}, operand_axes.picked),
    ({'join'}, operand_axes.joined),
    ({'tuple'}, operand_axes.split),
    ({'trans'}, operand_axes.turned),
    ({'dot'}, operand_shapes.dot),
)
