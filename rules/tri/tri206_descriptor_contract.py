# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel import types
from flakelint.kernel.graph import Value
from flakelint.kernel.no_pointers import is_no_pointer
from flakelint.rules.tri import descriptor_accesses
from flakelint.rules.tri.descriptor_accesses import items
from flakelint.rules.tri.operand_shapes import spelled
from flakelint.rules.tri.places import is_to_tell
from flakelint.source.expressions import is_power_of_2

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.exact import Exact
    from flakelint.kernel.kernels import Kernel

# what gives a number of the run time, whatever it is made of
_COMPUTED = frozenset({'add', 'sub', 'mul', 'floordiv', 'mod', 'shl', 'load', 'program_id', 'counter'})
_PARTS = ('shape', 'strides', 'block_shape')


class DescriptorContract(Rule):
    """A tensor descriptor is made or used in a way that Triton refuses.

    ## What it does
    Checks what a kernel gives to `tl.make_tensor_descriptor`: as many strides and block dimensions as the shape has, a last stride of 1, a block shape that is known when the kernel is compiled, a last block dimension of more than one element, and a pointer as its base; and that `load` and `store` get one list of offsets, as many as the block has dimensions, which are scalars of 32 bits, and a value of the shape of the block. What the source does not show is not asked for: an argument as the last stride compiles where it is 1.

    ## Why is this bad?
    The kernel does not compile. For a stride or a block shape of the run time the message of the compiler is about a missing `@triton.jit`, and helps nobody.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def copy_fwd_kernel(x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
        desc_x = tl.make_tensor_descriptor(x, [M, N], [N, 2], [BM, BN])
        desc_y = tl.make_tensor_descriptor(y, [M, N], [N, 1], [BM, BN])
        desc_y.store([0, 0], desc_x.load([0, 0]))
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def copy_fwd_kernel(x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
        desc_x = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN])
        desc_y = tl.make_tensor_descriptor(y, [M, N], [N, 1], [BM, BN])
        desc_y.store([0, 0], desc_x.load([0, 0]))
    ```

    ## Known limits
    - Whether the last block dimension has 16 bytes is known for one element only, since the element type comes from the launch.
    - An argument as the last stride is taken to be passed as 1, and of the shape of what is stored only numbers, and how many there are, are compared with the block.
    - Descriptors that the host makes are not looked at.
    """

    code = 'TRI206'
    name = 'descriptor-contract'
    severity = 'error'
    fix = 'none'

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag descriptors that do not compile, and accesses with too many or too few offsets."""
        if file.repository.is_called_by_kernels(kernel):
            return
        model, exact = file.model(kernel), file.exact(kernel)
        found = [(value.node, value.frame, message) for value in model.descriptors for message in _made(value, exact)]
        accesses = {(id(one.node), id(one.frame)): one for one in model.accesses if one.kind == 'offset'}
        for method in model.methods:
            if method.owner.op == 'descriptor' and method.call is not None and method.node.attr in ('load', 'store'):
                access = accesses.get((id(method.call), id(method.frame)))
                messages = descriptor_accesses.problems(method.owner, method.call, access, exact)
                found.extend((method.call, method.frame, message) for message in messages)
        for node, frame, message in found:
            if is_to_tell(self, node, frame, file):
                yield self.finding(file.range(node), message)


def _made(descriptor: Value, exact: 'Exact') -> Iterator[str]:
    """What is wrong with what a descriptor is made of."""
    base = exact.of(descriptor.operands[0])
    if is_no_pointer(descriptor.operands[0]):
        yield 'the base of a descriptor must be a pointer, not a number'
    elif base.shape:
        yield f'the base of a descriptor must be one pointer, not a block {spelled(base.shape)}'
    parts = {name: items(value) for name, value in zip(_PARTS, descriptor.operands[1:], strict=True)}
    lengths = {name: len(items) for name, items in parts.items() if items is not None}
    if len(set(lengths.values())) > 1:
        yield f'the descriptor has {", ".join(f"{number} in `{name}`" for name, number in lengths.items())}: they must agree'
        return
    strides, block = parts['strides'], parts['block_shape']
    last = strides[-1] if strides else None
    if type(last) is Value and type(last.literal) is int and last.literal != 1:
        yield f'the last stride of a descriptor must be 1, not {last.literal}'
    elif type(last) is Value and types.is_integer(last.type) and last.op in _COMPUTED and last.literal is None:
        yield 'the last stride of a descriptor must be the constant 1, not something that is computed at run time'
    for item in block or ():
        if type(item) is Value and types.is_integer(item.type) and item.type != types.CONST and item.literal is None:
            yield f'`{item.name or ast.unparse(item.node)}` in the block shape of a descriptor must be a `tl.constexpr`'
            return
    sizes = [item.literal for item in block or () if type(item) is Value and type(item.literal) is int]
    odd = next((size for size in sizes if not is_power_of_2(size)), None)
    if odd is not None:
        yield f'{odd} in the block shape of a descriptor is no power of 2: Triton refuses it'
    if block and type(block[-1]) is Value and block[-1].literal == 1:
        yield 'the last block dimension of a descriptor must have 16 bytes at least, which one element never has'
