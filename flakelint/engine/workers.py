# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Check files in several processes, and outlive a process that dies."""

import gc
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from typing import TYPE_CHECKING

from flakelint.engine import diagnostics
from flakelint.engine.runner import Job, Outcome, check_one, collecting

if TYPE_CHECKING:
    from flakelint.engine.cache import Cache
    from flakelint.engine.checker import Checker
    from flakelint.kernel.index import Index
    from flakelint.kernel.repository import Repository

# forking is cheap, and sound only on Linux
START_METHOD = 'fork' if sys.platform == 'linux' else 'spawn'

_WARM_UP = b'''
import triton
import triton.language as tl


@triton.jit
def warm_up_fwd_kernel(x, T, B: tl.constexpr):
    i_t = tl.program_id(0)
    o_t = i_t * B + tl.arange(0, B)
    tl.store(x + o_t, 0, mask=o_t < T)
'''


def summarise_in_processes(
    chunks: list[list[str]], index: 'Index', workers: int,
) -> Iterator[tuple[str, tuple[str, str] | None]]:
    """Make the summaries of chunks of files; there are none of a file that kills its process, and of those beside it."""
    global _index
    _index = index
    unfinished = list(chunks)
    context = multiprocessing.get_context(START_METHOD)
    try:
        with ProcessPoolExecutor(workers, context, _start_index, (index if START_METHOD != 'fork' else None,)) as pool:
            yield from _results(pool, _summarise_chunk, unfinished)
    except BrokenExecutor:
        yield from ((path, None) for chunk in unfinished for path in chunk)


def _results(pool: ProcessPoolExecutor, work: Callable[[list[str]], list], unfinished: list[list[str]]) -> Iterator:
    """What processes make of chunks of files, as it comes; a chunk leaves the list when it is done."""
    futures = {pool.submit(work, chunk): chunk for chunk in unfinished}
    for future in as_completed(futures):
        results = future.result()
        unfinished.remove(futures[future])
        yield from results


def _start_index(index: 'Index | None') -> None:
    global _index
    if index is not None:
        _index = index


def _summarise_chunk(paths: list[str]) -> list[tuple[str, tuple[str, str]]]:
    gc.disable()
    return list(collecting(paths, lambda path: (path, _index.summarise(path).dump())))


# what a worker needs, set before it is forked or when it starts
_shared: tuple['Checker', Job, 'Cache | None'] | None = None
_index: 'Index | None' = None


def check_in_processes(
    chunks: list[list[str]], checker: 'Checker', job: Job, cache: 'Cache | None', workers: int,
) -> Iterator[Outcome]:
    """Check chunks of files; a file that kills its process becomes a finding, and no other is lost."""
    global _shared
    _shared = (checker, job, cache)
    unfinished = list(chunks)
    try:
        with _pool(workers) as pool:
            yield from _results(pool, _check_chunk, unfinished)
    except BrokenExecutor:
        yield from _one_by_one(path for chunk in unfinished for path in chunk)


def _one_by_one(files: Iterable[str]) -> Iterator[Outcome]:
    pool = _pool(1)
    try:
        for path in files:
            try:
                yield from pool.submit(_check_chunk, [path]).result()
            except BrokenExecutor:
                pool.shutdown()
                pool = _pool(1)
                name = _shared[1].name(path)
                message = 'not analysed: the process that checked it died, so it may be nested too deeply for the parser'
                yield Outcome(path, None, [diagnostics.problem(diagnostics.TOO_COMPLEX, message)._replace(path=name)], '')
    finally:
        pool.shutdown()


def _pool(workers: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context(START_METHOD)
    if START_METHOD == 'fork':
        # what checking imports on the way is imported before the fork, once for all workers
        _shared[0].check('warm_up.py', _WARM_UP)
        gc.freeze()
        return ProcessPoolExecutor(workers, context)
    return ProcessPoolExecutor(workers, context, _start, (_shared[1], _shared[2], _made_repository()))


def _made_repository() -> 'Repository | None':
    """The repository, if it was made, which another process need not make again."""
    return _shared[0].repository if 'repository' in vars(_shared[0]) else None


def _start(job: Job, cache: 'Cache | None', repository: 'Repository | None') -> None:
    global _shared
    _shared = (job.checker(repository=None if repository is None else lambda: repository), job, cache)


def _check_chunk(files: list[str]) -> list[Outcome]:
    gc.disable()
    checker, job, cache = _shared
    return list(collecting(files, lambda path: check_one(path, checker, job, cache)))
