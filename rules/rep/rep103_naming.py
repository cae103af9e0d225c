# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.project.ignore import Where
from flakelint.project.imports import dotted, last_name
from flakelint.project.statements import FUNCTIONS, scope_statements
from flakelint.rules.tst.suite import FILES, Function, name_range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

_CLASS = re.compile(r'_*[A-Z][A-Za-z0-9]*(?:(?<=\d)_(?=\d)[A-Za-z0-9]+(?:_[A-Z][A-Za-z0-9]*)?)*_?')
# words of a function: lower case, an acronym or the letters of a shape, a symbol such as `dA`, `Aw` or `h0`
_WORD = re.compile(r'[a-z0-9]+[A-Z]?\d*|[A-Z0-9]+s?|[a-zA-Z]{1,2}\d*|(?:d+[A-Z]+[a-z]{0,3})+\d*|(?:setUp|tearDown)(?:Class)?')
_CONSTANT_WORD = re.compile(r'[A-Z0-9]+x?|[a-z]|d[A-Z]|[A-Z][a-z]')
_SYMBOL = re.compile(r'[a-zA-Z]{1,2}\d*|d[A-Z][a-z]?\d*')
# what a generator writes at the top of a file
_GENERATED = re.compile(r'DO NOT (?:EDIT|MODIFY)|@generated|[Aa]uto-?generated')
_HEAD = 2000
_CAMEL = re.compile(r'(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])')
# methods that make a class one that is used as a function or a decorator
_CALLABLE = frozenset({'__call__', '__enter__', '__get__', '__aenter__', '__set_name__'})
# names that are read by others
_PROTOCOLS = re.compile(r'(?:do|visit|leave|depart|handle)_[A-Z]\w*|x[A-Z]|assert[A-Z]\w*')
_READ_BY_OTHERS = frozenset({
    'app', 'application', 'author', 'branch_labels', 'collect_ignore', 'collect_ignore_glob', 'copyright', 'depends_on',
    'down_revision', 'extensions', 'log', 'logger', 'project', 'pytest_plugins', 'pytestmark', 'release', 'revision',
    'version',
})
_SETTINGS_FILES = ('conf.py', 'setup.py', 'noxfile.py')
_CELLS = re.compile(r'^# (?:%%|In\s?\[)', re.MULTILINE)
_SCRIPT = (ast.For, ast.While, ast.With)


@dataclass(frozen=True)
class Options:
    """What the rule leaves alone.

    Args:
        tests (tuple[str, ...]):
            Patterns of files whose test functions may hold any words.
        exempt (tuple[str, ...]):
            Patterns of files of others.
        allowed (tuple[str, ...]):
            Names that are fine as they are.
    """

    tests: tuple[str, ...] = FILES
    exempt: tuple[str, ...] = ('third_party/', '3rdparty/', 'vendor/')
    allowed: tuple[str, ...] = ('device', 'device_name', 'device_platform', 'device_torch_lib')


class Naming(Rule):
    """A name that is not written as its kind is.

    ## What it does
    Looks at definitions: classes are `PascalCase`, functions `snake_case`, and names at the top of a module that are bound once, to a number, a text or a tuple of such, `UPPER_SNAKE_CASE`. Underscores in front change nothing.

    ## Why is this bad?
    The case tells a reader what a name is: whether it is called, instantiated, or fixed.

    ## Example
    ```python
    blockSize = 64


    class rms_norm:
        eps = 1e-6


    def chunkForward(q, k, v):
        return q @ k.T @ v * blockSize
    ```

    ## Use instead
    ```python
    BLOCK_SIZE = 64


    class RMSNorm:
        eps = 1e-6


    def chunk_forward(q, k, v):
        return q @ k.T @ v * BLOCK_SIZE
    ```

    ## Known limits
    Letters of mathematics are fine (`Q`, `dA`, `chunk_fwd_A`), and so are acronyms between underscores, tests, methods of classes with a base that is not in the file, and what a protocol names (`visit_Call`, `do_GET`). Classes that are used as functions, by `__call__`, `__enter__` or `__get__`, may be named like these. Parameters and variables are left alone, and so are the constants of scripts and notebooks.

    ## Options
    - `tests`: patterns of files whose test functions may hold any words, written as in a `.gitignore`. Default: `["test_*.py", "*_test.py"]`.
    - `exempt`: patterns of files of others, which keep their names. Default: `["third_party/", "3rdparty/", "vendor/"]`.
    - `allowed`: names that are fine as they are. Default: `["device", "device_name", "device_platform", "device_torch_lib"]`.
    """

    code = 'REP103'
    name = 'naming'
    severity = 'warning'
    Options = Options

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._tests = Where(self.options.tests)
        self._exempt = Where(self.options.exempt)

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Look at the names that a file defines."""
        if self._exempt.covers(file.path) or _GENERATED.search(file.text, 0, _HEAD):
            return
        for node, owner in _definitions(file.statements):
            if node.name in self.options.allowed or not node.name.isascii():
                continue
            if isinstance(node, ast.ClassDef):
                if not _is_class_name(node):
                    message = f'class `{node.name}` is not in PascalCase: name it `{_pascal(node.name)}`'
                    yield self.finding(name_range(node, file), message)
            elif not self._is_function_name(node, owner, file):
                message = f'function `{node.name}` is not in snake_case: name it `{_snake(node.name)}`'
                yield self.finding(name_range(node, file), message)
        yield from self._constants(file)

    def _is_function_name(self, node: Function, owner: ast.ClassDef | None, file: 'File') -> bool:
        name = node.name
        if all(_WORD.fullmatch(word) for word in name.split('_') if word):
            # a name of one word in capitals only is that of a class or a constant
            return not (name.isupper() and len(name) > 3 and '_' not in name and owner is None)
        # a method that stands for a function of another library looks that up by its name
        if owner is not None and re.search(rf'[\'"]{name}[\'"]', file.text):
            return True
        if _PROTOCOLS.fullmatch(name) or (name.startswith('test') and self._tests.covers(file.path)):
            return True
        if owner is None:
            # in a test, a function may stand for one of another library
            return self._tests.covers(file.path) and node not in file.statements
        known = {one.name: one for one in scope_statements(file.statements) if isinstance(one, ast.ClassDef)}
        return _may_override(owner, name, known, frozenset())

    def _constants(self, file: 'File') -> 'Iterator[Finding]':
        if file.path.rpartition('/')[2] in _SETTINGS_FILES or any(map(_is_script, file.statements)):
            return
        found = [target for node in file.statements for target in _literal_targets(node)]
        found = [one for one in found if not _is_constant_name(one.id) and one.id not in self.options.allowed]
        if not found or _CELLS.search(file.text):
            return
        bound: dict[str, int] = {}
        for node in file.nodes:
            for name in _rebound(node):
                bound[name] = bound.get(name, 0) + 1
        for target in found:
            if bound.get(target.id) == 1:
                message = f'constant `{target.id}` is not in UPPER_SNAKE_CASE: name it `{_snake(target.id).upper()}`'
                yield self.finding(file.range(target), message)


def _definitions(statements: Sequence[ast.stmt]) -> Iterator[tuple[Function | ast.ClassDef, ast.ClassDef | None]]:
    """The functions and classes of a file, each with the class in which it stands directly."""
    stack: list[tuple[Sequence[ast.AST], ast.ClassDef | None]] = [(statements, None)]
    while stack:
        body, owner = stack.pop()
        for node in scope_statements(body):
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                yield node, owner
                stack.append((node.body, node if isinstance(node, ast.ClassDef) else None))


def _is_class_name(node: ast.ClassDef) -> bool:
    if _CLASS.fullmatch(node.name):
        return True
    methods = {one.name for one in node.body if isinstance(one, FUNCTIONS)}
    is_snake = node.name.islower()
    # descriptors, context managers and structures of C are named as what they stand for
    is_of_c = any(last_name(base) in ('Structure', 'Union') for base in node.bases)
    return is_of_c or (is_snake and bool(methods & _CALLABLE))


def _may_override(owner: ast.ClassDef, name: str, known: dict[str, ast.ClassDef], seen: frozenset[str]) -> bool:
    """Whether a base of a class may define a method of this name."""
    for base in owner.bases:
        above = known.get(dotted(base) or '')
        if above is None:
            if (dotted(base) or '') not in ('object', 'torch.autograd.Function'):
                return True
        elif any(isinstance(one, FUNCTIONS) and one.name == name for one in above.body):
            # the one above is reported
            return True
        elif above.name not in seen and _may_override(above, name, known, seen | {above.name}):
            return True
    return False


def _is_script(node: ast.stmt) -> bool:
    """Whether a statement at the top of a file does something, as in a script."""
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name)
    return is_call or isinstance(node, _SCRIPT)


def _literal_targets(node: ast.stmt) -> Iterator[ast.Name]:
    """The one name at the top of a module to which a statement binds a literal."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target = node.target
    else:
        return
    if isinstance(target, ast.Name) and _is_literal(node.value):
        yield target


def _is_literal(value: ast.expr) -> bool:
    if isinstance(value, ast.Tuple):
        return bool(value.elts) and all(map(_is_literal, value.elts))
    if isinstance(value, ast.UnaryOp):
        value = value.operand
    return isinstance(value, ast.Constant) and type(value.value) in (int, float, str)


def _is_constant_name(name: str) -> bool:
    if (name.startswith('__') and name.endswith('__')) or name.strip('_') in _READ_BY_OTHERS or not name.strip('_'):
        return True
    words = [word for word in name.split('_') if word]
    return bool(_SYMBOL.fullmatch(name.strip('_'))) or all(_CONSTANT_WORD.fullmatch(word) for word in words)


def _rebound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, ast.Global):
        yield from node.names
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.alias):
        yield node.asname or node.name


def _pascal(name: str) -> str:
    lead = name[:len(name) - len(name.lstrip('_'))]
    words = [word for word in name.split('_') if word]
    return lead + ''.join(word[0].upper() + word[1:] for word in words)


def _snake(name: str) -> str:
    return _CAMEL.sub('_', name).lower().replace('__', '_') if not name.startswith('_') else '_' + _snake(name[1:])
