# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the decorators of a kernel say of its parameters: the sizes that tuning tries, the flags that are computed, what is not specialised."""

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
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
        some (frozenset[str], Optional):
            What a configuration that is seen sets. Default: none.
        every (frozenset[str], Optional):
            What each of them sets. Default: none.
        count (int, Optional):
            How many there are, as far as they are seen; in the longest list, where there are several to choose from. Default: `0`.
        is_counted (bool, Optional):
            Whether there are just as many, whatever is chosen. Default: `False`.
        is_seen (bool, Optional):
            Whether the call that makes it is seen of every configuration. Default: `False`.
        hooks (tuple[ast.expr, ...], Optional):
            What runs before a kernel is launched with a configuration. Default: none.
    """

    sizes: dict[str, tuple[int, ...]]
    is_complete: bool
    some: frozenset[str] = frozenset()
    every: frozenset[str] = frozenset()
    count: int = 0
    is_counted: bool = False
    is_seen: bool = False
    hooks: tuple[ast.expr, ...] = ()


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
    named: list[frozenset[str]] = []
    is_complete = True
    readers = []
    for decorator in decorators:
        if decorator.role != AUTOTUNE:
            continue
        configs = decorator.keywords.get('configs')
        reader = _Configs(definitions)
        readers.append(reader)
        if configs is None or not reader.read(configs, {}, 0):
            is_complete = False
        reader.is_seen = reader.is_seen and configs is not None
        named.extend(reader.named)
        for name, values in reader.sizes.items():
            held = sizes.get(name, set())
            sizes[name] = None if held is None or values is None else held | values
    some, every = (frozenset(how(*named)) if named else frozenset() for how in (frozenset.union, frozenset.intersection))
    is_seen = bool(readers) and all(one.is_seen for one in readers)
    return Tuned(
        {name: tuple(sorted(values)) for name, values in sizes.items() if values}, is_complete, some, every,
        count=max((one.count for one in readers), default=0),
        is_counted=is_seen and len(readers) == 1 and readers[0].is_counted,
        is_seen=is_seen,
        hooks=tuple(hook for one in readers for hook in one.hooks),
    )


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
        # the parameters that each configuration sets
        self.named: list[frozenset[str]] = []
        self.hooks: list[ast.expr] = []
        self.count = 0
        self.is_counted = True
        self.is_seen = True
        self._definitions = definitions
        # how often the loops around it make what is read
        self._rounds = 1

    def read(self, node: ast.expr, known: _Known, depth: int) -> bool:
        """Note what configurations set; says whether all of them were seen."""
        if depth > _MAX_DEPTH:
            self.is_seen = False
            return False
        if isinstance(node, ast.List | ast.Tuple):
            parts = [one.value if isinstance(one, ast.Starred) else one for one in node.elts]
            return self._read_all(parts, known, depth)
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            self.is_counted = self.is_counted and not any(generator.ifs for generator in node.generators)
            inner = {**known, **self._repeated(node, known)}
            return self._read_repeatedly(node.elt, inner, depth, [one.iter for one in node.generators])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._read_all([node.left, node.right], known, depth)
        if isinstance(node, ast.IfExp):
            return self._read_either([node.body, node.orelse], known, depth)
        if isinstance(node, ast.Name):
            return self._read_either(known.get(node.id) or self._definitions.values.get(node.id, []), known, depth)
        if isinstance(node, ast.Call):
            return self._read_call(node, known, depth)
        self.is_seen = False
        return False

    def _read_either(self, nodes: Sequence[ast.expr], known: _Known, depth: int) -> bool:
        """As `read`, of one of several lists."""
        before, seen, counts = self.count, [], set()
        for node in nodes:
            self.count = before
            seen.append(self.read(node, known, depth + 1))
            counts.add(self.count)
        self.count = max(counts, default=before)
        self.is_counted = self.is_counted and len(counts) == 1
        self.is_seen = self.is_seen and bool(nodes)
        return bool(seen) and all(seen)

    def _read_repeatedly(self, node: ast.expr, known: _Known, depth: int, iterated: Sequence[ast.expr]) -> bool:
        """As `read`, of what loops through some expressions repeat."""
        outer = self._rounds
        for one in iterated:
            lengths = self._lengths(one, known, depth)
            self.is_counted = self.is_counted and len(lengths) == 1
            self._rounds *= max(lengths, default=1)
        seen = self.read(node, known, depth + 1)
        self._rounds = outer
        return seen

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
        self.is_seen = self.is_seen and bool(seen)
        return bool(seen) and all(seen)

    def _read_function(self, function: _Function, call: ast.Call, known: _Known, depth: int) -> bool:
        arguments = function.args
        names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        defaults = ([value] for value in arguments.defaults[::-1])
        inner: dict[str, list[ast.expr]] = dict(zip(names[::-1], defaults, strict=False))
        inner |= {name: _deep(value, known) for name, value in zip(names, call.args, strict=False)}
        inner |= {one.arg: _deep(one.value, known) for one in call.keywords if one.arg}
        results = []
        returned = []
        for node in scope_statements(function.body):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                inner.setdefault(node.targets[0].id, []).append(node.value)
            elif isinstance(node, ast.For):
                for name, values in self._run_through(node.target, node.iter, inner).items():
                    inner.setdefault(name, []).extend(values)
            elif isinstance(node, ast.Return) and node.value is not None:
                returned.append(node.value)
        if returned:
            results.append(self._read_either(returned, inner, depth))
        for node, loops in _appended(function, []):
            # a branch or a test may leave it out
            self.is_counted = False
            results.append(self._read_repeatedly(node, inner, depth, loops))
        return bool(results) and all(results)

    def _read_config(self, node: ast.Call, known: _Known) -> bool:
        self.count += self._rounds
        self.hooks.extend(one.value for one in node.keywords if one.arg == 'pre_hook')
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
        self.named.append(frozenset(name for name, _ in pairs if isinstance(name, str)))
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

    def _lengths(self, node: ast.expr, known: _Known, depth: int) -> set[int]:
        """How many elements a list may have, as far as that is seen."""
        parts: list[ast.expr] = []
        if isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        elif isinstance(node, ast.Name):
            parts = known.get(node.id) or self._definitions.values.get(node.id, [])
        if parts and depth <= _MAX_DEPTH:
            return {length for part in parts for length in self._lengths(part, known, depth + 1)}
        values = self._elements(node, known)
        return set() if values is None else {len(values)}

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


def _appended(node: ast.AST, loops: list[ast.expr]) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    """What a function appends to lists, each with what the loops around that run through."""
    for child in ast.iter_child_nodes(node):
        yield from _appended(child, [*loops, node.iter] if isinstance(node, ast.For) else loops)
        is_method = isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute) and len(child.args) == 1
        if is_method and child.func.attr in ('append', 'extend'):
            yield child.args[0], loops


def _deep(value: ast.expr, known: _Known) -> list[ast.expr]:
    """What a function is given where it is called: the value, or the values of a name."""
    return known.get(value.id, [value]) if isinstance(value, ast.Name) else [value]
