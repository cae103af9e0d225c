# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which files a run looks at."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flakelint.project.discovery import discover
from flakelint.project.ignore import Patterns
from tests.tools import write


def found(folder: Path, *paths: str, exclude: tuple[str, ...] = (), **options: bool) -> list[str]:
    result = discover([str(folder / path) for path in paths or ('.',)], Patterns(str(folder), exclude), **options)
    return [os.path.relpath(path, folder) for path in result.files]


def test_only_python_files_in_order(tmp_path: Path) -> None:
    for name in ('b.py', 'a/c.pyi', 'a/x.txt', 'a.py', '.hidden/d.py', '.git/e.py', 'venv/f.py', 'a/__pycache__/g.py'):
        write(tmp_path / name, '')
    assert found(tmp_path) == ['.hidden/d.py', 'a/c.pyi', 'a.py', 'b.py']


def test_files_are_found_once_and_named_files_are_taken(tmp_path: Path) -> None:
    for name in ('a/b.py', 'tool'):
        write(tmp_path / name, '')
    assert found(tmp_path, 'a/b.py', 'a', 'tool', 'missing.py') == ['a/b.py', 'tool', 'missing.py']


def test_exclusions_hold_for_named_files_only_by_force(tmp_path: Path) -> None:
    for name in ('a.py', 'gen/b.py', 'gen/deep/c.py'):
        write(tmp_path / name, '')
    assert found(tmp_path, exclude=('gen/',)) == ['a.py']
    assert found(tmp_path, 'gen/b.py', exclude=('gen/',)) == ['gen/b.py']
    assert found(tmp_path, 'gen/b.py', 'gen', exclude=('gen/',), force_exclude=True) == []


def test_the_innermost_ignore_file_decides(tmp_path: Path) -> None:
    (tmp_path / '.git').mkdir()
    write(tmp_path / '.gitignore', '*_pb2.py\n/build/\n')
    write(tmp_path / 'keep/.gitignore', '!good_pb2.py\n')
    for name in ('a_pb2.py', 'build/b.py', 'keep/build/c.py', 'keep/good_pb2.py', 'keep/bad_pb2.py'):
        write(tmp_path / name, '')
    assert found(tmp_path) == ['keep/build/c.py', 'keep/good_pb2.py']
    assert found(tmp_path, 'keep') == ['keep/build/c.py', 'keep/good_pb2.py']
    assert len(found(tmp_path, respect_gitignore=False)) == 5


def test_folder_loops_end_and_are_told(tmp_path: Path) -> None:
    write(tmp_path / 'a/b/c.py', '')
    (tmp_path / 'a/b/up').symlink_to(tmp_path / 'a')
    (tmp_path / 'a/self').symlink_to('self')
    (tmp_path / 'other').symlink_to(tmp_path / 'a/b')
    result = discover([str(tmp_path)], Patterns(str(tmp_path), ()))
    assert [os.path.relpath(path, tmp_path) for path in result.files] == ['a/b/c.py']
    assert len(result.notes) == 1
    assert 'a symbolic link to a folder above it' in result.notes[0]


def test_a_link_to_a_folder_elsewhere_is_followed(tmp_path: Path) -> None:
    write(tmp_path / 'shared/k.py', '')
    (tmp_path / 'repo').mkdir()
    (tmp_path / 'repo/ops').symlink_to(tmp_path / 'shared')
    assert found(tmp_path / 'repo') == ['ops/k.py']


@pytest.mark.skipif(os.geteuid() == 0, reason='root may search any folder')
def test_a_folder_that_may_not_be_searched_is_told(tmp_path: Path) -> None:
    write(tmp_path / 'locked/a.py', '')
    (tmp_path / 'locked').chmod(0)
    result = discover([str(tmp_path)], Patterns(str(tmp_path), ()))
    (tmp_path / 'locked').chmod(0o755)
    assert result.files == []
    assert 'not searched' in result.notes[0]


NAMES = st.sampled_from(['a', 'b', 'ab', 'c.py', 'b.py', 'build'])
LINES = st.sampled_from([
    'a', '/a', 'a/', '*.py', '!b.py', 'a/b', '**/b', 'build', '!build/', '# c', '', '/b/*.py', 'a/**', '[ab].py', '!a/',
])


# each example runs git three times
@settings(max_examples=settings().max_examples // 5)
@example(files=[['build', 'a', 'c.py']], top=['a', '!build/'], below=[])
@example(files=[['a', 'c.py']], top=['a', '!a/'], below=[])
@example(files=[['a', 'a', 'c.py']], top=['a', '!a/'], below=[])
@given(
    st.lists(st.lists(NAMES, min_size=1, max_size=3), min_size=1, max_size=6),
    st.lists(LINES, max_size=4),
    st.lists(LINES, max_size=3),
)
def test_ignored_is_what_git_ignores(tmp_path_factory, files, top, below) -> None:
    folder = tmp_path_factory.mktemp('repo')
    subprocess.run(['git', 'init', '-q', folder], check=True)
    for parts in files:
        path = folder.joinpath(*parts)
        if not any(parent.is_file() for parent in path.parents) and not path.exists():
            write(path, '')
    write(folder / '.gitignore', '\n'.join(top))
    if (folder / 'a').is_dir():
        write(folder / 'a/.gitignore', '\n'.join(below))
    listed = subprocess.run(
        ['git', '-C', folder, 'ls-files', '-z', '--others', '--exclude-standard'],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert set(found(folder)) == {name for name in listed.split('\0') if name.endswith('.py')}
