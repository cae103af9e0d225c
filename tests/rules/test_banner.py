# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""DOC106 banner over any mixture of code and comments."""

import ast
import re

from hypothesis import given
from hypothesis import strategies as st

from flakelint.engine.config import Config
from flakelint.engine.repair import mend
from flakelint.engine.runner import Job
from flakelint.engine.settings import Settings
from tests.rule_harness import registry

CHECKER = Job(Config(Settings(), (), {}, '.', None), registry(), ('DOC106',), 1).checker()
SIGNS = st.text('-=*~_# ab.|+>', max_size=12)
COMMENTS = st.one_of(
    SIGNS.map('#{}'.format),
    st.sampled_from(['# ------', '########', '# ---- words ----', '#### words', '# words', '#   words   #', '#']),
)
LINES = st.one_of(
    COMMENTS,
    st.just(''),
    COMMENTS.map('x = 1  {}'.format),
    COMMENTS.map('def f():\n    {}\n    return 1'.format),
    COMMENTS.map('y = """\n{}\n"""'.format),
)


@given(st.lists(LINES, max_size=8), st.sampled_from(['\n', '\r\n']), st.booleans())
def test_fixes_touch_comments_only_and_come_to_an_end(lines, newline, ends):
    before = ('\n'.join(lines) + '\n' * ends).replace('\n', newline)
    fixed = mend(before.encode(), 'x.py', CHECKER, allow_unsafe=False)
    assert not fixed.refused
    assert not fixed.findings
    after = fixed.data.decode()
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(before))
    assert re.findall(r'[a-z]', after) == re.findall(r'[a-z]', before)
    found = CHECKER.check('x.py', before.encode())
    assert bool(found) == bool(fixed.applied)
