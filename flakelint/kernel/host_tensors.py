# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is known of the tensors that host code makes: how many dimensions, which sizes, which element type."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from flakelint.kernel.host_values import AXES, TUPLE, Axes, Shape, Tensor, Value, unknown
from flakelint.kernel.launches import DTYPE, EXPRESSION, NUMBER, SIZE, TENSOR, UNKNOWN
from flakelint.project.imports import dotted

DTYPES = frozenset({
    'bfloat16', 'bool', 'double', 'float', 'float16', 'float32', 'float64', 'half', 'int', 'int1', 'int16', 'int32',
    'int64', 'int8', 'long', 'short', 'uint16', 'uint32', 'uint64', 'uint8', 'float8_e4m3fn', 'float8_e4m3fnuz',
    'float8_e5m2', 'float8_e5m2fnuz', 'float8e4nv', 'float8e4b8', 'float8e4b15', 'float8e5', 'float8e5b16',
})
# what only a tensor has
EVIDENT = frozenset({
    'contiguous', 'data_ptr', 'dim', 'element_size', 'expand', 'is_contiguous', 'is_cuda', 'ndim', 'ndimension',
    'new_empty', 'new_full', 'new_ones', 'new_zeros', 'numel', 'permute', 'requires_grad', 'reshape', 'shape',
    'stride', 'transpose', 'unsqueeze', 'view',
})
# functions of torch that make a tensor: from sizes, like another one, from values
_SIZED = frozenset({'empty', 'zeros', 'ones', 'rand', 'randn', 'full'})
_LIKE = frozenset({'empty_like', 'zeros_like', 'ones_like', 'full_like', 'rand_like', 'randn_like'})
_VALUES = frozenset({
    'arange', 'as_tensor', 'cat', 'concat', 'empty_strided', 'linspace', 'randint', 'randperm', 'stack', 'tensor',
})
# those that say in their name what they hold
_TYPED = {'FloatTensor': 'float32', 'IntTensor': 'int32', 'LongTensor': 'int64'}
FACTORIES = _SIZED | _LIKE | _VALUES | _TYPED.keys()

_METHOD_TYPES = {
    'float': 'float32', 'half': 'float16', 'bfloat16': 'bfloat16', 'double': 'float64', 'int': 'int32',
    'long': 'int64', 'short': 'int16', 'bool': 'bool',
}
_ALIASES = {'long': 'int64', 'int': 'int32', 'short': 'int16', 'half': 'float16', 'float': 'float32', 'double': 'float64'}
# methods that keep the sizes, and those that put them in another order
_SAME = frozenset({
    *_METHOD_TYPES, 'abs', 'add_', 'clamp', 'clone', 'contiguous', 'copy_', 'cpu', 'cuda', 'cumsum', 'detach', 'div_',
    'exp', 'fill_', 'flip', 'log', 'masked_fill', 'mul_', 'neg', 'relu', 'requires_grad_', 'sigmoid', 'softmax',
    'sub_', 'to', 'type', 'type_as', 'zero_',
})
_ORDERED = frozenset({'movedim', 'permute', 'swapaxes', 't', 'transpose'})
_RESHAPED = frozenset({'expand', 'new_empty', 'new_full', 'new_ones', 'new_zeros', 'reshape', 'view'})
_LIKE_ANOTHER = frozenset({'expand_as', 'reshape_as', 'view_as'})
_INDICES = frozenset({'argmax', 'argmin', 'argsort', 'nonzero', 'searchsorted'})
_VALUES_AND_INDICES = frozenset({'kthvalue', 'sort', 'topk'})
_OF_ANOTHER_SHAPE = frozenset({
    'amax', 'amin', 'diff', 'flatten', 'mean', 'repeat', 'repeat_interleave', 'squeeze', 'sum', 'where',
})
# what torch has as functions too
METHODS = _SAME | _ORDERED | _INDICES | _VALUES_AND_INDICES | _OF_ANOTHER_SHAPE | {'reshape', 'unsqueeze'}


class Arguments(NamedTuple):
    """The arguments of a call."""

    positional: tuple[Value, ...]
    keywords: dict[str, Value]

    def first(self, name: str = '') -> Value | None:
        """The first argument, or the one with this name."""
        return self.positional[0] if self.positional else self.keywords.get(name)

    @property
    def is_plain(self) -> bool:
        """Whether the order of the elements in memory is left as it usually is."""
        return 'memory_format' not in self.keywords

    @property
    def dtype(self) -> Value | None:
        """The argument that is an element type."""
        return self.keywords.get('dtype') or next((one for one in self.positional if one.kind == DTYPE), None)


def derived(
    base: Value, shape: Shape, node: ast.expr, dtype: str | None = None, contiguous: bool | None = None,
) -> Value:
    """A tensor that is made from another one, if that is a tensor."""
    tensor = base.tensor
    # only a tensor is cast, or asked for indices
    made = Tensor('', shape, tensor.dtype if dtype is None else dtype, bool(dtype), tensor.optional, contiguous, (tensor,))
    return Value(UNKNOWN, node=node, tensor=made)


def created(function: str, arguments: Arguments, node: ast.Call) -> Value:
    """What a function of torch that makes a tensor gives."""
    value = _created(function, arguments, node)
    value.tensor.is_fresh = function in ('empty', 'empty_like')
    return value


def _created(function: str, arguments: Arguments, node: ast.Call) -> Value:
    dtype = _type_of(arguments.dtype)
    if function in _SIZED:
        sizes = arguments.positional[:1] if function == 'full' else arguments.positional
        sizes = sizes or tuple(arguments.keywords[name] for name in ('size',) if name in arguments.keywords)
        return _tensor(Shape(dims=_dims(sizes)), dtype, node, arguments.is_plain or None)
    if function in _LIKE:
        like = arguments.first('input')
        if like is None or not like.may_be_tensor:
            return _tensor(Shape(), dtype, node)
        like.tensor.seen = True
        dtype = dtype if arguments.dtype is not None else like.tensor.dtype
        # like a part of a tensor, it has the order of its axes, and no gaps
        return _tensor(like.tensor.shape, dtype, node, (like.tensor.contiguous or None) if arguments.is_plain else None)
    if function in ('arange', 'randperm'):
        numbers = arguments.positional
        is_whole = function == 'randperm' or not any(one.kind == NUMBER and isinstance(one.value, float) for one in numbers)
        dims = numbers if len(numbers) == 1 else None
        shape = Shape(dims=dims) if dims else Shape(ranks={1})
        return _tensor(shape, dtype if arguments.dtype is not None else 'int64' if is_whole else '', node)
    return _tensor(Shape(), _TYPED.get(function, dtype), node)


def method(name: str, base: Value, arguments: Arguments, node: ast.Call) -> Value:
    """What a method of what may be a tensor gives."""
    tensor = base.tensor
    if name in _SAME:
        dtype = _METHOD_TYPES.get(name)
        if name in ('to', 'type') and arguments.dtype is not None:
            dtype = _type_of(arguments.dtype)
        elif name in ('to', 'type_as', 'cumsum'):
            other = arguments.first()
            is_like = name != 'cumsum' and other is not None and other.may_be_tensor and not _is_device(node)
            dtype = other.tensor.dtype if is_like else None
        ordered = True if name == 'contiguous' else None if tensor.has_gaps else tensor.contiguous
        return derived(base, tensor.shape, node, dtype, ordered if arguments.is_plain else None)
    if name in _VALUES_AND_INDICES:
        return Value(TUPLE, items=(derived(base, Shape(), node), derived(base, Shape(), node, 'int64')), node=node)
    if name in _ORDERED:
        # another change of order may bring back the first one
        return derived(base, Shape(base=tensor.shape), node, contiguous=None if tensor.contiguous is False else False)
    if name in _RESHAPED:
        sizes = arguments.positional[:1] if name == 'new_full' else arguments.positional
        dtype = _type_of(arguments.dtype) if arguments.dtype is not None else None
        if name == 'view' and len(sizes) == 1 and sizes[0].kind == DTYPE:
            return derived(base, Shape(base=tensor.shape), node, dtype)
        contiguous = tensor.contiguous if name == 'view' else name != 'expand'
        if name == 'reshape' and not tensor.contiguous:
            # a copy, or a view of what is in another order
            contiguous = None
        value = derived(base, Shape(dims=_dims(sizes)), node, dtype, contiguous)
        value.tensor.has_gaps = name == 'expand'
        value.tensor.is_fresh = name == 'new_empty'
        return value
    if name in _LIKE_ANOTHER:
        other = arguments.first('other')
        return derived(base, other.tensor.shape if other is not None and other.may_be_tensor else Shape(), node)
    if name == 'unsqueeze':
        return derived(base, Shape(base=tensor.shape, change=1), node)
    if name == 'flatten' and not arguments.positional:
        return derived(base, Shape(ranks={1}), node)
    if name in _INDICES:
        return derived(base, Shape(), node, 'int64')
    if name in _OF_ANOTHER_SHAPE:
        return derived(base, Shape(), node)
    return unknown('', node)


def indexed(base: Value, index: ast.expr, node: ast.expr) -> Value:
    """An element or a part of what may be a tensor."""
    change = 0
    dims_kept = True
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    for one in parts:
        if isinstance(one, ast.Constant) and one.value is None:
            change += 1
        elif isinstance(one, ast.Constant) and type(one.value) is int:
            change -= 1
        elif not (isinstance(one, ast.Slice) or (isinstance(one, ast.Constant) and one.value is ...)):
            dims_kept = False
    shape = Shape(base=base.tensor.shape, change=change) if dims_kept else Shape()
    value = derived(base, shape, node, contiguous=False if _cuts_rows(parts) else None)
    value.tensor.has_gaps = value.tensor.contiguous is False
    return value


def _cuts_rows(parts: Sequence[ast.expr]) -> bool:
    """Whether an index leaves out something of an axis behind one that it keeps whole."""
    whole = False
    for one in parts:
        if whole and _leaves_out(one):
            return True
        whole = whole or (isinstance(one, ast.Slice) and one.lower is one.upper is None) or getattr(one, 'value', None) is ...
    return False


def _leaves_out(part: ast.expr) -> bool:
    if isinstance(part, ast.Slice):
        return part.lower is not None or part.upper is not None
    return isinstance(part, ast.Constant) and type(part.value) is int


def elementwise(tensors: list[Value], node: ast.expr) -> Value:
    """What arithmetic on tensors gives."""
    if len(tensors) == 1:
        return derived(tensors[0], replace(tensors[0].tensor.shape, dims=None), node, '')
    return _tensor(Shape(parts=tuple(one.tensor.shape for one in tensors)), '', node)


def learn(test: ast.expr, values: dict[int, Value]) -> None:
    """Take what an assertion says of tensors for true.

    Args:
        test (ast.expr):
            The condition.
        values (dict[int, Value]):
            What the sides of its comparisons are, by the identity of their nodes.
    """
    for one in test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]:
        if not (isinstance(one, ast.Compare) and len(one.ops) == 1 and isinstance(one.ops[0], ast.Eq)):
            continue
        left, right = (values.get(id(side)) for side in (one.left, one.comparators[0]))
        if left is None or right is None or left.tensor is None:
            continue
        if left.head == 'ndim' and right.kind == NUMBER and type(right.value) is int:
            left.tensor.shape.ranks.add(right.value)
        elif left.kind == DTYPE and right.kind == DTYPE and not left.tensor.dtype:
            left.tensor.dtype = _type_of(right)


def _is_device(node: ast.Call) -> bool:
    """Whether the first argument of a call is where a tensor lies, by its name."""
    return bool(node.args) and (dotted(node.args[0]) or '').rpartition('.')[2].endswith('device')


def _tensor(shape: Shape, dtype: str, node: ast.expr, contiguous: bool | None = None) -> Value:
    return Value(TENSOR, node=node, tensor=Tensor('', shape, dtype, seen=True, contiguous=contiguous))


def _type_of(dtype: Value | None) -> str:
    if dtype is None or dtype.kind != DTYPE:
        return ''
    return dtype.tensor.dtype if dtype.tensor is not None else _ALIASES.get(dtype.dtype, dtype.dtype)


def _dims(sizes: tuple[Value, ...]) -> tuple[Value, ...] | None:
    """The sizes that are given one by one, or as one tuple or shape."""
    if len(sizes) == 1 and sizes[0].kind == TUPLE:
        sizes = sizes[0].items
    elif len(sizes) == 1 and sizes[0].kind == AXES:
        axes: Axes = sizes[0].items
        if axes.kind != SIZE or axes.length is None:
            return None
        sizes = tuple(axes.at(index) for index in range(axes.length))
    elif len(sizes) == 1 and sizes[0].may_be_tensor and not sizes[0].tensor.is_evident and sizes[0].kind != EXPRESSION:
        # a name may hold one size or all of them
        return None
    is_plain = sizes and all(one.kind not in (TUPLE, AXES, DTYPE, 'star', 'dict') for one in sizes)
    return sizes if is_plain else None
