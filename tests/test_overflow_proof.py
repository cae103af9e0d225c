# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Kernels that wrap past 2**31 elements: what `--fix` makes of them, and that they were run as they stand."""

import importlib.util
import itertools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.overflow.run import FOLDER, KERNELS, VERSIONS, digest, is_right, proves, source, table
from tests.tools import REPOSITORY, clean_environment, flakelint

RECORD = (REPOSITORY / 'docs' / 'overflow_proof.md').read_text(encoding='utf-8')
NEEDED_MEMORY = 14 * 2**30


@pytest.fixture(scope='module')
def measurements() -> list[dict]:
    """The measurements in the record."""
    lines = re.search(r'^```json\n(.*?)^```$', RECORD, re.MULTILINE | re.DOTALL)[1].splitlines()
    return [json.loads(line) for line in lines[1:]]


def _free_memory() -> int:
    if any(importlib.util.find_spec(name) is None for name in ('torch', 'triton')):
        return 0
    import torch

    return torch.cuda.mem_get_info()[0] if torch.cuda.is_available() else 0


def _run() -> subprocess.CompletedProcess:
    command = [sys.executable, FOLDER / 'run.py']
    return subprocess.run(command, env=clean_environment(), capture_output=True, text=True, check=False)


@pytest.mark.parametrize('kernel', KERNELS)
def test_one_finding_and_its_fix_are_the_whole_difference(kernel: str, tmp_path: Path) -> None:
    copy = Path(shutil.copy(source(kernel, 'unfixed'), tmp_path))
    options = (copy.name, '--isolated', '--preset', 'triton', '--no-cache')
    report = flakelint('check', *options, '--output-format', 'json', cwd=tmp_path)
    assert [finding['code'] for finding in json.loads(report.stdout)['findings']] == ['TRI101'], report.stderr
    result = flakelint('check', '--fix', *options, cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert copy.read_bytes() == source(kernel, 'fixed').read_bytes()


@pytest.mark.parametrize('version', VERSIONS)
@pytest.mark.parametrize('kernel', KERNELS)
def test_every_version_is_right_at_a_small_size(kernel: str, version: str) -> None:
    pytest.importorskip('torch')
    pytest.importorskip('triton')
    from benchmarks.overflow.measure import measure
    from fla.utils import device

    found = measure(kernel, version, 'small', device)
    assert is_right(found), found
    assert found['results'] > 0


def unpadded(text: str) -> str:
    """A text without what lines up the pipes of its tables."""
    return re.sub('-+', '-', re.sub(' +', ' ', text))


def test_the_record_is_of_the_kernels_as_they_stand(measurements: list[dict]) -> None:
    assert proves(measurements)
    assert {one['source'] for one in measurements} == {digest(*case) for case in itertools.product(KERNELS, VERSIONS)}
    assert all(one['source'] == digest(one['kernel'], one['version']) for one in measurements)
    assert unpadded(table(measurements)) in unpadded(RECORD)


def test_nothing_is_proven_where_a_measurement_is_missing_or_says_otherwise(measurements: list[dict]) -> None:
    for number, one in enumerate(measurements):
        rest = measurements[:number] + measurements[number + 1:]
        other = {**one, 'wrong': 1, 'overwritten': 0} if is_right(one) else {**one, 'wrong': 0, 'overwritten': 0}
        if not is_right(one):
            other.pop('error', None)
        assert not proves(rest)
        assert not proves([*rest, other])


def test_without_a_device_one_line_says_so() -> None:
    if _free_memory() > 0:
        pytest.skip('there is a device')
    result = _run()
    assert result.returncode == 2
    assert result.stdout == ''
    assert len(result.stderr.splitlines()) == 1


def test_the_proof() -> None:
    if _free_memory() < NEEDED_MEMORY:
        pytest.skip('needs a CUDA device with enough memory')
    result = _run()
    assert result.returncode == 0, result.stdout + result.stderr
