// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** The bundled extension, run for real in a stand-in for VS Code, with the client library and the server. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import * as path from 'node:path';
import { afterEach, test } from 'node:test';

import { CancellationTokenSource, Range, TextEdit } from './mock/types';
import type * as types from './mock/types';
import { Editor } from './mock/vscode';
import { CODE, FAULTY, FIXED, FIXED_KERNEL, folder as makeFolder, KERNEL, MANIFEST, PYTHON, ROOT, until } from './tools';

interface Extension {
    activate(context: object): Promise<void>;
    deactivate(): Promise<void>;
}

interface Loader {
    _load(request: string, ...rest: unknown[]): unknown;
}

const BUNDLE = path.join(ROOT, 'dist', 'extension.js');
const defaults = Object.fromEntries(
    Object.entries<{ default: unknown }>(MANIFEST.contributes.configuration.properties)
        .filter(([name]) => !name.includes('trace'))
        .map(([name, { default: value }]) => [name.replace('flakelint.', ''), value]),
);
let stop: () => Promise<void> = async () => undefined;

afterEach(async () => {
    await stop();
    stop = async () => undefined;
});

async function activated(
    settings: Record<string, unknown> = {}, before: (editor: Editor) => void = () => undefined,
): Promise<Editor> {
    const editor = new Editor(makeFolder(), { ...defaults, interpreter: PYTHON, ...settings });
    before(editor);
    const loader = Module as unknown as Loader;
    const load = loader._load;
    const module = editor.module;
    loader._load = (request, ...rest) => (request === 'vscode' ? module : load.call(loader, request, ...rest));
    delete require.cache[BUNDLE];
    const extension = require(BUNDLE) as Extension;
    loader._load = load;
    const subscriptions: { dispose(): void }[] = [];
    await extension.activate({ subscriptions });
    stop = async () => {
        await extension.deactivate();
        subscriptions.forEach(one => one.dispose());
    };
    return editor;
}

async function faulty(editor: Editor): ReturnType<typeof opened> {
    return opened(editor, KERNEL, [CODE]);
}

async function opened(editor: Editor, text: string, codes: string[]) {
    const document = editor.open(path.join(editor.folder, 'kernels.py'), text);
    await shown(editor, document, codes);
    return document;
}

async function shown(editor: Editor, document: ReturnType<Editor['open']>, codes: string[]): Promise<void> {
    await until(`${codes} is shown`, () => JSON.stringify(editor.codes(document)) === JSON.stringify(codes));
}

test('findings are shown, follow edits, and go with the file', async () => {
    const editor = await activated();
    const document = await faulty(editor);
    const [finding] = editor.diagnostics(document);
    assert.equal(finding?.range.start.line, 6);
    assert.equal(finding.source, 'flakelint');
    assert.ok(finding.relatedInformation?.length);
    editor.edit(document, [new TextEdit(document.find(FAULTY), FIXED)]);
    await shown(editor, document, []);
    editor.edit(document, [new TextEdit(document.find(FIXED), FAULTY)]);
    await shown(editor, document, [CODE]);
    editor.close(document);
    await shown(editor, document, []);
    assert.deepEqual(editor.shown, []);
});

test('the quick fix leads to the fixed text', async () => {
    const editor = await activated();
    const document = await faulty(editor);
    const actions = await editor.codeActions(document, document.find(FAULTY));
    assert.ok(actions.some(one => one.title === `Suppress ${CODE} here`), actions.map(one => one.title).join('\n'));
    await editor.run(actions[0]!);
    assert.equal(document.getText(), FIXED_KERNEL);
});

test('the command fixes all', async () => {
    const editor = await activated();
    const document = await faulty(editor);
    await editor.execute('flakelint.fixAll');
    assert.equal(document.getText(), FIXED_KERNEL);
});

test('a hover tells the width of a value', async () => {
    const editor = await activated();
    const document = await faulty(editor);
    const hover = await editor.ask<types.Hover>('Hover', 'provideHover', document, document.find('* N').start);
    assert.match(hover!.contents.map(one => one.value).join(), /int32/);
});

test('a code lens shows the launches', async () => {
    const editor = await activated();
    const document = await faulty(editor);
    let lens = (await editor.ask<types.CodeLens[]>('CodeLens', 'provideCodeLenses', document))![0]!;
    for (const { provider } of editor.providers.get('CodeLens')!) {
        lens = (await provider['resolveCodeLens']!(lens, new CancellationTokenSource().token)) as types.CodeLens;
    }
    assert.equal(lens.command!.title, '1 launch');
    await editor.execute(lens.command!.command, ...lens.command!.arguments!);
    const { args } = editor.ran.find(one => one.command === 'editor.action.showReferences')!;
    const [uri, position, locations] = args as [types.Uri, types.Position, types.Location[]];
    assert.equal(uri.toString(), document.uri.toString());
    assert.equal(position.line, 5);
    assert.deepEqual(locations.map(one => one.range.start.line), [13]);
    await editor.execute(lens.command!.command, ...lens.command!.arguments!.slice(0, 2), []);
    assert.match(editor.shown.at(-1)!.text, /no launch/);
});

test('what the server runs with can be seen and copied', async () => {
    const editor = await activated();
    await faulty(editor);
    editor.answer = 'Copy';
    const text = await editor.execute('flakelint.debugInformation');
    assert.match(String(text), /^flakelint .*Python .*1 findings$/);
    assert.equal(editor.shown.at(-1)!.text, text);
    await until('it is copied', () => editor.clipboard === text);
});

test('every command that is declared exists, and the other way round', async () => {
    const editor = await activated();
    const declared = MANIFEST.contributes.commands.map((one: { command: string }) => one.command);
    assert.deepEqual([...editor.commands.keys()].sort(), declared.sort());
});

test('changed settings reach the server', async () => {
    const editor = await activated();
    const document = await faulty(editor);
    editor.configure('ignore', ['TRI1']);
    await shown(editor, document, []);
    editor.configure('ignore', []);
    await shown(editor, document, [CODE]);
    editor.configure('severity', { [CODE]: 'info' });
    await until('it is information', () => editor.diagnostics(document)[0]?.severity === 2);
    editor.configure('inlayHints', 'narrow');
    const hints = () => editor.ask<types.InlayHint[]>('InlayHints', 'provideInlayHints', document, new Range(0, 0, 14, 0));
    await until('hints come', async () => (await hints())?.some(one => one.label === ': int32'));
    assert.deepEqual(editor.shown, []);
});

test('settings hold from the beginning, for what is open already', async () => {
    const open = (editor: Editor) => void editor.open(path.join(editor.folder, 'kernels.py'), KERNEL);
    const editor = await activated({ severity: { [CODE]: 'info' } }, open);
    await shown(editor, editor.documents[0]!, [CODE]);
    assert.deepEqual([...new Set(editor.everShown.map(one => one.severity))], [2]);
});

test('a wrong setting is told', async () => {
    const editor = await activated({ inlayHints: 'some' });
    await until('it is told', () => editor.shown.some(one => /inlayHints.*`some`/.test(one.text)));
});

test('a restart takes up another interpreter, and says so where it does not run', async () => {
    const editor = await activated();
    const document = await faulty(editor);
    await editor.execute('flakelint.restart');
    await shown(editor, document, [CODE]);
    editor.answer = 'Show log';
    editor.configure('interpreter', path.join(editor.folder, 'absent'));
    await until('it is told', () => editor.shown.some(one => one.kind === 'error'));
    const [told] = editor.shown;
    assert.match(told!.text, /no program .*absent.*pip install "flakelint\[lsp\]"/);
    assert.deepEqual(told!.buttons, ['Open settings', 'Show log']);
    await until('the log is shown', () => editor.logged.includes('(shown)'));
    assert.equal(editor.context.get('flakelint.running'), false);
    assert.equal(editor.shown.length, 1);
    editor.configure('interpreter', PYTHON);
    await shown(editor, document, [CODE]);
    assert.equal(editor.context.get('flakelint.running'), true);
});

test('a server that crashes is started again', { skip: process.platform === 'win32' }, async () => {
    const bin = makeFolder();
    const [script, number] = [path.join(bin, 'flakelint'), path.join(bin, 'pid')];
    writeFileSync(script, `#!/bin/sh\necho $$ > '${number}'\nexec '${PYTHON}' -m flakelint "$@"\n`, { mode: 0o755 });
    const editor = await activated({ path: script });
    const document = await faulty(editor);
    const before = readFileSync(number, 'utf8');
    process.kill(Number(before), 'SIGKILL');
    await until('another one runs', () => readFileSync(number, 'utf8').trim() && readFileSync(number, 'utf8') !== before);
    await until('it answers', () => editor.context.get('flakelint.running'));
    editor.edit(document, [new TextEdit(document.find(FAULTY), FIXED)]);
    await shown(editor, document, []);
    assert.deepEqual(editor.shown, []);
});

test('a program that is no server is told once', async () => {
    const editor = await activated({ path: process.execPath });
    assert.equal(editor.shown.length, 1, JSON.stringify(editor.shown));
    assert.match(editor.shown[0]!.text, /server.* ended with 1/);
    assert.ok(editor.commands.has('flakelint.restart'));
});

test('the cells of a notebook are checked together, and nothing is shown twice', async () => {
    const editor = await activated();
    const [imports, kernel] = [KERNEL.slice(0, KERNEL.indexOf('@')), KERNEL.slice(KERNEL.indexOf('@'))];
    const notebook = editor.openNotebook(path.join(editor.folder, 'kernels.ipynb'), [imports, kernel]);
    const [first, second] = notebook.getCells().map(cell => cell.document);
    await shown(editor, second!, [CODE]);
    assert.deepEqual(editor.codes(first!), []);
    assert.equal(editor.diagnostics(second!)[0]!.range.start.line, 2);
    await new Promise(resolve => setTimeout(resolve, 500));
    assert.deepEqual(editor.codes(second!), [CODE]);
    const actions = await editor.codeActions(second!, second!.find(FAULTY));
    await editor.run(actions[0]!);
    assert.equal(imports + second!.getText(), FIXED_KERNEL);
    await shown(editor, second!, []);
});
