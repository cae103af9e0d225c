# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.project.answers import TEXT
from flakelint.project.imports import dotted, last_name
from flakelint.project.meanings import target_names
from flakelint.rules.tst.comparisons import is_comparison
from flakelint.rules.tst.randomness import draws_floats
from flakelint.rules.tst.suite import FILES, Suite, SuiteRule, Test, is_package, name_range, suite_of, words
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

_GRADIENT = re.compile(r'(?i)grad|backward|bwd|jacobian|hessian|\bvjp|\bjvp')
# what mentions gradients only to do without them
_WITHOUT = frozenset({'enable_grad', 'inference_mode', 'no_grad', 'set_grad_enabled'})
_OFF = frozenset({'inference_mode', 'no_grad'})
_REQUIRES = ('requires_grad', 'requires_grad_')
# words of functions that have no gradient, or are not the operator under test
_OF_MODULES = frozenset({'layers', 'models', 'modules'})
_NO_OPERATOR = frozenset({
    'assert', 'cdiv', 'close', 'config', 'convert', 'cumsum', 'device', 'dequant', 'dequantize', 'dtype', 'fp4', 'fp8',
    'index', 'indices', 'int4', 'int8', 'mask', 'naive', 'offsets', 'pack', 'prepare', 'quant', 'quantize', 'ref',
    'reference', 'topk', 'torch', 'unpack',
})


@dataclass(frozen=True)
class Options:
    """What the rule looks at.

    Args:
        files (tuple[str, ...]):
            Patterns of files that hold tests.
        package (tuple[str, ...]):
            The packages under test.
        forward (tuple[str, ...]):
            Words that say of a test or a function that there is no backward pass.
    """

    files: tuple[str, ...] = FILES
    package: tuple[str, ...] = ('fla',)
    forward: tuple[str, ...] = (
        'forward', 'fwd', 'inference', 'infer', 'decode', 'decoding', 'generate', 'generation', 'prefill', 'step', 'cache',
        'cached', 'metadata', 'state', 'update', 'determinism', 'deterministic',
    )


class ForwardOnly(SuiteRule):
    """A test of an operator that never looks at gradients.

    ## What it does
    Flags tests that hand random tensors to something of the package under test and compare the result within a tolerance, if neither the test nor a function that it uses has to do with gradients.

    ## Why is this bad?
    The backward pass is where most of the arithmetic is, and most of the faults. An optimised kernel equals its reference in outputs and every gradient, and a test of the outputs alone says so of half of it.

    ## Example
    ```toml
    [rules.TST104]
    files = ["example.py"]
    ```

    ```python
    import torch

    from fla.ops.gla import chunk_gla
    from fla.ops.gla.naive import naive_recurrent_gla
    from fla.utils import assert_close, device


    def test_chunk():
        torch.manual_seed(42)
        q, k, v, g = torch.randn(4, 1, 63, 2, 32, device=device).unbind(0)
        ref = naive_recurrent_gla(q, k, v, g.sigmoid().log())
        tri = chunk_gla(q, k, v, g.sigmoid().log())
        assert_close('o', ref, tri, 0.005)
    ```

    ## Use instead
    ```toml
    [rules.TST104]
    files = ["example.py"]
    ```

    ```python
    import torch

    from fla.ops.gla import chunk_gla
    from fla.ops.gla.naive import naive_recurrent_gla
    from fla.utils import assert_close, device


    def test_chunk():
        torch.manual_seed(42)
        inputs = [torch.randn(1, 63, 2, 32, device=device, requires_grad=True) for _ in range(3)]
        do = torch.randn(1, 63, 2, 32, device=device)
        ref = naive_recurrent_gla(*inputs)
        tri = chunk_gla(*inputs)
        assert_close('o', ref, tri, 0.005)
        gradients = zip(torch.autograd.grad(ref, inputs, do), torch.autograd.grad(tri, inputs, do), strict=True)
        for name, (a, b) in zip('qkv', gradients, strict=True):
            assert_close(f'd{name}', a, b, 0.005)
    ```

    ## Known limits
    Tests without gradients (`torch.no_grad()`), and those whose name or file says that there is no backward pass, are left alone, as are those of functions of integers, of references, and of tools from modules called `utils`. That every gradient is compared is not looked at.

    ## Options
    - `files`: patterns of files that hold tests, written as in a `.gitignore`. Default: `["test_*.py", "*_test.py"]`.
    - `package`: the packages under test. Default: `["fla"]`.
    - `forward`: words that say of a test or a function that there is no backward pass. Default: `["forward", "fwd", "inference", "infer", "decode", "decoding", "generate", "generation", "prefill", "step", "cache", "cached", "metadata", "state", "update", "determinism", "deterministic"]`.
    """

    code = 'TST104'
    name = 'forward-only'
    severity = 'warning'
    Options = Options

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._forward = frozenset(self.options.forward)

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag the tests of a file that compare outputs alone."""
        if 'close' not in file.text or 'rand' not in file.text or not self._where.covers(file.path):
            return
        stem = file.path.rpartition('/')[2].removesuffix('.py')
        if self._forward & set(words(stem)) or not any(self._is_operator(name, file) for name, _ in file.bindings.items()):
            return
        suite = suite_of(file)
        for test in suite.tests:
            name = test.function.name
            if self._forward & set(words(name)) or (test.owner is not None and suite.has_strange_base(test.owner)):
                continue
            nodes = [*suite.nodes(test), *nodes_in_order(test.function.decorator_list)]
            if not any(draws_floats(node, file) for node in nodes) or _has_gradients(nodes, test) or _is_off(nodes):
                continue
            operator = self._compared(test, suite, file)
            if operator and not self._is_followed(nodes, suite, file):
                message = f'`{name}` compares what `{operator}` gives, and none of its gradients: compare those too'
                yield self.finding(name_range(test.function, file), message)

    def _is_operator(self, name: str, file: 'File') -> bool:
        """Whether an imported name is something of the package that may have a gradient."""
        full = file.bindings.resolve(name)
        parts = full.lstrip('.').split('.')
        if full == name or not is_package(full, self.options.package) or 'utils' in parts or 'naive' in parts:
            return False
        # of classes, modules have gradients, and a store or an observer has none
        if parts[-1][:1].isupper() and not _OF_MODULES.intersection(parts):
            return False
        return not (self._forward | _NO_OPERATOR) & set(words(parts[-1]))

    def _compared(self, test: Test, suite: Suite, file: 'File') -> str:
        """The operator whose result the test or a function that it uses compares; nothing where there is none."""
        for function in suite.reached(test):
            # where a value comes from, by the name that holds it
            origins: dict[str, str] = {}
            for node in suite.whole(function):
                if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and node.value is not None:
                    origin = self._origin(node.value, origins, file)
                    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                        origins.update((name, origin) for name in target_names(target) if origin)
                elif is_comparison(node, file):
                    for value in node.args:
                        origin = self._origin(value, origins, file)
                        if origin:
                            return origin
        return ''

    def _origin(self, value: ast.expr, origins: dict[str, str], file: 'File') -> str:
        for node in ast.walk(value):
            if isinstance(node, ast.Name) and node.id in origins:
                return origins[node.id]
            name = dotted(node.func) if isinstance(node, ast.Call) else None
            if name and self._is_operator(name, file):
                return name.rpartition('.')[2]
        return ''

    def _is_followed(self, nodes: list[ast.AST], suite: Suite, file: 'File') -> bool:
        """Whether a test uses something of another file, not of the package, that may look at gradients."""
        called = [dotted(node.func) or '' for node in nodes if isinstance(node, ast.Call)]
        for name in {one.partition('.')[0] for one in called} - {''}:
            full = file.bindings.resolve(name)
            if full == name or full.partition('.')[0] in self.options.package:
                continue
            target = file.repository.index.modules.find(full.rpartition('.')[0] or full, file.path)
            texts = file.ask(TEXT, target) if target is not None and not target.endswith('/') else ()
            if any(_GRADIENT.search(text) for text in texts):
                return True
        return False


def _has_gradients(nodes: list[ast.AST], test: Test) -> bool:
    """Whether anything in a test is called by a word for gradients."""
    if _GRADIENT.search(test.function.name):
        return True
    for node in nodes:
        name = _name_of(node)
        if not name or name in _WITHOUT or not _GRADIENT.search(name):
            continue
        # that a tensor requires a gradient is not to look at it
        if name not in _REQUIRES:
            return True
    return False


def _name_of(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.arg | ast.keyword):
        return node.arg or ''
    if isinstance(node, ast.FunctionDef):
        return node.name
    # `getattr(x, 'grad')`, and texts of code
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ''


def _is_off(nodes: list[ast.AST]) -> bool:
    return any(isinstance(node, ast.Name | ast.Attribute) and last_name(node) in _OFF for node in nodes)
