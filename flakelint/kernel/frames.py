# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A function of a kernel as it runs: the kernel itself, or a helper for one call of it."""

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from flakelint.kernel.graph import Cases, Guard, Value
    from flakelint.kernel.kernels import Kernel


class Frame:
    """A function while it is evaluated.

    Args:
        kernel (Kernel):
            The function.
        env (dict[str, Value | Cases]):
            What its names hold.
        spelled (dict[str, str]):
            How the caller spells what its parameters were given.
        call (ast.Call | None):
            The call that led here; `None` in the kernel itself.
        caller (Frame | None):
            Where that call stands.
    """

    __slots__ = ('call', 'caller', 'declared', 'env', 'goes_on', 'kernel', 'returns', 'spelled')

    def __init__(
        self,
        kernel: 'Kernel',
        env: 'dict[str, Value | Cases]',
        spelled: dict[str, str],
        call: ast.Call | None = None,
        caller: 'Frame | None' = None,
    ) -> None:
        self.kernel = kernel
        self.env = env
        self.spelled = spelled
        self.call = call
        self.caller = caller
        # the names that are declared to hold constants
        self.declared: set[str] = set()
        self.returns: list[tuple[Guard, Value | Cases]] = []
        # how many returns there were where statements follow a compile-time branch that returns
        self.goes_on: int | None = None


class Access(NamedTuple):
    """A place where memory is read or written.

    Args:
        kind (str):
            `load`, `store`, `atomic`, `block pointer`, `descriptor`, or `offset` of one of the last two.
        address (Value | Cases):
            The pointer, or the offset of a descriptor's access.
        mask (Value | Cases | None):
            Its mask, if it has one.
        other (Value | Cases | None):
            What masked lanes of a load hold, if that is said.
        node (ast.Call):
            The call.
        frame (Frame):
            Where that stands.
        guard (Guard):
            The compile-time conditions under which it happens.
        path (tuple[Value | Cases, ...], Optional):
            The run-time conditions that were decided on the way to it. Default: none.
        stored (Value | Cases | None, Optional):
            What is written. Default: `None`.
    """

    kind: str
    address: 'Value | Cases'
    mask: 'Value | Cases | None'
    other: 'Value | Cases | None'
    node: ast.Call
    frame: Frame
    guard: 'Guard'
    path: 'tuple[Value | Cases, ...]' = ()
    stored: 'Value | Cases | None' = None

    @property
    def parts(self) -> 'list[Value | Cases]':
        """What it is given: its address, its mask, what masked lanes hold, what is written."""
        return [one for one in (self.address, self.mask, self.other, self.stored) if one is not None]


class Conflict(NamedTuple):
    """Something that Triton refuses because of an integer's width.

    Args:
        kind (str):
            What meets: `branch`, `loop`, `return`, `offset` and so on.
        node (ast.AST):
            Where.
        frame (Frame):
            The function in which that stands.
        types (tuple[str, ...]):
            The types that meet.
    """

    kind: str
    node: ast.AST
    frame: Frame
    types: tuple[str, ...]


class Meeting(NamedTuple):
    """A place where values become one at run time.

    Args:
        kind (str):
            `loop`, `branch`, or `ternary` for a conditional expression.
        name (str):
            The name that holds them; nothing for a conditional expression.
        node (ast.AST):
            The loop, the branch or the expression.
        frame (Frame):
            The function in which it stands.
        pairs (tuple[tuple[Value, Value], ...]):
            What meets, for each variant: what a loop carries and what its body makes of it, or the two sides of a branch.
        test (Value | Cases | None, Optional):
            The condition of a branch. Default: `None`.
        before (Value | Cases | None, Optional):
            What the name holds before a branch. Default: `None`.
    """

    kind: str
    name: str
    node: ast.AST
    frame: Frame
    pairs: 'tuple[tuple[Value, Value], ...]'
    test: 'Value | Cases | None' = None
    before: 'Value | Cases | None' = None


class Method(NamedTuple):
    """An attribute of a value, or a method that is called on it.

    Args:
        node (ast.Attribute):
            The attribute.
        call (ast.Call | None):
            The call, if there is one.
        owner (Value):
            The value.
        frame (Frame):
            The function in which it stands.
        guard (Guard):
            The compile-time conditions under which it is asked for.
    """

    node: ast.Attribute
    call: ast.Call | None
    owner: 'Value'
    frame: Frame
    guard: 'Guard'


class Call(NamedTuple):
    """A call of a function of the language that asks for constants: shapes, axes, what is decided when the kernel is compiled.

    Args:
        node (ast.Call):
            The call.
        name (str):
            The function, without its module.
        nodes (dict[int | str, ast.expr]):
            The expressions of its arguments, by position or keyword; the owner of a method is the first.
        values (dict[int | str, Value | Cases]):
            Their values.
        frame (Frame):
            The function in which it stands.
        guard (Guard):
            The compile-time conditions under which it happens.
    """

    node: ast.Call
    name: str
    nodes: 'dict[int | str, ast.expr]'
    values: 'dict[int | str, Value | Cases]'
    frame: Frame
    guard: 'Guard'


class Test(NamedTuple):
    """A condition that is asked for.

    Args:
        node (ast.If | ast.While | ast.IfExp):
            What asks.
        value (Value | Cases):
            The condition.
        frame (Frame):
            The function in which that stands.
        guard (Guard):
            The compile-time conditions under which it is asked.
    """

    node: ast.If | ast.While | ast.IfExp
    value: 'Value | Cases'
    frame: Frame
    guard: 'Guard'
