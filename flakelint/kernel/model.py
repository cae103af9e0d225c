# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The model of a kernel: its values, their types, and where they come from.

`analyse` walks the body of a kernel once, helpers included, and makes a graph of values. What rules ask of it (bounds, origins, addresses) is worked out on the graph when it is asked for.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flakelint.kernel import types
from flakelint.kernel.conditions import guards
from flakelint.kernel.frames import Access, Call, Conflict, Frame, Meeting, Method, Test
from flakelint.kernel.graph import SCALAR, Cases, Value, each_value
from flakelint.kernel.pointers import address_parameters
from flakelint.kernel.statements import Interpreter
from flakelint.source.unit import TooDeepError

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel, Parameter
    from flakelint.kernel.launches import Launch
    from flakelint.kernel.repository import Repository

Place = tuple[str, int, int, int, int]

_ANNOTATIONS = {f'triton.language.{name}': found for name, found in types.LANGUAGE_TYPES.items()}
_ANNOTATIONS |= {f'triton.language.core.{name}': found for name, found in types.LANGUAGE_TYPES.items()}
_ANNOTATIONS |= {name: name for name in types.INTEGERS if '?' not in name} | {
    'float': types.FLOAT, 'int': types.INT32, 'bool': types.BOOL,
}


@dataclass(frozen=True)
class Given:
    """What the arguments of a kernel are taken to be, beyond what the source shows.

    Args:
        types (Mapping[str, str], Optional):
            Their types, as in a signature of Triton: `*fp32`, `i64`. Default: none.
        constants (Mapping[str, Any], Optional):
            The values of compile-time constants. Default: none.
    """

    types: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)


NOTHING_GIVEN = Given()
_TEST = re.compile(r'(?:^|/)tests?/|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$')
SPECIALIZED = 'specialized'


class Facts:
    """What is known of a kernel beyond its body: its module, its helpers, its launches.

    Args:
        kernel (Kernel):
            The kernel.
        repository (Repository | None):
            The other modules.
    """

    def __init__(self, kernel: 'Kernel', repository: 'Repository | None') -> None:
        self.kernel = kernel
        self.repository = repository
        self._constants: dict[tuple[int, str], Any] = {}
        self._helpers: dict[tuple[int, str], Kernel | None] = {}

    @cached_property
    def same_conditions(self) -> dict[str, tuple[str, bool]]:
        """Conditions that are another one: a flag that a heuristic computes, and what it is computed from."""
        found = {}
        for flag, body in self.kernel.heuristics.items():
            yes, _ = guards(_without_args(body), {}, {})
            if len(yes) == 1:
                ((text, truth),) = yes
                found[text] = (flag, truth)
        return found

    @cached_property
    def launches(self) -> 'tuple[Launch, ...]':
        """Every launch of the kernel that the repository holds, those in tests aside."""
        found = self.repository.launches(self.kernel) if self.repository is not None else ()
        # tests launch with sizes that say nothing of others
        return tuple(launch for launch in found if not _TEST.search(launch.path))

    @cached_property
    def is_left_out(self) -> bool:
        """Whether nothing is seen to launch the kernel, although its own file launches others."""
        return self.repository is not None and self.repository.is_left_out(self.kernel)

    @cached_property
    def is_trained(self) -> bool:
        """Whether gradients are computed beside the kernel, or where it is launched."""
        return self.repository is not None and self.repository.is_trained(self.kernel)

    def constant(self, kernel: 'Kernel', name: str) -> Any:
        """The value of a constant outside the kernel; `None` where it is not known."""
        key = (id(kernel), name)
        if key not in self._constants:
            self._constants[key] = self.repository.constant(kernel, name) if self.repository is not None else None
        return self._constants[key]

    def helper(self, kernel: 'Kernel', function: ast.expr, name: str) -> 'Kernel | None':
        """The function that a call in a kernel means, if it is one that Triton compiles."""
        spelled = ast.unparse(function) if type(function) is not ast.Name else function.id
        key = (id(kernel), spelled)
        if key not in self._helpers:
            self._helpers[key] = self.repository.helper(kernel, spelled) if self.repository is not None else None
        return self._helpers[key]


class Model:
    """What is known about a kernel.

    Args:
        facts (Facts):
            The kernel, and what is known of it from elsewhere.
        frame (Frame):
            The kernel's function, after it was walked through.
        parameters (dict[str, Value]):
            Its parameters.
        walk (Interpreter):
            What walked through it.
    """

    def __init__(self, facts: Facts, frame: Frame, parameters: dict[str, Value], walk: Interpreter) -> None:
        self.facts = facts
        self.kernel = facts.kernel
        self.frame = frame
        self.parameters = parameters
        self.accesses: list[Access] = walk.accesses
        self.conflicts: list[Conflict] = walk.conflicts
        self.meetings: list[Meeting] = walk.meetings
        # every value, in the order in which they were made
        self.made: list[Value] = walk.made
        self.methods: list[Method] = walk.methods
        self.comparisons: list[Value] = walk.comparisons
        self.remainders: list[Value] = walk.remainders
        self.products: list[Value] = walk.products
        self.addresses: list[Value] = walk.addresses
        self.aranges: list[Value] = walk.aranges
        self.counters: list[Value] = walk.counters
        self.descriptors: list[Value] = walk.descriptors
        self.constant_calls: list[Call] = walk.constant_calls
        self.tests: list[Test] = walk.tests
        # conditions under which the author chose not to widen
        self.declined: set[tuple[str, bool]] = walk.declined
        self.record: list[tuple[ast.AST, Frame, Value | Cases]] = walk.record or []
        self._offsets = walk.offsets

    def types(self) -> dict[Place, set[str]]:
        """The types of each expression, over all variants and calls; only of a model that records."""
        found: dict[Place, set[str]] = {}
        for node, frame, value in self.record:
            found.setdefault(place(node, frame), set()).update(_certain(case.type) for case in each_value([value]))
        return found

    def offsets(self) -> dict[Place, set[str]]:
        """The types of what is added to pointers, by the place of the addition; only of a model that records."""
        found: dict[Place, set[str]] = {}
        for node, frame, name in self._offsets:
            found.setdefault(place(node, frame), set()).add(_certain(name))
        return found


def analyse(
    kernel: 'Kernel', repository: 'Repository | None' = None, given: Given | None = None, record: bool = False,
) -> Model:
    """Find out what the values of a kernel are.

    Args:
        kernel (Kernel):
            The kernel.
        repository (Repository | None, Optional):
            Where its helpers and launches are. Default: `None`.
        given (Given | None, Optional):
            What its arguments are taken to be. Default: `None`.
        record (bool, Optional):
            Whether the value of every expression is kept. Default: `False`, but `True` where `given` is.

    Raises:
        TooDeepError: an expression is nested too deeply to be followed.
    """
    facts = Facts(kernel, repository)
    walk = Interpreter(facts, given or NOTHING_GIVEN)
    if record or given is not None:
        walk.record = []
    try:
        pointers, descriptors = address_parameters(kernel, facts.helper, {})
        told = given or NOTHING_GIVEN
        parameters = {one.name: _argument(one, pointers, descriptors, facts, told) for one in kernel.parameters}
        frame = walk.run(kernel, dict(parameters))
    except RecursionError:
        raise TooDeepError('an expression is nested too deeply') from None
    return Model(facts, frame, parameters, walk)


def place(node: ast.AST, frame: Frame) -> Place:
    """Where something stands: the path of its file, its first line and column, its last line and column, as in `ast`."""
    return (frame.kernel.path, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def _certain(name: str) -> str:
    return types.UNKNOWN if '?' in name else name


def _argument(
    parameter: 'Parameter', pointers: frozenset[str], descriptors: frozenset[str], facts: Facts, given: Given,
) -> Value:
    name = parameter.name
    kind, detail, literal = types.INT32, None, given.constants.get(name)
    signature = given.types.get(name, '')
    passed = [launch.parameters[name] for launch in facts.launches if name in launch.parameters]
    if parameter.is_constexpr or name in given.constants:
        kind = types.NONE if name in given.constants and literal is None else types.CONST
    elif signature.startswith('*'):
        kind, detail = types.POINTER, _element(signature[1:])
    elif signature:
        kind = _element(signature)
    elif parameter.annotation in _ANNOTATIONS:
        kind = _ANNOTATIONS[parameter.annotation]
    elif name in descriptors:
        kind = types.DESCRIPTOR
    elif name in pointers or any(one.kind == 'tensor' for one in passed):
        kind, detail = types.POINTER, _passed_element(passed)
    elif any(one.kind == 'number' and isinstance(one.value, float) for one in passed):
        kind = types.FLOAT
    is_plain = kind == types.INT32 and not signature and parameter.annotation not in _ANNOTATIONS
    if is_plain and name not in facts.kernel.do_not_specialize:
        # it comes as a constant where it is 1
        detail = SPECIALIZED
    return Value('parameter', (), kind, SCALAR, parameter.node, None, literal, name=name, detail=detail)


def _element(name: str) -> str:
    return types.FLOAT if name.startswith(('fp', 'bf')) else name if types.is_integer(name) else {'u1': 'i1'}.get(name, '')


def _passed_element(passed: list[Any]) -> str | None:
    """The element type of a tensor that every launch shows to hold the same."""
    found = {types.LANGUAGE_TYPES.get((one.dtype or '').rpartition('.')[2], '') for one in passed if one.kind == 'tensor'}
    return found.pop() or None if len(found) == 1 else None


def _without_args(body: ast.expr) -> ast.expr:
    """The body of a heuristic with `args['x']` written as `x`."""

    class Names(ast.NodeTransformer):
        def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                return ast.Name(node.slice.value)
            return node

    import copy

    return Names().visit(copy.deepcopy(body))
