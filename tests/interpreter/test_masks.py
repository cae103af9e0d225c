# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the fixtures of the mask rules claim is true when they run: faulty lines touch what is not theirs, and sound kernels never do."""

import re

import pytest

pytest.importorskip('torch')
pytest.importorskip('triton')

from tests.interpreter.harness import launches, trace
from tests.rule_harness import FIXED, FIXTURES, fixture_files
from tests.tools import write

# what a fault of each rule shows: an address outside the tensor, or a lane without a value in a result
KINDS = {'TRI202': 'outside', 'TRI203': 'outside', 'TRI204': 'undefined', 'TRI210': 'outside'}
FILES = [(code, path) for code in KINDS for path in fixture_files(code)]
FAULTY = [case for case in FILES if not case[1].name.startswith('sound_')]
MENDED = [
    (code, fixed) for code, path in FAULTY for suffix in FIXED
    if (fixed := path.with_name(path.name.removesuffix('.py') + suffix)).exists()
]
SOUND = [case for case in FILES if case[1].name.startswith('sound_')]

PROBE = """\
import triton
import triton.language as tl


@triton.jit
def fetch(p, offs, n):
    return tl.load(p + offs, mask=offs < n)


# run: probe_kernel: grid=(2,), x=f(6), w=f(6), y=f(2), z=f(7),
#   n=6, BLOCK=4
@triton.jit
def probe_kernel(x, w, y, z, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    b_x = fetch(x, offs, n)
    b_w = tl.load(w + offs)
    tl.store(y + pid, tl.max(b_x, 0))
    tl.store(
        z + offs,
        b_w,
    )
    tl.atomic_add(z + offs - 1, b_w, mask=offs < n)
    tl.store(z + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


# run: far_kernel: grid=(1,), x=f(6), ids=ints([1, 2, 3]), y=h(4), BLOCK=4
@triton.jit
def far_kernel(x, ids, y, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(y + offs, tl.load(x + offs + (1 << 40), mask=offs > 2, other=0.0).to(tl.float16))
    tl.store(ids + offs, tl.load(ids + offs, mask=offs < 3), mask=offs < 3)
    total = tl.sum(tl.where(offs < 3, tl.load(ids + offs, mask=offs < 3), 0), 0)
    tl.store(y, total.to(tl.float16))
"""


@pytest.fixture(scope='module')
def traces():
    found = {}
    for (path, kernel), seen in trace([path for _, path in (*FILES, *MENDED)]).items():
        found.setdefault(path, {})[kernel] = seen
    return found


def faulty_lines(path) -> set[int]:
    return {number for number, line in enumerate(path.read_text().splitlines(), 1) if '# expect:' in line}


def by_name(value) -> str:
    return value if isinstance(value, str) else str(value.relative_to(FIXTURES / value.parts[len(FIXTURES.parts)]))


@pytest.mark.parametrize(('code', 'path'), FILES, ids=by_name)
def test_every_kernel_has_a_launch(code, path, traces):
    text = path.read_text()
    kernels = re.findall(r'^def (\w+_kernel)\(', text, re.MULTILINE)
    assert kernels == list(launches(text)) == list(traces[path])


@pytest.mark.parametrize(('code', 'path'), FAULTY, ids=by_name)
def test_faults_are_real(code, path, traces):
    kind, expected, found = KINDS[code], faulty_lines(path), set()
    for kernel, seen in traces[path].items():
        lines = getattr(seen, kind)
        assert lines.keys() & expected, f'{kernel} does no harm where it is said to be faulty'
        # a second fault of the same vector is not reported, one of another kind belongs in another file
        assert not any(getattr(seen, other) for other in set(KINDS.values()) - {kind}), kernel
        found |= lines.keys()
    assert expected <= found


@pytest.mark.parametrize(('code', 'path'), MENDED, ids=by_name)
def test_fixes_mend(code, path, traces):
    left = faulty_lines(path)
    for kernel, seen in traces[path].items():
        assert getattr(seen, KINDS[code]).keys() <= left, kernel


@pytest.mark.parametrize(('code', 'path'), SOUND, ids=by_name)
def test_sound_kernels_are_sound(code, path, traces):
    assert not {kernel: seen for kernel, seen in traces[path].items() if seen.outside or seen.undefined}


def test_harness_sees_what_leaves_a_tensor_and_what_has_no_value(tmp_path):
    path = write(tmp_path / 'probe.py', PROBE)
    lines = {line.strip(): number for number, line in enumerate(PROBE.splitlines(), 1)}
    seen = trace([path])
    probe, far = seen[path, 'probe_kernel'], seen[path, 'far_kernel']
    assert probe.outside == {
        lines['b_w = tl.load(w + offs)']: ['load w[6]', 'load w[7]'],
        lines['tl.store(']: ['store z[7]'],
        lines['tl.atomic_add(z + offs - 1, b_w, mask=offs < n)']: ['atomic z[-1]'],
    }
    assert probe.undefined == {lines['return tl.load(p + offs, mask=offs < n)']: ['y']}
    assert [len(what) for what in far.outside.values()] == [1]
    assert not far.undefined
