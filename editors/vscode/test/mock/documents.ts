// Copyright (c) 2026, The flakelint Authors
//
// This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
// For a list of all contributors, see the git history of this repository.

/** Text documents and notebooks, as VS Code keeps them. */

import { Position, Range, TextEdit, Uri } from './types';

export interface Change {
    range: Range;
    rangeOffset: number;
    rangeLength: number;
    text: string;
}

export class Document {
    version = 1;
    isClosed = false;
    readonly isDirty = false;
    readonly eol = 1;
    notebook: Notebook | undefined;

    constructor(readonly uri: Uri, readonly languageId: string, private text: string) {}

    get fileName(): string {
        return this.uri.fsPath;
    }

    get isUntitled(): boolean {
        return this.uri.scheme === 'untitled';
    }

    get lineCount(): number {
        return this.text.split('\n').length;
    }

    getText(range?: Range): string {
        return range === undefined ? this.text : this.text.slice(this.offsetAt(range.start), this.offsetAt(range.end));
    }

    offsetAt(place: Position): number {
        const before = this.text.split('\n').slice(0, place.line);
        return before.reduce((sum, line) => sum + line.length + 1, 0) + place.character;
    }

    /** Where a text stands for the first time, from its beginning to its end. */
    find(text: string): Range {
        const offset = this.text.indexOf(text);
        if (offset < 0) {
            throw new Error(`no ${text} in the document`);
        }
        return new Range(this.positionAt(offset), this.positionAt(offset + text.length));
    }

    /** Apply edits, which concern the text as it is now. */
    edit(edits: TextEdit[]): Change[] {
        const ordered = edits
            .map(one => ({ one, start: this.offsetAt(one.range.start), end: this.offsetAt(one.range.end) }))
            .sort((left, right) => right.start - left.start);
        const changes = [];
        for (const { one, start, end } of ordered) {
            this.text = this.text.slice(0, start) + one.newText + this.text.slice(end);
            changes.push({ range: one.range, rangeOffset: start, rangeLength: end - start, text: one.newText });
        }
        this.version += 1;
        return changes;
    }

    private positionAt(offset: number): Position {
        const lines = this.text.slice(0, offset).split('\n');
        return new Position(lines.length - 1, lines.at(-1)?.length ?? 0);
    }
}

export interface Cell {
    index: number;
    notebook: Notebook;
    kind: number;
    document: Document;
    metadata: object;
    executionSummary: undefined;
}

export class Notebook {
    readonly version = 1;
    readonly isDirty = false;
    readonly isClosed = false;
    readonly isUntitled = false;
    readonly metadata = {};
    readonly notebookType = 'jupyter-notebook';
    private readonly cells: Cell[];

    constructor(readonly uri: Uri, texts: string[]) {
        this.cells = texts.map((text, index) => {
            const cell = uri.with({ scheme: 'vscode-notebook-cell', fragment: `W${index}` });
            const document = new Document(cell, 'python', text);
            document.notebook = this;
            return { index, notebook: this, kind: 2, document, metadata: {}, executionSummary: undefined };
        });
    }

    get cellCount(): number {
        return this.cells.length;
    }

    getCells(): Cell[] {
        return this.cells;
    }
}
