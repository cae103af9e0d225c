# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Run one kernel once at one size and compare what it did with PyTorch.

    python -m benchmarks.overflow.measure {load,store} {unfixed,fixed} {small,inside,alone}

The layout says where the tensor lies that the address runs through: `small` is a tensor of fewer than 2**31 elements, `inside` one of more that has 2**31 elements of other memory before it, into which an offset that has wrapped falls, and `alone` one of more that has nothing of ours before it. The values are such that every sum of them is exact, so results are compared bit by bit.
"""

import argparse
import importlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch

from benchmarks.overflow.run import KERNELS, LAYOUTS, VERSIONS, source

LIMIT = 2**31
MOST_ROWS_CHOSEN = 4096
QUERIES = 4
ROWS_AT_ONCE = 1024
TOKENS_OF_A_DOCUMENT = 100
SHAPES = {
    'load': {'small': (500, 300), 'large': (3 * 2**20, 1024)},
    'store': {'small': (300, 300), 'large': (49152, 49152)},
}
# what memory holds at first: a fraction that no score has, and a number that no mask has
FILLS = {torch.bfloat16: 2.0**-9, torch.int8: 2}


@dataclass
class Counts:
    """How the results of a kernel compare with those of PyTorch.

    Args:
        results (int):
            How many results there are.
        past_limit (int):
            How many of them come from, or go to, a row whose offset is 2**31 or more.
        wrong (int):
            How many of them differ from PyTorch's.
        overwritten (int):
            How many elements changed in the memory before the tensor.
    """

    results: int
    past_limit: int
    wrong: int
    overwritten: int


def measure(kernel: str, version: str, layout: str, device: str) -> dict[str, object]:
    """Run a version of a kernel in a layout, and tell what it did, or that it touched memory of nobody."""
    shape = SHAPES[kernel]['small' if layout == 'small' else 'large']
    module = importlib.import_module(f'benchmarks.overflow.{source(kernel, version).stem}')
    record = {'kernel': kernel, 'version': version, 'layout': layout, 'shape': shape, 'elements': shape[0] * shape[1]}
    room = LIMIT if layout == 'inside' else 0
    try:
        if kernel == 'load':
            counts = _load(module.score_rows, shape, room, device)
        else:
            counts = _store(module.document_mask, shape, room, device)
    except RuntimeError as error:
        if 'illegal memory access' not in str(error):
            raise
        return {**record, 'error': str(error).splitlines()[0]}
    return {**record, **asdict(counts)}


def _load(function: Callable, shape: tuple[int, int], room: int, device: str) -> Counts:
    before, keys = _place(shape, room, torch.bfloat16, device)
    torch.manual_seed(0)
    keys.random_(-4, 5)
    queries = torch.randint(-4, 5, (QUERIES, shape[1]), device=device).bfloat16()
    chosen = min(shape[0], MOST_ROWS_CHOSEN)
    indices = torch.randint(0, shape[0], (QUERIES, chosen // QUERIES), dtype=torch.int32, device=device)
    expected = (keys[indices.long()].float() @ queries.float()[:, :, None]).squeeze(-1)
    scores = function(keys, queries, indices)
    return Counts(
        results=indices.numel(),
        past_limit=_count(indices.long() * shape[1] >= LIMIT),
        wrong=_count(scores != expected),
        overwritten=_count(before != FILLS[before.dtype]),
    )


def _store(function: Callable, shape: tuple[int, int], room: int, device: str) -> Counts:
    before, mask = _place(shape, room, torch.int8, device)
    documents = torch.arange(shape[0], dtype=torch.int32, device=device) // TOKENS_OF_A_DOCUMENT
    function(documents, mask)
    tokens = torch.arange(shape[0], device=device)
    wrong = 0
    for rows in tokens.split(ROWS_AT_ONCE):
        expected = (documents[rows, None] == documents) & (rows[:, None] >= tokens)
        wrong += _count(mask[rows] != expected)
    return Counts(
        results=mask.numel(),
        past_limit=_count(tokens * shape[1] >= LIMIT) * shape[1],
        wrong=wrong,
        overwritten=_count(before != FILLS[before.dtype]),
    )


def _place(shape: tuple[int, int], room: int, dtype: torch.dtype, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    memory = torch.full((room + shape[0] * shape[1],), FILLS[dtype], dtype=dtype, device=device)
    return memory[:room], memory[room:].view(shape)


def _count(flags: torch.Tensor) -> int:
    return int(flags.sum())


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description='Run one kernel once and compare it with PyTorch.')
    parser.add_argument('kernel', choices=KERNELS)
    parser.add_argument('version', choices=VERSIONS)
    parser.add_argument('layout', choices=LAYOUTS)
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.kernel, arguments.version, arguments.layout, 'cuda')), flush=True)
