# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit, Fix
from flakelint.engine.rule import Rule, safe
from flakelint.rules.doc.comment_words import lowered
from flakelint.rules.doc.trailed_code import Spot, labels_element, spots
from flakelint.rules.doc.trailing_notes import is_short_note
from flakelint.source.text import Position, Range, shortened

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.source.comments import Comment

_LONGEST_SHOWN = 40
# a comment longer than this is data, not prose
_LONGEST = 1000
_SIGNS = re.compile(r'#+\s*')


@dataclass(frozen=True)
class Options:
    """The options of the rule.

    Args:
        max_words (int):
            How many words a label behind code has at most.
        names (tuple[str, ...]):
            Proper names that keep their capital letter when a comment is moved.
    """

    max_words: int = 3
    names: tuple[str, ...] = ()


class TrailingComment(Rule):
    """An explanation behind code.

    ## What it does
    Flags comments behind code that are prose: more than a few words, or a short sentence, apart from shapes, types, formulas and code. A comment behind an element of a list, a dictionary, a call or a parameter list that goes over several lines labels that element and is fine, and so is one behind a field of a class.

    ## Why is this bad?
    An explanation behind code is read after what it explains, makes the line long, and is cut or wrapped by the next change of the line. What a tensor looks like is best seen beside it, and takes little room.

    ## Example
    ```python
    import torch


    def gate(x: torch.Tensor) -> torch.Tensor:
        x = x.float()  # Half precision loses the small values here
        return torch.nn.functional.logsigmoid(x)
    ```

    ## Use instead
    ```python
    import torch


    def gate(x: torch.Tensor) -> torch.Tensor:
        # half precision loses the small values here
        x = x.float()  # [B, T, H]
        return torch.nn.functional.logsigmoid(x)
    ```

    ## Fix safety
    Safe: only comments change. The comment is moved above its statement, and begins with a lower-case letter unless with a name. No fix is given where another comment stands above the statement or goes on below, inside an expression of several lines, for `else`, `except` and the like, for decorated definitions, with backslashes, and where a line holds several statements.

    ## Known limits
    Left alone are pragmas, references to issues and pages, `NOTE:`, `WARNING:` and what is to be done, marks of an end such as `# end for`, formulas, lists of names, and comments in other scripts than the Latin.

    ## Options
    - `max-words`: how many words a label behind code has at most. Default: `3`.
    - `names`: proper names that keep their capital letter when a comment is moved. Default: `[]`.
    """

    code = 'DOC104'
    name = 'trailing-comment'
    severity = 'warning'
    fix = 'safe'
    Options = Options

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag the explanations behind code."""
        for comment in file.comments:
            if comment.own_line or len(comment.text) > _LONGEST or comment.text.startswith(('#:', '#!')):
                continue
            if is_short_note(comment.text, self.options.max_words):
                continue
            found = spots(file).get(comment.line, ())
            # the innermost comes last
            spot = found[-1] if found else None
            if spot is not None and (spot.is_field or labels_element(comment, spot, file)):
                continue
            fix = self._fix(comment, spot, file) if len(found) == 1 else None
            shown = shortened(comment.text, _LONGEST_SHOWN)
            message = f'`{shown}` explains from behind the code: put it on a line of its own above'
            yield self.finding(comment.range(), message, fix)

    def _fix(self, comment: 'Comment', spot: Spot, file: 'File') -> Fix | None:
        if not _can_move(comment, spot, file):
            return None
        first = file.lines.line(spot.first)
        indent = first[:len(first) - len(first.lstrip())]
        text = lowered(_SIGNS.sub('# ', comment.text, count=1), file, frozenset(self.options.names))
        above = Position(spot.first, 1)
        code = file.lines.line(comment.line)[:comment.column - 1].rstrip()
        removed = Range(Position(comment.line, len(code) + 1), comment.range().end)
        edits = Edit(Range(above, above), f'{indent}{text.rstrip()}\n'), Edit(removed, '')
        return safe('Move the comment above', *edits)


def _can_move(comment: 'Comment', spot: Spot, file: 'File') -> bool:
    node = spot.node
    if isinstance(node, ast.ExceptHandler) or getattr(node, 'decorator_list', None):
        return False
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return False
    lines = [file.lines.line(number) for number in range(spot.first, spot.last + 1)]
    first = lines[0].lstrip()
    if comment.line != spot.last or first.startswith(('elif', 'else')) or any(one.endswith('\\') for one in lines):
        return False
    # more statements on the line, or a comment that goes on, or one above that it would run into
    code = file.lines.line(comment.line)[:comment.column - 1]
    around = file.lines.line(comment.line + 1), file.lines.line(spot.first - 1) if spot.first > 1 else ''
    goes_on = around[0].lstrip().startswith('#') and around[0].index('#') == comment.column - 1
    return not (goes_on or code.rstrip().endswith(';') or around[1].lstrip().startswith('#') or around[1].endswith('\\'))
