# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a rule can ask about the Markdown file it looks at."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from flakelint.source.markdown import MarkdownFile

if TYPE_CHECKING:
    from flakelint.kernel.repository import Repository


class Document(MarkdownFile):
    """A Markdown file under check.

    Args:
        path (str):
            The path from the root of the configuration, with forward slashes.
        data (bytes):
            The content.
        whole (Callable[[], Repository] | None, Optional):
            Gives the repository in which the file stands. Default: `None`, for a file that stands alone.

    Raises:
        DecodeError: the content is no text.
    """

    def __init__(self, path: str, data: bytes, whole: 'Callable[[], Repository] | None' = None) -> None:
        super().__init__(path, data)
        self._whole = whole
        self._notes: set[str] = set()

    def ask(self, kind: str, of: str) -> tuple[str, ...]:
        """The answer of the repository to a question, as for `Answers`; of a file that stands alone there is none."""
        if self._whole is None:
            return ()
        return self._whole().index.files.answers.ask(kind, of, self._notes)

    @property
    def consulted(self) -> str:
        """A line for each question that was asked, below an empty one; nothing where none was."""
        return '\n'.join(('', *sorted(self._notes))) if self._notes else ''
