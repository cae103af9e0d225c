# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is passed to kernels where they are launched, and which kernels of a file are launched at all."""

import ast
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from flakelint.kernel.kernels import AUTOTUNE, HEURISTICS, Kernel
from flakelint.kernel.launch_options import LAUNCH_OPTIONS, LAUNCHER
from flakelint.source.expressions import defaults_of

TENSOR = 'tensor'
STRIDE = 'stride'
SIZE = 'size'
NUMBER = 'number'
STRING = 'string'
NONE = 'none'
FLAG = 'flag'
DTYPE = 'dtype'
EXPRESSION = 'expression'
UNKNOWN = 'unknown'

# heads of expressions that are no operator or function: one of several values, and a parameter of the kernel
EITHER = 'either'
PARAMETER = 'parameter'
# how many multiprocessors a device has
PROCESSORS = 'multi_processor_count'

RUN_METHODS = frozenset({'run', 'warmup'})
# what a launch may be given besides the parameters of the kernel
_OPTIONS = LAUNCH_OPTIONS.union(LAUNCHER, ('stream',))
_STORE = re.compile(r'store|atomic_[a-z]+')


class Passed(NamedTuple):
    """What a launch passes for a parameter, or for an axis of the grid.

    Args:
        kind (str):
            `tensor`, `stride` or `size` of a tensor, `number`, `string`, `none`, `flag` (a condition), `dtype`, `expression` or `unknown`.
        text (str):
            How the host code spells it; local variables that hold an expression are replaced by the expression.
        tensor (str, Optional):
            The tensor whose stride, size or dtype it is. Default: none.
        axis (int | None, Optional):
            The axis of that stride or size; counted from the end, and so negative, only where the rank is not known. Default: `None`.
        rank (int | None, Optional):
            The number of dimensions of the tensor, if it is seen. Default: `None`.
        value (object, Optional):
            The value of a number, a string or a flag that is written out. Default: `None`.
        head (str, Optional):
            Of an expression, the operator or function, such as `*` or `cdiv`; `either` for one of several values,
            `multi_processor_count` for what a device has,
            `parameter` for the parameter of the kernel that the text names, `range` for the counter of a loop.
            Of a flag, the comparison. Of a size, `numel` where it is that of the whole tensor. Default: none.
        operands (tuple[Passed, ...], Optional):
            To what the head is applied; of a size, what the host code allocated it with. Default: none.
        dims (tuple[Passed, ...], Optional):
            The sizes with which a tensor, or the tensor of a stride, was allocated. Default: none.
        dtype (str, Optional):
            The type of the elements of a tensor, or the type that a dtype is, such as `int32`;
            of what is unknown, the Python type that its annotation names. Default: none.
        optional (bool, Optional):
            Whether a tensor may be None as well. Default: `False`.
        reference (str, Optional):
            The name in its module that an unknown value is, as for `Resolver`. Default: none.
        contiguous (bool | None, Optional):
            Whether the tensor of a stride is contiguous, if that is known; `False` for a tensor that is not. Default: `None`.
        fresh (bool, Optional):
            Whether a tensor was made without values, and nothing on the way to the launch can have given it any. Default: `False`.
    """

    kind: str
    text: str
    tensor: str = ''
    axis: int | None = None
    rank: int | None = None
    value: Any = None
    head: str = ''
    operands: 'tuple[Passed, ...]' = ()
    dims: 'tuple[Passed, ...]' = ()
    dtype: str = ''
    optional: bool = False
    reference: str = ''
    contiguous: bool | None = None
    fresh: bool = False

    @property
    def identity(self) -> object:
        """What makes two values the same: for a size its tensor and axis, whatever variable holds it."""
        if self.kind == SIZE and self.axis is not None and not self.head:
            return self.kind, self.tensor, self.axis
        return self


# a record without facts, its tuples as JSON holds them
_PLAIN = [[] if value == () else value for value in Passed('', '')]


class Launch(NamedTuple):
    """One place where a kernel is launched.

    Args:
        path (str):
            The file, from the root.
        line (int):
            The line.
        parameters (dict[str, Passed]):
            What is passed, by parameter; those that a decorator fills in are not there.
        grid (tuple[Passed, ...] | None):
            The axes of the grid, or None where they are not seen.
        limits (tuple[tuple[Passed, int], ...], Optional):
            What the conditions on the way to the launch keep small, with the largest number that it can be. Default: none.
        whole (tuple[Passed, ...], Optional):
            What they show to have no tail. Default: none.
    """

    path: str
    line: int
    parameters: dict[str, Passed]
    grid: tuple[Passed, ...] | None
    limits: tuple[tuple[Passed, int], ...] = ()
    whole: tuple[Passed, ...] = ()


class Site(NamedTuple):
    """A launch as its file shows it, before it is known which kernel it launches.

    Args:
        line (int):
            The line.
        target (str):
            What is launched, as for `Resolver`.
        positional (tuple[Passed, ...]):
            The positional arguments, up to the first that may be several.
        is_open (bool):
            Whether there may be further positional arguments.
        keywords (dict[str, Passed]):
            The keyword arguments.
        spreads (bool):
            Whether there may be further keyword arguments.
        grid (tuple[Passed, ...] | None):
            The axes of the grid.
        limits (tuple[tuple[Passed, int], ...], Optional):
            As for `Launch`. Default: none.
        whole (tuple[Passed, ...], Optional):
            As for `Launch`. Default: none.
        column (int, Optional):
            The offset in bytes at which it begins in its line. Default: `0`.
        unwrapped (int, Optional):
            How many decorators it goes around, as `kernel.fn[grid](...)` goes around one. Default: `0`.
        has_number (bool, Optional):
            Whether the grid is a number instead of a tuple of them. Default: `False`.
    """

    line: int
    target: str
    positional: tuple[Passed, ...]
    is_open: bool
    keywords: dict[str, Passed]
    spreads: bool
    grid: tuple[Passed, ...] | None
    limits: tuple[tuple[Passed, int], ...] = ()
    whole: tuple[Passed, ...] = ()
    column: int = 0
    unwrapped: int = 0
    has_number: bool = False

    @property
    def references(self) -> set[str]:
        """The names of its module that its values are or hold."""
        found: set[str] = set()
        stack = [*self.positional, *self.keywords.values(), *(self.grid or ())]
        while stack:
            one = stack.pop()
            found.add(one.reference)
            stack.extend((*one.operands, *one.dims))
        return found - {''}


def bind(site: Site, path: str, kernel: Kernel, filled: Container[str], literal: Callable[[str], Any]) -> Launch:
    """Bind what a launch passes to the parameters of a kernel.

    Args:
        site (Site):
            The launch.
        path (str):
            Its file.
        kernel (Kernel):
            The kernel.
        filled (Container[str]):
            The parameters that a decorator of the kernel fills in.
        literal (Callable[[str], object]):
            Gives the literal that a name means in the file of the launch, or None.
    """
    arguments = kernel.definition.args
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    parameters = dict(zip(names, site.positional, strict=False))
    everything = [*names, *(one.arg for one in arguments.kwonlyargs)]
    parameters.update({name: passed for name, passed in site.keywords.items() if name in everything})
    is_stranger = any(name not in everything and name not in _OPTIONS for name in site.keywords)
    absent = [name for name in everything if name not in parameters]
    defaults = _defaults(arguments)
    for name in absent:
        if site.spreads or (site.is_open and name in names):
            parameters[name] = Passed(UNKNOWN, '')
        elif name not in filled and name in defaults and not is_stranger:
            parameters[name] = defaults[name]
    literals = {name: literal(name) for name in site.references}
    parameters = {name: _with_literals(parameters[name], literals) for name in everything if name in parameters}
    grid = None if site.grid is None else tuple(_with_literals(axis, literals) for axis in site.grid)
    return Launch(path, site.line, parameters, grid, site.limits, site.whole)


def of_literal(value: Any, text: str) -> Passed:
    """A literal as what is passed."""
    if value is None:
        return Passed(NONE, text)
    kind = FLAG if isinstance(value, bool) else STRING if isinstance(value, str) else NUMBER
    return Passed(kind, text, value=value)


def pack(site: Site) -> list:
    """A site as plain lists, as JSON holds them."""
    keywords = {name: _pack(passed) for name, passed in site.keywords.items()}
    grid = None if site.grid is None else [_pack(axis) for axis in site.grid]
    positional = [_pack(one) for one in site.positional]
    limits = [[_pack(one), most] for one, most in site.limits]
    whole = [_pack(one) for one in site.whole]
    plain = [site.column, site.unwrapped, site.has_number]
    return [site.line, site.target, positional, site.is_open, keywords, site.spreads, grid, limits, whole, *plain]


def unpack(packed: list) -> Site:
    """The site that was packed."""
    line, target, positional, is_open, keywords, spreads, grid, limits, whole, *plain = packed
    arguments = {name: _unpack(passed) for name, passed in keywords.items()}
    axes = None if grid is None else tuple(map(_unpack, grid))
    limited = tuple((_unpack(one), most) for one, most in limits)
    given, multiples = tuple(map(_unpack, positional)), tuple(map(_unpack, whole))
    return Site(line, target, given, is_open, arguments, spreads, axes, limited, multiples, *plain)


def _pack(passed: Passed) -> list:
    fields: list = [*passed[:7], [_pack(one) for one in passed.operands], [_pack(one) for one in passed.dims], *passed[9:]]
    while len(fields) > 2 and fields[-1] == _PLAIN[len(fields) - 1] and type(fields[-1]) is type(_PLAIN[len(fields) - 1]):
        fields.pop()
    return fields


def _unpack(packed: list) -> Passed:
    passed = Passed(*packed)
    if passed.operands or passed.dims:
        return passed._replace(operands=tuple(map(_unpack, passed.operands)), dims=tuple(map(_unpack, passed.dims)))
    return passed._replace(operands=(), dims=())


def _defaults(arguments: ast.arguments) -> dict[str, Passed]:
    constants = {name: value for name, value in defaults_of(arguments).items() if isinstance(value, ast.Constant)}
    return {name: of_literal(value.value, ast.unparse(value)) for name, value in constants.items()}


def _with_literals(passed: Passed, literals: Mapping[str, Any]) -> Passed:
    value = literals.get(passed.reference)
    if value is not None:
        return of_literal(value, passed.text)
    if not literals or not (passed.operands or passed.dims):
        return passed
    operands = tuple(_with_literals(one, literals) for one in passed.operands)
    return passed._replace(operands=operands, dims=tuple(_with_literals(one, literals) for one in passed.dims))


class Launches:
    """How a file uses the functions that Triton compiles.

    Args:
        nodes (Iterable[ast.AST]):
            The nodes of the file, at least of the statements that may hold launches.
        kernels (Sequence[Kernel]):
            Its kernels.
    """

    def __init__(self, nodes: Iterable[ast.AST], kernels: Sequence[Kernel]) -> None:
        names = {kernel.name for kernel in kernels}
        self._launched: set[str] = set()
        self._used_in_kernels: set[str] = set()
        self._whole: set[ast.FunctionDef] = set()
        for kernel in kernels:
            self._used_in_kernels.update(kernel.words & names - {kernel.name})
            if 'program_id' in kernel.words and any(map(_STORE.fullmatch, kernel.words)):
                self._whole.add(kernel.definition)
        self._launched.update(name for name in map(_launched_name, nodes) if name in names)

    def is_launched(self, kernel: Kernel) -> bool:
        """Whether a kernel is evidently launched from the host; a helper is not, nor is one of which nothing is known.

        The evidence is a launch in the file, a tuner, or a constant, a program id and a store in a kernel that no other one uses.
        """
        if kernel.name in self._launched or kernel.decorator(AUTOTUNE) or kernel.decorator(HEURISTICS):
            return True
        return self.is_whole(kernel) and any(parameter.is_constexpr for parameter in kernel.parameters)

    def is_whole(self, kernel: Kernel) -> bool:
        """Whether a kernel that no other one uses asks for its program, stores, and returns nothing, as one to be launched does."""
        is_used = kernel.name in self._used_in_kernels
        return kernel.definition in self._whole and not is_used and not kernel.returns_value


def _launched_name(node: ast.AST) -> str | None:
    """The name that `name[grid](...)`, `name.run(...)` or `name.warmup(...)` launches."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Subscript):
        target = node.func.value
        # a wrapper such as `wrap_triton(name)[grid](...)`
        if isinstance(target, ast.Call) and len(target.args) == 1:
            target = target.args[0]
    elif isinstance(node.func, ast.Attribute) and node.func.attr in RUN_METHODS:
        target = node.func.value
    else:
        return None
    return target.id if isinstance(target, ast.Name) else None
