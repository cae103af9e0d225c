# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Checking a file while it is edited: always what a fresh check finds, and never more work than the edit asks for."""

import ast
import random
from pathlib import Path

import pytest

from flakelint.engine.checker import Checker
from flakelint.engine.config import load
from flakelint.engine.context import File
from flakelint.engine.findings import Finding
from flakelint.engine.incremental import Incremental, StaleError
from flakelint.engine.registry import collect
from flakelint.engine.runner import Job
from flakelint.kernel.explanation import Explained
from flakelint.source.file import SourceFile
from flakelint.source.reuse import change, moves, take_over
from flakelint.source.text import LineTable

FIXTURES = Path(__file__).parent.parent / 'fixtures'
FILES = sorted(path for path in FIXTURES.glob('TRI*/*.py') if not path.name.endswith('.fixed.py'))
ROUNDS = 40

KERNELS = '''import triton
import triton.language as tl

SIZE = 64


@triton.jit
def first_bwd(x, y, N, D: tl.constexpr):
    i = tl.program_id(0)
    o = tl.arange(0, D)
    tl.store(y + i * N + o, tl.load(x + i * N + o))


@triton.jit
def second(x, y, N, D: tl.constexpr):
    i = tl.program_id(0)
    o = tl.arange(0, D)
    tl.store(y + i * N + o, tl.load(x + i * N + o))


def launch_first(x, y):
    first_bwd[(x.shape[0],)](x, y, x.shape[1], D=SIZE)


def launch_second(x, y):
    second[(x.shape[0],)](x, y, x.shape[1], D=SIZE)
'''


class Counting(Checker):
    """A checker that notes which kernels it looks at."""

    looked_at: list[str]

    def check_kernel(self, kernel, file):
        """As its base does."""
        self.looked_at.append(kernel.name)
        return super().check_kernel(kernel, file)


def _checker(preset: str = 'triton') -> Counting:
    config = load('/', None, {'preset': preset}, isolated=True)
    registry = collect(config)
    made = Job(config, registry, tuple(registry.selected(config.layers)), 1).checker()
    made.__class__ = Counting
    made.looked_at = []
    return made


def _edited(text: str, rnd: random.Random) -> str:
    """A text after something that people do."""
    lines = text.splitlines(True)
    number = rnd.randrange(len(lines))
    line = lines[number]
    body = line.rstrip('\n')
    kind = rnd.randrange(8)
    if kind == 0:
        lines[number] = f'\n{line}'
    elif kind == 1:
        lines[number] = ''
    elif kind == 2:
        lines[number] = f'{body}  # a remark\n'
    elif kind == 3:
        lines[number] = body.replace('tl.int64', 'tl.int32').replace(', mask=', ', other=') + '\n'
    elif kind == 4:
        lines[number] = f'{line}{line}'
    elif kind == 5:
        lines[number] = body.replace('*', '+', 1) + '\n'
    else:
        place = rnd.randrange(len(body) + 1)
        lines[number] = f'{body[:place]}{rnd.choice("abx0 +*,()#:")}{body[place:]}\n'
    return ''.join(lines)


@pytest.mark.parametrize('preset', ['triton', 'fla'])
def test_edits_find_what_a_fresh_check_finds(preset: str) -> None:
    rnd = random.Random(preset)
    checker = _checker(preset)
    compared = 0
    for path in rnd.sample(FILES, ROUNDS):
        text = path.read_text()
        incremental = Incremental(checker, path.name)
        incremental.check(text)
        for _ in range(12):
            new = _edited(text, rnd)
            found = incremental.check(new)
            if incremental.file.problem is None:
                compared += 1
                assert found == checker.check(path.name, new.encode()), f'{path}:\n{new}'
                assert _explained(incremental.file) == _explained(checker.open(path.name, new.encode()))
            if rnd.random() < (0.5 if incremental.file.problem is None else 0.1):
                text = new
    assert compared > 5 * ROUNDS


def _explained(file: File) -> list[str]:
    """What is known of the values of the kernels of a file."""
    lines = []
    for kernel in file.kernels:
        explained = Explained(file.model(kernel), file.settings.assume.sizes)
        for line in range(kernel.definition.lineno, kernel.definition.end_lineno + 1):
            lines.extend(explained.lines(file.path, line, None))
    return lines


def test_values_are_those_of_the_text_and_not_of_an_earlier_one() -> None:
    text = KERNELS.replace('SIZE = 64', 'SIZE: tl.constexpr = 64').replace('tl.arange(0, D)', 'tl.arange(0, SIZE)')
    checker = _checker()
    incremental = Incremental(checker, 'a.py')
    incremental.check(text)
    _ = _explained(incremental.file)
    other = text.replace('= 64', '= 99')
    for state in (f'{other}x = (\n', f'{other}x = ()\n'):
        incremental.check(state)
    assert _explained(incremental.file) == _explained(checker.open('a.py', f'{other}x = ()\n'.encode()))


SCALE = KERNELS[:KERNELS.index('SIZE')] + KERNELS[KERNELS.index('@'):KERNELS.index('\n\n\n@triton.jit\ndef second')]
GO = 'def go(x):\n    first_bwd[(3,)](x)\n'
IGNORED = '# flakelint: file-ignore[ENG001]\n'


@pytest.mark.parametrize('states', [
    [f'{SCALE}\n\n\n{GO}', f'{SCALE}\n\n\n{GO}\n\n{GO}', f'{SCALE}\n\n\n{GO}\n\n{GO}# more\n'],
    [f'{KERNELS}\n\n{KERNELS}', f'{KERNELS}\n\n{KERNELS}# more\n', f'# more\n{KERNELS}\n\n{KERNELS}# more\n'],
    [f'{SCALE}\n\n\n{SCALE}\n\n\n{GO}', f'{SCALE}\n\n\n{SCALE.replace("* N", "+ N")}\n\n\n{GO}'],
    [f'{KERNELS}\n\ndef f():\n    global first_bwd\n    first_bwd = 1\n', f'{KERNELS}\n\ndef f():\n    first_bwd = 1\n'],
    ['x = 1\n\ny = 2\n', 'x = 1\n\u00a0\ny = 2\n'],
    ['x = 1\n# a\ny = 2\n', 'x = 1\n# a\0\ny = 2\n'],
    ['x = 1\n# a\r# b\ny = 2\n', 'x = 1\n# c\r  foo(\ny = 2\n'],
    [f'{IGNORED}x = 1\n', f'{IGNORED}x = (\n'],
])
def test_edits_that_once_went_wrong(states: list[str]) -> None:
    checker = _checker()
    incremental = Incremental(checker, 'a.py')
    for text in states:
        assert incremental.check(text) == checker.check('a.py', text.encode())


def test_other_files_that_change_while_this_one_cannot_be_parsed(tmp_path: Path) -> None:
    (tmp_path / 'flakelint.toml').write_text('')
    other = tmp_path / 'other.py'
    helper = 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef wide(x):\n    return x.to(tl.int64)\n'
    text = KERNELS.replace('SIZE = 64', 'from other import wide\n\nSIZE = 64').replace('i * N', 'wide(i) * N')
    config = load(str(tmp_path))
    registry = collect(config)
    job = Job(config, registry, tuple(registry.selected(config.layers)), 1)
    other.write_text(helper)
    incremental = Incremental(job.checker(), 'a.py')
    assert not _found(incremental.check(text), 'TRI101')
    incremental.check(f'{text}z = (\n')
    other.write_text(helper.replace('int64', 'int32'))
    incremental.rebase(job.checker())
    assert _found(incremental.check(text), 'TRI101')


def test_a_line_that_a_backslash_joins_is_not_parsed_by_itself() -> None:
    before = 'x = 1 \\\n\ny = 2\n'
    for line in ('z', '-1'):
        after = SourceFile('a.py', before.replace('\n\n', f'\n{line}\n').encode())
        fresh = SourceFile('a.py', after.text.encode())
        take_over(SourceFile('a.py', before.encode()), after)
        assert (after.problem is None, len(after.statements)) == (fresh.problem is None, len(fresh.statements))


def _found(findings: list[Finding], code: str) -> list[int]:
    return [finding.range.start.line for finding in findings if finding.code == code]


def test_only_the_edited_kernel_is_looked_at() -> None:
    checker = _checker()
    incremental = Incremental(checker, 'a.py')
    incremental.check(KERNELS)
    checker.looked_at.clear()
    for text in (KERNELS.replace('i * N', 'i * D', 1), KERNELS, f'# more\n\n{KERNELS}', KERNELS):
        incremental.check(text)
    assert checker.looked_at == ['first_bwd']
    incremental.check(KERNELS.replace('x.shape[1], D', '4, D', 1))
    assert checker.looked_at == ['first_bwd', 'first_bwd'], 'what a launch passes matters to its kernel'
    incremental.check(KERNELS.replace('SIZE = 64', 'SIZE = 128'))
    assert checker.looked_at[2:] == ['first_bwd', 'second'], 'constants of the module matter to all kernels'


def test_findings_move_with_their_lines() -> None:
    incremental = Incremental(_checker(), 'a.py')
    before = _found(incremental.check(KERNELS), 'TRI101')
    after = _found(incremental.check(KERNELS.replace('SIZE', '\n\nSIZE', 1)), 'TRI101')
    assert before and after == [line + 2 for line in before]


def test_a_broken_function_keeps_what_was_found_but_for_the_edited_line() -> None:
    incremental = Incremental(_checker(), 'a.py')
    incremental.check(KERNELS)
    broken = KERNELS.replace('    o = tl.arange(0, D)', '    o = tl.arange(0, D', 1).replace('SIZE = 64', '\nSIZE = 64')
    findings = incremental.check(broken)
    assert _found(findings, 'TRI101') == [10, 17]
    assert len(_found(findings, 'ENG001')) == 1
    assert all(finding.fix is None for finding in findings)
    findings = incremental.check(KERNELS.replace('    i = tl.program_id(0)', '    i = tl.program_id(0', 1))
    assert _found(findings, 'TRI101') == [16]


def test_a_file_that_is_broken_from_the_first() -> None:
    incremental = Incremental(_checker(), 'a.py')
    findings = incremental.check(KERNELS.replace('SIZE = 64', 'SIZE = ('))
    assert _found(findings, 'TRI101') == [9, 16]


def test_a_check_that_nobody_waits_for_is_given_up() -> None:
    checker = _checker()
    incremental = Incremental(checker, 'a.py')
    with pytest.raises(StaleError):
        incremental.check(KERNELS, lambda: True)
    assert not checker.looked_at
    assert _found(incremental.check(KERNELS), 'TRI101') == [9, 16]


@pytest.mark.parametrize(('before', 'after', 'first', 'last', 'moved'), [
    ('a\nb\nc\n', 'a\nB\nc\n', 2, 2, 0),
    ('a\nb\nc\n', 'a\nx\nb\nc\n', 2, 1, 1),
    ('a\nb\nc\n', 'a\nc\n', 2, 2, -1),
    ('a\nb\nc\n', 'a\nb\nc\n', 4, 3, 0),
    ('a\r\nb\r\n', 'a\r\nbb\r\n', 2, 2, 0),
    ('', 'a\n', 1, 0, 1),
])
def test_what_changed(before: str, after: str, first: int, last: int, moved: int) -> None:
    assert change(LineTable(before), LineTable(after)) == (first, last, moved)


def test_where_lines_stand_now() -> None:
    where = moves(LineTable('a\nb\nc\nd\ne\n'), LineTable('a\nB\nc\nnew\nd\ne!\n'))
    assert [where(line) for line in range(1, 6)] == [1, None, 3, 5, None]


def test_what_was_not_edited_is_not_parsed_again() -> None:
    before = SourceFile('a.py', KERNELS.encode())
    after = SourceFile('a.py', KERNELS.replace('i * N', 'N * i', 1).encode())
    take_over(before, after)
    kept = [one is other for one, other in zip(before.statements, after.statements, strict=True)]
    assert kept == [True, True, True, False, True, True, True]


@pytest.mark.parametrize('text', [
    KERNELS.replace('SIZE = 64', 'SIZE = 64\n\nWIDE = 99\n'),
    KERNELS.replace('SIZE = 64\n', ''),
    KERNELS.replace('    i = tl.program_id(0)\n', '    i = tl.program_id(0)\n    # here\n\n', 1),
    KERNELS.replace('SIZE = 64', '    \n# SIZE\n'),
])
def test_below_an_added_line_the_trees_move(text: str) -> None:
    before, fresh = SourceFile('a.py', KERNELS.encode()), SourceFile('a.py', text.encode())
    after = SourceFile('a.py', text.encode())
    last = before.statements[-1]
    give_back = take_over(before, after)
    assert after.statements[-1] is last
    assert _dumped(after) == _dumped(fresh)
    assert [(one.first_line, one.last_line) for one in after.units] == [(one.first_line, one.last_line) for one in fresh.units]
    give_back()
    assert _dumped(before) == _dumped(SourceFile('a.py', KERNELS.encode()))


def _dumped(file: SourceFile) -> str:
    return ast.dump(ast.Module(file.statements, []), include_attributes=True)


def test_a_check_that_is_given_up_leaves_the_trees_where_they_were() -> None:
    checker = _checker()
    incremental = Incremental(checker, 'a.py')
    incremental.check(KERNELS)
    later = KERNELS.replace('SIZE = 64', '\n\nSIZE = 64').replace('N: tl', 'M: tl')
    with pytest.raises(StaleError):
        incremental.check(later, lambda: True)
    assert _dumped(incremental.file) == _dumped(SourceFile('a.py', KERNELS.encode()))
    text = KERNELS.replace('    o = tl', '    # here\n    o = tl', 1)
    assert incremental.check(text) == checker.check('a.py', text.encode())


def test_a_name_that_nothing_binds_leaves_what_is_known_of_the_module() -> None:
    incremental = Incremental(_checker(), 'a.py')
    incremental.check(KERNELS)
    for line in ('unbound', 'unbound\n    other'):
        known = incremental.file.bindings
        incremental.check(KERNELS.replace('    i = tl', f'    {line}\n    i = tl', 1))
        assert incremental.file.bindings is known
    incremental.check(KERNELS.replace('    i = tl', '    SIZE\n    i = tl', 1))
    assert incremental.file.bindings is not known


def test_a_launch_that_names_a_kernel_in_a_class() -> None:
    text = 'import triton\n\n\nclass Norm:\n    @triton.jit\n    def inner(x):\n        pass\n'
    checker = _checker('fla')
    incremental = Incremental(checker, 'a.py')
    for state in (text, f'{text}\n\ninner[(4,)](1)\n'):
        assert incremental.check(state) == checker.check('a.py', state.encode())


@pytest.mark.parametrize('line', ['SIZE = (64', '"""', '    x = 1', '@triton.jit', 'else:', 'x = 1 \\', '# SIZE'])
def test_what_an_edit_breaks_is_seen(line: str) -> None:
    text = KERNELS.replace('SIZE = 64', line)
    before, fresh = SourceFile('a.py', KERNELS.encode()), SourceFile('a.py', text.encode())
    after = SourceFile('a.py', text.encode())
    take_over(before, after)
    assert (after.problem is None) == (fresh.problem is None)
    if fresh.problem is not None:
        assert after.problem.position == fresh.problem.position
