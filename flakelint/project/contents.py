# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is known of files without parsing them."""

import hashlib
import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from flakelint.project.answers import Answers

# a file in which none of this stands holds no kernel and no launch, and applies no autograd function
_RELEVANT = (b'jit', b'triton', b'](', b'] (', b'.run(', b'.warmup(', b'.apply')


class Content(NamedTuple):
    """What is known of a file without parsing it.

    Args:
        hash (str):
            The hash of its content.
        is_relevant (bool):
            Whether it may define or launch what Triton compiles, or apply an autograd function.
    """

    hash: str
    is_relevant: bool


class Contents:
    """The contents of the files of a repository.

    Args:
        root (str):
            The folder to which the paths are relative.
        paths (Iterable[str]):
            Its Python files, absolute or from the root.
        known (Mapping[str, Content], Optional):
            What is known already of some of them, by their path from the root. Default: nothing.
    """

    def __init__(self, root: str, paths: Iterable[str], known: Mapping[str, Content] | None = None) -> None:
        self.root = root
        self.paths = sorted({os.path.relpath(os.path.join(root, path), root).replace(os.sep, '/') for path in paths})
        self._known = known or {}

    @cached_property
    def files(self) -> dict[str, Content]:
        """What is known of each file, by its path from the root; those that cannot be read are left out."""
        found = {}
        for path in self.paths:
            content = self._known.get(path)
            if content is None:
                data = self.read(path)
                content = None if data is None else content_of(data)
            if content is not None:
                found[path] = content
        return found

    @cached_property
    def state(self) -> str:
        """The hash of the paths and contents of all files."""
        digest = hashlib.blake2b(digest_size=20)
        for path, content in self.files.items():
            digest.update(f'{path}\0{content.hash}\0'.encode(errors='surrogateescape'))
        return digest.hexdigest()

    @cached_property
    def answers(self) -> Answers:
        """What the files say, without being parsed."""
        return Answers(self)

    def read(self, path: str) -> bytes | None:
        """The content of a file, or None."""
        full = os.path.join(self.root, path)
        try:
            if not os.path.isfile(full):
                return None
            with open(full, 'rb') as file:
                return file.read()
        except OSError:
            return None


def content_of(data: bytes) -> Content:
    """What is known of a file with this content."""
    return Content(content_hash(data), any(word in data for word in _RELEVANT))


def content_hash(data: bytes) -> str:
    """The hash of the content of a file."""
    return hashlib.blake2b(data, digest_size=20).hexdigest()
