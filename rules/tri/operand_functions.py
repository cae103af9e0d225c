# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Functions such as `tl.exp` and `tl.full` whose arguments have types that Triton does not take."""

import ast
from typing import TYPE_CHECKING

from flakelint.kernel import exact_types
from flakelint.kernel.exact_calls import is_triton, leaf
from flakelint.kernel.exact_types import FLOAT, INT, INTEGERS, Kind
from flakelint.rules.tri.operand_arithmetic import is_float
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.kernel.exact import Exact
    from flakelint.kernel.graph import Value

_FLOAT_ONLY = frozenset({
    'ceil', 'cos', 'erf', 'exp', 'exp2', 'floor', 'log', 'log2', 'rsqrt', 'sigmoid', 'sin', 'sqrt', 'sqrt_rn',
})
# of so many arguments one is a float at least
_SOME_FLOAT = {'fdiv': 2, 'fma': 3, 'softmax': 1}


def function(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with the types of the arguments of a function."""
    if not is_triton(value) or not value.operands:
        return ''
    node, name = value.node, leaf(value.node)
    found = [exact.of(one) for one in value.operands]
    if name in _FLOAT_ONLY:
        return _float_only(node, found[0])
    if name in _SOME_FLOAT:
        return _some_float(node, found[:_SOME_FLOAT[name]])
    if name == 'umulhi' and any(map(is_float, found[:2])):
        return f'`{written(node)}` is given a float, and takes integers of 32 and 64 bits only: Triton refuses it'
    if name == 'div_rn':
        return _single_only(node, found[:2])
    return ''


def _is_integer(kind: Kind) -> bool:
    return kind.dtype in INTEGERS or (kind.is_constant and type(kind.literal) is int)


def _float_only(node: ast.Call, found: Kind) -> str:
    if not _is_integer(found):
        return ''
    literal = found.literal if found.is_constant else None
    what = f'the integer {literal}' if literal is not None else 'an integer' if found.dtype == INT else found.dtype
    text = f'`{written(node)}` is given {what}, and takes float32 and float64 only: Triton refuses it'
    if literal is not None:
        return f'{text}; write `{float(literal)}`'
    return f'{text}; multiply it by 1.0' if found.is_constant else f'{text}; add `.to(tl.float32)`'


def _some_float(node: ast.Call, found: list[Kind]) -> str:
    if not all(map(_is_integer, found)):
        return ''
    return f'`{written(node)}` is given integers only: Triton refuses it; cast one of them with `.to(tl.float32)`'


def _single_only(node: ast.Call, found: list[Kind]) -> str:
    other = next((one.dtype for one in found if not one.is_constant and one.dtype not in ('', INT, FLOAT, 'fp32')), '')
    if not other:
        return ''
    return f'`{written(node)}` is given {other}, and takes float32 only: Triton refuses it; add `.to(tl.float32)`'


def filled(value: 'Value', exact: 'Exact') -> str:
    """What is wrong with the value that a block is filled with."""
    node = value.node
    if leaf(node) != 'full' or not value.operands:
        return ''
    content, dtype = exact.of(value.operands[0]), exact.of(value).dtype
    text = f'`{written(node)}`'
    if content.shape and any(one.isdigit() and one != '1' for one in content.shape):
        return f'{text} fills with a block: Triton refuses it; it takes a number, and `tl.broadcast_to` a block'
    number = content.literal if content.is_constant else None
    if dtype not in INTEGERS or type(number) not in (int, float):
        return ''
    if type(number) is float and number:
        return f'{text} fills {exact_types.described(Kind(dtype, None))} with the float {number}: Triton refuses it'
    if number < 0 and dtype.startswith('u'):
        return f'{text} fills {dtype}, which has no sign, with {number}: Triton refuses it; cast the filled block instead'
    return ''
