# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What launches show of the parameters of kernels, and of their grids."""

from pathlib import Path

import pytest

from flakelint.kernel.launches import Passed
from tests.kernel.repositories import COPY, IMPORTS, facts, host, kernels, passed, repository


@pytest.mark.parametrize(
    ('setup', 'value', 'expected'),
    [
        ('', '3', {'kind': 'number', 'value': 3}),
        ('', '-1', {'kind': 'number', 'value': -1}),
        ('', '0.5', {'kind': 'number', 'value': 0.5}),
        ('', '2 * 64', {'kind': 'number', 'value': 128}),
        ('', 'None', {'kind': 'none'}),
        ('', 'True', {'kind': 'flag', 'value': True}),
        ('', '"relu"', {'kind': 'string', 'value': 'relu'}),
        ('', 'n', {'kind': 'unknown'}),
        ('', 'x.stride(0)', {'kind': 'stride', 'tensor': 'x', 'axis': 0}),
        ('', 'x.stride()[1]', {'kind': 'stride', 'tensor': 'x', 'axis': 1}),
        ('', 'x.stride(dim=0)', {'kind': 'stride', 'tensor': 'x', 'axis': 0}),
        ('', 'x.shape[1]', {'kind': 'size', 'tensor': 'x', 'axis': 1}),
        ('', 'x.size(0)', {'kind': 'size', 'tensor': 'x', 'axis': 0}),
        ('', 'x.size()[0]', {'kind': 'size', 'tensor': 'x', 'axis': 0}),
        ('', 'x.shape[n]', {'kind': 'size', 'tensor': 'x'}),
        ('', 'x.shape[-1]', {'kind': 'size', 'tensor': 'x', 'axis': -1}),
        ('B, T, H = x.shape', 'x.shape[-1]', {'kind': 'size', 'tensor': 'x', 'axis': 2, 'rank': 3}),
        ('B, T, H = x.shape', 'x.stride(-2)', {'kind': 'stride', 'tensor': 'x', 'axis': 1, 'rank': 3}),
        ('B, T, H = x.shape', 'T', {'kind': 'size', 'tensor': 'x', 'axis': 1, 'rank': 3}),
        ('B, T = x.shape[:2]', 'T', {'kind': 'size', 'tensor': 'x', 'axis': 1}),
        ('T, H = x.shape[1:]', 'H', {'kind': 'size', 'tensor': 'x', 'axis': 2, 'rank': 3}),
        ('T, H = x.shape[-2:]', 'T', {'kind': 'size', 'tensor': 'x', 'axis': -2}),
        ('B, *rest, H = x.shape', 'H', {'kind': 'size', 'tensor': 'x', 'axis': -1}),
        ('B, *rest, H = x.shape', 'B', {'kind': 'size', 'tensor': 'x', 'axis': 0}),
        ('s0, s1 = x.stride()', 's1', {'kind': 'stride', 'tensor': 'x', 'axis': 1, 'rank': 2}),
        ('y = x\nB, T, H, K, V = *x.shape, y.shape[-1]', 'K', {'kind': 'size', 'tensor': 'x', 'axis': 3, 'rank': 4}),
        ('', 'x.numel()', {'kind': 'size', 'tensor': 'x', 'head': 'numel'}),
        ('T = 4\nT = x.shape[0]', 'T', {'kind': 'size', 'tensor': 'x', 'axis': 0}),
        ('', 'x is not None', {'kind': 'flag', 'head': 'is not'}),
        ('', 'not n', {'kind': 'flag', 'head': 'not'}),
        ('', 'torch.float32', {'kind': 'dtype', 'dtype': 'float32'}),
        ('', 'tl.int64', {'kind': 'dtype', 'dtype': 'int64'}),
        ('x = x.to(torch.int32)', 'x.dtype', {'kind': 'dtype', 'dtype': 'int32', 'tensor': 'x'}),
        ('y = torch.empty(4, 8)', 'y.shape[1]', {'kind': 'size', 'tensor': 'y', 'axis': 1, 'rank': 2}),
        ('', 'int(x.shape[0])', {'kind': 'size', 'tensor': 'x', 'axis': 0}),
        ('', 'f(n)', {'kind': 'unknown'}),
        ('n += 1', 'n', {'kind': 'expression', 'head': '+'}),
    ],
)
def test_what_is_passed(tmp_path: Path, setup: str, value: str, expected: dict) -> None:
    found = facts(passed(tmp_path, setup, value))
    found.pop('operands', None)
    assert found == expected


@pytest.mark.parametrize(
    ('setup', 'value', 'text', 'head'),
    [
        ('B, T = x.shape\nNT = triton.cdiv(T, BT)', 'NT', 'cdiv(T, BT)', 'cdiv'),
        ('B, T = x.shape', 'B * T', 'B * T', '*'),
        ('B, T = x.shape\nM = B * T', 'M // n - 1', 'B * T // n - 1', '-'),
        ('B, T = x.shape\nM = B + T', 'n * M', 'n * (B + T)', '*'),
        ('', 'min(n, 64)', 'min(n, 64)', 'min'),
        ('', 'triton.next_power_of_2(n)', 'next_power_of_2(n)', 'next_power_of_2'),
        ('', 'len(n) - 1', 'len(n) - 1', '-'),
        ('for i in range(n):\n    pass', 'n - 2 ** n ** 2', 'n - 2 ** n ** 2', '-'),
    ],
)
def test_expressions_are_spelled_with_their_definitions(tmp_path: Path, setup: str, value: str, text: str, head: str) -> None:
    found = passed(tmp_path, setup, value, 'x, n, BT')
    assert (found.kind, found.text, found.head) == ('expression', text, head)


def test_operands_are_there(tmp_path: Path) -> None:
    found = passed(tmp_path, 'B, T, H = x.shape\nNT = triton.cdiv(T, BT)', 'NT * H', 'x, n, BT')
    product, heads = found.operands
    assert (product.head, [one.text for one in product.operands]) == ('cdiv', ['T', 'BT'])
    assert (heads.kind, heads.tensor, heads.axis) == ('size', 'x', 2)


@pytest.mark.parametrize(
    ('setup', 'expected'),
    [
        ('x.contiguous()', {'kind': 'tensor'}),
        ('y = x.shape', {'kind': 'tensor'}),
        ('B, T, H = x.shape', {'kind': 'tensor', 'rank': 3}),
        ('assert x.ndim == 2', {'kind': 'tensor', 'rank': 2}),
        ('assert x.dim() == 2 and x.is_contiguous()', {'kind': 'tensor', 'rank': 2}),
        ('assert len(x.shape) == 2', {'kind': 'tensor', 'rank': 2}),
        ('if x.ndim != 2:\n    raise ValueError', {'kind': 'tensor', 'rank': 2}),
        ('assert x.dtype == torch.int64 and x.is_cuda', {'kind': 'tensor', 'dtype': 'int64'}),
        ('B, T, H = x.shape\nx = x.contiguous()', {'kind': 'tensor', 'rank': 3}),
        ('x = x.contiguous()\nB, T, H = x.shape', {'kind': 'tensor', 'rank': 3}),
        ('B, T, H = x.shape\nx = x.to(torch.int32)', {'kind': 'tensor', 'rank': 3, 'dtype': 'int32'}),
        ('B, T, H = x.shape\nx = x.long()[:, None, 0]', {'kind': 'tensor', 'rank': 3, 'dtype': 'int64', 'contiguous': False}),
        ('B, T, H = x.shape\nx = x.unsqueeze(0).transpose(1, 2)', {'kind': 'tensor', 'rank': 4, 'contiguous': False}),
        ('x = torch.LongTensor(n).to(y.device)', {'kind': 'tensor', 'dtype': 'int64'}),
        ('x = torch.arange(4)', {'kind': 'tensor', 'rank': 1, 'dtype': 'int64', 'dims': ('4',)}),
        ('x = torch.empty(n, 8, dtype=torch.int32)', {'kind': 'tensor', 'rank': 2, 'dtype': 'int32', 'dims': ('n', '8')}),
        ('x = torch.empty((n, 8))', {'kind': 'tensor', 'rank': 2, 'dims': ('n', '8')}),
        ('x = n.new_zeros(n.shape[0], 8)', {'kind': 'tensor', 'rank': 2, 'dims': ('n.shape[0]', '8')}),
        ('a, b = n.shape\nx = torch.empty_like(n)', {'kind': 'tensor', 'rank': 2}),
        ('a, b = n.shape\nx = torch.empty(n.shape)', {'kind': 'tensor', 'rank': 2, 'dims': ('n.shape[0]', 'n.shape[1]')}),
        ('a, b = n.shape\nx = torch.empty(*n.shape, 3)',
         {'kind': 'tensor', 'rank': 3, 'dims': ('n.shape[0]', 'n.shape[1]', '3')}),
        ('x = n.view(-1, 8) if n.is_cuda else n.reshape(8, 8)', {'kind': 'tensor', 'rank': 2}),
        ('x = torch.empty(1, 2) if n else None', {'kind': 'tensor', 'rank': 2, 'optional': True, 'dims': ('1', '2')}),
        ('x, y = n.saved_tensors', {'kind': 'tensor'}),
        ('x = f(n)', {'kind': 'unknown'}),
        ('x = f(n)\ng(x.stride(0))', {'kind': 'tensor'}),
        ('pass', {'kind': 'unknown'}),
        ('if x.ndim == 2:\n    M, N = x.shape\nelse:\n    B, M, N = x.shape', {'kind': 'tensor'}),
        ('if x.ndim == 2:\n    M, N = x.shape', {'kind': 'tensor'}),
        ('if n:\n    M, N = x.shape\nelse:\n    B, M, N = x.shape', {'kind': 'tensor'}),
        ('if n:\n    x = x.view(1, 2)\nelse:\n    x = x.view(1, 2, 3)', {'kind': 'tensor'}),
    ],
)
def test_tensors(tmp_path: Path, setup: str, expected: dict) -> None:
    launch = host(tmp_path, f'{setup}\ncopy[(1,)](x, x, 1, 1)')
    found = facts(launch.parameters['x'])
    if 'dims' in found:
        found['dims'] = tuple(one.text for one in found['dims'])
    assert found == expected


@pytest.mark.parametrize(
    ('annotation', 'expected'),
    [
        ('torch.Tensor', {'kind': 'tensor'}),
        ('"torch.Tensor"', {'kind': 'tensor'}),
        ('torch.Tensor | None', {'kind': 'tensor', 'optional': True}),
        ('Optional[torch.LongTensor]', {'kind': 'tensor', 'optional': True}),
        ('list[torch.Tensor]', {'kind': 'unknown'}),
        ('int', {'kind': 'unknown', 'dtype': 'int'}),
        ('bool', {'kind': 'flag', 'dtype': 'bool'}),
    ],
)
def test_annotations_are_evidence(tmp_path: Path, annotation: str, expected: dict) -> None:
    assert facts(passed(tmp_path, '', 'n', f'x, n: {annotation}')) == expected


@pytest.mark.parametrize(
    ('setup', 'expected'),
    [
        ('if x:\n    n = 32\nelse:\n    n = 64', [32, 64]),
        ('n = 32 if x else 64', [32, 64]),
        ('n = 16\nif x:\n    n = 32\nelif y:\n    n = 64', [32, 64, 16]),
        ('n = 32\nif x:\n    n = 64\n    n = 32', 32),
        ('if x:\n    raise ValueError\nelse:\n    n = 32', 32),
        ('if x:\n    n = 32\nelse:\n    return', 32),
        ('try:\n    n = 32\nexcept OSError:\n    n = 64', [32, 64]),
        ('n = 32\nfor i in range(4):\n    n = f(n)', None),
        ('n = 32\nfor i in range(4):\n    f(n)', 32),
        ('n = 32\nwhile f():\n    n += 1', None),
        ('if x:\n    n = f()\nelse:\n    n = 64', None),
        ('with f() as n:\n    n = 32', 32),
        ('match x:\n    case 1:\n        n = 32\n    case _:\n        n = 64', None),
    ],
)
def test_branches(tmp_path: Path, setup: str, expected: int | list[int] | None) -> None:
    found = passed(tmp_path, setup, 'n', 'x, y, n')
    if found.head == 'either':
        assert [one.value for one in found.operands] == expected
    else:
        assert (found.kind, found.value) == ('unknown' if expected is None else 'number', expected)


@pytest.mark.parametrize(
    ('setup', 'grid', 'expected'),
    [
        ('', '(n,)', ['n']),
        ('', 'n, 4', ['n', '4']),
        ('g = (n, 4)', 'g', ['n', '4']),
        ('', '(triton.cdiv(n, 64), n * 2)', ['cdiv(n, 64)', 'n * 2']),
        ('', 'lambda meta: (triton.cdiv(n, meta["B"]),)', ['cdiv(n, B)']),
        ('g = lambda META: (triton.cdiv(n, META["B"]), 1)', 'g', ['cdiv(n, B)', '1']),
        ('def g(meta):\n    b = meta["B"]\n    return triton.cdiv(n, b), 1', 'g', ['cdiv(n, B)', '1']),
        ('def g(meta):\n    if n:\n        return n, 1\n    return n, 2', 'g', ['n', '']),
        ('B, T = x.shape', 'x.shape', ['x.shape[0]', 'x.shape[1]']),
        ('g = (n,) + (4,)', 'g', ['n', '4']),
        ('g = f()', 'g', None),
        ('', 'f()', None),
        ('g = (n, *x)', 'g', None),
        ('g = (n,) if x else (n, 1)', 'g', None),
        ('g = (n, 1) if x else (n, 2)', 'g', ['n', '']),
    ],
)
def test_grids(tmp_path: Path, setup: str, grid: str, expected: list[str] | None) -> None:
    launch = host(tmp_path, f'{setup}\ncopy[{grid}](x, x, n, 1)')
    axes = None if launch.grid is None else [axis.text for axis in launch.grid]
    assert axes == expected


def test_the_parameter_of_a_grid_is_marked(tmp_path: Path) -> None:
    launch = host(tmp_path, 'copy[lambda meta: (triton.cdiv(n, meta["B"]),)](x, x, n, 1)')
    assert [(one.head, one.text) for one in launch.grid[0].operands] == [('', 'n'), ('parameter', 'B')]


@pytest.mark.parametrize(
    ('call', 'expected'),
    [
        ('copy[(1,)](x, y, n, 1)', {'x': 'x', 'y': 'y', 'n': 'n', 'stride': '1', 'B': '64', 'FLAG': 'False'}),
        ('copy[(1,)](y=y, x=x, n=n, stride=1, B=8, num_warps=4)',
         {'x': 'x', 'y': 'y', 'n': 'n', 'stride': '1', 'B': '8', 'FLAG': 'False'}),
        ('copy[(1,)](x, y, *x.stride(), n)', {'x': 'x', 'y': 'y', 'n': '', 'stride': '', 'B': '', 'FLAG': ''}),
        ('a, b = x.shape\ncopy[(1,)](x, y, *x.stride())',
         {'x': 'x', 'y': 'y', 'n': 'x.stride(0)', 'stride': 'x.stride(1)', 'B': '64', 'FLAG': 'False'}),
        ('copy[(1,)](x, y, **f())', {'x': 'x', 'y': 'y', 'n': '', 'stride': '', 'B': '', 'FLAG': ''}),
        ('k = dict(n=n, stride=1)\nk["B"] = 16\ncopy[(1,)](x, y, **k)',
         {'x': 'x', 'y': 'y', 'n': 'n', 'stride': '1', 'B': '16', 'FLAG': 'False'}),
        ('k = {"n": n, **{"stride": 1}}\ncopy[(1,)](x, y, **k)',
         {'x': 'x', 'y': 'y', 'n': 'n', 'stride': '1', 'B': '64', 'FLAG': 'False'}),
        ('k = {"n": n}\nk.update(f())\ncopy[(1,)](x, y, **k)',
         {'x': 'x', 'y': 'y', 'n': '', 'stride': '', 'B': '', 'FLAG': ''}),
        ('args = (x, y, n, 1)\ncopy[(1,)](*args)', {'x': 'x', 'y': 'y', 'n': 'n', 'stride': '1', 'B': '64', 'FLAG': 'False'}),
        ('copy.run(x, y, n, 1, grid=(1,), warmup=False)',
         {'x': 'x', 'y': 'y', 'n': 'n', 'stride': '1', 'B': '64', 'FLAG': 'False'}),
        ('copy.warmup(x, y, n, 1, grid=(1,))', {'x': 'x', 'y': 'y', 'n': 'n', 'stride': '1', 'B': '64', 'FLAG': 'False'}),
    ],
)
def test_arguments_are_bound(tmp_path: Path, call: str, expected: dict[str, str]) -> None:
    launch = host(tmp_path, call, 'x, y, n')
    assert {name: one.text for name, one in launch.parameters.items()} == expected
    assert list(launch.parameters) == list(expected)


def test_what_a_decorator_fills_in_is_not_passed(tmp_path: Path) -> None:
    tuned = (
        '@triton.heuristics({"FLAG": lambda args: args["x"] is not None})\n'
        '@triton.autotune([triton.Config({"B": 32})], key=[])\n'
    )
    text = f'{IMPORTS}\n{tuned}{COPY}\ndef run(x):\n    copy[(1,)](x, x, 1, 1)\n'
    whole = repository(tmp_path, {'a.py': text})
    (launch,) = whole.launches(kernels(whole, 'a.py')['copy'])
    assert list(launch.parameters) == ['x', 'y', 'n', 'stride']


@pytest.mark.parametrize(
    ('files', 'expected'),
    [
        ({'b.py': 'from a import copy\n\nRUN copy<<<'}, [('b.py', 4)]),
        ({'b.py': 'import a\n\nRUN a.copy<<<'}, [('b.py', 4)]),
        ({'b.py': 'RUN from a import copy as k\n    k<<<'}, [('b.py', 3)]),
        ({'b.py': 'from a import *\n\nRUN copy<<<'}, [('b.py', 4)]),
        ({'p/__init__.py': 'from a import copy as renamed\n', 'b.py': 'import p\n\nRUN p.renamed<<<'},
         [('b.py', 4)]),
        ({'b.py': 'from a import copy\n\nRUN fn = copy\n    fn<<<'}, [('b.py', 5)]),
        ({'b.py': 'from a import copy\nfn = copy\n\nRUN fn<<<'}, [('b.py', 5)]),
        ({'b.py': 'from a import copy\nKERNELS = {"copy": copy}\n\nRUN KERNELS["copy"]<<<'},
         [('b.py', 5)]),
        ({'b.py': 'from torch.library import wrap_triton\nfrom a import copy\n\nRUN wrap_triton(copy)<<<'},
         [('b.py', 5)]),
        ({'b.py': 'from a import copy\ntuned = triton.autotune([], [])(copy)\n\nRUN tuned<<<'},
         [('b.py', 5)]),
        ({'b.py': 'from a import copy\n\nRUN copy.fn.fn<<<'}, [('b.py', 4)]),
        ({'b.py': 'import a\n\nclass Op:\n    @staticmethod\n    def forward(ctx, x):\n        a.copy<<<'}, [('b.py', 6)]),
        ({'b.py': 'from a import copy\n\nRUN def inner():\n        copy<<<    inner()\n'}, [('b.py', 5)]),
        ({'b.py': 'from a import copy\nx = 1\nif x:\n    copy<<<'}, [('b.py', 4)]),
        ({'b.py': 'from a import copy\n\nRUN return [copy<<< for _ in x]\n'}, [('b.py', 4)]),
        ({'b.py': 'from a import copy\n\nRUN copy(x, x, 1, 1)\n    copy[0]\n'}, []),
        ({'b.py': 'from a import copy\nfrom c import copy as other\n\nRUN k = copy if x else other\n    k<<<',
          'c.py': f'{IMPORTS}{COPY}'}, [('b.py', 6)]),
        ({'b.py': 'from a import copy\nfrom c import copy as other\n\nRUN k = other\n    if x:\n        k = copy\n    k<<<',
          'c.py': f'{IMPORTS}{COPY}'}, [('b.py', 8)]),
        ({'b.py': 'from a import copy\n\nRUN k = copy if x else load(x)\n    k<<<'}, []),
        ({'b.py': 'try:\n    from a import copy\nexcept ImportError:\n    from c import copy\n\nRUN copy<<<',
          'c.py': f'{IMPORTS}{COPY}'}, []),
        ({'b.py': 'from a import copy\n\ndef run(x, copy):\n    copy<<<'}, []),
        ({'b.py': 'from a import copy\n\ndef run(x:\n    copy<<<'}, []),
    ],
)
def test_launches_are_found_across_modules(tmp_path: Path, files: dict[str, str], expected: list[tuple[str, int]]) -> None:
    spelled = {'RUN ': 'def run(x):\n    ', '<<<': '[(1,)](x, x, 1, 1)\n'}
    for path, text in files.items():
        files = {**files, path: text.replace('RUN ', spelled['RUN ']).replace('<<<', spelled['<<<'])}
    whole = repository(tmp_path, {'a.py': f'{IMPORTS}\n\n{COPY}', **files})
    launches = whole.launches(kernels(whole, 'a.py')['copy'])
    assert [(launch.path, launch.line) for launch in launches] == expected


def test_launches_of_a_kernel_in_a_function(tmp_path: Path) -> None:
    kernel = ''.join(f'    {line}\n' for line in COPY.splitlines())
    whole = repository(tmp_path, {'a.py': f'{IMPORTS}\n\ndef run(x):\n{kernel}    copy[(1,)](x, x, 7, 1)\n'})
    (launch,) = whole.launches(kernels(whole, 'a.py')['run.copy'])
    assert launch.parameters['n'] == Passed('number', '7', value=7)


def test_constants_of_modules_are_numbers(tmp_path: Path) -> None:
    text = (
        'from a import copy\nfrom sizes import B as BLOCK\nN = 8\n\n'
        'def run(x):\n    copy[(BLOCK,)](x, x, N, x.shape[0] * BLOCK, BLOCK)\n'
    )
    files = {'a.py': f'{IMPORTS}\n\n{COPY}', 'sizes.py': 'B = 16\n', 'b.py': text}
    whole = repository(tmp_path, files)
    (launch,) = whole.launches(kernels(whole, 'a.py')['copy'])
    assert launch.parameters['n'] == Passed('number', 'N', value=8)
    assert launch.parameters['B'] == Passed('number', 'BLOCK', value=16)
    assert launch.parameters['stride'].operands[1].value == 16
    assert launch.grid == (Passed('number', 'BLOCK', value=16),)


def test_the_launches_of_a_text_that_is_not_saved_count(tmp_path: Path) -> None:
    text = f'{IMPORTS}\n\n{COPY}\n\ndef run(x):\n    copy[(1,)](x, x, 1, 1)\n'
    whole = repository(tmp_path, {'a.py': text, 'b.py': 'import a\n\ndef run(x):\n    a.copy[(1,)](x, x, 2, 1)\n'})
    edited = kernels(whole, 'a.py', text.replace('copy[(1,)](x, x, 1, 1)', 'copy[(1,)](x, x, 3, 1)'))['copy']
    assert [launch.parameters['n'].value for launch in whole.launches(edited)] == [3, 2]
    assert [launch.parameters['n'].value for launch in whole.launches(kernels(whole, 'a.py')['copy'])] == [1, 2]


@pytest.mark.parametrize(
    ('setup', 'expected'),
    [
        ('y = torch.empty(4)', True),
        ('y = torch.empty_like(x)', True),
        ('y = x.new_empty(4)', True),
        ('y: torch.Tensor = torch.empty(4)', True),
        ('y, z = torch.empty(4), torch.zeros(4)', True),
        ('y = torch.zeros(4)\ny = torch.empty(4)', True),
        ('y = torch.empty(4)\nassert y.is_contiguous() and y.shape[0] == n', True),
        ('y = torch.empty(4)\nif n:\n    y = torch.empty(4)', False),
        ('y = torch.zeros(4)', False),
        ('y = torch.empty(4).view(2, 2)', False),
        ('y = torch.empty(4)\ny.zero_()', False),
        ('y = torch.empty(4)\nif n:\n    y.zero_()', False),
        ('y = torch.empty(4)\nf(y)', False),
        ('y = torch.empty(4)\ny[0] = 1', False),
        ('y = torch.empty(4)\nz = y', False),
        ('y = z = torch.empty(4)', False),
        ('y = torch.empty(4)\ndef g():\n    y.zero_()', False),
        ('y = torch.empty(4) if n else torch.zeros(4)', False),
        ('y = x', False),
    ],
)
def test_what_holds_no_values(tmp_path: Path, setup: str, expected: bool) -> None:
    launch = host(tmp_path, f'{setup}\ncopy[(1,)](x, y, y.numel(), 1)')
    assert launch.parameters['y'].fresh is expected
    assert not launch.parameters['x'].fresh


def test_a_launch_gives_values(tmp_path: Path) -> None:
    body = '    y = torch.empty(4)\n    copy[(1,)](x, y, 4, 1)\n    copy[(1,)](x, y, 4, 1)\n'
    whole = repository(tmp_path, {'a.py': f'{IMPORTS}\n\n{COPY}\n\ndef run(x):\n{body}'})
    launches = whole.launches(kernels(whole, 'a.py')['copy'])
    assert [launch.parameters['y'].fresh for launch in launches] == [True, False]
