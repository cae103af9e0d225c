# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from flakelint.engine import versions
from flakelint.engine.rule import Rule
from flakelint.engine.settings import Settings
from flakelint.kernel import api
from flakelint.kernel.api import LANGUAGE, TENSOR, Api, Entry, Version
from flakelint.kernel.api.replacements import of_keyword, of_name, was_there_before
from flakelint.kernel.api.spans import spelled
from flakelint.kernel.api.uses import Use, is_chosen, uses
from flakelint.kernel.reached import left_out
from flakelint.kernel.tensors import are_tensors
from flakelint.project.imports import dotted
from flakelint.rules.tri.recorded import values_of
from flakelint.source.expressions import defaults_of, written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel

# what TRI201 block-pointer tells of
_BLOCK_POINTERS = frozenset({'advance', 'make_block_ptr'})
_OF_BLOCK_POINTERS = frozenset({'boundary_check', 'padding_option'})
# of these TRI311 operand-mismatch tells what no release takes, and counts the arguments
_OPERANDS = re.compile(r'load|store|dot|atomic_\w+')
_OLDER = frozenset({'trans_a', 'trans_b'})
# of these TRI304 constexpr-shape counts the arguments
_SHAPES = frozenset({
    'arange', 'broadcast_to', 'full', 'num_programs', 'program_id', 'reshape', 'static_assert', 'static_range', 'view',
    'zeros',
})
# of these TRI301 unsupported-syntax tells
_BOUNDS = frozenset({'end', 'start', 'stop'})
_HIDDEN = frozenset({'_builder', '_generator', '_semantic'})


class RemovedApi(Rule):
    """A name, keyword or method that some of the supported Triton versions do not have.

    ## What it does
    Compares what a kernel uses of `triton.language` with tables of what each release offers, made from the releases themselves, and finds

    - functions, types and modules that are gone, such as `tl.libdevice` or `tl.math.tanh`;
    - keywords that a function or a method does not take, such as `keepdim=` of `tl.sum`, `axis=` of `tl.softmax`, `trans_b=` of `tl.dot`, and more positional arguments than it takes;
    - methods of tensors that only some releases have, such as `.item()`, where the value is certainly a tensor.

    The setting `target-triton` says which releases count. Without it only what the newest release lacks is reported; with it, such as `target-triton = ">=3.4,<4"`, also what an older one of these does not have yet.

    ## Why is this bad?
    A kernel that names what is not there fails when it is first compiled for that path, with an `AttributeError` or a `TypeError`: in production after an upgrade, or for a user with an older version. The imports go through, since nothing looks at the body of a kernel before it is launched.

    ## Example
    ```python
    import triton
    import triton.language as tl


    @triton.jit
    def gelu_fwd_kernel(x, y, n, B: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
        b_x = tl.load(x + o, mask=o < n, other=0.0)
        b_y = 0.5 * b_x * (1 + tl.math.tanh(0.79788456 * (b_x + 0.044715 * b_x * b_x * b_x)))
        tl.store(y + o, b_y, mask=o < n)
    ```

    ## Use instead
    ```python
    import triton
    import triton.language as tl
    from triton.language.extra import libdevice


    @triton.jit
    def gelu_fwd_kernel(x, y, n, B: tl.constexpr):
        o = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
        b_x = tl.load(x + o, mask=o < n, other=0.0)
        b_y = 0.5 * b_x * (1 + libdevice.tanh(0.79788456 * (b_x + 0.044715 * b_x * b_x * b_x)))
        tl.store(y + o, b_y, mask=o < n)
    ```

    ## Known limits
    - Block pointers are the subject of `block-pointer` (TRI201), names that no release has had of `unknown-name` (TRI302), methods that no release has had of `subscript-or-attribute` (TRI312), arguments of loads, stores, `tl.dot` and atomics that no release has had of `operand-mismatch` (TRI311).
    - What stands in a branch that asks for the version, the backend or `hasattr` is left alone, and so are kernels that are defined in one.
    - A default setting `">=3.3"` counts as none. Releases that are newer than the tables are taken to be like the newest one.
    - Names that are imported one by one (`from triton.language import ...`), the methods of tensor descriptors, and missing arguments are not looked at.
    """

    code = 'TRI308'
    name = 'removed-api'
    severity = 'error'
    tags = ('deprecated',)

    def check_kernel(self, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
        """Compare what a kernel uses with what the releases have."""
        check = _Check(kernel, file)
        skipped = None
        for node, message in (*check.names(), *check.methods()):
            skipped = left_out(kernel) if skipped is None else skipped
            if id(node) not in skipped and not is_chosen(kernel, node):
                yield self.finding(file.range(node), message)


class _Check:
    """What one kernel uses of the releases that count."""

    def __init__(self, kernel: 'Kernel', file: 'File') -> None:
        self.kernel = kernel
        self.file = file
        self.api: Api = api.load()
        target = file.settings.target_triton
        bounds = versions.parse(target)
        self.selected = [version for version in self.api.versions if bounds.low <= version < bounds.high]
        self.only_newest = target == Settings.target_triton
        self.calls = {id(call.func): call for call in kernel.calls}

    def names(self) -> Iterator[tuple[ast.expr, str]]:
        """What is wrong with the names of modules, and with what is passed to them."""
        for use in uses(self.kernel, self.api):
            if not isinstance(use.node, ast.Attribute) or (use.module == LANGUAGE and use.name in _BLOCK_POINTERS):
                continue
            entries = self.api.entries(use.module, use.name)
            if not entries:
                if was_there_before(use.module, use.name, self.api) and self.selected:
                    yield use.node, f'{self._gone(use, self.api.versions)}{self._instead(use.module, use.name)}'
                continue
            missing = self._lacking(lambda version, use=use: self.api.entry(use.module, use.name, version) is None)
            if missing:
                yield use.node, f'{self._gone(use, missing)}{self._instead(use.module, use.name)}'
            elif use.call is not None:
                yield from self._call(use.call, written(use.node), use.module, use.name)

    def methods(self) -> Iterator[tuple[ast.expr, str]]:
        """What is wrong with the methods of tensors."""
        attributes = [node for node in self.kernel.body if isinstance(node, ast.Attribute)]
        asked = [node for node in attributes if next(self._method(node), None) is not None]
        seen = values_of([node.value for node in asked], self.kernel, self.file)
        for node in asked:
            if are_tensors(value for _, value in seen.get(id(node.value), ())):
                yield from self._method(node)

    def _method(self, node: ast.Attribute) -> Iterator[tuple[ast.expr, str]]:
        """What would be wrong with an attribute, were it that of a tensor."""
        name = dotted(node) or ''
        is_of_module = self.kernel.bindings.resolve(name) != name
        if is_of_module or node.attr in _BLOCK_POINTERS or not self.api.entries(TENSOR, node.attr):
            return
        missing = self._lacking(lambda version: self.api.entry(TENSOR, node.attr, version) is None)
        call = self.calls.get(id(node))
        if missing:
            yield node, f'`{written(node)}` does not exist {spelled(missing, self.api.versions)}, and raises AttributeError'
        elif call is not None:
            yield from self._call(call, written(node), TENSOR, node.attr)

    def _call(self, call: ast.Call, shown: str, module: str, name: str) -> Iterator[tuple[ast.expr, str]]:
        """What is wrong with the arguments of a call."""
        for keyword in call.keywords:
            if self._is_told_elsewhere(keyword.arg, module, name):
                continue
            missing = self._lacking(self._refuses(module, name, lambda entry, word=keyword.arg: not _takes(entry, word)))
            if missing:
                other = of_keyword(keyword.arg, _keywords(self.api.entry(module, name, missing[-1])))
                hint = f'; there it is `{other}`' if other else ''
                span = spelled(missing, self.api.versions)
                yield keyword, f'`{shown}` takes no `{keyword.arg}` {span}, and raises TypeError{hint}'
        if name in _SHAPES or _OPERANDS.fullmatch(name) or any(isinstance(one, ast.Starred) for one in call.args):
            return
        count = len(call.args)
        missing = self._lacking(self._refuses(module, name, lambda entry: _most(entry) is not None and count > _most(entry)))
        if missing:
            most = _most(self.api.entry(module, name, missing[-1]))
            words = f'{most} positional argument{"" if most == 1 else "s"}'
            span = spelled(missing, self.api.versions)
            yield call.args[most], f'`{shown}` takes at most {words} {span}, and raises TypeError: give the others by name'
        elif all(one.arg for one in call.keywords):
            given = {one.arg for one in call.keywords}
            missing = self._lacking(self._refuses(module, name, lambda entry: bool(_left_out(entry, count, given))))
            if missing:
                names = ', '.join(f'`{one}`' for one in _left_out(self.api.entry(module, name, missing[-1]), count, given))
                yield call, f'`{written(call)}` lacks {names}, and raises TypeError'

    def _is_told_elsewhere(self, keyword: str | None, module: str, name: str) -> bool:
        if keyword is None or keyword in _OF_BLOCK_POINTERS | _HIDDEN:
            return True
        if _OPERANDS.fullmatch(name):
            known = (entry for entry in self.api.entries(module, name) if entry.parameters is not None)
            return keyword not in _OLDER and not any(_takes(entry, keyword) for entry in known)
        return name == 'static_range' or (name == 'range' and keyword in _BOUNDS)

    def _refuses(self, module: str, name: str, test: Callable[[Entry], bool]) -> Callable[[Version], bool]:
        def in_version(version: Version) -> bool:
            entry = self.api.entry(module, name, version)
            return entry is not None and entry.parameters is not None and test(entry)

        return in_version

    def _lacking(self, test: Callable[[Version], bool]) -> list[Version]:
        """All releases in which something is wrong; none where it is right in those that count."""
        counting = self.selected[-1:] if self.only_newest else self.selected
        return [version for version in self.api.versions if test(version)] if any(map(test, counting)) else []

    def _gone(self, use: Use, missing: Sequence[Version]) -> str:
        return f'`{written(use.node)}` does not exist {spelled(missing, self.api.versions)}'

    def _instead(self, module: str, name: str) -> str:
        other = of_name(module, name, self.api)
        return f': use {other}' if other else ''


def _takes(entry: Entry, keyword: str) -> bool:
    return entry.parameters.kwarg is not None or keyword in _keywords(entry)


def _keywords(entry: Entry) -> list[str]:
    return [one.arg for one in (*entry.parameters.args, *entry.parameters.kwonlyargs)]


def _left_out(entry: Entry, count: int, given: set[str]) -> list[str]:
    """The parameters without a default that a call with so many positional arguments, and these keywords, does not fill."""
    filled = {*defaults_of(entry.parameters), *given, *(one.arg for one in entry.parameters.args[:count])}
    return [name for name in _keywords(entry) if name not in filled]


def _most(entry: Entry) -> int | None:
    """How many positional arguments are taken at most; None where there is no limit."""
    return None if entry.parameters.vararg is not None else len(entry.parameters.args)
