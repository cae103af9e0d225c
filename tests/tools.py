# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What several tests need to run flakelint as its users do."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent

BLOCK_POINTER = """\
import triton
import triton.language as tl


@triton.jit
def copy_fwd_kernel(x, y, n, B: tl.constexpr):
    p_x = tl.make_block_ptr(x, (n,), (1,), (0,), (B,), (0,))
    tl.store(y + tl.arange(0, B), tl.load(p_x))
"""


def flakelint(*arguments: str, cwd: Path, stdin: str | None = None, **environment: str) -> subprocess.CompletedProcess:
    """Run the command line in a process of its own."""
    return subprocess.run(
        command(*arguments),
        cwd=cwd,
        input=stdin,
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        encoding='utf-8',
        check=False,
    )


def command(*arguments: str) -> list[str]:
    """The command line as a list."""
    return [sys.executable, '-m', 'flakelint', *arguments]


def clean_environment(**environment: str) -> dict[str, str]:
    """The environment without what would steer flakelint, and with what is given."""
    kept = {key: value for key, value in os.environ.items() if key not in ('FLAKELINT_CACHE_DIR', 'NO_COLOR', 'FORCE_COLOR')}
    return {**kept, **environment}


def write(path: Path, text: str) -> Path:
    """Write a file with `\\n` as it stands, and make its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def copy_working_tree(folder: Path) -> None:
    """Copy the files of this working tree that git tracks or would track."""
    command = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
    listed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split('\0')):
        if (REPOSITORY / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, folder / name)
