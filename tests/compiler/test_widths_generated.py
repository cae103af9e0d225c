# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The model gives the expressions of random kernels the types that the compiler gives them.

`python -m tests.compiler.generate SEED` prints a kernel, `python -m tests.compiler.shrink SEED` the part of it that matters.
"""

import os

import pytest

pytest.importorskip('torch')
pytest.importorskip('triton')

from tests.compiler.agreement import UNKNOWN_SHARE, Judge
from tests.compiler.generate import NAME, generate
from tests.compiler.worker import Request, compile_all

COUNT, BATCH = (2000, 200) if os.environ.get('HYPOTHESIS_PROFILE') == 'full' else (120, 60)
# the generator knows most of what the compiler refuses
REFUSED_SHARE = 0.15


@pytest.mark.parametrize('first', range(0, COUNT, BATCH))
def test_types(first, tmp_path):
    requests = []
    for seed in range(first, first + BATCH):
        path = tmp_path / f'seed_{seed}.py'
        generated = generate(seed)
        path.write_text(generated.text)
        requests.append(Request(str(path), [(NAME, generated.types, generated.constants)]))
    records = compile_all(requests)
    refused = [record for record in records if record.error]
    verdict = Judge(tmp_path, [tmp_path / f'seed_{seed}.py' for seed in range(first, first + BATCH)]).all(records)
    print(f'seeds from {first}: {len(refused)} of {len(records)} refused by the compiler; {verdict}')
    assert not verdict.disagreements, '\n'.join(verdict.disagreements)
    assert verdict.share <= UNKNOWN_SHARE
    assert len(refused) <= REFUSED_SHARE * len(records)
