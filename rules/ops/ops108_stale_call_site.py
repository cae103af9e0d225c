# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, unsafe
from flakelint.project.meanings import parameters_of
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.project.calls import NamedCall

_CLOSE = 0.7


class StaleCallSite(Rule):
    """A call that passes a keyword which the function does not have, or has no longer.

    ## What it does
    Compares the keyword arguments of a call with the signature of the function, if the file defines it or imports it by name from another module of the same repository.

    ## Why is this bad?
    The call raises `TypeError`, as soon as something reaches it.
    It is what is left over where a parameter was renamed and not every caller was found.

    ## Example
    ```python
    import torch


    def chunk_scan(x: torch.Tensor, chunk_size: int = 64) -> torch.Tensor:
        return x.view(-1, chunk_size).cumsum(-1)


    def scan(x: torch.Tensor) -> torch.Tensor:
        return chunk_scan(x, chunk=32)
    ```

    ## Use instead
    ```python
    import torch


    def chunk_scan(x: torch.Tensor, chunk_size: int = 64) -> torch.Tensor:
        return x.view(-1, chunk_size).cumsum(-1)


    def scan(x: torch.Tensor) -> torch.Tensor:
        return chunk_scan(x, chunk_size=32)
    ```

    ## Fix safety
    Unsafe, and offered only where one parameter that the call does not pass is spelled almost alike.

    ## Known limits
    Functions with `**kwargs` take anything.
    Functions whose decorators may change the signature are left alone, and so are names that may mean several things, methods, and classes.
    A call in `try`, or in `pytest.raises`, may be meant to fail.
    """

    code = 'OPS108'
    name = 'stale-call-site'
    severity = 'error'
    fix = 'unsafe'

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Compare the calls of a file with the signatures that they bind to."""
        for call in file.named_calls:
            if not call.may_fail and call.name in file.own_functions and any(one.arg for one in call.node.keywords):
                yield from self._compare(call, file)

    def _compare(self, call: 'NamedCall', file: 'File') -> 'Iterator[Finding]':
        found = file.repository.signature(file.module, call.name)
        if found is None or '**' in found[1]:
            return
        path, signature = found
        names = parameters_of(signature)
        given = {one.arg for one in call.node.keywords}
        left = [name for name in names[len(call.node.args):] if name not in given]
        for keyword in call.node.keywords:
            if keyword.arg is None or keyword.arg in names:
                continue
            close = get_close_matches(keyword.arg, left, 1, _CLOSE)
            where = '' if path == file.path else f' in {path}'
            hint = f'; did you mean `{close[0]}`?' if close else ''
            message = f'`{call.name}`{where} has no parameter `{keyword.arg}`: the call raises TypeError{hint}'
            start = file.range(keyword).start
            place = Range(start, Position(start.line, start.column + len(keyword.arg)))
            yield self.finding(place, message, unsafe(f'Write `{close[0]}`', Edit(place, close[0])) if close else None)
