# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a rule can ask about the file it looks at."""

import ast
from collections.abc import Callable, Iterable, Set
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flakelint.engine.findings import Edit
from flakelint.kernel.autograd import AutogradFunction, autograd_functions
from flakelint.kernel.kernels import DecoratorNames, Kernel, Module
from flakelint.kernel.launch_calls import LaunchCall
from flakelint.kernel.launch_sites import may_launch
from flakelint.kernel.launches import Launches
from flakelint.kernel.repository import Repository
from flakelint.project.calls import NamedCall, named_calls, own_functions
from flakelint.project.imports import Bindings
from flakelint.source.file import SourceFile
from flakelint.source.text import Decoded, Range

if TYPE_CHECKING:
    from flakelint.engine.settings import Settings
    from flakelint.kernel.addresses import Addresses
    from flakelint.kernel.exact import Exact
    from flakelint.kernel.model import Model
    from flakelint.kernel.tiles import Tiles


class File(SourceFile):
    """A file under check.

    Args:
        path (str):
            The path from the root of the configuration, with forward slashes.
        data (bytes | Decoded):
            The content, decoded or not.
        settings (Settings):
            The settings of the run.
        whole (Callable[[], Repository] | None, Optional):
            Gives the repository in which the file stands. Default: `None`, for a file that stands alone.

    Raises:
        DecodeError: the content is no text.
    """

    def __init__(
        self, path: str, data: bytes | Decoded, settings: 'Settings', whole: Callable[[], Repository] | None = None,
    ) -> None:
        super().__init__(path, data)
        self.settings = settings
        self.enabled: Set[str] = frozenset()
        # whether anything was asked of the repository, so that what is found depends on other files too
        self.consults = False
        # what was asked of the files of the repository besides the meaning of names
        self.notes: set[str] = set()
        self._whole = whole
        self._known: dict[tuple[str, Kernel], Any] = {}
        self._reported: set[tuple[str, Range]] = set()

    @cached_property
    def bindings(self) -> Bindings:
        """What the imported names mean."""
        return self.module.bindings

    @cached_property
    def module(self) -> Module:
        """The file as the kernel model sees it."""
        return Module(self, lambda name: self.repository.roles(self.module, name), decorator_names(self.settings))

    @property
    def kernels(self) -> list[Kernel]:
        """The functions that Triton compiles, in source order."""
        return self.module.kernels if 'jit' in self.text or 'triton' in self.text else []

    @cached_property
    def repository(self) -> Repository:
        """What there is to know of the kernels of other files."""
        self.consults = True
        return self._whole() if self._whole is not None else Repository('', (), decorator_names(self.settings))

    def ask(self, kind: str, of: str) -> tuple[str, ...]:
        """The answer of the repository to a question, as for `Answers`; what is found depends on it."""
        return self.repository.index.files.answers.ask(kind, of, self.notes)

    @property
    def consulted(self) -> str:
        """A hash of what other files said that findings may depend on, and a line for each question that was asked; nothing where they depend on no other file."""
        return '\n'.join((self.repository.consulted(self.module), *sorted(self.notes))) if self.consults else ''

    def model(self, kernel: Kernel) -> 'Model':
        """The model of one of its kernels, with the value of every expression, worked out once for all rules.

        Raises:
            TooDeepError: an expression of the kernel is nested too deeply to be followed.
        """
        # runs that never ask do not load the model, nor what is built on it
        from flakelint.kernel.model import analyse

        return self._once('model', kernel, lambda: analyse(kernel, self.repository, record=True))

    def addresses(self, kernel: Kernel) -> 'Addresses':
        """The address arithmetic of one of its kernels, worked out once for all rules.

        Raises:
            TooDeepError: as for `model`.
        """
        from flakelint.kernel.addresses import Addresses

        return self._once('addresses', kernel, lambda: Addresses(self.model(kernel), self.settings.assume.sizes))

    def exact(self, kernel: Kernel) -> 'Exact':
        """What the values of one of its kernels certainly are, worked out once for all rules.

        Raises:
            TooDeepError: as for `model`.
        """
        from flakelint.kernel.exact import Exact

        return self._once('exact', kernel, lambda: Exact(self.model(kernel)))

    def tiles(self, kernel: Kernel) -> 'Tiles':
        """The accesses of one of its kernels as tiles, worked out once for all rules.

        Raises:
            TooDeepError: as for `model`.
        """
        from flakelint.kernel.tiles import Tiles

        return self._once('tiles', kernel, lambda: Tiles(self.model(kernel)))

    def _once(self, what: str, kernel: Kernel, make: Callable[[], Any]) -> Any:
        if (what, kernel) not in self._known:
            self._known[what, kernel] = make()
        return self._known[what, kernel]

    def adopt(self, kernel: Kernel, other: 'File', same: Kernel) -> None:
        """Take over what was worked out of a kernel in an earlier content, where it and all that it depends on are the same."""
        self._known.update({(what, kernel): made for (what, whose), made in other._known.items() if whose is same})

    def release(self) -> None:
        """Forget what was worked out of its kernels: others took over what is still to be used."""
        self._known.clear()

    def is_first(self, code: str, where: Range) -> bool:
        """Whether a rule comes to a place for the first time: kernels that share a helper have its faults in common."""
        if (code, where) in self._reported:
            return False
        self._reported.add((code, where))
        return True

    def tell_afresh(self) -> set[tuple[str, Range]]:
        """Let every place be the first again; gives the set of the rules and places that come to be reported from then on."""
        self._reported = set()
        return self._reported

    def edited(self, edits: Iterable[Edit]) -> 'File':
        """The file as it would be after edits that do not overlap, and change neither names nor lines; edits at one place stay in order."""
        text = self.text
        placed = [(self.lines.offset(edit.range.start), self.lines.offset(edit.range.end), edit.text) for edit in edits]
        for start, end, new in sorted(placed, key=lambda edit: edit[:2])[::-1]:
            text = text[:start] + new + text[end:]
        file = File(self.path, self.decoded._replace(text=text), self.settings, lambda: self.repository)
        file.enabled = self.enabled
        file.keep_statements(self, {start for start, _, _ in placed})
        file.module.keep(self.module)
        return file

    @cached_property
    def launch_calls(self) -> list[LaunchCall]:
        """The launches in the file whose kernels are known."""
        return self.repository.launch_calls(self.module) if may_launch(self.text) else []

    @cached_property
    def launch_choices(self) -> list[list[LaunchCall]]:
        """The same, with those together that are one call, which may launch one of several kernels; left out where one of these is not known."""
        calls: dict[ast.Call, list[LaunchCall]] = {}
        for call in self.launch_calls:
            calls.setdefault(call.node, []).append(call)
        return [choices for choices in calls.values() if len(choices) == choices[0].choices]

    @cached_property
    def named_calls(self) -> list[NamedCall]:
        """The calls of names of the module in host code."""
        return list(named_calls(self.statements, {kernel.definition for kernel in self.kernels}))

    @cached_property
    def own_functions(self) -> frozenset[str]:
        """The names of the module that may be functions of its repository."""
        return own_functions(self.statements, self.bindings)

    @cached_property
    def autograd_functions(self) -> list[AutogradFunction]:
        """Its autograd functions, in source order."""
        return list(autograd_functions(self.statements, self.bindings)) if 'Function' in self.text else []

    @cached_property
    def launches(self) -> Launches:
        """Which of its kernels the file launches."""
        nodes = (node for unit in self.units if may_launch(unit.text) for node in self.nodes_of(unit))
        return Launches(nodes, self.kernels)


def decorator_names(settings: 'Settings') -> DecoratorNames:
    """Which decorators the settings say to stand for Triton's own."""
    return DecoratorNames(settings.kernel.jit, settings.kernel.autotune, settings.kernel.heuristics)
