# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What `--fix` makes of this repository once its conventions are broken in a thousand places."""

import ast
import os
import random
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from flakelint.engine.config import load
from flakelint.engine.repair import mend
from flakelint.engine.runner import Job
from tests.rule_harness import registry
from tests.rules.fault_injection import Fault, broken, faults

ROOT = Path(__file__).parents[2]
FULL = os.environ.get('HYPOTHESIS_PROFILE') == 'full'
COUNT = 1000 if FULL else 200
# so many faults a file, at most
_MANY = 12
REPAIRED = 0.98
FOLDERS = ('fla', 'flakelint', 'rules', 'tests', 'scripts', 'docs')


@pytest.fixture(scope='module')
def checker():
    codes = [code for code in registry().codes() if code.startswith(('DOC', 'REP', 'TST')) or code == 'TRI405']
    return Job(load(str(ROOT)), registry(), tuple(codes), 1).checker()


def chosen(path: Path, text: str, dice: random.Random) -> list[Fault]:
    """Faults of one file, of as many kinds as there are, on lines that do not touch."""
    name = path.relative_to(ROOT).as_posix()
    by_kind: dict[str, list[Fault]] = {}
    for fault in faults(name, text):
        by_kind.setdefault(fault.code, []).append(fault)
    for kind in by_kind.values():
        dice.shuffle(kind)
    found: list[Fault] = []
    taken: set[int] = set()
    while len(found) < _MANY and any(by_kind.values()):
        for kind in by_kind.values():
            fault = kind.pop() if kind else None
            if fault is not None:
                lines = range(text.count('\n', 0, fault.start) - 1, text.count('\n', 0, fault.end) + 3)
                if taken.isdisjoint(lines):
                    taken.update(lines)
                    found.append(fault)
    return found[:_MANY]


def left(text: str, fixed: str, injected: list[Fault]) -> tuple[list[Fault], list[str]]:
    """The faults that are not mended, and the lines that differ elsewhere."""
    before, after = text.split('\n'), fixed.split('\n')
    unmended, elsewhere = [], []
    for kind, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == 'equal':
            continue
        near = [
            one for one in injected
            if first - 2 <= text.count('\n', 0, one.end) and text.count('\n', 0, one.start) <= last + 1
        ]
        unmended.extend(near)
        if not near:
            elsewhere.append('\n'.join(after[start:end]) or '\n'.join(before[first:last]))
    return unmended, elsewhere


def shape(text: str) -> str:
    """The syntax tree of a text without its docstrings, whatever the order of keyword arguments."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, 'body', None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body[0].value.value = ''
        if isinstance(node, ast.Call):
            node.keywords.sort(key=lambda one: one.arg or '')
    return ast.dump(tree)


def test_faults_are_mended_and_nothing_else_changes(checker):
    dice = random.Random(0)
    paths = sorted(
        path for folder in FOLDERS for kind in ('*.py', '*.md') for path in (ROOT / folder).rglob(kind)
        if 'fixtures' not in path.parts
    )
    dice.shuffle(paths)
    injected, missed = Counter(), []
    for path in paths:
        text, name = path.read_text(encoding='utf-8'), path.relative_to(ROOT).as_posix()
        found = chosen(path, text, dice)
        if not found or checker.check(name, text.encode()):
            continue
        data = broken(text, found).encode()
        fixed = mend(data, name, checker, allow_unsafe=False)
        assert not fixed.refused, name
        unmended, elsewhere = left(text, fixed.data.decode(), found)
        assert not elsewhere, f'{name}: {elsewhere}'
        if path.suffix == '.py':
            assert shape(fixed.data.decode()) in (shape(text), shape(data.decode()))
        injected.update(one.code for one in found)
        missed += [(name, one.code, text[one.start:one.end][:60], one.text[:60]) for one in unmended]
        if injected.total() >= COUNT:
            break
    print(f'{injected.total()} faults, {injected.total() - len(missed)} mended: {dict(injected)}')
    for one in missed:
        print('  left:', *one)
    assert injected.total() >= COUNT
    assert len(missed) <= (1 - REPAIRED) * injected.total(), missed
