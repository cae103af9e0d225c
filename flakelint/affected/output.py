# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The answer as text: for a shell, for programs, for people."""

import json
import shlex
from collections.abc import Callable, Mapping

from flakelint.affected.question import Answer
from flakelint.affected.selection import SETTINGS, Link, Selected, described
from flakelint.affected.shards import shares


def _line(answer: Answer) -> str:
    return shlex.join(one.path for one in answer.selected) + '\n'


def _lines(answer: Answer) -> str:
    return ''.join(f'{one.path}\n' for one in answer.selected)


def _null(answer: Answer) -> str:
    return ''.join(f'{one.path}\0' for one in answer.selected)


def _ids(answer: Answer) -> str:
    return ''.join(f'{one.path}{f"::{test}" if test else ""}\n' for one in answer.selected for test in one.tests or ('',))


def _json(answer: Answer) -> str:
    tests = [
        {'path': one.path, 'tests': list(one.tests), 'cause': one.cause, 'chain': [_link(link) for link in one.chain]}
        for one in answer.selected
    ]
    return json.dumps({'tests': tests, 'everything': list(answer.everything), 'total': answer.total}, indent=2) + '\n'


def _link(link: Link) -> dict[str, object]:
    return {
        'path': link.path, 'line': link.line, 'name': link.name, 'kind': link.kind,
        'to': {'path': link.to[0], 'name': link.to[1]},
    }


def _dot(answer: Answer) -> str:
    # what is drawn seldom need not be imported always
    from flakelint.affected import picture

    return picture.dot(answer)


def _html(answer: Answer) -> str:
    from flakelint.affected import picture

    return picture.page(answer)


GITHUB = 'github'
FORMATS: dict[str, Callable[[Answer], str]] = {
    'line': _line, 'lines': _lines, 'null': _null, 'ids': _ids, 'json': _json, 'dot': _dot, 'html': _html,
}


def github(answer: Answer, number: int, durations: Mapping[str, float]) -> str:
    """The tests as a matrix of jobs for GitHub's workflows, in one line.

    Args:
        answer (Answer):
            The tests.
        number (int):
            How many jobs there are at most.
        durations (Mapping[str, float]):
            How many seconds test files take, as far as that is known.
    """
    shared = shares((one.path for one in answer.selected), durations, number)
    jobs = [{'shard': place, 'tests': shlex.join(paths)} for place, paths in enumerate(shared, 1)]
    return json.dumps({'include': jobs}) + '\n'


def why_everything(answer: Answer) -> str:
    """Why all tests are selected."""
    return f'every test depends on {answer.everything[0]}, as far as the settings `affected` say'


def why(answer: Answer, path: str) -> str | None:
    """Why a test file is selected, in lines; None where it is not."""
    found = next((one for one in answer.selected if one.path == path), None)
    if found is None:
        return None
    if answer.everything:
        return f'{path}\n  {why_everything(answer)}\n'
    return f'{path}\n' + ''.join(f'  {line}\n' for line in _told(found))


def _told(selected: Selected) -> list[str]:
    if not selected.chain:
        return [f'{SETTINGS} name it' if selected.cause == SETTINGS else f'{selected.cause} is what changed']
    lines = [
        f'{link.path}:{link.line}: {f"`{link.name}`" if link.name else "its body"} leads to {described(link.to)} ({link.kind})'
        for link in selected.chain
    ]
    return [*lines, f'{selected.cause} changed']
