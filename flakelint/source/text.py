# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""From the bytes of a file to text whose every character has a line and a column."""

import codecs
import io
import re
import tokenize
from bisect import bisect_right
from typing import NamedTuple

# a byte order mark, as text
BOM = '\ufeff'
_LINE_BREAK = re.compile(r'\r\n|\r|\n')


class DecodeError(Exception):
    """The bytes of a file are no text.

    Args:
        reason (str):
            What is wrong, for a person.
        line (int):
            The line, from 1, on which the first bad byte stands.
    """

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class Position(NamedTuple):
    """A place in a text: line and column count from 1, columns in characters."""

    line: int
    column: int


class Range(NamedTuple):
    """A stretch of text; `end` is the place just after its last character."""

    start: Position
    end: Position


class Decoded(NamedTuple):
    """The text of a file, with what is needed to write it back as it was."""

    text: str
    encoding: str
    bom: bool


def decode(data: bytes) -> Decoded:
    """Decode a Python file as the interpreter would: byte order mark, then coding cookie, then UTF-8.

    Raises:
        DecodeError: the cookie names no known encoding or not that of the mark, or the bytes do not fit the encoding.
    """
    bom = data.startswith(codecs.BOM_UTF8)
    if bom:
        data = data[len(codecs.BOM_UTF8):]
    encoding = 'utf-8'
    if b'coding' in data[:512]:
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        except SyntaxError as error:
            # bytes that are not UTF-8 are reported below, with their line
            if 'unknown encoding' in str(error):
                raise DecodeError(str(error), 1) from None
    if bom and encoding != 'utf-8':
        raise DecodeError(f'its byte order mark says utf-8, its cookie {encoding}', 1)
    try:
        return Decoded(data.decode(encoding), encoding, bom)
    except UnicodeDecodeError as error:
        line = data.count(b'\n', 0, error.start) + 1
        bad = f'byte 0x{error.object[error.start]:02x}' if error.start < len(error.object) else 'the end'
        raise DecodeError(f'{bad} is not valid {encoding}', line) from None
    except (LookupError, ValueError) as error:
        # a cookie may name a codec that makes no text of bytes, or that refuses in its own way
        raise DecodeError(f'{encoding}: {error}', 1) from None


def encode(text: str, encoding: str, bom: bool) -> bytes:
    """Turn text back into the bytes of a file.

    Raises:
        UnicodeError: the text has a character that the file's encoding lacks.
    """
    return (codecs.BOM_UTF8 if bom else b'') + text.encode(encoding)


def from_text(text: str) -> Decoded:
    """A text that was never bytes, such as that in an editor, as if it had been decoded."""
    return Decoded(text.removeprefix(BOM), 'utf-8', text.startswith(BOM))


def as_file(text: str) -> bytes:
    """The bytes of a Python file with this text, in the encoding that its cookie names.

    Raises:
        UnicodeError: the text has a character that the encoding lacks.
    """
    data = text.encode()
    try:
        return text.encode(decode(data).encoding)
    except (DecodeError, LookupError):
        return data


class LineTable:
    """Translate between offsets into a text, and lines and columns.

    Only `\\n`, `\\r\\n` and `\\r` end a line, as in Python itself.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        self.starts.extend(match.end() for match in _LINE_BREAK.finditer(text))
        self.newline = '\r\n' if '\r\n' in text else '\n' if '\n' in text or '\r' not in text else '\r'

    def __len__(self) -> int:
        return len(self.starts)

    def line(self, number: int) -> str:
        """The text of a line, from 1, without its line break; the empty text past the end."""
        return self.segment(number, number).rstrip('\r\n')

    def segment(self, first: int, last: int) -> str:
        """The text of the lines from `first` to `last`, both included, with their line breaks."""
        if first > len(self.starts):
            return ''
        end = self.starts[last] if last < len(self.starts) else len(self.text)
        return self.text[self.starts[first - 1]:end]

    def all(self) -> list[str]:
        """The lines with their line breaks; the last one has none, and may be empty."""
        return [self.segment(number, number) for number in range(1, len(self) + 1)]

    def offset(self, position: Position) -> int:
        """The offset of a place; a place past the end of the text is the end."""
        if position.line > len(self.starts):
            return len(self.text)
        return min(self.starts[position.line - 1] + position.column - 1, len(self.text))

    def position(self, offset: int) -> Position:
        """The place of an offset."""
        line = bisect_right(self.starts, offset)
        return Position(line, offset - self.starts[line - 1] + 1)

    def range(self, start: int, end: int) -> Range:
        """The places of two offsets."""
        return Range(self.position(start), self.position(end))


def shortened(text: str, most: int) -> str:
    """A text as a message shows it: what is longer than some characters is cut, and ends in dots."""
    return text if len(text) <= most else f'{text[:most - 3]}...'
