# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The tests of a file, and the cases with which pytest runs them."""

import ast
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from flakelint.coverage.calls import call
from flakelint.coverage.expressions import Arguments, elements, evaluate
from flakelint.coverage.modules import fixture_names
from flakelint.coverage.names import SKIPPED, attribute, lineage, look_up, methods_of
from flakelint.coverage.run import Run, SkippedError
from flakelint.coverage.statements import result_of
from flakelint.coverage.values import Case, Choice, Class, Function, Instance, Named, Opaque, Partial, Request, Scope, Tested
from flakelint.project.imports import called_name, last_name
from flakelint.project.modules import folders_above
from flakelint.project.statements import FUNCTIONS, scope_statements
from flakelint.source.expressions import argument, defaults_of

# how many cases of a test are read
_MAX_CASES = 5000
_PARAMETRIZE = 'parametrize'
# how many fixtures ask for each other
_MAX_DEPTH = 6
_SET_UP = ('setUp', 'setup_method', 'setup')
_MARKS = frozenset({'skip', 'skipif', 'skipIf', 'skipUnless', 'xfail', 'expectedFailure'})
_SKIPS = frozenset({'pytest.mark.skip', 'pytest.mark.xfail', 'unittest.skip', 'unittest.expectedFailure'})


class Test(NamedTuple):
    """A test.

    Args:
        path (str):
            The file.
        node (ast.FunctionDef):
            The function.
        owners (tuple[ast.ClassDef, ...]):
            The classes in which it stands, from the outermost.
    """

    path: str
    node: ast.FunctionDef
    owners: tuple[ast.ClassDef, ...]

    @property
    def id(self) -> str:
        """By what pytest knows it, without a case."""
        return '::'.join([self.path, *(one.name for one in self.owners), self.node.name])


class Example(NamedTuple):
    """A case of a test.

    Args:
        id (str):
            What pytest writes between brackets.
        values (dict[str, Any]):
            The arguments.
        marks (tuple, Optional):
            The marks of the case. Default: none.
    """

    id: str
    values: dict[str, Any]
    marks: tuple = ()


class Dimension(NamedTuple):
    """What one `parametrize` gives.

    Args:
        names (tuple[str, ...]):
            The arguments.
        choices (list[Example]):
            Their values.
        path (str):
            The file of the decorator.
        line (int):
            Its line.
    """

    names: tuple[str, ...]
    choices: list[Example]
    path: str
    line: int


def tests_of(path: str, run: Run) -> list[Test]:
    """The tests of a file that run, in the order of the source; of two with one name, the last."""
    scope = run.modules.scope(path)
    marks = look_up('pytestmark', scope, run)
    if look_up(SKIPPED, scope, run) is True or _is_skipped(marks):
        return []
    return list({test.id: test for test in _in_body(path, run.modules.statements(path), (), run)}.values())


def _in_body(path: str, statements: Sequence[ast.AST], owners: tuple[ast.ClassDef, ...], run: Run) -> Iterator[Test]:
    scope = run.modules.scope(path)
    for node in scope_statements(statements):
        if isinstance(node, FUNCTIONS) and node.name.startswith('test') and not owners:
            yield from [] if _is_marked(node, scope, run) else [Test(path, node, ())]
        elif isinstance(node, ast.ClassDef) and not _is_marked(node, scope, run):
            kind = Class(node, scope)
            if _is_collected(kind, run):
                tests = [one for name, one in methods_of(kind, run).items() if name.startswith('test')]
                yield from (Test(path, one, (*owners, node)) for one in tests if not _is_marked(one, scope, run))
            yield from _in_body(path, node.body, (*owners, node), run)


def _is_collected(kind: Class, run: Run) -> bool:
    """Whether pytest looks for tests in a class."""
    if any('TestCase' in last_name(base) for one in lineage(kind, run) for base in one.node.bases):
        return True
    refuses = attribute(kind, '__test__', run) is False
    return kind.node.name.startswith('Test') and not refuses and '__init__' not in methods_of(kind, run)


def _is_marked(node: ast.FunctionDef | ast.ClassDef, scope: Scope, run: Run) -> bool:
    """Whether a decorator keeps pytest from running something, or expects it to fail."""
    names = [one for one in node.decorator_list if called_name(one) in _MARKS]
    return any(_is_skipped(evaluate(one, Scope(scope.path, outer=scope), run)) for one in names)


def _is_skipped(marks: Any) -> bool:
    listed = marks if isinstance(marks, list | tuple) else [marks]
    return any(isinstance(one, Named) and one.name in _SKIPS for one in listed)


def dimensions_of(test: Test, run: Run) -> list[Dimension]:
    """What the decorators of a test and of its classes and the fixtures that it asks for vary."""
    scope = Scope(test.path, outer=run.modules.scope(test.path))
    nodes = [one for node in (test.node, *reversed(test.owners)) for one in reversed(node.decorator_list)]
    nodes.extend(_bound(test.path, 'pytestmark', run))
    found: list[Dimension | None] = []
    for node in nodes:
        called = next(iter(_bound(test.path, node.id, run)), node) if isinstance(node, ast.Name) else node
        if isinstance(called, ast.Call) and last_name(called.func) == _PARAMETRIZE:
            found.append(_dimension(called, scope, run))
    taken = {name for one in found if one is not None for name in one.names}
    asked = [name for name in dict.fromkeys(_asked(test.node, test, run)) if name not in taken]
    # as pytest does, fixtures first
    return [one for one in (*(_of_fixture(name, test, run) for name in asked), *found) if one is not None]


def _bound(path: str, name: str, run: Run) -> list[ast.expr]:
    """The expressions of a list that a module binds to a name, or the one that it binds."""
    node = run.modules.binding(path, name)
    value = getattr(node, 'value', None)
    return value.elts if isinstance(value, ast.List | ast.Tuple) else [value] if value is not None else []


def _asked(node: ast.FunctionDef, test: Test, run: Run, depth: int = 0) -> Iterator[str]:
    """The fixtures for which a function asks, those for which they ask before them."""
    for name in _parameters(node):
        fixture = _fixture(name, test, run) if depth < _MAX_DEPTH else None
        if fixture is not None:
            yield from (one for one in _asked(fixture.node, test, run, depth + 1) if one != name)
        yield name


def examples_of(dimensions: Sequence[Dimension]) -> Iterator[Example]:
    """The cases of a test, in the order of pytest."""
    chosen = itertools.product(*(one.choices for one in dimensions))
    for choices in itertools.islice(chosen, _MAX_CASES):
        values: dict[str, Any] = {}
        for one in choices:
            values |= one.values
        yield Example('-'.join(one.id for one in choices), values, tuple(mark for one in choices for mark in one.marks))


def read(test: Test, example: Example, run: Run) -> None:
    """Read a test as it is run with a case.

    Raises:
        SkippedError: The test is left.
        TooMuchError: It is too long to be read.
    """
    if _is_skipped(example.marks):
        raise SkippedError
    scope = run.modules.scope(test.path)
    first: tuple = ()
    if test.owners:
        own = Instance(test.owners[-1], scope)
        first = (own,)
        for name, method in methods_of(Class(own.node, scope), run).items():
            if name in _SET_UP:
                result_of(Function(method, scope, first), Arguments([], {}, False), run)
    defaults = defaults_of(test.node.args)
    names = [name for name in _parameters(test.node) if name in example.values or name not in defaults]
    given = {name: _given(name, test, example, run, 0) for name in names}
    result_of(Function(test.node, scope, first), Arguments([], given), run)


def _parameters(node: ast.FunctionDef) -> list[str]:
    return [one.arg for one in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs] if one.arg != 'self']


def _dimension(node: ast.Call, scope: Scope, run: Run) -> Dimension | None:
    expressions = argument(node, 'argnames', 0), argument(node, 'argvalues', 1)
    if None in expressions:
        return None
    asked, values = (evaluate(one, scope, run) for one in expressions)
    names = tuple(one.strip() for one in asked.split(',')) if isinstance(asked, str) else tuple(elements(asked)[0])
    if not all(isinstance(name, str) for name in names):
        return None
    ids = _names_asked_for(node, scope, run)
    options = values.options if isinstance(values, Choice) else (values,)
    choices: dict[str, Example] = {}
    for option in options:
        found, is_exact = elements(option)
        for example in _choices(names, found if is_exact else [Opaque()], ids, run):
            choices.setdefault(example.id, example)
    return Dimension(names, list(choices.values()), scope.path, node.lineno)


def _names_asked_for(node: ast.Call, scope: Scope, run: Run) -> Any:
    """The `ids` of a `parametrize` or a fixture."""
    ids = argument(node, 'ids')
    return None if ids is None else evaluate(ids, scope, run)


def _choices(names: tuple[str, ...], found: list, ids: Any, run: Run) -> list[Example]:
    examples = []
    for index, one in enumerate(found):
        values = one.values if isinstance(one, Case) else (one,) if len(names) == 1 else one
        values = tuple(values) if isinstance(values, list | tuple) and len(values) == len(names) else (Opaque(),) * len(names)
        given = one.id if isinstance(one, Case) else None
        named = given if isinstance(given, str) else _listed(ids, index)
        if named is None:
            named = '-'.join(_id(name, value, index, ids, run) for name, value in zip(names, values, strict=True))
        marks = one.marks if isinstance(one, Case) else ()
        marks = tuple(marks) if isinstance(marks, list | tuple) else (marks,)
        examples.append(Example(named, dict(zip(names, values, strict=True)), marks))
    return _without_doubles(examples)


def _listed(ids: Any, index: int) -> str | None:
    if not isinstance(ids, list | tuple) or index >= len(ids) or ids[index] is None:
        return None
    return str(ids[index]) if isinstance(ids[index], str | int | float | bool) else None


def _id(name: str, value: Any, index: int, ids: Any, run: Run) -> str:
    """How pytest names a value."""
    if isinstance(ids, Function | Partial | Named):
        made = call(ids, Arguments([value], {}), run)
        if isinstance(made, str | int | float | bool):
            return str(made)
    if value is None or isinstance(value, str | int | float | bool):
        return str(value)
    if isinstance(value, Tested):
        return value.place.name
    is_function = isinstance(value, Function) and isinstance(value.node, ast.FunctionDef)
    return value.node.name if is_function else '<lambda>' if isinstance(value, Function) else f'{name}{index}'


def _without_doubles(examples: list[Example]) -> list[Example]:
    """As pytest does: names that occur twice are numbered."""
    names = [one.id for one in examples]
    seen: dict[str, int] = {}
    found = []
    for one in examples:
        if names.count(one.id) > 1:
            number = seen.get(one.id, 0)
            seen[one.id] = number + 1
            joint = '_' if one.id[-1:].isdigit() else ''
            one = one._replace(id=f'{one.id}{joint}{number}')
        found.append(one)
    return found


def _fixture(name: str, test: Test, run: Run) -> Function | None:
    """The fixture of a name that a test gets."""
    scope = run.modules.scope(test.path)
    for owner in reversed(test.owners):
        for node in methods_of(Class(owner, scope), run).values():
            if name in fixture_names(node):
                return Function(node, scope, (Instance(owner, scope),))
    for place in [test.path, *(f'{folder}/conftest.py' if folder else 'conftest.py' for folder in folders_above(test.path))]:
        node = run.modules.fixtures(place).get(name)
        if node is not None:
            return Function(node, run.modules.scope(place))
    return None


def _of_fixture(name: str, test: Test, run: Run) -> Dimension | None:
    fixture = _fixture(name, test, run)
    for one in fixture.node.decorator_list if fixture is not None else ():
        params = argument(one, 'params')
        if params is not None:
            values = elements(evaluate(params, fixture.scope, run))[0]
            ids = _names_asked_for(one, fixture.scope, run)
            return Dimension((name,), _choices((name,), values, ids, run), fixture.scope.path, one.lineno)
    return None


def _given(name: str, test: Test, example: Example, run: Run, depth: int) -> Any:
    """What a test gets for an argument."""
    fixture = _fixture(name, test, run)
    if fixture is None or depth >= _MAX_DEPTH:
        return example.values.get(name, Opaque())
    asked = _parameters(fixture.node)
    given = {one: _given(one, test, example, run, depth + 1) for one in asked if one != 'request'}
    if 'request' in asked:
        given['request'] = Request(example.values.get(name, Opaque()))
    elif name in example.values:
        return example.values[name]
    found = result_of(fixture, Arguments([], given), run)
    return found[0] if isinstance(found, list) and len(found) == 1 and _yields(fixture.node) else found


def _yields(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Yield) for one in ast.walk(node))
