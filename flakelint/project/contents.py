# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is known of a file without parsing it."""

import hashlib
from typing import NamedTuple

# a file in which none of this stands holds no kernel and no launch
_RELEVANT = (b'jit', b'triton', b'](', b'] (', b'.run(', b'.warmup(')


class Content(NamedTuple):
    """What is known of a file without parsing it.

    Args:
        hash (str):
            The hash of its content.
        is_relevant (bool):
            Whether it may define or launch what Triton compiles.
    """

    hash: str
    is_relevant: bool


def content_of(data: bytes) -> Content:
    """What is known of a file with this content."""
    return Content(content_hash(data), any(word in data for word in _RELEVANT))


def content_hash(data: bytes) -> str:
    """The hash of the content of a file."""
    return hashlib.blake2b(data, digest_size=20).hexdigest()
