# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What an editor shows beside the code: hovers, hints, completions, signatures, and where kernels are launched."""

from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.conftest import KERNELS, stretch
from tests.tools import write

pytestmark = pytest.mark.asyncio

TUNED = '''@triton.autotune(configs=[triton.Config({'B': 16})], key=['T', ''])
@triton.jit
def tuned_fwd_kernel(x, T, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 0, mask=tl.arange(0, B) < T)
'''


def _place(text: str, words: str, last: bool = False) -> tuple[int, int]:
    """The line and column behind some words."""
    offset = (text.rindex(words) if last else text.index(words)) + len(words)
    return text.count('\n', 0, offset), offset - text.rfind('\n', 0, offset) - 1


async def test_hover_on_a_value(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    text = await editor.hover(uri, *_place(KERNELS, 'o_d = tl.arange(0, D)\n    b_x = tl.load(x + i_n * N + o'))
    assert 'type:   int32' in text and 'shape:  [D]' in text
    text = await editor.hover(uri, *_place(KERNELS, 'tl.load(x + i_n *'))
    for words in ('`i_n * N` in `scale_bwd_kernel`', 'type:   int32', 'size:   at most', 'from:   program id 0, argument `N`'):
        assert words in text


async def test_hover_on_a_finding_gives_its_reason(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    text = await editor.hover(uri, *_place(KERNELS, 'i_n = tl.program'))
    assert 'tl.program_id(axis)' in text and 'Triton: in all releases from' in text
    assert '**TRI101 narrow-address**: `i_n * N` is computed in int32' in text


async def test_hover_on_names_of_the_language(pulling: LanguageClient) -> None:
    editor = pulling.editor
    write(editor.folder / 'flakelint.toml', 'target-triton = ">=3.6"\n')
    code = 'import triton.language as T\n\nF = T.full\nA = T.advance\nD = T._experimental_descriptor_load\n'
    uri = editor.open('a.py', code)
    text = await editor.hover(uri, 2, 7)
    assert text.startswith('```python\ntl.full(shape, value, dtype)\n```\n\n')
    assert 'until 3.8' in await editor.hover(uri, 3, 7)
    assert 'until 3.3, but not in `>=3.6`, which is targeted' in await editor.hover(uri, 4, 9)


async def test_hover_on_a_method_of_a_block(pulling: LanguageClient) -> None:
    editor = pulling.editor
    text = KERNELS.replace('tl.store(y + i_n * N + o_d, b_x)', 'tl.store(y + i_n * N + o_d, b_x.to(tl.float32))')
    uri = editor.open('a.py', text)
    assert 'tensor.to(dtype' in await editor.hover(uri, *_place(text, 'b_x.t'))


async def test_hover_on_a_code_gives_the_page_of_the_rule(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', 'X = 1  # flakelint: ignore[TRI101]\n')
    text = await editor.hover(uri, 0, 30)
    assert text.startswith('# TRI101 narrow-address') and '## Why is this bad?' in text
    assert await editor.hover(uri, 0, 1) == ''


async def test_hover_where_nothing_is_known(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    assert await editor.hover(uri, 3, 0) == ''
    assert await editor.hover(uri, 900, 900) == ''


NARROW = [(6, ': int32'), (7, ': int32[D]')]


@pytest.mark.parametrize(('setting', 'expected'), [
    ('off', []), ('narrow', NARROW), ('all', [*NARROW, (8, ': float[D]'), (9, ': int64'), (10, ': boolean[D]')]),
])
async def test_inlay_hints(start: Any, setting: str, expected: list[tuple[int, str]]) -> None:
    editor = await start(initialization_options={'inlayHints': setting})
    lines = ['b_x = tl.load(x + o_d).to(tl.float32)', 'i_w = i_n.to(tl.int64)', 'm_d = o_d < N', 'p = tl.load(x)']
    before = KERNELS.partition('    b_x =')[0]
    uri = editor.open('a.py', before + ''.join(f'    {line}\n' for line in lines))
    params = types.InlayHintParams(types.TextDocumentIdentifier(uri), stretch(0, 0, 40, 0))
    hints = await editor.client.text_document_inlay_hint_async(params) or ()
    assert [(one.position.line, one.label) for one in hints] == expected


async def _completed(editor: Any, text: str, words: str) -> dict[str, types.CompletionItem]:
    uri = editor.open('a.py', text)
    place = types.Position(*_place(text, words))
    params = types.CompletionParams(types.TextDocumentIdentifier(uri), place)
    return {one.label: one for one in await editor.client.text_document_completion_async(params) or ()}


async def test_completion_of_the_language(pulling: LanguageClient) -> None:
    editor = pulling.editor
    write(editor.folder / 'flakelint.toml', 'target-triton = ">=3.9"\n')
    found = await _completed(editor, KERNELS.replace('tl.arange(0, D)', 'tl.', 1), 'o_d = tl.')
    assert {'load', 'arange', 'program_id', 'float32'} <= found.keys()
    assert found['load'].detail.startswith('load(pointer, mask=None')
    assert found['load'].kind == types.CompletionItemKind.Function
    assert 'undefined unless' in found['load'].documentation.value
    assert '_experimental_descriptor_load' not in found and 'advance' not in found


async def test_completion_of_launch_arguments(pulling: LanguageClient) -> None:
    text = KERNELS.replace('(x, y, x.shape[1], D=64)', '(x, y, )')
    assert list(await _completed(pulling.editor, text, ',)](x, y, ')) == ['N=', 'D=']


async def test_completion_of_tuning_keys(pulling: LanguageClient) -> None:
    found = await _completed(pulling.editor, f'import triton\nimport triton.language as tl\n\n\n{TUNED}', "key=['T', '")
    assert list(found) == ['x', 'T', 'B']


async def test_completion_of_codes(pulling: LanguageClient) -> None:
    found = await _completed(pulling.editor, 'x = 1  # flakelint: ignore[\n', 'ignore[')
    assert found['TRI101'].detail == 'narrow-address'


async def test_signatures(pulling: LanguageClient) -> None:
    editor = pulling.editor
    text = KERNELS.replace('(x, y, x.shape[1], D=64)', '(x, y, D=')
    uri = editor.open('a.py', text)

    async def active(words: str) -> tuple[str, str]:
        params = types.SignatureHelpParams(types.TextDocumentIdentifier(uri), types.Position(*_place(text, words)))
        found = await editor.client.text_document_signature_help_async(params)
        (shown,) = found.signatures
        start, end = shown.parameters[found.active_parameter].label
        return shown.label, shown.label[start:end]

    label = 'scale_bwd_kernel[grid](x, y, N, D: constexpr)'
    assert await active(',)](x, ') == (label, 'y')
    assert await active(',)](x, y, D=') == (label, 'D: constexpr')
    assert (await active('tl.load(x'))[1] == 'pointer'


async def test_from_a_launch_to_the_kernel_and_back(pulling: LanguageClient) -> None:
    editor = pulling.editor
    kernels, _, host = KERNELS.partition('def scale_bwd(')
    write(editor.folder / 'flakelint.toml', '')
    write(editor.folder / 'kernels.py', kernels)
    host = f'from kernels import scale_bwd_kernel\n\n\ndef scale_bwd({host}'
    uri = editor.open('host.py', host, on_disk=True)
    identifier = types.TextDocumentIdentifier(uri)
    at_launch = types.Position(4, 10)
    found = await pulling.text_document_definition_async(types.DefinitionParams(identifier, at_launch))
    assert (found.uri, found.range) == ((editor.folder / 'kernels.py').as_uri(), stretch(5, 4, 5, 20))
    kernels_uri = editor.open('kernels.py', kernels)
    params = types.ReferenceParams(
        types.ReferenceContext(False), types.TextDocumentIdentifier(kernels_uri), types.Position(5, 8),
    )
    (launch,) = await pulling.text_document_references_async(params)
    assert (launch.uri, launch.range.start.line) == (uri, 4)


async def test_code_lens(pulling: LanguageClient) -> None:
    editor = pulling.editor
    uri = editor.open('a.py', KERNELS)
    lenses = await pulling.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    assert [one.range.start.line for one in lenses] == [5, 13]
    assert all(one.command is None for one in lenses)
    resolved = [await pulling.code_lens_resolve_async(one) for one in lenses]
    assert [one.command.title for one in resolved] == ['1 launch', 'no launch is seen']
    assert resolved[0].command.command == 'flakelint.showLaunches'
