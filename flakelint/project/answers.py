# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Questions about a repository that are not about the meaning of names, and whether remembered answers still hold."""

import hashlib
import json
import re
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flakelint.project.contents import Contents

# the content of a file that need not be Python, as one text; nothing where it cannot be read
TEXT = 'text'
# the Python files below a folder
BELOW = 'below'
# which of some dotted names, with a space between them, the test files import; `IMPORTED:tests/` asks those below a folder
IMPORTED = 'imported'
# which of some names the Python files below a folder spell in quotes: `QUOTED:fla/`
QUOTED = 'quoted'

_IMPORT = re.compile(
    r'^[ \t]*(?:from[ \t]+(?P<module>[\w.]+)[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\n#;]*)'
    r'|import[ \t]+(?P<modules>[\w., \t]+))',
    re.MULTILINE,
)
_QUOTED = re.compile(r'[\'"]([A-Za-z_]\w*)[\'"]')
_COMMENT = re.compile(r'#[^\n]*')


class Answers:
    """What the files of a repository say, without parsing them.

    Args:
        contents (Contents):
            The files.
    """

    def __init__(self, contents: 'Contents') -> None:
        self._contents = contents
        self._texts: dict[str, tuple[str, ...]] = {}
        self._imports: dict[str, frozenset[str]] = {}

    def answer(self, kind: str, of: str) -> tuple[str, ...]:
        """The answer to a question.

        Args:
            kind (str):
                `TEXT`, `BELOW`, or `IMPORTED` or `QUOTED` with a colon and a folder behind it.
            of (str):
                The path of a file or folder from the root, or some names.
        """
        if kind == TEXT:
            return self._text(of)
        if kind == BELOW:
            return tuple(path for path in self._paths if path.startswith(of))
        what, _, folder = kind.partition(':')
        known = self._quoted_below(folder) if what == QUOTED else self.imports_below(folder)
        return tuple(name for name in of.split() if _is_among(name, known))

    def ask(self, kind: str, of: str, notes: set[str]) -> tuple[str, ...]:
        """The answer to a question; to the notes a line is added that says what was asked and, in short, what the answer was."""
        answer = self.answer(kind, of)
        notes.add(json.dumps([kind, of, _digest(answer)]))
        return answer

    def still_hold(self, notes: list[str], texts_only: bool) -> bool:
        """Whether the answers to questions are those that were noted.

        Args:
            notes (list[str]):
                What `ask` added.
            texts_only (bool):
                Whether the Python files are known to be the same.
        """
        for kind, of, digest in map(json.loads, notes):
            if (kind == TEXT or not texts_only) and _digest(self.answer(kind, of)) != digest:
                return False
        return True

    def imports_below(self, folder: str) -> frozenset[str]:
        """The full names of what Python files below a folder import, and of the modules from which they do."""
        if folder not in self._imports:
            found: set[str] = set()
            for path in self._paths:
                if path.startswith(folder):
                    found.update(_imported((self._contents.read(path) or b'').decode(errors='replace')))
            self._imports[folder] = frozenset(found)
        return self._imports[folder]

    def _quoted_below(self, folder: str) -> frozenset[str]:
        texts = (self._contents.read(path) or b'' for path in self._paths if path.startswith(folder))
        return frozenset(name for text in texts for name in _QUOTED.findall(text.decode(errors='replace')))

    @cached_property
    def _paths(self) -> list[str]:
        return [path for path in self._contents.paths if path.endswith('.py')]

    def _text(self, path: str) -> tuple[str, ...]:
        if path not in self._texts:
            # a file that stands alone has no root
            data = self._contents.read(path) if self._contents.root else None
            self._texts[path] = () if data is None else (data.decode('utf-8', errors='replace'),)
        return self._texts[path]


def _is_among(name: str, known: frozenset[str]) -> bool:
    """Whether a name is one of some; `*` at its end stands for anything."""
    return name in known or (name.endswith('*') and any(one.startswith(name[:-1]) for one in known))


def _imported(text: str) -> set[str]:
    found = set()
    for match in _IMPORT.finditer(text):
        if match['modules'] is not None:
            found.update(part.split()[0] for part in match['modules'].split(',') if part.strip())
            continue
        found.add(match['module'])
        names = _COMMENT.sub('', match['names']).strip('() \t\r\n\\').split(',')
        found.update(f'{match["module"]}.{name.split()[0]}' for name in names if name.strip())
    return found


def _digest(answer: tuple[str, ...]) -> str:
    return hashlib.blake2b('\0'.join(answer).encode(errors='surrogatepass') + bytes([bool(answer)]), digest_size=9).hexdigest()
