# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Our positions of libcst nodes are libcst's own."""

import sys
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from flakelint.source.file import SourceFile
from flakelint.source.positions import Spans
from flakelint.source.walk import buckets, function_definitions
from tests.tools import REPOSITORY

FOLDERS = ('flakelint', 'rules', 'fla', 'benchmarks', 'tests/fixtures')
FILES = sorted(path for folder in FOLDERS for path in (REPOSITORY / folder).rglob('*.py'))

AWKWARD = """\
\f
@decorator  # why
@other(1,
       2)
async def f(a, /, b: int = 3, *c, d=(1, 2), **e) -> 'x':  # note
    '''Text
    of two lines.'''
    x = [  # here
        a [ 1 : 2 ] ,   -b ** 2,
    ] ; y = not (a)
    if x :
        pass
    elif y: return

    else :
        try: raise E from None
        except* (A, B) as error: ...
    with (open('a') as g, h): await g
    s = f"{x!r:>{y}} é" "two"  'three'
    return lambda *, k=1: (yield)

class C (Base, metaclass = M) : z: int = 1
for i , j in k : break
while (n := 1) : continue
"""
if sys.version_info < (3, 11):
    AWKWARD = AWKWARD.replace('except*', 'except')


@pytest.mark.parametrize('path', FILES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_positions_are_those_of_libcst(path: Path) -> None:
    file = SourceFile(path.name, path.read_bytes())
    for unit in file.units:
        _compare(unit, file)


def test_positions_of_awkward_layout() -> None:
    for newline in ('\n', '\r\n'):
        file = SourceFile('awkward.py', AWKWARD.replace('\n', newline).encode())
        kinds = [type(node).__name__ for unit in file.units for node in unit.nodes]
        assert kinds == ['AsyncFunctionDef', 'ClassDef', 'For', 'While']
        for unit in file.units:
            _compare(unit, file)


def _compare(unit, file: SourceFile) -> None:
    wrapper = MetadataWrapper(unit.tree, unsafe_skip_copy=True)
    assert wrapper.module.code == unit.text
    expected = wrapper.resolve(PositionProvider)
    for nodes in buckets(unit.tree).values():
        for node in nodes:
            place = unit.range(node)
            start, end = expected[node].start, expected[node].end
            first = unit.first_line - 1
            assert (place.start.line - first, place.start.column - 1) == (start.line, start.column), node
            if not isinstance(node, cst.Module):
                assert (place.end.line - first, place.end.column - 1) == (end.line, end.column), node


def test_function_definitions_come_in_source_order() -> None:
    text = 'if a:\n    def f():\n        def g(): pass\n    class C:\n        def h(self): pass\nelse:\n    def k(): pass\n' \
           'try:\n    def l(): pass\nexcept E:\n    def m(): pass\nelse:\n    def n(): pass\nfinally:\n    def o(): pass\n'
    found = [node.name.value for node in function_definitions(cst.parse_module(text))]
    assert found == ['f', 'g', 'h', 'k', 'l', 'm', 'n', 'o']


class _Interrupted(cst.Name):
    def _codegen_impl(self, state, **_) -> None:
        raise KeyboardInterrupt


def test_what_interrupts_the_counting_comes_out_as_it_is() -> None:
    # a statement's place ends where its body ends, which is not known where it is cut short before its body
    module = cst.parse_module('def f():\n    if x: return\n')
    name = next(node for node in buckets(module)['Name'] if node.value == 'x')
    with pytest.raises(KeyboardInterrupt):
        Spans(module.deep_replace(name, _Interrupted('x')))
