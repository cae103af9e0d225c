# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a rule can ask about the file it looks at."""

from functools import cached_property
from typing import TYPE_CHECKING

from flakelint.kernel.kernels import DecoratorNames, Kernel, find
from flakelint.kernel.launches import Launches
from flakelint.project.imports import Bindings
from flakelint.source.file import SourceFile

if TYPE_CHECKING:
    from flakelint.engine.settings import Settings


class File(SourceFile):
    """A file under check.

    Args:
        path (str):
            The path from the root of the configuration, with forward slashes.
        data (bytes):
            The content.
        settings (Settings):
            The settings of the run.

    Raises:
        DecodeError: the content is no text.
    """

    def __init__(self, path: str, data: bytes, settings: 'Settings') -> None:
        super().__init__(path, data)
        self.settings = settings

    @cached_property
    def bindings(self) -> Bindings:
        """What the imported names mean."""
        return Bindings(self.statements)

    @cached_property
    def kernels(self) -> list[Kernel]:
        """The functions that Triton compiles, in source order."""
        if 'jit' not in self.text:
            return []
        names = self.settings.kernel
        return find(self.units, self.bindings, DecoratorNames(names.jit, names.autotune, names.heuristics))

    @cached_property
    def launches(self) -> Launches:
        """Which of its kernels the file launches."""
        return Launches(self.statements, self.kernels)
