# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, unsafe
from flakelint.kernel.effects import does_nothing, is_load, uncalled
from flakelint.kernel.reached import RANGE, left_out, range_of
from flakelint.rules.tri.widening import language_name
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding, Fix
    from flakelint.kernel.kernels import Kernel

_OPTIONS = frozenset({
    'disable_licm', 'disallow_acc_multi_buffer', 'flatten', 'loop_unroll_factor', 'num_stages', 'warp_specialize',
})


class IgnoredExpression(Rule):
    """Code in a kernel that compiles, and does not do what it says.

    ## What it does
    Flags in functions that Triton compiles

    - a statement that only computes a value, such as `x.to(tl.float32)`, `tl.load(p)` or `x == y`;
    - a function of the language that is named and not called, such as `tl.debug_barrier`;
    - keywords given to the builtin `range`, such as `num_stages=` or `step=`;
    - the format of a value in an f-string, as in `f'{BLOCK:>5}'`.

    ## Why is this bad?
    Each of them compiles without a word, and has no effect. Values of Triton never change: `x.to(tl.float32)` gives a new one and leaves `x` as it is, and a load that nobody reads is removed. The builtin `range` takes its bounds by position and drops every keyword: `num_stages=4` pipelines nothing, and `range(0, n, step=2)` goes in steps of 1. An f-string is put together without the format.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def sum_kernel(x, y, n, BLOCK: tl.constexpr):
        acc = tl.zeros((BLOCK,), tl.float32)
        for start in range(0, n, BLOCK, num_stages=4):
            o = start + tl.arange(0, BLOCK)
            b_x = tl.load(x + o, mask=o < n, other=0.0)
            b_x.to(tl.float32)
            acc += b_x
        tl.store(y, tl.sum(acc))
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def sum_kernel(x, y, n, BLOCK: tl.constexpr):
        acc = tl.zeros((BLOCK,), tl.float32)
        for start in tl.range(0, n, BLOCK, num_stages=4):
            o = start + tl.arange(0, BLOCK)
            b_x = tl.load(x + o, mask=o < n, other=0.0)
            b_x = b_x.to(tl.float32)
            acc += b_x
        tl.store(y, tl.sum(acc))
    ```

    ## Fix safety
    `tl.range` in place of `range` is offered where it takes the keywords. It is unsafe: the options take effect then, and may need more shared memory than there is.

    ## Known limits
    - Calls of functions that are not Triton's own are taken to have an effect, and so are volatile loads and those that say how to use a cache.
    - A name that stands alone is meant to be left alone, and is not flagged.
    """

    code = 'TRI313'
    name = 'ignored-expression'
    severity = 'warning'
    fix = 'unsafe'
    tags = ('unnecessary',)

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag what a kernel says in vain."""
        skipped: frozenset[int] | None = None
        for node in kernel.body:
            check = _CHECKS.get(type(node))
            for found in check(node, kernel, file) if check is not None else ():
                skipped = left_out(kernel) if skipped is None else skipped
                if id(node) not in skipped:
                    yield self.finding(file.range(found.node), found.message, found.fix)


class _Ignored(NamedTuple):
    node: ast.AST
    message: str
    fix: 'Fix | None' = None


def _statement(node: ast.Expr, kernel: 'Kernel', file: 'File') -> Iterator[_Ignored]:
    value = node.value
    name = uncalled(value, kernel)
    text = f'`{written(value)}`'
    if name:
        yield _Ignored(value, f'{text} is named and not called, which does nothing: write `{written(value)}(...)`')
    elif does_nothing(value, kernel):
        yield _Ignored(value, f'the value of {text} is dropped: {_instead(value, kernel)}')


def _instead(value: ast.expr, kernel: 'Kernel') -> str:
    if is_load(value, kernel):
        return 'a load that nothing reads is removed, and fetches nothing; bind it to a name'
    owner = value.func.value if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else None
    if isinstance(owner, ast.Name) and owner.id not in dict(kernel.bindings.items()):
        return f'it leaves `{owner.id}` as it is; write `{owner.id} = {written(value)}`'
    if isinstance(value, ast.Compare) and any(isinstance(op, ast.Eq) for op in value.ops):
        return 'a comparison assigns nothing and checks nothing; write `=`, or `tl.device_assert(...)`'
    return 'the statement compiles to nothing; bind it to a name, or leave it out'


def _range(node: ast.For, kernel: 'Kernel', file: 'File') -> Iterator[_Ignored]:
    call = node.iter
    if range_of(call, kernel) != RANGE or not call.args:
        return
    names = [keyword.arg for keyword in call.keywords if keyword.arg is not None]
    if not names:
        return
    listed = ' and '.join(f'`{name}`' for name in names)
    options = _OPTIONS.issuperset(names)
    if options:
        instead = 'only `tl.range` takes it' if len(names) == 1 else 'only `tl.range` takes them'
    else:
        effect = 'goes in steps of 1' if 'step' in names and len(call.args) < 3 else 'takes its bounds by position only'
        instead = f'the loop {effect}; give the bounds by position'
    language = language_name(kernel)
    fix = None
    if options and language is not None and all(keyword.arg for keyword in call.keywords):
        fix = unsafe(f'Use `{language}.range`', Edit(file.range(call.func), f'{language}.range'))
    yield _Ignored(call, f'`{written(call.func)}` drops {listed} without a word: {instead}', fix)


def _format(node: ast.FormattedValue, kernel: 'Kernel', file: 'File') -> Iterator[_Ignored]:
    if node.format_spec is not None:
        spec = ast.unparse(node.format_spec)[2:-1]
        yield _Ignored(node.value, f'the format `:{spec}` of `{written(node.value)}` is dropped without a word: leave it out')


_CHECKS = {ast.Expr: _statement, ast.For: _range, ast.FormattedValue: _format}
