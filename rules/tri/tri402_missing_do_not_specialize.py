# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.config import nearest
from flakelint.engine.edits import append, quote
from flakelint.engine.findings import Edit, Related
from flakelint.engine.rule import Rule, safe
from flakelint.project.imports import dotted
from flakelint.project.literals import literal_list
from flakelint.source.text import Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding, Fix
    from flakelint.kernel.kernels import Kernel, Parameter

_KEYWORD = 'do_not_specialize'
_ALIGNMENT = 'do_not_specialize_on_alignment'
_ACCESS = tuple(f'triton.language.{name}' for name in ('load', 'store', 'atomic_', 'make_tensor_descriptor', 'make_block_ptr'))
# floats and booleans are never specialised, and a tensor is no length
_NO_INTEGER = re.compile(r'(?i).*(float|bool|fp|bf|tensor|ptr|pointer|\*|int1$|u1$)')


@dataclass(frozen=True)
class Options:
    """The options of the rule.

    Args:
        names (tuple[str, ...]):
            The parameters that are sequence lengths.
    """

    names: tuple[str, ...] = ('T',)


class MissingDoNotSpecialize(Rule):
    """A sequence length that is specialised, or a name in `do_not_specialize` that means nothing.

    ## What it does
    Finds kernels that take a sequence length at run time and do not name it in `do_not_specialize` of their `triton.jit`.
    Only kernels that are evidently launched are asked for it:
    those launched in the file, those that are tuned,
    and those that have constants, ask for their program id and store while no other kernel of the file uses them.

    Also finds, on every function that Triton compiles, entries of `do_not_specialize` that are

    - the name or index of no parameter, which Triton ignores in silence;
    - the name or index of a `tl.constexpr` parameter, which Triton refuses when the kernel is compiled;

    the same entries of `do_not_specialize_on_alignment`,
    and a `do_not_specialize` that is one string instead of a list, at which Triton raises when the module is imported.

    ## Why is this bad?
    Triton compiles a kernel again for an integer argument that is 1, one that is divisible by 16, and any other,
    and treats a 1 as a constant that has none of the methods of a value.
    Sequence lengths change from batch to batch, so the same kernel is compiled in the middle of training,
    and fails where it says `T.to(tl.int64)` and a sequence has the length 1.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def scale_fwd_kernel(x, y, scale, T, BT: tl.constexpr):
        o_t = tl.program_id(0).to(tl.int64) * BT + tl.arange(0, BT)
        b_x = tl.load(x + o_t, mask=o_t < T, other=0)
        tl.store(y + o_t, b_x * scale, mask=o_t < T)
    ```

    A constant cannot be exempt from specialisation:

    ```python
    import triton
    import triton.language as tl


    @triton.jit(do_not_specialize=['T', 'BT'])
    def scale_fwd_kernel(x, y, scale, T, BT: tl.constexpr):
        o_t = tl.program_id(0).to(tl.int64) * BT + tl.arange(0, BT)
        b_x = tl.load(x + o_t, mask=o_t < T, other=0)
        tl.store(y + o_t, b_x * scale, mask=o_t < T)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit(do_not_specialize=['T'])
    def scale_fwd_kernel(x, y, scale, T, BT: tl.constexpr):
        o_t = tl.program_id(0).to(tl.int64) * BT + tl.arange(0, BT)
        b_x = tl.load(x + o_t, mask=o_t < T, other=0)
        tl.store(y + o_t, b_x * scale, mask=o_t < T)
    ```

    ## Fix safety
    Safe: the length is added to the list, or the list to the decorator.
    The kernel computes the same, from one compiled form instead of three.
    There is no fix where the list is bound to a name, which other kernels may share,
    and none for an entry that means nothing, since it may be a slip for another name.

    ## Known limits
    A list that is computed is not looked into.
    A parameter whose name is a length but which is loaded from, or only divided by, is taken for something else.
    Strides and other sizes may profit from being specialised, so only the named parameters are asked for.

    ## Options
    - `names`: the parameters that are sequence lengths. Default: `["T"]`.
    """

    code = 'TRI402'
    name = 'missing-do-not-specialize'
    severity = 'warning'
    fix = 'safe'
    Options = Options

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Compare the parameters of a kernel with what its decorator exempts."""
        # a name in a function or a class may mean something else there
        scope = file.statements if kernel.definition in kernel.unit.nodes else ()
        aligned = kernel.jit.keywords.get(_ALIGNMENT)
        entries = literal_list(aligned, scope) if aligned is not None else None
        if entries and all(_is_entry(entry) for entry in entries):
            yield from self._meaningless(_ALIGNMENT, entries, aligned, kernel, file)
        value = kernel.jit.keywords.get(_KEYWORD)
        lengths = [one for one in kernel.parameters if one.name in self.options.names]
        if value is None and (kernel.jit.spreads or not lengths):
            return
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            if value.value:
                yield self._string(value, kernel, file)
            return
        entries = [] if value is None else literal_list(value, scope)
        if entries is None or not all(_is_entry(entry) for entry in entries):
            return
        yield from self._meaningless(_KEYWORD, entries, value, kernel, file)
        exempt = {_resolve(entry.value, kernel) for entry in entries}
        for parameter in lengths:
            if parameter.name not in exempt and _is_length(parameter, kernel, file) and file.launches.is_launched(kernel):
                yield self._missing(parameter, value, kernel, file)

    def _string(self, value: ast.Constant, kernel: 'Kernel', file: 'File') -> 'Finding':
        message = f'`{_KEYWORD}` is the string `{value.value}`, not a list of names: Triton raises TypeError at import'
        place = file.range(value)
        text = file.text[file.lines.offset(place.start):file.lines.offset(place.end)]
        is_name = _resolve(value.value, kernel) is not None
        fix = safe('Make it a list', Edit(place, f'[{text}]')) if is_name else None
        return self.finding(place, message, fix)._replace(severity='error')

    def _meaningless(
        self, keyword: str, entries: list[ast.Constant], value: ast.expr | None, kernel: 'Kernel', file: 'File',
    ) -> 'Iterator[Finding]':
        shared = not all(entry in getattr(value, 'elts', ()) for entry in entries)
        constants = {one.name for one in kernel.parameters if one.is_constexpr}
        for entry in entries:
            name = _resolve(entry.value, kernel)
            shown = f'`{entry.value}`' if isinstance(entry.value, str) else f'index {entry.value}'
            if name is None:
                names = [one.name for one in kernel.parameters]
                hint = nearest(entry.value, names) if isinstance(entry.value, str) else ''
                problem = f'{shown} in `{keyword}` is no parameter of `{kernel.name}`, so Triton ignores it{hint}'
            elif name in constants:
                what = shown if name == entry.value else f'{shown}, `{name}`,'
                problem = (
                    f'{what} in `{keyword}` is a `tl.constexpr` of `{kernel.name}`: '
                    'Triton refuses to compile a constant that must not be specialised'
                )
            else:
                continue
            place = file.range(value if shared else entry)
            related = [Related(file.range(entry), 'it stands here')] if shared else []
            yield self.finding(place, problem, related=related)._replace(severity='error')

    def _missing(self, parameter: 'Parameter', value: ast.expr | None, kernel: 'Kernel', file: 'File') -> 'Finding':
        name = parameter.name
        message = (
            f'`{kernel.name}` takes the sequence length `{name}` at run time without `{_KEYWORD}`: '
            f'Triton compiles it again where `{name}` is 1 and where it is divisible by 16'
        )
        place = file.range(parameter.node)
        start = place.start
        place = Range(start, start._replace(column=start.column + len(name)))
        related = [Related(file.range(kernel.jit.node), f'`{_KEYWORD}` belongs here')]
        return self.finding(place, message, _fix(name, value, kernel, file), related)


def _fix(name: str, value: ast.expr | None, kernel: 'Kernel', file: 'File') -> 'Fix | None':
    mark = quote(file)
    title = f'Add `{name}` to `{_KEYWORD}`'
    node = kernel.jit.node
    if not kernel.jit.name.startswith('triton.'):
        return None
    if value is None:
        keyword = f'{_KEYWORD}=[{mark}{name}{mark}]'
        if isinstance(node, ast.Call):
            return safe(title, *append(file, node, [*node.args, *node.keywords], keyword))
        end = file.range(node).end
        return safe(title, Edit(Range(end, end), f'({keyword})'))
    if not isinstance(value, ast.List | ast.Tuple | ast.Set):
        return None
    first = file.range(value.elts[0]).start if value.elts else None
    beside = file.text[file.lines.offset(first)] if first is not None else mark
    mark = beside if beside in '\'"' else mark
    comma = ',' if isinstance(value, ast.Tuple) and not value.elts else ''
    return safe(title, *append(file, value, value.elts, f'{mark}{name}{mark}{comma}'))


def _is_entry(entry: ast.expr) -> bool:
    return isinstance(entry, ast.Constant) and isinstance(entry.value, str | int) and not isinstance(entry.value, bool)


def _resolve(entry: str | int, kernel: 'Kernel') -> str | None:
    """The parameter that an entry names or counts, or None."""
    arguments = kernel.definition.args
    names = [one.name for one in kernel.parameters]
    if arguments.vararg is not None:
        names.insert(len(arguments.posonlyargs) + len(arguments.args), arguments.vararg.arg)
    if isinstance(entry, str):
        return entry if entry in names else None
    return names[entry] if 0 <= entry < len(names) else None


def _is_length(parameter: 'Parameter', kernel: 'Kernel', file: 'File') -> bool:
    """Whether a parameter with the name of a length can be one: an integer that is known only at run time."""
    if parameter.is_constexpr or _NO_INTEGER.match(parameter.annotation):
        return False
    nodes = kernel.body
    if parameter.name in _pointers(nodes, file):
        return False
    mentions = sum(_is_name(node, parameter.name) for node in nodes)
    divisors = sum(
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _is_name(node.right, parameter.name) for node in nodes
    )
    return not mentions or mentions != divisors


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _pointers(nodes: list[ast.AST], file: 'File') -> set[str]:
    """The names from which the addresses of a kernel start, through local names."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Call) and file.bindings.resolve(dotted(node.func) or '').startswith(_ACCESS):
            arguments = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg in ('pointer', 'base'))]
            found.update(map(_base, arguments))
        elif isinstance(node, ast.Attribute) and node.attr == 'element_ty':
            found.add((dotted(node) or '').partition('.')[0])
    local = [node for node in nodes if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)]
    size = 0
    while size != len(found):
        size = len(found)
        found.update(_base(node.value) for node in local if node.targets[0].id in found)
    return found - {''}


def _base(address: ast.expr) -> str:
    """The name that an address starts with: `x` of `x + o_x`."""
    while isinstance(address, ast.BinOp) and isinstance(address.op, ast.Add | ast.Sub):
        address = address.left
    return address.id if isinstance(address, ast.Name) else ''
