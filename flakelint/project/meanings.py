# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the names of a module mean, in a form that can be kept without its tree."""

import ast
import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from flakelint.project.imports import dotted
from flakelint.project.statements import all_statements, scope_statements

if TYPE_CHECKING:
    from flakelint.source.file import SourceFile
from flakelint.source.syntax import first_line

MODULE = 'module'
MEMBER = 'member'
FUNCTION = 'function'
CLASS = 'class'
ALIAS = 'alias'
APPLIED = 'applied'
LITERAL = 'literal'
OTHER = 'other'

# the last part of the name of what makes a literal one that kernels may read, and the text of such a literal
CONSTEXPR = 'constexpr'

_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Pow: lambda a, b: a**b if abs(b) < 100 else _no_literal(),
    ast.LShift: lambda a, b: a << b if b < 100 else _no_literal(),
}


# decorators that leave the signature of a function as it is, by the head and the last part of their names
_LIBRARIES = frozenset({'contextlib', 'functools', 'torch'})
_KEEP_SIGNATURE = frozenset({
    'allow_in_graph', 'cache', 'compile', 'contextmanager', 'disable', 'inference_mode', 'lru_cache', 'no_grad',
})

# what is written out part by part
_DISPLAYS = (ast.Tuple, ast.List)


class Meaning(NamedTuple):
    """One thing that a name may mean.

    Args:
        kind (str):
            `module` (text: its dotted name), `member` of a module (text: the module and the name, with a colon between them),
            `function`, `class` or `other` value (text: a digest of its source; value of a function: its signature, as `signature_of` gives it),
            `alias` (text: another name),
            `applied` decorator (text: the name of the decorated function, value: that of the decorator),
            `literal` (value; text: `constexpr` where the value is wrapped in one).
        line (int):
            Where it is bound.
        text (str, Optional):
            What the kind says of it. Default: none.
        value (object, Optional):
            The value of a literal. Default: `None`.
    """

    kind: str
    line: int
    text: str = ''
    value: Any = None


class Names(NamedTuple):
    """The names of a module.

    Args:
        meanings (dict[str, tuple[Meaning, ...]]):
            What each name may mean; members of its classes too, as `Class.member`.
        stars (tuple[tuple[str, int], ...]):
            The modules whose names are imported with `*`, each with the line.
        exports (tuple[str, ...] | None):
            What `__all__` lists, or None where it is not a plain list.
    """

    meanings: dict[str, tuple[Meaning, ...]]
    stars: tuple[tuple[str, int], ...] = ()
    exports: tuple[str, ...] | None = None


NO_NAMES = Names({})


def names_of(file: 'SourceFile') -> Names:
    """The names that the top level of a module binds, whatever stands around the statement."""
    found: dict[str, list[Meaning]] = {}
    stars = []
    for node in scope_statements(file.statements):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == '*':
            stars.append((module_of(node), node.lineno))
        for name, meaning in bound_by(node, file):
            found.setdefault(name, []).append(meaning)
        if isinstance(node, ast.ClassDef):
            for inner in scope_statements(node.body):
                for name, meaning in bound_by(inner, file):
                    found.setdefault(f'{node.name}.{name}', []).append(meaning)
    if 'global' in file.text:
        for name, line in _declared_global(file.statements):
            found.setdefault(name, []).append(Meaning(OTHER, line))
    meanings = {name: tuple(dict.fromkeys(bound)) for name, bound in found.items()}
    return Names(meanings, tuple(stars), _exports(file.statements))


def source_lines(node: ast.AST, file: 'SourceFile') -> str:
    """The lines on which a node stands, with those of its decorators."""
    return file.lines.segment(first_line(node), node.end_lineno)


def bound_by(node: ast.AST, file: 'SourceFile') -> Iterator[tuple[str, Meaning]]:
    """The names that a statement by itself binds, but for those that `import *` brings."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from imported_by(node)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.name, Meaning(FUNCTION, node.lineno, digest(source_lines(node, file)), signature_of(node))
    elif isinstance(node, ast.ClassDef):
        yield node.name, Meaning(CLASS, node.lineno, digest(source_lines(node, file)))
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from _assigned(target, node.value, file)
    else:
        for target in _other_targets(node):
            yield from ((name, Meaning(OTHER, node.lineno)) for name in target_names(target))


def _assigned(target: ast.expr, value: ast.expr, file: 'SourceFile') -> Iterator[tuple[str, Meaning]]:
    """What an assignment binds: of as many names as values, each its own."""
    if isinstance(target, ast.Name):
        yield from ((target.id, meaning) for meaning in meanings_of(value, file))
    elif isinstance(target, _DISPLAYS) and isinstance(value, _DISPLAYS) and _are_pairs(target, value):
        for inner, one in zip(target.elts, value.elts, strict=True):
            yield from _assigned(inner, one, file)
    else:
        yield from ((name, Meaning(OTHER, target.lineno)) for name in target_names(target))


def _are_pairs(target: ast.Tuple | ast.List, value: ast.Tuple | ast.List) -> bool:
    return len(target.elts) == len(value.elts) and not any(isinstance(one, ast.Starred) for one in (*target.elts, *value.elts))


def signature_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """The parameters of a function with a space between them, those with a default and a star as in the source; None where a decorator may change them."""
    for decorator in node.decorator_list:
        name = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator) or ''
        if name.partition('.')[0] not in _LIBRARIES or name.rpartition('.')[2] not in _KEEP_SIGNATURE:
            return None
    arguments = node.args
    positional = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    first = len(positional) - len(arguments.defaults)
    parts = [f'{name}=' if index >= first else name for index, name in enumerate(positional)]
    if arguments.posonlyargs:
        parts.insert(len(arguments.posonlyargs), '/')
    if arguments.vararg is not None or arguments.kwonlyargs:
        parts.append(f'*{arguments.vararg.arg if arguments.vararg is not None else ""}')
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    parts.extend(one.arg if value is None else f'{one.arg}=' for one, value in named)
    if arguments.kwarg is not None:
        parts.append(f'**{arguments.kwarg.arg}')
    return ' '.join(parts)


def parameters_of(signature: str) -> list[str]:
    """The names of the parameters of a signature, as `signature_of` gives it, but for those with stars."""
    return [part.removesuffix('=') for part in signature.split() if part[0] not in '*/']


def imported_by(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Meaning]]:
    """The names that an import binds, but for those that `*` brings."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            if alias.name != '*':
                yield alias.asname or alias.name, Meaning(MEMBER, node.lineno, f'{module_of(node)}:{alias.name}')
        elif alias.asname:
            yield alias.asname, Meaning(MODULE, node.lineno, alias.name)
        else:
            head = alias.name.partition('.')[0]
            yield head, Meaning(MODULE, node.lineno, head)


def module_of(node: ast.ImportFrom) -> str:
    """The module of a `from` import, with its dots."""
    return '.' * node.level + (node.module or '')


def meanings_of(value: ast.expr, file: 'SourceFile') -> list[Meaning]:
    """What a name means to which a value is assigned; several things where the value is a choice between names."""
    name = dotted(value)
    if name is not None:
        return [Meaning(ALIAS, value.lineno, name)]
    if isinstance(value, ast.IfExp):
        return [*meanings_of(value.body, file), *meanings_of(value.orelse, file)]
    is_literal, constant = literal(value)
    if is_literal:
        is_wrapped = isinstance(value, ast.Call) and (dotted(value.func) or '').rpartition('.')[2] == CONSTEXPR
        return [Meaning(LITERAL, value.lineno, CONSTEXPR if is_wrapped else '', constant)]
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        inner = dotted(value.args[0])
        decorator = dotted(value.func.func if isinstance(value.func, ast.Call) else value.func)
        if inner and decorator:
            return [Meaning(APPLIED, value.lineno, inner, decorator)]
    return [Meaning(OTHER, value.lineno, digest(source_lines(value, file)))]


def literal(value: ast.expr) -> tuple[bool, Any]:
    """Whether an expression is a number, a text, a truth value or None that is written out, and which."""
    try:
        return True, _literal(value)
    except (ValueError, ArithmeticError, TypeError, RecursionError):
        return False, None


def target_names(target: ast.expr) -> Iterator[str]:
    """The names that an assignment to a target binds."""
    stack = [target]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Tuple | ast.List):
            stack.extend(node.elts)
        elif isinstance(node, ast.Starred):
            stack.append(node.value)


def digest(text: str) -> str:
    """A short digest of a text."""
    return hashlib.blake2b(text.encode(errors='surrogatepass'), digest_size=9).hexdigest()


def _literal(value: ast.expr) -> Any:
    if isinstance(value, ast.Constant) and (value.value is None or isinstance(value.value, bool | int | float | str)):
        return value.value
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        return -_literal(value.operand)
    if isinstance(value, ast.BinOp) and type(value.op) in _ARITHMETIC:
        left, right = _literal(value.left), _literal(value.right)
        if not isinstance(left, str) and not isinstance(right, str):
            return _ARITHMETIC[type(value.op)](left, right)
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        name = (dotted(value.func) or '').rpartition('.')[2]
        if name == CONSTEXPR:
            return _literal(value.args[0])
        if name == 'float':
            return float(_literal(value.args[0]))
    return _no_literal()


def _no_literal() -> Any:
    raise ValueError('no literal')


def _other_targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.For | ast.AsyncFor | ast.AugAssign):
        return [node.target]
    if isinstance(node, ast.With | ast.AsyncWith):
        return [item.optional_vars for item in node.items if item.optional_vars is not None]
    return node.targets if isinstance(node, ast.Delete) else []


def _declared_global(statements: Iterable[ast.stmt]) -> Iterator[tuple[str, int]]:
    """The names that functions declare global, and may so change."""
    for node in all_statements(statements):
        if isinstance(node, ast.Global):
            yield from ((name, node.lineno) for name in node.names)


def _exports(statements: Iterable[ast.stmt]) -> tuple[str, ...] | None:
    values = []
    for node in scope_statements(statements):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, 'target', None)]
        if any(isinstance(target, ast.Name) and target.id == '__all__' for target in targets):
            values.append(getattr(node, 'value', None))
    if len(values) != 1 or not isinstance(values[0], ast.List | ast.Tuple):
        return None
    names = [element.value for element in values[0].elts if isinstance(element, ast.Constant)]
    return tuple(names) if len(names) == len(values[0].elts) else None
