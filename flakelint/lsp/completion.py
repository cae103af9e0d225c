# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What may be written at a place: names of Triton's language, arguments of launches, keys of tuners."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from flakelint.kernel.api import CLASS, FUNCTION, LANGUAGE, MODULE, load
from flakelint.kernel.api.descriptions import signature
from flakelint.lsp import language
from flakelint.lsp.cursor import Call, call_before, code_before, is_code, key_before, member_before
from flakelint.source.text import Position

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.kernel.kernels import Kernel
    from flakelint.lsp.projects import Project
    from flakelint.lsp.session import Checked
    from flakelint.lsp.views import View

TRIGGERS = ['.', '(', ',', "'", '"']
SIGNATURE_TRIGGERS = ['(', ',']
_KINDS = {
    FUNCTION: types.CompletionItemKind.Function, CLASS: types.CompletionItemKind.Class,
    MODULE: types.CompletionItemKind.Module,
}
_ARGUMENT = types.CompletionItemKind.Field


def completions(checked: 'Checked', view: 'View', position: types.Position) -> list[types.CompletionItem]:
    """What may be written at a place."""
    file, project = checked.file, checked.project
    if file is None or project is None:
        return []
    place = view.place(position)
    before = checked.snapshot.text[:checked.snapshot.lines.offset(place)]
    if code_before(before) is not None:
        return list(_codes(project))
    member = member_before(before) if is_code(before) else None
    target = project.config.settings.target_triton
    if member is not None:
        full = file.bindings.resolve(member[0])
        return list(_members(full, target)) if load().knows(full) else []
    if key_before(before) is not None:
        return list(_keys(_tuned_below(file, place)))
    call = call_before(before) if is_code(before) else None
    if call is None or '=' in call.arguments[-1]:
        return []
    return list(_arguments(call, file, target))


def signatures(checked: 'Checked', view: 'View', position: types.Position) -> types.SignatureHelp | None:
    """The parameters of the call whose arguments are written at a place."""
    file, project = checked.file, checked.project
    if file is None or project is None:
        return None
    place = view.place(position)
    call = call_before(checked.snapshot.text[:checked.snapshot.lines.offset(place)])
    if call is None:
        return None
    label, names, text = _signature(call, file, project.config.settings.target_triton)
    if not label:
        return None
    written = call.keyword
    active = names.index(written) if written in names else call.positional if written is None else None
    parameters = [types.ParameterInformation(label=_span(label, name)) for name in names]
    documentation = types.MarkupContent(types.MarkupKind.Markdown, text) if text else None
    active = active if active is not None and active < len(names) else None
    shown = types.SignatureInformation(label, documentation, parameters, active)
    return types.SignatureHelp([shown], 0, active)


def _members(module: str, target: str) -> Iterator[types.CompletionItem]:
    for known in language.members(module, target):
        entry = language.entry_for(known, target)
        yield types.CompletionItem(
            label=known.name,
            kind=_KINDS.get(entry.kind, types.CompletionItemKind.Constant),
            detail=signature(entry, known.name),
            documentation=types.MarkupContent(types.MarkupKind.Markdown, language.page(known, target)),
            tags=[types.CompletionItemTag.Deprecated] if entry.deprecated or entry.raises else None,
        )


def _codes(project: 'Project') -> Iterator[types.CompletionItem]:
    for code in project.codes:
        name = project.registry.rules[code].name
        yield types.CompletionItem(label=code, kind=types.CompletionItemKind.Reference, detail=name)


def _keys(kernel: 'Kernel | None') -> Iterator[types.CompletionItem]:
    for parameter in kernel.parameters if kernel is not None else ():
        yield types.CompletionItem(label=parameter.name, kind=_ARGUMENT, detail=f'parameter of `{kernel.name}`')


def _tuned_below(file: 'File', place: Position) -> 'Kernel | None':
    """The kernel whose decorators are at a place; where that cannot be read, the first below it."""
    below = [kernel for kernel in file.kernels if kernel.definition.lineno > place.line]
    return min(below, key=lambda kernel: kernel.definition.lineno, default=None)


def _arguments(call: Call, file: 'File', target: str) -> Iterator[types.CompletionItem]:
    label, names, _ = _signature(call, file, target)
    given = {*names[:call.positional], *call.keywords}
    for name in names:
        if name not in given:
            yield types.CompletionItem(label=f'{name}=', kind=_ARGUMENT, detail=label, sort_text=f'0{names.index(name):03}')


def _signature(call: Call, file: 'File', target: str) -> tuple[str, list[str], str]:
    """How a callee is called, its parameters, and what it is for; nothing where that is not known."""
    full = file.bindings.resolve(call.name)
    if not call.is_launch and full.startswith('triton.'):
        known = language.find(full)
        entry = language.entry_for(known, target) if known is not None else None
        if entry is None or entry.parameters is None:
            return '', [], ''
        arguments = entry.parameters
        names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        prefix = 'tl.' if known.module == LANGUAGE else ''
        return f'{prefix}{signature(entry, known.name)}', names, known.text
    kernel = file.repository.launched(file.module, call.name)
    if kernel is None:
        return '', [], ''
    parameters = kernel.parameters
    written = [f'{one.name}: constexpr' if one.is_constexpr else one.name for one in parameters]
    label = f'{kernel.name}{"[grid]" if call.is_launch else ""}({", ".join(written)})'
    return label, [one.name for one in parameters], ''


def _span(label: str, name: str) -> str | tuple[int, int]:
    """Where a parameter stands in a label."""
    start = label.find('(') + 1
    for part in label[start:].split(', '):
        if part.rstrip(')').split(':')[0].split('=')[0].strip() == name:
            return start, start + len(part.rstrip(')'))
        start += len(part) + len(', ')
    return name
