# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.api.uses import is_for_vendor
from flakelint.kernel.outside import PLAIN_CLASS, PLAIN_VALUE, Meant, Outside
from flakelint.kernel.reached import left_out
from flakelint.source.syntax import nodes_in_order
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel

_MAX_TEXT = 30


class NonConstexprGlobal(Rule):
    """A kernel that reads a variable of its module which is no `tl.constexpr`.

    ## What it does
    Finds names in the body of a kernel that stand for a plain value or a class at the top of a module, the kernel's own or one from which the name is imported: numbers, texts, lists, tuples and dictionaries, dtypes of torch, arithmetic and comparisons of these, what a function of Python, torch or NumPy returns, enumerations. `G: tl.constexpr = 4`, which is annotated and not wrapped, is a plain value too.

    ## Why is this bad?
    Triton refuses to compile the kernel: "Cannot access global variable". A value that may change between two launches would be baked into the first one. Triton's interpreter takes it, so tests with `TRITON_INTERPRET=1` say nothing.

    ## Example
    ```python
    import triton
    import triton.language as tl

    LOG2E = 1.4426950408889634


    @triton.jit
    def exp_fwd_kernel(x, y, n, B: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
        b_x = tl.load(x + o, mask=o < n, other=0.0)
        tl.store(y + o, tl.exp2(b_x * LOG2E), mask=o < n)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl

    LOG2E = tl.constexpr(1.4426950408889634)


    @triton.jit
    def exp_fwd_kernel(x, y, n, B: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
        b_x = tl.load(x + o, mask=o < n, other=0.0)
        tl.store(y + o, tl.exp2(b_x * LOG2E), mask=o < n)
    ```

    ## Known limits
    - What is computed by functions of the repository, or from names of other modules, is not known and left alone; so are values that functions change with `global`.
    - Defaults of parameters, attributes of modules (`settings.LOG2E`, `math.pi`), names that are bound to `None`, and variables of functions around the kernel are no case of this rule.
    - A module that sets `TRITON_ALLOW_NON_CONSTEXPR_GLOBALS` is left alone; one set elsewhere is not seen.
    """

    code = 'TRI303'
    name = 'non-constexpr-global'
    severity = 'error'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Look up what a kernel reads from outside."""
        outside = Outside(kernel, file.repository)
        told: set[str] = set()
        skipped = None
        for node, name in outside.names():
            head = name.partition('.')[0]
            if head in told:
                continue
            meant = outside.meant(head)
            # some of the vendors' releases are so old that the annotation does
            is_taken = meant.is_annotated and is_for_vendor(kernel.path)
            if is_taken or meant.kind not in (PLAIN_VALUE, PLAIN_CLASS):
                told.add(head)
                continue
            skipped = left_out(kernel) | _raised(kernel) if skipped is None else skipped
            if id(node) in skipped:
                continue
            told.add(head)
            start = file.range(node).start
            where = Range(start, Position(start.line, start.column + len(head)))
            yield self.finding(where, _message(head, meant, file))


def _raised(kernel: 'Kernel') -> frozenset[int]:
    """What stands in `raise`, by identity: either that is refused, or a condition keeps it from being compiled."""
    return frozenset(map(id, nodes_in_order([node for node in kernel.body if isinstance(node, ast.Raise)])))


def _message(name: str, meant: Meant, file: 'File') -> str:
    refusal = 'Triton refuses it ("Cannot access global variable")'
    place = f'line {meant.line}' if meant.path == file.path else f'line {meant.line} of {meant.path}'
    if meant.kind == PLAIN_CLASS:
        remedy = 'make what is read of it a `tl.constexpr(...)` of the module'
        return f'`{name}` is a class ({place}), and {refusal}: {remedy}'
    if not meant.path:
        remedy = 'name it by its module, or pass it as a `tl.constexpr`'
        return f'`{name}` is `{meant.text}`, a plain value of the module, and {refusal}: {remedy}'
    text = meant.text if len(meant.text) <= _MAX_TEXT else f'{meant.text[:_MAX_TEXT]}...'
    what = 'is only annotated as `tl.constexpr`' if meant.is_annotated else 'is a plain global variable'
    shown = f'`{text}`, {place}' if text and '\n' not in text else place
    return f'`{name}` {what} ({shown}), and {refusal}: write `{name} = tl.constexpr(...)`, or pass it as a `tl.constexpr`'
