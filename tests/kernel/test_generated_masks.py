# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Generated kernels whose answer is known: the mask rules find the bound that is gone, and nothing in kernels that have all of theirs."""

import importlib.util
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flakelint.engine.config import Config
from flakelint.engine.runner import Job
from flakelint.engine.settings import Settings
from tests.interpreter.harness import trace
from tests.kernel.tiled_kernels import NAME, Generated, faulty_kernels, sound_kernels, undefined_kernels
from tests.rule_harness import registry
from tests.tools import write

IS_FULL = os.environ.get('HYPOTHESIS_PROFILE') == 'full'
COUNT = 1000 if IS_FULL else 150
# how many of each kind are run
RUN = 15
RECALL = 0.95
CHECKER = Job(Config(Settings(), (), {}, '.', None), registry(), ('TRI202', 'TRI203', 'TRI204'), 1).checker()

Found = frozenset[tuple[str, int]]


def generated(kernels: st.SearchStrategy[Generated], count: int) -> list[Generated]:
    """Different kernels of a kind."""
    drawn: list[Generated] = []

    @settings(max_examples=count)
    @given(kernels)
    def draw(kernel: Generated) -> None:
        drawn.append(kernel)

    draw()
    return drawn


def found(kernel: Generated) -> Found:
    """What is found in a kernel, as code and line."""
    return frozenset((one.code, one.range.start.line) for one in CHECKER.check('kernel.py', kernel.text.encode()))


def checked(kernels: st.SearchStrategy[Generated]) -> list[tuple[Generated, Found]]:
    """Kernels of a kind, the shortest ones first, and what is found in them."""
    answers = [(kernel, found(kernel)) for kernel in generated(kernels, COUNT)]
    assert len(answers) >= 0.9 * COUNT
    return sorted(answers, key=lambda answer: len(answer[0].text))


def told(wrong: list[tuple[Generated, Found]]) -> str:
    """The shortest kernels for which the answer is wrong."""
    return '\n\n'.join(
        f'expected {sorted(kernel.expected)}, found {sorted(answer)}\n{kernel.text}' for kernel, answer in wrong[:3]
    ) + f'\n{len(wrong)} wrong'


def test_nothing_is_found_where_every_access_is_bounded() -> None:
    wrong = [(kernel, answer) for kernel, answer in checked(sound_kernels()) if answer]
    assert not wrong, told(wrong)


def test_a_bound_that_is_gone_is_found_and_nothing_else() -> None:
    answers = checked(faulty_kernels())
    missed = [(kernel, answer) for kernel, answer in answers if not kernel.expected <= answer]
    share = 1 - len(missed) / len(answers)
    print(f'{share:.1%} of {len(answers)} kernels that lack a bound are found')
    wrong = [(kernel, answer) for kernel, answer in answers if answer - kernel.expected]
    assert not wrong, told(wrong)
    assert share >= RECALL, told(missed)


def test_lanes_without_a_value_that_are_taken_in_are_found() -> None:
    wrong = [(kernel, answer) for kernel, answer in checked(undefined_kernels()) if answer != kernel.expected]
    assert not wrong, told(wrong)


def test_kernels_of_each_kind_say_what_they_lack() -> None:
    assert not any(kernel.expected for kernel in generated(sound_kernels(), RUN))
    for kernels, codes in ((faulty_kernels(), {'TRI202', 'TRI203'}), (undefined_kernels(), {'TRI204'})):
        drawn = generated(kernels, 4 * RUN)
        assert all(kernel.expected for kernel in drawn)
        assert {code for kernel in drawn for code, _ in kernel.expected} == codes


@pytest.mark.skipif(not IS_FULL, reason='the interpreter takes a second a kernel')
@pytest.mark.skipif(importlib.util.find_spec('triton') is None, reason='needs triton and torch')
def test_kernels_do_what_their_answer_says(tmp_path) -> None:
    kernels = {
        write(tmp_path / f'{kind}_{number}.py', kernel.text): kernel
        for kind, kinds in (('sound', sound_kernels()), ('faulty', faulty_kernels()))
        for number, kernel in enumerate(generated(kinds, RUN))
    }
    traces = trace(list(kernels))
    for path, kernel in kernels.items():
        seen = traces[path, NAME]
        # of twins under a flag one runs
        assert bool(seen.outside) == bool(kernel.expected), kernel.text
        assert set(seen.outside) <= {line for _, line in kernel.expected}, kernel.text
        # a store without a mask shows lanes without a value too
        assert kernel.expected or not seen.undefined, kernel.text
