# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the messages of the family TRI5 say of tuning, tried on Triton's own tuner; run as a script it does the trying.

Nothing is compiled: where Triton would launch a kernel, it is noted what the kernel would be given, and a tensor notes what is done to it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.compiler.apart import records

ROOT = Path(__file__).parents[2]

TWO = "configs=[triton.Config({'BT': 16}), triton.Config({'BT': 32})], key=['n']"
ONE = "configs=[triton.Config({'BT': 16})], key=['n']"
JIT = 'triton.jit'
SIZE = "triton.heuristics({'BT': lambda args: 64})"
FLAG = "triton.heuristics({'FLAG': lambda args: 1})"
READS = "triton.heuristics({'FLAG': lambda args: args['BT']})"
# the decorators from the top, and what a launch raises, or else what becomes of the tensor and the values of `BT`
CASES: dict[str, tuple[list[str], Any]] = {
    'TRI502 two configurations': ([f'autotune({TWO})', JIT], [[], [16, 32, 16]]),
    'TRI502 one configuration': ([f'autotune({ONE})', JIT], [[], [16]]),
    'TRI502 restore_value': ([f"autotune({TWO}, restore_value=['x'])", JIT], [['clone', 'copy_'] * 2, [16, 32, 16]]),
    'TRI502 reset_to_zero': ([f"autotune({TWO}, reset_to_zero=['x'])", JIT], [['zero_'] * 3, [16, 32, 16]]),
    'TRI502 a hook that clones': (
        [f"autotune({TWO}, pre_hook=lambda args, reset_only=False: args.update(x=args['x'].clone()))", JIT],
        [['clone'] * 3, [16, 32, 16]],
    ),
    'TRI503 key': ([f'autotune({TWO})', JIT, 'again'], [[], [16, 32, 16, 16]]),
    'TRI503 flag in the key': ([f"autotune({TWO[:-1]}, 'FLAG'])", JIT, 'again'], [[], [16, 32, 16, 16, 32, 16]]),
    'TRI504 sound': ([f'autotune({TWO}, {{prune}}lambda configs, args, **rest: configs[:1]}})', JIT], [[], [16]]),
    'TRI504 no keywords': ([f'autotune({TWO}, {{prune}}lambda configs, args: configs}})', JIT], 'TypeError'),
    'TRI504 too few': ([f'autotune({TWO}, {{prune}}lambda configs, **rest: configs}})', JIT], 'TypeError'),
    'TRI504 only the grid': ([f'autotune({TWO}, {{prune}}lambda configs, args, grid: configs}})', JIT], 'TypeError'),
    'TRI504 what is forwarded': (
        [f'autotune({TWO}, {{prune}}lambda configs, args, grid, warmup: configs[:1]}})', JIT], [[], [16]],
    ),
    'TRI504 one configuration': ([f'autotune({ONE}, {{prune}}lambda configs, args: configs}})', JIT], [[], [16]]),
    'TRI505 pre_hook beside reset_to_zero': (
        [f"autotune({TWO}, reset_to_zero=['x'], pre_hook=lambda args, reset_only=False: None)", JIT], [[], [16, 32, 16]],
    ),
    'TRI505 pre_hook beside restore_value': (
        [f"autotune({TWO}, restore_value=['x'], pre_hook=lambda args, reset_only=False: None)", JIT], [[], [16, 32, 16]],
    ),
    'TRI505 post_hook beside restore_value': (
        [f"autotune({TWO}, restore_value=['x'], post_hook=lambda args, exception: None)", JIT], [['clone'] * 2, [16, 32, 16]],
    ),
    'TRI505 post_hook beside reset_to_zero': (
        [f"autotune({TWO}, reset_to_zero=['x'], post_hook=lambda args, exception: None)", JIT], [['zero_'] * 3, [16, 32, 16]],
    ),
    'TRI505 one configuration': ([f"autotune({ONE}, reset_to_zero=['x'])", JIT], [[], [16]]),
    'TRI507 heuristics above autotune': ([FLAG, f'autotune({TWO})', JIT], [[], [16, 32, 16]]),
    'TRI507 both set it': ([SIZE, f'autotune({TWO})', JIT], 'ValueError'),
    'TRI507 both set it, one configuration': ([SIZE, f'autotune({ONE})', JIT], 'TypeError'),
    'TRI507 heuristics win': ([f'autotune({TWO})', SIZE, JIT], [[], [64, 64, 64]]),
    'TRI507 read too early': ([READS, f'autotune({TWO})', JIT], 'KeyError'),
    'TRI507 read in time': ([f'autotune({TWO})', READS, JIT], [[], [16, 32, 16]]),
}


class Tensor:
    """A tensor that notes what is done to it."""

    dtype = 'fp32'

    def __init__(self) -> None:
        self.log: list[str] = []

    def clone(self) -> 'Tensor':
        self.log.append('clone')
        return Tensor()

    def zero_(self) -> None:
        self.log.append('zero_')

    def copy_(self, other: 'Tensor') -> None:
        self.log.append('copy_')


def scale_fwd_kernel(x, n, BT, FLAG=0):
    pass


def launched(decorators: list[str]) -> list:
    """What a launch does; a last decorator `again` stands for a second one with another flag."""
    import triton
    from triton.runtime.jit import JITFunction

    sizes: list[int] = []
    JITFunction.run = lambda self, *args, **keywords: sizes.append(keywords['BT'])
    bench = {'do_bench': lambda call, quantiles: [call(), (1.0,) * 3][1]}
    is_repeated = decorators[-1] == 'again'
    kernel: Any = scale_fwd_kernel
    for text in reversed(decorators[:-1] if is_repeated else decorators):
        if text.startswith('autotune('):
            text = f'triton.{text[:-1]}, **bench)'.replace('{prune}', "prune_configs_by={'early_config_prune': ")
        kernel = eval(text, {'triton': triton, 'bench': bench})(kernel)
    tensor = Tensor()
    kernel[(1,)](tensor, 7)
    if is_repeated:
        kernel[(1,)](tensor, 7, FLAG=1)
    return [tensor.log, sizes]


def main() -> None:
    for case, (decorators, _) in CASES.items():
        try:
            found: Any = launched(decorators)
        except Exception as error:
            found = type(error).__name__
        print(json.dumps({'case': case, 'found': found}), flush=True)


@pytest.fixture(scope='module')
def found() -> dict[str, Any]:
    pytest.importorskip('triton')
    return {record['case']: record['found'] for record in records(__file__, timeout=300)}


@pytest.mark.parametrize('case', CASES)
def test_the_tuner_does_what_the_rules_say(case, found):
    assert found[case] == CASES[case][1]


if __name__ == '__main__':
    main()
