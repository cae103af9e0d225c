# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The defaults that docstrings and signatures write out."""

import ast
import re
from typing import TYPE_CHECKING, Any

from flakelint.project.meanings import literal
from flakelint.rules.doc.stated_defaults import VALUE, in_type, statements

if TYPE_CHECKING:
    from flakelint.rules.doc.argument_sections import Entry
    from flakelint.source.docstrings import DocLine

MISSING = object()

_WHOLE = re.compile(rf'(?P<value>{VALUE})(?=[.,;:)]?\s*$|[.;]\s)')
_NONES = frozenset({'none', 'null'})
_WORD = re.compile(r'[a-z][a-z0-9_-]*')


def value_stated(entry: 'Entry') -> 'tuple[Any, DocLine, int, int] | None':
    """The default that an entry states, and the place of its text; None where it states none that is written out, or several."""
    lines = entry.description()
    found = statements(lines)
    proper = [one for one in found if one.kind == 'proper']
    stated = in_type(entry.type_text)
    if stated is not None:
        value = value_of(stated[1])
        end = entry.type[0] + len(entry.type_text.rstrip())
        return None if found or value is MISSING else (value, entry.head, end - len(stated[1]), end)
    chosen = proper or found
    if len(chosen) != 1 or not chosen[0].value:
        return None
    one = chosen[0]
    if one.kind != 'proper' and not (one.begins_sentence or one.kind == 'parenthesis'):
        return None
    line = lines[one.index]
    match = _WHOLE.match(one.value)
    value = value_of(match['value']) if match else MISSING
    # without a full stop, the sentence may go on
    ends_line = match is not None and match.end() == len(one.value) and one.index + 1 < len(lines)
    if value is MISSING or (ends_line and lines[one.index + 1].text.lstrip()[0].islower()):
        return None
    start = line.text.index(match['value'], one.start)
    return value, line, start, start + len(match['value'].removesuffix('.'))


def value_of(text: str) -> Any:
    """The value that a text in a docstring spells, or `MISSING`."""
    ticked = text.startswith('`')
    text = text.strip('`').strip().removesuffix(',')
    if text.lower() in _NONES:
        return None
    if text.lower() in ('true', 'false'):
        return text.lower() == 'true'
    try:
        node = ast.parse(text, mode='eval').body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return MISSING
    value = value_in_signature(node)
    if value is MISSING and ticked and _WORD.fullmatch(text):
        # it may be a text without its quotes
        return Word(text)
    return value


class Word(str):
    """A word that may be a text, or the name of something."""


def value_in_signature(node: ast.expr | None) -> Any:
    """The value of an expression that is written out, or `MISSING`."""
    if node is None:
        return MISSING
    if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, RecursionError):
            return MISSING
    is_literal, value = literal(node)
    return value if is_literal else MISSING


def same(stated: Any, actual: Any) -> bool:
    """Whether a stated default may be the actual one."""
    if isinstance(stated, Word) and not isinstance(actual, str):
        return True
    if isinstance(stated, list | tuple) and isinstance(actual, list | tuple):
        return list(stated) == list(actual)
    if isinstance(actual, float) and isinstance(stated, int | float):
        return abs(stated - actual) <= 1e-9 * abs(actual) or stated == actual
    return stated == actual
