# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether the calls between functions that Triton compiles fit together."""

import ast
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from flakelint.kernel.decorators import JIT
from flakelint.source.expressions import defaults_of

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel

_CLOSE = 0.75


def is_plain_helper(kernel: 'Kernel') -> bool:
    """Whether a function is compiled as it is written: by a decorator of Triton's own alone, and not in a class."""
    is_method = any(isinstance(owner, ast.ClassDef) for owner in kernel.owners)
    return not is_method and all(one.role == JIT and not one.wraps for one in kernel.decorators)


def misfit(call: ast.Call, helper: 'Kernel') -> str:
    """What is wrong with the arguments of a call, in words; nothing where they fit or are not all seen."""
    if any(isinstance(one, ast.Starred) for one in call.args) or not all(one.arg for one in call.keywords):
        return ''
    arguments = helper.definition.args
    positional = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    named = [*positional, *(one.arg for one in arguments.kwonlyargs)]
    if arguments.kwarg is not None:
        return ''
    if len(call.args) > len(positional) and arguments.vararg is None:
        return f'takes {_number(len(positional))}, and is given {len(call.args)}'
    given = positional[:len(call.args)]
    for keyword in call.keywords:
        if keyword.arg not in named:
            close = get_close_matches(keyword.arg, [name for name in named if name not in given], 1, _CLOSE)
            return f'has no parameter `{keyword.arg}`' + (f', did you mean `{close[0]}`?' if close else '')
        if keyword.arg in given:
            return f'is given `{keyword.arg}` twice'
        given.append(keyword.arg)
    missing = [name for name in named if name not in given and name not in defaults_of(arguments)]
    return f'is not given {_listed(missing)}' if missing else ''


def calls_itself(call: ast.Call, kernel: 'Kernel') -> bool:
    """Whether a call of a kernel in its own body cannot come to an end while it is compiled.

    It can where a constant that the call changes decides: each of its values makes a function of its own.
    """
    arguments = kernel.definition.args
    constants = {one.name for one in kernel.parameters if one.is_constexpr}
    pairs = list(zip([one.arg for one in arguments.args], call.args, strict=False))
    pairs += [(keyword.arg, keyword.value) for keyword in call.keywords]
    for name, value in pairs:
        is_same = isinstance(value, ast.Name) and value.id == name
        has_names = any(isinstance(one, ast.Name) for one in ast.walk(value))
        if not is_same and (name in constants or name is None or not has_names):
            return False
    return True


def _number(count: int) -> str:
    return f'{count} positional argument{"" if count == 1 else "s"}'


def _listed(names: Sequence[str]) -> str:
    return ' and '.join(f'`{name}`' for name in names)
