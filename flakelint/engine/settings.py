# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The settings of a run, and where each came from."""

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from flakelint.kernel.sizes import Assumed


@dataclass(frozen=True)
class HeaderSettings:
    """The copyright block with which every Python file starts.

    Args:
        owner (str):
            Who holds the copyright. Without one, REP101 has nothing to compare with and stays silent.
        start_year (int):
            The first year of the range.
        license (str):
            The licence's name, for `{license}`.
        template (tuple[str, ...]):
            The lines of the block. `{years}` stands for a year or a range of years, `{owner}` and `{license}` for the settings.
        exempt (tuple[str, ...]):
            Patterns of files that keep their own header, as in a `.gitignore`.
    """

    owner: str = ''
    start_year: int = 0
    license: str = 'MIT License'
    template: tuple[str, ...] = (
        '# Copyright (c) {years}, {owner}',
        '#',
        '# This source code is licensed under the {license} found in the LICENSE file in the root directory of '
        'this source tree.',
        '# For a list of all contributors, see the git history of this repository.',
    )
    exempt: tuple[str, ...] = ('third_party/', '3rdparty/', 'vendor/')


@dataclass(frozen=True)
class CommitSettings:
    """What a commit subject begins with.

    Args:
        tags (tuple[str, ...]):
            The words that may stand in the brackets; case counts.
        markers (tuple[str, ...]):
            Further bracketed words that may follow the tag.
        max_length (int):
            How many characters a subject may have; 0 for any number.
    """

    tags: tuple[str, ...] = (
        'Fix', 'Misc', 'chore', 'Docs', 'CI', 'Test', 'Perf', 'Refactor', 'Ops', 'Model', 'Layer', 'Attn', 'GDN', 'KDA', 'CP',
        'Conv', 'CE',
    )
    markers: tuple[str, ...] = ('skip test',)
    max_length: int = 0


@dataclass(frozen=True)
class KernelSettings:
    """What the names of a repository mean to the kernel model.

    Args:
        jit (tuple[str, ...]):
            Full names of decorators that stand for `triton.jit`.
        autotune (tuple[str, ...]):
            Full names of decorators that stand for `triton.autotune`.
        heuristics (tuple[str, ...]):
            Full names of decorators that stand for `triton.heuristics`.
    """

    jit: tuple[str, ...] = ()
    autotune: tuple[str, ...] = ()
    heuristics: tuple[str, ...] = ()


@dataclass(frozen=True)
class AssumeSettings:
    """How large the sizes in kernels are taken to be.

    Args:
        tight (dict[str, int]):
            Sizes that common launches reach, by role: what breaks at these is reported by TRI101.
        possible (dict[str, int]):
            Sizes that launches can reach, by role: what breaks only at these is reported by TRI106.
        names (dict[str, Any]):
            Patterns of argument names, as in a shell, each with a role or a number.
    """

    tight: dict[str, int] = field(default_factory=dict)
    possible: dict[str, int] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def sizes(self) -> Assumed:
        """The same, as the kernel model takes it."""
        return Assumed(self.tight, self.possible, self.names)


@dataclass(frozen=True)
class AffectedSettings:
    """What files that are no Python code mean to the tests; patterns are as in a `.gitignore`.

    Args:
        exclude (tuple[str, ...]):
            Patterns of files that are named like tests, and are none.
        everything (tuple[str, ...]):
            Patterns of files that every test depends on.
        nothing (tuple[str, ...]):
            Patterns of files that no test depends on, unless a Python file names them.
        data (dict[str, tuple[str, ...]]):
            Patterns of data files, each with the patterns of the tests that read them.
        unknown (str):
            What a change of any other file needs that no Python file names: `everything` or `nothing`.
    """

    exclude: tuple[str, ...] = ()
    everything: tuple[str, ...] = (
        'pyproject.toml', 'setup.py', 'setup.cfg', 'pytest.ini', 'tox.ini', 'noxfile.py', '*.lock', 'requirements*.txt',
    )
    nothing: tuple[str, ...] = (
        '*.md', '*.rst', '*.svg', '*.png', '*.jpg', '*.gif', 'LICENSE*', 'CITATION*', 'CODEOWNERS', '.gitignore',
        '.gitattributes', '.editorconfig', '.pre-commit-config.yaml', '.github/**', 'docs/**',
    )
    data: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: str = 'everything'


@dataclass(frozen=True)
class CoverageSettings:
    """Where operators are, and which holes in their tests are accepted.

    Args:
        operators (tuple[str, ...]):
            Patterns of the files that export operators.
        exclude (tuple[str, ...]):
            Patterns of files whose functions are no operators.
        accepted (dict[str, str]):
            The reasons of accepted holes, by operator, axis and value: `chunk_gla: layout=varlen`.
    """

    operators: tuple[str, ...] = ('**/ops/*/__init__.py', '**/ops/*/*/__init__.py')
    exclude: tuple[str, ...] = ('**/ops/common/**', '**/ops/utils/**', '**/ops/cp/**', '**/backends/**')
    accepted: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    """Everything that steers a run; the documentation of each key is in `docs/settings.md`."""

    preset: str = 'triton'
    exclude: tuple[str, ...] = ()
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool = True
    max_file_size: int = 1_000_000
    per_file_ignores: dict[str, tuple[str, ...]] = field(default_factory=dict)
    severity: dict[str, str] = field(default_factory=dict)
    target_triton: str = '>=3.3'
    preview: bool = False
    rule_paths: tuple[str, ...] = ()
    baseline: str = ''
    cache_dir: str = ''
    output_format: str = 'text'
    header: HeaderSettings = HeaderSettings()
    commits: CommitSettings = CommitSettings()
    kernel: KernelSettings = KernelSettings()
    assume: AssumeSettings = AssumeSettings()
    affected: AffectedSettings = AffectedSettings()
    coverage: CoverageSettings = CoverageSettings()
    rules: dict[str, dict[str, Any]] = field(default_factory=dict)


# keys that name rules are layered, not replaced, and so have no field in `Settings`
SELECTION_KEYS = ('select', 'ignore', 'extend_select')
SECTIONS = {
    'header': HeaderSettings,
    'commits': CommitSettings,
    'kernel': KernelSettings,
    'assume': AssumeSettings,
    'affected': AffectedSettings,
    'coverage': CoverageSettings,
}

# what is right less often than a rule should be that everyone has on
PREVIEW = ('TRI207',)
POLICIES = ('TRI102', 'TRI106', 'TRI402', 'TRI405', 'TRI406', 'TRI506', 'TRI602')

# the rules that look at Markdown files, too; without one of them no folder is searched for such files
READS_MARKDOWN = frozenset({'DOC110', 'DOC111', 'REP104', 'REP105'})

PRESETS: dict[str, dict[str, Any]] = {
    'triton': {
        'select': ('ENG', 'TRI1', 'TRI2', 'TRI3', 'TRI4', 'TRI5', 'TRI6', 'OPS101', 'OPS102'),
        'ignore': (*POLICIES, *PREVIEW),
    },
    'fla': {
        'select': ('ENG', 'TRI1', 'TRI2', 'TRI3', 'TRI4', 'TRI5', 'TRI6', 'OPS', 'TST', 'DOC', 'REP'),
        'ignore': ('TRI106', *PREVIEW),
        'per_file_ignores': {'backends/triton_ascend/': ('TRI201',)},
        'kernel': {'autotune': ('fla.ops.utils.cache.fla_cache_autotune',)},
    },
}


def keys_of(settings_class: type) -> tuple[str, ...]:
    """The keys of a section, as a settings file spells them."""
    return tuple(one.name.replace('_', '-') for one in fields(settings_class))
