# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The model gives the expressions of the fixtures that hold kernels the types that the compiler gives them."""

import pytest

pytest.importorskip('torch')
pytest.importorskip('triton')

from tests.compiler.agreement import UNKNOWN_SHARE, Judge, Verdict
from tests.compiler.worker import Compiled, Request, compile_all
from tests.rules.test_kernels import FILES, FIXTURES

KERNELS = [path for path in FILES if path.relative_to(FIXTURES).parts[0].startswith('TRI')]


@pytest.fixture(scope='module')
def compiled() -> dict[str, list[Compiled]]:
    # a file whose kernels all call what only another repository has gives none
    found = {str(path): [] for path in KERNELS}
    for record in compile_all([Request(str(path)) for path in KERNELS]):
        found[record.path].append(record)
    return found


@pytest.fixture(scope='module')
def verdicts(compiled) -> dict[str, Verdict]:
    return {str(path): Judge(path.parent, [path]).all(compiled[str(path)]) for path in KERNELS}


@pytest.mark.parametrize('path', KERNELS, ids=lambda path: str(path.relative_to(FIXTURES)))
def test_types(path, compiled, verdicts):
    records, verdict = compiled[str(path)], verdicts[str(path)]
    taken = {record.kernel for record in records if not record.error}
    assert not [record.error for record in records if record.kernel not in taken]
    refused = sum(bool(record.error) for record in records)
    print(f'{path.relative_to(FIXTURES)}: {refused} of {len(records)} variants refused by the compiler; {verdict}')
    assert not verdict.disagreements, '\n'.join(verdict.disagreements)


def test_little_is_unknown(verdicts):
    total = Verdict()
    for verdict in verdicts.values():
        total.add(verdict)
    print(f'fixtures: {total}')
    assert total.share <= UNKNOWN_SHARE, total.unknown
