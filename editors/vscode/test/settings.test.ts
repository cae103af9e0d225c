// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** What of the settings reaches the server. */

import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import { expand, forServer } from '../src/settings';

const folder = path.resolve('/work/space');

test('only what the server knows is sent', () => {
    const ours = { path: '/opt/flakelint', interpreter: '', trace: { server: 'off' } };
    const sent = forServer({ ...ours, inlayHints: 'all', debounce: 0, preset: null }, folder);
    assert.deepEqual(sent, { inlayHints: 'all', debounce: 0 });
    assert.deepEqual(forServer(undefined, folder), {});
});

test('a settings file is relative to the folder of the workspace', () => {
    const sent = (configuration: string, where?: string) => forServer({ configuration }, where)['configuration'];
    assert.equal(sent('lint/strict.toml', folder), path.join(folder, 'lint', 'strict.toml'));
    assert.equal(sent('/etc/flakelint.toml', folder), path.resolve('/etc/flakelint.toml'));
    assert.equal(sent('${workspaceFolder}/a.toml', folder), path.join(folder, 'a.toml'));
    assert.equal(sent('a.toml'), 'a.toml');
    assert.equal(sent('', folder), '');
});

test('variables are expanded', () => {
    process.env['FLAKELINT_TEST'] = 'here';
    assert.equal(expand('${env:FLAKELINT_TEST}/${env:FLAKELINT_ABSENT}x', undefined), 'here/x');
    assert.equal(expand('${userHome}/a', undefined), `${homedir()}/a`);
    assert.equal(expand('~/a~', undefined), `${homedir()}/a~`);
    assert.equal(expand('~other', undefined), '~other');
});
