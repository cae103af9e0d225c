// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** The commands that the extension has besides those of the server. */

import * as vscode from 'vscode';
import type { Location, Position } from 'vscode-languageclient/node';

import type { Server } from './client';

const FIX_ALL = 'source.fixAll.flakelint';

export function registerCommands(server: Server): vscode.Disposable {
    return vscode.Disposable.from(
        vscode.commands.registerCommand('flakelint.restart', () => server.restart()),
        vscode.commands.registerCommand('flakelint.showLog', () => server.log.show()),
        vscode.commands.registerCommand('flakelint.fixAll', fixAll),
        vscode.commands.registerCommand('flakelint.showLaunches', (...args: [string, Position, Location[]]) => {
            return showLaunches(server, ...args);
        }),
    );
}

function fixAll(): Thenable<unknown> {
    return vscode.commands.executeCommand('editor.action.codeAction', { kind: FIX_ALL, apply: 'first' });
}

/** What a code lens of the server runs: the places come as the protocol writes them. */
async function showLaunches(server: Server, uri: string, position: Position, locations: Location[]): Promise<void> {
    const convert = server.running?.protocol2CodeConverter;
    if (convert === undefined) {
        return;
    }
    if (locations.length === 0) {
        void vscode.window.showInformationMessage('flakelint sees no launch of this kernel.');
        return;
    }
    const [place, found] = [convert.asPosition(position), locations.map(one => convert.asLocation(one))];
    await vscode.commands.executeCommand('editor.action.showReferences', convert.asUri(uri), place, found);
}
