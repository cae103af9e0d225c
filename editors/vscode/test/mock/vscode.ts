// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** A stand-in for VS Code, in which the extension itself runs: with documents, settings, commands and what is registered. */

import { statSync } from 'node:fs';

import { type Change, Document, Notebook } from './documents';
import * as types from './types';
import { Disposable, EventEmitter, Range, Uri, WorkspaceEdit } from './types';

type Folder = { uri: Uri; name: string; index: number };
type Command = (...args: never[]) => unknown;
type Filter = { language?: string; scheme?: string; notebookType?: string } | string;
type Settings = Record<string, unknown>;
export interface Provider {
    selector: Filter | Filter[];
    provider: Record<string, (...args: unknown[]) => unknown>;
}

export class Editor {
    readonly commands = new Map<string, Command>();
    readonly ran: { command: string; args: unknown[] }[] = [];
    readonly shown: { kind: string; text: string; buttons: string[] }[] = [];
    readonly logged: string[] = [];
    readonly collections = new Set<Map<string, types.Diagnostic[]>>();
    readonly everShown: types.Diagnostic[] = [];
    readonly providers = new Map<string, Set<Provider>>();
    readonly documents: Document[] = [];
    readonly notebooks: Notebook[] = [];
    private readonly tabs: { input: object }[] = [];
    readonly context = new Map<string, unknown>();
    answer: string | undefined;
    clipboard = '';
    active: { document: Document } | undefined;

    readonly opened = new EventEmitter<Document>();
    readonly closed = new EventEmitter<Document>();
    readonly changed = new EventEmitter<{ document: Document; contentChanges: Change[]; reason: undefined }>();
    readonly saved = new EventEmitter<Document>();
    readonly configured = new EventEmitter<{ affectsConfiguration(section: string): boolean }>();
    readonly openedNotebook = new EventEmitter<Notebook>();
    private readonly tabsChanged = new EventEmitter<{ opened: object[]; closed: object[]; changed: object[] }>();

    constructor(readonly folder: string, readonly settings: Settings) {}

    get folders(): Folder[] {
        return [{ uri: Uri.file(this.folder), name: 'folder', index: 0 }];
    }

    open(path: string, text: string, languageId = 'python'): Document {
        const document = new Document(Uri.file(path), languageId, text);
        this.showTab(new types.TabInputText(document.uri));
        this.documents.push(document);
        this.active = { document };
        this.opened.fire(document);
        return document;
    }

    openNotebook(path: string, texts: string[]): Notebook {
        const notebook = new Notebook(Uri.file(path), texts);
        this.showTab(new types.TabInputNotebook(notebook.uri, notebook.notebookType));
        this.notebooks.push(notebook);
        this.documents.push(...notebook.getCells().map(cell => cell.document));
        this.openedNotebook.fire(notebook);
        notebook.getCells().forEach(cell => this.opened.fire(cell.document));
        return notebook;
    }

    close(document: Document): void {
        this.documents.splice(this.documents.indexOf(document), 1);
        this.active = undefined;
        this.closed.fire(document);
        const closed = this.tabs.splice(0);
        this.tabsChanged.fire({ opened: [], closed, changed: [] });
    }

    edit(document: Document, edits: types.TextEdit[]): void {
        const contentChanges = document.edit(edits);
        this.changed.fire({ document, contentChanges, reason: undefined });
    }

    configure(name: string, value: unknown): void {
        this.settings[name] = value;
        this.configured.fire({ affectsConfiguration: section => `flakelint.${name}`.startsWith(section) });
    }

    apply(edit: WorkspaceEdit): void {
        for (const [uri, edits] of edit.found) {
            const document = this.documents.find(one => one.uri.toString() === uri);
            if (document === undefined) {
                throw new Error(`${uri} is not open`);
            }
            this.edit(document, edits);
        }
    }

    /** All that is shown about a document, however it came. */
    diagnostics(document: Document): types.Diagnostic[] {
        return [...this.collections].flatMap(one => one.get(document.uri.toString()) ?? []);
    }

    codes(document: Document): unknown[] {
        return this.diagnostics(document).map(one => (typeof one.code === 'object' ? one.code.value : one.code));
    }

    /** What the providers of a kind answer about a document; the first answer that there is. */
    async ask<T>(kind: string, method: string, document: Document, ...args: unknown[]): Promise<T | undefined> {
        const { token } = new types.CancellationTokenSource();
        for (const { selector, provider } of this.providers.get(kind) ?? []) {
            if (match(selector, document) > 0) {
                const found = await provider[method]?.(document, ...args, token);
                if (found !== undefined && found !== null) {
                    return found as T;
                }
            }
        }
        return undefined;
    }

    async codeActions(document: Document, range: Range, only?: string): Promise<types.CodeAction[]> {
        const context = {
            diagnostics: this.diagnostics(document).filter(one => one.range.start.line === range.start.line),
            only: only === undefined ? undefined : new types.CodeActionKind(only),
            triggerKind: types.CodeActionTriggerKind.Invoke,
        };
        return (await this.ask<types.CodeAction[]>('CodeActions', 'provideCodeActions', document, range, context)) ?? [];
    }

    /** Do what an action says, as VS Code does: resolve it, then apply its edit. */
    async run(action: types.CodeAction): Promise<void> {
        let edit = action.edit;
        for (const { provider } of this.providers.get('CodeActions') ?? []) {
            const { token } = new types.CancellationTokenSource();
            edit ??= ((await provider['resolveCodeAction']?.(action, token)) as types.CodeAction | undefined)?.edit;
        }
        if (edit !== undefined) {
            this.apply(edit);
        }
    }

    async execute(command: string, ...args: unknown[]): Promise<unknown> {
        this.ran.push({ command, args });
        if (command === 'setContext') {
            this.context.set(args[0] as string, args[1]);
            return undefined;
        }
        if (command === 'editor.action.codeAction' && this.active !== undefined) {
            const { kind } = args[0] as { kind: string };
            const document = this.active.document;
            const [first] = await this.codeActions(document, new Range(0, 0, document.lineCount, 0), kind);
            return first === undefined ? undefined : this.run(first);
        }
        if (/^(editor|workbench)\./.test(command)) {
            return undefined;
        }
        const found = this.commands.get(command);
        if (found === undefined) {
            throw new Error(`command '${command}' not found`);
        }
        return found(...(args as never[]));
    }

    /** The module `vscode`. */
    get module(): object {
        return { ...types, version: '1.91.0', ...this.namespaces() };
    }

    private showTab(input: object): void {
        this.tabs.push({ input });
        this.tabsChanged.fire({ opened: [{ input }], closed: [], changed: [] });
    }

    private namespaces(): object {
        const never = <T>() => new EventEmitter<T>().event;
        const active = () => this.active;
        return {
            env: {
                appName: 'Mock',
                language: 'en',
                clipboard: { writeText: async (text: string) => void (this.clipboard = text) },
            },
            commands: {
                registerCommand: (name: string, command: Command) => {
                    if (this.commands.has(name)) {
                        throw new Error(`command '${name}' already exists`);
                    }
                    this.commands.set(name, command);
                    return new Disposable(() => this.commands.delete(name));
                },
                executeCommand: (name: string, ...args: unknown[]) => this.execute(name, ...args),
            },
            languages: this.languages(),
            window: {
                ...this.messages(),
                get activeTextEditor() {
                    return active();
                },
                visibleTextEditors: [],
                tabGroups: { all: [{ tabs: this.tabs }], onDidChangeTabs: this.tabsChanged.event },
                createOutputChannel: () => this.channel(),
                onDidChangeActiveTextEditor: never(),
                onDidChangeVisibleTextEditors: never(),
                withProgress: (_: object, task: (progress: object) => unknown) => task({ report: () => undefined }),
            },
            workspace: {
                workspaceFolders: this.folders,
                textDocuments: this.documents,
                notebookDocuments: this.notebooks,
                getWorkspaceFolder: (uri: Uri) => this.folders.find(one => uri.fsPath.startsWith(one.uri.fsPath)),
                getConfiguration: (section?: string) => this.configuration(section),
                applyEdit: async (edit: WorkspaceEdit) => (this.apply(edit), true),
                createFileSystemWatcher: () => ({
                    onDidCreate: never(), onDidChange: never(), onDidDelete: never(), dispose: () => undefined,
                }),
                fs: { stat: async (uri: Uri) => ({ type: statSync(uri.fsPath).isDirectory() ? 2 : 1 }) },
                onDidOpenTextDocument: this.opened.event,
                onDidCloseTextDocument: this.closed.event,
                onDidChangeTextDocument: this.changed.event,
                onDidSaveTextDocument: this.saved.event,
                onDidChangeConfiguration: this.configured.event,
                onDidOpenNotebookDocument: this.openedNotebook.event,
                onDidChangeNotebookDocument: never(),
                onDidSaveNotebookDocument: never(),
                onDidCloseNotebookDocument: never(),
                onWillSaveTextDocument: never(),
                onDidChangeWorkspaceFolders: never(),
                onDidCreateFiles: never(),
                onDidDeleteFiles: never(),
                onDidRenameFiles: never(),
                onWillCreateFiles: never(),
                onWillDeleteFiles: never(),
                onWillRenameFiles: never(),
            },
        };
    }

    private languages(): object {
        const register = (kind: string) => (selector: Filter | Filter[], provider: Provider['provider']) => {
            const entry = { selector, provider };
            const all = this.providers.get(kind) ?? new Set();
            this.providers.set(kind, all.add(entry));
            return new Disposable(() => all.delete(entry));
        };
        const kinds = [
            'CallHierarchy', 'CodeActions', 'CodeLens', 'Color', 'CompletionItem', 'Declaration', 'Definition',
            'DocumentHighlight', 'DocumentLink', 'DocumentSymbol', 'FoldingRange', 'Hover', 'Implementation', 'InlayHints',
            'InlineValues', 'Reference', 'Rename', 'SelectionRange', 'SignatureHelp', 'TypeDefinition', 'TypeHierarchy',
            'WorkspaceSymbol',
        ];
        return {
            ...Object.fromEntries(kinds.map(kind => [`register${kind}Provider`, register(kind)])),
            match: (selector: Filter | Filter[], document: Document) => match(selector, document),
            createDiagnosticCollection: (name: string) => {
                const found = new Map<string, types.Diagnostic[]>();
                this.collections.add(found);
                return {
                    name,
                    set: (uri: Uri, all: types.Diagnostic[] = []) => {
                        this.everShown.push(...all);
                        found.set(uri.toString(), all);
                    },
                    delete: (uri: Uri) => void found.delete(uri.toString()),
                    get: (uri: Uri) => found.get(uri.toString()),
                    has: (uri: Uri) => found.has(uri.toString()),
                    clear: () => found.clear(),
                    dispose: () => void this.collections.delete(found),
                };
            },
        };
    }

    private messages(): object {
        const show = (kind: string) => async (text: string, ...buttons: unknown[]) => {
            this.shown.push({ kind, text, buttons: buttons.filter(one => typeof one === 'string') });
            return buttons.find(one => one === this.answer);
        };
        return {
            showErrorMessage: show('error'),
            showWarningMessage: show('warning'),
            showInformationMessage: show('information'),
        };
    }

    private channel(): object {
        const write = (...words: unknown[]) => void this.logged.push(words.map(String).join(' '));
        return {
            name: 'flakelint',
            logLevel: types.LogLevel.Info,
            onDidChangeLogLevel: new EventEmitter<number>().event,
            trace: write, debug: write, info: write, warn: write, error: write, append: write, appendLine: write,
            clear: () => undefined,
            show: () => void this.logged.push('(shown)'),
            hide: () => undefined,
            dispose: () => undefined,
        };
    }

    private configuration(section?: string): object {
        const all: Settings = { flakelint: this.settings };
        const found = (section ? (all[section] as Settings | undefined) : all) ?? {};
        return {
            get: (name: string, fallback?: unknown) => found[name] ?? fallback,
            has: (name: string) => name in found,
            inspect: () => undefined,
        };
    }
}

function match(selector: Filter | Filter[], document: Document): number {
    const fits = (filter: Filter) => {
        if (typeof filter === 'string') {
            return filter === '*' || filter === document.languageId;
        }
        return (
            (filter.language ?? document.languageId) === document.languageId &&
            (filter.scheme ?? document.uri.scheme) === document.uri.scheme &&
            (filter.notebookType === undefined || isOf(document.notebook, filter.notebookType))
        );
    };
    return [selector].flat().some(fits) ? 10 : 0;
}

function isOf(notebook: Notebook | undefined, type: string): boolean {
    return notebook !== undefined && (type === '*' || type === notebook.notebookType);
}
