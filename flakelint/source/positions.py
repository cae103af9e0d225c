# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Where libcst nodes stand in their text, by counting the characters that code generation would write.

libcst's `PositionProvider` keeps the text and splits it into lines as it goes; counting offsets alone costs a sixth of that. Both agree on every node, which the tests check.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from libcst._nodes.internal import CodegenState

if TYPE_CHECKING:
    import libcst as cst

_FRAMES = 10_000


class Spans:
    """The offsets of every node of a module: without the white space and comments that belong to a node but do not matter.

    Args:
        module (cst.Module):
            The tree. Its nodes are told apart by identity.
    """

    def __init__(self, module: 'cst.Module') -> None:
        state = _CountingState(module.default_indent, module.default_newline)
        with _deep_recursion():
            module._codegen(state)
        self._spans = state.spans

    def of(self, node: 'cst.CSTNode') -> tuple[int, int]:
        """The offsets of the first character of a node and of the one after its last."""
        return self._spans[id(node)]


@contextmanager
def _deep_recursion() -> Iterator[None]:
    # code generation takes several frames for each of the levels that the parser accepts
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


class _CountingState(CodegenState):
    def __init__(self, default_indent: str, default_newline: str) -> None:
        super().__init__(default_indent, default_newline)
        self.offset = 0
        self.spans: dict[int, tuple[int, int]] = {}
        self._open: list[int] = []

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.offset += len(token)

    def add_token(self, value: str) -> None:
        self.offset += len(value)

    def pop_trailing_newline(self) -> None:
        pass

    def before_codegen(self, node: 'cst.CSTNode') -> None:
        self._open.append(self.offset)

    def after_codegen(self, node: 'cst.CSTNode') -> None:
        start = self._open.pop()
        self.spans.setdefault(id(node), (start, self.offset))

    def record_syntactic_position(self, node, *, start_node=None, end_node=None) -> '_Recorder':
        return _Recorder(self, node, start_node, end_node)


class _Recorder:
    __slots__ = ('end_node', 'node', 'start', 'start_node', 'state')

    def __init__(self, state: _CountingState, node, start_node, end_node) -> None:
        self.state = state
        self.node = node
        self.start_node = start_node
        self.end_node = end_node

    def __enter__(self) -> None:
        self.start = self.state.offset

    def __exit__(self, kind: type[BaseException] | None, *_) -> None:
        # what interrupts code generation leaves nodes without a place, and must not be replaced by an error of ours
        if kind is not None:
            return
        spans = self.state.spans
        start = self.start if self.start_node is None else spans[id(self.start_node)][0]
        end = self.state.offset if self.end_node is None else spans[id(self.end_node)][1]
        spans[id(self.node)] = (start, end)
