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
from flakelint.coverage.modules import Modules
from flakelint.coverage.run import Run
from flakelint.coverage.statements import result_of
from flakelint.coverage.values import Case, Choice, Function, Instance, Named, Opaque, Partial, Request, Scope, Tested
from flakelint.project.imports import dotted
from flakelint.project.modules import folders_above
from flakelint.project.statements import FUNCTIONS, scope_statements

# how many cases of a test are read
_MAX_CASES = 2000
_PARAMETRIZE, _FIXTURE = 'parametrize', 'fixture'


class Test(NamedTuple):
    """A test.

    Args:
        path (str):
            The file.
        node (ast.FunctionDef):
            The function.
        owner (ast.ClassDef | None):
            The class in which it stands.
    """

    path: str
    node: ast.FunctionDef
    owner: ast.ClassDef | None

    @property
    def id(self) -> str:
        """By what pytest knows it, without a case."""
        return '::'.join([self.path, *([self.owner.name] if self.owner is not None else []), self.node.name])


class Example(NamedTuple):
    """A case of a test.

    Args:
        id (str):
            What pytest writes between brackets.
        values (dict[str, Any]):
            The arguments.
    """

    id: str
    values: dict[str, Any]


class Dimension(NamedTuple):
    """What one `parametrize` gives.

    Args:
        names (tuple[str, ...]):
            The arguments.
        choices (list[Example]):
            Their values.
        line (int):
            The line of the decorator.
    """

    names: tuple[str, ...]
    choices: list[Example]
    line: int


def tests_of(path: str, modules: Modules) -> Iterator[Test]:
    """The tests of a file, in the order of the source."""
    for node in scope_statements(modules.statements(path)):
        if isinstance(node, FUNCTIONS) and node.name.startswith('test'):
            yield Test(path, node, None)
        elif isinstance(node, ast.ClassDef) and (node.name.startswith('Test') or node.name.endswith(('Test', 'Tests'))):
            inner = [one for one in node.body if isinstance(one, FUNCTIONS) and one.name.startswith('test')]
            yield from (Test(path, one, node) for one in inner)


def dimensions_of(test: Test, run: Run) -> list[Dimension]:
    """What the decorators of a test and of its class and the fixtures that it asks for vary."""
    decorators = [one for node in (test.node, test.owner) if node is not None for one in reversed(node.decorator_list)]
    calls = [one for one in decorators if isinstance(one, ast.Call) and _last(one.func) == _PARAMETRIZE]
    scope = Scope(test.path, outer=run.modules.scope(test.path))
    found = [_dimension(one, scope, run) for one in calls]
    taken = {name for one in found if one is not None for name in one.names}
    for name in _parameters(test.node):
        if name not in taken:
            found.append(_of_fixture(name, test, run))
    return [one for one in found if one is not None]


def examples_of(dimensions: Sequence[Dimension]) -> Iterator[Example]:
    """The cases of a test, in the order of pytest."""
    chosen = itertools.product(*(one.choices for one in dimensions))
    for choices in itertools.islice(chosen, _MAX_CASES):
        values: dict[str, Any] = {}
        for one in choices:
            values |= one.values
        yield Example('-'.join(one.id for one in choices), values)


def read(test: Test, example: Example, run: Run) -> None:
    """Read a test as it is run with a case."""
    scope = run.modules.scope(test.path)
    first = (Instance(test.owner, scope),) if test.owner is not None else ()
    given = {name: _given(name, test, example, run, 0) for name in _parameters(test.node)}
    result_of(Function(test.node, scope, first), Arguments([], given), run)


def is_skipped(test: Test) -> bool:
    """Whether a test never runs."""
    return any(_last(one.func if isinstance(one, ast.Call) else one) == 'skip' for one in test.node.decorator_list)


def _parameters(node: ast.FunctionDef) -> list[str]:
    return [one.arg for one in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs] if one.arg != 'self']


def _last(node: ast.expr) -> str:
    return (dotted(node) or '').rpartition('.')[2]


def _dimension(node: ast.Call, scope: Scope, run: Run) -> Dimension | None:
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    expressions = [*node.args, *(given[name] for name in ('argnames', 'argvalues') if name in given)]
    if len(expressions) < 2:
        return None
    asked, values = (evaluate(one, scope, run) for one in expressions[:2])
    names = tuple(one.strip() for one in asked.split(',')) if isinstance(asked, str) else tuple(elements(asked)[0])
    if not all(isinstance(name, str) for name in names):
        return None
    ids = evaluate(given['ids'], scope, run) if 'ids' in given else None
    options = values.options if isinstance(values, Choice) else (values,)
    choices: dict[str, Example] = {}
    for option in options:
        found, is_exact = elements(option)
        for example in _choices(names, found if is_exact else [Opaque()], ids, run):
            choices.setdefault(example.id, example)
    return Dimension(names, list(choices.values()), node.lineno)


def _choices(names: tuple[str, ...], found: list, ids: Any, run: Run) -> list[Example]:
    examples = []
    for index, one in enumerate(found):
        values = one.values if isinstance(one, Case) else (one,) if len(names) == 1 else one
        values = tuple(values) if isinstance(values, list | tuple) and len(values) == len(names) else (Opaque(),) * len(names)
        given = one.id if isinstance(one, Case) else None
        named = given if isinstance(given, str) else _listed(ids, index)
        if named is None:
            named = '-'.join(_id(name, value, index, ids, run) for name, value in zip(names, values, strict=True))
        examples.append(Example(named, dict(zip(names, values, strict=True))))
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


def _fixture(name: str, path: str, run: Run) -> Function | None:
    """The fixture of a name that the tests of a file get."""
    for place in [path, *(f'{folder}/conftest.py' if folder else 'conftest.py' for folder in folders_above(path))]:
        for node in scope_statements(run.modules.statements(place)):
            if isinstance(node, FUNCTIONS) and name in _fixture_names(node):
                return Function(node, run.modules.scope(place))
    return None


def _fixture_names(node: ast.FunctionDef) -> Iterator[str]:
    for one in node.decorator_list:
        if _last(one.func if isinstance(one, ast.Call) else one) == _FIXTURE:
            named = [keyword.value.value for keyword in getattr(one, 'keywords', ())
                     if keyword.arg == 'name' and isinstance(keyword.value, ast.Constant)]
            yield named[0] if named else node.name


def _of_fixture(name: str, test: Test, run: Run) -> Dimension | None:
    fixture = _fixture(name, test.path, run)
    for one in fixture.node.decorator_list if fixture is not None else ():
        given = {keyword.arg: keyword.value for keyword in getattr(one, 'keywords', ())}
        if 'params' in given:
            values = elements(evaluate(given['params'], fixture.scope, run))[0]
            ids = evaluate(given['ids'], fixture.scope, run) if 'ids' in given else None
            return Dimension((name,), _choices((name,), values, ids, run), one.lineno)
    return None


def _given(name: str, test: Test, example: Example, run: Run, depth: int) -> Any:
    """What a test gets for an argument."""
    fixture = _fixture(name, test.path, run)
    if fixture is None or depth > 5:
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
