# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.project.imports import dotted
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel

_NAME = re.compile(r'\w+_(?:fwd|bwd)_kernel(?:_\w+)?')
_DIRECTIONS = {'fwd': 'fwd', 'forward': 'fwd', 'bwd': 'bwd', 'backward': 'bwd'}

_PREFIXED = re.compile(r'(?P<prefix>[bpomi]_)\w+')
# in other styles the letter names a tensor or a dimension, and the word behind it what the variable is: `o_ptr`, `m_offs`
_SAYS_ITSELF = re.compile(
    r'(?i)[bpomi]_(?:\w*_)?'
    r'(?:ptrs?|pointers?|offs?|offsets?|idx|index|indices|id|pid|block|tile|ind|range|step|start|end|mask|base)'
    r'(?:_?\d+)?'
)
_LANGUAGE = 'triton.language.'
_ACCESSES = (f'{_LANGUAGE}load', f'{_LANGUAGE}store', f'{_LANGUAGE}atomic_')
_BINDS = frozenset({ast.AnnAssign, ast.Assign, ast.For})
_BRANCHES = frozenset({ast.If, ast.IfExp, ast.While})
_JOINS = frozenset({ast.BinOp, ast.UnaryOp})
_NO_ARITHMETIC = frozenset({ast.BoolOp, ast.Compare, ast.IfExp})
_BUILTINS = {'abs', 'float', 'int', 'len', 'max', 'min', 'print', 'range'}
_RANGES = {'range', f'{_LANGUAGE}range', f'{_LANGUAGE}static_range'}
_MEANINGS = {'b_': 'block values', 'p_': 'pointers', 'o_': 'offsets', 'm_': 'masks', 'i_': 'indices'}

# what a value evidently is: the prefixes that contradict it, what to say of it, and the prefix that fits
_LOADED = ({'p_', 'm_'}, 'the value that `tl.load` gives', 'b_')
_PROGRAM_ID = ({'b_', 'p_', 'm_'}, 'a program id', 'i_')
_LOOP_INDEX = ({'b_', 'p_', 'm_'}, 'the index of a loop', 'i_')
_COMPARISON = ({'p_', 'o_', 'i_'}, 'the outcome of a comparison', 'm_')
_OFFSETS = ({'p_', 'm_'}, 'made of indices and `tl.arange` alone', 'o_')
_ADDRESS = ({'b_', 'o_', 'm_', 'i_'}, 'the address of an access', 'p_')
_Kind = tuple[set[str], str, str]


class KernelName(Rule):
    """A kernel, or a variable in one, whose name says something else than what it is.

    ## What it does
    Finds kernels that are launched and not named `<op>_fwd_kernel_<suffix>` or `<op>_bwd_kernel_<suffix>`;
    the suffix may be missing.
    Only kernels that are evidently launched are looked at:
    those launched in the file, those that are tuned,
    and those that have constants, ask for their program id and store while no other kernel of the file uses them.

    Also finds, in every function that Triton compiles, variables whose prefix contradicts what they evidently are.
    The prefixes are `b_` for block values, `p_` for pointers, `o_` for offsets, `m_` for masks, `i_` for indices:

    - `p_` or `m_` for the value that `tl.load` gives;
    - `b_`, `p_` or `m_` for a program id or the index of a loop;
    - `p_`, `o_` or `i_` for the outcome of a comparison;
    - `p_` or `m_` for what is made of indices and `tl.arange` alone;
    - `b_`, `o_`, `m_` or `i_` for a sum that is itself the address of a load, a store or an atomic.

    ## Why is this bad?
    The name of a kernel is how it is found in a profile, and how its backward is told from its forward.
    In a kernel the prefix is all the type that a reader sees: offsets called pointers are added to a pointer twice,
    and a mask that is a value is passed for a condition.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit(do_not_specialize=['T'])
    def scale_kernel(x, y, scale, T, BT: tl.constexpr):
        i_t = tl.program_id(0).to(tl.int64)
        p_x = i_t * BT + tl.arange(0, BT)
        m_x = p_x < T
        tl.store(y + p_x, tl.load(x + p_x, mask=m_x, other=0) * scale, mask=m_x)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit(do_not_specialize=['T'])
    def scale_fwd_kernel(x, y, scale, T, BT: tl.constexpr):
        i_t = tl.program_id(0).to(tl.int64)
        o_x = i_t * BT + tl.arange(0, BT)
        m_x = o_x < T
        tl.store(y + o_x, tl.load(x + o_x, mask=m_x, other=0) * scale, mask=m_x)
    ```

    ## Known limits
    Only what one assignment shows is evident: a value that comes from a helper is not looked into.
    A loaded value that then serves as a mask, an index or an address may be called one.
    Names that say at their end what they are, such as `o_ptr` or `m_offs`, are left alone.
    """

    code = 'TRI406'
    name = 'kernel-name'
    severity = 'warning'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Look at the name of a kernel and at those of its variables."""
        if not _NAME.fullmatch(kernel.name) and file.launches.is_launched(kernel):
            yield self._kernel_name(kernel, file)
        if _PREFIXED.search(kernel.unit.text):
            yield from self._variables(kernel, file)

    def _kernel_name(self, kernel: 'Kernel', file: 'File') -> 'Finding':
        suggestion = _suggestion(kernel.name)
        hint = f', such as `{suggestion}`' if suggestion else ''
        forms = 'neither `<op>_fwd_kernel_<suffix>` nor `<op>_bwd_kernel_<suffix>`'
        message = f'the kernel `{kernel.name}` is named {forms}{hint}'
        return self.finding(file.name_range(kernel.definition), message)

    def _variables(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        parameters = {one.name for one in kernel.parameters}
        body = _Body(kernel, file)
        seen = set(parameters)
        for target, kind in body.evident(seen):
            match = _PREFIXED.fullmatch(target.id)
            contradicted, what, fitting = kind
            if match['prefix'] in contradicted and not body.serves_as_condition(target.id, kind):
                seen.add(target.id)
                prefix = match['prefix']
                hint = f'`{fitting}` is for {_MEANINGS[fitting]}'
                message = f'`{target.id}` is {what}, but `{prefix}` is for {_MEANINGS[prefix]}; {hint}'
                yield self.finding(file.range(target), message)


class _Body:
    """What the assignments in the body of a kernel show."""

    def __init__(self, kernel: 'Kernel', file: 'File') -> None:
        self._bindings = file.bindings
        self._constants = {one.name for one in kernel.parameters if one.is_constexpr}
        self._kernel = kernel
        self._addresses = {address.id for address in map(self._address, kernel.calls) if isinstance(address, ast.Name)}

    def evident(self, seen: set[str]) -> Iterator[tuple[ast.Name, _Kind]]:
        """The variables with a prefix of which it is evident what they are, in source order, but for those seen."""
        for node in (node for node in self._kernel.body if type(node) in _BINDS):
            is_counted = isinstance(node, ast.For) and isinstance(node.target, ast.Name) and self._called(node.iter) in _RANGES
            if is_counted and _claims(node.target.id, seen):
                yield node.target, _LOOP_INDEX
            for target, value in _pairs(node):
                kind = self._kind(target.id, value) if _claims(target.id, seen) else None
                if kind is not None:
                    yield target, kind

    def _kind(self, name: str, value: ast.expr) -> _Kind | None:
        if name in self._addresses:
            return _ADDRESS if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) else None
        if self._is_comparison(value):
            return _COMPARISON
        value = self._without_cast(value)
        function = self._called(value)
        if function == f'{_LANGUAGE}program_id':
            return _PROGRAM_ID
        if function == f'{_LANGUAGE}load':
            # a mask may be a tensor of its own
            return None if name.startswith('m_') and 'mask' in ast.unparse(value).lower() else _LOADED
        return _OFFSETS if self._is_offsets(value) else None

    def serves_as_condition(self, name: str, kind: _Kind) -> bool:
        """Whether what was loaded or counted is used as a mask all the same."""
        return kind in (_LOADED, _OFFSETS) and name in self._conditions

    @cached_property
    def _conditions(self) -> set[str]:
        found: set[str] = set()
        for node in self._kernel.body:
            kind = type(node)
            if kind is ast.Call:
                for value in self._condition_arguments(node):
                    found.update([value.id] if isinstance(value, ast.Name) else _conditions_in(value))
            elif kind in _BRANCHES:
                found.update([node.test.id] if isinstance(node.test, ast.Name) else _conditions_in(node.test))
            elif kind in _JOINS:
                found.update(_conditions_in(node))
        return found

    def _address(self, call: ast.Call) -> ast.expr | None:
        if not self._full_name(call.func).startswith(_ACCESSES):
            return None
        return call.args[0] if call.args else _keyword(call, 'pointer')

    def _condition_arguments(self, call: ast.Call) -> list[ast.expr | None]:
        function = self._full_name(call.func)
        if function.startswith(_ACCESSES):
            return [_keyword(call, 'mask'), *call.args[1 if function == f'{_LANGUAGE}load' else 2:]]
        if function == f'{_LANGUAGE}where':
            return [_keyword(call, 'condition'), *call.args[:1]]
        if not function.startswith(_LANGUAGE) and function not in _BUILTINS:
            # a helper may take a mask, or a pointer
            return [*call.args, *(keyword.value for keyword in call.keywords)]
        return []

    def _is_comparison(self, value: ast.expr) -> bool:
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitAnd | ast.BitOr):
            return self._is_comparison(value.left) and self._is_comparison(value.right)
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Invert | ast.Not):
            return self._is_comparison(value.operand)
        return isinstance(value, ast.Compare)

    def _is_offsets(self, value: ast.expr) -> bool:
        """Whether a value is arithmetic on `tl.arange`, indices, offsets and constants."""
        nodes = nodes_in_order([value])
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        if not calls or any(self._full_name(call.func) != f'{_LANGUAGE}arange' for call in calls):
            return False
        functions = {id(part) for call in calls for part in ast.walk(call.func)}
        names = [node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in functions]
        is_arithmetic = not any(type(node) in _NO_ARITHMETIC or type(getattr(node, 'op', None)) is ast.Div for node in nodes)
        return is_arithmetic and all(name in self._constants or name.startswith(('i_', 'o_')) for name in names)

    def _without_cast(self, value: ast.expr) -> ast.expr:
        """What stands before `.to(tl.int64)`; a cast to a computed type, such as a pointer's, stays."""
        while (
            isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == 'to'
            and all(isinstance(argument, ast.Attribute | ast.Name) for argument in value.args)
        ):
            value = value.func.value
        return value

    def _called(self, value: ast.expr) -> str:
        """The full name of the function that an expression calls."""
        return self._full_name(value.func) if isinstance(value, ast.Call) else ''

    def _full_name(self, node: ast.expr) -> str:
        return self._bindings.resolve(dotted(node) or '')


def _claims(name: str, seen: set[str]) -> bool:
    """Whether a name has a prefix by which it claims to be something."""
    return name not in seen and _PREFIXED.fullmatch(name) is not None and _SAYS_ITSELF.fullmatch(name) is None


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _pairs(node: ast.AST) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The names that an assignment binds, each with its value."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [(node.target, node.value)]
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
        is_unpacked = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts)
        targets = list(zip(target.elts, value.elts, strict=True)) if is_unpacked else [(target, value)]
    else:
        return
    yield from ((target, value) for target, value in targets if isinstance(target, ast.Name))


def _conditions_in(value: ast.AST | None) -> Iterator[str]:
    """The names that serve as conditions in an expression: joined with `&`, `|`, `and` or `or`, negated, or indexed alone."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitAnd | ast.BitOr):
        parts = [value.left, value.right]
    elif isinstance(value, ast.BoolOp):
        parts = value.values
    elif isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Invert | ast.Not):
        parts = [value.operand]
    elif isinstance(value, ast.Subscript):
        parts = [value.value]
    else:
        return
    for part in parts:
        if isinstance(part, ast.Name):
            yield part.id
        else:
            yield from _conditions_in(part)


def _suggestion(name: str) -> str:
    """The name that a kernel could have, where it says its direction in another way."""
    words = name.strip('_').split('_')
    directions = [_DIRECTIONS[word] for word in words if word in _DIRECTIONS]
    rest = [word for word in words if word not in _DIRECTIONS and word != 'kernel']
    return f'{"_".join(rest)}_{directions[0]}_kernel' if len(directions) == 1 and rest else ''
