# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel import types
from flakelint.kernel.elements import (
    ATTRIBUTES,
    VALUES,
    elements,
    is_new,
    is_refused,
    is_whole,
    plain_pointers,
    stored_elements,
)
from flakelint.kernel.graph import Cases, Value, each_value
from flakelint.kernel.reached import left_out
from flakelint.kernel.tensors import are_tensors, is_tensor, may_be_tuple
from flakelint.rules.tri.mask_operands import takes_scalars
from flakelint.rules.tri.recorded import Seen, is_launched, values_of
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel

_UNPACK = 'choose with `tl.where` and reduce, or use `tl.gather`'


class SubscriptOrAttribute(Rule):
    """An element or an attribute of a tensor in a kernel, of the kind that torch has and Triton does not.

    ## What it does
    Flags in functions that Triton compiles

    - assignments to elements and to attributes: `x[i] = v`, `ptr[i] += v`, `x.scale = v`;
    - elements of tensors and of pointers: `x[0]`, `x[i]`, `x[:4]`, `x[..., None]`, `ptr[i]`;
    - more `:` than a tensor has dimensions, which Triton refuses from 3.9 on;
    - `ptr.shape[0]`, since a pointer is a scalar and its shape is empty;
    - attributes and methods that torch and NumPy have and Triton does not, such as `.float()`, `.size(0)`, `.stride(0)`, `.mean()`, and calls of what is a value, such as `.numel()`.

    ## Why is this bad?
    The kernel does not compile. A block lives in registers that are spread over the threads of a program, so that it has no elements to be asked for, and a pointer is a number. Where the index is a value of the run time, the error is no help either: for `ptr[i]` it asks whether `@triton.jit` was forgotten.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def double_kernel(x_ptr, y_ptr, n):
        i = tl.program_id(0)
        y_ptr[i] = tl.load(x_ptr + i) * 2
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def double_kernel(x_ptr, y_ptr, n):
        i = tl.program_id(0)
        tl.store(y_ptr + i, tl.load(x_ptr + i) * 2)
    ```

    ## Known limits
    - Elements and attributes of an argument of which the file does not show that it is a tensor are not flagged: it may be a tuple, or a class of Triton's own.
    - Attributes that some version of Triton has are no case of this rule.
    """

    code = 'TRI312'
    name = 'subscript-or-attribute'
    severity = 'error'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag what a kernel asks of tensors in vain."""
        stored = list(stored_elements(kernel))
        read = [node for node in kernel.body if isinstance(node, ast.Subscript) and _may_be_refused(node)]
        asked = [node for node in kernel.body if isinstance(node, ast.Attribute) and _is_asked(node)]
        if not stored and not read and not asked:
            return
        skipped = left_out(kernel)
        called = {id(call.func) for call in kernel.calls}
        asked = [node for node in asked if node.attr in ATTRIBUTES or id(node) in called]
        targets = {id(target) for target, _ in stored}
        for target, statement in stored:
            if id(target) not in skipped:
                yield self.finding(file.range(target), _stored(target, statement))
        wanted = [_owner(node) for node in (*read, *asked)] + [one for node in read for one in _indices(node)]
        seen = values_of(wanted, kernel, file)
        check = _Check(kernel, file, seen)
        for node in (*read, *asked):
            if id(node) in skipped or id(node) in targets:
                continue
            message = check.element(node) if isinstance(node, ast.Subscript) else check.attribute(node)
            if message:
                yield self.finding(file.range(node), message)


class _Check:
    """What is wrong with the elements and attributes of a function, as far as its values are known."""

    def __init__(self, kernel: 'Kernel', file: 'File', seen: Seen) -> None:
        self.kernel = kernel
        self.file = file
        self.seen = seen
        self.pointers = plain_pointers(kernel)

    def element(self, node: ast.Subscript) -> str:
        """The message for a subscript; nothing where it may be right."""
        owner = node.value
        if isinstance(owner, ast.Attribute) and owner.attr == 'shape':
            return self._dimension(node, owner)
        index = next(filter(self._is_refused, elements(node)), None)
        if index is None:
            return self._rank(node)
        values, text = self._values(owner), f'`{written(node)}`'
        is_running = not is_refused(index)
        if are_tensors(values) and not self._may_be_tuple(owner, values):
            if all(one.type == types.POINTER for one in each_value(values)):
                return f'{text} is refused: a pointer has no elements; write `tl.load({written(owner)} + {written(index)})`'
            problem = 'with a misleading error' if is_running else '("unsupported tensor index")'
            return f'{text} is refused {problem}: a tensor takes `:` and `None` only; {_UNPACK}'
        if is_running and self._is_argument(values):
            known = '`tl.load` reads what a pointer points to, and a tuple takes constants only'
            return f'{text} is refused, whatever `{written(owner)}` is: its index is known at run time only; {known}'
        return ''

    def attribute(self, node: ast.Attribute) -> str:
        """The message for an attribute; nothing where it may be right."""
        text = f'`{written(node)}`'
        values = self._values(node.value)
        if not are_tensors(values):
            return ''
        if node.attr in ATTRIBUTES:
            return f"{text} is refused: a tensor has no `{node.attr}`; use {ATTRIBUTES[node.attr]}"
        return f'{text} is a value, and calling it is refused: write it without the parentheses'

    def _values(self, node: ast.expr) -> list[Value | Cases]:
        return [value for _, value in self.seen.get(id(node), ())]

    def _is_refused(self, element: ast.expr) -> bool:
        return is_refused(element) or are_tensors(self._values(element))

    def _rank(self, node: ast.Subscript) -> str:
        rank = self._known_rank(node.value) if all(is_whole(one) or is_new(one) for one in elements(node)) else None
        if rank is None or rank >= sum(map(is_whole, elements(node))):
            return ''
        have = 'a scalar' if rank == 0 else f'a tensor of rank {rank}'
        problem = f'Triton 3.9 refuses `{written(node)}` ("too many indices for tensor of rank {rank}")'
        return f'{problem}, as older versions do not: `{written(node.value)}` is {have}'

    def _dimension(self, node: ast.Subscript, shape: ast.Attribute) -> str:
        axis = node.slice.value if isinstance(node.slice, ast.Constant) else None
        rank = self._known_rank(shape.value) if isinstance(axis, int) else None
        if rank is None or axis < rank:
            return ''
        values = self._values(shape.value)
        is_pointer = all(one.type == types.POINTER for one in each_value(values))
        what = 'a pointer' if is_pointer and rank == 0 else 'a scalar' if rank == 0 else f'a tensor of rank {rank}'
        instead = ': pass the size as an argument' if is_pointer else ''
        return f'`{written(node)}` is refused ("list index out of range"), since `{written(shape.value)}` is {what}{instead}'

    def _known_rank(self, node: ast.expr) -> int | None:
        """The largest number of dimensions that an expression has; None where it may be no tensor, or one of a rank that is not known."""
        ranks = set()
        for frame, value in self.seen.get(id(node), ()):
            for one in each_value([value]):
                if one.shape is None or not is_tensor(one) or not is_launched(frame, self.file):
                    return None
                ranks.add(len(one.shape))
        return max(ranks, default=None)

    def _may_be_tuple(self, owner: ast.expr, values: list[Value | Cases]) -> bool:
        """Whether it is an argument that the model takes for a pointer, but that nothing shows to be one."""
        if not may_be_tuple(values):
            return False
        return not (isinstance(owner, ast.Name) and owner.id in self.pointers)

    def _is_argument(self, values: list[Value | Cases]) -> bool:
        """Whether it is an argument of a kernel that is launched, which is a number, a pointer or a tuple."""
        found = list(each_value(values))
        is_plain = all(one.op == 'parameter' and one.type in (types.INT32, types.POINTER) for one in found)
        return is_plain and bool(found) and takes_scalars(self.kernel, self.file)


def _may_be_refused(node: ast.Subscript) -> bool:
    """Whether there is something in the brackets that a tensor may refuse."""
    return not isinstance(node.ctx, ast.Store) and not all(map(is_new, elements(node)))


def _is_asked(node: ast.Attribute) -> bool:
    return (node.attr in ATTRIBUTES or node.attr in VALUES) and not isinstance(node.ctx, ast.Store)


def _owner(node: ast.Subscript | ast.Attribute) -> ast.expr:
    """The tensor of which something is asked."""
    owner = node.value
    is_shape = isinstance(node, ast.Subscript) and isinstance(owner, ast.Attribute) and owner.attr == 'shape'
    return owner.value if is_shape else owner


def _indices(node: ast.Subscript) -> Iterable[ast.expr]:
    return (one for one in elements(node) if not isinstance(one, ast.Slice | ast.Constant | ast.Starred))


def _stored(target: ast.Subscript | ast.Attribute, statement: ast.stmt) -> str:
    text = f'`{written(target)}`'
    if isinstance(target, ast.Attribute):
        problem = f'{text} is assigned to, which is refused ("Attribute assignment is not supported in triton")'
        return f'{problem}: bind a plain name'
    owner = written(target.value)
    if isinstance(statement, ast.AugAssign):
        problem = f'{text} is added to in place, which is refused with a misleading error'
        return f'{problem}: load, compute and `tl.store`, or use `tl.atomic_add`'
    instead = f'store through a pointer with `tl.store({owner} + ..., ...)`, or choose with `tl.where`'
    return f'{text} is assigned to, which is refused ("__setitem__ is not supported in triton"): {instead}'
