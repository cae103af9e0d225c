# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What is known of the open files: all that is worked out is worked out here, in one thread beside the one that talks."""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from flakelint.engine.findings import Finding
from flakelint.engine.incremental import Incremental, StaleError
from flakelint.lsp.documents import Snapshot
from flakelint.lsp.editor_settings import EditorSettings
from flakelint.lsp.projects import Project, Projects

if TYPE_CHECKING:
    from flakelint.engine.checker import Checker
    from flakelint.engine.context import File


class Checked(NamedTuple):
    """What was found in an open file.

    Args:
        snapshot (Snapshot):
            The file.
        findings (list[Finding]):
            The findings.
        file (File | None):
            The file as the rules see it; None where it is not Python or not checked.
        project (Project | None):
            The project in which it is; None where it is not checked.
        checker (Checker | None):
            What found them; None where it is not checked.
    """

    snapshot: Snapshot
    findings: list[Finding]
    file: 'File | None'
    project: Project | None
    checker: 'Checker | None'


class Session:
    """The open files, and what is known of them.

    Args:
        complain (Callable[[str], object]):
            Told what is wrong with a configuration, once.
    """

    def __init__(self, complain: Callable[[str], object]) -> None:
        self.projects = Projects(complain)
        # the settings of the editor: for everything, and for folders of the workspace
        self.editor = EditorSettings()
        self.folders: dict[str, EditorSettings | None] = {}
        self._edited: dict[str, tuple[Checker, Incremental]] = {}
        self._checked: dict[str, Checked] = {}

    def settings_of(self, path: str | None) -> EditorSettings:
        """What the editor sets for a file."""
        folders = dict(self.folders)
        above = [folder for folder in folders if path is not None and _is_below(path, folder)]
        folder = max(above, key=len, default=None)
        settings = folders.get(folder) or self.editor
        base = folder or next(iter(folders), None)
        if settings.configuration and base is not None:
            return replace(settings, configuration=os.path.join(base, settings.configuration))
        return settings

    def project_of(self, snapshot: Snapshot) -> Project | None:
        """The project in which a file is; None where it is not to be checked."""
        path = snapshot.path
        editor = self.settings_of(path)
        if not editor.enable or not snapshot.is_checked:
            return None
        # what was never saved is taken to lie in the first folder of the workspace
        folder = os.path.dirname(path) if path is not None else next(iter(self.folders), os.path.expanduser('~'))
        project = self.projects.find(folder, editor)
        if project is None or (path is not None and project.excludes(path)):
            return None
        return project

    def check(self, snapshot: Snapshot, is_stale: Callable[[], bool] = lambda: False) -> Checked:
        """What is found in a file.

        Raises:
            StaleError: `is_stale` said that nobody waits for it any more.
        """
        if is_stale():
            raise StaleError
        known = self._checked.get(snapshot.uri)
        project = self.project_of(snapshot)
        checker = project.checker if project is not None else None
        if known is not None and known.snapshot == snapshot and known.checker is checker:
            return known
        findings, file = ([], None) if project is None else self._examine(snapshot, project, is_stale)
        self._checked[snapshot.uri] = Checked(snapshot, findings, file, project, checker)
        return self._checked[snapshot.uri]

    def close(self, uri: str) -> None:
        """Forget a file."""
        self._edited.pop(uri, None)
        self._checked.pop(uri, None)

    def forget_files(self) -> None:
        """Look at the files on the disk again."""
        self.projects.forget_files()

    def reload(self) -> None:
        """Read all settings again."""
        self.projects.reload()
        self._edited.clear()
        self._checked.clear()

    def _examine(
        self, snapshot: Snapshot, project: Project, is_stale: Callable[[], bool],
    ) -> 'tuple[list[Finding], File | None]':
        name = project.name(snapshot.path) if snapshot.path is not None else os.path.basename(snapshot.uri)
        if snapshot.is_markdown:
            self._edited.pop(snapshot.uri, None)
            return project.checker.check(name, snapshot.text.encode('utf-8', 'surrogatepass')), None
        checker, edited = self._edited.get(snapshot.uri, (None, None))
        if checker is not project.checker:
            if edited is None or checker.settings is not project.config.settings:
                edited = Incremental(project.checker, name)
            known = self._checked.get(snapshot.uri)
            holds = edited.rebase(project.checker)
            self._edited[snapshot.uri] = project.checker, edited
            if holds and known is not None and known.snapshot == snapshot:
                return known.findings, known.file
        return edited.check(snapshot.text, is_stale), edited.file


def _is_below(path: str, folder: str) -> bool:
    return os.path.normcase(path).startswith(os.path.normcase(folder.rstrip(os.sep)) + os.sep)
