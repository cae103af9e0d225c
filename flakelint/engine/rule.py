# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a rule is.

A rule is a class in a module of its own, named after its code and its name: `rules/tri/tri201_block_pointer.py` holds TRI201 block-pointer. It says what it looks at by the methods that it has:

- `check_file(file)` is called once for each file.
- `check_comment(comment, file)` is called for each comment.
- `check_markdown(document)` is called once for each Markdown file.
- `check_kernel(kernel, file)` is called for each function that Triton compiles.
- `check_launch(calls, file)` is called for each launch whose kernel is known, with all kernels that it may launch.
- `visit_Call(node, unit, file)`, or any other class of libcst's nodes, is called for each such node, in one walk for all rules.

Each yields findings, made with `self.finding`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from flakelint.engine.findings import Edit, Finding, Fix, Related
from flakelint.source.text import Range

SECTIONS = (
    'What it does', 'Why is this bad?', 'Example', 'Use instead', 'Fix safety', 'Known limits', 'Options', 'References',
)
HOOKS = ('check_file', 'check_comment', 'check_kernel', 'check_launch', 'check_markdown')
REQUIRED_SECTIONS = ('What it does', 'Why is this bad?', 'Example')


@dataclass(frozen=True)
class NoOptions:
    """The options of a rule that has none."""


class Rule:
    """The base of all rules.

    Subclasses set the class variables, and carry their documentation as their docstring: a one-line summary, then the sections of `SECTIONS` in that order, as Markdown headings.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[str] = 'warning'
    fix: ClassVar[str] = 'none'
    since: ClassVar[str] = '0.1.0'
    # the Triton versions for which the rule holds, as in a requirement: `>=3.9`; empty for all
    triton: ClassVar[str] = ''
    # words whose presence anywhere in a file changes what `check_kernel` finds, besides what the names of the kernel lead to
    file_words: ClassVar[tuple[str, ...]] = ()
    # what editors show of the code that is found, besides the message: `unnecessary` or `deprecated`
    tags: ClassVar[tuple[str, ...]] = ()
    # a unit of source in which none of these words stands is not parsed for the rule's `visit_` methods; empty for no such gate
    words: ClassVar[tuple[str, ...]] = ()
    Options: ClassVar[type] = NoOptions

    def __init__(self, options: object | None = None) -> None:
        self.options = self.Options() if options is None else options

    def finding(self, place: Range, message: str, fix: Fix | None = None, related: Iterable[Related] = ()) -> Finding:
        """A finding of this rule; the engine adds the path."""
        return Finding(self.code, self.name, self.severity, message, '', place, tuple(related), fix)

    @classmethod
    def summary(cls) -> str:
        """The first line of the documentation."""
        return (cls.__doc__ or '').strip().partition('\n')[0]


def safe(title: str, *edits: Edit) -> Fix:
    """A fix that may be applied without asking."""
    return Fix('safe', title, edits)


def unsafe(title: str, *edits: Edit) -> Fix:
    """A fix that a person should look at."""
    return Fix('unsafe', title, edits)
