# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.rules.doc.code_evidence import constants_of, is_alternative, is_code
from flakelint.rules.doc.comment_kinds import is_cell, is_legal, is_pragma
from flakelint.rules.doc.comment_runs import runs
from flakelint.rules.doc.commented_code import Code, find_code, is_prose, reason_in
from flakelint.rules.doc.trailed_code import spots
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.source.comments import Comment

_CANDIDATE = re.compile(
    r'^[ \t]*#(?:[^\n]*(?:\w ?\(|=)|[# \t]*(?:import|from|del|assert|raise|elif|else|if|for|while|with|try'
    r'|@|\'|"))',
    re.MULTILINE,
)
# what announces code as an example, or in other words
_ANNOUNCES = re.compile(
    r':\s*$|\.\.\.\s*$|\b(?:e\.g|i\.e|for example|example|usage|equivalent|equals|same as|pseudo|reference|naive|original'
    r'|formula|math|compute[sd]?|derivation|following|such as)\b',
    re.IGNORECASE,
)
_FENCE = re.compile(r'```|~~~|>>>')
_LONGEST = 1000
_LONGEST_SHOWN = 50


class CommentedOutCode(Rule):
    """Code that was put into a comment.

    ## What it does
    Flags comments on lines of their own that are Python code: statements and elements of lists and calls that make use of names of the file, found by parsing what stands behind the `#`. An alternative configuration, that is elements, or an assignment of constants, is fine with a reason beside it: one line of prose directly above or below, or a comment behind the code.

    ## Why is this bad?
    Nobody can tell why it was left, and whether it still works. It is searched, read and renamed along with the rest for years, while the history of the repository would give it back at any time.

    ## Example
    ```python
    import torch


    def gate(x: torch.Tensor) -> torch.Tensor:
        # x = x.contiguous()
        # torch.cuda.synchronize()
        return torch.nn.functional.logsigmoid(x)
    ```

    ## Use instead
    ```python
    import torch

    # 128 spills registers on Ampere
    # BLOCK = 128
    BLOCK = 64


    def gate(x: torch.Tensor) -> torch.Tensor:
        # y = log(1 / (1 + exp(-x)))
        return torch.nn.functional.logsigmoid(x)
    ```

    ## Known limits
    Where it may be an explanation the rule is silent: formulas, shapes, what the next lines compute in other words, code that prose announces (`equivalent to:`) or is indented below prose, code in fences and doctests, single headers such as `# for i in range(n):`, and code that calls nothing the file knows. Comments behind code and in docstrings are not looked at.
    """

    code = 'DOC107'
    name = 'commented-out-code'
    severity = 'warning'
    tags = ('unnecessary',)

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag the comments that are code."""
        if not _CANDIDATE.search(file.text):
            return
        for run in runs(file.comments):
            if not run[0].own_line or _is_left_alone(run):
                continue
            texts = [comment.text[1:] for comment in run]
            for code in find_code(texts, _in_brackets(run[0], file)):
                if _is_finding(code, run, texts, file):
                    yield self._found(code, run)

    def _found(self, code: Code, run: 'list[Comment]') -> 'Finding':
        first, last = run[code.first], run[code.last]
        place = Range(Position(first.line, first.column), Position(last.line, last.column + len(last.text)))
        shown = first.text.lstrip('# ')
        shown = shown if len(shown) <= _LONGEST_SHOWN else f'{shown[:_LONGEST_SHOWN - 3]}...'
        lines = code.last - code.first + 1
        what = f'`{shown}` is commented-out code' if lines == 1 else f'{lines} lines of commented-out code, from `{shown}` on'
        advice = ', or say in a line above why it is kept' if code.are_elements or constants_of(code) else ''
        return self.finding(place, f'{what}: delete {"it" if lines == 1 else "them"}{advice}')


def _is_left_alone(run: 'list[Comment]') -> bool:
    if any(len(comment.text) > _LONGEST or _FENCE.search(comment.text) for comment in run):
        return True
    return is_legal(run) or any(is_cell(comment.text) for comment in run) or all(is_pragma(comment.text) for comment in run)


def _is_finding(code: Code, run: 'list[Comment]', texts: list[str], file: 'File') -> bool:
    if is_pragma(run[code.first].text) or _is_quoted(code, texts):
        return False
    line = run[code.last].line
    if code.are_elements or constants_of(code):
        if _has_reason(code, texts):
            return False
        return is_code(code, line, file) if code.are_elements else is_alternative(code, line, file)
    return is_code(code, line, file)


def _has_reason(code: Code, texts: list[str]) -> bool:
    around = texts[max(code.first - 1, 0):code.first] + texts[code.last + 1:code.last + 2]
    return any(map(is_prose, around)) or any(map(reason_in, texts[code.first:code.last + 1]))


def _is_quoted(code: Code, texts: list[str]) -> bool:
    """Whether prose above announces the code, or the code is indented below it."""
    above = [text for text in texts[:code.first] if text.strip()]
    if not above:
        return False
    if _ANNOUNCES.search(above[-1]):
        return True
    prose = [_indent(text) for text in above if is_prose(text)]
    return bool(prose) and _indent(texts[code.first]) >= min(prose) + 2


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _in_brackets(comment: 'Comment', file: 'File') -> bool:
    around = spots(file).get(comment.line, ())
    return any(_is_inside(comment.line, part) for spot in around for part in _parts(spot.node))


def _parts(node: ast.AST) -> list[ast.AST]:
    """What of a statement may have elements on lines of their own."""
    return getattr(node, 'decorator_list', []) if hasattr(node, 'body') else [node]


def _is_inside(line: int, node: ast.AST) -> bool:
    return node.lineno < line < node.end_lineno
