# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which arguments of a launch go to which parameters of its kernel, and which go nowhere."""

import ast
from collections.abc import Iterator
from functools import cached_property

from flakelint.kernel.launch_calls import Filled, LaunchCall
from flakelint.kernel.launch_options import CONFIGURED, LAUNCHER
from flakelint.source.expressions import defaults_of


class Binding:
    """The arguments of a launch as they are written, by the parameters of the kernel.

    Args:
        call (LaunchCall):
            The launch.
        filled (Filled):
            What the decorators of the kernel fill in.
    """

    def __init__(self, call: LaunchCall, filled: Filled) -> None:
        self._call = call
        self._filled = filled
        arguments = call.kernel.definition.args
        self._names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        self.parameters = [*self._names, *(one.arg for one in arguments.kwonlyargs)]
        self._args, self._is_open = _spread(call.node.args)

    @cached_property
    def keywords(self) -> dict[str, ast.keyword]:
        """The keyword arguments that are written out, but for those of the launch itself."""
        is_method = isinstance(self._call.node.func, ast.Attribute)
        return {one.arg: one for one in self._call.node.keywords if one.arg and not (is_method and one.arg in LAUNCHER)}

    @cached_property
    def positional(self) -> dict[str, ast.expr]:
        """The parameters that are given by position."""
        return dict(zip(self._names, self._args, strict=False))

    @property
    def surplus(self) -> list[ast.expr]:
        """The positional arguments that are too many."""
        return [] if self._call.kernel.definition.args.vararg is not None else self._args[len(self._names):]

    def is_given(self, name: str) -> bool:
        """Whether a parameter is given, for all that is seen."""
        return name in self.keywords or name in self.positional

    def missing(self) -> Iterator[str]:
        """The parameters without a default that get nothing; none where that is not certain."""
        spreads = any(one.arg is None for one in self._call.node.keywords)
        if self._is_open or spreads or not self._filled.is_seen:
            return
        filled = {*defaults_of(self._call.kernel.definition.args), *self._filled.some, *self._filled.computed}
        if self._filled.is_tuned:
            # every configuration passes these on, as the parameters that are named so
            filled |= CONFIGURED
        yield from (name for name in self.parameters if not self.is_given(name) and name not in filled)

    def strangers(self) -> Iterator[ast.keyword]:
        """The keyword arguments that are no parameters."""
        return (one for name, one in self.keywords.items() if name not in self.parameters)


def _spread(args: list[ast.expr]) -> tuple[list[ast.expr], bool]:
    """The positional arguments up to the first that may be several, and whether there is one."""
    found: list[ast.expr] = []
    for one in args:
        if not isinstance(one, ast.Starred):
            found.append(one)
        elif isinstance(one.value, ast.Tuple | ast.List) and not any(isinstance(part, ast.Starred) for part in one.value.elts):
            found.extend(one.value.elts)
        else:
            return found, True
    return found, False
