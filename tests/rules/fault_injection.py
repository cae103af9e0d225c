# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Break conventions in files that keep them, at places that are known afterwards."""

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from flakelint.source.docstrings import documented
from flakelint.source.file import SourceFile
from flakelint.source.markdown import MarkdownFile
from flakelint.source.text import Position

_SENTENCE = re.compile(r'[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}')


class Fault(NamedTuple):
    """A convention that is broken.

    Args:
        code (str):
            The rule that finds it.
        start (int):
            Where the sound text begins that it replaces.
        end (int):
            Where that ends.
        text (str):
            What stands there instead.
    """

    code: str
    start: int
    end: int
    text: str


def faults(path: str, text: str) -> list[Fault]:
    """All faults that can be put into a file, in order of their kinds; some of them overlap."""
    makers = _MARKDOWN if path.endswith('.md') else _PYTHON
    file = SourceFile(path, text.encode())
    return [fault for make in makers for fault in make(file)]


def broken(text: str, chosen: list[Fault]) -> str:
    """A text with faults in it that do not overlap."""
    for fault in sorted(chosen, key=lambda one: one.start)[::-1]:
        text = text[:fault.start] + fault.text + text[fault.end:]
    return text


def _entry_on_one_line(file: SourceFile) -> Iterator[Fault]:
    pattern = re.compile(r'^( +)(\w+ \([^\n]*\):)\n\1    (?=\S)', re.MULTILINE)
    yield from (Fault('DOC101', *match.span(), f'{match[1]}{match[2]} ') for match in _in_docstrings(pattern, file))


def _small_optional(file: SourceFile) -> Iterator[Fault]:
    yield from (Fault('DOC101', *match.span(1), 'optional') for match in _in_docstrings(re.compile(r', (Optional)\):'), file))


def _default_as_a_sentence(file: SourceFile) -> Iterator[Fault]:
    # an item of a list is no entry
    pattern = re.compile(r'^ +(?![- ])[^\n]*?(Default: `([^`\n]+)`\.)$', re.MULTILINE)
    for number, match in enumerate(_in_docstrings(pattern, file)):
        yield Fault('DOC102', *match.span(1), (f'Defaults to {match[2]}.', f'Defaults to `{match[2]}`.')[number % 2])


def _capital(file: SourceFile) -> Iterator[Fault]:
    for comment in file.comments:
        match = re.match(r'# ([a-z])[a-z]+ [a-z]', comment.text)
        above = file.lines.line(comment.line - 1).strip() if comment.line > 1 else ''
        if comment.own_line and match and not above.startswith('#'):
            start = comment.offset + match.start(1)
            yield Fault('DOC105', start, start + 1, match[1].upper())


def _behind_code(file: SourceFile) -> Iterator[Fault]:
    simple = ast.Assign | ast.AugAssign | ast.Expr | ast.Return
    statements = {node.lineno: node for node in file.nodes if isinstance(node, simple)}
    commented = {comment.line for comment in file.comments}
    for comment in file.comments:
        node = statements.get(comment.line + 1)
        is_alone = comment.own_line and commented.isdisjoint({comment.line - 1, comment.line + 1, comment.line + 2})
        if not is_alone or node is None or node.end_lineno != node.lineno or len(comment.text.split()) < 7:
            continue
        code = file.lines.line(node.lineno)
        if not comment.text[2].islower() or len(code) - len(code.lstrip()) != comment.column - 1 or ';' in code:
            continue
        start = file.lines.starts[comment.line - 1]
        yield Fault('DOC104', start, start + len(file.lines.line(comment.line)) + 1 + len(code), f'{code}  {comment.text}')


def _banner(file: SourceFile) -> Iterator[Fault]:
    for node in file.statements:
        is_plain = isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list
        if is_plain and node.lineno > 1 and not file.lines.line(node.lineno - 1).strip():
            start = file.lines.starts[node.lineno - 1]
            yield Fault('DOC106', start, start, '# ' + '-' * 40 + '\n')


def _wrapped(file: SourceFile) -> Iterator[Fault]:
    for docstring in documented(file):
        for line in docstring.lines[1:]:
            text = line.text.strip()
            if docstring.is_plain and len(text) > 100 and _SENTENCE.match(text[50:]) and '`' not in text:
                at = line.text.index(' ', line.text.index(text) + 70)
                indent = line.text[:line.text.index(text)]
                start = file.lines.starts[line.line - 1] + at
                before = file.text[start - 1]
                if before.isalpha() and file.text[start + 1].islower():
                    yield Fault('DOC110', start, start + 1, f'\n{indent}')


def _no_header(file: SourceFile) -> Iterator[Fault]:
    lines = file.text.split('\n')
    if lines[0].startswith('# Copyright') and len(lines) > 5 and not lines[4]:
        end = sum(len(line) + 1 for line in lines[:5])
        yield Fault('REP101', 0, end, '')


def _broken_call(file: SourceFile) -> Iterator[Fault]:
    # what stands in an f-string cannot be broken into lines before Python 3.12
    inside = {id(part) for node in file.nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in file.nodes:
        is_flat = isinstance(node, ast.Call) and node.lineno == node.end_lineno and id(node) not in inside
        if is_flat and len(node.args) > 1 and not node.keywords:
            first, second = (file.range(one) for one in node.args[:2])
            end, start = file.lines.offset(first.end), file.lines.offset(second.start)
            if file.text[end:start] == ', ':
                yield Fault('REP107', end, start, f',\n{" " * (first.start.column - 1)}')


def _keywords_on_one_line(file: SourceFile) -> Iterator[Fault]:
    for node in file.nodes:
        words = node.keywords if isinstance(node, ast.Call) else []
        if len(words) > 2 and node.end_lineno - node.lineno > len(words) and all(one.arg for one in words):
            first, second = (file.range(one) for one in words[:2])
            end, start = file.lines.offset(first.end), file.lines.offset(second.start)
            if re.fullmatch(r',\n +', file.text[end:start]) and all(one.lineno == one.end_lineno for one in words):
                yield Fault('REP107', end, start, ', ')


def _swapped(file: SourceFile) -> Iterator[Fault]:
    for node in file.nodes:
        words = node.keywords if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript) else []
        if len(words) > 2 and all(one.arg and one.lineno == one.end_lineno for one in words):
            one, other = (file.range(word) for word in words[:2])
            start, end = file.lines.offset(one.start), file.lines.offset(other.end)
            middle = file.text[file.lines.offset(one.end):file.lines.offset(other.start)]
            texts = [file.text[file.lines.offset(place.start):file.lines.offset(place.end)] for place in (one, other)]
            yield Fault('TRI405', start, end, texts[1] + middle + texts[0])


def _no_seed(file: SourceFile) -> Iterator[Fault]:
    for match in re.finditer(r'^    torch\.manual_seed\(42\)\n', file.text, re.MULTILINE):
        yield Fault('TST101', *match.span(), '')


def _ragged(file: SourceFile) -> Iterator[Fault]:
    for table in MarkdownFile(file.path, file.text.encode()).tables:
        start, end = file.lines.starts[table.first - 1], file.lines.offset(Position(table.last + 1, 1))
        for match in re.compile(r'^\| [^|\n]*?( {2,})\|', re.MULTILINE).finditer(file.text, start, end):
            yield Fault('DOC111', *match.span(1), ' ')


def _in_docstrings(pattern: re.Pattern, file: SourceFile) -> Iterator[re.Match]:
    for docstring in documented(file):
        if docstring.is_plain:
            place = file.range(docstring.node)
            yield from pattern.finditer(file.text, file.lines.offset(place.start), file.lines.offset(place.end))


_Maker = Callable[[SourceFile], Iterator[Fault]]
_PYTHON: tuple[_Maker, ...] = (
    _entry_on_one_line, _small_optional, _default_as_a_sentence, _behind_code, _capital, _banner, _wrapped, _no_header,
    _broken_call, _keywords_on_one_line, _swapped, _no_seed,
)
_MARKDOWN: tuple[_Maker, ...] = (_ragged,)
