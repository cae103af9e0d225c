# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.project.ignore import Where
from flakelint.project.imports import dotted
from flakelint.rules.tst.suite import FILES, Suite, SuiteRule, Test, is_package, name_range, suite_of, words

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

_CAMEL = re.compile(r'(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])')
_TEST = 'test'
_NAIVE = ('naive', 'ref', 'reference')
# words that are alike up to here are one word in two forms: `recurrent` and `recurrence`
_STEM = 5


@dataclass(frozen=True)
class Options:
    """What the rule looks at.

    Args:
        files (tuple[str, ...]):
            Patterns of files that hold tests.
        folders (tuple[str, ...]):
            Patterns of the folders with tests of operators.
        package (tuple[str, ...]):
            The packages under test.
        tools (tuple[str, ...]):
            Modules whose functions are no entry points.
    """

    files: tuple[str, ...] = FILES
    folders: tuple[str, ...] = ('tests/ops/',)
    package: tuple[str, ...] = ('fla',)
    tools: tuple[str, ...] = ('fla.utils',)


class TestName(SuiteRule):
    """A test of an operator whose name does not say which function it exercises.

    ## What it does
    Looks at the tests of operators, and flags those whose names share no word with any function or class of the package that the test uses, by itself or through functions of the same file.

    ## Why is this bad?
    A test that fails should say by its name what is broken: `test_chunk` and `test_fused_recurrent_varlen` do, `test_it_works` does not. Coverage and the tests that a change affects are also found by entry point.

    ## Example
    ```toml
    [rules.TST108]
    files = ["example.py"]
    folders = ["example.py"]
    ```

    ```python
    import torch

    from fla.ops.gla import chunk_gla
    from fla.utils import device


    def test_long_sequences():
        torch.manual_seed(42)
        q, k, v, g = torch.randn(4, 1, 2000, 2, 64, device=device)
        assert chunk_gla(q, k, v, g)[0].isfinite().all()
    ```

    ## Use instead
    ```toml
    [rules.TST108]
    files = ["example.py"]
    folders = ["example.py"]
    ```

    ```python
    import torch

    from fla.ops.gla import chunk_gla
    from fla.utils import device


    def test_chunk_long_sequences():
        torch.manual_seed(42)
        q, k, v, g = torch.randn(4, 1, 2000, 2, 64, device=device)
        assert chunk_gla(q, k, v, g)[0].isfinite().all()
    ```

    ## Known limits
    Functions that reach the test in another way than by an import of the file are not known, and a test that uses none that is known is left alone. So is one of several entry points: its name cannot name them all.

    ## Options
    - `files`: patterns of files that hold tests, written as in a `.gitignore`. Default: `["test_*.py", "*_test.py"]`.
    - `folders`: patterns of the folders with tests of operators. Default: `["tests/ops/"]`.
    - `package`: the packages under test. Default: `["fla"]`.
    - `tools`: modules whose functions are no entry points. Default: `["fla.utils"]`.
    """

    code = 'TST108'
    name = 'test-name'
    severity = 'warning'
    Options = Options

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._folders = Where(self.options.folders)

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Compare the names of tests with those of what they use."""
        if 'def test_' not in file.text or not self._folders.covers(file.path) or not self._where.covers(file.path):
            return
        suite = suite_of(file)
        for test in suite.tests:
            used = self._used(test, suite, file)
            if len([name for name in used if not _is_reference(name)]) > 1:
                continue
            own = [word for word in words(test.function.name) if word != _TEST]
            if test.owner is not None:
                own.extend(word for word in words(_CAMEL.sub('_', test.owner.name)) if word != _TEST)
            known = {word for name in used for word in words(_CAMEL.sub('_', name))}
            # names of modules are written together: `simplegla` for `simple_gla`
            joined = {''.join(words(name)) for name in used}
            if used and not any(_alike(word, other) for word in own for other in known | joined):
                message = f'`{test.function.name}` exercises `{used[0]}`, and does not say so: name it after the entry point'
                yield self.finding(name_range(test.function, file), message)

    def _used(self, test: Test, suite: Suite, file: 'File') -> list[str]:
        """The functions and classes of the package that a test uses, those that are no references first."""
        found: dict[str, None] = {}
        inner: set[int] = set()
        for node in [*suite.nodes(test), *suite.decorators(test)]:
            name = dotted(node) if isinstance(node, ast.Name | ast.Attribute) and id(node) not in inner else None
            if name is None:
                continue
            inner.update(id(one) for one in ast.walk(node))
            full = file.bindings.resolve(name)
            if full == name or not is_package(full, self.options.package):
                continue
            module, _, last = full.rpartition('.')
            entry = next((part for part in full.split('.') if part[:1].isupper()), last)
            is_tool = any(f'{module}.'.startswith(f'{tool}.') for tool in self.options.tools)
            if entry and not is_tool and not entry.isupper() and not entry.startswith('_'):
                found[entry] = None
        return sorted(found, key=_is_reference)


def _is_reference(name: str) -> bool:
    return any(word in _NAIVE for word in words(name))


def _alike(word: str, other: str) -> bool:
    if word.rstrip('s') == other.rstrip('s'):
        return True
    short = min(len(word), len(other))
    return short >= _STEM and (word.startswith(other) or other.startswith(word) or word[:_STEM + 2] == other[:_STEM + 2])
