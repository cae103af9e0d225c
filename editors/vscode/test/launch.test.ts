// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** What is started, and what is said where that fails. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';

import { serverCommand, start } from '../src/launch';
import { folder as makeFolder, PYTHON } from './tools';

const folder = path.resolve('/work/space');

test('an executable that is set comes before an interpreter that is set', () => {
    const found = serverCommand({ path: '/opt/flakelint', interpreter: '/opt/python', folder });
    assert.deepEqual(found, { command: '/opt/flakelint', args: ['server'], cwd: folder });
});

test('an interpreter that is set comes before the path', () => {
    const found = serverCommand({ path: ' ', interpreter: '/opt/python', folder });
    assert.deepEqual(found, { command: '/opt/python', args: ['-m', 'flakelint', 'server'], cwd: folder });
});

test('without settings it is what is on the path', () => {
    const found = serverCommand({ path: '', interpreter: '', folder: undefined });
    assert.deepEqual(found, { command: 'flakelint', args: ['server'], cwd: undefined });
});

test('a relative path starts at the folder, and a bare name is looked up', () => {
    const command = (interpreter: string) => serverCommand({ path: '', interpreter, folder }).command;
    assert.equal(command('.venv/bin/python'), path.join(folder, '.venv', 'bin', 'python'));
    assert.equal(command('${workspaceFolder}/.venv/bin/python'), `${folder}/.venv/bin/python`);
    assert.equal(command('python3.12'), 'python3.12');
});

test('a program that does not exist is named, with what to install', async () => {
    const absent = path.join(folder, 'absent');
    await assert.rejects(
        start({ command: absent, args: ['server'], cwd: undefined }),
        ({ message }: Error) => {
            assert.ok(message.includes(`no program \`${absent}\``), message);
            assert.ok(message.includes('pip install "flakelint[lsp]"'), message);
            return true;
        },
    );
});

for (const [what, written, expected] of [
    ['has no flakelint', '/usr/bin/python3: No module named flakelint', /has no flakelint.*pip install "flakelint\[lsp\]"/],
    ['is too old', "Error: No such command 'server'.", /too old.*newer/],
    ['lacks pygls', 'flakelint: error: the language server needs pygls; install it', /lacks what its server needs/],
    ['fails otherwise', 'first\nValueError: at last', /ended with 3: ValueError: at last$/],
    ['says nothing', '', /ended with 3$/],
] as const) {
    test(`a server that ${what} is told in its own words`, async () => {
        const script = path.join(makeFolder(), 'fails.js');
        writeFileSync(script, `process.stderr.write(${JSON.stringify(written)}); process.exitCode = 3;`);
        const started = await start({ command: process.execPath, args: [script], cwd: undefined });
        assert.match(await started.ended, expected);
    });
}

test('Python is told not to import from the workspace', async () => {
    const args = ['-e', 'process.stderr.write(String(process.env.PYTHONSAFEPATH))'];
    const started = await start({ command: process.execPath, args, cwd: undefined });
    assert.match(await started.ended, /: 1$/);
});

test('a folder that is gone does not keep the server from starting', async () => {
    const args = ['-c', 'print(1)'];
    const started = await start({ command: PYTHON, args, cwd: path.join(makeFolder(), 'gone') });
    assert.match(await started.ended, /ended with 0$/);
});
