// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** The real server, talked to by the protocol alone, as an editor that pulls and resolves. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import {
    type CodeAction,
    CodeActionRequest,
    CodeActionResolveRequest,
    ConfigurationRequest,
    createProtocolConnection,
    type Diagnostic,
    DidChangeTextDocumentNotification,
    DidCloseTextDocumentNotification,
    DidOpenTextDocumentNotification,
    DocumentDiagnosticRequest,
    ExecuteCommandRequest,
    ExitNotification,
    HoverRequest,
    InitializedNotification,
    InitializeRequest,
    type MarkupContent,
    type ProtocolConnection,
    RegistrationRequest,
    ShowMessageNotification,
    ShutdownRequest,
    StreamMessageReader,
    StreamMessageWriter,
    TextDocumentEdit,
} from 'vscode-languageserver-protocol/node';

import { serverCommand, start, type Started } from '../src/launch';
import { forServer } from '../src/settings';
import { CODE, FAULTY, FIXED, folder as makeFolder, KERNEL, MANIFEST, PYTHON } from './tools';

const folder = makeFolder();
const uri = pathToFileURL(`${folder}/kernels.py`).href;
const textDocument = { uri };
const defaults = Object.fromEntries(
    Object.entries<{ default: unknown }>(MANIFEST.contributes.configuration.properties)
        .map(([name, { default: value }]) => [name.replace('flakelint.', ''), value]),
);
const messages: string[] = [];
const asked: (string | undefined)[] = [];
let started: Started;
let connection: ProtocolConnection;

before(async () => {
    started = await start(serverCommand({ path: '', interpreter: PYTHON, folder }));
    connection = createProtocolConnection(
        new StreamMessageReader(started.process.stdout), new StreamMessageWriter(started.process.stdin),
    );
    connection.onNotification(ShowMessageNotification.type, ({ message }) => void messages.push(message));
    connection.onRequest(RegistrationRequest.type, () => undefined);
    connection.onRequest(ConfigurationRequest.type, ({ items }) => {
        asked.push(...items.map(one => one.scopeUri));
        return items.map(() => forServer(defaults, folder));
    });
    connection.listen();
    const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
        processId: process.pid,
        rootUri: pathToFileURL(folder).href,
        workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'folder' }],
        initializationOptions: forServer(defaults, folder),
        capabilities: {
            general: { positionEncodings: ['utf-16'] },
            workspace: {
                configuration: true,
                workspaceFolders: true,
                didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
                workspaceEdit: { documentChanges: true },
                diagnostics: { refreshSupport: true },
            },
            textDocument: {
                synchronization: { didSave: true },
                diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
                hover: { contentFormat: ['markdown', 'plaintext'] },
                codeAction: {
                    dataSupport: true,
                    resolveSupport: { properties: ['edit'] },
                    codeActionLiteralSupport: { codeActionKind: { valueSet: ['', 'quickfix', 'source', 'source.fixAll'] } },
                },
            },
        },
    });
    assert.ok(capabilities.diagnosticProvider);
    assert.equal(capabilities.positionEncoding, 'utf-16');
    await connection.sendNotification(InitializedNotification.type, {});
    const item = { uri, languageId: 'python', version: 1, text: KERNEL };
    await connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument: item });
});

after(async () => {
    await connection.sendRequest(ShutdownRequest.type);
    await connection.sendNotification(ExitNotification.type);
    assert.match(await started.ended, /ended with 0$/);
    connection.dispose();
});

async function pull(): Promise<Diagnostic[]> {
    const report = await connection.sendRequest(DocumentDiagnosticRequest.type, { textDocument });
    assert.equal(report.kind, 'full');
    return report.kind === 'full' ? report.items : [];
}

async function resolved(action: CodeAction): Promise<TextDocumentEdit> {
    const { edit } = await connection.sendRequest(CodeActionResolveRequest.type, action);
    const [change] = edit?.documentChanges ?? [];
    assert.ok(TextDocumentEdit.is(change));
    assert.equal(change.textDocument.uri, uri);
    return change;
}

async function actions(place: Diagnostic['range'], only: string): Promise<CodeAction[]> {
    const context = { diagnostics: await pull(), only: [only] };
    return (await connection.sendRequest(CodeActionRequest.type, { textDocument, range: place, context })) as CodeAction[];
}

test('diagnostics are pulled, with the line and a page to read', async () => {
    const [first, ...others] = await pull();
    assert.deepEqual(others, []);
    assert.equal(first?.code, CODE);
    assert.equal(first.range.start.line, 6);
    assert.match(first.codeDescription?.href ?? '', /TRI101\.md$/);
    assert.ok(first.relatedInformation?.length);
});

test('a hover tells the width of a value', async () => {
    const found = await connection.sendRequest(HoverRequest.type, { textDocument, position: { line: 8, character: 23 } });
    assert.match((found?.contents as MarkupContent).value, /int32/);
});

test('a quick fix comes without its edit, which is made when it is asked for', async () => {
    const [finding] = await pull();
    const [first] = await actions(finding!.range, 'quickfix');
    assert.equal(first?.edit, undefined);
    assert.equal(first?.isPreferred, true);
    assert.ok((await resolved(first!)).edits.some(one => 'newText' in one && one.newText.includes('.to(tl.int64)')));
});

test('all is fixed at once', async () => {
    const end = { line: KERNEL.split('\n').length - 1, character: 0 };
    const found = await actions({ start: { line: 0, character: 0 }, end }, 'source.fixAll.flakelint');
    assert.deepEqual(found.map(one => one.kind), ['source.fixAll.flakelint']);
    assert.ok((await resolved(found[0]!)).edits.length > 0);
});

test('an edit is followed', async () => {
    const character = 10;
    const range = { start: { line: 6, character }, end: { line: 6, character: character + FAULTY.length } };
    const changed = { textDocument: { uri, version: 2 }, contentChanges: [{ range, text: FIXED }] };
    await connection.sendNotification(DidChangeTextDocumentNotification.type, changed);
    assert.deepEqual(await pull(), []);
});

test('the command that tells what runs', async () => {
    const params = { command: 'flakelint.debugInformation', arguments: [uri] };
    assert.match(await connection.sendRequest(ExecuteCommandRequest.type, params), /flakelint .*Python .*utf-16.*0 findings/);
});

test('the settings were asked for, and nothing was wrong with the defaults', async () => {
    assert.deepEqual([...new Set(asked)].map(one => one ?? ''), ['', pathToFileURL(folder).href]);
    assert.deepEqual(messages, []);
});

test('nothing is left of a closed file', async () => {
    await connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument });
    assert.deepEqual(await pull(), []);
});
