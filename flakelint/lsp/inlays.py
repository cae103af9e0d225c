# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The types of values, shown behind the names that they are given in kernels."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from flakelint.kernel import types
from flakelint.kernel.exact_types import cleaned
from flakelint.kernel.explanation import type_name
from flakelint.kernel.graph import Value, cases_of
from flakelint.source.text import Position
from flakelint.source.unit import TooDeepError

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.kernel.kernels import Kernel
    from flakelint.lsp.session import Checked
    from flakelint.lsp.views import View

_MAX_SHOWN = 3


def inlays(checked: 'Checked', view: 'View', place: lsp.Range) -> list[lsp.InlayHint]:
    """The hints in a stretch of a document, as the editor's settings ask for them."""
    if checked.file is None or checked.project is None or checked.project.editor.inlay_hints == 'off':
        return []
    asked = view.stretch(place)
    narrow_only = checked.project.editor.inlay_hints == 'narrow'
    found = []
    for kernel in checked.file.kernels:
        definition = kernel.definition
        if definition.lineno <= asked.end.line and asked.start.line <= definition.end_lineno:
            for where, text in _hints(kernel, checked.file, narrow_only):
                if asked.start <= where <= asked.end and view.holds(where.line):
                    kind = lsp.InlayHintKind.Type
                    found.append(lsp.InlayHint(position=view.position(where), label=f': {text}', kind=kind))
    return found


def _hints(kernel: 'Kernel', file: 'File', narrow_only: bool) -> Iterator[tuple[Position, str]]:
    try:
        record = file.model(kernel).record
    except (TooDeepError, RecursionError):
        return
    values: dict[ast.AST, list[Value]] = {}
    for node, frame, value in record:
        if frame.caller is None:
            values.setdefault(node, []).extend(case for _, case in cases_of(value))
    for statement in kernel.body:
        for target, source in _assigned(statement):
            shown = dict.fromkeys(_written(value) for value in values.get(source, ()) if _is_told(value, narrow_only))
            if shown:
                words = list(shown)[:_MAX_SHOWN]
                yield file.range(target).end, ' or '.join(words)


def _assigned(node: ast.AST) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The names that a statement binds, each with the expression whose value it gets."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target, node.value
            elif isinstance(target, ast.Tuple | ast.List) and isinstance(node.value, ast.Tuple | ast.List):
                pairs = zip(target.elts, node.value.elts, strict=False)
                yield from ((one, value) for one, value in pairs if isinstance(one, ast.Name))
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target, node.value


def _is_told(value: Value, narrow_only: bool) -> bool:
    if value.type in (types.LOADED, types.LOADED_WIDE):
        # what the tensor holds is not seen
        return False
    if narrow_only:
        return value.type in types.NARROW and value.type != types.BOOL
    return value.type != types.UNKNOWN


def _written(value: Value) -> str:
    shape = cleaned(value.shape)
    return f'{type_name(value.type)}[{", ".join(shape)}]' if shape else type_name(value.type)
