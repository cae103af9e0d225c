# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the expressions of host code are, as far as its source shows: tensors, their sizes and strides, numbers, and what is made of them."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from flakelint.kernel.launches import (
    DTYPE,
    EITHER,
    EXPRESSION,
    FLAG,
    NONE,
    NUMBER,
    SIZE,
    STRIDE,
    STRING,
    TENSOR,
    UNKNOWN,
    Passed,
)

# what no launch shows: a stretch of a shape or of strides, several values, what a name is bound to, the argument of a grid
AXES = 'axes'
TUPLE = 'tuple'
STAR = 'star'
DICT = 'dict'
FUNCTION = 'function'
META = 'meta'
SAVED = 'saved tensors'

_UNDERSTOOD = frozenset({NUMBER, SIZE, STRIDE, EXPRESSION, FLAG, NONE, STRING})
# what goes by the name of the variable that holds it; the rest is shown as it was made
_NAMED = frozenset({NUMBER, SIZE, STRIDE, TENSOR, UNKNOWN})
# how strongly operators bind
_OPERATORS = {'|': 0, '^': 1, '&': 2, '<<': 3, '>>': 3, '+': 4, '-': 4, '*': 5, '/': 5, '//': 5, '%': 5, '**': 6}
_MAX_ALTERNATIVES = 6
_MAX_DEPTH = 8
_MAX_TEXT = 120


@dataclass(eq=False)
class Shape:
    """The shape that some tensors have in common.

    Args:
        ranks (set[int]):
            How many dimensions it was seen to have; several where branches disagree.
        dims (tuple[Value, ...] | None):
            Its sizes, where it was written out.
        base (Shape | None):
            The shape of which it has some more or fewer dimensions.
        change (int):
            How many more.
        parts (tuple[Shape, ...]):
            The shapes of which it is one.
    """

    ranks: set[int] = field(default_factory=set)
    dims: 'tuple[Value, ...] | None' = None
    base: 'Shape | None' = None
    change: int = 0
    parts: 'tuple[Shape, ...]' = ()

    @property
    def rank(self) -> int | None:
        """The number of dimensions, if it is known."""
        if self.dims is not None:
            return len(self.dims)
        if self.ranks:
            return next(iter(self.ranks)) if len(self.ranks) == 1 and min(self.ranks) >= 0 else None
        if self.base is not None and self.base.rank is not None:
            return self.base.rank + self.change
        ranks = {part.rank for part in self.parts}
        return ranks.pop() if len(ranks) == 1 else None

    def vary(self) -> None:
        """Take it that the number of dimensions differs from call to call."""
        self.ranks.add(-1)


@dataclass(eq=False)
class Tensor:
    """What may be a tensor.

    Args:
        name (str):
            How the source calls it.
        shape (Shape):
            Its shape.
        dtype (str):
            The type of its elements, or nothing.
        seen (bool):
            Whether the source uses it as a tensor.
        optional (bool):
            Whether it may be None as well.
        contiguous (bool | None):
            Whether its elements lie in memory in their order, or None where that is not known.
        parts (tuple[Tensor, ...]):
            The tensors of which it is made, or one of which it is: if those are tensors, it is.
        is_fresh (bool):
            Whether it was made without values, and nothing seen so far can have given it any.
        has_gaps (bool):
            Whether it is a part of what lies in memory, or repeats it, so that a copy of it is contiguous.
    """

    name: str
    shape: Shape = field(default_factory=Shape)
    dtype: str = ''
    seen: bool = False
    optional: bool = False
    contiguous: bool | None = None
    parts: 'tuple[Tensor, ...]' = ()
    is_fresh: bool = False
    has_gaps: bool = False

    @property
    def is_evident(self) -> bool:
        """Whether it is a tensor, and not just anything."""
        return self.seen or (bool(self.parts) and all(part.is_evident for part in self.parts))


@dataclass(frozen=True)
class Axes:
    """A stretch of the shape or of the strides of a tensor: `x.shape[1:]`.

    Args:
        kind (str):
            `size` or `stride`.
        tensor (Tensor):
            The tensor.
        start (int):
            The first axis; counted from the end where it is negative.
        stop (int | None):
            The axis before which it ends, or None for the end.
    """

    kind: str
    tensor: Tensor
    start: int = 0
    stop: int | None = None

    @property
    def length(self) -> int | None:
        """How many axes it has, if that is known."""
        rank = self.tensor.shape.rank
        if rank is None:
            known = self.stop is not None and (self.start < 0) == (self.stop < 0)
            return max(self.stop - self.start, 0) if known else -self.start if self.stop is None and self.start < 0 else None
        return len(range(rank)[self.start:self.stop])

    def at(self, index: int) -> 'Value':
        """The size or stride at an index."""
        if index >= 0:
            axis: int | None = self.start + index
            axis = None if self.start < 0 <= axis else axis
        else:
            axis = index if self.stop is None else self.stop + index
            axis = None if self.stop is not None and self.stop > 0 > axis else axis
        spelled = f'{self.tensor.name}.stride({axis})' if self.kind == STRIDE else f'{self.tensor.name}.shape[{axis}]'
        return Value(self.kind, spelled, tensor=self.tensor, axis=axis) if axis is not None else unknown('')

    def between(self, start: int | None, stop: int | None) -> 'Axes | None':
        """A stretch of it; None where that is not plain."""
        if (self.start, self.stop) == (0, None):
            return Axes(self.kind, self.tensor, start or 0, stop)
        if stop is None and start is not None and start >= 0 and self.start >= 0:
            return Axes(self.kind, self.tensor, self.start + start, self.stop)
        return None

    def has(self, count: int) -> None:
        """Learn from an assignment how many axes it has."""
        if self.start >= 0 and (self.stop is None or self.stop < 0):
            self.tensor.shape.ranks.add(self.start + count - (self.stop or 0))


@dataclass(frozen=True, eq=False)
class Value:
    """What an expression is.

    Args:
        kind (str):
            One of the kinds that `Passed` has, or of those above.
        text (str):
            How the source calls it; nothing where the node says it.
        tensor (Tensor | None, Optional):
            What it may be as a tensor, or the tensor whose size or stride it is. Default: `None`.
        axis (int | None, Optional):
            Which size or stride. Default: `None`.
        value (object, Optional):
            The value of a literal. Default: `None`.
        head (str, Optional):
            The operator or function of an expression. Default: none.
        operands (tuple[Value, ...], Optional):
            What it is applied to. Default: none.
        dtype (str, Optional):
            The type that it names, or has. Default: none.
        reference (str, Optional):
            The name in its module that it is, as for `Resolver`. Default: none.
        items (object, Optional):
            What several values hold: a tuple, a dictionary or `Axes`. Default: `None`.
        node (ast.AST | None, Optional):
            The expression or the function. Default: `None`.
        fresh (bool, Optional):
            Whether its tensor holds no values yet where a launch takes it. Default: `False`.
    """

    kind: str
    text: str = ''
    tensor: Tensor | None = None
    axis: int | None = None
    value: Any = None
    head: str = ''
    operands: 'tuple[Value, ...]' = ()
    dtype: str = ''
    reference: str = ''
    items: Any = None
    node: ast.AST | None = None
    fresh: bool = False

    @property
    def spelled(self) -> str:
        """How the source spells it."""
        if self.text or self.node is None:
            return self.text
        try:
            return ast.unparse(self.node)[:_MAX_TEXT]
        except (RecursionError, ValueError):
            return ''

    @property
    def may_be_tensor(self) -> bool:
        """Whether it is a tensor or something unknown, not a size or a stride of one."""
        return self.tensor is not None and self.kind in (TENSOR, UNKNOWN)

    def named(self, name: str) -> 'Value':
        """The same under the name of the variable that holds it."""
        if self.kind not in _NAMED or self.reference:
            return self
        if self.may_be_tensor:
            return replace(self, text=name, tensor=replace(self.tensor, name=name, parts=(self.tensor,)))
        return replace(self, text=name)


def unknown(text: str, node: ast.AST | None = None, **facts: Any) -> Value:
    """Something of which only the spelling is known, and which may turn out to be a tensor."""
    return Value(UNKNOWN, text, Tensor(text), node=node, **facts)


def number(value: float, text: str = '') -> Value:
    """A number that is written out."""
    return Value(NUMBER, text or repr(value), value=value)


def made(head: str, operands: Iterable[Value], text: str = '') -> Value:
    """An expression of an operator or a function."""
    operands = tuple(operands)
    return Value(EXPRESSION, text or _spell(head, operands), head=head, operands=operands)


def merge(name: str, left: Value, right: Value) -> Value:
    """What a variable is after two branches."""
    if _same(left, right):
        return left
    tensors = [one.tensor for one in (left, right) if one.may_be_tensor]
    kinds = {left.kind, right.kind}
    is_fixed = kinds == {TUPLE} and len(left.items) == len(right.items)
    if is_fixed and STAR not in {one.kind for one in (*left.items, *right.items)}:
        items = tuple(merge('', *pair) for pair in zip(left.items, right.items, strict=True))
        return Value(TUPLE, name, items=items)
    if len(tensors) == 2 and not (left.reference or right.reference):
        shape = tensors[0].shape
        if shape is not tensors[1].shape:
            shape = Shape(parts=(tensors[0].shape, tensors[1].shape))
        dtype = tensors[0].dtype if tensors[0].dtype == tensors[1].dtype else ''
        optional = any(tensor.optional for tensor in tensors)
        orders = {tensor.contiguous for tensor in tensors}
        contiguous = orders.pop() if len(orders) == 1 else None
        return Value(UNKNOWN, name, Tensor(name, shape, dtype, False, optional, contiguous, tuple(tensors)))
    if len(tensors) == 1 and NONE in kinds:
        tensor = tensors[0]
        return Value(UNKNOWN, name, Tensor(name, tensor.shape, tensor.dtype, False, True, tensor.contiguous, (tensor,)))
    named = {one.reference: one for one in (*_alternatives(left), *_alternatives(right))}
    if '' not in named and kinds <= {UNKNOWN, FUNCTION} and len(named) <= _MAX_ALTERNATIVES:
        # one of several functions
        return Value(UNKNOWN, name, head=EITHER, operands=tuple(named.values()))
    if kinds == {FLAG} and False in (left.value, right.value):
        # where it holds, so does the other one
        return Value(FLAG, name, head='and', operands=(right if left.value is False else left,))
    if kinds in ({FLAG}, {DTYPE}):
        return Value(left.kind, name)
    if kinds <= _UNDERSTOOD:
        alternatives: list[Value] = []
        for one in (*_alternatives(left), *_alternatives(right)):
            if not any(_same(one, other) for other in alternatives):
                alternatives.append(one)
        if len(alternatives) <= _MAX_ALTERNATIVES:
            return Value(EXPRESSION, name, head=EITHER, operands=tuple(alternatives))
    return unknown(name)


def freeze(value: Value, depth: int = 0) -> Passed:
    """A value as a launch shows it."""
    if depth > _MAX_DEPTH:
        return Passed(UNKNOWN, value.spelled)
    if value.may_be_tensor:
        return _freeze_tensor(value, depth)
    if value.kind in (SIZE, STRIDE):
        return _freeze_axis(value, depth)
    operands = tuple(freeze(one, depth + 1) for one in value.operands)
    if value.kind in (NUMBER, NONE, FLAG, DTYPE, STRING, EXPRESSION):
        dtype = value.tensor.dtype if value.kind == DTYPE and value.tensor is not None else value.dtype
        tensor = value.tensor.name if value.tensor is not None and value.kind != FLAG else ''
        return Passed(value.kind, value.spelled, tensor, None, None, value.value, value.head, operands, dtype=dtype)
    return Passed(UNKNOWN, value.spelled, reference=value.reference)


def _freeze_tensor(value: Value, depth: int) -> Passed:
    tensor = value.tensor
    if not (tensor.is_evident or value.kind == TENSOR):
        return Passed(UNKNOWN, value.spelled, dtype=value.dtype, reference=value.reference)
    dims = () if depth or tensor.shape.dims is None else tuple(freeze(one, depth + 1) for one in tensor.shape.dims)
    rank = tensor.shape.rank
    known = Passed(TENSOR, value.spelled, rank=rank, dims=dims, dtype=tensor.dtype, optional=tensor.optional)
    # what is contiguous, or may be, goes without saying
    return known._replace(fresh=value.fresh, contiguous=False if tensor.contiguous is False else None)


def _freeze_axis(value: Value, depth: int) -> Passed:
    shape = value.tensor.shape
    axis = value.axis
    if axis is not None and axis < 0 and shape.rank is not None:
        axis += shape.rank
    dims = shape.dims
    if dims is None or axis is None or not -len(dims) <= axis < len(dims):
        dims = None
    inner = () if dims is None or value.kind == STRIDE else (freeze(dims[axis], depth + 1),)
    outer = tuple(freeze(one, depth + 1) for one in dims) if dims is not None and value.kind == STRIDE and not depth else ()
    contiguous = value.tensor.contiguous if value.kind == STRIDE else None
    known = Passed(value.kind, value.spelled, value.tensor.name, axis, shape.rank, head=value.head, operands=inner, dims=outer)
    return known._replace(contiguous=contiguous)


def _alternatives(value: Value) -> tuple[Value, ...]:
    return value.operands if value.head == EITHER else (value,)


def _same(left: Value, right: Value) -> bool:
    if left is right:
        return True
    plain = ('kind', 'text', 'axis', 'value', 'head', 'dtype', 'reference')
    if any(getattr(left, name) != getattr(right, name) for name in plain) or type(left.value) is not type(right.value):
        return False
    if left.tensor is not right.tensor or left.items is not right.items or len(left.operands) != len(right.operands):
        return False
    return all(_same(*pair) for pair in zip(left.operands, right.operands, strict=True))


def _spell(head: str, operands: tuple[Value, ...]) -> str:
    if head in _OPERATORS and len(operands) == 2:
        left, right = operands
        strength = _OPERATORS[head]
        # operators of the same strength bind from the left, powers from the right
        before = f'({left.spelled})' if _strength(left) < strength + (head == '**') else left.spelled
        behind = f'({right.spelled})' if _strength(right) < strength + (head != '**') else right.spelled
        return f'{before} {head} {behind}'
    if head == '-':
        return f'-{operands[0].spelled}'
    return f'{head}({", ".join(one.spelled for one in operands)})'


def _strength(value: Value) -> int:
    """How strongly the outermost operator of an expression binds."""
    if value.head not in _OPERATORS:
        return max(_OPERATORS.values()) + 1
    return _OPERATORS[value.head] if len(value.operands) == 2 else _OPERATORS['*']
