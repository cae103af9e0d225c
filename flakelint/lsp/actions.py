# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a client can do about findings."""

import difflib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from flakelint.engine.findings import Edit, Finding
from flakelint.engine.fixes import select
from flakelint.engine.ignoring import suppressing, suppressing_in_file
from flakelint.engine.repair import mend
from flakelint.lsp.diagnostics import SOURCE, diagnostic
from flakelint.source.text import decode

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
            found.append(_action('Fix all that flakelint can fix safely', FIX_ALL, _data(_ALL, checked, view)))
    return found


def resolved(action: types.CodeAction, checked: 'Checked', view: 'View') -> types.CodeAction:
    """An action of `actions` with its edit; without one where the finding is there no more."""
    data = action.data
    if data['do'] == _ALL:
        edits = _mended(checked, view)
    else:
        finding = next((one for one in checked.findings if _identity(one) == data['finding']), None)
        edits = [] if finding is None else _edits(data['do'], finding, checked, view)
    if edits:
        identifier = types.OptionalVersionedTextDocumentIdentifier(view.uri, checked.snapshot.version)
        change = types.TextDocumentEdit(identifier, edits)
        action.edit = types.WorkspaceEdit(document_changes=[change])
    return action


def plain(edit: types.WorkspaceEdit) -> types.WorkspaceEdit:
    """An edit for clients that know no versions of documents."""
    return types.WorkspaceEdit(changes={one.text_document.uri: list(one.edits) for one in edit.document_changes or ()})


def _for_finding(finding: Finding, checked: 'Checked', view: 'View') -> Iterator[types.CodeAction]:
    shown = [diagnostic(finding, checked, view)]
    quick = types.CodeActionKind.QuickFix
    if finding.fix is not None:
        note = '' if finding.fix.applicability == 'safe' else ', to be looked at'
        title = f'{finding.fix.title} ({finding.code}{note})'
        action = _action(title, quick, _data(_FIX, checked, view, finding), shown)
        action.is_preferred = finding.fix.applicability == 'safe'
        yield action
        same = [one for one in checked.findings if one.code == finding.code and _is_safe(one)]
        if len(same) > 1 and finding in same:
            yield _action(f'Fix all {finding.code} of the file', quick, _data(_FIX_SAME, checked, view, finding), shown)
    if checked.file is not None and not finding.code.startswith('ENG'):
        yield _action(f'Suppress {finding.code} here', quick, _data(_HERE, checked, view, finding), shown)
        yield _action(f'Suppress {finding.code} in the file', quick, _data(_FILE, checked, view, finding), shown)


def _edits(do: str, finding: Finding, checked: 'Checked', view: 'View') -> list[types.TextEdit]:
    if do == _FIX:
        return _for_client(finding.fix.edits if finding.fix else (), checked, view)
    if do == _FIX_SAME:
        chosen = select((one for one in checked.findings if one.code == finding.code), allow_unsafe=False)
        return _for_client([edit for one in chosen for edit in one.fix.edits], checked, view)
    if checked.file is None:
        return []
    if do == _FILE:
        return _for_client([suppressing_in_file(checked.file, finding.code)], checked, view)
    return _for_client(suppressing(checked.file, finding), checked, view)


def _for_client(edits: Iterable[Edit], checked: 'Checked', view: 'View') -> list[types.TextEdit]:
    newline = checked.snapshot.lines.newline
    ordered = sorted(edits)
    if not all(view.holds(edit.range.start.line) for edit in ordered):
        return []
    return [types.TextEdit(view.range(edit.range), edit.text.replace('\n', newline)) for edit in ordered]


def _mended(checked: 'Checked', view: 'View') -> list[types.TextEdit]:
    """The edits that lead to the text with all safe fixes, as few and as small as lines allow."""
    path = checked.findings[0].path if checked.findings else ''
    before = checked.snapshot.text
    fixed = mend(before.encode('utf-8', 'surrogatepass'), path, checked.project.checker, allow_unsafe=False)
    after = decode(fixed.data).text if fixed.applied else before
    old, new = before.splitlines(True), after.splitlines(True)
    edits = []
    offset = _offsets(old)
    for kind, start, end, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != 'equal':
            place = checked.snapshot.lines.range(offset[start], offset[end])
            edits.append(Edit(place, ''.join(new[first:last])))
    if not all(view.holds(edit.range.start.line) for edit in edits):
        edits = [edit for edit in edits if view.holds(edit.range.start.line)]
    return [types.TextEdit(view.range(edit.range), edit.text) for edit in edits]


def _offsets(lines: list[str]) -> list[int]:
    found = [0]
    for line in lines:
        found.append(found[-1] + len(line))
    return found


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


def _data(do: str, checked: 'Checked', view: 'View', finding: Finding | None = None) -> dict[str, Any]:
    named = _identity(finding) if finding is not None else None
    return {'do': do, 'uri': view.uri, 'version': checked.snapshot.version, 'finding': named}


def _identity(finding: Finding) -> list[Any]:
    return [finding.code, *finding.range.start, *finding.range.end, finding.message]
