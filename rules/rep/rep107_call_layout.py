# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit
from flakelint.engine.rule import Rule, safe
from flakelint.rules.rep.call_pieces import Written, written_call
from flakelint.source.text import shortened

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

_INDENT = ' ' * 4
_OFF = ('# fmt: off', '# yapf: disable', '# autopep8: off')
_ON = ('# fmt: on', '# yapf: enable', '# autopep8: on')


@dataclass(frozen=True)
class Options:
    """How long a line may be.

    Args:
        columns (int):
            The number of columns.
    """

    columns: int = 127


class CallLayout(Rule):
    """A call that is broken into lines and need not be, or has several keyword arguments on a line.

    ## What it does
    Flags calls over several lines

    - that would fit on one line;
    - of which two keyword arguments stand on one line;
    - of which the first argument stands behind the opening bracket, and another one on a line below.

    A call that does not fit has a hanging indent, and one keyword argument a line.

    ## Why is this bad?
    A launch of twenty arguments can only be compared with its kernel where each stands on a line of its own, in order; a change of one argument is a change of one line then. What fits on one line is read at once.

    ## Example
    ```python
    def scale_fwd(x, y, scale):
        n = max(
            x.numel(),
            1,
        )
        launch(x=x, y=y,
               scale=scale, number_of_elements=n, block_of_a_program=64, number_of_warps=4, number_of_stages=3, device=x.device)
    ```

    ## Use instead
    ```python
    def scale_fwd(x, y, scale):
        n = max(x.numel(), 1)
        launch(
            x=x,
            y=y,
            scale=scale,
            number_of_elements=n,
            block_of_a_program=64,
            number_of_warps=4,
            number_of_stages=3,
            device=x.device,
        )
    ```

    ## Fix safety
    Safe: only white space between the arguments and the comma behind the last one change. There is no fix where an argument itself is broken into lines.

    ## Known limits
    Calls with a comment in them are left alone, calls whose only breaks are in an argument, such as a list, and what stands between `# fmt: off` and `# fmt: on`.

    ## Options
    - `columns`: how long a line may be. Default: `127`.
    """

    code = 'REP107'
    name = 'call-layout'
    severity = 'warning'
    fix = 'safe'
    Options = Options

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag the calls over several lines that are laid out in another way."""
        calls = [one for one in file.nodes if isinstance(one, ast.Call) and one.end_lineno > one.lineno]
        if not calls:
            return
        off = _switched_off(file)
        for call in calls:
            is_plain = call.func.lineno == call.func.end_lineno and (call.args or call.keywords)
            if is_plain and call.lineno not in off:
                finding = self._of_call(call, file)
                if finding is not None:
                    yield finding

    def _of_call(self, call: ast.Call, file: 'File') -> 'Finding | None':
        written = written_call(call, file)
        if written is None or not written.pieces:
            return None
        lines = [(file.lines.position(one.start).line, file.lines.position(one.end).line) for one in written.pieces]
        opening = file.lines.position(written.opening).line
        starts = [opening, *(end for _, end in lines)]
        # what the breaks stand before: an argument, or the closing bracket
        broken = [begin > before for before, (begin, _) in zip(starts, lines, strict=False)]
        is_broken = any(broken) or call.end_lineno > lines[-1][1]
        if not is_broken:
            return None
        start = file.lines.offset(file.range(call.func).start)
        place = file.lines.range(start, written.opening + 1)
        name = shortened(file.text[start:written.opening].strip(), 30)
        if all(one.is_one_line for one in written.pieces):
            flat = f'({", ".join(one.text for one in written.pieces)})'
            if self._fits(flat, written, opening, file):
                edit = Edit(file.lines.range(written.opening, written.end), flat)
                fix = None if written.is_suppressed else safe('Put the call on one line', edit)
                return self.finding(place, f'the call of `{name}` fits on one line: put it there', fix)
        if len(call.args) + len(call.keywords) != len(lines) or _is_mixed(call):
            return None
        named = [begin for (begin, _), one in zip(lines[len(call.args):], call.keywords, strict=True) if one.arg]
        several = len(set(named)) < len(named)
        hangs = not broken[0] and any(broken[1:])
        if not several and not hangs:
            return None
        fault = 'has several keyword arguments on a line' if several else 'has its first argument behind the bracket'
        message = f'the call of `{name}` {fault}: give it a hanging indent, with one keyword argument a line'
        return self.finding(place, message, self._hanging(call, written, opening, file))

    def _fits(self, flat: str, written: Written, opening: int, file: 'File') -> bool:
        before = written.opening - file.lines.starts[opening - 1]
        last = file.lines.position(written.end)
        after = len(file.lines.line(last.line)) - last.column + 1
        return before + len(flat) + after <= self.options.columns

    def _hanging(self, call: ast.Call, written: Written, opening: int, file: 'File') -> 'object':
        is_generator = len(call.args) == 1 and isinstance(call.args[0], ast.GeneratorExp) and not call.keywords
        if is_generator or written.is_suppressed or not all(one.is_one_line for one in written.pieces):
            return None
        line = file.lines.line(opening)
        indent = line[:len(line) - len(line.lstrip())]
        inner = indent + ('\t' if indent.startswith('\t') else _INDENT)
        plain = [one.text for one in written.pieces[:len(written.pieces) - len(call.keywords)]]
        together = f'{inner}{", ".join(plain)},'
        rows = [together] if plain and len(together) <= self.options.columns else [f'{inner}{one},' for one in plain]
        rows += [f'{inner}{one.text},' for one in written.pieces[len(plain):]]
        text = '(\n' + ''.join(f'{row}\n' for row in rows) + f'{indent})'
        return safe('Put the arguments on lines of their own', Edit(file.lines.range(written.opening, written.end), text))


def _is_mixed(call: ast.Call) -> bool:
    """Whether `*more` stands behind a keyword argument."""
    places = [(one.lineno, one.col_offset) for one in call.args]
    return any((one.value.lineno, one.value.col_offset) < place for one in call.keywords for place in places)


def _switched_off(file: 'File') -> set[int]:
    """The lines on which a comment switches layout off."""
    found: set[int] = set()
    start = 0
    for comment in file.comments:
        if comment.text.startswith(_OFF) and not start:
            start = comment.line
        elif comment.text.startswith(_ON) and start:
            found.update(range(start, comment.line))
            start = 0
    if start:
        found.update(range(start, len(file.lines) + 1))
    return found
