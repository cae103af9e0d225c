# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the decorators of a kernel say of its parameters: the sizes that tuning tries, the flags that are computed, what is not specialised."""

import ast
import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from flakelint.kernel.decorators import AUTOTUNE, HEURISTICS, JIT
from flakelint.project.imports import dotted
from flakelint.project.literals import literal_list
from flakelint.project.meanings import literal
from flakelint.project.statements import FUNCTIONS, scope_statements

_MAX_DEPTH = 12
_MAX_VALUES = 64
_Known = Mapping[str, 'list[ast.expr]']
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Tuned(NamedTuple):
    """What the configurations of a kernel try.

    Args:
        sizes (dict[str, tuple[int, ...]]):
            The values of each parameter that is set to numbers, in order; a parameter is left out where one of its values is not seen.
        is_complete (bool):
            Whether it is seen of every configuration which parameters it sets.
    """

    sizes: dict[str, tuple[int, ...]]
    is_complete: bool


class Definitions:
    """The functions and values that the top level of a module binds, each by its name.

    Args:
        statements (Sequence[ast.stmt]):
            The statements of the module.
    """

    def __init__(self, statements: Sequence[ast.stmt]) -> None:
        self.statements = statements
        self.functions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        self.values: dict[str, list[ast.expr]] = {}
        for node in scope_statements(statements):
            if isinstance(node, FUNCTIONS):
                self.functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name):
                        self.values.setdefault(target.id, []).append(node.value)


def heuristics(decorators: Sequence, definitions: Definitions) -> dict[str, ast.expr]:
    """The flags that `heuristics` computes, each with the expression that computes it."""
    found: dict[str, ast.expr] = {}
    for decorator in decorators:
        value = decorator.keywords.get('values') if decorator.role == HEURISTICS else None
        if isinstance(value, ast.Name) and len(definitions.values.get(value.id, ())) == 1:
            (value,) = definitions.values[value.id]
        if not isinstance(value, ast.Dict):
            continue
        for key, function in zip(value.keys, value.values, strict=True):
            body = _body(function, definitions)
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and body is not None:
                found[key.value] = body
    return found


def tuned(decorators: Sequence, definitions: Definitions) -> Tuned:
    """What the configurations of `autotune` try."""
    sizes: dict[str, set[int] | None] = {}
    is_complete = True
    for decorator in decorators:
        if decorator.role != AUTOTUNE:
            continue
        configs = decorator.keywords.get('configs')
        reader = _Configs(definitions)
        if configs is None or not reader.read(configs, {}, 0):
            is_complete = False
        for name, values in reader.sizes.items():
            held = sizes.get(name, set())
            sizes[name] = None if held is None or values is None else held | values
    return Tuned({name: tuple(sorted(values)) for name, values in sizes.items() if values}, is_complete)


def not_specialized(decorators: Sequence, names: Sequence[str], statements: Sequence[ast.stmt]) -> frozenset[str]:
    """The parameters that `do_not_specialize` names or counts; all of them where it is not clear which."""
    found = set()
    for decorator in decorators:
        if decorator.role != JIT:
            continue
        value = decorator.keywords.get('do_not_specialize')
        entries = [] if value is None else literal_list(value, statements)
        if decorator.spreads or entries is None or not all(isinstance(entry, ast.Constant) for entry in entries):
            return frozenset(names)
        if value is None and isinstance(decorator.node, ast.Call) and not decorator.name.startswith('triton.'):
            # a wrapper may say it
            return frozenset(names)
        keys = [entry.value for entry in entries]
        found.update(names[key] if type(key) is int and 0 <= key < len(names) else key for key in keys)
    return frozenset(found & set(names))


def _body(function: ast.expr, definitions: Definitions) -> ast.expr | None:
    """What a function of one expression computes."""
    if isinstance(function, ast.Lambda):
        return function.body
    if not isinstance(function, ast.Name):
        return None
    bound = definitions.values.get(function.id, [])
    defined = definitions.functions.get(function.id, [])
    if len(bound) == 1 and not defined:
        return bound[0].body if isinstance(bound[0], ast.Lambda) else None
    if len(defined) == 1 and not bound:
        statements = defined[0].body[bool(ast.get_docstring(defined[0], clean=False)):]
        if len(statements) == 1 and isinstance(statements[0], ast.Return):
            return statements[0].value
    return None


class _Configs:
    """Reads lists of configurations: written out, repeated by a comprehension, made by a function without branches of its own."""

    def __init__(self, definitions: Definitions) -> None:
        self.sizes: dict[str, set[int] | None] = {}
        self._definitions = definitions

    def read(self, node: ast.expr, known: _Known, depth: int) -> bool:
        """Note what configurations set; says whether all of them were seen."""
        if depth > _MAX_DEPTH:
            return False
        if isinstance(node, ast.List | ast.Tuple):
            parts = [one.value if isinstance(one, ast.Starred) else one for one in node.elts]
            return self._read_all(parts, known, depth)
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            return self.read(node.elt, {**known, **self._repeated(node, known)}, depth + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._read_all([node.left, node.right], known, depth)
        if isinstance(node, ast.IfExp):
            return self._read_all([node.body, node.orelse], known, depth)
        if isinstance(node, ast.Name):
            values = known.get(node.id) or self._definitions.values.get(node.id, [])
            return bool(values) and self._read_all(values, known, depth)
        return isinstance(node, ast.Call) and self._read_call(node, known, depth)

    def _read_all(self, nodes: Sequence[ast.expr], known: _Known, depth: int) -> bool:
        seen = [self.read(node, known, depth + 1) for node in nodes]
        return all(seen)

    def _read_call(self, node: ast.Call, known: _Known, depth: int) -> bool:
        name = dotted(node.func) or ''
        if name.rpartition('.')[2] == 'Config':
            return self._read_config(node, known)
        if name in ('list', 'tuple', 'filter') and node.args:
            return self.read(node.args[-1], known, depth + 1)
        functions = self._definitions.functions.get(name, [])
        seen = [self._read_function(one, node, known, depth) for one in functions]
        return bool(seen) and all(seen)

    def _read_function(self, function: _Function, call: ast.Call, known: _Known, depth: int) -> bool:
        arguments = function.args
        names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        defaults = ([value] for value in arguments.defaults[::-1])
        inner: dict[str, list[ast.expr]] = dict(zip(names[::-1], defaults, strict=False))
        inner |= {name: _deep(value, known) for name, value in zip(names, call.args, strict=False)}
        inner |= {one.arg: _deep(one.value, known) for one in call.keywords if one.arg}
        results = []
        for node in scope_statements(function.body):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                inner.setdefault(node.targets[0].id, []).append(node.value)
            elif isinstance(node, ast.For):
                for name, values in self._run_through(node.target, node.iter, inner).items():
                    inner.setdefault(name, []).extend(values)
            elif isinstance(node, ast.Return) and node.value is not None:
                results.append(self.read(node.value, inner, depth + 1))
        for node in ast.walk(function):
            is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 1
            if is_method and node.func.attr in ('append', 'extend'):
                results.append(self.read(node.args[0], inner, depth + 1))
        return bool(results) and all(results)

    def _read_config(self, node: ast.Call, known: _Known) -> bool:
        entries = node.args[0] if node.args else next((one.value for one in node.keywords if one.arg == 'kwargs'), None)
        if isinstance(entries, ast.Name):
            bound = known.get(entries.id) or self._definitions.values.get(entries.id, [])
            entries = bound[0] if len(bound) == 1 else None
        if isinstance(entries, ast.Call) and dotted(entries.func) == 'dict' and not entries.args:
            pairs = [(one.arg, one.value) for one in entries.keywords]
        elif isinstance(entries, ast.Dict):
            keys = [key.value if isinstance(key, ast.Constant) else None for key in entries.keys]
            pairs = list(zip(keys, entries.values, strict=True))
        else:
            return False
        for name, value in pairs:
            if not isinstance(name, str):
                return False
            numbers = self._numbers(value, known, 0)
            held = self.sizes.get(name, set())
            self.sizes[name] = None if numbers is None or held is None else held | numbers
        return True

    def _repeated(self, node: ast.ListComp | ast.GeneratorExp, known: _Known) -> dict[str, list[ast.expr]]:
        """The values of the names that a comprehension runs through."""
        found: dict[str, list[ast.expr]] = {}
        for generator in node.generators:
            found |= self._run_through(generator.target, generator.iter, {**known, **found})
        return found

    def _run_through(self, target: ast.expr, iterated: ast.expr, known: _Known) -> dict[str, list[ast.expr]]:
        """The values of the targets of a loop; what is iterated itself where they are not seen."""
        values = self._elements(iterated, known)
        if isinstance(target, ast.Name):
            return {target.id: values or [iterated]}
        found = {}
        for index, one in enumerate(target.elts if isinstance(target, ast.Tuple) else ()):
            rows = [value.elts for value in values or () if isinstance(value, ast.Tuple | ast.List)]
            parts = [row[index] for row in rows if index < len(row)]
            if isinstance(one, ast.Name):
                found[one.id] = parts if parts and len(parts) == len(values) else [iterated]
        return found

    def _elements(self, node: ast.expr, known: _Known, depth: int = 0) -> list[ast.expr] | None:
        """The elements of a list that is written out."""
        if depth > _MAX_DEPTH:
            return None
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return list(node.elts)
        if isinstance(node, ast.Name):
            parts = known.get(node.id) or self._definitions.values.get(node.id, [])
        elif isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Call):
            return self._called(node, known)
        else:
            return None
        lists = [self._elements(part, known, depth + 1) for part in parts]
        return None if not lists or None in lists else [one for part in lists for one in part]

    def _called(self, node: ast.Call, known: _Known) -> list[ast.expr] | None:
        """The elements of `range(...)` and of `itertools.product(...)`."""
        name = (dotted(node.func) or '').rpartition('.')[2]
        if name == 'range':
            bounds = [self._numbers(argument, known, 0) for argument in node.args]
            if bounds and all(bound is not None and len(bound) == 1 for bound in bounds):
                try:
                    numbers = range(*(next(iter(bound)) for bound in bounds))
                except (ValueError, TypeError):
                    return None
                return [ast.Constant(number) for number in numbers[:_MAX_VALUES + 1]]
        elif name == 'product':
            lists = [self._elements(argument, known) for argument in node.args]
            if None not in lists:
                return [ast.Tuple(list(row)) for row in itertools.islice(itertools.product(*lists), 10_000)]
        return None

    def _numbers(self, node: ast.expr, known: _Known, depth: int) -> set[int] | None:
        """The whole numbers that an expression may be; None where they are not all seen."""
        is_literal, value = literal(node)
        if is_literal:
            return {value} if type(value) is int else None
        if depth > _MAX_DEPTH:
            return None
        if isinstance(node, ast.Name):
            parts = known.get(node.id) or self._definitions.values.get(node.id, [])
        elif isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        elif isinstance(node, ast.BinOp):
            return self._computed(node, known, depth)
        else:
            return None
        found = [self._numbers(part, known, depth + 1) for part in parts]
        return None if not found or None in found else set().union(*found)

    def _computed(self, node: ast.BinOp, known: _Known, depth: int) -> set[int] | None:
        left, right = self._numbers(node.left, known, depth + 1), self._numbers(node.right, known, depth + 1)
        if left is None or right is None or len(left) * len(right) > _MAX_VALUES:
            return None
        found = set()
        for pair in itertools.product(left, right):
            is_literal, value = literal(ast.BinOp(ast.Constant(pair[0]), node.op, ast.Constant(pair[1])))
            if not is_literal or type(value) is not int:
                return None
            found.add(value)
        return found


def _deep(value: ast.expr, known: _Known) -> list[ast.expr]:
    """What a function is given where it is called: the value, or the values of a name."""
    return known.get(value.id, [value]) if isinstance(value, ast.Name) else [value]
