// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** What the manifest declares is what the sources use, and what is packed. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';

import { listFiles } from '@vscode/vsce';

import { LAUNCH_SETTINGS, SERVER_SETTINGS } from '../src/settings';
import { MANIFEST, ROOT } from './tools';

const SETTINGS: Record<string, Record<string, unknown>> = MANIFEST.contributes.configuration.properties;
const sources = readdirSync(path.join(ROOT, 'src')).map(name => readFileSync(path.join(ROOT, 'src', name), 'utf8')).join('\n');

test('every setting that is declared is read, and the other way round', () => {
    const read = [...LAUNCH_SETTINGS, ...SERVER_SETTINGS, 'trace.server'].map(name => `flakelint.${name}`);
    assert.deepEqual(Object.keys(SETTINGS).sort(), read.sort());
});

test('every setting is described, has a default, and has the scope that it needs', () => {
    for (const [name, setting] of Object.entries(SETTINGS)) {
        assert.ok(setting['markdownDescription'], name);
        assert.ok('default' in setting, name);
        const choices = setting['enum'] as unknown[] | undefined;
        assert.ok(choices === undefined || choices.includes(setting['default']), name);
        const isServers = SERVER_SETTINGS.some(one => name === `flakelint.${one}`);
        assert.equal(setting['scope'] === 'resource', isServers, name);
    }
});

test('every command that is declared is spelled so in the sources', () => {
    for (const { command } of MANIFEST.contributes.commands as { command: string }[]) {
        assert.ok(sources.includes(`'${command}'`), command);
    }
});

test('little more than the bundle is packed', async () => {
    const packed = await listFiles({ cwd: ROOT, packageManager: 0 });
    assert.deepEqual(packed.sort(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/extension.js', 'package.json']);
});
