# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The hooks as pre-commit runs them: a real repository, real environments, real commits."""

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from tests.tools import clean_environment, copy_working_tree, write

KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def scale_fwd_kernel(x, T, B: tl.constexpr):
    o_t = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
    m_t = o_t < T
    tl.store(x + o_t, tl.load(x + o_t, mask=m_t, other=0) * 2, mask=m_t)
"""

SETTINGS = """\
select = ["TRI402", "REP101", "REP106"]

[header]
owner = "A. Nother"
"""

CONFIG = """\
default_install_hook_types: [pre-commit, commit-msg]
repos:
  - repo: {checkout}
    rev: {revision}
    hooks: [{{id: flakelint}}, {{id: flakelint-commit-msg}}]
"""

FIXING = CONFIG.replace('{{id: flakelint}},', '{{id: flakelint-header}}, {{id: flakelint-fix}},')


class Repository:
    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        identity = {f'GIT_{who}_{what}': 'a@b.c' for who in ('AUTHOR', 'COMMITTER') for what in ('NAME', 'EMAIL')}
        self.environment = clean_environment(
            PRE_COMMIT_HOME=str(home),
            GIT_CONFIG_GLOBAL=os.devnull,
            GIT_CONFIG_SYSTEM=os.devnull,
            **identity,
            PATH=f'{Path(sys.executable).parent}{os.pathsep}{os.environ["PATH"]}',
        )
        folder.mkdir(exist_ok=True)
        self.run('git', 'init', '-q')

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess:
        result = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False)
        assert not check or result.returncode == 0, result.stdout + result.stderr
        return result

    def commit(self, message: str) -> subprocess.CompletedProcess:
        self.run('git', 'add', '--all')
        return self.run('git', 'commit', '-m', message, check=False)


@pytest.fixture(scope='module')
def checkout(tmp_path_factory) -> tuple[Path, str, Path]:
    """This working tree as a repository with one commit, and a home for pre-commit's environments."""
    folder = tmp_path_factory.mktemp('checkout')
    home = tmp_path_factory.mktemp('home')
    copy_working_tree(folder)
    repository = Repository(folder, home)
    repository.run('git', 'add', '--all')
    repository.run('git', 'commit', '-qm', '[Misc] Snapshot')
    return folder, repository.run('git', 'rev-parse', 'HEAD').stdout.strip(), home


def test_a_bad_kernel_is_refused_fixed_and_its_subject_checked(checkout, tmp_path: Path) -> None:
    folder, revision, home = checkout
    repository = Repository(tmp_path / 'user', home)
    write(repository.folder / 'flakelint.toml', SETTINGS)
    write(repository.folder / '.gitignore', '.flakelint_cache/\n')
    write(repository.folder / '.pre-commit-config.yaml', CONFIG.format(checkout=folder, revision=revision))
    repository.run('pre-commit', 'install')
    kernel = write(repository.folder / 'ops/my kernel.py', KERNEL)

    refused = repository.commit('[Ops] Add a kernel')
    assert refused.returncode != 0
    assert 'TRI402' in refused.stdout + refused.stderr
    assert 'REP101' in refused.stdout + refused.stderr

    write(repository.folder / '.pre-commit-config.yaml', FIXING.format(checkout=folder, revision=revision))
    fixing = repository.commit('[Ops] Add a kernel')
    assert fixing.returncode != 0, 'pre-commit stops a commit whose files a hook has changed'
    assert "do_not_specialize=['T']" in kernel.read_text()
    assert kernel.read_text().startswith(f'# Copyright (c) {date.today().year}, A. Nother\n')

    bad_subject = repository.commit('Add a kernel')
    assert bad_subject.returncode != 0
    assert 'REP106' in bad_subject.stdout + bad_subject.stderr

    assert repository.commit('[Ops] Add a kernel').returncode == 0
    assert repository.run('git', 'log', '--format=%s').stdout == '[Ops] Add a kernel\n'


def test_this_repository_passes_its_own_hooks(checkout) -> None:
    folder, _, home = checkout
    repository = Repository(folder, home)
    result = repository.run('pre-commit', 'run', '--all-files', '--show-diff-on-failure', check=False)
    assert result.returncode == 0, result.stdout + result.stderr
