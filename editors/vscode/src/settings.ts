// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** What of the settings of the editor concerns the server. Knows nothing of VS Code. */

import { homedir } from 'node:os';
import * as path from 'node:path';

export const SECTION = 'flakelint';

/** The settings that the server reads; it complains of others. */
export const SERVER_SETTINGS = [
    'enable',
    'configuration',
    'preset',
    'select',
    'ignore',
    'extendSelect',
    'severity',
    'inlayHints',
    'codeLens',
    'debounce',
] as const;

/** The settings that decide what is started. */
export const LAUNCH_SETTINGS = ['path', 'interpreter'] as const;

/** What the server gets to see of all settings of the section, for a folder of the workspace. */
export function forServer(values: unknown, folder: string | undefined): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    if (typeof values !== 'object' || values === null) {
        return found;
    }
    for (const name of SERVER_SETTINGS) {
        const value = (values as Record<string, unknown>)[name];
        if (value !== undefined && value !== null) {
            found[name] = value;
        }
    }
    const file = found['configuration'];
    if (typeof file === 'string' && file !== '') {
        // the server would take it from the folder in which it was started
        const expanded = expand(file, folder);
        found['configuration'] = folder === undefined ? expanded : path.resolve(folder, expanded);
    }
    return found;
}

/** A path with the variables and the tilde that people write in settings, which VS Code hands on as they are. */
export function expand(text: string, folder: string | undefined): string {
    return text
        .replace(/^~(?=$|[\\/])/, () => homedir())
        .replace(/\$\{workspaceFolder\}/g, () => folder ?? '')
        .replace(/\$\{userHome\}/g, () => homedir())
        .replace(/\$\{env:([^}]+)\}/g, (_, name: string) => process.env[name] ?? '');
}
