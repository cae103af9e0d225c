# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.config import SettingsError
from flakelint.engine.rule import Rule
from flakelint.project.answers import BELOW, IMPORTED
from flakelint.project.ignore import Where
from flakelint.project.statements import FUNCTIONS, scope_statements
from flakelint.rules.rep.packages import TOP, captured, exports_own

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

_PACKAGE = '__init__.py'


@dataclass(frozen=True)
class Options:
    """Which file asks for which test.

    Args:
        tests (tuple[str, ...]):
            Paths of files, and behind a colon those of their tests; `*` stands for the same name in both.
        imported (tuple[str, ...]):
            Patterns of files for which any test is enough that imports something of them.
        folder (str):
            The folder of the tests.
        shared (tuple[str, ...]):
            Patterns of files that ask for none, though they fit.
    """

    tests: tuple[str, ...] = (
        'fla/ops/*/__init__.py: tests/ops/test_*.py',
        'fla/models/*/__init__.py: tests/models/test_modeling_*.py',
        'fla/modules/*.py: tests/modules/test_*.py',
        'fla/layers/*.py: tests/layers/test_*.py',
    )
    imported: tuple[str, ...] = ('fla/modules/', 'fla/layers/')
    folder: str = 'tests/'
    shared: tuple[str, ...] = (
        'fla/ops/common/', 'fla/ops/utils/', 'fla/ops/backends/', 'fla/ops/cp/', 'fla/modules/__init__.py',
        'fla/layers/__init__.py', 'utils.py',
    )


class MissingTest(Rule):
    """An operator, a module, a layer or a model without a test.

    ## What it does
    Asks for the test file that belongs to a file: `tests/ops/test_gla.py` for `fla/ops/gla/`, `tests/models/test_modeling_gla.py` for `fla/models/gla/`. For modules and layers any test is enough that imports something of them.

    ## Why is this bad?
    What no test compares with its reference is wrong sooner or later, and a test in an unexpected place is not found by whoever changes the operator.

    ## Example
    ```toml
    [rules.TST109]
    tests = ["*.py: tests/test_*.py"]
    imported = []
    ```

    ```python
    import torch


    def gate(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.logsigmoid(x.float())
    ```

    ## Use instead
    Write the test; a file with nothing public asks for none.

    ```toml
    [rules.TST109]
    tests = ["*.py: tests/test_*.py"]
    imported = []
    ```

    ```python
    import torch


    def _gate(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.logsigmoid(x.float())
    ```

    ## Known limits
    What a test looks at is not looked at. Packages that export nothing from their own modules, and modules without public functions and classes, ask for no test. Where a repository shows no test at all, they are kept elsewhere, and nothing is said.

    ## Options
    - `tests`: paths of files, and behind a colon those of their tests; `*` stands for the same name in both. Default: `["fla/ops/*/__init__.py: tests/ops/test_*.py", "fla/models/*/__init__.py: tests/models/test_modeling_*.py", "fla/modules/*.py: tests/modules/test_*.py", "fla/layers/*.py: tests/layers/test_*.py"]`.
    - `imported`: patterns of files for which any test is enough that imports something of them, written as in a `.gitignore`. Default: `["fla/modules/", "fla/layers/"]`.
    - `folder`: the folder of the tests. Default: `"tests/"`.
    - `shared`: patterns of files that ask for none, though they fit. Default: `["fla/ops/common/", "fla/ops/utils/", "fla/ops/backends/", "fla/ops/cp/", "fla/modules/__init__.py", "fla/layers/__init__.py", "utils.py"]`.
    """

    code = 'TST109'
    name = 'missing-test'
    severity = 'warning'
    Options = Options

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._pairs = []
        for one in self.options.tests:
            source, colon, test = one.partition(':')
            if not colon or source.count('*') > 1:
                raise SettingsError(f'rules.TST109: `tests`: `{one}` is no path, a colon, and the path of its test')
            self._pairs.append((source.strip(), test.strip()))
        self._imported = Where(self.options.imported)
        self._shared = Where(self.options.shared)

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Look for the test that belongs to a file."""
        for source, test in self._pairs:
            name = captured(source, file.path)
            if name is None or name.startswith('_') or self._shared.covers(file.path) or not _has_something(file):
                continue
            expected = test.replace('*', name)
            if not self._is_tested(expected, file):
                is_any_enough = self._imported.covers(file.path)
                what = f'nothing tests `{name}`' if is_any_enough else f'`{name or file.path}` has no test file'
                place = f'`{file.path.rpartition("/")[0]}/`' if file.path.endswith(_PACKAGE) else f'`{file.path}`'
                yield self.finding(TOP, f'{what}: write `{expected}` for {place}')
            return

    def _is_tested(self, expected: str, file: 'File') -> bool:
        tests = file.ask(BELOW, self.options.folder)
        if expected in tests or (not tests and file.repository.index.files.paths):
            return True
        if not self._imported.covers(file.path):
            return False
        # a folder without `__init__.py` is a package too
        modules = {file.repository.index.modules.name(file.path), file.path.removesuffix('.py').replace('/', '.')}
        names: set[str] = set()
        for module in modules:
            parts = module.split('.')
            packages = ['.'.join(parts[:count]) for count in range(1, len(parts) + 1)]
            names.update((module, *(f'{package}.{name}' for package in packages for name in _public(file))))
        return bool(file.ask(f'{IMPORTED}:{self.options.folder}', ' '.join(sorted(names))))


def _has_something(file: 'File') -> bool:
    return exports_own(file) if file.path.endswith(_PACKAGE) else bool(_public(file))


def _public(file: 'File') -> list[str]:
    """The public functions and classes that a file defines."""
    nodes = scope_statements(file.statements)
    return [node.name for node in nodes if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and not node.name.startswith('_')]
