# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import re
from typing import TYPE_CHECKING

from flakelint.engine.config import nearest
from flakelint.engine.rule import Rule

if TYPE_CHECKING:
    from flakelint.engine.settings import CommitSettings

_SCISSORS = re.compile(r'# -+ >8 -+')
_BY_GIT = re.compile(
    r'(?:fixup|squash|amend)! |Merge (?:branch(?:es)?|tags?|commits?|pull request|remote-tracking) |(?:Revert|Reapply) "',
)
_BRACKET = re.compile(r'(?P<gap> *)\[(?P<word>[^\]]*)\]')
# a tag as other conventions write it: `fix: words`, `fix(gla): words`, `Fix words`
_BARE_TAG = re.compile(r'(?P<word>[A-Za-z]+)(?:\([^)]*\))?(?P<colon>:?)\s')


class CommitSubject(Rule):
    """A commit whose subject does not start with a known tag.

    ## What it does
    Looks at the first line of a commit message: one tag or more in brackets, then a space, then what the commit does, without a full stop at the end, and, where `max-length` is set, no longer than that. Tags and markers are those of the section `commits` of the settings: `tags`, `markers`, `max-length`. `flakelint commit-msg FILE` runs it, as git's `commit-msg` hook; no Python file is looked at.

    ## Why is this bad?
    The tag is how a reader of the history finds the commits of one operator, and how tools sort them; a subject without one, or with a tag spelled in a way of its own, is missed by both.

    ## Example
    ```text
    Speed up the backward pass
    fix: mask the last block
    [fix] mask the last block
    [Fx] Mask the last block
    [Fix]Mask the last block
    [Fix]
    [skip test] Explain the gate
    [Fix] Mask the last block.
    ```

    ## Use instead
    ```text
    [Perf] Speed up the backward pass
    [Fix] Mask the last block
    [Fix][KDA] Mask the last block
    [Docs] [skip test] Explain the gate
    fixup! [Fix] Mask the last block
    Merge branch 'main' into gates
    Revert "[Perf] Speed up the backward pass"
    ```

    ## Known limits
    Lines that start with `#` count as git's comments, whatever `core.commentChar` says. What git writes itself is let through: merges, reverts, and the prefixes `fixup!`, `squash!` and `amend!`. An empty message is for git to refuse.
    """

    code = 'REP106'
    name = 'commit-subject'
    severity = 'error'


def problems(message: str, settings: 'CommitSettings') -> list[str]:
    """What is wrong with the subject of a commit message, each in one line.

    Args:
        message (str):
            The message as git hands it to its `commit-msg` hook, comments included.
        settings (CommitSettings):
            The tags, the markers and the greatest length.
    """
    subject = subject_of(message)
    if not subject or _BY_GIT.match(subject):
        return []
    found = _tag_problems(subject, settings)
    text = subject[_bracketed(subject, settings)[1]:].strip()
    if not text:
        found.append('the subject says nothing: write what the commit does behind the tag')
    elif text.endswith('.') and not text.endswith('...'):
        found.append('the subject ends with a full stop: leave it out')
    if settings.max_length and len(subject) > settings.max_length:
        found.append(f'the subject has {len(subject)} characters, more than {settings.max_length}: shorten it')
    return found


def subject_of(message: str) -> str:
    """The first line of a message that is neither blank nor a comment; nothing where there is none."""
    for line in message.splitlines():
        if _SCISSORS.match(line):
            return ''
        if line.strip() and not line.startswith('#'):
            return line.strip()
    return ''


def _tag_problems(subject: str, settings: 'CommitSettings') -> list[str]:
    words, end = _bracketed(subject, settings)
    if not words:
        return [_no_tag(subject, settings)]
    found = []
    if words[0] in settings.markers:
        found.append(f'`[{words[0]}]` is no tag: put one before it, such as `[{settings.tags[0]}] [{words[0]}] ...`')
    known = _known(settings)
    found.extend(f'there is no tag `[{word}]`{_likely(word, known)}' for word in words if word not in known)
    if end < len(subject) and not subject[end].isspace():
        found.append(f'a space is missing behind the tag: write `{subject[:end]} {subject[end:]}`')
    return found


def _no_tag(subject: str, settings: 'CommitSettings') -> str:
    match = _BARE_TAG.match(subject)
    tag = match and _same_but_for_case(match['word'], settings.tags)
    if match and tag and (match['colon'] or match['word'] == tag):
        return f'the tag must stand in brackets: write `[{tag}] {subject[match.end():].strip()}`'
    tags = ', '.join(settings.tags)
    return f'the subject must start with a tag in brackets, such as `[{settings.tags[0]}] {subject}`; tags are {tags}'


def _likely(word: str, known: tuple[str, ...]) -> str:
    same = _same_but_for_case(word.strip(), known)
    if same:
        return f': write `[{same}]`'
    return nearest(word, known) or f'; tags are {", ".join(known)}'


def _known(settings: 'CommitSettings') -> tuple[str, ...]:
    return (*settings.tags, *settings.markers)


def _same_but_for_case(word: str, known: tuple[str, ...]) -> str | None:
    return next((one for one in known if one.lower() == word.lower()), None)


def _bracketed(subject: str, settings: 'CommitSettings') -> tuple[list[str], int]:
    """The bracketed words with which a subject starts, and the offset behind the last.

    Behind a space a bracket may be part of the text, so there it counts only if it holds a tag or a marker.
    """
    words = []
    end = 0
    while match := _BRACKET.match(subject, end):
        if match['gap'] and not (words and _same_but_for_case(match['word'], _known(settings))):
            break
        words.append(match['word'])
        end = match.end()
    return words, end
