# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A call is looked at again when what it calls changes in another file."""

import json
from pathlib import Path

import pytest

from tests.tools import flakelint, write

KERNEL = '@triton.jit\ndef scale_kernel(x, n, B: tl.constexpr):\n    tl.store(x, n)\n'
OPS = f'import triton\nimport triton.language as tl\n\n\n{KERNEL}\n\ndef scale(x, by):\n    return x\n'
FILES = {
    'flakelint.toml': 'select = ["TRI401", "TRI405", "OPS108"]\n',
    'ops/__init__.py': 'from ops.scale import scale\n',
    'ops/scale.py': OPS,
    'run.py': 'from ops.scale import scale_kernel\n\n\ndef run(x):\n    scale_kernel[(1,)](x=x, n=4, B=8)\n',
    'host.py': 'from ops import scale\n\n\ndef run(x):\n    return scale(x, by=2)\n',
    'bare.py': 'import torch\nfrom ops.scale import scale_kernel as kernel\n\n\ndef run(x):\n    return torch.add(x, 1)\n',
}


def check(folder: Path) -> list[tuple[str, str]]:
    result = flakelint('check', '--output-format', 'json', cwd=folder)
    return [(one['path'], one['code']) for one in json.loads(result.stdout)['findings']]


@pytest.mark.parametrize(
    ('old', 'new', 'found'),
    [
        ('B: tl.constexpr', 'BLOCK: tl.constexpr', [('run.py', 'TRI401'), ('run.py', 'TRI401')]),
        ('x, n, B', 'n, x, B', [('run.py', 'TRI405')]),
        ('@triton.jit', '@triton.heuristics({"B": lambda args: 4})\n@triton.jit', [('run.py', 'TRI401')]),
        ('scale(x, by)', 'scale(x, factor)', [('host.py', 'OPS108')]),
    ],
)
def test_a_changed_signature(tmp_path: Path, old: str, new: str, found: list[tuple[str, str]]) -> None:
    for path, text in FILES.items():
        write(tmp_path / path, text)
    assert check(tmp_path) == []
    write(tmp_path / 'ops/scale.py', OPS.replace(old, new))
    assert check(tmp_path) == found
    write(tmp_path / 'ops/scale.py', OPS)
    assert check(tmp_path) == []
