# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the messages of the rules say that Triton refuses, tried on Triton itself; run as a script it does the trying.

Triton's interpreter replaces what the compiler needs, so it is done in a process of its own.
"""

import json
import sys
from pathlib import Path

import pytest

from tests.compiler.apart import front_end, records

ROOT = Path(__file__).parents[2]

KERNEL = """
{decorators}
def scale_fwd_kernel(x, T, BT: tl.constexpr):
    o_t = tl.program_id(0) * BT + tl.arange(0, BT)
    {statement}
    tl.store(x + o_t, o_t, mask=o_t < T)
"""
HEURISTICS = "@triton.heuristics({'BT': lambda args: 64})"
CONFIGS = "configs=[triton.Config({'BT': 16}), triton.Config({'BT': 32})]"
# the decorators, a statement of the body, and what is raised; nothing where Triton takes it
CASES = {
    'sound': ("@triton.jit(do_not_specialize=['T'])", 'pass', ''),
    'TRI201 make_block_ptr': ('@triton.jit', 'tl.make_block_ptr(x, (T,), (1,), (0,), (BT,), (0,))', 'NotImplementedError'),
    'TRI201 advance': ('@triton.jit', 'tl.advance(x, (1,))', 'AttributeError'),
    'TRI201 method': ('@triton.jit', 'x.advance((1,))', 'NotImplementedError'),
    'TRI201 boundary_check on load': ('@triton.jit', 'tl.load(x, boundary_check=(0,))', 'TypeError'),
    'TRI201 padding_option on load': ('@triton.jit', "tl.load(x, padding_option='zero')", 'TypeError'),
    'TRI201 boundary_check on store': ('@triton.jit', 'tl.store(x, 1, boundary_check=(0,))', 'TypeError'),
    'TRI402 constant': ("@triton.jit(do_not_specialize=['BT'])", 'pass', 'CompilationError'),
    'TRI402 index of a constant': ('@triton.jit(do_not_specialize=[2])', 'pass', 'CompilationError'),
    'TRI402 no parameter': ("@triton.jit(do_not_specialize=['S', 7])", 'pass', ''),
    'TRI402 string': ("@triton.jit(do_not_specialize='T')", 'pass', 'TypeError'),
    'TRI501 sound': (f"@triton.autotune({CONFIGS}, key=['T'], reset_to_zero=['x'])\n@triton.jit", 'pass', ''),
    'TRI501 key': (f"@triton.autotune({CONFIGS}, key=['S'])\n@triton.jit", 'pass', 'ValueError'),
    'TRI501 reset_to_zero': (f"@triton.autotune({CONFIGS}, key=[], reset_to_zero=['y'])\n@triton.jit", 'pass', 'ValueError'),
    'TRI501 restore_value': (f"@triton.autotune({CONFIGS}, key=[], restore_value=['y'])\n@triton.jit", 'pass', 'ValueError'),
    'TRI501 string': (f"@triton.autotune({CONFIGS}, key='BT')\n@triton.jit", 'pass', 'ValueError'),
    'TRI501 string of one letter': (f"@triton.autotune({CONFIGS}, key='T')\n@triton.jit", 'pass', ''),
    'TRI507 sound': (f"{HEURISTICS}\n@triton.autotune({CONFIGS}, key=['T'])\n@triton.jit", 'pass', ''),
    'TRI507 jit above autotune': (f"@triton.jit\n@triton.autotune({CONFIGS}, key=['T'])", 'pass', 'AttributeError'),
    'TRI507 jit above heuristics': (f'@triton.jit\n{HEURISTICS}', 'pass', 'AttributeError'),
    'TRI507 jit between': (f"@triton.autotune({CONFIGS}, key=['T'])\n@triton.jit\n{HEURISTICS}", 'pass', 'AttributeError'),
}


def compile_module(path: Path) -> None:
    """Import a module, and compile its kernel to Triton's intermediate representation."""
    import importlib.util

    from triton.runtime.jit import JITFunction

    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = module.scale_fwd_kernel
    while not isinstance(kernel, JITFunction):
        kernel = kernel.fn
    front_end(kernel, {'x': '*i32', 'T': 'i32', 'BT': 'constexpr'}, {'BT': 16})


def main(folder: Path) -> None:
    for number, (case, (decorators, statement, _)) in enumerate(CASES.items()):
        path = folder / f'case_{number}.py'
        body = KERNEL.format(decorators=decorators, statement=statement)
        path.write_text(f'import triton\nimport triton.language as tl\n\n{body}')
        raised = []
        try:
            compile_module(path)
        except Exception as error:
            while error is not None:
                raised.append(f'{type(error).__name__}: {error}')
                error = error.__cause__
        print(json.dumps({'case': case, 'raised': raised}), flush=True)


@pytest.fixture(scope='module')
def raised(tmp_path_factory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp('cases')
    told = records(__file__, folder, cache=tmp_path_factory.mktemp('triton'), timeout=300)
    return {record['case']: record['raised'] for record in told}


@pytest.mark.parametrize('case', CASES)
def test_triton_refuses_what_the_rules_say(case, raised):
    expected = CASES[case][-1]
    # an error of the compiler may hold its cause only in its message
    assert any(expected in error for error in raised[case]) if expected else not raised[case]


if __name__ == '__main__':
    main(Path(sys.argv[1]))
