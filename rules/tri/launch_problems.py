# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is wrong with the arguments of a launch, and how it would be mended."""

import ast
from collections.abc import Iterator, Set
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from flakelint.engine.edits import remove
from flakelint.engine.findings import Edit
from flakelint.engine.rule import unsafe
from flakelint.kernel.launch_binding import Binding
from flakelint.kernel.launch_options import CONFIGURED, LAUNCHER
from flakelint.kernel.launches import DTYPE, EITHER, NONE, NUMBER, SIZE, STRIDE, STRING, TENSOR, Passed
from flakelint.rules.tri.none_arguments import unguarded
from flakelint.source.expressions import is_power_of_2, written
from flakelint.source.syntax import nodes_in_order
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Fix
    from flakelint.kernel.launch_calls import Filled, LaunchCall

_CLOSE, _CLOSE_OPTION = 0.7, 0.85
_MAX_WARPS = 32
# what no argument of the run time can be
_CONSTANTS = {ast.Dict: 'dictionary', ast.List: 'list', ast.Set: 'set'}
_KINDS = {DTYPE: 'type', STRING: 'string'}
# what no option of any backend is
_ARGUMENTS = frozenset({SIZE, STRIDE, TENSOR})


class Problem(NamedTuple):
    """Something wrong with a launch.

    Args:
        place (Range):
            Where.
        message (str):
            What is wrong.
        fix (Fix | None, Optional):
            How it can be mended. Default: `None`.
        is_silent (bool, Optional):
            Whether Triton says nothing of it. Default: `False`.
    """

    place: Range
    message: str
    fix: 'Fix | None' = None
    is_silent: bool = False


class LaunchProblems:
    """Compares the arguments of a launch with its kernel.

    Args:
        call (LaunchCall):
            The launch.
        filled (Filled):
            What the decorators of the kernel fill in.
        options (Set[str]):
            What may be passed besides parameters.
        file (File):
            The file.
    """

    def __init__(self, call: 'LaunchCall', filled: 'Filled', options: Set[str], file: 'File') -> None:
        self._call = call
        self._filled = filled
        self._options = options
        self._file = file
        self._binding = Binding(call, filled)
        self._kernel = call.kernel.name
        self._given = self._binding.positional | {name: one.value for name, one in self._binding.keywords.items()}

    def all(self) -> Iterator[Problem]:
        """Everything that is wrong."""
        yield from self._grid()
        yield from self._launcher()
        yield from self._surplus()
        missing = list(self._binding.missing())
        for keyword in self._binding.strangers():
            close = get_close_matches(keyword.arg, missing, 1, _CLOSE)
            problem = self._stranger(keyword, close)
            if problem is not None:
                yield problem
                missing = [name for name in missing if name not in close]
        if missing:
            yield self._missing(missing)
        yield from self._twice()
        yield from self._filled_in()
        yield from self._unfit()
        yield from self._absent()
        yield from self._warps()

    def _grid(self) -> Iterator[Problem]:
        grid = self._call.grid
        if not self._call.site.has_number or grid is None:
            return
        value = grid.body if isinstance(grid, ast.Lambda) else grid
        place = self._file.range(value)
        hint, fix = '`(n,)`', None
        if not isinstance(value, ast.Name):
            hint = f'`({ast.unparse(value)},)`'
            fix = unsafe('Make the grid a tuple', *self._as_tuple(place))
        message = (
            f'the grid of `{self._kernel}` is a number, no tuple: launching raises TypeError '
            f"(object of type 'int' has no len()); write {hint}"
        )
        yield Problem(place, message, fix)

    def _as_tuple(self, place: Range) -> Iterator[Edit]:
        start, end = self._file.lines.offset(place.start), self._file.lines.offset(place.end)
        has_brackets = self._file.text[start - 1] == '(' and self._file.text[end:end + 1] == ')'
        if not has_brackets:
            yield Edit(Range(place.start, place.start), '(')
        yield Edit(Range(place.end, place.end), ',' if has_brackets else ',)')

    def _launcher(self) -> Iterator[Problem]:
        for name in LAUNCHER:
            keyword = self._binding.keywords.get(name)
            if keyword is None:
                continue
            message = f'`{name}` is an argument of the launch itself: passing it raises TypeError (run() got multiple values)'
            if name in self._binding.parameters:
                message += f'; give the parameter of `{self._kernel}` another name, or pass it by position'
            yield Problem(self._name_of(keyword), message)

    def _surplus(self) -> Iterator[Problem]:
        surplus = self._binding.surplus
        if surplus:
            count = len(self._binding.positional)
            message = (
                f'`{self._kernel}` takes {count} positional arguments, this is one more: '
                'launching raises TypeError (too many positional arguments)'
            )
            yield Problem(self._file.range(surplus[0]), message)

    def _stranger(self, keyword: ast.keyword, close: list[str]) -> Problem | None:
        name = keyword.arg
        if name in self._options or name in LAUNCHER:
            return None
        options = get_close_matches(name, self._options, 1, _CLOSE_OPTION)
        passed = self._call.site.keywords.get(name)
        is_argument = passed is not None and passed.kind in _ARGUMENTS
        if name[:1].islower() and not (close or options or is_argument):
            # an option of a backend that is not known
            return None
        meant = (close or options or [''])[0]
        hint = f'; did you mean `{meant}`?' if meant else ''
        message = (
            f'`{name}` is no parameter of `{self._kernel}` and no option of a launch: '
            f'launching raises KeyError, though the interpreter takes it{hint}'
        )
        place = self._name_of(keyword)
        return Problem(place, message, unsafe(f'Write `{meant}`', Edit(place, meant)) if meant else None)

    def _missing(self, missing: list[str]) -> Problem:
        shown = ', '.join(f'`{name}`' for name in missing)
        function = self._call.node.func
        target = function.value if isinstance(function, ast.Attribute | ast.Subscript) else function
        plural = 's' if len(missing) > 1 else ''
        message = f'`{self._kernel}` is launched without {shown}: TypeError (missing required argument{plural})'
        return Problem(self._file.range(target), message)

    def _twice(self) -> Iterator[Problem]:
        for name, keyword in self._binding.keywords.items():
            if name in self._binding.positional:
                message = (
                    f'`{name}` of `{self._kernel}` is already given by position, '
                    f'as `{ast.unparse(self._binding.positional[name])}`: launching raises TypeError (got multiple values)'
                )
                yield Problem(self._name_of(keyword), message, self._without(keyword))

    def _filled_in(self) -> Iterator[Problem]:
        """Arguments that a tuner or a heuristic gives."""
        configured = CONFIGURED if self._filled.is_tuned else frozenset()
        for name, keyword in self._binding.keywords.items():
            if name in self._filled.every or name in configured:
                what = 'sets' if name in self._filled.every else 'always sets'
                message = (
                    f'`triton.autotune` of `{self._kernel}` {what} `{name}`, and the launch passes it again: '
                    'ValueError (Conflicting meta-parameters) or TypeError (multiple values)'
                )
                yield Problem(self._name_of(keyword), message, self._without(keyword))
            elif name in self._filled.computed and self._is_lost(name, keyword.value):
                message = (
                    f'`triton.heuristics` of `{self._kernel}` computes `{name}`: what is passed here is dropped without a word'
                )
                yield Problem(self._name_of(keyword), message, self._without(keyword), is_silent=True)
        for name, node in self._binding.positional.items():
            by = 'autotune' if name in self._filled.every else 'heuristics' if name in self._filled.computed else ''
            if by:
                message = (
                    f'`triton.{by}` of `{self._kernel}` sets `{name}`, and the launch passes it again by position: '
                    'TypeError (got multiple values)'
                )
                yield Problem(self._file.range(node), message)

    def _is_lost(self, name: str, value: ast.expr) -> bool:
        """Whether what is passed for what a heuristic computes makes no difference, and is not the same anyway."""
        function = self._filled.computed[name]
        if not isinstance(function, ast.Lambda) or len(function.args.args) != 1:
            return False
        nodes = nodes_in_order([function.body])
        if any(isinstance(node, ast.Constant) and node.value == name for node in nodes):
            return False
        given = {one: ast.unparse(node) for one, node in self._binding.positional.items()}
        given |= {one: ast.unparse(keyword.value) for one, keyword in self._binding.keywords.items()}
        computed = ast.unparse(function.body)
        for node in nodes:
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value in given:
                computed = computed.replace(ast.unparse(node), given[node.slice.value])
        return computed != ast.unparse(value)

    def _unfit(self) -> Iterator[Problem]:
        """Values that only a constant can be."""
        variables = {one.name for one in self._call.kernel.parameters if not one.is_constexpr}
        function = self._call.node.func
        # `warmup` makes stand-ins of types
        is_warmup = isinstance(function, ast.Attribute) and function.attr == 'warmup'
        for name, value in self._given.items():
            if name not in variables or name in self._filled.computed or name in self._filled.every:
                continue
            passed = self._call.launch.parameters.get(name)
            what = _CONSTANTS.get(type(value)) or (_KINDS.get(passed.kind, '') if passed is not None else '')
            if what and not (is_warmup and what == _KINDS[DTYPE]):
                message = (
                    f'`{name}` of `{self._kernel}` is no `tl.constexpr`, and gets the {what} `{ast.unparse(value)}`: '
                    'launching raises TypeError (failed to specialize argument)'
                )
                yield Problem(self._file.range(value), message)

    def _absent(self) -> Iterator[Problem]:
        """`None` for a pointer that the kernel reads or writes in any case."""
        for name, value in self._given.items():
            passed = self._call.launch.parameters.get(name)
            is_filled = name in self._filled.computed or name in self._filled.every
            if passed is None or passed.kind != NONE or passed.optional or is_filled:
                continue
            access = unguarded(name, self._call.kernel, self._file)
            if access is not None:
                use = f'`{written(access.node)}` (line {access.node.lineno})'
                message = (
                    f'`{name}` of `{self._kernel}` gets None, and {use} is compiled whatever the flags are: '
                    'Triton refuses it; pass a tensor, or put that under a `tl.constexpr` flag'
                )
                yield Problem(self._file.range(value), message)

    def _warps(self) -> Iterator[Problem]:
        keyword = self._binding.keywords.get('num_warps')
        passed = self._call.site.keywords.get('num_warps')
        if keyword is None or passed is None or 'num_warps' in self._binding.parameters:
            return
        for number in _numbers(passed):
            if not is_power_of_2(number):
                message = f'`num_warps` is {number}: Triton asserts that it is a power of two'
            elif number > _MAX_WARPS:
                message = (
                    f'`num_warps` is {number}, which compiles, but asks for {32 * number:,} threads a program: '
                    'no device launches more than 1,024'
                )
            else:
                continue
            yield Problem(self._file.range(keyword.value), message)
            return

    def _without(self, keyword: ast.keyword) -> 'Fix | None':
        items = [*self._call.node.args, *self._call.node.keywords]
        if len(items) < 2:
            return None
        return unsafe(f'Do not pass `{keyword.arg}`', remove(self._file, keyword, items))

    def _name_of(self, keyword: ast.keyword) -> Range:
        start = self._file.range(keyword).start
        return Range(start, Position(start.line, start.column + len(keyword.arg)))


def _numbers(passed: Passed) -> list[int]:
    """The whole numbers that are written out for an argument."""
    if passed.kind == NUMBER and type(passed.value) is int:
        return [passed.value]
    return [number for one in passed.operands for number in _numbers(one)] if passed.head == EITHER else []
