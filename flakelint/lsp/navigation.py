# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""From a launch to its kernel and back."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from flakelint.lsp.diagnostics import location
from flakelint.lsp.names import kernel_at
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.kernel.kernels import Kernel
    from flakelint.lsp.session import Checked
    from flakelint.lsp.views import View

SHOW_LAUNCHES = 'flakelint.showLaunches'


def definition(checked: 'Checked', view: 'View', position: types.Position) -> types.Location | None:
    """Where the kernel is defined whose name is at a place."""
    kernel = _kernel(checked, view, position)
    if kernel is None:
        return None
    return _location(kernel.path, kernel.module.file.name_range(kernel.definition), checked, view)


def launched(checked: 'Checked', view: 'View', position: types.Position) -> list[types.Location] | None:
    """Where the kernel is launched whose name is at a place."""
    kernel = _kernel(checked, view, position)
    return None if kernel is None else launches(kernel, checked, view)


def launches(kernel: 'Kernel', checked: 'Checked', view: 'View') -> list[types.Location]:
    """Where a kernel is launched."""
    found = []
    for path, line in dict.fromkeys((one.path, one.line) for one in checked.file.repository.launches(kernel)):
        place = Range(Position(line, 1), Position(line, 1))
        where = _location(path, _line(path, place, checked), checked, view)
        found.extend([where] if where is not None else [])
    return found


def lenses(checked: 'Checked', view: 'View') -> list[types.CodeLens]:
    """How often each kernel of a document is launched; where, comes with `lens_resolved`."""
    if checked.file is None or checked.project is None or not checked.project.editor.code_lens:
        return []
    return list(_lenses(checked.file, view))


def lens_resolved(lens: types.CodeLens, checked: 'Checked', view: 'View') -> types.CodeLens:
    """A lens of `lenses` with what it says."""
    kernels = checked.file.kernels if checked.file is not None else ()
    kernel = next((one for one in kernels if one.qualified_name == lens.data.get('kernel')), None)
    found = launches(kernel, checked, view) if kernel is not None else []
    title = 'no launch is seen' if not found else '1 launch' if len(found) == 1 else f'{len(found)} launches'
    lens.command = types.Command(title=title, command=SHOW_LAUNCHES, arguments=[view.uri, lens.range.start, found])
    return lens


def _lenses(file: 'File', view: 'View') -> Iterator[types.CodeLens]:
    for kernel in file.kernels:
        line = kernel.definition.lineno
        if view.holds(line) and not file.repository.is_called_by_kernels(kernel):
            place = file.range(kernel.definition)
            shown = view.range(Range(place.start, place.start))
            yield types.CodeLens(shown, data={'uri': view.uri, 'kernel': kernel.qualified_name})


def _kernel(checked: 'Checked', view: 'View', position: types.Position) -> 'Kernel | None':
    return None if checked.file is None else kernel_at(checked.file, view.place(position))


def _line(path: str, place: Range, checked: 'Checked') -> Range:
    """The code of a line of the file itself; the beginning of the line in another one."""
    if path != checked.file.path:
        return place
    line = place.start.line
    text = checked.snapshot.lines.line(line)
    return Range(Position(line, len(text) - len(text.lstrip()) + 1), Position(line, len(text.rstrip()) + 1))


def _location(path: str, place: Range, checked: 'Checked', view: 'View') -> types.Location | None:
    if path == checked.file.path:
        return types.Location(view.uri, view.range(place)) if view.holds(place.start.line) else None
    return location(checked.project, path, place, view.whole.encoding)
