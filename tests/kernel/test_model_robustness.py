# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whatever a kernel looks like, the model says what it knows and never fails."""

import ast
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from flakelint.engine.context import File
from flakelint.engine.settings import Settings
from flakelint.kernel.addresses import Addresses
from flakelint.kernel.explanation import Explained
from flakelint.kernel.kernels import Kernel
from flakelint.kernel.model import analyse
from flakelint.kernel.sizes import Assumed
from flakelint.kernel.strides import Strides
from flakelint.kernel.uncast import UncastIds
from flakelint.kernel.witness import Witness
from tests.tools import REPOSITORY

FOLDERS = ('tests/fixtures/TRI101', 'tests/fixtures/TRI105', 'tests/fixtures/TRI106', 'fla/ops')
PATHS = sorted(path for folder in FOLDERS for path in (REPOSITORY / folder).rglob('*.py') if 'jit' in path.read_text())


def ask_everything(kernel: Kernel, file: File) -> None:
    """Ask all that rules and people ask of a kernel."""
    found = analyse(kernel, file.repository, record=True)
    addresses = Addresses(found, Assumed())
    for fault in addresses.faults():
        assert fault.products
        assert all(Witness(product, addresses.bounds).text() for product in fault.products if product.value.op != 'cast')
    strides = Strides(found)
    assert all(step.stride in strides.names for layout in strides.layouts.values() for step in layout.steps)
    uncast = [product for products in UncastIds(found).found.values() for product in products]
    assert all(product.op in ('mul', 'shl') for product in uncast)
    explained = Explained(found, Assumed())
    definition = kernel.definition
    for line in range(definition.lineno, definition.end_lineno + 1, max(1, (definition.end_lineno - definition.lineno) // 5)):
        assert all(explained.lines(file.path, line, None))


@given(st.sampled_from(PATHS), st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=6), st.integers(0))
def test_kernels_of_which_lines_are_missing(path: Path, gone: list[float], number: int) -> None:
    lines = path.read_text(encoding='utf-8').split('\n')
    for place in gone:
        del lines[int(place * len(lines))]
    text = '\n'.join(lines)
    try:
        ast.parse(text)
    except SyntaxError:
        return
    file = File('kernel.py', text.encode(), Settings())
    if file.kernels:
        ask_everything(file.kernels[number % len(file.kernels)], file)


names = st.sampled_from(['x', 'y', 'i', 'o', 'stride_xm', 'stride_yk', 'T', 'H', 'BT', 'FLAG', '3', '0', 'None', 'tl.int64'])
operators = st.sampled_from(['+', '-', '*', '//', '%', '<<', '&', '<', 'and', 'is'])
functions = st.sampled_from(['tl.load', 'tl.sum', 'tl.arange', 'tl.cdiv', 'tl.where', 'tl.trans', 'tl.zeros', 'min', 'helper'])
endings = st.sampled_from(['.to(tl.int64)', '[:, None]', '[0]', '.T', '.dtype', '.sum(0)', ' if FLAG else x'])
expressions = st.recursive(names, lambda inner: st.one_of(
    st.tuples(inner, operators, inner).map(lambda three: f'({" ".join(three)})'),
    st.tuples(functions, st.lists(inner, max_size=3)).map(lambda two: f'{two[0]}({", ".join(two[1])})'),
    st.tuples(inner, endings).map(lambda two: f'({two[0]}{two[1]})'),
    st.lists(inner, min_size=2, max_size=3).map(lambda several: f'({", ".join(several)})'),
), max_leaves=8)
statements = st.one_of(
    st.tuples(st.sampled_from(['i', 'o', 'x', 'T', 'i, o']), st.sampled_from(['=', '=', '+=', '*=']), expressions)
    .filter(lambda three: ',' not in three[0] or three[1] == '=').map(' '.join),
    expressions.map('tl.store({}, 0)'.format), expressions.map('if {}: i = o'.format), expressions.map('if {}: return'.format),
    st.tuples(expressions, expressions).map(lambda two: f'for i in range({two[0]}): o = {two[1]}'),
    st.tuples(expressions, expressions).map(lambda two: f'while {two[0]}: x += {two[1]}'),
    expressions.map('for j in tl.static_range({}): o = j * o'.format),
)


@given(st.lists(statements, max_size=6))
def test_any_statements(body: list[str]) -> None:
    lines = '\n'.join(f'    {line}' for line in ['i = tl.program_id(0)', 'o = i * BT', *body])
    text = f"""\
import triton
import triton.language as tl


@triton.jit
def helper(a, b):
    return a * b, a


@triton.jit
def kernel(x, y, T, stride_xm, stride_yk, H: tl.constexpr, BT: tl.constexpr, FLAG: tl.constexpr):
{lines}
"""
    file = File('kernel.py', text.encode(), Settings())
    ask_everything(file.kernels[-1], file)
