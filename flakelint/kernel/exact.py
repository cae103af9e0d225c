# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What values certainly are, whatever a kernel is launched with: their types as Triton spells them, their shapes, and whether they are constants.

The model guesses where the source does not show a type, which serves the arithmetic of addresses. What is refused because of a type must not be guessed: here a loaded value has no type, and neither has an argument.
"""

import ast
from typing import TYPE_CHECKING

from flakelint.kernel import exact_types, launches, shapes, types
from flakelint.kernel.constants import COMPILE_TIME
from flakelint.kernel.decorators import AUTOTUNE, HEURISTICS
from flakelint.kernel.exact_calls import axis_of, given_shape, leaf, operand, resolved, target
from flakelint.kernel.exact_types import FLOAT, INT, NONE, POINTER, UNKNOWN, Kind
from flakelint.kernel.graph import SCALAR, Cases, Shape, Value, each_value
from flakelint.kernel.staging import is_run_time
from flakelint.source.expressions import argument, whole_number
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.kernel.frames import Access
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.model import Model

_COMPARED = frozenset({'eq', 'ne', 'lt', 'le', 'gt', 'ge'})
_ARITHMETIC = frozenset({
    'add', 'and', 'cdiv', 'div', 'floordiv', 'max', 'min', 'mod', 'mul', 'or', 'shl', 'shr', 'sub', 'xor',
})
# these give what they are given, but for their type where it is an integer
MATH = frozenset({
    'acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh', 'cbrt', 'ceil', 'cos', 'cosh', 'erf', 'erfc', 'exp', 'exp2', 'expm1',
    'floor', 'log', 'log10', 'log1p', 'log2', 'rsqrt', 'sigmoid', 'sin', 'sinh', 'sqrt', 'sqrt_rn', 'tan', 'tanh',
})
_SAME = frozenset({'abs', 'associative_scan', 'flip', 'max_constancy', 'max_contiguous', 'multiple_of', 'sort', 'zeros_like'})
_SHAPED = frozenset({'broadcast_to', 'expand_dims', 'permute', 'ravel', 'reshape', 'trans', 'view'})
# what addresses are made of besides their base
_ON_THE_WAY = frozenset({'add', 'sub', 'view', 'assign', 'phi', 'trans'})
# values are made of others; this many steps are followed before one is not known
_DEEP = 120


class Exact:
    """What the values of a kernel certainly are.

    Args:
        model (Model):
            The model of the kernel.
    """

    def __init__(self, model: 'Model') -> None:
        self._model = model
        self._known: dict[int, Kind] = {}
        self._depth = 0
        self._declared: dict[int, frozenset[str]] = {}
        self._accesses = {(id(one.node), id(one.frame)): one for one in model.accesses}
        self._annotations = {one.name: one.annotation for one in model.kernel.parameters}
        self.is_launched = _is_launched(model)
        # what is the length of a block is a whole number
        self._lengths = {one.name for value in model.aranges for one in each_value(value.operands) if one.op == 'parameter'}
        self.pointers = self._pointers() if self.is_launched else frozenset()

    def of(self, value: 'Value | Cases | None') -> Kind:
        """What a value is, as far as all its variants agree."""
        if value is None:
            return Kind()
        found = [self._of(case) for case in each_value([value])]
        return exact_types.agreed(found)

    def settled(self, value: 'Value | Cases') -> Kind:
        """What a value is once it is no constant any more."""
        return exact_types.at_run_time(self.of(value))

    def _of(self, value: Value) -> Kind:
        key = id(value)
        if key in self._known:
            return self._known[key]
        if self._depth > _DEEP:
            return Kind()
        # a value that is made of itself is known by what else it is made of
        self._known[key] = Kind()
        self._depth += 1
        try:
            self._known[key] = self._made(value)
        finally:
            self._depth -= 1
        return self._known[key]

    def _made(self, value: Value) -> Kind:
        op = value.op
        if op in _ARITHMETIC:
            return self._arithmetic(value)
        handler = _HANDLERS.get(op)
        if handler is not None:
            return handler(self, value)
        if value.type in COMPILE_TIME:
            return Kind(NONE if value.type == types.NONE else UNKNOWN, SCALAR, True, value.literal)
        return Kind()

    def _parameter(self, value: Value) -> Kind:
        if value.type in COMPILE_TIME:
            return Kind('int32' if value.name in self._lengths else UNKNOWN, SCALAR, True, value.literal)
        shape = SCALAR if self.is_launched else None
        if value.name in self.pointers:
            return Kind(POINTER, shape)
        return Kind(exact_types.of_name(self._annotations.get(value.name, '')), shape)

    def _assigned(self, value: Value) -> Kind:
        return exact_types.at_run_time(self.of(value.operands[0]))

    def _arithmetic(self, value: Value) -> Kind:
        left, right = (self.of(one) for one in value.operands)
        if left.is_constant and right.is_constant:
            both = {exact_types.at_run_time(one).dtype for one in (left, right)}
            is_integer = both <= exact_types.INTEGERS and value.op != 'div'
            return Kind(INT if is_integer else UNKNOWN, SCALAR, True, value.literal)
        return Kind(exact_types.computed(value.op, left, right), exact_types.broadcast(left.shape, right.shape))

    def _compared(self, value: Value) -> Kind:
        found = [self.of(one) for one in value.operands]
        if all(one.is_constant for one in found):
            return Kind(UNKNOWN, SCALAR, True, value.literal)
        return Kind('int1', exact_types.broadcast_all(one.shape for one in found))

    def _logical(self, value: Value) -> Kind:
        found = [self.of(one) for one in value.operands]
        if value.type in COMPILE_TIME or any(one.is_constant for one in found):
            return Kind(UNKNOWN, SCALAR, True) if value.type in COMPILE_TIME else Kind()
        return Kind('int1', exact_types.broadcast_all(one.shape for one in found))

    def _chosen(self, value: Value) -> Kind:
        left, right = (exact_types.at_run_time(one) if one.is_constant else one for one in map(self.of, value.operands))
        parts = [self.of(one) for one in value.operands]
        if all(one.is_constant for one in parts):
            dtype = exact_types.computed('add', left, right)
        else:
            dtype = exact_types.computed('add', *parts)
        return Kind(dtype, exact_types.broadcast_all((left.shape, right.shape, self.of(value.detail).shape)))

    def _signed(self, value: Value) -> Kind:
        found = self.of(value.operands[0])
        return found._replace(literal=value.literal) if found.is_constant else found

    def _met(self, value: Value) -> Kind:
        """A value that a loop carries, which is as it starts, or one that branches agree on."""
        if isinstance(value.node, ast.For | ast.While):
            return exact_types.at_run_time(self.of(value.operands[0]))
        found = [exact_types.at_run_time(self.of(one)) for one in value.operands]
        if isinstance(value.node, ast.If | ast.IfExp) and not any(one.dtype == NONE for one in found):
            return exact_types.completed(found)
        return exact_types.agreed(found)

    def _cast(self, value: Value) -> Kind:
        shape = self.of(value.operands[0]).shape
        if value.type == types.POINTER:
            return Kind(POINTER, shape)
        return Kind(exact_types.of_name(resolved(target(value), value.frame)), shape)

    def _filled(self, value: Value) -> Kind:
        position = 2 if leaf(value.node) == 'full' else 1
        node = argument(value.node, 'dtype', position)
        return Kind(exact_types.of_name(resolved(node, value.frame)), self._lasting(value, value.shape))

    def _loaded(self, value: Value) -> Kind:
        access = self._accesses.get((id(value.node), id(value.frame)))
        if access is None or access.kind not in ('load', 'atomic'):
            return Kind()
        return Kind(UNKNOWN, self.span_of(access) if is_address(access) else None)

    def span_of(self, access: 'Access') -> Shape:
        """The shape of what an access reads or writes."""
        shape = self.of(access.address).shape
        # a load of a block broadcasts to its mask
        parts = [one for one in (access.mask, access.other) if one is not None] if access.kind == 'load' and shape else []
        return exact_types.broadcast_all((shape, *(self.of(one).shape for one in parts)))

    def _viewed(self, value: Value) -> Kind:
        found = self.of(value.operands[0])
        node = value.node
        if isinstance(node, ast.Subscript):
            return Kind(found.dtype, shapes.indexed(found.shape, node.slice))
        if found.shape is None or not isinstance(node, ast.Call):
            return Kind(found.dtype if isinstance(node, ast.Call) and leaf(node) in _SAME | _SHAPED else UNKNOWN)
        name = leaf(node)
        if name in _SAME:
            return Kind(found.dtype, found.shape)
        if name not in _SHAPED:
            return Kind()
        if name == 'trans' and len(node.args) < 2:
            return Kind(found.dtype, _transposed(found.shape))
        if name in ('reshape', 'view', 'broadcast_to'):
            return Kind(found.dtype, self._lasting(value, given_shape(value)))
        return Kind(found.dtype, _expanded(found.shape, whole_number(axis_of(value))) if name == 'expand_dims' else None)

    def _joined(self, value: Value) -> Kind:
        found = [self.of(one) for one in value.operands[:2]]
        shape = exact_types.broadcast_all(one.shape for one in found) if leaf(value.node) == 'join' else None
        return Kind(exact_types.agreed(found).dtype, None if shape is None else (*shape, '2'))

    def _lasting(self, value: Value, shape: Shape) -> Shape:
        """A shape that was spelled where a value is made, without the numbers of names that hold several."""
        if shape is None or value.frame is None or value.node is None:
            return None
        several = self._several(value.frame.kernel)
        if several and any(isinstance(one, ast.Name) and one.id in several for one in ast.walk(value.node)):
            shape = tuple(exact_types.ANY if one.isdigit() else one for one in shape)
        return exact_types.cleaned(shape)

    def _several(self, kernel: 'Kernel') -> frozenset[str]:
        """The names that a function declares more than once, in branches that exclude each other."""
        if id(kernel) not in self._declared:
            targets = [one.target for one in kernel.body if isinstance(one, ast.AnnAssign)]
            names = [one.id for one in targets if isinstance(one, ast.Name)]
            self._declared[id(kernel)] = frozenset(name for name in names if names.count(name) > 1)
        return self._declared[id(kernel)]

    def _turned(self, value: Value) -> Kind:
        found = self.of(value.operands[0])
        return Kind(found.dtype, _transposed(found.shape))

    def _reduced(self, value: Value) -> Kind:
        found = self.of(value.operands[0])
        if not isinstance(value.node, ast.Call):
            return Kind()
        shape = found.shape if value.detail == 'cumsum' else shapes.reduced(found.shape, value.node)
        if value.detail.startswith('arg'):
            return Kind('int32', shape)
        given = argument(value.node, 'dtype')
        if given is not None:
            return Kind(exact_types.of_name(resolved(given, value.frame)), shape)
        return Kind(exact_types.reduced(value.detail, found.dtype), shape)

    def _dotted(self, value: Value) -> Kind:
        if not isinstance(value.node, ast.Call) or leaf(value.node) != 'dot':
            return Kind()
        left, right = self.of(operand(value, 0, 'input')), self.of(operand(value, 1, 'other'))
        shape = None
        if left.shape is not None and right.shape is not None and len(left.shape) == len(right.shape) > 1:
            shape = (*left.shape[:-1], right.shape[-1])
        return Kind(self._dot_type(value, left.dtype, right.dtype), shape)

    def _dot_type(self, value: Value, left: str, right: str) -> str:
        if left in ('int8', 'uint8') or right in ('int8', 'uint8'):
            return 'int32'
        acc = operand(value, 2, 'acc')
        if acc is not None:
            return self.of(acc).dtype if not self.of(acc).is_constant else UNKNOWN
        given = argument(value.node, 'out_dtype', 6)
        if given is not None:
            return exact_types.of_name(resolved(given, value.frame))
        return 'fp32' if left in exact_types.TO_SINGLE or right in exact_types.TO_SINGLE else UNKNOWN

    def _called(self, value: Value) -> Kind:
        if value.detail not in MATH or value.type != types.FLOAT or not value.operands:
            return Kind()
        found = self.of(value.operands[0])
        if found.is_constant:
            return Kind(FLOAT, SCALAR)
        return Kind(found.dtype if found.dtype in ('fp32', 'fp64') else FLOAT, found.shape)

    def _counted(self, value: Value) -> Kind:
        bounds = [case for one in value.operands for case in each_value([one])]
        kinds = [exact_types.at_run_time(self.of(one)) for one in bounds]
        is_plain = all(one.dtype == 'int32' for one in kinds)
        return Kind('int32' if is_plain else INT, SCALAR)

    def _pointers(self) -> frozenset[str]:
        """The parameters that are certainly pointers."""
        # where flags decide, an argument may be a pointer in one variant and a number in another
        flags = [one.node for one in self._model.tests if not is_run_time(one.value, self.is_launched)]
        doubtful = nodes_in_order(flags)
        nodes, names = {id(one) for one in doubtful}, {one.id for one in doubtful if isinstance(one, ast.Name)}
        found: set[str] = set()
        for access in self._model.accesses:
            is_own = access.frame is self._model.frame and id(access.node) not in nodes
            if is_own and access.kind in ('load', 'store', 'atomic'):
                for address in each_value([access.address]):
                    based = bases(address)
                    found.update(based if len(based) == 1 else ())
        passed = [item for launch in self._model.facts.launches for item in launch.parameters.items()]
        found.update(name for name, one in passed if one.kind == launches.TENSOR and not one.optional and name not in names)
        found -= {name for name, one in passed if one.kind not in (launches.TENSOR, launches.UNKNOWN, launches.NONE)}
        return frozenset(found - {name for name, text in self._annotations.items() if text})


def _transposed(shape: Shape) -> Shape:
    """The shape of a transposed matrix; for other ranks releases differ."""
    return shape[::-1] if shape is not None and len(shape) == 2 else None


def _expanded(shape: Shape, axis: int | None) -> Shape:
    """A shape with one more dimension."""
    if axis is None or not -len(shape) - 1 <= axis <= len(shape):
        return None
    at = axis % (len(shape) + 1)
    return (*shape[:at], '1', *shape[at:])


def _is_launched(model: 'Model') -> bool:
    """Whether a function is certainly launched, so that its parameters are no blocks."""
    kernel = model.kernel
    if kernel.decorator(AUTOTUNE) or kernel.decorator(HEURISTICS) or model.facts.launches:
        return True
    repository = model.facts.repository
    if repository is not None and repository.is_called_by_kernels(kernel):
        return False
    return any(leaf(call) == 'program_id' for call in kernel.calls)


def bases(address: Value) -> set[str]:
    """The parameters that are added up in an address; none where something else may be its pointer."""
    found, stack, seen = set(), [address], set()
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if value.op == 'parameter' and value.type not in COMPILE_TIME:
            found.add(value.name)
        elif value.op in _ON_THE_WAY:
            stack.extend(each_value(value.operands))
        elif value.type in (types.POINTER, types.UNKNOWN):
            return set()
    return found


def is_address(access: 'Access') -> bool:
    """Whether an access goes to pointers, and not to a block pointer or a descriptor."""
    return all(case.type == types.POINTER for case in each_value([access.address]))


_HANDLERS = {
    'parameter': Exact._parameter,
    'assign': Exact._assigned,
    'all': Exact._logical,
    'any': Exact._logical,
    'not': Exact._compared,
    'where': Exact._chosen,
    'neg': Exact._signed,
    'invert': Exact._signed,
    'phi': Exact._met,
    'cast': Exact._cast,
    'fill': Exact._filled,
    'load': Exact._loaded,
    'view': Exact._viewed,
    'trans': Exact._turned,
    'join': Exact._joined,
    'reduce': Exact._reduced,
    'dot': Exact._dotted,
    'call': Exact._called,
    'counter': Exact._counted,
    'ends': Exact._counted,
    'program_id': lambda walk, value: Kind('int32', SCALAR),
    'num_programs': lambda walk, value: Kind('int32', SCALAR),
    'arange': lambda walk, value: Kind('int32', walk._lasting(value, value.shape)),
    **dict.fromkeys(_COMPARED, Exact._compared),
}
