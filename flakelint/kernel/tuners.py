# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a kernel's `triton.autotune` is told besides its configurations: what it tunes anew for, what it resets, its hooks."""

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flakelint.kernel.decorators import AUTOTUNE
from flakelint.project.literals import binding, elements

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Decorator, Kernel
    from flakelint.kernel.tuning import Definitions

RESET, RESTORE = 'reset_to_zero', 'restore_value'
_HOOKS = ('pre_hook', 'post_hook')


class Tuner:
    """A `triton.autotune` above a kernel.

    Args:
        kernel (Kernel):
            The kernel.
        decorator (Decorator):
            The decorator.
    """

    def __init__(self, kernel: 'Kernel', decorator: 'Decorator') -> None:
        self.kernel = kernel
        self.decorator = decorator
        # a name in a function or a class may mean something else there
        self.scope: Sequence[ast.stmt] = kernel.module.file.statements if kernel.definition in kernel.unit.nodes else ()
        self.keywords = dict(decorator.keywords)
        # whether it may be told more than is seen; what other modules share names no parameters of one kernel
        self.is_open = False
        for spread in decorator.spreads:
            bound = binding(spread.id, self.scope) if isinstance(spread, ast.Name) else spread
            if isinstance(bound, ast.Dict):
                pairs = zip(bound.keys, bound.values, strict=True)
                self.keywords |= {key.value: value for key, value in pairs if isinstance(key, ast.Constant)}
            elif not isinstance(spread, ast.Name) or spread.id not in dict(kernel.bindings.items()):
                self.is_open = True

    def names(self, keyword: str) -> list[str] | None:
        """The parameters that one of its lists names; None where they are not all seen."""
        value = self.keywords.get(keyword)
        found = [] if value is None else list(elements(value, self.scope))
        if not all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in found):
            return None
        return [one.value for one in found]

    def hook(self, keyword: str) -> ast.expr | None:
        """Its `pre_hook` or `post_hook`, if it has one."""
        value = self.keywords.get(keyword)
        return None if isinstance(value, ast.Constant) and value.value is None else value

    @property
    def hooks(self) -> list[ast.expr]:
        """What runs before or after each launch while it tunes, those of configurations included."""
        own = [hook for hook in map(self.hook, _HOOKS) if hook is not None]
        return [*own, *(one for one in self.kernel.tuned.hooks if not isinstance(one, ast.Constant))]


def tuners(kernel: 'Kernel') -> Iterator[Tuner]:
    """The tuners of a kernel that are Triton's own."""
    for decorator in kernel.decorators:
        if decorator.role == AUTOTUNE and not decorator.wraps and isinstance(decorator.node, ast.Call):
            yield Tuner(kernel, decorator)


def function_of(node: ast.expr, definitions: 'Definitions') -> ast.FunctionDef | ast.Lambda | None:
    """The function of the module that an expression is."""
    if isinstance(node, ast.Lambda):
        return node
    if not isinstance(node, ast.Name):
        return None
    values, functions = definitions.values.get(node.id, []), definitions.functions.get(node.id, [])
    if len(values) + len(functions) != 1:
        return None
    found = (*values, *functions)[0]
    return found if isinstance(found, ast.Lambda | ast.FunctionDef) else None


def changes_nothing(hook: ast.expr, definitions: 'Definitions') -> bool:
    """Whether a hook surely leaves the contents of tensors as they are: it clones at most, or sets attributes."""
    function = function_of(hook, definitions)
    if function is None:
        return False
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    for node in (inner for one in body for inner in ast.walk(one)):
        if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Attribute) and node.func.attr in _HARMLESS):
            return False
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, 'target', None)]
        # `args['x'][:] = 0` writes to the tensor, `args['x'] = ...` only to the dictionary
        if any(isinstance(one, ast.Subscript) and isinstance(one.value, ast.Subscript) for one in targets):
            return False
    return True


_HARMLESS = frozenset({'clone', 'get', 'update', 'items', 'keys'})
