# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.kernel.host_calls import REFERENCE
from flakelint.project.ignore import Where
from flakelint.project.statements import scope_statements

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding


@dataclass(frozen=True)
class Options:
    """The options of the rule.

    Args:
        operators (tuple[str, ...]):
            Patterns of the modules that export an operator.
        shared (tuple[str, ...]):
            Patterns of those that are none, though they fit.
    """

    operators: tuple[str, ...] = ('ops/*/__init__.py',)
    shared: tuple[str, ...] = ('ops/common/', 'ops/utils/', 'ops/backends/', 'ops/cp/')


# what is one direction of an operator, and shared by several of them
_PASS = re.compile(r'_(?:fwd|bwd)(?:_|$)')


class MissingNaive(Rule):
    """An operator without a reference implementation.

    ## What it does
    Looks at the modules that export an operator, by default `ops/<op>/__init__.py`,
    and asks for a module beside them whose name says that it holds the reference, such as `naive.py`.
    It is fine if the reference is imported from a module of that name elsewhere.
    Modules that export nothing from their own package are left alone.

    ## Why is this bad?
    What a kernel computes is defined by the reference in plain PyTorch: tests compare outputs and gradients with it,
    and a reader learns from it what the kernel is meant to do.

    ## Example
    ```toml
    [rules.OPS105]
    operators = ["example.py"]
    ```

    ```python
    from .chunk import chunk_decay
    from .fused_recurrent import fused_recurrent_decay

    __all__ = ['chunk_decay', 'fused_recurrent_decay']
    ```

    ## Use instead
    ```python
    from .chunk import chunk_decay
    from .fused_recurrent import fused_recurrent_decay
    from .naive import naive_recurrent_decay

    __all__ = ['chunk_decay', 'fused_recurrent_decay', 'naive_recurrent_decay']
    ```

    ## Known limits
    Whether the reference covers all that the operator can do is not looked at.

    ## Options
    - `operators`: patterns of the modules that export an operator, written as in a `.gitignore`. Default: `["ops/*/__init__.py"]`.
    - `shared`: patterns of modules that are none, though they fit. Default: `["ops/common/", "ops/utils/", "ops/backends/", "ops/cp/"]`.
    """

    code = 'OPS105'
    name = 'missing-naive'
    severity = 'warning'
    Options = Options

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._operators = Where(_anywhere(self.options.operators))
        self._shared = Where(_anywhere(self.options.shared))

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Look for the reference of the operator that a module exports."""
        if not self._is_operator(file.path):
            return
        imports = [node for node in scope_statements(file.statements) if isinstance(node, ast.ImportFrom)]
        own = [node for node in imports if _is_own(node, file)]
        if not own or all(_PASS.search(one.name) for node in own for one in node.names):
            return
        if any(REFERENCE in name.lower() for node in imports for name in (node.module or '').split('.')):
            return
        if not file.repository.host(file.module).has_reference:
            folder = file.path.rpartition('/')[0]
            place = f'`{folder}/`' if folder else 'its folder'
            exported = own[0].names[0].name
            what = f'the operator that exports `{exported}` has no reference implementation'
            advice = 'write one in plain PyTorch, and test against it'
            yield self.finding(file.range(own[0]), f'{what}: {place} holds no `{REFERENCE}.py`; {advice}')

    def _is_operator(self, path: str) -> bool:
        return self._operators.covers(path) and not self._shared.covers(path)


def _anywhere(patterns: tuple[str, ...]) -> list[str]:
    """Patterns that hold at any depth: with a slash inside they would be bound to the root."""
    return [pattern if pattern.startswith(('/', '**/', '!')) else f'**/{pattern}' for pattern in patterns]


def _is_own(node: ast.ImportFrom, file: 'File') -> bool:
    """Whether an import takes something from a module beside a file; one that is not seen may be beside it."""
    target = file.repository.index.modules.find('.' * node.level + (node.module or ''), file.path)
    folder = file.path.rpartition('/')[0]
    if target is not None:
        return target.rpartition('/')[0] == folder and not target.endswith('/') and target != file.path
    return node.level == 1 and bool(node.module) and '.' not in node.module
