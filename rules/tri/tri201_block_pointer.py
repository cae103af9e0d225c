# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.project.imports import dotted

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel

_WORDS = ('make_block_ptr', 'advance', 'boundary_check', 'padding_option')
_MODULES = ('triton.language.', 'triton.language.core.')
_MAKE = {f'{module}make_block_ptr' for module in _MODULES}
_ADVANCE = {f'{module}advance' for module in _MODULES}
_ACCESS = {f'{module}{name}' for module in _MODULES for name in ('load', 'store')}
_KEYWORDS = ('boundary_check', 'padding_option')


class BlockPointer(Rule):
    """Block pointers, which Triton 3.9 has removed.

    ## What it does
    Finds, in code that Triton compiles, kernels and helpers alike:

    - calls of `tl.make_block_ptr` and `tl.advance`;
    - calls of the method `advance` on a block pointer that the same function makes;
    - the keywords `boundary_check=` and `padding_option=` of `tl.load` and `tl.store`.

    ## Why is this bad?
    From Triton 3.9 on they raise when the kernel is compiled: `tl.make_block_ptr` a `NotImplementedError`,
    `tl.advance` an `AttributeError`, the keywords a `TypeError`.
    Until then they work, so nothing warns before the upgrade.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def scale_fwd_kernel(x, y, scale, T, D: tl.constexpr, BT: tl.constexpr, BD: tl.constexpr):
        i_t = tl.program_id(0)
        p_x = tl.make_block_ptr(x, (T, D), (D, 1), (i_t * BT, 0), (BT, BD), (1, 0))
        p_y = tl.make_block_ptr(y, (T, D), (D, 1), (i_t * BT, 0), (BT, BD), (1, 0))
        b_x = tl.load(p_x, boundary_check=(0, 1))
        tl.store(p_y, b_x * scale, boundary_check=(0, 1))
    ```

    ## Use instead
    Offsets and a mask that covers each dimension that `boundary_check` named:

    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def scale_fwd_kernel(x, y, scale, T, D: tl.constexpr, BT: tl.constexpr, BD: tl.constexpr):
        i_t = tl.program_id(0).to(tl.int64)
        o_t = i_t * BT + tl.arange(0, BT)
        o_d = tl.arange(0, BD)
        m_x = (o_t < T)[:, None] & (o_d < D)[None, :]
        o_x = o_t[:, None] * D + o_d[None, :]
        b_x = tl.load(x + o_x, mask=m_x, other=0)
        tl.store(y + o_x, b_x * scale, mask=m_x)
    ```

    ## Known limits
    There is no fix.
    A block pointer computes its offsets in 64 bits and checks the dimensions that each access names,
    which may lie far from where it is made, be moved in loops, and pass through helpers.
    A rewrite that gets one of these wrong reads the wrong memory without a word,
    and a tensor descriptor asks for an alignment that no reader of the file can see.

    A block pointer that comes in as an argument is not recognised at its `.advance` method.
    Code that only runs with an older Triton, behind a check of its version or a constexpr flag, is reported too:
    suppress it there, or exempt the path with `per-file-ignores`, as the preset `fla` does for `backends/triton_ascend/`.
    """

    code = 'TRI201'
    name = 'block-pointer'
    severity = 'error'
    tags = ('deprecated',)
    triton = '>=3.9'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Find what makes, moves or needs a block pointer in a function that Triton compiles."""
        if not any(word in kernel.unit.text for word in _WORDS):
            return
        pointers = _block_pointers(kernel, file)
        for call in kernel.calls:
            name = file.bindings.resolve(dotted(call.func) or '')
            spelled = ast.unparse(call.func)
            if name in _MAKE:
                reason = 'block pointers are removed in Triton 3.9, where making one raises NotImplementedError'
                yield self.finding(file.range(call.func), f'`{spelled}`: {reason}; use offsets, a mask and `tl.load`')
            elif name in _ADVANCE or _is_method_of(call, pointers):
                reason = 'block pointers are removed in Triton 3.9, and `advance` with them'
                yield self.finding(file.range(call.func), f'`{spelled}`: {reason}; add to the offsets instead')
            elif name in _ACCESS:
                yield from self._keywords(call, spelled, file)

    def _keywords(self, call: ast.Call, spelled: str, file: 'File') -> 'Iterator[Finding]':
        used = [keyword for keyword in call.keywords if keyword.arg in _KEYWORDS]
        if used:
            names = ' and '.join(f'`{keyword.arg}`' for keyword in used)
            reason = 'it went with block pointers, and an unknown keyword raises TypeError'
            message = f'`{spelled}` takes no {names} in Triton 3.9: {reason}; use `mask` and `other`'
            yield self.finding(file.range(used[0]), message)


def _block_pointers(kernel: 'Kernel', file: 'File') -> set[str]:
    """The local names that are bound to a new or a moved block pointer."""
    found = set()
    for node in kernel.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        if file.bindings.resolve(dotted(node.value.func) or '') in _MAKE | _ADVANCE:
            found.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return found


def _is_method_of(call: ast.Call, pointers: set[str]) -> bool:
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr != 'advance':
        return False
    return isinstance(function.value, ast.Name) and function.value.id in pointers
