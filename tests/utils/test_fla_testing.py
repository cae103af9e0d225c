# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import pytest

torch = pytest.importorskip('torch')
pytest.importorskip('triton')

from fla.utils import assert_close, device, get_abs_err, get_err_ratio  # noqa: E402


def test_errors():
    ref = torch.tensor([3., 4.], device=device)
    tri = torch.tensor([3., 5.], device=device)
    assert get_abs_err(ref, tri) == 1
    assert get_err_ratio(ref, tri) == pytest.approx(1 / 5)
    assert get_err_ratio(ref, ref) == 0
    assert get_err_ratio(ref[:0], ref[:0]) == 0


def test_assert_close_accepts(capsys):
    torch.manual_seed(42)
    ref = torch.randn(100, device=device)
    assert_close('o', ref, ref * 1.004, 0.005)
    assert 'ratio: 0.004' in capsys.readouterr().out
    assert_close('tiny', torch.zeros(3), torch.full((3,), 1e-7), 1e-9)
    assert_close('empty', ref[:0], ref[:0], 0.005)


@pytest.mark.parametrize(
    'spoil',
    [
        lambda x: x * 1.006,
        lambda x: x + 1e-2,
        lambda x: x.clone().fill_(float('inf')),
        lambda x: x[:-1],
        lambda x: torch.zeros_like(x),
    ],
    ids=['scaled', 'shifted', 'infinite', 'shorter', 'zero'],
)
def test_assert_close_refuses(spoil):
    torch.manual_seed(42)
    ref = torch.randn(100, device=device)
    with pytest.raises(AssertionError):
        assert_close('o', ref, spoil(ref), 0.005)


def test_assert_close_finds_nan_first():
    x = torch.ones(3, device=device)
    nan = torch.tensor([1., 1., float('nan')], device=device)
    for ref, tri in ((x, nan), (nan, x), (nan, nan)):
        with pytest.raises(AssertionError, match='NaN'):
            assert_close('o', ref, tri, 0.005, warning=True)


def test_assert_close_warns():
    x = torch.ones(3, device=device)
    with pytest.warns(UserWarning, match='ratio: 1.0'):
        assert_close('o', x, 2 * x, 0.005, warning=True)
