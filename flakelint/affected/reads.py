# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which names a statement reads that are not its own: those of its module, and those that imports inside it bring."""

import ast
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from flakelint.affected.texts import code_in, is_code, is_name, is_script, modules_in
from flakelint.project.imports import dotted, last_name
from flakelint.project.meanings import MEMBER, imported_by, module_of
from flakelint.project.statements import FUNCTIONS
from flakelint.source.syntax import children, nodes_in_order

USE, DECORATOR, ARGUMENT, BASE, STRING = 'use', 'decorator', 'argument of a decorator', 'base class', 'string'
# the path of a script
SCRIPT = 'path'
# what the body of a module works out
VALUE_OF = 'value'
# all names of a module
STAR = '*'
# before how the names of modules begin that are loaded by a name which is put together
BELOW = '.'

_LOADERS = frozenset({'import_module', '__import__', 'run_module'})
_ASKING = frozenset({'usefixtures', 'getfixturevalue'})
_SEARCHES = frozenset({'iter_modules', 'walk_packages'})
# the package of the module itself, and what it is called there
_OWN_PACKAGE = '.'
_OWN = frozenset({'__name__', '__package__'})
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FILLERS = frozenset({'add', 'append', 'extend', 'insert', 'register', 'setdefault', 'update'})
_SCOPES = frozenset({*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.Import, ast.ImportFrom, *_COMPREHENSIONS})
# what may bind a name, without what only evaluates
_BINDING = (
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try,
    ast.Match, ast.match_case, ast.pattern, ast.ExceptHandler, ast.withitem, ast.Tuple, ast.List, ast.Starred,
    *([ast.TryStar] if sys.version_info >= (3, 11) else []),
)
_CAPTURES = {ast.MatchAs: 'name', ast.MatchStar: 'name', ast.MatchMapping: 'rest', ast.ExceptHandler: 'name'}


class Read(NamedTuple):
    """A name that is read.

    Args:
        name (str):
            The name, with the attributes that are asked of it.
        line (int):
            Where.
        kind (str):
            `use`, `decorator`, `argument of a decorator`, `base class`, `string` for a text that may name something, `path` for one that may be a script, or `value` for what a body works out.
    """

    name: str
    line: int
    kind: str = USE


class Import(NamedTuple):
    """What an import statement brings.

    Args:
        module (str):
            The module, with the dots of a relative import; nothing for the one in which it stands.
        member (str):
            What is taken from it; nothing for the module itself, `*` for all, and for the modules below it whose names begin in some way, a dot and this beginning.
        line (int):
            Where.
    """

    module: str
    member: str
    line: int


class Reads:
    """What some nodes read.

    Args:
        own (str, Optional):
            The class to whose members the first parameter of a function leads. Default: none.
    """

    def __init__(self, own: str = '') -> None:
        self.names: dict[tuple[str, str], Read] = {}
        self.imports: dict[str, list[Import]] = {}
        self.loads: list[Import] = []
        # the names into which something is put
        self.fills: set[str] = set()
        # the fixtures that are asked for by a string
        self.asked: dict[str, None] = {}
        self._own = own
        # the first parameters of its functions
        self._firsts: set[str] = set()

    def add(self, nodes: Iterable[ast.AST | None], local: frozenset[str] = frozenset(), kind: str = USE) -> None:
        """Look at nodes in a scope that binds some names."""
        for node in nodes:
            if node is not None:
                self._visit(node, local, kind)

    def decorators(self, nodes: Iterable[ast.expr], local: frozenset[str] = frozenset()) -> None:
        """Look at decorators: at what they are, and at what they are given."""
        for node in nodes:
            if not isinstance(node, ast.Call):
                self.add([node], local, DECORATOR)
                continue
            self._called(node)
            self.add([node.func], local, DECORATOR)
            self.add([*node.args, *(one.value for one in node.keywords)], local, ARGUMENT)

    def _visit(self, node: ast.AST, local: frozenset[str], kind: str) -> None:
        stack: list[ast.AST] = [node]
        while stack:
            one = stack.pop()
            node_class = type(one)
            if node_class is ast.Name:
                self._read(one.id, one, local, kind)
            elif node_class is ast.Attribute and type(one.value) is ast.Name:
                self._read(f'{one.value.id}.{one.attr}', one, local, kind)
            elif node_class is ast.Attribute and (name := dotted(one)) is not None:
                self._read(name, one, local, kind)
            elif node_class is ast.Constant:
                if type(one.value) is str:
                    self._string(one)
            elif node_class in _SCOPES:
                self._scope(one, local, kind)
            else:
                if node_class is ast.Call:
                    self._called(one)
                    self._run(one.args)
                elif node_class is ast.List or node_class is ast.Tuple:
                    self._run(one.elts)
                elif node_class is ast.Subscript:
                    self._item(one, local)
                stack += [] if _is_done(one) else children(one)

    def _item(self, node: ast.Subscript, local: frozenset[str]) -> None:
        """An item: one that is put into something, or one of the names of the module."""
        if type(node.ctx) is ast.Store and type(node.value) is ast.Name:
            self.fills.update({node.value.id} - local)
        elif dotted(node.value) == 'sys.modules' and isinstance(node.slice, ast.Name) and node.slice.id in _OWN:
            self.loads.append(Import('', '', node.lineno))

    def _scope(self, node: ast.AST, local: frozenset[str], kind: str) -> None:
        if isinstance(node, ast.ClassDef):
            self._class(node, local)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for name, brought in brought_by(node):
                self.imports.setdefault(name, []).append(brought)
            # `import a.b` binds `a`, and runs `a.b`, under a name by which nothing asks for it
            for name in [one.name for one in node.names if '.' in one.name] if isinstance(node, ast.Import) else ():
                self.imports.setdefault(name, []).append(Import(name, '', node.lineno))
        elif isinstance(node, _COMPREHENSIONS):
            targets = nodes_in_order(one.target for one in node.generators)
            # over what it goes first is asked for outside of it
            self.add([node.generators[0].iter], local, kind)
            self.add(children(node), local | {one.id for one in targets if isinstance(one, ast.Name)}, kind)
        else:
            self._function(node, local, kind)

    def _read(self, name: str, node: ast.AST, local: frozenset[str], kind: str) -> None:
        head, _, last = name.partition('.')
        if head in self._firsts and last:
            name, head = f'{self._own}.{last.partition(".")[0]}', self._own
            self.names.setdefault((name, USE), Read(name, node.lineno, USE))
        elif head not in local:
            if last in _FILLERS:
                self.fills.add(head)
            self.names.setdefault((name, kind), Read(name, node.lineno, kind))

    def _string(self, node: ast.Constant) -> None:
        text = node.value
        if is_code(text):
            self._code(node)
        elif is_script(text):
            self.names.setdefault((text, SCRIPT), Read(text, node.lineno, SCRIPT))
        elif is_name(text):
            self._named(text.replace(':', '.'), node.lineno)

    def _named(self, name: str, line: int) -> None:
        self.names.setdefault((name, STRING), Read(name, line, STRING))

    def _code(self, node: ast.Constant) -> None:
        """Code that is a text, for another process or for `exec`: what it imports, and what it asks of that."""
        statements = code_in(node)
        inner = Reads()
        if statements is None:
            inner.loads = [Import(name, '', node.lineno) for name in modules_in(node.value)]
        else:
            inner.add(statements, bound_in(statements))
        # its names are not those of the module that holds it
        mark = f'@{len(self.imports)}'
        stars = [Import(one.module, '', one.line) for one in inner.imports.pop(STAR, ())]
        self.loads += [*inner.loads, *stars]
        self.imports.update((name + mark, ones) for name, ones in inner.imports.items())
        for (name, kind), read in inner.names.items():
            head, dot, rest = name.partition('.')
            if kind in (STRING, SCRIPT):
                self.names.setdefault((name, kind), read)
            elif head in inner.imports:
                marked = f'{head}{mark}{dot}{rest}'
                self.names.setdefault((marked, kind), read._replace(name=marked))

    def _run(self, nodes: list[ast.expr]) -> None:
        """The module that a command line names to be run."""
        for place, option in enumerate(nodes[:-1]):
            if type(option) is ast.Constant and option.value == '-m':
                name = getattr(nodes[place + 1], 'value', None)
                if isinstance(name, str):
                    self._named(name, option.lineno)
                    self._named(f'{name}.__main__', option.lineno)

    def _called(self, node: ast.Call) -> None:
        """A call that may load a module by its name, of which anything may be asked, or ask for fixtures by theirs."""
        name = last_name(node.func)
        if name in _LOADERS and node.args:
            self.loads.extend(_modules_named(node))
        elif name in _SEARCHES:
            # what is found there is loaded by somebody
            self.loads.append(Import(_OWN_PACKAGE, BELOW, node.lineno))
        elif name == 'globals':
            self.loads.append(Import('', '', node.lineno))
        elif name in _ASKING:
            texts = [one.value for one in node.args if isinstance(one, ast.Constant)]
            self.asked.update((one, None) for one in texts if isinstance(one, str))

    def _function(self, node: 'ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda', local: frozenset[str], kind: str) -> None:
        arguments = node.args
        self.add([*arguments.defaults, *arguments.kw_defaults], local)
        places = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        every = [one for one in places if one is not None]
        inner = local | {one.arg for one in every}
        if isinstance(node, ast.Lambda):
            self.add([node.body], inner, kind)
            return
        self.decorators(node.decorator_list, local)
        self.add([*(one.annotation for one in every), node.returns], local)
        if self._own and every:
            self._firsts.add(every[0].arg)
        self.add(node.body, inner | bound_in(node.body))

    def _class(self, node: ast.ClassDef, local: frozenset[str]) -> None:
        self.decorators(node.decorator_list, local)
        self.add([*node.bases, *(one.value for one in node.keywords)], local, BASE)
        names = bound_in(node.body)
        for one in node.body:
            # the methods of a class do not see what it binds
            self.add([one], local if isinstance(one, FUNCTIONS) else local | names)


def _is_done(node: ast.AST) -> bool:
    """Whether nothing is read in a node: a text by itself, or a name that is given to the module."""
    if type(node) is ast.Expr:
        return type(node.value) is ast.Constant
    is_stored = type(node) is ast.Subscript and type(node.ctx) is ast.Store and type(node.value) is ast.Call
    return is_stored and last_name(node.value.func) == 'globals'


def _modules_named(node: ast.Call) -> Iterator[Import]:
    """The modules that a call of a loader may mean."""
    name, is_whole = _beginning(node.args[0])
    if is_whole:
        yield Import(name, '', node.lineno)
        return
    if not name and (len(node.args) > 1 or node.keywords):
        # with a package goes a name that is relative to it
        name = _OWN_PACKAGE
    dots = len(name) - len(name.lstrip('.'))
    package, _, last = name[dots:].rpartition('.')
    if name:
        yield Import(name[:dots] + package or _OWN_PACKAGE, BELOW + last, node.lineno)


def _beginning(node: ast.AST) -> tuple[str, bool]:
    """How the name of a module begins that an expression gives, and whether that is all of it."""
    if isinstance(node, ast.FormattedValue):
        node = node.value
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value, True
    if isinstance(node, ast.Name) and node.id in _OWN:
        return _OWN_PACKAGE, True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == 'format':
        return _beginning(node.func.value)[0].partition('{')[0], False
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _beginning(node.left)[0].partition('%')[0], False
    if isinstance(node, ast.BinOp):
        return _joined([node.left, node.right])
    return _joined(node.values) if isinstance(node, ast.JoinedStr) else ('', False)


def _joined(parts: Iterable[ast.AST]) -> tuple[str, bool]:
    name = ''
    for part in parts:
        begins, is_whole = _beginning(part)
        # the dot after the name of the own package is there already
        name += begins.lstrip('.') if name == _OWN_PACKAGE else begins
        if not is_whole:
            return name, False
    return name, True


def brought_by(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Import]]:
    """The names that an import binds, each with what it brings; `*` for all names of a module."""
    for name, meaning in imported_by(node):
        module, _, member = meaning.text.rpartition(':') if meaning.kind == MEMBER else (meaning.text, '', '')
        yield name, Import(module, member, node.lineno)
    if isinstance(node, ast.ImportFrom) and node.names[0].name == STAR:
        yield STAR, Import(module_of(node), STAR, node.lineno)


def bound_in(body: Iterable[ast.AST], deeply: bool = False) -> frozenset[str]:
    """The names that statements bind in their scope, but for imports and those that are declared global.

    Args:
        body (Iterable[ast.AST]):
            The statements.
        deeply (bool, Optional):
            Whether to look into expressions as well, which seldom bind a name. Default: `False`.
    """
    stack: list[ast.AST] = list(body)
    found: set[str | None] = set()
    elsewhere: set[str | None] = {None}
    while stack:
        node = stack.pop()
        node_class = type(node)
        if node_class is ast.Name:
            if type(node.ctx) is not ast.Load:
                found.add(node.id)
        elif node_class in _SCOPES:
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                found.add(node.name)
            elif deeply and isinstance(node, _COMPREHENSIONS):
                inner = nodes_in_order([node])
                found.update(one.target.id for one in inner if isinstance(one, ast.NamedExpr))
        elif node_class is ast.Global:
            elsewhere.update(node.names)
        elif deeply or isinstance(node, _BINDING):
            if node_class in _CAPTURES:
                found.add(getattr(node, _CAPTURES[node_class]))
            stack += node.targets if node_class is ast.Assign and not deeply else children(node)
    return frozenset(found - elsewhere)
