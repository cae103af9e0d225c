# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a client can do about findings."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from flakelint.engine.diagnostics import is_engines
from flakelint.engine.findings import Edit, Finding
from flakelint.engine.fixes import decoded_lines, select
from flakelint.engine.ignoring import suppressing, suppressing_in_file
from flakelint.engine.repair import mend
from flakelint.lsp.diagnostics import SOURCE, diagnostic
from flakelint.source.text import BOM, Position, Range, as_file

if TYPE_CHECKING:
    from flakelint.lsp.session import Checked
    from flakelint.lsp.views import View

FIX_ALL = f'{types.CodeActionKind.SourceFixAll.value}.{SOURCE}'
KINDS = [types.CodeActionKind.QuickFix, FIX_ALL]

_FIX, _FIX_SAME, _HERE, _FILE, _ALL = 'fix', 'fix-same', 'suppress-here', 'suppress-file', 'fix-all'


def actions(checked: 'Checked', view: 'View', place: types.Range, context: types.CodeActionContext) -> list[types.CodeAction]:
    """What can be done about the findings in a stretch of a document; the edits come with `resolved`."""
    found = []
    if _asked(types.CodeActionKind.QuickFix.value, context.only):
        for finding in _touched(checked, view, place):
            found.extend(_for_finding(finding, checked, view))
    if _asked(FIX_ALL, context.only) and any(_is_safe(finding) for finding in checked.findings):
        is_explicit = any(_text(kind) != '' for kind in context.only or ())
        if is_explicit or found:
            found.append(_action('Fix all that flakelint can fix safely', FIX_ALL, _data(_ALL, view)))
    return found


def resolve(action: types.CodeAction, checked: 'Checked', views: Sequence['View']) -> None:
    """Give an action of `actions` its edit; none where the finding is there no more, or the edit cannot be made as a whole.

    Args:
        action (types.CodeAction):
            The action.
        checked (Checked):
            What is found in the text.
        views (Sequence[View]):
            All documents that make up the text.
    """
    data = action.data if isinstance(action.data, dict) else {}
    newline = checked.snapshot.lines.newline
    if data.get('do') == _ALL:
        # these have the line breaks that they are to have
        edits, newline = list(_mended(checked)), '\n'
    else:
        finding = next((one for one in checked.findings if _identity(one) == data.get('finding')), None)
        edits = [] if finding is None else list(_edits(data.get('do'), finding, checked))
    changes = list(_placed(edits, checked, views, newline)) if edits else []
    if changes:
        action.edit = types.WorkspaceEdit(document_changes=changes)


def plain(edit: types.WorkspaceEdit) -> types.WorkspaceEdit:
    """An edit for clients that know no versions of documents."""
    return types.WorkspaceEdit(changes={one.text_document.uri: list(one.edits) for one in edit.document_changes or ()})


def _for_finding(finding: Finding, checked: 'Checked', view: 'View') -> Iterator[types.CodeAction]:
    shown = [diagnostic(finding, checked, view)]
    quick = types.CodeActionKind.QuickFix
    if finding.fix is not None:
        note = '' if finding.fix.applicability == 'safe' else ', to be looked at'
        title = f'{finding.fix.title} ({finding.code}{note})'
        action = _action(title, quick, _data(_FIX, view, finding), shown)
        action.is_preferred = finding.fix.applicability == 'safe'
        yield action
        same = [one for one in checked.findings if one.code == finding.code and _is_safe(one)]
        if len(same) > 1 and finding in same:
            yield _action(f'Fix all {finding.code} of the file', quick, _data(_FIX_SAME, view, finding), shown)
    if checked.file is not None and not is_engines(finding.code):
        yield _action(f'Suppress {finding.code} here', quick, _data(_HERE, view, finding), shown)
        yield _action(f'Suppress {finding.code} in the file', quick, _data(_FILE, view, finding), shown)


def _edits(do: Any, finding: Finding, checked: 'Checked') -> Iterable[Edit]:
    if do == _FIX:
        return finding.fix.edits if finding.fix else ()
    if do == _FIX_SAME:
        chosen = select((one for one in checked.findings if one.code == finding.code), allow_unsafe=False)
        return [edit for one in chosen for edit in one.fix.edits]
    if checked.file is None:
        return ()
    return [suppressing_in_file(checked.file, finding.code)] if do == _FILE else suppressing(checked.file, finding)


def _placed(
    edits: list[Edit], checked: 'Checked', views: Sequence['View'], newline: str,
) -> Iterator[types.TextDocumentEdit]:
    """Edits in the documents in which they are; none where one of them is in no document."""
    by_view: dict[str, list[types.TextEdit]] = {one.uri: [] for one in views}
    for edit in sorted(edits):
        owner = next((one for one in views if one.holds(edit.range.start.line) and one.holds(_last_line(edit))), None)
        if owner is None:
            return
        by_view[owner.uri].append(types.TextEdit(owner.range(edit.range), edit.text.replace('\n', newline)))
    for uri, placed in by_view.items():
        if placed:
            version = checked.snapshot.version if uri == checked.snapshot.uri else None
            yield types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, version), placed)


def _last_line(edit: Edit) -> int:
    """The last line that an edit touches; what ends in front of a line leaves it alone."""
    end = edit.range.end
    return end.line - (end.column == 1 and end != edit.range.start)


def _mended(checked: 'Checked') -> Iterator[Edit]:
    """The edits that lead to the text with all safe fixes, as few and as small as lines allow."""
    path = checked.findings[0].path if checked.findings else ''
    try:
        before = as_file(checked.snapshot.text.removeprefix(BOM))
    except UnicodeError:
        # a character that the file's own encoding lacks
        return
    fixed = mend(before, path, checked.project.checker, allow_unsafe=False)
    if not fixed.applied:
        return
    (_, old), (_, new) = decoded_lines(before), decoded_lines(fixed.data)
    for kind, start, end, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != 'equal':
            ends_text = end == len(old) and end > start and not old[-1].endswith(('\r', '\n'))
            stop = Position(end, len(old[-1]) + 1) if ends_text else Position(end + 1, 1)
            yield Edit(Range(Position(start + 1, 1), stop), ''.join(new[first:last]))


def _touched(checked: 'Checked', view: 'View', place: types.Range) -> Iterator[Finding]:
    asked = view.stretch(place)
    for finding in checked.findings:
        if view.holds(finding.range.start.line) and finding.range.start <= asked.end and asked.start <= finding.range.end:
            yield finding


def _asked(kind: str, only: Iterable[Any] | None) -> bool:
    """Whether a client asks for a kind of action, by itself or by a kind that includes it."""
    wanted = [_text(one) for one in only or ()]
    return not wanted or any(not one or kind == one or kind.startswith(f'{one}.') for one in wanted)


def _text(kind: Any) -> str:
    return getattr(kind, 'value', kind)


def _is_safe(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.applicability == 'safe'


def _action(title: str, kind: Any, data: Any, shown: list[types.Diagnostic] | None = None) -> types.CodeAction:
    return types.CodeAction(title=title, kind=kind, data=data, diagnostics=shown)


def _data(do: str, view: 'View', finding: Finding | None = None) -> dict[str, Any]:
    named = _identity(finding) if finding is not None else None
    return {'do': do, 'uri': view.uri, 'finding': named}


def _identity(finding: Finding) -> list[Any]:
    return [finding.code, *finding.range.start, *finding.range.end, finding.message]
