# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.rules.rep.private_words import PrivateWords, Problem

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.document import Document
    from flakelint.engine.findings import Finding


@dataclass(frozen=True)
class Options:
    """The options of the rule.

    Args:
        words (tuple[str, ...]):
            Patterns of words that nobody outside knows.
        paths (tuple[str, ...]):
            Patterns of paths, beside those of home directories.
        hosts (tuple[str, ...]):
            Patterns of host names.
    """

    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ('*.internal', '*.corp', '*.lan', '*.local')


class PrivateWord(Rule):
    """Something that belongs inside one organisation.

    ## What it does
    Flags in Markdown files, and in strings, comments and docstrings, and in Markdown files: paths of one machine (below `/home/<user>/`, `/Users/<name>/`, `C:\\Users\\`, `/nfs/`, `/scratch/<user>`), hosts and addresses of one network (`*.internal`, `*.corp`, `*.lan`, `*.local`, `10.x.x.x`, `192.168.x.x`, `172.16.x.x` to `172.31.x.x`), and words of a list.

    ## Why is this bad?
    A path or a host that only one place has does not work elsewhere, and tells strangers how that place is built. The name of a private model or workload says nothing to them.

    ## Example
    ```toml
    [rules.REP104]
    words = ["bluebird*"]
    paths = ["/depot/*"]
    hosts = ["*.grid"]
    ```

    ```python
    # measured on bluebird-2
    DATA = '/depot/data/tokens.bin'
    SERVER = 'http://gpu-01.grid:8000'
    ```

    ## Use instead
    ```toml
    [rules.REP104]
    words = ["bluebird*"]
    paths = ["/depot/*"]
    hosts = ["*.grid"]
    ```

    ```python
    import os

    # measured on one H100
    DATA = os.environ['TOKENS']
    SERVER = 'http://localhost:8000'
    ```

    ## Known limits
    Placeholders (`/home/user/`, `/home/$USER/`, `/home/<name>/`), accounts of images and services (`/home/runner/`, `/home/ubuntu/`), and the addresses of manuals (`192.168.0.1`, `10.0.0.1`) are fine. A dotted name counts as a host only with a scheme, a user or a port beside it, or with a digit or a hyphen in it, since `threading.local` is none. Names in code are not looked at.

    ## Options
    - `words`: patterns of words, written as in a shell, in either case. Default: `[]`.
    - `paths`: patterns of paths beside those of home directories, such as `"/mnt/*"` or `"/data/*"`. Default: `[]`.
    - `hosts`: patterns of host names. Default: `["*.internal", "*.corp", "*.lan", "*.local"]`.
    """

    code = 'REP104'
    name = 'private-word'
    severity = 'warning'
    Options = Options

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self._private = PrivateWords(self.options.words, self.options.paths, self.options.hosts)

    def problems(self, text: str) -> Iterator[Problem]:
        """What is private in a text, whatever it is written in: where it begins and ends, and what it is."""
        return self._private.problems(text)

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Flag what is private in the strings and comments of a file."""
        spans: list[tuple[int, int]] | None = None
        for start, end, message in self.problems(file.text):
            spans = _said(file) if spans is None else spans
            index = bisect_right(spans, (start, len(file.text))) - 1
            if index >= 0 and start < spans[index][1]:
                yield self.finding(file.lines.range(start, end), message)

    def check_markdown(self, document: 'Document') -> 'Iterator[Finding]':
        """Flag what is private in a Markdown file."""
        for start, end, message in self.problems(document.text):
            yield self.finding(document.lines.range(start, end), message)


def _said(file: 'File') -> list[tuple[int, int]]:
    """Where the strings and comments of a file begin and end, in order, without overlaps."""
    spans = [(comment.offset, comment.offset + len(comment.text)) for comment in file.comments]
    for node in file.nodes:
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))):
            place = file.range(node)
            spans.append((file.lines.offset(place.start), file.lines.offset(place.end)))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if not merged or start >= merged[-1][1]:
            merged.append((start, end))
        elif end > merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
    return merged
