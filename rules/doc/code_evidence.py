# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether what could be code in a comment surely is, and no formula, note or example."""

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.rules.doc.commented_code import Code

_BUILTINS = frozenset(dir(builtins)) | {'self', 'cls'}
# calls that are made for what they do, not for what they give
_EFFECT = re.compile(
    r'print\w*|pprint|breakpoint|set_trace|exit|store|atomic_\w+|device_print|static_\w+|device_assert|debug_barrier'
    r'|synchronize|barrier|\w+_barrier|wait\w*|manual_seed|seed|append|extend|update|insert|remove|discard|pop|clear'
    r'|setdefault|sort|reverse|\w*[a-z]_|backward|step|zero_grad|info|debug|warn|warning|error|exception|log|critical'
    r'|set_\w+|empty_cache|register\w*|save\w*|dump|close|open|start|stop|join|assert\w*|write\w*|load_\w+|run\w*|main'
    r'|reset\w*|setattr|delattr|__init__|mark_\w+|check_\w+|validate\w*|plot|show|fill|copy_to|copy|commit\w*|push|send'
    r'|recv|all_reduce|all_gather\w*|broadcast|remove_\w+|add_\w+|init_\w+|_\w+|setup\w*',
)
_PREFIX = re.compile(r'b_|self\.')
# the lines below a comment in which an assignment of the same name makes it an explanation
_NEAR = 6


class Known(NamedTuple):
    """The names of a file.

    Args:
        names (Set[str]):
            Those that it binds or reads.
        functions (Set[str]):
            Those of functions.
    """

    names: Set[str]
    functions: Set[str]


@lru_cache(maxsize=2)
def bound_names(file: 'File') -> Set[str]:
    """The names that a file binds or reads, but for those of attributes."""
    found = set(_BUILTINS)
    for node in file.nodes:
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition('.')[0])
    return found


@lru_cache(maxsize=2)
def functions(file: 'File') -> Set[str]:
    """The plain names that a file calls, defines or imports."""
    found = set()
    for node in file.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(node.func.id)
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
    return found


def is_code(code: 'Code', line: int, file: 'File') -> bool:
    """Whether statements in comments were meant to be run.

    Args:
        code (Code):
            The statements.
        line (int):
            The line of the last comment.
        file (File):
            The file in which they stand.
    """
    known = Known(bound_names(file), functions(file))
    if code.are_elements:
        return _are_elements(code, known.names)
    nodes = [node for statement in code.statements for node in ast.walk(statement)]
    if any(isinstance(node, ast.Call) and any(map(_is_ellipsis, node.args)) for node in nodes):
        return False
    if code.first == code.last or (len(code.statements) == 1 and not hasattr(code.statements[0], 'body')):
        return all(_is_sure(one, known) and not _explains(one, line, file) for one in code.statements)
    sure = [node for node in nodes if isinstance(node, ast.stmt) and _is_sure(node, known, alone=False)]
    if not sure or _share_known(nodes, known.names) < 0.5:
        return False
    # a derivation that ends with what the next line computes
    return not all(isinstance(one, ast.Assign) for one in code.statements) or not _explains(code.statements[-1], line, file)


def constants_of(code: 'Code') -> Set[str]:
    """The names of a configuration: of assignments, each of a constant; empty where there is anything else."""
    names = set()
    for statement in code.statements:
        if not isinstance(statement, ast.Assign) or not _is_constant(statement.value):
            return set()
        if not all(isinstance(one, (ast.Name, ast.Tuple)) for one in statement.targets):
            return set()
        names.update(_targets(statement))
    return names


def is_alternative(code: 'Code', line: int, file: 'File') -> bool:
    """Whether code is an assignment of a constant to a name that the line before or after gives another."""
    names = constants_of(code)
    around = [one for one in _near(file, line - 1 - (code.last - code.first), line + 1) if isinstance(one, ast.Assign)]
    return bool(names) and any(_is_constant(one.value) and names & set(_targets(one)) for one in around)


def _are_elements(code: 'Code', known: Set[str]) -> bool:
    value = code.statements[0].value if isinstance(code.statements[0], ast.Expr) else None
    if isinstance(value, ast.Dict):
        return any(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in value.keys)
    if not isinstance(value, ast.Call):
        return False
    # without a comma it is a label, as in `# C=128` above the row that is for 128
    if any(one.arg and _is_plain_value(one.value, known) for one in value.keywords) and code.ends_with_comma:
        return True
    return any(isinstance(one, ast.Call) and _is_known(one.func, known) and _has_arguments(one) for one in value.args)


def _is_plain_value(node: ast.expr, known: Set[str]) -> bool:
    return _is_constant(node) or all(one.id in known for one in ast.walk(node) if isinstance(one, ast.Name))


def _has_arguments(node: ast.Call) -> bool:
    return bool(node.keywords) or any(isinstance(one, (ast.Dict, ast.List, ast.Constant)) for one in node.args)


def _is_sure(node: ast.stmt, known: Known, alone: bool = True) -> bool:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return True
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        is_whole = len(node.body) > 1 or not isinstance(node.body[0], ast.Pass)
        return (not alone and is_whole) or any(_is_decorator(one, known.names) for one in node.decorator_list)
    if alone and not _reads(ast.walk(node)) <= known.names:
        return False
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call) and _has_effect(node.value, known.names)
    if isinstance(node, (ast.Assign, ast.AugAssign)) or (isinstance(node, ast.AnnAssign) and node.value is not None):
        return _is_assigned(node, known, alone)
    if isinstance(node, ast.Return):
        return node.value is not None and _calls(node.value, known, alone)
    if isinstance(node, ast.Assert):
        return isinstance(node.test, (ast.Compare, ast.BoolOp, ast.Call))
    if isinstance(node, ast.Raise):
        return isinstance(node.exc, ast.Call)
    return isinstance(node, ast.Delete)


def _is_assigned(node: ast.Assign | ast.AugAssign | ast.AnnAssign, known: Known, alone: bool) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if alone and isinstance(targets[0], ast.Tuple) and _is_shape(node.value):
        return False
    if any(isinstance(one, ast.Attribute) and _root(one) == 'self' for one in targets):
        return not isinstance(node, ast.AugAssign)
    return _calls(node.value, known, alone)


def _is_shape(node: ast.expr) -> bool:
    func = node.func if isinstance(node, ast.Call) else node
    return isinstance(func, ast.Attribute) and func.attr in ('shape', 'size')


def _calls(node: ast.expr, known: Known, alone: bool) -> bool:
    """Whether an expression has a call that no formula has."""
    for one in ast.walk(node):
        if not isinstance(one, ast.Call) or not _is_known(one.func, known.names):
            continue
        if isinstance(one.func, ast.Attribute):
            return True
        name = _root(one.func)
        if name in known.functions and name not in _BUILTINS and (not alone or one.keywords):
            return True
    return False


def _has_effect(node: ast.Call, known: Set[str]) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, 'id', '')
    if isinstance(node.func, ast.Name) and name not in ('print', 'breakpoint', 'exit'):
        return False
    return _is_known(node.func, known) and _EFFECT.fullmatch(name) is not None


def _is_decorator(node: ast.expr, known: Set[str]) -> bool:
    func = node.func if isinstance(node, ast.Call) else node
    return (isinstance(func, ast.Attribute) or isinstance(node, ast.Call)) and _is_known(func, known)


def _is_known(func: ast.expr, known: Set[str]) -> bool:
    return _root(func) in known


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ''


def _reads(nodes: Iterable[ast.AST]) -> Set[str]:
    return {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def _share_known(nodes: list[ast.AST], known: Set[str]) -> float:
    """The part of the names read in some code, apart from its own, that the file knows, from 0 to 1."""
    read = _reads(nodes) - {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return sum(name in known for name in read) / len(read) if read else 1.0


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _explains(statement: ast.stmt, line: int, file: 'File') -> bool:
    """Whether a statement says in other words what the code around it does."""
    near = list(_near(file, line - 1, line + _NEAR))
    if isinstance(statement, ast.Return):
        return any(isinstance(one, ast.Return) and one.lineno > line for one in near[:2])
    names = {_PREFIX.sub('', name) for name in _targets(statement)}
    return any(names & {_PREFIX.sub('', name) for name in _targets(one)} for one in near)


def _near(file: 'File', first: int, last: int) -> Iterator[ast.stmt]:
    for node in file.nodes:
        if isinstance(node, ast.stmt) and first <= node.lineno <= last:
            yield node


def _targets(statement: ast.stmt) -> Iterator[str]:
    targets = getattr(statement, 'targets', None) or [getattr(statement, 'target', None)]
    for target in targets:
        for one in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
            if isinstance(one, ast.Subscript):
                one = one.value
            if isinstance(one, (ast.Name, ast.Attribute)):
                yield ast.unparse(one)


def _is_constant(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
