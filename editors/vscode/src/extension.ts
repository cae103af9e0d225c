// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** What VS Code calls. */

import * as vscode from 'vscode';
import { DidChangeConfigurationNotification } from 'vscode-languageclient/node';

import { Server } from './client';
import { registerCommands } from './commands';
import { LAUNCH_SETTINGS, SECTION } from './settings';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    const created = new Server();
    server = created;
    context.subscriptions.push(
        created,
        registerCommands(created),
        vscode.workspace.onDidChangeConfiguration(event => configured(created, event)),
    );
    await created.start();
}

export async function deactivate(): Promise<void> {
    await server?.stop();
    server = undefined;
}

async function configured(changed: Server, event: vscode.ConfigurationChangeEvent): Promise<void> {
    if (LAUNCH_SETTINGS.some(name => event.affectsConfiguration(`${SECTION}.${name}`))) {
        await changed.restart();
    } else if (event.affectsConfiguration(SECTION)) {
        // the server asks for the settings of each folder by itself
        await changed.running?.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
    }
}
