# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, safe
from flakelint.project.imports import dotted
from flakelint.project.meanings import parameters_of
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding, Fix

# what a value may be made of without doing anything, and what may be called in it
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_PLAIN = (
    ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare,
    ast.IfExp, ast.Tuple, ast.List,
)
_QUERIES = frozenset({
    'cdiv', 'dim', 'element_size', 'float', 'int', 'is_contiguous', 'len', 'max', 'min', 'next_power_of_2', 'numel', 'size',
    'stride',
})


class ArgumentOrder(Rule):
    """Keyword arguments that stand in another order than the parameters.

    ## What it does
    Compares the order of the keyword arguments of a launch with the parameters of its kernel, and that of a call with the signature of the function, if the file defines the function or imports it by name.
    Options of a launch may stand anywhere.

    ## Why is this bad?
    A launch of thirty arguments is checked against its kernel by reading both side by side.
    That needs one order, and a difference shows nowhere else: Python takes any.

    ## Example
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def scale_fwd_kernel(x, y, scale, N, BN: tl.constexpr):
        o_n = tl.program_id(0) * BN + tl.arange(0, BN)
        m_n = o_n < N
        tl.store(y + o_n, tl.load(x + o_n, mask=m_n) * scale, mask=m_n)


    def scale_fwd(x: torch.Tensor, scale: float) -> torch.Tensor:
        y = torch.empty_like(x)
        scale_fwd_kernel[(1,)](x=x, y=y, N=x.numel(), scale=scale, BN=64)
        return y
    ```

    ## Use instead
    ```python
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def scale_fwd_kernel(x, y, scale, N, BN: tl.constexpr):
        o_n = tl.program_id(0) * BN + tl.arange(0, BN)
        m_n = o_n < N
        tl.store(y + o_n, tl.load(x + o_n, mask=m_n) * scale, mask=m_n)


    def scale_fwd(x: torch.Tensor, scale: float) -> torch.Tensor:
        y = torch.empty_like(x)
        scale_fwd_kernel[(1,)](x=x, y=y, scale=scale, N=x.numel(), BN=64)
        return y
    ```

    ## Fix safety
    Safe: the arguments change places where computing them does nothing else, such as names, sizes, strides and arithmetic.
    There is no fix where the order of what they do might change, where a comment stands between them, or `**` does.

    ## Known limits
    Functions whose decorators may change the signature, methods and classes are left alone, and so are launches of one of several kernels.
    """

    code = 'TRI405'
    name = 'argument-order'
    severity = 'warning'
    fix = 'safe'

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Compare the launches and calls of a file with the signatures that they bind to."""
        for call in file.launch_calls:
            if call.choices == 1:
                names = [one.name for one in call.kernel.parameters]
                yield from self._compare(call.node, names, call.kernel.name, file)
        for call in file.named_calls:
            named = [one.arg for one in call.node.keywords if one.arg]
            if len(named) > 1 and call.name in file.own_functions:
                found = file.repository.signature(file.module, call.name)
                if found is not None:
                    yield from self._compare(call.node, parameters_of(found[1]), call.name, file)

    def _compare(self, node: ast.Call, names: Sequence[str], function: str, file: 'File') -> 'Iterator[Finding]':
        order = {name: index for index, name in enumerate(names)}
        keywords = [one for one in node.keywords if one.arg in order]
        for before, behind in pairwise(keywords):
            if order[behind.arg] < order[before.arg]:
                message = f'`{behind.arg}` stands behind `{before.arg}`, but before it in the signature of `{function}`'
                ordered = sorted(keywords, key=lambda one: order[one.arg])
                yield self.finding(file.range(behind), message, _fix(node, keywords, ordered, file))
                return


def _fix(node: ast.Call, keywords: Sequence[ast.keyword], ordered: Sequence[ast.keyword], file: 'File') -> 'Fix | None':
    moved = [(place, one) for place, one in zip(keywords, ordered, strict=True) if place is not one]
    first, last = moved[0][0], moved[-1][0]
    between = node.keywords[node.keywords.index(first):node.keywords.index(last) + 1]
    before = [one.end_lineno for one in (node.func, *node.args, *node.keywords) if one is not first]
    lines = range(max(line for line in before if line <= first.lineno), last.end_lineno + 1)
    if any(comment.line in lines for comment in file.comments) or any(one.arg is None for one in between):
        return None
    active = [one.value for one in between if not _is_plain(one.value)]
    others = [one.value for one in between if one.value not in active]
    if active and (len(active) > 1 or not all(_is_still(one, active[0], node, file) for one in others)):
        return None
    edits = (Edit(file.range(place), _text(one, file)) for place, one in moved)
    return safe('Put the arguments into the order of the signature', *edits)


def _is_still(value: ast.expr, computed: ast.expr, call: ast.Call, file: 'File') -> bool:
    """Whether a value stays what it is while another argument is computed: a constant, or a local name that is not bound there."""
    if isinstance(value, ast.Constant):
        return True
    parts = nodes_in_order([computed])
    if not isinstance(value, ast.Name) or any(isinstance(part, ast.NamedExpr | ast.Await | ast.Yield) for part in parts):
        return False
    around = [one for one in file.nodes if isinstance(one, _FUNCTIONS) and one.lineno <= call.lineno <= one.end_lineno]
    inner = nodes_in_order([around[-1]]) if around else []
    shared = {name for one in inner if isinstance(one, ast.Global | ast.Nonlocal) for name in one.names}
    own = {one.arg for one in inner if isinstance(one, ast.arg)}
    own.update(one.id for one in inner if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    return value.id in own - shared


def _is_plain(value: ast.expr) -> bool:
    """Whether computing a value does nothing else."""
    return all(_is_query(node) if isinstance(node, ast.Call) else isinstance(node, _PLAIN) for node in nodes_in_order([value]))


def _is_query(node: ast.Call) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else dotted(node.func)
    return name in _QUERIES and not any(isinstance(one, ast.Starred) for one in node.args) and not node.keywords


def _text(node: ast.AST, file: 'File') -> str:
    place = file.range(node)
    return file.text[file.lines.offset(place.start):file.lines.offset(place.end)]
