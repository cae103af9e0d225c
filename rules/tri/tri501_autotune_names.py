# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit, Related
from flakelint.engine.rule import Rule, unsafe
from flakelint.kernel.kernels import AUTOTUNE, HEURISTICS
from flakelint.kernel.launch_options import LAUNCH_OPTIONS, LAUNCHER
from flakelint.project.imports import dotted
from flakelint.project.literals import binding, elements
from flakelint.source.expressions import is_power_of_2

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding, Fix
    from flakelint.kernel.kernels import Decorator, Kernel

_CONFIG = {'triton.Config', 'triton.runtime.Config', 'triton.runtime.autotuner.Config'}
_AUTOTUNE = {'triton.autotune', 'triton.runtime.autotune', 'triton.runtime.autotuner.autotune'}
_LISTS = ('key', 'reset_to_zero', 'restore_value')
_CLOSE = 0.75


@dataclass(frozen=True)
class Options:
    """The options of the rule.

    Args:
        launch_options (tuple[str, ...]):
            Further names that the backend takes at a launch.
    """

    launch_options: tuple[str, ...] = ()


class AutotuneNames(Rule):
    """A name given to autotune or heuristics that is no parameter of the kernel.

    ## What it does
    Compares with the parameters of the kernel below

    - the names in `key`, `reset_to_zero` and `restore_value` of `triton.autotune`;
    - the names that each `triton.Config` sets;
    - the names that `triton.heuristics` sets, and those that its functions read, as in `lambda args: args['n']`.

    A `triton.autotune` without `key` is told as well, and a `num_warps` that is no power of two.
    Lists may be written in place, bound once at the top of the module, joined with `+`, or made by a comprehension.
    Options of the launch, such as `num_warps` or `waves_per_eu`, are no parameters and may be set.

    ## Why is this bad?
    From Triton 3.9 on an unknown name in one of the three lists raises a `ValueError` when the module is imported.
    Before, an unknown name in `key` was dropped in silence: the kernel was tuned for its first input and never again.
    An unknown name in a `triton.Config` or in the heuristics raises a `KeyError` when the kernel is launched on a GPU,
    and nothing before that: Triton's interpreter takes it.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.autotune(
        configs=[triton.Config({'BLOCK_SIZE': 512}), triton.Config({'BLOCK_SIZE': 1024}, num_warps=8)],
        key=['n_element'],
    )
    @triton.jit
    def add_kernel(x_ptr, y_ptr, n_elements, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n_elements
        tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + 1, mask=mask)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.autotune(
        configs=[triton.Config({'BLOCK': 512}), triton.Config({'BLOCK': 1024}, num_warps=8)],
        key=['n_elements'],
    )
    @triton.jit
    def add_kernel(x_ptr, y_ptr, n_elements, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n_elements
        tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + 1, mask=mask)
    ```

    ## Fix safety
    Unsafe, and offered only where one parameter is spelled almost alike and is not set or listed there already:
    the name may be meant for a parameter that the kernel has lost.

    ## Known limits
    Configurations that a function returns are not looked into, nor are names that are computed.
    Where a decorator that is not Triton's stands below the tuner, the parameters are not known and nothing is reported.
    A configuration's name that begins with a small letter may be an option of another vendor's backend:
    it is reported only where it is spelled almost like a parameter.

    ## Options
    - `launch-options`: further names that the backend takes at a launch. Default: `[]`.
    """

    code = 'TRI501'
    name = 'autotune-names'
    severity = 'error'
    fix = 'unsafe'
    Options = Options

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Compare the names in the decorators of a kernel with its parameters."""
        names = [one.name for one in kernel.parameters]
        if kernel.definition.args.vararg is not None:
            names.append(kernel.definition.args.vararg.arg)
        # from the bottom: what stands below a decorator that is unknown still sees the kernel's own parameters
        for decorator in reversed(kernel.decorators):
            if not decorator.role:
                return
            if decorator.role == AUTOTUNE:
                yield from _Check(self, kernel, decorator, names, file).autotune()
            elif decorator.role == HEURISTICS:
                yield from _Check(self, kernel, decorator, names, file).heuristics()


class _Check:
    """The names in one decorator."""

    def __init__(
        self, rule: AutotuneNames, kernel: 'Kernel', decorator: 'Decorator', names: Sequence[str], file: 'File',
    ) -> None:
        self.rule = rule
        self.kernel = kernel
        self.decorator = decorator
        self.names = names
        self.file = file
        self.options = LAUNCH_OPTIONS.union(rule.options.launch_options)
        # a name in a function or a class may mean something else there
        self.scope = file.statements if kernel.definition in kernel.unit.nodes else ()

    def autotune(self) -> 'Iterator[Finding]':
        """Findings in the lists and configurations of a tuner."""
        yield from self._missing()
        for keyword in _LISTS:
            value = self.decorator.keywords.get(keyword)
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield from self._string(keyword, value)
            elif value is not None:
                yield from self._list(keyword, value)
        configs = self.decorator.keywords.get('configs')
        if configs is not None:
            yield from self._configs(configs)

    def _missing(self) -> 'Iterator[Finding]':
        node = self.decorator.node
        if not isinstance(node, ast.Call) or self.decorator.wraps or self.decorator.name not in _AUTOTUNE:
            return
        if self.decorator.spreads or len(node.args) > 1 or any(isinstance(one, ast.Starred) for one in node.args):
            return
        if 'key' not in self.decorator.keywords:
            message = f'`{ast.unparse(node.func)}` has no `key`: raises TypeError at import; write `key=[]` to tune once'
            yield self.rule.finding(self.file.range(node.func), message)

    def heuristics(self) -> 'Iterator[Finding]':
        """Findings in the names that heuristics set and read."""
        value = self.decorator.keywords.get('values')
        pairs = list(_items(value, self.scope))
        taken = {key.value for key, _ in pairs}
        for key, function in pairs:
            if self._is_unknown(key.value):
                what = f'`triton.heuristics` sets `{key.value}`'
                yield self._finding(key, value, f'{what}, which is no parameter of', 'launching raises KeyError', taken)
            for read in _reads(function):
                if read.value not in (*self.names, *self.options, *taken, *LAUNCHER):
                    what = f'the heuristic for `{key.value}` reads `{read.value}`'
                    yield self._finding(read, value, f'{what}, which is no parameter of', 'launching raises KeyError', ())

    def _string(self, keyword: str, value: ast.Constant) -> 'Iterator[Finding]':
        if not all(letter in self.names for letter in value.value):
            message = f'`{keyword}` is the string `{value.value}`, not a list: each of its letters is taken for a parameter'
            fix = None
            if value.value in self.names:
                place = self.file.range(value)
                text = self.file.text[self.file.lines.offset(place.start):self.file.lines.offset(place.end)]
                fix = unsafe('Make it a list', Edit(place, f'[{text}]'))
            yield self.rule.finding(self.file.range(value), message, fix)

    def _list(self, keyword: str, value: ast.expr) -> 'Iterator[Finding]':
        entries = [entry for entry in elements(value, self.scope) if _is_string(entry)]
        listed = {entry.value for entry in entries}
        before = 'tune once and never again' if keyword == 'key' else 'fail while they tune'
        consequence = f'Triton 3.9 raises ValueError at import, older versions {before}'
        for entry in entries:
            if entry.value not in self.names:
                problem = f'`{keyword}` names `{entry.value}`, which is no parameter of'
                yield self._finding(entry, value, problem, consequence, listed)

    def _configs(self, value: ast.expr) -> 'Iterator[Finding]':
        places: dict[str, list[ast.Constant]] = {}
        for config in elements(value, self.scope):
            for key, _ in _items(_kwargs_of(config, self.file), ()):
                places.setdefault(key.value, []).append(key)
            yield from self._warps(config)
        for name, (first, *others) in places.items():
            if self._is_unknown(name):
                what = f'a configuration sets `{name}`, which is no parameter of'
                yield self._finding(first, value, what, 'launching raises KeyError', places, others)

    def _warps(self, config: ast.expr | None) -> 'Iterator[Finding]':
        for keyword in config.keywords if isinstance(config, ast.Call) else ():
            number = keyword.value.value if keyword.arg == 'num_warps' and isinstance(keyword.value, ast.Constant) else None
            if type(number) is int and not is_power_of_2(number):
                message = f'`num_warps` is {number}: Triton asserts that it is a power of two'
                yield self.rule.finding(self.file.range(keyword.value), message)

    def _is_unknown(self, name: str) -> bool:
        if name in self.names or name in self.options:
            return False
        # an option of a backend that is not known begins with a small letter
        return not name[:1].islower() or bool(get_close_matches(name, self.names, 1, _CLOSE))

    def _finding(
        self, entry: ast.Constant, value: ast.expr, problem: str, consequence: str, taken: Collection[str],
        others: Sequence[ast.Constant] = (),
    ) -> 'Finding':
        place = self.file.range(entry)
        close = [name for name in get_close_matches(entry.value, self.names, 3, _CLOSE) if name not in taken]
        hint = f'; did you mean `{close[0]}`?' if close else ''
        message = f'{problem} `{self.kernel.name}`: {consequence}{hint}'
        own = self.file.range(self.decorator.node)
        if own.start <= place.start and place.end <= own.end:
            related = [Related(self.file.range(other), 'and here') for other in others]
            return self.rule.finding(place, message, self._renaming([entry, *others], close), related)
        related = [Related(place, f'`{entry.value}` stands here')]
        return self.rule.finding(self.file.range(value), message, related=related)

    def _renaming(self, entries: Sequence[ast.Constant], close: Sequence[str]) -> 'Fix | None':
        edits = []
        for entry in entries:
            place = self.file.range(entry)
            text = self.file.text[self.file.lines.offset(place.start):self.file.lines.offset(place.end)]
            # a name given as a keyword of `dict(...)`, a prefix, or adjacent strings are left to the author
            if len(close) != 1 or text[1:-1] != entry.value:
                return None
            edits.append(Edit(place, f'{text[0]}{close[0]}{text[-1]}'))
        return unsafe(f'Write `{close[0]}`', *edits)


def _items(value: ast.expr | None, scope: Sequence[ast.stmt]) -> Iterator[tuple[ast.Constant, ast.expr]]:
    """The pairs of a dictionary whose keys are written out, through one name, `|`, `**` and `dict(...)`."""
    if isinstance(value, ast.Dict):
        for key, item in zip(value.keys, value.values, strict=True):
            if key is None:
                yield from _items(item, scope)
            elif _is_string(key):
                yield key, item
    elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):
        yield from _items(value.left, scope)
        yield from _items(value.right, scope)
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == 'dict':
        for keyword in value.keywords:
            if keyword.arg is not None:
                yield _as_constant(keyword), keyword.value
    elif isinstance(value, ast.Name):
        bound = binding(value.id, scope)
        if isinstance(bound, ast.Dict | ast.Call):
            yield from _items(bound, ())


def _as_constant(keyword: ast.keyword) -> ast.Constant:
    """The name of a keyword argument, as a string that stands where it stands."""
    constant = ast.Constant(keyword.arg)
    constant.lineno = constant.end_lineno = keyword.lineno
    constant.col_offset = keyword.col_offset
    constant.end_col_offset = keyword.col_offset + len(keyword.arg.encode())
    return constant


def _kwargs_of(config: ast.expr | None, file: 'File') -> ast.expr | None:
    """What a call of `triton.Config` sets."""
    if not isinstance(config, ast.Call) or file.bindings.resolve(dotted(config.func) or '') not in _CONFIG:
        return None
    if config.args:
        return config.args[0]
    return next((keyword.value for keyword in config.keywords if keyword.arg == 'kwargs'), None)


def _reads(function: ast.expr) -> Iterator[ast.Constant]:
    """The names that a lambda reads from its argument and does not ask for first."""
    if not isinstance(function, ast.Lambda) or len(function.args.args) != 1:
        return
    argument = function.args.args[0].arg
    nodes = list(ast.walk(function.body))
    if any(isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops) for node in nodes):
        return
    for node in nodes:
        if isinstance(node, ast.Subscript) and dotted(node.value) == argument and _is_string(node.slice):
            yield node.slice


def _is_string(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
