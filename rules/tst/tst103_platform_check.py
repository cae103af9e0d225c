# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.project.imports import last_name
from flakelint.rules.tst.suite import FILES, SuiteRule, full_name
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

# of the properties of a device, those that tell whose it is
_TELLING = frozenset({'gcnArchName', 'major', 'minor', 'name'})
_PROPERTIES = 'get_device_properties'
# what must only be called where there is such a device, and decides nothing
_UPKEEP = frozenset({
    'empty_cache', 'ipc_collect', 'manual_seed', 'manual_seed_all', 'max_memory_allocated', 'memory_allocated',
    'max_memory_reserved', 'mem_get_info', 'memory_reserved', 'reset_max_memory_allocated', 'reset_peak_memory_stats',
    'set_device', 'synchronize',
})
_SKIPS = frozenset({'skip', 'skipIf', 'skipUnless', 'skip_if', 'skipif', 'xfail'})
_MESSAGES = frozenset({'msg', 'reason'})


@dataclass(frozen=True)
class Options:
    """What the rule looks for.

    Args:
        files (tuple[str, ...]):
            Patterns of files that hold tests.
        checks (tuple[str, ...]):
            The full names of what tells one platform from another.
        allowed (tuple[str, ...]):
            Those of them that may be used all the same.
        helpers (tuple[str, ...]):
            The names to use instead.
    """

    files: tuple[str, ...] = FILES
    checks: tuple[str, ...] = (
        'torch.cuda.is_available', 'torch.cuda.get_device_capability', 'torch.cuda.get_device_name',
        'torch.cuda.get_device_properties', 'torch.version.cuda', 'torch.version.hip', 'torch.xpu.is_available',
    )
    allowed: tuple[str, ...] = ()
    helpers: tuple[str, ...] = (
        'IS_NVIDIA', 'IS_NVIDIA_HOPPER', 'IS_NVIDIA_BLACKWELL', 'IS_AMD', 'IS_INTEL',
    )


class PlatformCheck(SuiteRule):
    """A test that asks torch on which platform it runs.

    ## What it does
    Flags `torch.cuda.is_available()`, `torch.cuda.get_device_capability()`, `torch.version.hip` and their like in tests where they decide something: in a condition, a skip, an assertion, or a name that is used in one.

    ## Why is this bad?
    AMD's devices are `cuda` to torch as well, a capability means something else for each vendor, and each test that works it out by itself does so in another way. The constants of `fla.utils` say it once for all: `IS_NVIDIA_HOPPER`, `IS_AMD`. One that is missing is added there first.

    ## Example
    ```toml
    [rules.TST103]
    files = ["example.py"]
    ```

    ```python
    import pytest
    import torch

    IS_HOPPER = torch.cuda.get_device_capability()[0] >= 9


    @pytest.mark.skipif(not torch.cuda.is_available(), reason='needs a GPU')
    def test_descriptors():
        if not IS_HOPPER:
            pytest.skip('needs Hopper')
    ```

    ## Use instead
    ```toml
    [rules.TST103]
    files = ["example.py"]
    ```

    ```python
    import pytest

    from fla.utils import IS_NVIDIA_HOPPER


    @pytest.mark.skipif(not IS_NVIDIA_HOPPER, reason='needs Hopper')
    def test_descriptors():
        pass
    ```

    ## Known limits
    Sizes of a device, such as its memory or the number of its processors, say nothing of the platform. A condition under which there is nothing but upkeep, such as `torch.cuda.synchronize()`, is left alone.

    ## Options
    - `files`: patterns of files that hold tests, written as in a `.gitignore`. Default: `["test_*.py", "*_test.py"]`.
    - `checks`: the full names of what tells one platform from another. Default: `["torch.cuda.is_available", "torch.cuda.get_device_capability", "torch.cuda.get_device_name", "torch.cuda.get_device_properties", "torch.version.cuda", "torch.version.hip", "torch.xpu.is_available"]`.
    - `allowed`: those of them that may be used all the same. Default: `[]`.
    - `helpers`: the names that the message offers instead. Default: `["IS_NVIDIA", "IS_NVIDIA_HOPPER", "IS_NVIDIA_BLACKWELL", "IS_AMD", "IS_INTEL"]`.
    """

    code = 'TST103'
    name = 'platform-check'
    severity = 'warning'
    Options = Options

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._checks = frozenset(self.options.checks) - frozenset(self.options.allowed)
        self._last = frozenset(one.rpartition('.')[2] for one in self._checks)

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag what decides by the platform in a file of tests."""
        if not any(word in file.text for word in self._last) or not self._where.covers(file.path):
            return
        deciding = _deciding(file)
        sizes = {id(node.value.func) for node in file.nodes if _is_size(node)}
        for node in file.nodes:
            if not isinstance(node, ast.Attribute | ast.Name) or last_name(node) not in self._last:
                continue
            full = full_name(node, file)
            if full in self._checks and id(node) in deciding and id(node) not in sizes:
                yield self.finding(file.range(node), f'`{full}` decides by the platform: {self._advice}')

    @property
    def _advice(self) -> str:
        shown = ', '.join(f'`{name}`' for name in self.options.helpers[:3])
        return f'use a constant such as {shown}' if shown else 'use a constant that the repository keeps for it'


def _is_size(node: ast.AST) -> bool:
    """Whether an attribute of a device's properties is a size."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Call):
        return False
    return last_name(node.value.func) == _PROPERTIES and node.attr not in _TELLING


def _deciding(file: 'File') -> set[int]:
    """The nodes of expressions that decide something, those of names that do so included."""
    conditions: list[ast.AST] = []
    assigned: dict[str, list[ast.expr]] = {}
    for node in file.nodes:
        if isinstance(node, ast.If | ast.While | ast.IfExp) and _is_upkeep(node):
            continue
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            conditions.append(node.test)
        elif isinstance(node, ast.comprehension):
            conditions.extend(node.ifs)
        elif isinstance(node, ast.Call) and last_name(node.func) in _SKIPS:
            conditions.extend(node.args[:1])
            conditions.extend(one.value for one in node.keywords if one.arg not in _MESSAGES)
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Compare | ast.BoolOp | ast.UnaryOp):
            conditions.append(node.value)
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Call):
            conditions.append(node.value.func)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                for one in names:
                    assigned.setdefault(last_name(one), []).append(node.value)
    found: set[int] = set()
    names: set[str] = set()
    sizes = {id(node.value) for node in file.nodes if isinstance(node, ast.Attribute) and node.attr not in _TELLING}
    while conditions:
        for node in nodes_in_order([conditions.pop()]):
            found.add(id(node))
            name = node.id if isinstance(node, ast.Name) else ''
            if name in assigned and name not in names and id(node) not in sizes:
                names.add(name)
                conditions.extend(one for one in assigned[name] if _is_verdict(one))
    return found


def _is_verdict(value: ast.expr) -> bool:
    """Whether a value says something by itself, and is not made from what it asks."""
    while isinstance(value, ast.UnaryOp | ast.Subscript | ast.Attribute):
        value = value.operand if isinstance(value, ast.UnaryOp) else value.value
    return isinstance(value, ast.Compare | ast.BoolOp | ast.Call | ast.Name)


def _is_upkeep(node: ast.If | ast.While | ast.IfExp) -> bool:
    if isinstance(node, ast.IfExp):
        return any(isinstance(one, ast.Call) and last_name(one.func) in _UPKEEP for one in nodes_in_order([node.body]))
    calls = [one.value for one in node.body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)]
    return not node.orelse and len(calls) == len(node.body) and all(last_name(one.func) in _UPKEEP for one in calls)
