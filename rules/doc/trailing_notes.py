# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether a note behind code is short enough to stand there."""

import re

from flakelint.rules.doc.comment_kinds import is_foreign, is_pragma

_DTYPE = re.compile(
    r'b?f(?:loat|p)?(?:4|8|16|32|64)|tf32|bfloat16|half|double|u?int(?:2|4|8|16|32|64)?|[iu](?:1|4|8|16|32|64)|bool|str|float'
    r'|complex|bytes?|scalar|None|True|False',
    re.IGNORECASE,
)
_MARKER = re.compile(r'(?:NOTE|WARNING|TODO|FIXME|XXX|HACK)\b|\}|\)|\]|(?:end|endif|endfor)\b(?! up\b)')
_REFERENCE = re.compile(
    r'https?://|(?:^|[\s(\[:,])(?:[\w.-]+/[\w.-]+)?#\d+\b|\b(?:GH|PR|PEP|RFC)[- ]?#?\d+\b|copyright|SPDX-', re.IGNORECASE,
)
_CODE = re.compile(r'``[^`]*``|`[^`]*`|"[^"]*"|\'[^\' ]*\'|\[[^\[\]]*\]')
_PARENTHESES = re.compile(r'\(([^()]*)\)')
_TWO_WORDS = re.compile(r'[A-Za-z]{2,} +[A-Za-z]{2,}')
_FORMULA = re.compile(
    r'[\w.]+(?:\s*(?:[=<>!:]=|->|<-|=>|\*\*|//|[=<>@*^+|&%\u00d7\u00b7\u2192\u2264\u2265\u2248~])\s*-?[\w.]+|\s+/\s+[\w.]+'
    r'|\s+-\s+(?:[A-Za-z]|[A-Za-z]*[\d_]\w*)\b)+',
)
_JOINED = re.compile(r'\b0\s+(?:or|and|to|x|else|vs)\s+(?=0\b)')
_LIST = re.compile(r'[\w.*-]+(?:(?:\s*[,;x\u00d7/|]\s*|\s*,\s*)[\w.*-]+)+[,;.]?')
_TOKEN = re.compile(r"[^\W\d_][\w'\u2019]*(?:[-/.][^\W_]\w*)*|\d\w*[^\W\d]\w*")
_PLAIN = re.compile(r"[A-Za-z]?[a-z]+(?:['\u2019][a-z]+)?(?:[-/][a-z]+)*|a")
_VERB = re.compile(
    r"\b(?:is|are|was|were|isn't|aren't|wasn't|has|have|had|hasn't|haven't|does|doesn't|don't|can|can't|cannot|could|must"
    r"|should|shouldn't|will|won't|would|may|might|needs?|means?|makes?)\b",
    re.IGNORECASE,
)


def is_short_note(text: str, most: int) -> bool:
    """Whether a comment says what may be said behind code.

    Args:
        text (str):
            The comment, from its `#` on.
        most (int):
            The most words that a label has.
    """
    words = text.lstrip('#: ').rstrip()
    if not words or is_pragma(text) or _MARKER.match(words) or _REFERENCE.search(words) or is_foreign(words):
        return True
    if any(is_pragma(f'#{part}') for part in words.split('#')[1:]):
        # what stands before a pragma cannot be moved without it
        return True
    if _LIST.fullmatch(words):
        return True
    count = word_count(words)
    return count <= most and not (count > 2 and _VERB.search(words))


def word_count(text: str) -> int:
    """The number of words of a text, apart from shapes, types, formulas and code."""
    text = _CODE.sub(' 0 ', text)
    while _PARENTHESES.search(text):
        text = _PARENTHESES.sub(lambda match: f' {match[1]} ' if _TWO_WORDS.search(match[1]) else ' 0 ', text)
    text = _JOINED.sub('', _FORMULA.sub(' 0 ', text))
    tokens = [token for token in _TOKEN.findall(text) if not _DTYPE.fullmatch(token)]
    plain = [token for token in tokens if _PLAIN.fullmatch(token) and (len(token) > 1 or token == 'a')]
    # a name of several words is one label
    if all(token[0].isupper() for token in plain[1:]) and plain[:1] and plain[0][0].isupper():
        return 1
    # names among words are part of what is said, names alone a shape
    return len(plain) if len(plain) < 2 else len(tokens)
