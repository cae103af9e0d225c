# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The model gives the expressions of the kernels of fla the types that the compiler gives them."""

import pytest

pytest.importorskip('torch')
pytest.importorskip('triton')

from tests.compiler.agreement import UNKNOWN_SHARE, Judge, Verdict
from tests.compiler.test_fla_compiles import SIZES
from tests.compiler.worker import ROOT, Compiled, Request, compile_all


@pytest.fixture(scope='module')
def compiled() -> dict[str, list[Compiled]]:
    records = compile_all([Request('fla')])
    refused = [record.error for record in records if record.error]
    assert not refused
    return {kernel: [record for record in records if record.kernel == kernel] for kernel in SIZES}


@pytest.fixture(scope='module')
def judge() -> Judge:
    return Judge(ROOT, sorted((ROOT / 'fla').rglob('*.py')))


@pytest.fixture(scope='module')
def verdicts(compiled, judge) -> dict[str, Verdict]:
    return {kernel: judge.all(records) for kernel, records in compiled.items()}


@pytest.mark.parametrize('kernel', sorted(SIZES))
def test_types(kernel, compiled, verdicts):
    verdict = verdicts[kernel]
    print(f'{kernel}: {len(compiled[kernel])} variants; {verdict}')
    assert verdict.claims
    assert not verdict.disagreements, '\n'.join(verdict.disagreements)


@pytest.mark.parametrize('kernel', sorted(SIZES))
def test_every_variant_is_among_those_of_unknown_flags(kernel, compiled, judge):
    missed = [line for record in compiled[kernel] for line in judge.missed(record)]
    assert not missed, '\n'.join(missed)


def test_little_is_unknown(verdicts):
    total = Verdict()
    for verdict in verdicts.values():
        total.add(verdict)
    print(f'fla: {total}')
    assert total.share <= UNKNOWN_SHARE, total.unknown
