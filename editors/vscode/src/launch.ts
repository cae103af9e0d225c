// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** How the server is started, and what to tell a person where that fails. Knows nothing of VS Code. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as path from 'node:path';

import { expand } from './settings';

const INSTALL = 'pip install "flakelint[lsp]"';
const KEPT = 4000;

export interface Where {
    /** The setting `flakelint.path`. */
    path: string;
    /** The setting `flakelint.interpreter`. */
    interpreter: string;
    /** The first folder of the workspace, if there is one. */
    folder: string | undefined;
}

export interface ServerCommand {
    command: string;
    args: string[];
    cwd: string | undefined;
}

/** A server that runs, or that did. */
export interface Started {
    process: ChildProcessWithoutNullStreams;
    /** Settles once the process has ended and all that it wrote is read; with what there is to say about that. */
    ended: Promise<string>;
}

/** What is started: an executable that is set, an interpreter that is set, or what is on the path, in this order. */
export function serverCommand(where: Where): ServerCommand {
    const [executable, interpreter] = [program(where.path, where.folder), program(where.interpreter, where.folder)];
    if (executable === '' && interpreter !== '') {
        return { command: interpreter, args: ['-m', 'flakelint', 'server'], cwd: where.folder };
    }
    return { command: executable || 'flakelint', args: ['server'], cwd: where.folder };
}

/** Start the server; rejects with what to tell a person where there is no such program. */
export function start(command: ServerCommand): Promise<Started> {
    const cwd = command.cwd !== undefined && existsSync(command.cwd) ? command.cwd : undefined;
    // `python -m` would import a module of the workspace that is named like one that the server needs
    const env = { ...process.env, PYTHONSAFEPATH: '1' };
    const child = spawn(command.command, command.args, { cwd, env, stdio: 'pipe' });
    let last = '';
    child.stderr.on('data', (data: Buffer) => {
        last = (last + data.toString()).slice(-KEPT);
    });
    const ended = new Promise<string>(resolve => {
        child.once('close', (code, signal) => resolve(failure(command, code ?? signal ?? 'unknown', last)));
    });
    return new Promise((resolve, reject) => {
        child.once('error', error => reject(new Error(notStarted(command, error))));
        child.once('spawn', () => resolve({ process: child, ended }));
    });
}

function notStarted(command: ServerCommand, error: NodeJS.ErrnoException): string {
    const reason = error.code === 'ENOENT' ? `there is no program \`${command.command}\`` : error.message;
    const found = command.command === 'flakelint' ? ' on the path' : '';
    return `flakelint cannot be started: ${reason}${found}. ${advice('Install it')}`;
}

function failure(command: ServerCommand, code: number | string, written: string): string {
    if (/No module named '?flakelint/.test(written)) {
        return `\`${command.command}\` has no flakelint. ${advice('Install it there')}`;
    }
    if (/No such command 'server'/.test(written)) {
        return `The flakelint of \`${command.command}\` is too old to have a server. ${advice('Install a newer one')}`;
    }
    if (/needs pygls/.test(written)) {
        return `The flakelint of \`${command.command}\` lacks what its server needs. ${advice('Install that')}`;
    }
    const said = written.trim().split('\n').at(-1) ?? '';
    return `\`${[command.command, ...command.args].join(' ')}\` ended with ${code}${said ? `: ${said}` : ''}`;
}

function advice(what: string): string {
    return `${what} with \`${INSTALL}\`, or set \`flakelint.interpreter\` to a Python that has it.`;
}

/** A program as it is to be started: a bare name is looked up on the path, anything else is relative to the workspace. */
function program(text: string, folder: string | undefined): string {
    const expanded = expand(text.trim(), folder);
    const isPath = /[\\/]/.test(expanded) && !path.isAbsolute(expanded) && folder !== undefined;
    return isPath ? path.join(folder, expanded) : expanded;
}
