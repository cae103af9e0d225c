# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel import types
from flakelint.kernel.graph import SCALAR, Cases, Value, each_value, reachable
from flakelint.kernel.origins import base_of
from flakelint.kernel.strides import plain
from flakelint.rules.tri.address_findings import arguments
from flakelint.rules.tri.mask_fixes import with_mask
from flakelint.rules.tri.places import beside
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding, Fix
    from flakelint.kernel.frames import Access
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.model import Model

_BOUNDS = frozenset({'lt', 'le', 'gt', 'ge'})
_JOINED = frozenset({'and', 'or', 'all', 'any', 'invert', 'not', 'view', 'assign', 'cast', 'mul', 'trans'})
_SAME = frozenset({'view', 'assign', 'cast', 'trans'})
# what an address goes on from: an index that is wrapped, clamped or loaded is another one
_LINEAR = frozenset({'add', 'sub', 'mul', 'shl', 'phi', *_SAME})
_ACCESSES = frozenset({'load', 'store', 'atomic'})
_MASKS = (ast.Compare, ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Subscript)


class UnusedMask(Rule):
    """A mask that nothing reads, in a kernel that goes over the same index without a mask.

    ## What it does
    Flags a name that is given a boolean block, made by comparing the index of a tile with a bound, where

    - nothing in the kernel reads the name, and
    - a load, store or atomic of the kernel takes its address from that index, and has no mask.

    ## Why is this bad?
    The comparison says that the tile can reach beyond the bound, and the access goes there: it reads or writes what lies behind the tensor wherever the size is no multiple of the block. The mask was most likely forgotten at the access.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def copy_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        mask = o < n
        tl.store(y + o, tl.load(x + o))
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def copy_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        mask = o < n
        tl.store(y + o, tl.load(x + o, mask=mask), mask=mask)
    ```

    ## Fix safety
    The fix gives the mask to the accesses that lack it, where it has the shape of their pointers, as the model finds it in the mended text. It is unsafe: where the size is a multiple of the block by contract, the mask can go instead.

    ## Known limits
    - A name that begins with `_` is meant to be left alone, and is not flagged.
    - A mask that one branch reads is used, wherever else it is missing.
    - Where the size is a multiple of the block by contract, the access is sound, and the mask can go.
    """

    code = 'TRI205'
    name = 'unused-mask'
    severity = 'warning'
    fix = 'unsafe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the masks of a kernel that nothing reads."""
        for name, target in _unread(kernel).items():
            model = file.model(kernel)
            mask = model.frame.env.get(name)
            exposed = list(_exposed(mask, model)) if type(mask) is Value else []
            if exposed:
                first = min((access for _, access in exposed), key=lambda one: _order(one, file))
                indices = [index for index, access in exposed if access is first]
                bare = {id(access.node): access for _, access in exposed}.values()
                fix = with_mask(bare, name, arguments(mask), kernel, file)
                yield self._finding(name, target, indices, first, fix, file)

    def _finding(
        self, name: str, target: ast.Name, indices: list[Value], access: 'Access', fix: 'Fix | None', file: 'File',
    ) -> 'Finding':
        call = ast.unparse(access.node.func)
        spelled = ' and '.join(dict.fromkeys(f'`{index.name or written(index.node)}`' for index in indices[::-1]))
        is_here = access.frame.kernel.path == file.path
        where = f' in line {access.node.lineno}' if is_here else f' in `{access.frame.kernel.name}`'
        message = f'nothing reads the mask `{name}`, and `{call}`{where} goes over {spelled} without a mask'
        return self.finding(file.range(target), message, fix, beside(access, f'goes over {spelled} without a mask', file))


def _order(access: 'Access', file: 'File') -> tuple[bool, int]:
    return access.frame.kernel.path != file.path, access.node.lineno


def _unread(kernel: 'Kernel') -> dict[str, ast.Name]:
    """The names that a kernel binds once, to what may be a mask, and never reads."""
    found: dict[str, ast.Name] = {}
    for node in kernel.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, _MASKS):
            found.update({target.id: target for target in node.targets if isinstance(target, ast.Name)})
    for node in kernel.body if found else ():
        # bound again, it may be another thing by then
        if isinstance(node, ast.Name) and found.get(node.id) is not node:
            found.pop(node.id, None)
    return {name: target for name, target in found.items() if not name.startswith('_')}


def _exposed(mask: Value, model: 'Model') -> 'Iterator[tuple[Value, Access]]':
    """The indices that a mask bounds, each with an access over it that has none."""
    for index in _bounded(mask):
        over = [access for access in model.accesses if access.kind in _ACCESSES and index in _linear(access.address)]
        masked = {base for access in over if not _is_bare(access) for base in _bases(access)}
        # a tensor that is masked elsewhere is split into whole blocks and a rest
        yield from ((index, access) for access in over if _is_bare(access) and masked.isdisjoint(_bases(access)))


def _bounded(mask: Value) -> Iterator[Value]:
    for value in reachable([mask], lambda one: one.operands if one.op in _JOINED else ()):
        if value.op not in _BOUNDS or value.type != types.BOOL or not value.shape:
            continue
        left, right = (plain(operand) for operand in value.operands)
        for index, bound in ((left, right), (right, left)):
            if index is not None and bound is not None and bound.shape == SCALAR and _is_tile(index):
                yield index


def _is_tile(index: Value) -> bool:
    return bool(index.shape) and any(one.op == 'arange' for one in _linear(index))


def _linear(value: Value | Cases) -> set[Value]:
    return set(reachable([value], lambda one: one.operands if one.op in _LINEAR else ()))


def _is_bare(access: 'Access') -> bool:
    return access.mask is None or all(one.type == types.NONE for one in each_value([access.mask]))


def _bases(access: 'Access') -> set[Value]:
    return set(base_of(access.address))
