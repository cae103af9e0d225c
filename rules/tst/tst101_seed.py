# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from flakelint.engine.findings import Edit, Fix
from flakelint.engine.rule import safe, unsafe
from flakelint.project.statements import FUNCTIONS, scope_statements
from flakelint.rules.tst.randomness import draw, is_of_numpy
from flakelint.rules.tst.suite import (
    FILES,
    Function,
    Suite,
    SuiteRule,
    Test,
    decorator_name,
    fixtures_of,
    full_name,
    local_functions,
    name_range,
    suite_of,
)
from flakelint.source.syntax import first_line, nodes_in_order
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

_WORDS = ('rand', 'normal', 'uniform_', 'bernoulli', 'multinomial', 'poisson', 'exponential_', 'init.')
_SET_UPS = ('setUp', 'setup_method', 'setup', 'asyncSetUp')
_SET_UP_OF_FILE = 'setup_function'
_NUMPY_SEEDS = ('numpy.random.', 'random.')
_USUAL = 42
_DEPTH = 6


@dataclass(frozen=True)
class Options:
    """What the rule asks for.

    Args:
        files (tuple[str, ...]):
            Patterns of files that hold tests.
        seed (int):
            The seed; 0 for any.
        function (str):
            The full name of the function that seeds.
    """

    files: tuple[str, ...] = FILES
    seed: int = _USUAL
    function: str = 'torch.manual_seed'


class _Event(NamedTuple):
    """What comes first in a function: something random, or a seed.

    Args:
        drawn (str):
            How the random numbers are drawn; nothing for a seed.
        seed (ast.Call | None):
            The call that seeds, where it is that of the options.
    """

    drawn: str
    seed: ast.Call | None = None


class Seed(SuiteRule):
    """A test with random inputs that does not seed the generator.

    ## What it does
    Asks that a test which draws random tensors calls `torch.manual_seed(42)` before it does. Random are `torch.randn` and its like, methods such as `.normal_()`, `torch.nn.init` and `np.random`, in the test itself or in functions of the same file that it uses.

    ## Why is this bad?
    A test that sees other numbers in each run fails now and then, and the failure cannot be repeated. Without a seed of its own it also depends on which tests ran before it.

    ## Example
    ```toml
    [rules.TST101]
    files = ["example.py"]
    ```

    ```python
    import torch


    def test_softmax():
        x = torch.randn(4, 63)
        assert torch.softmax(x, -1).isfinite().all()


    def test_cumsum():
        torch.manual_seed(0)
        assert torch.randn(63).cumsum(0).isfinite().all()
    ```

    ## Use instead
    ```toml
    [rules.TST101]
    files = ["example.py"]
    ```

    ```python
    import torch


    def test_softmax():
        torch.manual_seed(42)
        x = torch.randn(4, 63)
        assert torch.softmax(x, -1).isfinite().all()
    ```

    ## Fix safety
    Safe: the seed becomes the first statement of the test, which then sees one choice of the numbers that it could see before. Where another seed stands, to replace it is unsafe: tolerances may be made for its numbers. No fix is offered where the file does not import `torch` by this name, or the seed comes too late.

    ## Known limits
    A fixture of the file that the test uses may seed, and so may the set-up of its class; a seed at the top of the file may not, since it holds for the first test only. Anything with `seed` in its name seeds, if it is not known better. Calls with a `generator` of their own are left alone, and so are files that do not import torch, and tests of classes whose bases are not in the file.

    ## Options
    - `files`: patterns of files that hold tests, written as in a `.gitignore`. Default: `["test_*.py", "*_test.py"]`.
    - `seed`: the seed that is asked for; `0` for any. Default: `42`.
    - `function`: the full name of the function that seeds. Default: `"torch.manual_seed"`.
    """

    code = 'TST101'
    name = 'seed'
    severity = 'warning'
    fix = 'safe'
    Options = Options

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._packages = ('torch', self.options.function.partition('.')[0])

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag the tests of a file that draw random numbers before they seed."""
        if not any(word in file.text for word in _WORDS) or not self._where.covers(file.path):
            return
        if not any(full.partition('.')[0] in self._packages for _, full in file.bindings.items()):
            return
        suite = suite_of(file)
        wrong: set[ast.Call] = set()
        for test in suite.tests:
            if test.owner is not None and suite.has_strange_base(test.owner):
                continue
            first = self._first_of_test(test, suite, file)
            if first is None:
                continue
            if first.drawn:
                yield self._unseeded(test, first.drawn, suite, file)
            elif first.seed is not None and first.seed not in wrong and self._is_wrong(first.seed):
                wrong.add(first.seed)
                yield self._wrong(test, first.seed, suite, file)

    def _unseeded(self, test: Test, drawn: str, suite: Suite, file: 'File') -> 'Finding':
        asked = f'{self.options.function}({self.options.seed or _USUAL})'
        is_late = any(self._is_seed(node, file) for node in suite.whole(test.function))
        what = f'`{test.function.name}` draws from `{drawn}` '
        if is_late:
            message = f'{what}before it seeds: call `{asked}` first'
        elif is_of_numpy(drawn):
            message = f'{what}without a seed: draw with torch after `{asked}`, or seed numpy too'
        else:
            message = f'{what}without a seed: call `{asked}` first'
        fix = None if is_late or is_of_numpy(drawn) else self._insertion(test.function, asked, file)
        return self.finding(name_range(test.function, file), message, fix)

    def _wrong(self, test: Test, seed: ast.Call, suite: Suite, file: 'File') -> 'Finding':
        place = file.range(seed.args[0])
        number = str(self.options.seed)
        message = f'the seed is `{ast.unparse(seed.args[0])}`: seed with `{self.options.function}({number})`'
        seeds = [node for node in suite.whole(test.function) if self._is_seed(node, file)]
        fix = unsafe(f'Seed with {number}', Edit(place, number)) if seeds == [seed] else None
        return self.finding(place, message, fix)

    def _is_seed(self, node: ast.AST, file: 'File') -> bool:
        return isinstance(node, ast.Call) and full_name(node.func, file) == self.options.function

    def _is_wrong(self, seed: ast.Call) -> bool:
        value = seed.args[0] if len(seed.args) == 1 and not seed.keywords else None
        is_number = isinstance(value, ast.Constant) and isinstance(value.value, int)
        return is_number and self.options.seed not in (0, value.value)

    def _first_of_test(self, test: Test, suite: Suite, file: 'File') -> _Event | None:
        function = test.function
        marks = [*function.decorator_list, *(test.owner.decorator_list if test.owner is not None else ())]
        if any('seed' in decorator_name(one).lower() or _uses_seed(one) for one in marks):
            return None
        before: list[Function] = []
        if test.owner is None:
            before.extend(one for name, one in suite.functions.items() if name == _SET_UP_OF_FILE)
        else:
            methods = suite.methods(test.owner)
            before.extend(methods[name] for name in _SET_UPS if name in methods)
            before.extend(one for one in methods.values() if _is_autouse(one))
        before.extend(one for one in suite.functions.values() if _is_autouse(one))
        names = [one.arg for one in (*function.args.args, *function.args.kwonlyargs)]
        for name in names:
            fixture = suite.functions.get(name) or (suite.methods(test.owner).get(name) if test.owner is not None else None)
            if fixture is not None and fixtures_of(fixture):
                before.append(fixture)
            elif fixture is None and 'seed' in name.lower() and not _is_parametrized(test, name):
                return None
        seen = [self._first(one, test, suite, file, 0) for one in before]
        # a fixture that seeds need not be the first that runs
        seeding = next((one for one in seen if one is not None and not one.drawn), None)
        return seeding or self._first(function, test, suite, file, 0) or next(filter(None, seen), None)

    def _first(self, function: Function, test: Test, suite: Suite, file: 'File', depth: int) -> _Event | None:
        """What a function does first, through the functions of the file that it uses."""
        local = local_functions(function)
        numpy_is_seeded = False
        for node in suite.body(function):
            how = draw(node, file)
            if how:
                if not (is_of_numpy(how) and numpy_is_seeded):
                    # what is drawn for a seed, or as an argument of it, comes first all the same
                    return _Event(how)
            elif isinstance(node, ast.Call):
                full = full_name(node.func, file)
                if full == self.options.function:
                    return _Event('', node)
                if full.startswith(_NUMPY_SEEDS):
                    numpy_is_seeded |= 'seed' in full
                elif 'seed' in (full or ast.unparse(node.func)).lower() and not suite.meant(node.func, test, local):
                    return _Event('')
            used = suite.meant(node, test, local) if depth < _DEPTH else None
            if used is not None and used is not function and not fixtures_of(used):
                event = self._first(used, test, suite, file, depth + 1)
                if event is not None:
                    return event
        return None

    def _insertion(self, function: Function, asked: str, file: 'File') -> Fix | None:
        head = self.options.function.partition('.')[0]
        tops = [node for node in scope_statements(file.statements) if isinstance(node, ast.Import)]
        if not any(alias.name == head and alias.asname in (None, head) for node in tops for alias in node.names):
            return None
        if any(isinstance(node, ast.arg) and node.arg == head for node in nodes_in_order([function.args])):
            return None
        if any(isinstance(node, ast.Import | ast.ImportFrom) and _binds(node, head) for node in nodes_in_order(function.body)):
            return None
        names = [node for node in nodes_in_order(function.body) if isinstance(node, ast.Name) and node.id == head]
        if any(not isinstance(node.ctx, ast.Load) for node in names):
            return None
        has_docstring = ast.get_docstring(function, clean=False) is not None
        body = function.body[1:] if has_docstring else function.body
        if not body:
            return None
        first = body[0]
        line = first_line(first)
        indent = file.lines.line(line)[:first.col_offset]
        above = function.body[0].end_lineno if has_docstring else _end_of_head(function)
        if indent.strip() or line <= above:
            return None
        while line - 1 > above and file.lines.line(line - 1).strip()[:1] in ('', '#'):
            line -= 1
        place = Position(line, 1)
        # a blank line stands above a definition
        is_definition = isinstance(first, (*FUNCTIONS, ast.ClassDef)) and file.lines.line(line).strip()
        text = f'{indent}{asked}' + '\n' * (2 if is_definition else 1)
        return safe(f'Call `{asked}` first', Edit(Range(place, place), text))


def _end_of_head(function: Function) -> int:
    """The last line on which something of a function's head stands."""
    parts = [one for one in nodes_in_order([function.args]) if hasattr(one, 'end_lineno')]
    if function.returns is not None:
        parts.append(function.returns)
    return max([function.lineno, *(one.end_lineno for one in parts)])


def _binds(node: ast.Import | ast.ImportFrom, name: str) -> bool:
    return any((alias.asname or alias.name).partition('.')[0] == name for alias in node.names)


def _is_autouse(function: Function) -> bool:
    for one in function.decorator_list:
        if isinstance(one, ast.Call) and decorator_name(one).rpartition('.')[2] == 'fixture':
            return any(keyword.arg == 'autouse' and getattr(keyword.value, 'value', None) is True for keyword in one.keywords)
    return False


def _uses_seed(decorator: ast.expr) -> bool:
    """Whether a decorator is `usefixtures` with the name of a fixture that seeds."""
    if not decorator_name(decorator).endswith('usefixtures') or not isinstance(decorator, ast.Call):
        return False
    return any(isinstance(one, ast.Constant) and 'seed' in str(one.value).lower() for one in decorator.args)


def _is_parametrized(test: Test, name: str) -> bool:
    decorators = [*test.function.decorator_list, *(test.owner.decorator_list if test.owner is not None else ())]
    texts = [node.value for one in decorators for node in ast.walk(one) if isinstance(node, ast.Constant)]
    return any(isinstance(text, str) and name in text.replace(' ', '').split(',') for text in texts)
