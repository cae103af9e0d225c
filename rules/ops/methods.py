# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The methods of autograd functions that launch kernels, and how they are decorated."""

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flakelint.kernel.autograd import AutogradFunction
from flakelint.project.imports import dotted, last_name

if TYPE_CHECKING:
    from flakelint.engine.context import File

DIRECTIONS = ('forward', 'backward')


def launching(file: 'File') -> Iterator[tuple[AutogradFunction, list[str]]]:
    """The autograd functions of a file, each with those of its two directions that launch kernels."""
    if 'Function' not in file.text or 'backward' not in file.text:
        return
    for function in file.autograd_functions:
        host = file.repository.host(file.module)
        yield function, [name for name in DIRECTIONS if name in function.methods and host.launches(f'{function.name}.{name}')]


def has_decorator(node: ast.FunctionDef | ast.AsyncFunctionDef, names: Sequence[str], file: 'File') -> bool:
    """Whether a function has a decorator of one of some names, which may be full ones or only the last part."""
    return any(_is_named(decorator, names, file) for decorator in node.decorator_list)


def _is_named(decorator: ast.expr, names: Sequence[str], file: 'File') -> bool:
    while isinstance(decorator, ast.Call):
        is_partial = last_name(decorator.func) == 'partial' and decorator.args
        decorator = decorator.args[0] if is_partial else decorator.func
    return last_name(decorator) in names or file.bindings.resolve(dotted(decorator) or '') in names
