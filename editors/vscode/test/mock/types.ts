// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** The values of VS Code's interface: as much as the client library and the tests need. */

import { URI } from 'vscode-uri';

export { URI as Uri };

export class Position {
    constructor(readonly line: number, readonly character: number) {}

    isBeforeOrEqual(other: Position): boolean {
        return this.line < other.line || (this.line === other.line && this.character <= other.character);
    }
}

export class Range {
    readonly start: Position;
    readonly end: Position;

    constructor(...places: [Position, Position] | [number, number, number, number]) {
        if (places.length === 4) {
            this.start = new Position(places[0], places[1]);
            this.end = new Position(places[2], places[3]);
        } else {
            [this.start, this.end] = places;
        }
    }

    get isEmpty(): boolean {
        return this.start.line === this.end.line && this.start.character === this.end.character;
    }
}

export class Location {
    constructor(readonly uri: URI, readonly range: Range) {}
}

export class Diagnostic {
    code: string | number | { value: string | number; target: URI } | undefined;
    source: string | undefined;
    relatedInformation: { location: Location; message: string }[] | undefined;

    constructor(readonly range: Range, readonly message: string, readonly severity: number) {}
}

export class DiagnosticRelatedInformation {
    constructor(readonly location: Location, readonly message: string) {}
}

export class CodeActionKind {
    static readonly Empty = new CodeActionKind('');
    static readonly QuickFix = new CodeActionKind('quickfix');
    static readonly Refactor = new CodeActionKind('refactor');
    static readonly RefactorExtract = new CodeActionKind('refactor.extract');
    static readonly RefactorInline = new CodeActionKind('refactor.inline');
    static readonly RefactorRewrite = new CodeActionKind('refactor.rewrite');
    static readonly Source = new CodeActionKind('source');
    static readonly SourceOrganizeImports = new CodeActionKind('source.organizeImports');

    constructor(readonly value: string) {}

    append(more: string): CodeActionKind {
        return new CodeActionKind(this.value === '' ? more : `${this.value}.${more}`);
    }
}

export class CodeAction {
    edit: WorkspaceEdit | undefined;
    constructor(readonly title: string, public kind?: CodeActionKind) {}
}

export class CodeLens {
    constructor(readonly range: Range, public command?: { command: string; title: string; arguments?: unknown[] }) {}
}

export class MarkdownString {
    isTrusted = false;
    supportHtml = false;
    constructor(public value = '') {}

    appendCodeblock(code: string, language = ''): this {
        this.value += `\n\`\`\`${language}\n${code}\n\`\`\`\n`;
        return this;
    }
}

export class Hover {
    readonly contents: MarkdownString[];
    constructor(contents: MarkdownString | MarkdownString[], readonly range?: Range) {
        this.contents = Array.isArray(contents) ? contents : [contents];
    }
}

export class InlayHint {
    constructor(readonly position: Position, readonly label: unknown, readonly kind?: number) {}
}

export class TextEdit {
    constructor(readonly range: Range, readonly newText: string) {}
}

export class WorkspaceEdit {
    readonly found = new Map<string, TextEdit[]>();

    set(uri: URI, edits: (TextEdit | [TextEdit, unknown])[]): void {
        this.found.set(uri.toString(), edits.map(one => (Array.isArray(one) ? one[0] : one)));
    }

    replace(uri: URI, range: Range, text: string): void {
        this.found.set(uri.toString(), [...(this.found.get(uri.toString()) ?? []), new TextEdit(range, text)]);
    }
}

export class Disposable {
    static from(...all: { dispose(): unknown }[]): Disposable {
        return new Disposable(() => all.forEach(one => one.dispose()));
    }

    constructor(private readonly call: () => unknown) {}

    dispose(): void {
        this.call();
    }
}

export type Listener<T> = (event: T) => unknown;

export class EventEmitter<T> {
    private readonly listeners = new Set<Listener<T>>();

    readonly event = (listener: Listener<T>, self?: unknown, disposables?: Disposable[]): Disposable => {
        const bound: Listener<T> = self ? listener.bind(self) : listener;
        this.listeners.add(bound);
        const result = new Disposable(() => this.listeners.delete(bound));
        disposables?.push(result);
        return result;
    };

    fire(event: T): void {
        [...this.listeners].forEach(listener => listener(event));
    }

    dispose(): void {
        this.listeners.clear();
    }
}

export class CancellationTokenSource {
    private readonly emitter = new EventEmitter<void>();
    readonly token = { isCancellationRequested: false, onCancellationRequested: this.emitter.event };

    cancel(): void {
        if (!this.token.isCancellationRequested) {
            this.token.isCancellationRequested = true;
            this.emitter.fire();
        }
    }

    dispose(): void {
        this.emitter.dispose();
    }
}

export class CancellationError extends Error {}

export class TabInputText {
    constructor(readonly uri: URI) {}
}

export class TabInputNotebook {
    constructor(readonly uri: URI, readonly notebookType: string) {}
}

export class RelativePattern {
    constructor(readonly baseUri: unknown, readonly pattern: string) {}
}

/** What the client library only extends or asks for, and the tests never make. */
class Other {}
export class TabInputTextDiff extends Other {}
export class TabInputCustom extends Other {}
export class CompletionItem extends Other {}
export class CompletionList extends Other {}
export class DocumentLink extends Other {}
export class SymbolInformation extends Other {}
export class CallHierarchyItem extends Other {}
export class TypeHierarchyItem extends Other {}
export class SnippetString extends Other {}
export class SnippetTextEdit extends Other {}

export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 };
export const DiagnosticTag = { Unnecessary: 1, Deprecated: 2 };
export const CodeActionTriggerKind = { Invoke: 1, Automatic: 2 };
export const CompletionItemKind = { Text: 0 };
export const CompletionItemTag = { Deprecated: 1 };
export const CompletionTriggerKind = { Invoke: 0, TriggerCharacter: 1, TriggerForIncompleteCompletions: 2 };
export const DocumentHighlightKind = { Text: 0, Read: 1, Write: 2 };
export const FileType = { Unknown: 0, File: 1, Directory: 2 };
export const FoldingRangeKind = { Comment: 1, Imports: 2, Region: 3 };
export const InlineCompletionTriggerKind = { Invoke: 0, Automatic: 1 };
export const NotebookCellKind = { Markup: 1, Code: 2 };
export const LogLevel = { Off: 0, Trace: 1, Debug: 2, Info: 3, Warning: 4, Error: 5 };
export const ProgressLocation = { SourceControl: 1, Window: 10, Notification: 15 };
export const SignatureHelpTriggerKind = { Invoke: 1, TriggerCharacter: 2, ContentChange: 3 };
export const SymbolKind = { Property: 6, TypeParameter: 25 };
export const SymbolTag = { Deprecated: 1 };
export const TextDocumentSaveReason = { Manual: 1, AfterDelay: 2, FocusOut: 3 };
