# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, safe, unsafe
from flakelint.kernel import types
from flakelint.kernel.graph import Shape, Value, each_value
from flakelint.rules.tri import mask_binding, mask_operands
from flakelint.rules.tri.mask_expressions import Source, bitwise, parenthesised
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.frames import Access
    from flakelint.kernel.kernels import Kernel
    from flakelint.rules.tri.mask_expressions import Mixture

_MASKED = ('load', 'store', 'atomic')
_POSITIONS = {'load': 1, 'store': 2}
_SYMBOLS = {'and': '&', 'or': '|', 'not': '~'}


class MaskExpression(Rule):
    """A mask that Triton reads otherwise than it looks, or that is no mask for its pointer.

    ## What it does
    Flags in functions that Triton compiles

    - a comparison in which a `&` or `|` without parentheses takes the operands of its neighbours: `o < n & o > 2` is `o < (n & o) and (n & o) > 2`;
    - `and`, `or` and `not` of blocks;
    - a mask that is a block of integers or floats;
    - a mask that has a dimension which its pointer does not have.

    ## Why is this bad?
    `&` and `|` bind tighter than comparisons in Python. Triton compiles `o < n & o > 2` without a word, since both `&` of two integers and a chain of comparisons are allowed: the mask compares bits, and lets lanes through that it was written to keep out.

    `and` and `or` of blocks compile with a deprecation warning. Triton's interpreter, in which kernels are debugged, does what Python does: the result is one of the two operands, and `not` is false for each lane.

    A mask of integers is refused. A mask that is wider than the pointer is refused on a store and on an atomic; a load silently gives a block of the mask's shape, and reads each element many times.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def shift_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        b_x = tl.load(x + o - 2, mask=o < n & o >= 2, other=0.0)
        tl.store(y + o, b_x, mask=o < n)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def shift_fwd_kernel(x, y, n, BLOCK: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        b_x = tl.load(x + o - 2, mask=(o < n) & (o >= 2), other=0.0)
        tl.store(y + o, b_x, mask=o < n)
    ```

    ## Fix safety
    Parentheses around the comparisons change what the kernel computes, so that fix is unsafe. `&`, `|` and `~` in place of `and`, `or` and `not` compile to the same; that fix is safe, and offered only where no operand is a compile-time constant. Masks of a wrong type or shape are not fixed.

    ## Known limits
    - `lo <= x & 15 < hi` tests bits on purpose, and is not flagged; neither is `0 <= o & o < n`, which happens to mean what it looks like.
    - Types and shapes that the source does not show are not guessed.
    """

    code = 'TRI208'
    name = 'mask-expression'
    severity = 'warning'
    fix = 'safe'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the comparisons, conditions and masks of a kernel that are not what they look like."""
        source = Source(file)
        for mixed in mask_binding.mixtures(kernel, file, source):
            yield self._binding(mixed, file, source)
        yield from self._logical(kernel, file, source)
        if not file.repository.is_called_by_kernels(kernel):
            yield from self._masks(kernel, file)

    def _binding(self, mixed: 'Mixture', file: 'File', source: Source) -> 'Finding':
        where = file.range(mixed.node)
        joints = ' and '.join(f'`{joint}`' for joint in dict.fromkeys(mixed.joints))
        verb = 'bind' if len(set(mixed.joints)) > 1 else 'binds'
        reading = f'{joints} {verb} tighter than comparisons, so Triton reads `{mixed.compiled()}`'
        text = parenthesised(mixed, source)
        fix = None if text is None else unsafe('Put the comparisons in parentheses', Edit(where, _plain(text)))
        return self.finding(where, f'{reading} and says nothing; for `{mixed.meant()}` write the parentheses', fix)

    def _logical(self, kernel: 'Kernel', file: 'File', source: Source) -> 'Iterator[Finding]':
        for found in mask_operands.logical(kernel, file):
            where = file.range(found.node)
            if not file.is_first(self.code, where):
                continue
            word = found.word
            text = bitwise(found.node, source) if found.is_fixable else None
            fix = None if text is None else safe('Use the operators of blocks', Edit(where, _plain(text)))
            effect = 'is false in every lane' if word == 'not' else 'is deprecated, and gives only one of its operands'
            message = f"`{word}` of blocks {effect} in Triton's interpreter: use `{_SYMBOLS[word]}` in `{written(found.node)}`"
            yield self.finding(where, message, fix)

    def _masks(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        for access in file.model(kernel).accesses:
            node = _mask_node(access)
            if node is None or access.frame.kernel.path != file.path:
                continue
            message = _wrong_type(access, node) or _wrong_shape(access, node, kernel, file)
            if message and file.is_first(self.code, file.range(node)):
                yield self.finding(file.range(node), message)


def _plain(text: str) -> str:
    """A text of several lines as edits take it."""
    return text.replace('\r\n', '\n')


def _mask_node(access: 'Access') -> ast.expr | None:
    """The expression of the mask of an access."""
    if access.kind not in _MASKED or access.mask is None:
        return None
    keyword = next((one.value for one in access.node.keywords if one.arg == 'mask'), None)
    position = _POSITIONS.get(access.kind)
    if keyword is None and position is not None and len(access.node.args) > position:
        return access.node.args[position]
    return keyword


def _wrong_type(access: 'Access', node: ast.expr) -> str:
    found = list(each_value([access.mask]))
    if not all(one.shape and mask_operands.is_number(one) for one in found):
        return ''
    kind = types.spelled(found[0].type) if types.is_integer(found[0].type) else 'numbers'
    return f'the mask `{written(node)}` is a block of {kind}, and a mask must be boolean: Triton refuses it'


def _wrong_shape(access: 'Access', node: ast.expr, kernel: 'Kernel', file: 'File') -> str:
    masks, pointers = list(each_value([access.mask])), list(each_value([access.address]))
    if len(masks) != 1 or len(pointers) != 1 or not mask_operands.takes_scalars(kernel, file):
        return ''
    mask, pointer = masks[0], pointers[0]
    if not _is_wider(mask, pointer):
        return ''
    text = f'the mask `{written(node)}` of shape {_spelled(mask.shape)} is wider than its pointer'
    if not pointer.shape:
        return f'{text}, which is a scalar: Triton refuses it'
    if access.kind != 'load':
        return f'{text} of shape {_spelled(pointer.shape)}: Triton refuses it'
    return f'{text} of shape {_spelled(pointer.shape)}: the load silently gives a block of the shape of the mask'


def _is_wider(mask: Value, pointer: Value) -> bool:
    """Whether a mask has a dimension that its pointer does not have, as far as both are known."""
    if pointer.type != types.POINTER or mask.type != types.BOOL or not mask.shape or pointer.shape is None:
        return False
    missing = len(mask.shape) - len(pointer.shape)
    if missing > 0 and all(one == '1' for one in mask.shape[:missing]) and pointer.shape:
        return True
    padded = ('1',) * missing + pointer.shape
    return any(one == '1' != other for one, other in zip(padded[::-1], mask.shape[::-1], strict=False))


def _spelled(shape: Shape) -> str:
    return f'`[{", ".join(shape or ())}]`'
