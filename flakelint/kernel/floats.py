# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which float type the values of a kernel have, as far as the kernel itself shows it.

`fp16`, `bf16`, `fp32`, `fp64` and `fp8` are floats, `int` is any integer or boolean, and the empty string is what is not shown: what is loaded, and what arguments bring along.
"""

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from flakelint.kernel import types
from flakelint.kernel.graph import Cases, Value, each_value, reachable
from flakelint.project.imports import dotted
from flakelint.source.expressions import argument

if TYPE_CHECKING:
    from flakelint.kernel.frames import Frame
    from flakelint.kernel.model import Model

UNKNOWN = ''
FP16 = 'fp16'
BF16 = 'bf16'
FP32 = 'fp32'
FP64 = 'fp64'
FP8 = 'fp8'
INTEGER = 'int'
HALF = frozenset({FP16, BF16})

_NAMES = {'float16': FP16, 'bfloat16': BF16, 'float32': FP32, 'float64': FP64}
_SAME = frozenset({'view', 'trans', 'neg', 'assign'})
_JOINED = frozenset({'add', 'sub', 'mul', 'div', 'where', 'max', 'min', 'mod', 'pow'})
# Triton takes these of 32 and 64 bits only
WIDE_ONLY = frozenset({
    'ceil', 'cos', 'erf', 'exp', 'exp2', 'floor', 'log', 'log2', 'rsqrt', 'sigmoid', 'sin', 'sqrt', 'sqrt_rn',
})
_LARGEST, _SMALLEST = 3.4e38, 1.2e-38
# where `out_dtype` stands among the arguments of `tl.dot`
_OUT_DTYPE = 6


class Floats:
    """The float types of the values of a kernel."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}

    def of(self, value: Value | Cases) -> str:
        """The type of a value, where all of its variants have it."""
        cases = list(each_value([value]))
        for case in cases:
            self._work_out(case)
        return _one(self._known[id(case)] for case in cases)

    def _work_out(self, value: Value) -> None:
        """Find the type of a value, after those of what it is made of: chains of values are too long for recursion."""
        stack, waiting = [value], set()
        while stack:
            one = stack[-1]
            if id(one) in self._known:
                stack.pop()
                continue
            missing = [part for part in each_value(_needed(one)) if id(part) not in self._known]
            if missing and id(one) not in waiting:
                waiting.add(id(one))
                stack.extend(missing)
            else:
                # a value that is made of itself is known by what else it is made of
                self._known[id(one)] = UNKNOWN
                self._known[id(one)] = self._made(one)

    def _made(self, value: Value) -> str:
        if value.op == 'cast':
            return named(_target(value.node), value.frame) or (INTEGER if types.is_integer(value.type) else UNKNOWN)
        if value.op == 'fill':
            return named(argument(value.node, 'dtype', len(value.node.args) - 1), value.frame) or _integer(value)
        if value.op in _SAME:
            return self._same(value)
        if value.op in _JOINED:
            return self._joined(value)
        if value.op == 'phi':
            return self._met(value)
        if value.op == 'reduce':
            return self._reduced(value)
        if value.op == 'dot':
            return self._dot(value)
        if value.op == 'call' and value.detail in WIDE_ONLY:
            return FP64 if value.operands and self.of(value.operands[0]) == FP64 else FP32
        if value.op == 'parameter' or '?' in value.type:
            return UNKNOWN
        return _integer(value)

    def _same(self, value: Value) -> str:
        only = value.operands[0]
        constant = only if type(only) is Value and only.type == types.CONST else None
        if value.op == 'assign' and constant is not None:
            return _named_literal(constant.literal)
        return self.of(only)

    def _joined(self, value: Value) -> str:
        if len(value.operands) != 2:
            return UNKNOWN
        left, right = value.operands
        constants = [one for one in (left, right) if type(one) is Value and one.type == types.CONST]
        if len(constants) == 2:
            return UNKNOWN
        if constants:
            runtime = self.of(right if constants[0] is left else left)
            return _with_literal(runtime, constants[0].literal, value.op)
        return joined(self.of(left), self.of(right), value.op)

    def _met(self, value: Value) -> str:
        """The type of a value that a loop carries, which is that of its start, or of one of two that a branch chooses."""
        found = self.of(value.operands[0])
        if found or isinstance(value.node, ast.For | ast.While):
            return found
        return _one(self.of(one) for one in value.operands[1:])

    def _reduced(self, value: Value) -> str:
        if value.type == types.INT32 or value.detail.startswith('arg'):
            return INTEGER
        given = argument(value.node, 'dtype')
        if given is not None:
            return named(given, value.frame)
        found = self.of(value.operands[0])
        return FP32 if found in HALF and value.detail in ('max', 'min') else found

    def _dot(self, value: Value) -> str:
        if not isinstance(value.node, ast.Call):
            return UNKNOWN
        given = argument(value.node, 'out_dtype', _OUT_DTYPE)
        if given is not None:
            return named(given, value.frame)
        if types.is_integer(value.type):
            return INTEGER
        return FP64 if any(self.of(one) == FP64 for one in value.operands[:2]) else FP32


def all_values(model: 'Model') -> Iterator[Value]:
    """All values of a kernel that reach its results, its conditions or its local names, once each."""
    roots: list[Value | Cases] = []
    for access in model.accesses:
        roots += [*access.parts, *access.path]
    roots += [*model.frame.env.values(), *model.comparisons]
    yield from reachable(roots, _parts)


def _parts(value: Value) -> Iterable[Value | Cases]:
    # the condition of a choice
    return (*value.operands, value.detail) if value.op == 'where' and value.detail is not None else value.operands


def _needed(value: Value) -> Iterable[Value | Cases]:
    """The values on which the type of a value depends; that of what a loop carries is the one of its start."""
    is_carried = value.op == 'phi' and isinstance(value.node, ast.For | ast.While)
    return value.operands[:1] if is_carried else value.operands


def joined(left: str, right: str, op: str = '') -> str:
    """The type of an operation on two values that are there at run time."""
    both = {left, right}
    for wide in (FP64, FP32):
        if wide in both:
            return wide
    if UNKNOWN in both or FP8 in both:
        return UNKNOWN
    if both == {INTEGER}:
        return FP32 if op == 'div' else INTEGER
    found = FP16 if FP16 in both else BF16
    return FP32 if op == 'div' else found


def named(node: ast.expr | None, frame: 'Frame | None') -> str:
    """The type that an expression such as `tl.float16` names."""
    spelled = dotted(node) if node is not None and frame is not None else None
    if spelled is None or spelled.partition('.')[0] in frame.env:
        return UNKNOWN
    full = frame.kernel.bindings.resolve(spelled)
    if not full.startswith('triton.language.'):
        return UNKNOWN
    name = full.rpartition('.')[2]
    return _NAMES.get(name, FP8 if name.startswith('float8') else INTEGER if name in types.LANGUAGE_TYPES else UNKNOWN)


def spelled(name: str) -> str:
    """How the language spells a float type."""
    return next((long for long, short in _NAMES.items() if short == name), name)


def _target(node: ast.AST | None) -> ast.expr | None:
    """The type to which a call casts: `x.to(t)`, `tl.cast(x, t)`, `t(x)`."""
    if not isinstance(node, ast.Call):
        return None
    given = argument(node, 'dtype')
    if given is not None:
        return given
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr == 'to':
        return node.args[0] if node.args else None
    if isinstance(function, ast.Attribute) and function.attr == 'cast':
        return node.args[-1] if node.args else None
    return function if isinstance(function, ast.Attribute) else None


def _one(found: Iterable[str]) -> str:
    names = set(found)
    return names.pop() if len(names) == 1 else UNKNOWN


def _integer(value: Value) -> str:
    return INTEGER if types.is_integer(value.type) and '?' not in value.type else UNKNOWN


def _named_literal(literal: object) -> str:
    """The type of a number that was bound to a name."""
    if isinstance(literal, bool | int):
        return INTEGER
    if not isinstance(literal, float):
        return UNKNOWN
    size = abs(literal)
    return FP32 if not size or size == float('inf') or size != size or _SMALLEST <= size <= _LARGEST else FP64


def _with_literal(runtime: str, literal: object, op: str) -> str:
    """The type of an operation on a value and a constant that is written there."""
    if runtime == INTEGER:
        return FP32 if isinstance(literal, float) or op == 'div' else INTEGER if literal is not None else UNKNOWN
    return FP32 if runtime in HALF and op == 'div' else runtime
