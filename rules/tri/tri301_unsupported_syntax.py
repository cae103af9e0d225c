# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel import types
from flakelint.kernel.graph import each_value
from flakelint.kernel.kernels import JIT
from flakelint.kernel.reached import conditions_around, left_out
from flakelint.kernel.refused_loops import LOOPS
from flakelint.kernel.refused_syntax import EMPTY_CONSTEXPR, SYNTAX, Refused, is_empty_constexpr, refused_syntax
from flakelint.kernel.staging import is_run_time
from flakelint.kernel.tensors import is_tensor
from flakelint.project.imports import dotted
from flakelint.rules.tri.places import takes_arguments
from flakelint.rules.tri.recorded import is_late, values_of
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.graph import Value
    from flakelint.kernel.kernels import Kernel

_HANDLERS = SYNTAX | LOOPS
_ELSEWHERE = re.compile(r'\basync\s+def\b|\bjit\(\s*lambda\b')
_JIT = frozenset({'triton.jit', 'triton.runtime.jit', 'triton.runtime.jit.jit'})
# what `triton.jit` has taken in any version
_OPTIONS = frozenset({
    'debug', 'device_type', 'do_not_specialize', 'do_not_specialize_on_alignment', 'fn', 'inline', 'interpret',
    'launch_metadata', 'noinline', 'repr', 'version',
})
_RAISE = (
    '`raise` in a kernel is refused ("unsupported AST node type: Raise"): '
    'use `tl.static_assert` for what is known at compile time, `tl.device_assert` for the rest'
)
_F_STRING = 'Cannot evaluate f-string containing non-constexpr conversion values'
_LAUNCH_OPTIONS = frozenset({'maxnreg', 'num_ctas', 'num_stages', 'num_warps'})


class UnsupportedSyntax(Rule):
    """Python in a kernel that Triton's compiler does not take.

    ## What it does
    Flags in functions that Triton compiles, as measured on Triton 3.9,

    - statements and expressions that are unknown to the compiler: `break`, `continue`, `lambda`, dictionaries, sets, generators and comprehensions other than of lists, `try`, `raise`, `del`, `import`, `global`, `class`, `match`, `yield`, functions in functions, `*` in a tuple;
    - `a = b = 0`, `a, *b = t`, `[a, b] = t`, and as many targets as there are not values;
    - loops over anything but `range`, `tl.range` and `tl.static_range`, loops with an `else` or with more than one name as their target, comprehensions over a range, bounds that are given by keyword;
    - `while True`, and any `while` whose condition is a constant;
    - `with` over what belongs to the host, such as `open(...)` or `torch.no_grad()`;
    - `in`, `not in` and `@`;
    - `f(**d)`;
    - f-strings that hold a value of the run time;
    - signatures with `**kwargs` or with `/`, kernels made with `async def` or of a `lambda`, `constexpr()` as an annotation, and options that `triton.jit` does not have.

    ## Why is this bad?
    The kernel does not compile. Several of these errors name another line, or no line at all: that of `a = b = 0` comes out of the search for dependencies, `for ... else` is an `AssertionError`, and `while True` ends in `'constexpr' object has no attribute 'handle'`. Triton's interpreter, in which kernels are tested without a GPU, takes most of it.

    A parameter in front of `/` is no error, and worse: Triton leaves it out, and gives the others the wrong arguments.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def first_zero_kernel(x, out, n):
        for i in range(n):
            if tl.load(x + i) == 0:
                tl.store(out, i)
                break
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def first_zero_kernel(x, out, n):
        i = 0
        while (i < n) & (tl.load(x + i, mask=i < n, other=0) != 0):
            i += 1
        tl.store(out, i)
    ```

    ## Known limits
    - What stands behind a `return`, or under `if False`, is not compiled, and not flagged. A branch of a compile-time condition is flagged, though it fails only where that holds.
    - `raise` under a compile-time condition fails where it should, if with another message, and is left alone; so are f-strings of values under one, which are there to find faults with Triton's interpreter.
    - A loop over a function that is not known, or a `with` over one, may be of a dialect of Triton, and is not flagged.
    - `tensor ** 2` depends on types: TRI311 tells of it.
    """

    code = 'TRI301'
    name = 'unsupported-syntax'
    severity = 'error'

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag what `triton.jit` is given and is no function."""
        if not _ELSEWHERE.search(file.text):
            return
        for node in file.nodes:
            if isinstance(node, ast.AsyncFunctionDef):
                names = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
                if any(file.bindings.resolve(dotted(one) or '') in _JIT for one in names):
                    problem = f'`{node.name}` is an `async def`, which is refused ("No function definition found for kernel")'
                    yield self._finding(Refused(node, f'{problem}: write `def`', 'async def'), file)
            elif _is_jit_of_lambda(node, file):
                problem = 'a kernel made of a `lambda` is refused ("No function definition found for kernel")'
                yield self._finding(Refused(node.args[0], f'{problem}: write a `def`', 'lambda'), file)

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Flag the syntax in a kernel that is refused."""
        for refused in (*_options(kernel), *_signature(kernel), *refused_syntax(kernel, _HANDLERS), *_late(kernel, file)):
            yield self._finding(refused, file)

    def _finding(self, refused: Refused, file: 'File') -> 'Finding':
        where = file.range(refused.node)
        if refused.word:
            where = Range(where.start, Position(where.start.line, where.start.column + len(refused.word)))
        return self.finding(where, refused.message)


def _is_jit_of_lambda(node: ast.AST, file: 'File') -> bool:
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Lambda):
        return False
    return file.bindings.resolve(dotted(node.func) or '') in _JIT


def _options(kernel: 'Kernel') -> Iterator[Refused]:
    """The options given to `triton.jit` that it does not have."""
    for decorator in kernel.decorators:
        if decorator.role != JIT or decorator.wraps or decorator.name not in _JIT or not isinstance(decorator.node, ast.Call):
            continue
        for keyword in decorator.node.keywords:
            if keyword.arg and keyword.arg not in _OPTIONS:
                hint = ': give it at the launch, or in a `triton.Config`' if keyword.arg in _LAUNCH_OPTIONS else ''
                yield Refused(keyword, f'`triton.jit` has no option `{keyword.arg}`, and raises a TypeError at import{hint}')


def _signature(kernel: 'Kernel') -> Iterator[Refused]:
    arguments = kernel.definition.args
    if arguments.kwarg is not None:
        message = f'`**{arguments.kwarg.arg}` is refused when the module is imported: name each parameter'
        yield Refused(arguments.kwarg, message)
    if arguments.posonlyargs:
        names = ', '.join(f'`{one.arg}`' for one in arguments.posonlyargs)
        consequence = 'leaves them out, and gives the others the wrong arguments'
        yield Refused(arguments.posonlyargs[-1], f'{names} before `/`: Triton {consequence}; write the signature without `/`')
    for parameter in kernel.parameters:
        if is_empty_constexpr(parameter.node.annotation, kernel):
            yield Refused(parameter.node.annotation, EMPTY_CONSTEXPR)


def _late(kernel: 'Kernel', file: 'File') -> Iterator[Refused]:
    """What is refused for good only where no compile-time condition keeps it from being compiled: `raise`, and f-strings of values."""
    strings = [node for node in kernel.body if isinstance(node, ast.JoinedStr)]
    parts = {id(string): [one for one in map(_held, string.values) if one is not None] for string in strings}
    found = [node for node in kernel.body if isinstance(node, ast.Raise)] + [string for string in strings if parts[id(string)]]
    around = conditions_around(found, kernel)
    wanted = [test for tests in around.values() for test in tests] + [one for held in parts.values() for one in held]
    seen = values_of(wanted, kernel, file)
    skipped = left_out(kernel) if found else frozenset()
    trusts = bool(strings) and takes_arguments(kernel, file) and not file.repository.is_called_by_kernels(kernel)
    for node in found:
        if id(node) in skipped or not all(is_late(test, seen, file) for test in around[id(node)]):
            continue
        if isinstance(node, ast.Raise):
            yield Refused(node, _RAISE)
            continue
        values = {one: list(each_value(value for _, value in seen.get(id(one), ()))) for one in parts[id(node)]}
        running = [one for one, cases in values.items() if cases and all(_is_running(case, trusts) for case in cases)]
        if running:
            names = ' and '.join(dict.fromkeys(f'`{ast.unparse(one)}`' for one in running))
            problem = f'an f-string with {names} is refused ("{_F_STRING}")'
            yield Refused(running[0], f'{problem}: print what is known at run time only with `tl.device_print`')


def _held(part: ast.expr) -> ast.expr | None:
    """What an f-string holds at a place, if that has a name in it."""
    if not isinstance(part, ast.FormattedValue) or not any(isinstance(one, ast.Name) for one in ast.walk(part.value)):
        return None
    return part.value


def _is_running(value: 'Value', trusts: bool) -> bool:
    return value.type == types.TUPLE or is_tensor(value) or is_run_time(value, trusts, takes_number=True)
