# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""REP106 commit-subject over whole messages; its documentation's examples are run here too."""

import pytest

from flakelint.engine.documentation import sections
from flakelint.engine.settings import CommitSettings
from flakelint.rules.rep.rep106_commit_subject import CommitSubject, problems, subject_of
from tests.rule_harness import fences

SETTINGS = CommitSettings()


def subjects(section):
    return [line for _, content in fences(sections(CommitSubject)[section]) for line in content.splitlines()]


@pytest.mark.parametrize('subject', subjects('Example'))
def test_documented_faults(subject):
    assert problems(subject, SETTINGS)


@pytest.mark.parametrize('subject', subjects('Use instead'))
def test_documented_look_alikes(subject):
    assert problems(subject, SETTINGS) == []


@pytest.mark.parametrize(('subject', 'advice'), [
    ('[fix] mask the last block', 'write `[Fix]`'),
    ('[ Fix ] mask the last block', 'write `[Fix]`'),
    ('[CHORE] sort imports', 'write `[chore]`'),
    ('[Refactro] move helpers', 'did you mean `Refactor`?'),
    ('[XYZ-123456] move helpers', 'tags are Fix, Misc'),
    ('[Fix][kda] mask the last block', 'write `[KDA]`'),
    ('[Docs] [Skip test] explain the gate', 'write `[skip test]`'),
    ('fix: mask the last block', 'write `[Fix] mask the last block`'),
    ('fix(gla): mask the last block', 'write `[Fix] mask the last block`'),
    ('Docs explain the gate', 'write `[Docs] explain the gate`'),
    ('Mask the last block', 'such as `[Fix] Mask the last block`'),
    ('[Fix]mask the last block', 'write `[Fix] mask the last block`'),
    ('[Fix]: mask the last block', 'a space is missing'),
    ('[skip test] explain the gate', 'put one before it'),
    ('[Fix]', 'says nothing'),
    ('[Docs] [skip test]', 'says nothing'),
    ('[Fix] mask the last block.', 'leave it out'),
    ('[] mask the last block', 'tags are Fix'),
    ('[Fix mask the last block', 'must start with a tag'),
    ('Merged the branches', 'must start with a tag'),
    ('Reverting the mask', 'must start with a tag'),
])
def test_says_what_to_write(subject, advice):
    found = problems(subject, SETTINGS)
    assert any(advice in text for text in found), found
    assert all('\n' not in text for text in found)


@pytest.mark.parametrize('subject', [
    '[Fix] Mask the last block',
    '[chore] sort imports',
    '[CI] Run on 3.13',
    '[Ops] [KDA] Add the chunked form',
    '[Ops][KDA][skip test] Add the chunked form',
    '[Docs] [skip test] Explain the gate',
    '[Fix] [B, T, H] layouts are accepted',
    '[Fix] Index with x[0]',
    '[Misc] Wait for it...',
    '[Perf] 2x faster',
    '[Docs] Say what e.g. means',
    'fixup! [Fix] Mask the last block.',
    'squash! anything',
    'amend! [Fix] Mask',
    "Merge branch 'main'",
    "Merge branches 'a' and 'b' into main",
    "Merge tag 'v1'",
    'Merge pull request #12 from x/y',
    "Merge remote-tracking branch 'origin/main'",
    'Revert "[Perf] Speed up"',
    'Reapply "[Perf] Speed up"',
])
def test_accepts(subject):
    assert problems(subject, SETTINGS) == []


@pytest.mark.parametrize(('message', 'subject'), [
    ('', ''),
    ('\n# Please enter the message\n', ''),
    ('\n\n[Fix] Mask\n\nBody.\n', '[Fix] Mask'),
    ('# On branch main\n[Fix] Mask\n', '[Fix] Mask'),
    ('[Fix] Mask  \r\n\r\nBody\r\n', '[Fix] Mask'),
    ('# ------------------------ >8 ------------------------\ndiff --git a/x b/x\n', ''),
])
def test_subject_is_what_git_takes(message, subject):
    assert subject_of(message) == subject


def test_an_empty_message_is_for_git_to_refuse():
    assert problems('# only comments\n', SETTINGS) == []


def test_length_counts_where_it_is_limited():
    subject = '[Fix] ' + 'x' * 60
    assert problems(subject, CommitSettings(max_length=66)) == []
    (text,) = problems(subject, CommitSettings(max_length=65))
    assert '66 characters, more than 65' in text


def test_tags_and_markers_are_settings():
    own = CommitSettings(tags=('core', 'web'), markers=('no ci',))
    assert problems('[core] [no ci] start', own) == []
    assert problems('[Fix] start', own)
