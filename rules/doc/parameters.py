# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a function or a class takes, for those who compare it with its docstring."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from flakelint.project.imports import last_name
from flakelint.project.statements import FUNCTIONS, all_statements, scope_statements
from flakelint.rules.doc.comment_runs import is_suppression

if TYPE_CHECKING:
    from flakelint.engine.context import File

Function = ast.FunctionDef | ast.AsyncFunctionDef

# words in the names of decorators that may add or take parameters, or speak for some of them in the docstring
_CHANGES = re.compile(
    r'inject|pass_|_pass|patch|provide|bind|partial|curry|use_|with_|without_|kwarg|args|argument|param|doc(?!tor)|given'
    r'|setter|getter|deleter|property|hydra|fixture|delegate|forward|signature',
    re.IGNORECASE,
)
_DATA_CLASSES = frozenset({'dataclass', 'define', 'frozen', 'mutable', 'attrs', 's', 'dataclass_json'})
_RECORDS = frozenset({'NamedTuple', 'BaseModel', 'TypedDict', 'Struct'})
_NEUTRAL_BASES = frozenset({'object', 'ABC', 'Generic', 'Protocol', *_RECORDS})
_CALLED = ('forward', '__call__', 'apply')
_MAX_BASES = 20


class Parameter(NamedTuple):
    """Something that is passed by its name.

    Args:
        name (str):
            The name.
        node (ast.AST):
            Where it stands.
        default (ast.expr | None):
            Its default, or None.
        is_told (bool):
            Whether it is documented where it stands.
    """

    name: str
    node: ast.AST
    default: ast.expr | None
    is_told: bool = False


class Taken(NamedTuple):
    """What a function or a class takes.

    Args:
        parameters (tuple[Parameter, ...]):
            What is passed by name, but for `self` and the like.
        stars (tuple[str, ...]):
            The names with stars, such as `*args`.
        is_open (bool):
            Whether it may take what is not seen.
        others (frozenset[str], Optional):
            Further names of which the docstring may speak. Default: none.
    """

    parameters: tuple[Parameter, ...]
    stars: tuple[str, ...]
    is_open: bool
    others: frozenset[str] = frozenset()


def taken_by(owner: ast.AST, file: 'File', classes: Mapping[ast.AST, ast.ClassDef]) -> Taken | None:
    """What a function or a class takes; None where that is not known.

    Args:
        owner (ast.AST):
            The function or the class.
        file (File):
            The file in which it stands.
        classes (Mapping[ast.AST, ast.ClassDef]):
            The class of each method of the file.
    """
    if isinstance(owner, ast.ClassDef):
        return _of_class(owner, file)
    method_of = classes.get(owner)
    if is_overload(owner):
        owner = _implementation(owner, method_of.body if method_of is not None else file.statements)
        return None if owner is None else _of_function(owner, method_of is not None)
    return _of_function(owner, method_of is not None)


def classes_of_methods(file: 'File') -> dict[ast.AST, ast.ClassDef]:
    """The class of each method of a file."""
    found: dict[ast.AST, ast.ClassDef] = {}
    for node in all_statements(file.statements):
        if isinstance(node, ast.ClassDef):
            found.update((one, node) for one in scope_statements(node.body) if isinstance(one, FUNCTIONS))
    return found


def initialiser(owner: ast.ClassDef) -> Function | None:
    """The method that takes what a class is called with, if it has one of its own."""
    methods = _methods(owner)
    return methods.get('__init__') or methods.get('__new__')


def is_overload(node: ast.AST) -> bool:
    """Whether a function only says what another one may be called with."""
    return isinstance(node, FUNCTIONS) and any(last_name(one) == 'overload' for one in node.decorator_list)


def _of_function(node: Function, is_method: bool) -> Taken | None:
    decorators = [last_name(_undecorated(one)) for one in node.decorator_list]
    if any(_CHANGES.search(name) for name in decorators):
        return None
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    pairs = list(zip(positional, defaults, strict=True))
    if is_method and 'staticmethod' not in decorators:
        pairs = pairs[1:]
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    stars = [f'*{arguments.vararg.arg}'] if arguments.vararg else []
    stars += [f'**{arguments.kwarg.arg}'] if arguments.kwarg else []
    # what a function gives back may be documented as what it takes
    inner = [one for below in scope_statements(node.body) if isinstance(below, FUNCTIONS) for one in _names(below)]
    parameters = tuple(Parameter(one.arg, one, default) for one, default in pairs)
    return Taken(parameters, tuple(stars), bool(stars), frozenset(inner))


def _of_class(node: ast.ClassDef, file: 'File') -> Taken | None:
    method = initialiser(node)
    others = frozenset(_attributes(node)) | frozenset(_parameters_of_calls(node))
    if method is not None:
        taken = _of_function(method, True)
        return None if taken is None else taken._replace(others=others | taken.others)
    fields, is_open = _fields(node, file, 0)
    if fields is None:
        return None
    return Taken(tuple(fields.values()), (), is_open, others)


def _fields(node: ast.ClassDef, file: 'File', depth: int) -> tuple[dict[str, Parameter] | None, bool]:
    """The fields of a class that is made of them, and whether there may be more; None for a class that is not."""
    is_data = any(last_name(_undecorated(one)) in _DATA_CLASSES for one in node.decorator_list)
    bases = [last_name(one.value if isinstance(one, ast.Subscript) else one) for one in node.bases]
    known = {one.name: one for one in file.statements if isinstance(one, ast.ClassDef)}
    inherited: dict[str, Parameter] = {}
    is_open = False
    for name in reversed(bases):
        if name in _NEUTRAL_BASES:
            is_data = is_data or name in _RECORDS
        elif name in known and known[name] is not node and depth < _MAX_BASES and initialiser(known[name]) is None:
            fields, opens = _fields(known[name], file, depth + 1)
            is_data = is_data or (fields is not None and bool(fields) and not node.decorator_list)
            inherited.update(fields or {})
            is_open = is_open or opens or fields is None
        else:
            is_open = True
    if not is_data:
        return None, True
    inherited.update((one.name, one) for one in _own_fields(node, file))
    return inherited, is_open


def _own_fields(node: ast.ClassDef, file: 'File') -> Iterator[Parameter]:
    for one, after in zip(node.body, [*node.body[1:], None], strict=True):
        if not isinstance(one, ast.AnnAssign) or not isinstance(one.target, ast.Name):
            continue
        annotation = ast.unparse(one.annotation)
        if 'ClassVar' in annotation or annotation.endswith('KW_ONLY') or _is_left_out(one.value):
            continue
        default = None if isinstance(one.value, ast.Call) else one.value
        yield Parameter(one.target.id, one.target, default, _is_text(after) or _has_comment(one, file))


def _is_left_out(value: ast.expr | None) -> bool:
    """Whether a field is no parameter."""
    return isinstance(value, ast.Call) and any(
        one.arg == 'init' and isinstance(one.value, ast.Constant) and one.value.value is False for one in value.keywords
    )


def _is_text(node: ast.stmt | None) -> bool:
    value = getattr(node, 'value', None)
    return isinstance(node, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str)


def _has_comment(node: ast.AST, file: 'File') -> bool:
    above = file.lines.line(node.lineno - 1).lstrip() if node.lineno > 1 else ''
    _, sign, behind = file.lines.line(node.end_lineno).partition('#')
    return any(text.startswith('#') and not is_suppression(text) for text in (above, sign + behind))


def _attributes(node: ast.ClassDef) -> Iterator[str]:
    """The names that the body of a class binds."""
    for one in scope_statements(node.body):
        for target in one.targets if isinstance(one, ast.Assign) else [getattr(one, 'target', None)]:
            if isinstance(target, ast.Name):
                yield target.id
        if isinstance(one, FUNCTIONS):
            yield one.name


def _parameters_of_calls(node: ast.ClassDef) -> Iterator[str]:
    """The parameters of what is called as soon as there is an instance, which docstrings of classes often describe."""
    for name, method in _methods(node).items():
        if name in _CALLED:
            yield from _names(method)


def _names(node: Function) -> Iterator[str]:
    arguments = node.args
    yield from (one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))


def _methods(node: ast.ClassDef) -> dict[str, Function]:
    """The methods of a class by their names, without those that only say what others may be called with."""
    return {one.name: one for one in scope_statements(node.body) if isinstance(one, FUNCTIONS) and not is_overload(one)}


def _implementation(node: Function, statements: Iterable[ast.AST]) -> Function | None:
    found = [
        one for one in scope_statements(statements)
        if isinstance(one, FUNCTIONS) and one.name == node.name and not is_overload(one)
    ]
    return found[-1] if found else None


def _undecorated(node: ast.expr) -> ast.expr:
    """The name of a decorator that is called."""
    while isinstance(node, ast.Call):
        node = node.func
    return node
