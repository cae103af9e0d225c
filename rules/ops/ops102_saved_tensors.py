# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.findings import Related
from flakelint.engine.rule import Rule
from flakelint.kernel.saved_tensors import Save, SavedTensors, Taken, displaced

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding


class SavedTensorsMismatch(Rule):
    """Saved tensors that backward takes out in another number or order.

    ## What it does
    Compares, in a `torch.autograd.Function`, what `save_for_backward` saves with what `backward` takes out of `ctx.saved_tensors`:

    - how many tensors are saved and unpacked, and whether an index is in range;
    - where both are plain names, whether names stand in each other's places.

    Where several calls save, or several places unpack, each has to fit one of the others.

    ## Why is this bad?
    Another number raises `ValueError` or `IndexError`, and only when the backward pass runs.
    Another order raises nothing: where the tensors have the same shape, the gradients are wrong in silence.

    ## Example
    ```python
    import torch


    class Product(torch.autograd.Function):

        @staticmethod
        def forward(ctx, x, y, gate):
            ctx.save_for_backward(x, y, gate)
            return x * y * gate

        @staticmethod
        def backward(ctx, do):
            y, x, gate = ctx.saved_tensors
            return do * y * gate, do * x * gate, do * x * y
    ```

    ## Use instead
    ```python
    import torch


    class Product(torch.autograd.Function):

        @staticmethod
        def forward(ctx, x, y, gate):
            ctx.save_for_backward(x, y, gate)
            return x * y * gate

        @staticmethod
        def backward(ctx, do):
            x, y, gate = ctx.saved_tensors
            return do * y * gate, do * x * gate, do * x * y
    ```

    ## Known limits
    Nothing is said where the context is handed to another function, which may save as well, or where tensors are saved with `*`.
    A name that is bound anew between the two methods is taken for what it was.
    """

    code = 'OPS102'
    name = 'saved-tensors'
    severity = 'error'

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Compare what the autograd functions of a file save and take out."""
        if 'Function' not in file.text or 'saved_' not in file.text:
            return
        for function in file.autograd_functions:
            if {'forward', 'backward'} <= function.methods.keys():
                saved = SavedTensors(function)
                if saved.is_whole:
                    yield from self._check(saved, function.definition.name, file)

    def _check(self, saved: SavedTensors, name: str, file: 'File') -> 'Iterator[Finding]':
        for take in saved.takes:
            fitting = [save for save in saved.saves if take.fits(len(save.names))]
            if not fitting:
                yield self._count(take, saved.saves, name, file)
            elif take.names and all(displaced(save.names, take.names) for save in fitting):
                yield self._order(take, fitting[0], name, file)
        taken = [save for save in saved.saves if any(take.fits(len(save.names)) for take in saved.takes)]
        if saved.is_taken_whole and taken:
            yield from (self._unused(save, saved.takes, name, file) for save in saved.saves if save not in taken)

    def _count(self, take: Taken, saves: list[Save], name: str, file: 'File') -> 'Finding':
        counts = ' or '.join(str(count) for count in sorted({len(save.names) for save in saves})) or 'none'
        lines = _lines(save.node.lineno for save in saves)
        where = f'`save_for_backward` saves {counts} ({lines})' if saves else '`forward` saves none'
        if take.is_exact or take.cut is not None:
            what = f'`{name}.backward` unpacks {"" if take.is_exact else "at least "}{take.least} saved tensors'
            error = 'raises ValueError in the backward pass; unpack as many as are saved'
        else:
            what = f'`{name}.backward` asks for at least {take.least} saved tensors'
            error = 'raises an error in the backward pass; ask for as many as are saved'
        message = f'{what}, but {where}: this {error}'
        return self.finding(file.range(take.node), message, related=_related(saves, file))

    def _order(self, take: Taken, save: Save, name: str, file: 'File') -> 'Finding':
        first, given = displaced(save.names, take.names)[0]
        what = f'`{name}.backward` unpacks `{", ".join(take.names)}`'
        where = f'`save_for_backward` saves `{", ".join(one or "..." for one in save.names)}` (line {save.node.lineno})'
        why = f'`{first}` gets what was saved as `{given}`; unpack them in the order in which they are saved'
        return self.finding(file.range(take.node), f'{what}, but {where}: {why}', related=_related([save], file))

    def _unused(self, save: Save, takes: list[Taken], name: str, file: 'File') -> 'Finding':
        counts = ' or '.join(str(count) for count in sorted({take.least for take in takes}))
        lines = _lines(take.node.lineno for take in takes)
        what = f'`{name}` saves {len(save.names)} tensors here, but `backward` only unpacks {counts} ({lines})'
        message = f'{what}: this raises ValueError in the backward pass; save as many as are unpacked'
        return self.finding(file.range(save.node), message)


def _lines(numbers: 'Iterator[int]') -> str:
    found = [str(number) for number in numbers]
    return f'line{"s" if len(found) > 1 else ""} {", ".join(found)}'


def _related(saves: list[Save], file: 'File') -> list[Related]:
    return [Related(file.range(save.node), 'saved here') for save in saves]
