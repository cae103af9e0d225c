// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** The server as the extension sees it: started, restarted and stopped. */

import * as vscode from 'vscode';
import {
    CloseAction,
    ErrorAction,
    type ErrorHandler,
    LanguageClient,
    type LanguageClientOptions,
    type Middleware,
    RevealOutputChannelOn,
    State,
} from 'vscode-languageclient/node';

import { serverCommand, start, type Started } from './launch';
import { forServer, SECTION } from './settings';

export const DEBUG_INFORMATION = 'flakelint.debugInformation';
const RUNNING = 'flakelint.running';
const NOTEBOOK_CELL = 'vscode-notebook-cell';
const OPEN_SETTINGS = 'Open settings';
const SHOW_LOG = 'Show log';
const SELECTOR = [
    ...['file', 'untitled'].flatMap(scheme => ['python', 'markdown'].map(language => ({ scheme, language }))),
    { scheme: NOTEBOOK_CELL, language: 'python' },
];

export class Server implements vscode.Disposable {
    readonly log: vscode.LogOutputChannel;
    private client: LanguageClient | undefined;
    // one thing at a time, also where a person is faster than the server
    private last: Promise<void> = Promise.resolve();

    constructor() {
        this.log = vscode.window.createOutputChannel('flakelint', { log: true });
    }

    /** The client, while the server runs. */
    get running(): LanguageClient | undefined {
        return this.client?.state === State.Running ? this.client : undefined;
    }

    start(): Promise<void> {
        return this.then(() => this.begin());
    }

    stop(): Promise<void> {
        return this.then(() => this.end());
    }

    restart(): Promise<void> {
        return this.then(async () => {
            await this.end();
            await this.begin();
        });
    }

    dispose(): void {
        this.log.dispose();
    }

    private then(step: () => Promise<void>): Promise<void> {
        this.last = this.last.then(step, step);
        return this.last;
    }

    private async begin(): Promise<void> {
        let started: Started | undefined;
        const launch = async () => {
            const command = serverCommand(where());
            this.log.info(`starting ${[command.command, ...command.args].join(' ')}`);
            started = await start(command);
            return started.process;
        };
        const handler = new Handler();
        const client = new Client(SECTION, 'flakelint', launch, options(this.log, handler));
        handler.fallback = client.createDefaultErrorHandler();
        client.onDidChangeState(({ newState }) => {
            handler.isUp ||= newState === State.Running;
            client.isUp = handler.isUp;
            void vscode.commands.executeCommand('setContext', RUNNING, newState === State.Running);
        });
        this.client = client;
        try {
            await client.start();
        } catch (error) {
            this.client = undefined;
            started?.process.stdin.end();
            const text = started === undefined ? (error as Error).message : await told(started, error as Error);
            this.log.error(text);
            void this.tell(text);
        }
    }

    private async end(): Promise<void> {
        const client = this.client;
        this.client = undefined;
        try {
            await client?.dispose();
        } catch (error) {
            this.log.warn(`stopping failed: ${(error as Error).message}`);
        }
    }

    private async tell(text: string): Promise<void> {
        const chosen = await vscode.window.showErrorMessage(text, OPEN_SETTINGS, SHOW_LOG);
        if (chosen === OPEN_SETTINGS) {
            await vscode.commands.executeCommand('workbench.action.openSettings', `${SECTION}.`);
        } else if (chosen === SHOW_LOG) {
            this.log.show();
        }
    }
}

/** Only logs what goes wrong while the server starts, since that is then told in other words. */
class Client extends LanguageClient {
    isUp = false;

    override error(message: string, data?: unknown, showNotification?: boolean | 'force'): void {
        super.error(message, data, this.isUp ? showNotification : false);
    }
}

/** Restarts a server that crashes, but not one that never ran. */
class Handler implements ErrorHandler {
    fallback: ErrorHandler | undefined;
    isUp = false;

    error(...known: Parameters<ErrorHandler['error']>): ReturnType<ErrorHandler['error']> {
        return this.isUp && this.fallback ? this.fallback.error(...known) : { action: ErrorAction.Continue, handled: true };
    }

    closed(): ReturnType<ErrorHandler['closed']> {
        return this.isUp && this.fallback ? this.fallback.closed() : { action: CloseAction.DoNotRestart, handled: true };
    }
}

function options(log: vscode.LogOutputChannel, errorHandler: ErrorHandler): LanguageClientOptions {
    const first = vscode.workspace.workspaceFolders?.[0];
    return {
        documentSelector: SELECTOR,
        outputChannel: log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        initializationOptions: forServer(vscode.workspace.getConfiguration(undefined, first).get(SECTION), first?.uri.fsPath),
        initializationFailedHandler: () => false,
        diagnosticPullOptions: { onChange: true, onSave: true, onFocus: true },
        errorHandler,
        middleware: MIDDLEWARE,
    };
}

const MIDDLEWARE: Middleware = {
    workspace: {
        configuration: async (params, token, next) => {
            const values = await next(params, token);
            return Array.isArray(values)
                ? values.map((value, index) => settingsOf(params.items[index]?.scopeUri, params.items[index]?.section, value))
                : values;
        },
    },
    // the client registers the commands of the server, so that one with an argument is completed here
    executeCommand: async (command, args, next) => {
        if (command !== DEBUG_INFORMATION || args.length > 0) {
            return next(command, args);
        }
        const uri = vscode.window.activeTextEditor?.document.uri.toString();
        const text = String(await next(command, uri === undefined ? [] : [uri]));
        void vscode.window.showInformationMessage(text, 'Copy').then(chosen => {
            return chosen === undefined ? undefined : vscode.env.clipboard.writeText(text);
        });
        return text;
    },
};

function settingsOf(scope: string | undefined, section: string | undefined, value: unknown): unknown {
    const folders = vscode.workspace.workspaceFolders;
    const folder = scope === undefined ? folders?.[0] : vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(scope));
    return section === SECTION ? forServer(value, folder?.uri.fsPath) : value;
}

function where(): Parameters<typeof serverCommand>[0] {
    const first = vscode.workspace.workspaceFolders?.[0];
    const settings = vscode.workspace.getConfiguration(SECTION, first);
    return {
        path: settings.get<string>('path') ?? '',
        interpreter: settings.get<string>('interpreter') ?? '',
        folder: first?.uri.fsPath,
    };
}

/** What the server said when it ended; what the client says of one that goes on. */
async function told(started: Started, error: Error): Promise<string> {
    const fallback = new Promise<string>(resolve => setTimeout(() => resolve(error.message), 2000));
    return Promise.race([started.ended, fallback]);
}
