# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Collection, Iterable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from flakelint.engine.findings import Related
from flakelint.engine.rule import Rule
from flakelint.kernel.decorators import AUTOTUNE, HEURISTICS
from flakelint.kernel.exact_types import NONE, Kind, at_run_time, described, differ
from flakelint.kernel.reached import left_out
from flakelint.kernel.returning import Return, falls_through, may_meet, returns
from flakelint.kernel.tensors import are_tensors
from flakelint.project.imports import dotted
from flakelint.rules.tri.recorded import is_late, values_of
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.frames import Frame
    from flakelint.kernel.graph import Cases, Value
    from flakelint.kernel.kernels import Kernel

_WORDS = {ast.For: 'for', ast.While: 'while', ast.With: 'with'}


class ReturnInLoop(Rule):
    """A `return` in a loop, returns that do not fit together, and results that are not there.

    ## What it does
    Flags in functions that Triton compiles

    - a `return` in a `for`, `while` or `with`, other than in an outermost loop over `tl.static_range`;
    - returns of one function that give a different number of values, be it none, where Triton compiles both of them, or values of two types or shapes;
    - a helper that returns a value in one branch of a condition of the run time only, and whose result is used;
    - a use of what a helper returns that returns nothing;
    - a value that a kernel returns to its launch.

    ## Why is this bad?
    A `return` in a loop does not compile, nor do returns of a value and of a tuple, or of nothing, nor does the use of a result that is not there. Triton compiles what stands behind `if FLAG: return a` even where the flag is set, so that such a return has to fit to those that follow.

    The others compile without a word. Of two tuples that are not equally long Triton keeps what both have. Where a helper comes to its end without a `return`, its result is undefined (`ub.poison`), and the optimiser may assume that this never happens. What a kernel returns is dropped.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def fill_kernel(x, n, BLOCK: tl.constexpr):
        for i in range(BLOCK):
            if i >= n:
                return
            tl.store(x + i, 1.0)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def fill_kernel(x, n, BLOCK: tl.constexpr):
        for i in range(BLOCK):
            if i < n:
                tl.store(x + i, 1.0)
    ```

    ## Known limits
    - A `return` under a compile-time condition is flagged, though it fails only where that holds.
    - Returns of different types are compared only where each gives one value, and the source shows both for certain.
    - A helper is looked at as the kernels of its file call it; whether a condition is one of the run time has to show there.
    """

    code = 'TRI309'
    name = 'return-in-loop'
    severity = 'error'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the returns of a function that are refused, or give nothing."""
        found = returns(kernel)
        for one in found:
            if one.inside is not None:
                yield self.finding(file.range(one.node), _refused(one))
        plain = [one for one in found if one.inside is None]
        yield from self._differing(plain, kernel, file)
        yield from self._other_types(plain, kernel, file)
        if any(one.items != 0 for one in plain):
            yield from self._dropped(plain, kernel, file)
            yield from self._missing(plain, kernel, file)
        yield from self._unreturned(kernel, file)

    def _differing(self, found: list[Return], kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """The first return that gives another number of values than one before it."""
        counts = [one.items for one in found]
        if len(set(counts) - {None}) + (None in counts) < 2 or set(counts) <= {None, 1}:
            return
        unknown = [one.node.value for one in found if one.items is None]
        branches = {branch: branch.test for one in found for branch, _ in one.branches}
        seen = values_of([*unknown, *branches.values()], kernel, file)
        single = {id(value) for value in unknown if are_tensors(one for _, one in seen.get(id(value), ()))}
        counts = [1 if id(one.node.value) in single else one.items for one in found]
        late = {branch for branch, test in branches.items() if is_late(test, seen, file)}
        for (one, first), (other, second) in combinations(zip(found, counts, strict=True), 2):
            if first is not None and second is not None and first != second and may_meet(one, other, late):
                related = [Related(file.range(one.node), f'this returns {_many(first)}')]
                message = _differing(one, other, first, second, late)
                finding = self.finding(file.range(other.node), message, related=related)
                yield finding._replace(severity='warning') if min(first, second) > 1 else finding
                return

    def _other_types(self, found: list[Return], kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """The first return of one value that gives another type or shape than one before it."""
        if len(found) < 2 or any(one.items not in (None, 1) for one in found):
            return
        branches = {branch: branch.test for one in found for branch, _ in one.branches}
        seen = values_of([*(one.node.value for one in found), *branches.values()], kernel, file)
        late = {branch for branch, test in branches.items() if is_late(test, seen, file)}
        kinds = [_kinds(seen.get(id(one.node.value), ()), file) for one in found]
        for (one, first), (other, second) in combinations(zip(found, kinds, strict=True), 2):
            frame = next((frame for frame in first if frame in second and _is_other(first[frame], second[frame])), None)
            if frame is not None and may_meet(one, other, late):
                what, before = described(second[frame]), described(first[frame])
                related = [Related(file.range(one.node), f'this returns {before}')]
                text = f'this returns {what}, and line {one.node.lineno} {before}'
                message = f'{text}, which is refused ("Return type mismatch"): cast one of them'
                yield self.finding(file.range(other.node), message, related=related)
                return

    def _dropped(self, found: list[Return], kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """The first value that a kernel returns to its launch."""
        if file.repository.is_called_by_kernels(kernel):
            return
        is_launched = kernel.decorator(AUTOTUNE) or kernel.decorator(HEURISTICS) or file.repository.launches(kernel)
        value = next((one for one in found if one.items != 0), None)
        if is_launched and value is not None:
            message = f'what the kernel `{kernel.name}` returns is dropped: store it for the host to read'
            yield self.finding(file.range(value.node), message)._replace(severity='warning')

    def _missing(self, found: list[Return], kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """The return of a helper whose result is undefined on another way."""
        if not falls_through(kernel.definition.body) or not file.repository.is_called_by_kernels(kernel):
            return
        under = [one for one in found if one.branches and one.items != 0]
        seen = values_of([branch.test for one in under for branch, _ in one.branches], kernel, file)
        for one in under:
            last = one.branches[-1][0].test
            frames = [frame for frame, _ in seen.get(id(last), ()) if frame.caller is not None and _is_used(frame)]
            if frames and all(is_late(branch.test, seen, file) for branch, _ in one.branches):
                test = written(last)
                where = f'line {frames[0].call.lineno}' if frames[0].caller.kernel.path == file.path else 'a caller'
                problem = f'`{kernel.name}` returns only where `{test}` decides so, and {where} uses its result'
                message = f'{problem}: it compiles, and is undefined (poison) on the other way; return a value there as well'
                yield self.finding(file.range(one.node), message)._replace(severity='warning')
                return

    def _unreturned(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Uses of what helpers return that return nothing."""
        skipped: frozenset[int] | None = None
        for call, name in _used_calls(kernel):
            helper = file.repository.helper(kernel, name)
            if helper is None or helper.returns_value:
                continue
            skipped = left_out(kernel) if skipped is None else skipped
            if id(call) not in skipped:
                error = 'cannot convert None to tensor'
                message = f'`{helper.name}` returns nothing, so that using its result is refused ("{error}")'
                yield self.finding(file.range(call), f'{message}: let it return a value, or call it as a statement')


def _kinds(found: 'Iterable[tuple[Frame, Value | Cases]]', file: 'File') -> 'dict[Frame, Kind]':
    """What a value certainly is, by the calls in which it is returned."""
    kinds = {}
    for frame, value in found:
        root = frame
        while root.caller is not None:
            root = root.caller
        kinds[frame] = file.exact(root.kernel).of(value)
    return kinds


def _is_other(first: Kind, second: Kind) -> bool:
    """Whether two values that are returned certainly have two types; of constants alone Triton makes one."""
    if (first.is_constant and second.is_constant) or NONE in (first.dtype, second.dtype):
        return False
    return differ(at_run_time(first), at_run_time(second))


def _refused(one: Return) -> str:
    word = _WORDS[type(one.inside)]
    if word == 'with':
        return '`return` in a `with` is refused ("Cannot have `return` statements inside `with` statements"): put it behind'
    error = 'Cannot have `return` statements inside `while` or `for` statements'
    instead = 'put the rest of the body under an `if`, or make it a condition of a `while`'
    return f'`return` in a `{word}` loop is refused ("{error}"): {instead}'


def _differing(one: Return, other: Return, first: int, second: int, late: Collection[ast.If]) -> str:
    text = f'this returns {_many(second)}, and line {one.node.lineno} {_many(first)}'
    if min(first, second) > 1:
        # Triton pairs the items of two tuples, and stops with the shorter one
        return f'{text}: it compiles, and drops what the longer one has beyond the shorter; return as many in both'
    error = 'cannot convert None' if 0 in (first, second) else 'Return type mismatch'
    early = any(branch not in late for branch, _ in one.branches)
    end = ': what stands behind a branch that returns is compiled even where the branch is taken; put it under `else`'
    return f'{text}, which is refused ("{error}"){end if early else ""}'


def _many(items: int) -> str:
    return 'nothing' if items == 0 else 'one value' if items == 1 else f'{items} values'


def _is_used(frame: 'Frame') -> bool:
    """Whether the result of a call is used where it stands."""
    body = frame.caller.kernel.body
    return not any(isinstance(node, ast.Expr) and node.value is frame.call for node in body)


def _used_calls(kernel: 'Kernel') -> Iterator[tuple[ast.Call, str]]:
    """The calls of functions, by their names, of which the result is computed with, directly or under a name of its own."""
    bound: dict[str, list[ast.expr | None]] = {}
    for node in kernel.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            bound.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For | ast.NamedExpr) and isinstance(node.target, ast.Name):
            bound.setdefault(node.target.id, []).append(None)
    seen = set()
    for used in _operands(kernel):
        values = bound.get(used.id, ()) if isinstance(used, ast.Name) else [used]
        name = dotted(values[0].func) if len(values) == 1 and isinstance(values[0], ast.Call) else None
        if name is not None and id(values[0]) not in seen:
            seen.add(id(values[0]))
            yield values[0], name


def _operands(kernel: 'Kernel') -> Iterator[ast.expr]:
    """What a kernel computes with."""
    for node in kernel.body:
        if isinstance(node, ast.BinOp):
            yield from (node.left, node.right)
        elif isinstance(node, ast.AugAssign):
            yield node.value
        elif isinstance(node, ast.Call) and kernel.bindings.resolve(dotted(node.func) or '').startswith('triton.language.'):
            yield from node.args
