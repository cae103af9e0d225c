# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""For which lines a suppression comment speaks."""

import pytest

from flakelint.engine.checker import Checker
from flakelint.engine.repair import mend
from flakelint.engine.rule import Rule
from flakelint.engine.settings import Settings
from flakelint.source.file import SourceFile

CODE = 'TRI102'


@pytest.mark.parametrize(('text', 'lines'), [
    ('x = 1  # flakelint: ignore[TRI102] why\ny = 2\n', [1]),
    ('x = 1  # type: ignore  # flakelint: ignore[TRI102]\ny = 2\n', [1]),
    ('x = 1  # noqa: E501, TRI102\ny = 2\n', [1]),
    ('x = 1  # noqa: tri102\n', [1]),
    ('x = 1  # NoQA: TRI102\n', [1]),
    ('x = 1  # noqa\n', []),
    ('x = 1  # flakelint: ignore[TRI1]\n', []),
    ('# flakelint: ignore[TRI102]\nx = 1\ny = 2\n', [1, 2]),
    ('# flakelint: ignore[TRI102]\n# a note\n\nx = 1\ny = 2\n', [1, 2, 3, 4]),
    ('x = (\n    1,  # flakelint: ignore[TRI102]\n    2,\n)\n', [2]),
    ('def f():\n    """One.\n\n    Two.\n    """  # flakelint: ignore[TRI102]\n    return 1\n', [2, 3, 4, 5]),
    ('def f():\n    """One."""  # flakelint: ignore[TRI102]\n    return 1\n', [2]),
    ('x = 1 + \\\n    2 + \\\n    3  # flakelint: ignore[TRI102]\ny = 2\n', [1, 2, 3]),
    ('x = "a\\\nb"  # flakelint: ignore[TRI102]\ny = 2\n', [1, 2]),
    ('x = """a\nb""" + """c\nd"""  # flakelint: ignore[TRI102]\ny = 2\n', [1, 2, 3]),
    ('# a path: C:\\\nx = 1  # flakelint: ignore[TRI102]\n', [2]),
    ('x = "# flakelint: ignore[TRI102]"\n', []),
    ('"""\n# flakelint: ignore[TRI102]\n"""\nx = 1\n', []),
    ('x = 1\n# flakelint: file-ignore[TRI102] why\ny = 2', [1, 2, 3]),
])
@pytest.mark.parametrize('newline', ['\n', '\r\n'], ids=['lf', 'crlf'])
def test_lines(text, lines, newline):
    suppressions = SourceFile('', text.replace('\n', newline).encode()).suppressions
    assert [line for line in range(1, len(text.splitlines()) + 1) if suppressions.silence(CODE, (line,))] == lines


def fixed(text: str) -> str:
    class Unused(Rule):
        code, name = 'ENG004', 'unused-suppression'

    class Quiet(Rule):
        code, name = CODE, 'finds-nothing'

        def check_file(self, file):
            return ()

    checker = Checker([Unused(), Quiet()], [CODE, 'ENG004', 'TRI201'], Settings())
    return mend(text.encode(), 'x.py', checker, False).data.decode()


@pytest.mark.parametrize(('before', 'after'), [
    ('x = 1  # flakelint: ignore[TRI102] why\n', 'x = 1\n'),
    ('x = 1  # flakelint: ignore[TRI102] see #12, and more\n', 'x = 1\n'),
    ('x = 1  # flakelint: ignore[TRI102, TRI201] why\n', 'x = 1  # flakelint: ignore[TRI201] why\n'),
    ('x = 1  # a note # flakelint: ignore[TRI102] why\n', 'x = 1  # a note\n'),
    ('x = 1  # flakelint: ignore[TRI102] why # noqa: E501\n', 'x = 1  # noqa: E501\n'),
    ('x = 1  # noqa: E501, TRI102\n', 'x = 1  # noqa: E501\n'),
    ('# flakelint: file-ignore[TRI102] why\nx = 1\n', 'x = 1\n'),
])
def test_unused_codes_are_taken_away(before, after):
    assert fixed(before) == after
