# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is said of the place under the pointer."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from flakelint.engine.documentation import as_markdown, presets_of
from flakelint.kernel.access_explanation import access_lines
from flakelint.kernel.explanation import Explained
from flakelint.lsp import language
from flakelint.lsp.names import code_at, expression_at, full_name, kernel_around, last_word
from flakelint.project.imports import dotted
from flakelint.source.text import Position
from flakelint.source.unit import TooDeepError

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.kernel.kernels import Kernel
    from flakelint.lsp.projects import Project
    from flakelint.lsp.session import Checked
    from flakelint.lsp.views import View

_MAX_LINES = 60


def hover(checked: 'Checked', view: 'View', position: types.Position) -> types.Hover | None:
    """What is known of a place: a rule whose code stands there, a name of Triton's, the value of an expression, and what was found."""
    project = checked.project
    if project is None:
        return None
    place = view.place(position)
    code = code_at(checked.snapshot.lines.line(place.line), place.column)
    if code is not None and code in project.registry.rules:
        return _shown([_rule(code, project)])
    parts: list[str] = []
    stretch = None
    if checked.file is not None and not _is_comment(checked.file, place):
        node = expression_at(checked.file, place)
        stretch = last_word(checked.file, node) if node is not None else None
        parts = list(_parts(checked.file, place, node, project))
    findings = [one for one in checked.findings if one.range.start <= place <= one.range.end]
    parts.extend(map(_finding, findings))
    return _shown(parts, view.range(stretch) if stretch is not None else None) if parts else None


def _parts(file: 'File', place: Position, node: 'ast.Name | ast.Attribute | None', project: 'Project') -> Iterator[str]:
    kernel = kernel_around(file, place)
    known = _triton(file, node, kernel)
    if known is not None:
        yield language.page(known, project.config.settings.target_triton)
    elif kernel is not None:
        text = _values(file, kernel, place)
        if text:
            yield f'```text\n{text}\n```'


def _triton(file: 'File', node: 'ast.Name | ast.Attribute | None', kernel: 'Kernel | None') -> language.Known | None:
    """The name of Triton's at a place."""
    if node is None:
        return None
    full = full_name(file, node)
    if full is not None and full.startswith('triton.'):
        return language.find(full)
    # what an import binds has attributes of its own
    is_own = full is None or full == dotted(node)
    return language.method(node.attr) if kernel is not None and is_own and isinstance(node, ast.Attribute) else None


def _values(file: 'File', kernel: 'Kernel', place: Position) -> str:
    """What the model knows of the expression at a place; of the accesses of its line besides."""
    try:
        model = file.model(kernel)
        explained = Explained(model, file.settings.assume.sizes, file.repository.index.files.root)
        column = len(file.lines.line(place.line)[:place.column - 1].encode())
        lines = list(explained.lines(file.path, place.line, column))
        if not lines and file.lines.line(place.line)[:place.column].strip():
            lines = list(explained.lines(file.path, place.line, None))
        if lines:
            lines.extend(access_lines(file.tiles(kernel), file.path, place.line))
    except (TooDeepError, RecursionError):
        return ''
    cut = [*lines[:_MAX_LINES], '...'] if len(lines) > _MAX_LINES else lines
    return '\n'.join(cut)


def _is_comment(file: 'File', place: Position) -> bool:
    return any(one.line == place.line and one.column < place.column for one in file.comments)


def _rule(code: str, project: 'Project') -> str:
    return as_markdown(project.registry.rules[code].load(), presets_of(code, project.registry))


def _finding(finding: 'Finding') -> str:
    return f'**{finding.code} {finding.name}**: {finding.message}'


def _shown(parts: list[str], place: types.Range | None = None) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, '\n\n---\n\n'.join(parts)), place)
