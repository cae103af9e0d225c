# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the names are that a kernel reads from outside, above all from other modules."""

from pathlib import Path

import pytest

from flakelint.kernel.outside import BUILTIN, PLAIN_CLASS, PLAIN_FUNCTION, PLAIN_VALUE, UNBOUND, Outside
from tests.kernel.repositories import IMPORTS, kernels, repository

MAIN = '@triton.jit\ndef main(x):\n    tl.store(x, G)\n'
LIBRARY = """\
import enum
import triton
import triton.language as tl
from unseen import thing

PLAIN = 4
WRAPPED = tl.constexpr(4)
ANNOTATED: tl.constexpr = 4
LISTED = [1, 2]
OF_THING = 2 * thing
ALIAS = PLAIN
WRAPPED_ALIAS = WRAPPED
NOTHING = None
_HIDDEN = 4


class Mode(enum.IntEnum):
    A = 0


class Odd(thing):
    A = 0


def function(x):
    return x


@triton.jit
def helper(x):
    return x


@thing
def wrapped(x):
    return x
"""


def kind(folder: Path, text: str, name: str = 'G') -> str:
    whole = repository(folder, {
        'a.py': f'{IMPORTS}{text}\n\n{MAIN}', 'lib/__init__.py': '', 'lib/values.py': LIBRARY,
        'lib/stars.py': 'from lib.values import *\n', 'lib/strange.py': 'from unseen.values import *\n',
    })
    return Outside(kernels(whole, 'a.py')['main'], whole).meant(name).kind


@pytest.mark.parametrize(('text', 'expected'), [
    ('', UNBOUND),
    ('G = 4', PLAIN_VALUE),
    ('G: tl.constexpr = 4', PLAIN_VALUE),
    ('G = tl.constexpr(4)', ''),
    ('def f():\n    global G\n    G = 4', ''),
    ('globals()["G"] = tl.constexpr(4)', ''),
    ('import os\nos.environ["TRITON_ALLOW_NON_CONSTEXPR_GLOBALS"] = "1"\nG = 4', ''),
    ('G = 4\nG = tl.constexpr(G)', ''),
    ('if tl:\n    G = 4\nelse:\n    G = tl.constexpr(8)', ''),
    ('if tl:\n    G = 4\nelse:\n    G = 8', PLAIN_VALUE),
    ('from lib.values import PLAIN as G', PLAIN_VALUE),
    ('from lib.values import ALIAS as G', PLAIN_VALUE),
    ('from lib.values import ANNOTATED as G', PLAIN_VALUE),
    ('from lib.values import LISTED as G', PLAIN_VALUE),
    ('from lib.values import WRAPPED as G', ''),
    ('from lib.values import WRAPPED_ALIAS as G', ''),
    ('from lib.values import OF_THING as G', ''),
    ('from lib.values import NOTHING as G', ''),
    ('from lib.values import Mode as G', PLAIN_CLASS),
    ('from lib.values import Odd as G', ''),
    ('from lib.values import function as G', PLAIN_FUNCTION),
    ('from lib.values import helper as G', ''),
    ('from lib.values import wrapped as G', ''),
    ('from lib import values as G', ''),
    ('from unseen import G', ''),
    ('from lib.values import PLAIN\nG = 2 * PLAIN', ''),
    ('from lib.stars import *', UNBOUND),
    ('from lib.strange import *', ''),
    ('from unseen.values import *\nfrom other.values import *', ''),
    ('G = int', ''),
    ('G = triton.cdiv(4, 2)', ''),
    ('G = len(triton.__version__)', PLAIN_VALUE),
])
def test_what_a_name_is(tmp_path: Path, text: str, expected: str) -> None:
    assert kind(tmp_path, text) == expected


@pytest.mark.parametrize(('text', 'name', 'expected'), [
    ('from lib import values', 'values.function', PLAIN_FUNCTION),
    ('from lib import values', 'values.helper', ''),
    ('from lib.stars import *', 'PLAIN', PLAIN_VALUE),
    ('from lib.stars import *', '_HIDDEN', UNBOUND),
    ('import torch.nn.functional as F', 'F.relu', PLAIN_FUNCTION),
    ('', 'torch.float16', PLAIN_VALUE),
    ('', 'torch.finfo', ''),
    ('', 'abs', BUILTIN),
    ('from triton.language import abs', 'abs', ''),
    ('', 'range', ''),
    ('import math', 'math.log2', ''),
    ('from math import log2', 'log2', PLAIN_FUNCTION),
    ('from math import pi', 'pi', PLAIN_VALUE),
])
def test_what_other_names_are(tmp_path: Path, text: str, name: str, expected: str) -> None:
    assert kind(tmp_path, text, name) == expected


def test_names_are_those_that_nothing_in_the_kernel_binds(tmp_path: Path) -> None:
    body = (
        'def around(scale):\n    shift = 1\n\n    @triton.jit\n    def main(x, n):\n        a = G.value + n\n'
        '        for i in range(a):\n            tl.store(x + i, scale + shift + G.value)\n'
        '        tl.static_assert(a > 0, message)\n'
    )
    whole = repository(tmp_path, {'a.py': f'{IMPORTS}\n{body}'})
    names = [name for _, name in Outside(kernels(whole, 'a.py')['around.main'], whole).names()]
    assert names == ['G.value', 'range', 'tl.store', 'G.value', 'tl.static_assert']


def test_what_is_found_is_known_to_depend_on_the_other_file(tmp_path: Path) -> None:
    files = {'a.py': f'{IMPORTS}from lib import G\n\n{MAIN}', 'lib.py': 'import triton.language as tl\nG: tl.constexpr = 4\n'}
    hashes = set()
    for value in ('G: tl.constexpr = 4', 'G = tl.constexpr(4)', 'G = [4]', 'def G():\n    pass'):
        whole = repository(tmp_path, {**files, 'lib.py': f'import triton.language as tl\n{value}\n'})
        (kernel,) = kernels(whole, 'a.py').values()
        hashes.add(whole.consulted(kernel.module))
    assert len(hashes) == 4
