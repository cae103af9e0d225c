# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import builtins
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel import api
from flakelint.kernel.api.replacements import of_name, was_there_before
from flakelint.kernel.api.uses import is_chosen, uses
from flakelint.kernel.helper_calls import calls_itself, is_plain_helper, misfit
from flakelint.kernel.outside import BUILTIN, PLAIN_FUNCTION, UNBOUND, Meant, Outside
from flakelint.kernel.reached import left_out
from flakelint.project.imports import dotted
from flakelint.rules.tri import bound_values, plain_functions
from flakelint.source.expressions import written
from flakelint.source.text import Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel

_CLOSE = 0.75
# what kernels have in place of Python's own functions
_INSTEAD = {
    'abs': '`tl.abs`', 'bool': '`tl.int1`', 'pow': '`libdevice.pow`', 'round': '`libdevice.rint`', 'sorted': '`tl.sort`',
    'sum': '`tl.sum`', 'tuple': '`tl.tuple`, or parentheses', 'type': '`.dtype`',
}


class UnknownName(Rule):
    """A name that means nothing in a kernel, or a function that no kernel can call.

    ## What it does
    Finds in the body of a kernel

    - names that nothing binds, and names of `triton.language` that no release has had, such as `tl.mean`;
    - Python's own functions that kernels do not have: all but `float`, `getattr`, `hasattr`, `int`, `isinstance`, `len`, `list`, `max`, `min`, `print` and `range`;
    - functions without `@triton.jit`, of the module or imported, called or passed on;
    - calls of functions of torch, NumPy and the standard library, and of those of `math` on values of the run time;
    - `int`, `float` and `len` of values of the run time, `max` and `min` of one value, `list(...)` that is bound to a name, and `print` and `tl.device_print` that do not start with a text;
    - texts and functions that are bound to a plain name, or that are the default of a parameter which is no `tl.constexpr`, and annotations that kernels do not have, such as `bool`, which are compiled too;
    - calls of other kernels and helpers with too many, unknown or missing arguments, and of those with `noinline=True` with a block;
    - kernels that call themselves.

    ## Why is this bad?
    None of this is seen before the kernel is compiled at its first launch, and the errors name the wrong place or none at all: "Unsupported function referenced" comes without a line, a function that calls itself ends in a `KeyError`. Triton's interpreter takes most of it, so tests with `TRITON_INTERPRET=1` say nothing. An undecorated function is refused even where the branch that calls it is never compiled.

    ## Example
    ```python
    import triton
    import triton.language as tl


    def silu(x):
        return x * tl.sigmoid(x)


    @triton.jit
    def silu_fwd_kernel(x, y, n, B: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
        b_x = tl.load(x + o, mask=o < n, other=0.0)
        tl.store(y + o, silu(b_x), mask=o < n)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def silu(x):
        return x * tl.sigmoid(x)


    @triton.jit
    def silu_fwd_kernel(x, y, n, B: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
        b_x = tl.load(x + o, mask=o < n, other=0.0)
        tl.store(y + o, silu(b_x), mask=o < n)
    ```

    ## Known limits
    - Names of modules that are imported with `*` and not seen, or that code puts there with `globals()` or `exec`, are not known.
    - Variables of functions around a kernel, and what other packages than those named hold, are left alone; so are functions with any decorator.
    - `triton.cdiv` and its like on values of the run time are the subject of `device-call-on-host` (TRI407), names of Triton that are gone of `removed-api` (TRI308).
    - Functions that call each other in a circle are not found, nor those that call themselves and are called by a kernel, since constants may bring them to an end.
    - Whether a constant that is printed is a text is known only where it is written out.
    """

    code = 'TRI302'
    name = 'unknown-name'
    severity = 'error'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Look up the names of a kernel, and compare its calls with what they call."""
        skipped = None
        found = (
            *_names(kernel, file), *_language(kernel), *_helpers(kernel, file), *plain_functions.problems(kernel, file),
            *bound_values.problems(kernel, file),
        )
        for node, message, is_always in found:
            skipped = left_out(kernel) if skipped is None else skipped
            if is_always or id(node) not in skipped:
                yield self.finding(_place(node, file), message)


def _place(node: ast.AST, file: 'File') -> Range:
    """The place of a name, or of the function that is called."""
    return file.range(node.func if isinstance(node, ast.Call) else node)


def _names(kernel: 'Kernel', file: 'File') -> Iterator[tuple[ast.AST, str, bool]]:
    outside = Outside(kernel, file.repository)
    elsewhere = _handled_elsewhere(kernel)
    functions = {id(call.func) for call in kernel.calls}
    known: dict[str, Meant] = {}
    for node, name in outside.names():
        head = name.partition('.')[0]
        first = node
        while isinstance(first, ast.Attribute):
            first = first.value
        for asked in dict.fromkeys((head, name)):
            meant = known.setdefault(asked, outside.meant(asked))
            if meant.kind in (UNBOUND, BUILTIN) and id(first) in elsewhere:
                continue
            # what is no function of the repository matters where it is called
            if meant.kind == PLAIN_FUNCTION and not meant.path and id(node) not in functions:
                continue
            message = _of_name(asked, meant, kernel, file)
            if message:
                yield (first if asked == head else node), message, meant.kind == PLAIN_FUNCTION
                break


def _of_name(name: str, meant: Meant, kernel: 'Kernel', file: 'File') -> str:
    if meant.kind == UNBOUND:
        bound = kernel.assigned.union(one.name for one in kernel.parameters)
        close = get_close_matches(name, sorted(bound), 1, _CLOSE)
        hint = f'; did you mean `{close[0]}`?' if close else ''
        return f'nothing binds `{name}`: compiling `{kernel.name}` raises NameError{hint}'
    if meant.kind == BUILTIN:
        hint = f'; use {_INSTEAD[name]}' if name in _INSTEAD else ''
        return f"`{name}` is one of Python's own names that kernels do not have: compiling raises NameError{hint}"
    if meant.kind != PLAIN_FUNCTION:
        return ''
    refusal = 'Triton refuses it ("Unsupported function referenced") and names no line'
    if not meant.path:
        return f'`{name}` runs on the host only: in a kernel {refusal}'
    place = f'line {meant.line}' if meant.path == file.path else f'line {meant.line} of {meant.path}'
    return f'`{name}` ({place}) has no `@triton.jit`: in a kernel {refusal}'


def _handled_elsewhere(kernel: 'Kernel') -> set[int]:
    """Names that stand in what is refused as such."""
    refused = ast.Raise | ast.ExceptHandler | ast.Try | ast.withitem
    roots: list[ast.AST] = [node for node in kernel.body if isinstance(node, refused)]
    roots += [node.iter for node in kernel.body if isinstance(node, ast.For) and not isinstance(node.iter, ast.Call)]
    roots += [
        node.iter.func for node in kernel.body
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and hasattr(builtins, dotted(node.iter.func) or '')
    ]
    return {id(one) for root in roots for one in ast.walk(root) if isinstance(one, ast.Name)}


def _language(kernel: 'Kernel') -> Iterator[tuple[ast.AST, str, bool]]:
    table = api.load()
    for use in uses(kernel, table):
        if not isinstance(use.node, ast.Attribute) or table.entries(use.module, use.name):
            continue
        if was_there_before(use.module, use.name, table) or is_chosen(kernel, use.node):
            continue
        other = of_name(use.module, use.name, table)
        close = get_close_matches(use.name, table.names(use.module), 1, _CLOSE)
        hint = f': use {other}' if other else f'; did you mean `{close[0]}`?' if close else ''
        yield use.node, f'`{written(use.node)}` exists in no release of Triton, and raises AttributeError{hint}', False


def _helpers(kernel: 'Kernel', file: 'File') -> Iterator[tuple[ast.AST, str, bool]]:
    for call in kernel.calls:
        name = dotted(call.func)
        helper = file.repository.helper(kernel, name) if name and _may_be_helper(name, kernel) else None
        if helper is None or not is_plain_helper(helper):
            continue
        problem = misfit(call, helper)
        if problem:
            place = f'line {helper.definition.lineno}' if helper.path == file.path else helper.path
            yield call, f'`{name}` ({place}) {problem}: compiling raises TypeError', False
        elif helper.definition is kernel.definition and _is_entry(kernel, file) and calls_itself(call, kernel):
            yield call, f'`{name}` calls itself, which Triton cannot compile (KeyError): write a loop', False


def _may_be_helper(name: str, kernel: 'Kernel') -> bool:
    return not kernel.bindings.resolve(name).startswith('triton.')


def _is_entry(kernel: 'Kernel', file: 'File') -> bool:
    return not file.repository.is_called_by_kernels(kernel)
