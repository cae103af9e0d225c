# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What an editor may set, besides what stands in the settings files of a repository."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, get_type_hints

from flakelint.engine.config import SEVERITIES, SettingsError, check_value, nearest

SECTION = 'flakelint'
# which types of values are shown at assignments: none, integers of less than 64 bits, all
INLAYS = ('off', 'narrow', 'all')


@dataclass(frozen=True)
class EditorSettings:
    """The settings of an editor; what selects rules is laid over the settings file, as on a command line.

    Args:
        enable (bool):
            Whether anything is checked. Default: `True`.
        configuration (str):
            A settings file to take instead of the nearest one, from the folder of the workspace. Default: none.
        preset (str):
            The preset. Default: that of the settings file.
        select (tuple[str, ...]):
            The rules to start from. Default: those of the settings file.
        ignore (tuple[str, ...]):
            The rules to take away. Default: none.
        extend_select (tuple[str, ...]):
            The rules to add. Default: none.
        severity (dict[str, str]):
            How grave the findings of rules are. Default: as in the settings file.
        inlay_hints (str):
            Which types of values are shown at assignments: `off`, `narrow` or `all`. Default: `off`.
        code_lens (bool):
            Whether launches are counted above kernels. Default: `True`.
        debounce (int):
            How many milliseconds without a change to wait before the file is checked. Default: `150`.
    """

    enable: bool = True
    configuration: str = ''
    preset: str = ''
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    severity: dict[str, str] = field(default_factory=dict)
    inlay_hints: str = 'off'
    code_lens: bool = True
    debounce: int = 150

    @property
    def overrides(self) -> dict[str, Any]:
        """What is laid over a settings file."""
        names = ('preset', 'select', 'ignore', 'extend_select', 'severity')
        return {name: value for name in names if (value := getattr(self, name))}


def read(values: Any) -> tuple[EditorSettings, list[str]]:
    """The settings that an editor sends, and what is wrong with them.

    Args:
        values (Any):
            A table with keys such as `inlayHints`, `extend-select` or `code_lens`, or one that holds such a table as `settings` or `flakelint`; nothing is an empty one.
    """
    while isinstance(values, Mapping) and (inner := values.get('settings', values.get(SECTION))) is not None:
        values = inner
    # an empty table of Lua is sent as an empty list
    if values is None or values == []:
        values = {}
    if not isinstance(values, Mapping):
        return EditorSettings(), [f'the settings of the editor must be a table, not `{values!r}`']
    hints = get_type_hints(EditorSettings)
    known = {_spelled(one.name): one.name for one in fields(EditorSettings)}
    found: dict[str, Any] = {}
    problems = []
    for key, value in values.items():
        name = known.get(_spelled(str(key)))
        if name is None:
            hint = nearest(str(key), [_camel(one) for one in known.values()])
            problems.append(f'unknown setting `{SECTION}.{key}` of the editor{hint}')
        elif value is not None:
            try:
                found[name] = check_value(value, hints[name], f'the setting `{SECTION}.{key}` of the editor')
            except SettingsError as error:
                problems.append(str(error))
    for selector, severity in list(found.get('severity', {}).items()):
        if severity not in SEVERITIES:
            del found['severity'][selector]
            hint = nearest(severity, SEVERITIES)
            problems.append(f'unknown severity `{severity}` of `{selector}` in the settings of the editor{hint}')
    if found.get('inlay_hints', 'off') not in INLAYS:
        wrong = found.pop('inlay_hints')
        choices = ', '.join(f'`{one}`' for one in INLAYS)
        problems.append(f'the setting `{SECTION}.inlayHints` of the editor is one of {choices}, not `{wrong}`')
    if not 0 <= found.get('debounce', 0) <= 10_000:
        del found['debounce']
        problems.append(f'the setting `{SECTION}.debounce` of the editor must be from 0 to 10000')
    return EditorSettings(**found), problems


def _spelled(key: str) -> str:
    return key.replace('-', '').replace('_', '').lower()


def _camel(name: str) -> str:
    first, *rest = name.split('_')
    return ''.join([first, *(part.capitalize() for part in rest)])
