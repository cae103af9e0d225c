# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit
from flakelint.engine.rule import unsafe
from flakelint.project.imports import last_name
from flakelint.project.statements import FUNCTIONS
from flakelint.rules.tst.suite import FILES, Suite, SuiteRule, full_name, suite_of
from flakelint.source.syntax import nodes_in_order
from flakelint.source.text import Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

# parameters that take a device
_PARAMETERS = frozenset({'device', 'device_type', 'map_location', 'devices', 'device_id'})
# names that hold one
_HOLDERS = re.compile(r'(?i)(?:.*_)?(?:device|dev)(?:s|_?type|_?name|_?str|_?id)?(?:_\w+)?')
_TAKERS = frozenset({
    'torch.Generator', 'torch.Stream', 'torch.amp.GradScaler', 'torch.amp.autocast', 'torch.autocast', 'torch.device',
    'torch.get_device_module', 'torch.set_default_device', 'torch.accelerator.set_device_index',
})
_MOVES = frozenset({'to', 'to_empty'})
# Triton's own name of a target, and texts that are compared or patched
_OTHER_CALLS = frozenset({
    'GPUTarget', 'delenv', 'getattr', 'hasattr', 'importorskip', 'patch', 'setattr', 'setenv', 'skip', 'skipif',
})


@dataclass(frozen=True)
class Options:
    """What the rule looks for.

    Args:
        files (tuple[str, ...]):
            Patterns of files that hold tests, or what they share.
        devices (tuple[str, ...]):
            The names of devices that are not to be written out.
        helpers (tuple[str, ...]):
            The full names of what to use instead; the first is the device.
    """

    files: tuple[str, ...] = (*FILES, 'conftest.py')
    devices: tuple[str, ...] = ('cuda', 'hip', 'xpu', 'npu')
    helpers: tuple[str, ...] = ('fla.utils.device', 'fla.utils.device_platform')


class LiteralDevice(SuiteRule):
    """A test that is bound to one kind of device.

    ## What it does
    Flags the names of devices that are written out in tests where a device is meant: `device='cuda'`, `.to('cuda:0')`, `torch.device('cuda')`, `.cuda()`, variables and parameters called `device`, and the values of such a parameter.

    ## Why is this bad?
    The test cannot run on another vendor's accelerator or on the CPU, although the operator can. `fla.utils.device` is the device of the machine at hand.

    ## Example
    ```toml
    [rules.TST102]
    files = ["example.py"]
    ```

    ```python
    import torch


    def test_softmax():
        torch.manual_seed(42)
        x = torch.randn(4, 63, device='cuda')
        y = torch.randn(4, 63).cuda()
        assert torch.softmax(x + y, -1).isfinite().all()
    ```

    ## Use instead
    ```toml
    [rules.TST102]
    files = ["example.py"]
    ```

    ```python
    import torch

    from fla.utils import device


    def test_softmax():
        torch.manual_seed(42)
        x = torch.randn(4, 63, device=device)
        y = torch.randn(4, 63).to(device)
        assert torch.softmax(x + y, -1).isfinite().all()
    ```

    ## Fix safety
    Unsafe: a test may need the device that it names. A fix is offered only where `device` is imported from the helpers already.

    ## Known limits
    A name that is compared with something, such as `device_platform == 'cuda'`, is left alone, and so are reasons, ids, marks, docstrings, and texts that are handed to other functions than those that are known to take a device.

    ## Options
    - `files`: patterns of files that hold tests or what they share, written as in a `.gitignore`. Default: `["test_*.py", "*_test.py", "conftest.py"]`.
    - `devices`: the names of devices that are not to be written out. Default: `["cuda", "hip", "xpu", "npu"]`.
    - `helpers`: the full names of what to use instead; the first is the device. Default: `["fla.utils.device", "fla.utils.device_platform"]`.
    """

    code = 'TST102'
    name = 'literal-device'
    severity = 'warning'
    fix = 'unsafe'
    Options = Options

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        names = '|'.join(map(re.escape, self.options.devices))
        self._literal = re.compile(rf'(?:{names})(?::\d*)?') if names else None

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag the devices that are written out in a file of tests."""
        if self._literal is None or not self._literal.search(file.text) or not self._where.covers(file.path):
            return
        places = _Places(file)
        for node in file.nodes:
            if isinstance(node, ast.Call) and self._is_move(node, file):
                yield self._moved(node, file)
        for node in sorted(places.devices, key=lambda one: (one.lineno, one.col_offset)):
            if self._is_device(node):
                yield self._named(node, places, file)

    def _is_device(self, node: ast.expr) -> bool:
        if isinstance(node, ast.JoinedStr):
            head = node.values[0] if node.values else None
            is_text = isinstance(head, ast.Constant) and isinstance(head.value, str)
            return is_text and len(node.values) > 1 and head.value.endswith(':') and bool(self._literal.fullmatch(head.value))
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        return is_text and bool(self._literal.fullmatch(node.value))

    def _is_move(self, node: ast.Call, file: 'File') -> bool:
        """Whether a call is `x.cuda()`."""
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr not in self.options.devices:
            return False
        above = full_name(function.value, file)
        is_plain = all(isinstance(one, ast.Constant | ast.Name) for one in node.args)
        return above != 'torch' and len(node.args) <= 1 and is_plain and {one.arg for one in node.keywords} <= {
            'device', 'non_blocking', 'memory_format',
        }

    def _moved(self, node: ast.Call, file: 'File') -> 'Finding':
        place = Range(file.range(node.func.value).end, file.range(node).end)
        written = f'.{node.func.attr}({", ".join(map(ast.unparse, (*node.args, *node.keywords)))})'
        message = f'`{written}` names one kind of device: {self._advice("`.to({})`")}'
        fix = None
        name = self._imported(file)
        if name and not node.args and not node.keywords and not _rebinds(node, name, file):
            fix = unsafe(f'Move it to `{name}`', Edit(place, f'.to({name})'))
        return self.finding(place, message, fix)

    def _named(self, node: ast.expr, places: '_Places', file: 'File') -> 'Finding':
        message = f'`{ast.unparse(node)}` names one kind of device: {self._advice("`{}`")}'
        name = self._imported(file)
        is_plain = isinstance(node, ast.Constant) and ':' not in node.value and node in places.replaceable
        fix = None
        if name and is_plain and not _rebinds(node, name, file):
            fix = unsafe(f'Use `{name}`', Edit(file.range(node), name))
        return self.finding(file.range(node), message, fix)

    def _advice(self, form: str) -> str:
        if not self.options.helpers:
            return 'take the device of the machine'
        module, _, name = self.options.helpers[0].rpartition('.')
        return f'use {form.format(name)} of `{module}`'

    def _imported(self, file: 'File') -> str:
        """The name under which the file imports the device; nothing where it does not."""
        device = self.options.helpers[0] if self.options.helpers else ''
        return next((name for name, full in file.bindings.items() if full == device and name != full), '')


class _Places:
    """The expressions of a file that stand where a device is meant.

    Args:
        file (File):
            The file.
    """

    def __init__(self, file: 'File') -> None:
        self._file = file
        self.devices: set[ast.expr] = set()
        # those that may be replaced by a name
        self.replaceable: set[ast.expr] = set()
        for node in file.nodes:
            if isinstance(node, ast.Call):
                self._of_call(node)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(_HOLDERS.fullmatch(last_name(target)) for target in targets):
                    self._add(node.value, False)
            elif isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value in _PARAMETERS:
                        self._add(value, True)
            elif isinstance(node, FUNCTIONS):
                self._of_defaults(node)

    def _of_call(self, node: ast.Call) -> None:
        name = last_name(node.func)
        if name in _OTHER_CALLS:
            return
        for keyword in node.keywords:
            if keyword.arg in _PARAMETERS:
                self._add(keyword.value, True)
        full = full_name(node.func, self._file)
        if name == 'parametrize':
            self._of_cases(node)
        elif node.args and (full in _TAKERS or (isinstance(node.func, ast.Attribute) and name in _MOVES)):
            self._add(node.args[0], True)
        elif isinstance(node.func, ast.Name) and name in self._suite.functions:
            parameters = [one.arg for one in self._suite.functions[name].args.args]
            for parameter, value in zip(parameters, node.args, strict=False):
                if parameter in _PARAMETERS:
                    self._add(value, True)

    def _of_cases(self, node: ast.Call) -> None:
        """The values of a parameter that is called a device; those of several parameters are not told apart."""
        if len(node.args) < 2 or not isinstance(node.args[0], ast.Constant) or node.args[0].value not in _PARAMETERS:
            return
        cases = node.args[1]
        for case in cases.elts if isinstance(cases, ast.List | ast.Tuple) else ():
            is_param = isinstance(case, ast.Call) and last_name(case.func) == 'param'
            for value in case.args if is_param else [case]:
                self._add(value, True)

    def _of_defaults(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        positional = [*node.args.posonlyargs, *node.args.args]
        pairs = [*zip(positional[len(positional) - len(node.args.defaults):], node.args.defaults, strict=True)]
        pairs.extend(zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True))
        for parameter, value in pairs:
            if parameter.arg in _PARAMETERS and value is not None:
                self._add(value, False)

    def _add(self, value: ast.expr, is_replaceable: bool) -> None:
        parts = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
        if isinstance(value, ast.List | ast.Tuple):
            parts = value.elts
        self.devices.update(parts)
        if is_replaceable and parts == [value]:
            self.replaceable.add(value)

    @cached_property
    def _suite(self) -> Suite:
        return suite_of(self._file)


def _rebinds(node: ast.expr, name: str, file: 'File') -> bool:
    """Whether a function around a node, or the file, binds a name to something else than the import."""
    for one in file.nodes:
        if isinstance(one, FUNCTIONS) and one.lineno <= node.lineno <= one.end_lineno:
            parameters = [arg.arg for arg in nodes_in_order([one.args]) if isinstance(arg, ast.arg)]
            if name in parameters:
                return True
        elif isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store):
            return True
    return False
