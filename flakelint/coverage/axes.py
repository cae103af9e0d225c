# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The nine axes along which an operator is tested, and where on them a call lies."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from flakelint.coverage.operators import Operator
from flakelint.coverage.run import Call
from flakelint.coverage.values import FINAL_STATE_ASKED, Opaque
from flakelint.project.meanings import literal

LAYOUT, DIRECTION, GATE, BETA, NORM, STATE, VALUE_HEADS, HEAD_SIZES, VERIFIER = (
    'layout', 'direction', 'gate', 'beta', 'q/k norm', 'state', 'value heads', 'head sizes', 'verifier',
)
FORWARD, BACKWARD = 'forward', 'backward'
BY_REFERENCE, BY_GRADCHECK, BY_BACKENDS = 'reference', 'gradcheck', 'backends'

AXES: dict[str, tuple[str, ...]] = {
    LAYOUT: ('dense', 'varlen'),
    DIRECTION: (FORWARD, BACKWARD),
    GATE: ('safe', 'non-safe'),
    BETA: ('raw', 'sigmoid'),
    NORM: ('l2', 'without'),
    STATE: ('initial', 'final'),
    VALUE_HEADS: ('grouped', 'plain'),
    HEAD_SIZES: ('same', 'different'),
    VERIFIER: (BY_REFERENCE, BY_GRADCHECK, BY_BACKENDS),
}

# a value of an axis
Point = tuple[str, str]


class Position(NamedTuple):
    """Where a call lies.

    Args:
        points (frozenset[tuple[str, str]]):
            The values of the axes, those of direction, verifier and final state aside, which what is compared tells.
        unclear (frozenset[str]):
            The axes on which it is not known.
        may_have_state (bool):
            Whether the final state may be asked for.
    """

    points: frozenset[Point]
    unclear: frozenset[str]
    may_have_state: bool


def reachable(operator: Operator) -> list[Point]:
    """What the signature of an operator can reach, in order of the axes."""
    names = operator.defaults
    has_sizes = {'k', 'v'} <= names.keys()
    found = {
        LAYOUT: ('dense', 'varlen') if 'cu_seqlens' in names else ('dense',),
        DIRECTION: AXES[DIRECTION],
        GATE: AXES[GATE] if 'safe_gate' in names or 'lower_bound' in names else (),
        BETA: AXES[BETA] if 'use_beta_sigmoid_in_kernel' in names else (),
        NORM: AXES[NORM] if 'use_qk_l2norm_in_kernel' in names else (),
        STATE: tuple(value for value, name in zip(AXES[STATE], _OF_STATES, strict=True) if name in names),
        VALUE_HEADS: AXES[VALUE_HEADS] if has_sizes and 'HV' in operator.documentation else (),
        HEAD_SIZES: AXES[HEAD_SIZES] if has_sizes else (),
        VERIFIER: AXES[VERIFIER] if operator.backends else (BY_REFERENCE, BY_GRADCHECK),
    }
    return [(axis, value) for axis in AXES for value in found[axis]]


def position(call: Call, operator: Operator) -> Position:
    """Where a call of an operator lies."""
    passed = _Passed(call, operator)
    found: set[Point] = set()
    unclear: set[str] = set()
    for axis, read in _READ.items():
        value = read(passed)
        if value is None:
            unclear.add(axis)
        elif value:
            found.add((axis, value))
    is_given = passed.is_given(_INITIAL) if _INITIAL in operator.defaults else False
    if is_given is None:
        unclear.add(STATE)
    elif is_given:
        found.add((STATE, 'initial'))
    may_have_state = passed.has(FINAL_STATE_ASKED) and passed.is_given(FINAL_STATE_ASKED) is not False
    return Position(frozenset(found), frozenset(unclear), may_have_state)


_INITIAL = 'initial_state'
# the parameters by which the states of the axis are reached
_OF_STATES = (_INITIAL, FINAL_STATE_ASKED)


class _Passed:
    """What a call passes to an operator."""

    def __init__(self, call: Call, operator: Operator) -> None:
        self._call = call
        self._defaults = operator.defaults

    def value(self, name: str) -> Any:
        """The value of a parameter, its default where it is left out."""
        arguments: Mapping[str, Any] = self._call.arguments
        if name in arguments:
            return arguments[name]
        if not self._call.is_complete:
            return Opaque()
        default = self._defaults.get(name)
        return None if default is None else literal(default)[1]

    def has(self, name: str) -> bool:
        """Whether the operator has such a parameter."""
        return name in self._defaults

    def is_given(self, name: str) -> bool | None:
        """Whether a parameter is neither None nor False; None where that is not known."""
        value = self.value(name)
        if isinstance(value, Opaque):
            return True if (value.sources or value.shape is not None) and not value.may_be_none else None
        return value is not None and value is not False

    def size(self, name: str, dim: int) -> int | None:
        """A size of a tensor; None where it is not known."""
        shape = getattr(self.value(name), 'shape', None)
        size = shape[dim] if shape is not None and len(shape) == 4 else None
        return size if isinstance(size, int) else None


def _one_of(is_given: bool | None, given: str, otherwise: str) -> str | None:
    return None if is_given is None else given if is_given else otherwise


def _layout(passed: _Passed) -> str | None:
    if not passed.has('cu_seqlens'):
        return 'dense'
    layout = _one_of(passed.is_given('cu_seqlens'), 'varlen', 'dense')
    # packed sequences are a batch of one
    return '' if layout == 'varlen' and passed.size('k', 0) not in (None, 1) else layout


def _gate(passed: _Passed) -> str | None:
    name = next((one for one in ('safe_gate', 'lower_bound') if passed.has(one)), None)
    return '' if name is None else _one_of(passed.is_given(name), 'safe', 'non-safe')


def _value_heads(passed: _Passed) -> str | None:
    if not passed.has('k') or not passed.has('v'):
        return ''
    heads, value_heads = passed.size('k', 2), passed.size('v', 2)
    if heads is None or value_heads is None:
        return None
    return 'plain' if heads == value_heads else 'grouped' if heads and value_heads > heads and value_heads % heads == 0 else ''


def _flag(name: str, given: str, otherwise: str) -> Callable[[_Passed], str | None]:
    return lambda passed: _one_of(passed.is_given(name), given, otherwise) if passed.has(name) else ''


def _head_sizes(passed: _Passed) -> str | None:
    if not passed.has('k') or not passed.has('v'):
        return ''
    sizes = passed.size('k', 3), passed.size('v', 3)
    return None if None in sizes else 'same' if sizes[0] == sizes[1] else 'different'


_READ: dict[str, Callable[[_Passed], str | None]] = {
    LAYOUT: _layout,
    GATE: _gate,
    BETA: _flag('use_beta_sigmoid_in_kernel', 'sigmoid', 'raw'),
    NORM: _flag('use_qk_l2norm_in_kernel', 'l2', 'without'),
    VALUE_HEADS: _value_heads,
    HEAD_SIZES: _head_sizes,
}
