# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from flakelint.engine.rule import Rule
from flakelint.project.answers import BELOW, QUOTED, TEXT
from flakelint.project.ignore import Where
from flakelint.project.imports import dotted
from flakelint.project.meanings import literal
from flakelint.project.statements import FUNCTIONS, scope_statements
from flakelint.source.syntax import nodes_in_order
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.document import Document
    from flakelint.engine.findings import Finding

_ENVIRON = 'os.environ'
_READERS = frozenset({'os.getenv', 'os.environ.get', 'os.environ.setdefault', 'os.environ.__getitem__'})
_CLICK = 'envvar'
_NAME = re.compile(r'[A-Za-z_]\w*')
# in a list, a name may stand for several: `FLA_CONV_*`
_LISTED = re.compile(r'(?<!\w)[A-Za-z_]\w*(?:(?<=_)\*)?')
_DEFAULT_FILE = 'ENVs.md'


class Read(NamedTuple):
    """A variable that is read, and the expression that names it."""

    name: str
    node: ast.expr


@dataclass(frozen=True)
class Options:
    """Where variables are read and listed.

    Args:
        file (str):
            The path of the list.
        folders (tuple[str, ...]):
            Patterns of the files whose variables it lists.
        foreign (tuple[str, ...]):
            Patterns of variables that belong to others.
    """

    file: str = _DEFAULT_FILE
    folders: tuple[str, ...] = ('fla/', 'flakelint/')
    foreign: tuple[str, ...] = (
        'CUDA_*', 'HIP_*', 'ROCR_*', 'ROCM_*', 'NVIDIA_*', 'NCCL_*', 'TRITON_*', 'TORCH_*', 'TORCHINDUCTOR_*', 'PYTORCH_*',
        'PYTEST_*', 'PYTHON*', 'XDG_*', 'HF_*', 'GITHUB_*', 'LC_*', 'PATH', 'HOME', 'USER', 'SHELL', 'TMPDIR', 'LANG', 'CI',
        'NO_COLOR', 'LOCAL_RANK', 'RANK', 'WORLD_SIZE', 'MASTER_ADDR', 'MASTER_PORT', 'OMP_NUM_THREADS', 'CC', 'CXX',
        'APPDATA', 'LOCALAPPDATA',
    )


class EnvVarList(Rule):
    """An environment variable that is read, but not listed.

    ## What it does
    Asks that each environment variable which the package reads stands in `ENVs.md`, and that each one whose row or item stands there is read. Reads are `os.environ[...]`, `os.environ.get`, `os.getenv`, `'NAME' in os.environ`, the `envvar` of a command line, and calls of a function of the same file that does one of these with what it is given.

    ## Why is this bad?
    A variable steers the package from outside. One that is listed nowhere is known to its author alone, and whoever is hit by it has no place to look it up.

    ## Example
    ```toml
    [rules.REP105]
    file = "docs/ENVs.md"
    folders = ["example.py"]
    ```

    ```python
    import os

    USE_TMA = os.environ.get('ACME_USE_TMA', '0') == '1'
    ```

    ## Use instead
    A row in the list; a variable of another program, such as `TRITON_INTERPRET`, needs none.

    ```toml
    [rules.REP105]
    file = "docs/ENVs.md"
    folders = ["example.py"]
    ```

    ```python
    import os

    IS_INTERPRETED = os.environ.get('TRITON_INTERPRET', '0') == '1'
    ```

    ## Known limits
    Names that are put together, or that other files bring, are not known. Without an `ENVs.md` nothing is said, unless the settings name another list. A listed variable counts as read wherever a file of the package spells its name in quotes.

    ## Options
    - `file`: the path of the list, from the root. Default: `"ENVs.md"`.
    - `folders`: patterns of the files whose variables it lists, written as in a `.gitignore`. Default: `["fla/", "flakelint/"]`.
    - `foreign`: patterns of variables that belong to others, as in a shell. Default: `["CUDA_*", "HIP_*", "ROCR_*", "ROCM_*", "NVIDIA_*", "NCCL_*", "TRITON_*", "TORCH_*", "TORCHINDUCTOR_*", "PYTORCH_*", "PYTEST_*", "PYTHON*", "XDG_*", "HF_*", "GITHUB_*", "LC_*", "PATH", "HOME", "USER", "SHELL", "TMPDIR", "LANG", "CI", "NO_COLOR", "LOCAL_RANK", "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "OMP_NUM_THREADS", "CC", "CXX", "APPDATA", "LOCALAPPDATA"]`.
    """

    code = 'REP105'
    name = 'env-var-list'
    severity = 'warning'
    Options = Options

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        folders = [one if one.startswith(('/', '!')) else f'/{one}' for one in self.options.folders]
        self._folders = Where(folders)

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Look up the variables that a file reads."""
        if not any(word in file.text for word in ('environ', 'getenv', _CLICK)) or not self._folders.covers(file.path):
            return
        reads = [one for one in reads_of(file) if not any(fnmatchcase(one.name, pattern) for pattern in self.options.foreign)]
        if not reads:
            return
        texts = file.ask(TEXT, self.options.file)
        if not texts and self.options.file == _DEFAULT_FILE:
            return
        listed = listed_in(texts[0]) if texts else frozenset()
        seen: set[str] = set()
        for name, node in reads:
            if name not in seen and not _is_listed(name, listed):
                seen.add(name)
                what = f'`{name}` is read here, but `{self.options.file}` '
                message = f'{what}does not list it: add it there' if texts else f'{what}is not there to list it: write one'
                yield self.finding(file.range(node), message)

    def check_markdown(self, document: 'Document') -> 'Iterator[Finding]':
        """Look for the variables of the list in the files of the package."""
        if document.path != self.options.file:
            return
        folders = [one.strip('/') + '/' for one in self.options.folders if not one.startswith('!')]
        if not any(document.ask(BELOW, folder) for folder in folders):
            return
        names = ' '.join(sorted(listed_in(document.text)))
        named = {name for folder in folders for name in document.ask(f'{QUOTED}:{folder}', names)}
        for line, name in not_read(document.text, named):
            column = document.lines.line(line).index(name) + 1
            place = Range(Position(line, column), Position(line, column + len(name)))
            yield self.finding(place, f'`{name}` is listed, but nothing in the package reads it: remove it')


def reads_of(file: 'File') -> list[Read]:
    """The environment variables that a file reads, in source order."""
    found: list[Read] = []
    constants = _constants(file)
    helpers = _helpers(file)
    for node in file.nodes:
        for name in _named_by(node, file, helpers):
            text = name.value if isinstance(name, ast.Constant) else constants.get(getattr(name, 'id', ''))
            if isinstance(text, str) and _NAME.fullmatch(text):
                found.append(Read(text, name))
    return found


def listed_in(text: str) -> frozenset[str]:
    """The names that a list mentions; `*` at the end of one stands for anything."""
    return frozenset(_LISTED.findall(text.replace('\\_', '_')))


def not_read(text: str, names: Iterable[str]) -> list[tuple[int, str]]:
    """The lines, from 1, of a list whose row is about a variable that is not among those that are read, with the variable.

    Args:
        text (str):
            The list: Markdown, in which a row of a table or an item begins with the variable in backticks.
        names (Iterable[str]):
            The variables that are read.
    """
    known = set(names)
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*(?:\||[-*+]|#+)\s*`(?P<name>[A-Z_][A-Z0-9_]*\*?)`', line)
        if match and not any(fnmatchcase(name, match['name']) for name in known):
            found.append((number, match['name']))
    return found


def _is_listed(name: str, listed: frozenset[str]) -> bool:
    return name in listed or any(one.endswith('*') and name.startswith(one[:-1]) for one in listed)


def _named_by(node: ast.AST, file: 'File', helpers: dict[str, int]) -> Iterator[ast.expr]:
    """The expressions that name the variables which a node reads."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_environ(node.value, file):
        yield node.slice
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
        if _is_environ(node.comparators[0], file):
            yield node.left
    elif isinstance(node, ast.Call):
        full = file.bindings.resolve(dotted(node.func) or '')
        if full in _READERS:
            yield from node.args[:1]
            yield from (one.value for one in node.keywords if one.arg == 'key')
        elif full in helpers and len(node.args) > helpers[full]:
            yield node.args[helpers[full]]
        for one in node.keywords:
            if one.arg == _CLICK:
                yield from one.value.elts if isinstance(one.value, ast.List | ast.Tuple) else [one.value]


def _is_environ(node: ast.expr, file: 'File') -> bool:
    return file.bindings.resolve(dotted(node) or '') == _ENVIRON


def _constants(file: 'File') -> dict[str, object]:
    """The texts that names at the top of the file are bound to, once."""
    bound: dict[str, list[object]] = {}
    for node in scope_statements(file.statements):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    bound.setdefault(target.id, []).append(literal(node.value)[1])
    return {name: values[0] for name, values in bound.items() if len(values) == 1}


def _helpers(file: 'File') -> dict[str, int]:
    """The functions of the file that read the variable which they are given, each with the number of that parameter."""
    found = {}
    for function in scope_statements(file.statements):
        if not isinstance(function, FUNCTIONS):
            continue
        names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        for node in nodes_in_order(function.body):
            for one in _named_by(node, file, {}):
                if isinstance(one, ast.Name) and one.id in names:
                    found[function.name] = names.index(one.id)
    return found
