# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The autograd functions of PyTorch that a file defines."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from flakelint.project.imports import Bindings, dotted, last_name
from flakelint.project.statements import inside, scope_statements
from flakelint.source.syntax import nodes_in_order

_BASES = frozenset({'torch.autograd.Function', 'torch.autograd.function.Function'})


@dataclass(frozen=True)
class AutogradFunction:
    """A class that derives from `torch.autograd.Function`.

    Args:
        definition (ast.ClassDef):
            The class.
        owners (tuple[str, ...]):
            The names of the classes and functions around it, from the outside.
    """

    definition: ast.ClassDef
    owners: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its name in the module: `Class.Inner`, `function.Inner`."""
        return '.'.join((*self.owners, self.definition.name))

    @cached_property
    def methods(self) -> dict[str, ast.FunctionDef]:
        """Its methods, but for those of which there are several with one name."""
        found: dict[str, list[ast.FunctionDef]] = {}
        for node in scope_statements(self.definition.body):
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append(node)
        return {name: nodes[0] for name, nodes in found.items() if len(nodes) == 1}

    @property
    def arguments(self) -> list[ast.arg]:
        """The parameters of `forward` that `apply` fills by their place; none where there is no `forward`."""
        forward = self.methods.get('forward')
        if forward is None:
            return []
        names = [one.arg for one in positional(forward)]
        start = 0 if 'setup_context' in self.methods else names.index(context_of(forward)) + 1 if names else 0
        return positional(forward)[start:]

    @property
    def is_abstract(self) -> bool:
        """Whether `forward` takes something before the context, and so is called by those that derive from it alone."""
        forward = self.methods.get('forward')
        return forward is not None and 'ctx' in [one.arg for one in positional(forward)[1:]]

    @property
    def required(self) -> int:
        """How many arguments `apply` takes at least; all of them where it fills in the defaults itself."""
        forward = self.methods.get('forward')
        if forward is None:
            return 0
        return len(self.arguments) - (0 if 'setup_context' in self.methods else len(forward.args.defaults))


def autograd_functions(statements: Sequence[ast.stmt], bindings: Bindings) -> Iterator[AutogradFunction]:
    """The autograd functions among statements and in them, in source order."""
    stack: list[tuple[ast.AST, tuple[str, ...]]] = [(node, ()) for node in reversed(statements)]
    while stack:
        node, owners = stack.pop()
        if isinstance(node, ast.ClassDef) and any(bindings.resolve(dotted(base) or '') in _BASES for base in node.bases):
            yield AutogradFunction(node, owners)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            owners = (*owners, node.name)
        stack.extend((child, owners) for child in reversed(inside(node)))


def positional(function: ast.FunctionDef) -> list[ast.arg]:
    """The parameters of a method that may be given by their place, without the class that a class method is given."""
    places = [*function.args.posonlyargs, *function.args.args]
    return places[1:] if any(last_name(one) == 'classmethod' for one in function.decorator_list) else places


def context_of(function: ast.FunctionDef) -> str:
    """The name of the context: the first parameter of a method, or the one of that name; nothing where it has none."""
    names = [one.arg for one in positional(function)]
    return 'ctx' if 'ctx' in names else names[0] if names else ''


def passes_on(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function does more with a name than ask for its attributes."""
    nodes = nodes_in_order(function.body)
    owned = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    return any(isinstance(node, ast.Name) and node.id == name and id(node) not in owned for node in nodes)
