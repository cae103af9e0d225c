# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a plain name is bound to and no tensor can be made of, and annotations that mean nothing to Triton.

Triton compiles annotations and defaults of parameters as it compiles the body; it makes a tensor of whatever a name without the annotation `tl.constexpr` is bound to.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.kernel import api
from flakelint.kernel.outside import BUILTIN, Outside
from flakelint.kernel.types import LANGUAGE_TYPES
from flakelint.project.imports import dotted
from flakelint.source.expressions import written

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.kernel.kernels import Kernel

_MAX_TEXT = 30
# with these a parameter is no constant for certain, nor with none
_NO_CONSTANTS = frozenset({'', 'bool', 'float', 'int', 'str', 'torch', 'triton', 'typing'})


def problems(kernel: 'Kernel', file: 'File') -> Iterator[tuple[ast.AST, str, bool]]:
    """The annotations and values of a kernel that are refused, with why, and whether also where they are not compiled."""
    yield from _annotations(kernel, file)
    yield from _defaults(kernel, file)
    for node in kernel.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            for part, what in _no_tensors(node.value, kernel, file):
                advice = f'write `{name}: tl.constexpr = {_short(node.value)}`'
                yield part, f'`{name}` is bound to {what}, of which Triton makes no tensor (TypeError): {advice}', False


def _annotations(kernel: 'Kernel', file: 'File') -> Iterator[tuple[ast.AST, str, bool]]:
    for parameter in kernel.parameters:
        annotation = parameter.node.annotation
        for node in ast.walk(annotation) if annotation is not None and not parameter.is_constexpr else ():
            if not isinstance(node, ast.Name):
                continue
            is_of_typing = kernel.bindings.resolve(node.id).startswith('typing.')
            if is_of_typing or Outside(kernel, file.repository).meant(node.id).kind == BUILTIN:
                text = f'`{parameter.name}` is annotated with `{written(annotation)}`: annotations are compiled'
                yield node, f'{text}, and kernels have no `{node.id}`; quote it, or leave it out', True
                break


def _defaults(kernel: 'Kernel', file: 'File') -> Iterator[tuple[ast.AST, str, bool]]:
    arguments = kernel.definition.args
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(positional[::-1], arguments.defaults[::-1], strict=False)]
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    # what is quoted is no annotation when a default is compiled, and what an unknown one means is not known
    annotations = {
        id(one.node): '' if isinstance(one.node.annotation, ast.Constant) else one.annotation for one in kernel.parameters
    }
    for parameter, default in pairs:
        full = annotations[id(parameter)]
        if default is None or full.endswith('constexpr') or full.partition('.')[0] not in _NO_CONSTANTS:
            continue
        for part, what in _no_tensors(default, kernel, file):
            text = f'the default of `{parameter.arg}` is {what}, of which Triton makes no tensor (TypeError)'
            yield part, f'{text}: annotate `{parameter.arg}` as `tl.constexpr`', True


def _no_tensors(node: ast.expr, kernel: 'Kernel', file: 'File') -> Iterator[tuple[ast.expr, str]]:
    """The first part of a value that is no tensor, with what it is."""
    if isinstance(node, ast.Tuple | ast.List):
        found = (one for part in node.elts for one in _no_tensors(part, kernel, file))
        yield from list(found)[:1]
    elif isinstance(node, ast.IfExp):
        branches = [list(_no_tensors(one, kernel, file)) for one in (node.body, node.orelse)]
        yield from branches[0] if all(branches) else ()
    elif isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        yield node, f'the text `{_short(node)}`'
    elif isinstance(node, ast.Name | ast.Attribute):
        name = dotted(node) or ''
        if name and name.partition('.')[0] not in kernel.assigned and _is_function(name, kernel, file):
            yield node, f'the function `{name}`'


def _is_function(name: str, kernel: 'Kernel', file: 'File') -> bool:
    if any(one.name == name.partition('.')[0] for one in kernel.parameters):
        return False
    module, _, last = kernel.bindings.resolve(name).rpartition('.')
    if module == api.LANGUAGE:
        found = api.load().entries(module, last)
        return bool(found) and last not in LANGUAGE_TYPES and all(one.kind == api.FUNCTION for one in found)
    return file.repository.helper(kernel, name) is not None


def _short(node: ast.expr) -> str:
    text = written(node)
    return text if len(text) <= _MAX_TEXT else f'{text[:_MAX_TEXT]}...'
