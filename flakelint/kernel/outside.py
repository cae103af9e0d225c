# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the names mean that a kernel reads and does not bind: functions, values, modules, or nothing at all."""

import ast
import builtins
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from flakelint.project.imports import dotted
from flakelint.project.meanings import APPLIED, CLASS, CONSTEXPR, FUNCTION, LITERAL, OTHER
from flakelint.project.statements import scope_statements
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.repository import Repository
    from flakelint.project.resolution import Symbol

# what a name is; the empty text is what is not known, or what a kernel may read
UNBOUND = 'unbound'
BUILTIN = 'builtin'
PLAIN_FUNCTION = 'plain function'
PLAIN_CLASS = 'plain class'
PLAIN_VALUE = 'plain value'

# what kernels have of Python's own names; `hasattr` since 3.4
_KNOWN_BUILTINS = frozenset({
    'float', 'getattr', 'hasattr', 'int', 'isinstance', 'len', 'list', 'max', 'min', 'print', 'range',
})
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith('_'))
_ENUMS = frozenset({'enum.Enum', 'enum.Flag', 'enum.IntEnum', 'enum.IntFlag', 'enum.StrEnum', 'object'})
# packages of which no function runs in a kernel
_HOST_PACKAGES = frozenset({'logging', 'numpy', 'os', 'random', 'scipy', 'sys', 'time', 'torch', 'warnings'})
# classes, numpy's scalar types among them, which are called without an error
_TYPE = re.compile(r'[A-Z]\w*|(?:u?int|float|complex|bool)\d*_?|[fi]info|device|dtype')
# functions whose result is never a `tl.constexpr`
_PLAIN_CALLS = frozenset({'bool', 'dict', 'float', 'frozenset', 'int', 'len', 'list', 'set', 'str', 'tuple'})
_MATH_VALUES = frozenset({'e', 'inf', 'nan', 'pi', 'tau'})
_DTYPE = re.compile(r'torch\.(?:u?int\d+|b?float\d+(?:_\w+)?|half|float|double|long|int|short|bool)')
# a module in which names come to be in other ways
_INJECTED = re.compile(r'(?i)\b(?:globals|vars|exec)\s*\(|\b__dict__\b|allow_non_constexpr_globals')
_PLAIN_DISPLAYS = (ast.Dict, ast.DictComp, ast.JoinedStr, ast.List, ast.ListComp, ast.Set, ast.SetComp, ast.Tuple)
_MAX_DEPTH = 6


class Meant(NamedTuple):
    """What a name is.

    Args:
        kind (str):
            One of the constants above, or nothing.
        path (str, Optional):
            The file that binds it. Default: none.
        line (int, Optional):
            The line on which it does. Default: `0`.
        text (str, Optional):
            The value of a plain value, as it is written, or the full name of what stands elsewhere. Default: none.
        is_annotated (bool, Optional):
            Whether a plain value is annotated as a constant. Default: `False`.
    """

    kind: str
    path: str = ''
    line: int = 0
    text: str = ''
    is_annotated: bool = False


_UNKNOWN = Meant('')


class Outside:
    """The names that a kernel reads from outside.

    Args:
        kernel (Kernel):
            The kernel.
        repository (Repository):
            Where other modules are.
    """

    def __init__(self, kernel: 'Kernel', repository: 'Repository') -> None:
        self._kernel = kernel
        self._repository = repository
        self._view = repository.seen_from(kernel.module)

    def names(self) -> Iterator[tuple[ast.expr, str]]:
        """The names and dotted names in the body that neither the kernel nor a function around it binds, of `a.b.c` only the whole."""
        bound = _bound_by(self._kernel.body) | _parameters(self._kernel.definition)
        for owner in self._kernel.owners:
            if not isinstance(owner, ast.ClassDef):
                bound |= _bound_by(nodes_in_order(owner.body)) | _parameters(owner) | {owner.name}
        inner = _messages(self._kernel)
        for node in self._kernel.body:
            name = dotted(node) if isinstance(node, ast.Name | ast.Attribute) and id(node) not in inner else None
            if name is None:
                continue
            part = node
            while isinstance(part, ast.Attribute):
                part = part.value
                inner.add(id(part))
            if isinstance(part.ctx, ast.Load) and part.id not in bound and not part.id.startswith('__'):
                yield node, name

    def meant(self, name: str) -> Meant:
        """What a name without a dot, or a dotted one, is."""
        symbols = self._view.resolver.candidates(self._kernel.path, name)
        if not symbols:
            return self._unbound(name)
        found = [_of_math(symbol.name) if _is_of_math(symbol, name) else self._symbol(symbol) for symbol in symbols]
        if found[0].kind == PLAIN_VALUE and _INJECTED.search(self._kernel.module.file.text):
            return _UNKNOWN
        # a name that is bound in several ways is at fault only where each of them is
        return found[-1] if len({one.kind for one in found}) == 1 else _UNKNOWN

    def _unbound(self, name: str) -> Meant:
        path = self._kernel.path
        if '.' in name or not self._view.summary(path).names.meanings or self._has_strangers(path, set()):
            return _UNKNOWN
        if name in _BUILTINS:
            is_error = isinstance(getattr(builtins, name), type) and issubclass(getattr(builtins, name), BaseException)
            return _UNKNOWN if name in _KNOWN_BUILTINS or is_error else Meant(BUILTIN)
        return _UNKNOWN if _INJECTED.search(self._kernel.module.file.text) else Meant(UNBOUND)

    def _has_strangers(self, path: str, seen: set[str]) -> bool:
        """Whether a module has all names of another one that is not seen."""
        if path in seen:
            return False
        seen.add(path)
        for module, _ in self._view.summary(path).names.stars:
            target = self._view.resolver.modules.find(module, path)
            if target is None or target.endswith('/') or self._has_strangers(target, seen):
                return True
        return False

    def _symbol(self, symbol: 'Symbol', depth: int = 0) -> Meant:
        meaning = symbol.meaning
        if not symbol.path:
            return _external(symbol.name)
        if meaning is None:
            return _UNKNOWN
        place = (symbol.path, meaning.line)
        if meaning.kind == FUNCTION:
            is_bare = symbol.name not in self._view.summary(symbol.path).functions
            return Meant(PLAIN_FUNCTION, *place) if is_bare else _UNKNOWN
        if meaning.kind == CLASS:
            return Meant(PLAIN_CLASS, *place) if self._is_plain_class(symbol) else _UNKNOWN
        if '.' in symbol.name:
            return _UNKNOWN
        if meaning.kind == LITERAL:
            is_plain = meaning.text != CONSTEXPR and meaning.value is not None
            return self._plain(symbol) if is_plain else _UNKNOWN
        if meaning.kind in (OTHER, APPLIED):
            value = getattr(self._definition(symbol), 'value', None)
            if isinstance(value, ast.Lambda):
                return Meant(PLAIN_FUNCTION, *place)
            return self._plain(symbol) if value is not None and self._is_plain(value, symbol.path, depth) else _UNKNOWN
        return _UNKNOWN

    def _plain(self, symbol: 'Symbol') -> Meant:
        node = self._definition(symbol)
        text = ast.unparse(node.value) if node is not None else ''
        annotation = getattr(node, 'annotation', None)
        is_annotated = annotation is not None and (dotted(annotation) or '').rpartition('.')[2] == CONSTEXPR
        return Meant(PLAIN_VALUE, symbol.path, symbol.meaning.line, text, is_annotated)

    def _is_plain(self, value: ast.expr, path: str, depth: int) -> bool:
        """Whether an expression of a module is certainly a value that no kernel may read by its name."""
        if depth > _MAX_DEPTH:
            return False
        if isinstance(value, ast.Constant):
            return value.value is not None and value.value is not Ellipsis
        if isinstance(value, _PLAIN_DISPLAYS):
            return True
        if isinstance(value, ast.Name | ast.Attribute):
            name = dotted(value)
            symbols = self._view.resolver.candidates(path, name) if name else ()
            # what names of other files mean here is not followed when they change
            own = [self._symbol(one, depth + 1) for one in symbols if one.path == self._kernel.path]
            return bool(symbols) and len(own) == len(symbols) and all(one.kind == PLAIN_VALUE for one in own)
        if isinstance(value, ast.Call):
            name = dotted(value.func) or ''
            symbols = self._view.resolver.candidates(path, name)
            full = symbols[0].name if len(symbols) == 1 and not symbols[0].path else '' if symbols else name
            return full in _PLAIN_CALLS or _external(full).kind == PLAIN_FUNCTION
        parts = _operands(value)
        return bool(parts) and all(self._is_plain(part, path, depth + 1) for part in parts)

    def _is_plain_class(self, symbol: 'Symbol') -> bool:
        node = self._definition(symbol)
        if not isinstance(node, ast.ClassDef) or node.decorator_list or node.keywords:
            return False
        names = [dotted(base) or '' for base in node.bases]
        found = [self._view.resolver.candidates(symbol.path, name) for name in names]
        full = [one[0].name if one else name for one, name in zip(found, names, strict=True)]
        return all(name in _ENUMS for name in full)

    def _definition(self, symbol: 'Symbol') -> ast.AST | None:
        """The statement that binds a name."""
        module = self._repository.module_at(symbol.path, self._kernel.module)
        statements = module.file.statements if module is not None else ()
        found = (node for node in scope_statements(statements) if getattr(node, 'lineno', 0) == symbol.meaning.line)
        return next((node for node in found if isinstance(node, ast.Assign | ast.AnnAssign | ast.ClassDef)), None)


def _messages(kernel: 'Kernel') -> set[int]:
    """The nodes in messages of assertions at compile time, which are looked at only where one fails."""
    calls = [call for call in kernel.calls if (dotted(call.func) or '').rpartition('.')[2] == 'static_assert']
    return {id(node) for call in calls for node in nodes_in_order(call.args[1:])}


def _is_of_math(symbol: 'Symbol', name: str) -> bool:
    """Whether something was imported from `math` by itself; what is taken from the module, kernels may use."""
    return not symbol.path and symbol.name.startswith('math.') and '.' not in name


def _of_math(name: str) -> Meant:
    return Meant(PLAIN_VALUE if name.rpartition('.')[2] in _MATH_VALUES else PLAIN_FUNCTION, text=name)


def _external(name: str) -> Meant:
    """What the full name of something means that the repository does not hold."""
    package, _, last = name.partition('.')
    if _DTYPE.fullmatch(name):
        return Meant(PLAIN_VALUE, text=name)
    # torch brings functions for kernels in its inner modules, `torch._inductor` above all
    if package in _HOST_PACKAGES and last and '._' not in name and not _TYPE.fullmatch(name.rpartition('.')[2]):
        return Meant(PLAIN_FUNCTION, text=name)
    return _UNKNOWN


def _operands(value: ast.expr) -> list[ast.expr]:
    """The operands of an operator that gives a plain value for plain ones."""
    if isinstance(value, ast.BinOp):
        return [value.left, value.right]
    if isinstance(value, ast.UnaryOp):
        return [value.operand]
    if isinstance(value, ast.Compare):
        return [value.left, *value.comparators]
    if isinstance(value, ast.BoolOp):
        return value.values
    return [value.body, value.orelse] if isinstance(value, ast.IfExp) else []


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    return {node.arg for node in nodes_in_order([function.args]) if isinstance(node, ast.arg)}


def _bound_by(nodes: list[ast.AST]) -> set[str]:
    """The names that nodes bind, those of functions in them too."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition('.')[0])
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
    return found
