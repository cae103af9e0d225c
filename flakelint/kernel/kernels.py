# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Find the functions of a file that Triton compiles."""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flakelint.kernel import tuning
from flakelint.kernel.decorators import AUTOTUNE, HEURISTICS, JIT, DecoratorNames, may_make_kernel
from flakelint.project.imports import Bindings, dotted
from flakelint.project.statements import inside
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    import libcst as cst

    from flakelint.source.file import SourceFile
    from flakelint.source.unit import Unit

__all__ = ['AUTOTUNE', 'HEURISTICS', 'JIT', 'Decorator', 'DecoratorNames', 'Kernel', 'Module', 'Parameter']


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel.

    Args:
        name (str):
            Its name.
        node (ast.arg):
            Where it stands.
        annotation (str):
            The full name of its annotation, or nothing.
    """

    name: str
    node: ast.arg
    annotation: str

    @property
    def is_constexpr(self) -> bool:
        """Whether its value is fixed when the kernel is compiled."""
        # what `tl` is may not be seen
        return self.annotation.rpartition('.')[2] == 'constexpr'


@dataclass(frozen=True)
class Decorator:
    """A decorator of a kernel.

    Args:
        name (str):
            Its full name.
        role (str):
            `jit`, `autotune` or `heuristics`; nothing for any other.
        node (ast.expr):
            The expression behind the `@`.
        wraps (bool, Optional):
            Whether it is a wrapper that was found by its definition, which may pass on more than is seen. Default: `False`.
    """

    name: str
    role: str
    node: ast.expr
    wraps: bool = False

    @property
    def keywords(self) -> dict[str, ast.expr]:
        """The keyword arguments of its call; the positional ones that Triton's own decorators take go by their names too."""
        if not isinstance(self.node, ast.Call):
            return {}
        positional = dict(zip(_POSITIONAL.get(self.role, ()), self.node.args, strict=False))
        return positional | {keyword.arg: keyword.value for keyword in self.node.keywords if keyword.arg}

    @property
    def spreads(self) -> list[ast.expr]:
        """What its call spreads with `**`; the whole of a wrapper, which passes on what is not seen."""
        if self.wraps:
            return [self.node]
        return [keyword.value for keyword in self.node.keywords if not keyword.arg] if isinstance(self.node, ast.Call) else []


# what is known of a kernel by its definition alone
_OF_DEFINITION = frozenset({'body', 'assigned', 'returns_value', 'branched', 'calls', 'words'})
_POSITIONAL = {AUTOTUNE: ('configs', 'key'), HEURISTICS: ('values',)}


class Kernel:
    """A function that Triton compiles: a kernel that is launched, or a helper that kernels call.

    Args:
        definition (ast.FunctionDef):
            The function.
        decorators (Sequence[Decorator]):
            Its decorators, from the top; one that wraps several of Triton's own stands there once for each.
        unit (Unit):
            The top-level statement in which it stands.
        module (Module):
            Its module.
        owners (tuple[ast.stmt, ...]):
            The classes and functions around it, from the outside.
    """

    def __init__(
        self,
        definition: ast.FunctionDef,
        decorators: Sequence[Decorator],
        unit: 'Unit',
        module: 'Module',
        owners: 'tuple[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, ...]' = (),
    ) -> None:
        self.definition = definition
        self.decorators = decorators
        self.unit = unit
        self.module = module
        self.bindings = module.bindings
        self.path = module.path
        self.owners = owners
        self.name = definition.name

    @property
    def qualified_name(self) -> str:
        """Its name in the module: `Class.method`, `function.inner`."""
        return '.'.join(one.name for one in (*self.owners, self.definition))

    @cached_property
    def heuristics(self) -> dict[str, ast.expr]:
        """The flags that `triton.heuristics` computes, each with the expression that computes it from its argument."""
        return tuning.heuristics(self.decorators, self.module.definitions)

    @property
    def block_sizes(self) -> dict[str, tuple[int, ...]]:
        """The whole numbers that the configurations of `triton.autotune` try for a parameter, in order.

        A parameter of which one value is not seen is left out.
        """
        return self.tuned.sizes

    @cached_property
    def tuned(self) -> tuning.Tuned:
        """What the configurations of `triton.autotune` set."""
        return tuning.tuned(self.decorators, self.module.definitions)

    @cached_property
    def do_not_specialize(self) -> frozenset[str]:
        """The parameters that its `triton.jit` does not specialise, whether it names or counts them; all where it is not clear which."""
        names = [parameter.name for parameter in self.parameters]
        return tuning.not_specialized(self.decorators, names, self.module.file.statements)

    @cached_property
    def node(self) -> 'cst.FunctionDef':
        """The function in the libcst tree of its unit."""
        from flakelint.source.walk import function_definitions

        order = [node for node, _ in _functions_in_order(self.unit.nodes)]
        return function_definitions(self.unit.tree)[order.index(self.definition)]

    @cached_property
    def parameters(self) -> list[Parameter]:
        """The parameters, in order."""
        arguments = self.definition.args
        nodes = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return [Parameter(node.arg, node, self._annotation(node)) for node in nodes]

    @cached_property
    def body(self) -> list[ast.AST]:
        """The nodes of the abstract syntax tree in the body, in source order."""
        return nodes_in_order(self.definition.body)

    @cached_property
    def assigned(self) -> frozenset[str]:
        """The names that the body binds, helpers' and comprehensions' own among them."""
        return frozenset(node.id for node in self.body if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))

    @cached_property
    def returns_value(self) -> bool:
        """Whether it gives something back, as helpers do."""
        return any(isinstance(node, ast.Return) and node.value is not None for node in self.body)

    @cached_property
    def branched(self) -> frozenset[int]:
        """The nodes of the body that belong to a branch or a conditional expression, by identity; its condition is one of them."""
        return frozenset(map(id, nodes_in_order(node for node in self.body if isinstance(node, ast.If | ast.IfExp))))

    @cached_property
    def calls(self) -> list[ast.Call]:
        """The calls in the body, the outer ones before those in them."""
        return [node for node in self.body if isinstance(node, ast.Call)]

    @cached_property
    def words(self) -> frozenset[str]:
        """The names and attributes that the body mentions."""
        names = (node.id for node in self.body if isinstance(node, ast.Name))
        return frozenset([*names, *(node.attr for node in self.body if isinstance(node, ast.Attribute))])

    def in_module(self, unit: 'Unit', module: 'Module') -> 'Kernel':
        """The same kernel in a later content of its module, which left it as it was."""
        found = Kernel(self.definition, self.decorators, unit, module, self.owners)
        found.__dict__.update({name: value for name, value in vars(self).items() if name in _OF_DEFINITION})
        return found

    def decorator(self, role: str) -> Decorator | None:
        """The first decorator with a role."""
        return next((one for one in self.decorators if one.role == role), None)

    @property
    def jit(self) -> Decorator:
        """The decorator that makes it a kernel."""
        return next(one for one in self.decorators if one.role == JIT)

    def _annotation(self, node: ast.arg) -> str:
        if node.annotation is None:
            return ''
        if isinstance(node.annotation, ast.Constant) and isinstance(node.annotation.value, str):
            return self.bindings.resolve(node.annotation.value)
        name = dotted(node.annotation) or ''
        # a module may call `tl.constexpr` by a name of its own
        values = self.module.definitions.values.get(name, ())
        return self.bindings.resolve((dotted(values[0]) if len(values) == 1 else None) or name)


class Module:
    """A file, as the kernel model sees it.

    Args:
        file (SourceFile):
            The file.
        roles (Callable[[str], tuple[str, ...]]):
            Gives the roles that a name in the file has as a decorator, as far as its definition tells.
        names (DecoratorNames):
            Which full names stand for Triton's own decorators.
    """

    def __init__(self, file: 'SourceFile', roles: Callable[[str], tuple[str, ...]], names: DecoratorNames) -> None:
        self.file = file
        self.path = file.path
        # what the repository keeps of it
        self.view: Any = None
        self._roles = roles
        self._names = names

    @cached_property
    def bindings(self) -> Bindings:
        """What the imported names mean."""
        return Bindings(self.file.statements)

    @cached_property
    def definitions(self) -> tuning.Definitions:
        """The functions and values at its top level."""
        return tuning.Definitions(self.file.statements)

    @cached_property
    def kernels(self) -> list[Kernel]:
        """The functions that Triton compiles, in source order."""
        return [kernel for unit in self.file.units if '@' in unit.text for kernel in self._kernels_in(unit)]

    def keep(self, before: 'Module', last: int = 0, by: int = 0) -> None:
        """Take over what is known of the module from an earlier content, of which some statements are left and all names.

        Args:
            before (Module):
                The earlier content.
            last (int, Optional):
                The last of its lines that differ; only asked for where lines moved. Default: `0`.
            by (int, Optional):
                By how many lines what stands below moved down. Default: `0`.
        """
        # what is known of the names stays, unless they moved
        self.view = before.view.moved(self, last, by) if by and before.view is not None else before.view
        self.bindings, self.definitions = before.bindings, before.definitions
        found: dict[int, list[Kernel]] = {}
        for kernel in before.kernels:
            found.setdefault(id(kernel.unit.nodes[0]), []).append(kernel)
        self.kernels = []
        for unit in self.file.units:
            known = found.get(id(unit.nodes[0]))
            if known is None:
                self.kernels.extend(self._kernels_in(unit) if '@' in unit.text else ())
            else:
                self.kernels.extend(one.in_module(unit, self) for one in known)

    def _kernels_in(self, unit: 'Unit') -> Iterator[Kernel]:
        for node, owners in _functions_in_order(unit.nodes):
            if not node.decorator_list or not isinstance(node, ast.FunctionDef):
                continue
            decorators = [one for item in node.decorator_list for one in self._decorators(item)]
            if any(one.role == JIT for one in decorators):
                yield Kernel(node, decorators, unit, self, owners)

    def _decorators(self, node: ast.expr) -> list[Decorator]:
        spelled = dotted(node.func if isinstance(node, ast.Call) else node) or ''
        name = self.bindings.resolve(spelled)
        if name == 'functools.partial' and node.args:
            # what is left out is the function, and the keywords are those of the decorator
            return [replace(one, node=node) for one in self._decorators(node.args[0]) if one.role == JIT]
        role = self._names.role(name)
        if role or not may_make_kernel(name):
            return [Decorator(name, role, node)]
        return [Decorator(name, role, node, wraps=True) for role in self._roles(spelled)] or [Decorator(name, '', node)]


def _functions_in_order(
    nodes: Sequence[ast.AST], owners: tuple = (),
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, tuple]]:
    """The functions in statements, each with the classes and functions around it."""
    stack: list[tuple[ast.AST, tuple]] = [(node, owners) for node in reversed(nodes)]
    while stack:
        node, around = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, around
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            around = (*around, node)
        stack.extend((child, around) for child in reversed(inside(node)))
