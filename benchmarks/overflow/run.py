# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Show on a GPU that kernels which `flakelint check` flags are wrong past 2**31 elements, and right once `--fix` has mended them.

    python3 benchmarks/overflow/run.py

Prints one JSON object a line (the environment, then each measurement) and a table. Every measurement is a process of its own, as a wrong address may leave the device unusable for the process. Needs a CUDA device with 14 GiB of free memory.

Exit codes: 0 the unfixed kernels are wrong past 2**31 elements only and the fixed ones nowhere, 1 they are not, 2 there is no device.
"""

import hashlib
import importlib.util
import itertools
import json
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
KERNELS = ('load', 'store')
VERSIONS = ('unfixed', 'fixed')
LAYOUTS = ('small', 'inside', 'alone')


def source(kernel: str, version: str) -> Path:
    """The file that holds a version of a kernel."""
    return FOLDER / (f'{kernel}.py' if version == 'unfixed' else f'{kernel}_fixed.py')


def digest(kernel: str, version: str) -> str:
    """What tells whether a measurement was made with the file as it stands."""
    return hashlib.sha256(source(kernel, version).read_bytes()).hexdigest()[:16]


def is_right(measurement: dict) -> bool:
    """Whether a kernel gave every result that PyTorch gives and changed nothing else."""
    return 'error' not in measurement and measurement['wrong'] == measurement['overwritten'] == 0


def proves(measurements: Sequence[dict]) -> bool:
    """Whether both unfixed kernels are wrong past 2**31 elements and right below, and both fixed ones right everywhere."""
    found = {(one['kernel'], one['version'], one['layout']): one for one in measurements}
    if set(found) != set(itertools.product(KERNELS, VERSIONS, LAYOUTS)):
        return False
    return all(
        is_right(one) == (version == 'fixed' or layout == 'small') and (one['elements'] > 2**31) == (layout != 'small')
        for (_, version, layout), one in found.items()
    )


def table(measurements: Sequence[dict]) -> str:
    """The measurements as a table in Markdown."""
    heads = ['kernel', 'version', 'layout', 'elements', 'results', 'past 2**31', 'wrong', 'overwritten']
    lines = [f'| {" | ".join(heads)} |', '|---|---|---|--:|--:|--:|--:|--:|']
    for one in measurements:
        counts = [one[key] for key in ('results', 'past_limit', 'wrong', 'overwritten')] if 'error' not in one else None
        cells = ' | '.join(f'{count:,}' for count in counts) if counts else f'{one["error"]} | | |'
        lines.append(f'| {one["kernel"]} | {one["version"]} | {one["layout"]} | {one["elements"]:,} | {cells} |')
    return '\n'.join(lines)


def main() -> int:
    """Measure everything and print it."""
    environment = _environment()
    if environment is None:
        print('no CUDA device that PyTorch and Triton can use: nothing was measured', file=sys.stderr)
        return 2
    print(json.dumps(environment), flush=True)
    measurements = []
    for case in itertools.product(KERNELS, LAYOUTS, VERSIONS):
        measurements.append(_measured(*case))
        print(json.dumps(measurements[-1]), flush=True)
    print(f'\n{table(measurements)}\n')
    proven = proves(measurements)
    print('proven' if proven else 'NOT proven')
    return 0 if proven else 1


def _environment() -> dict[str, str] | None:
    if any(importlib.util.find_spec(name) is None for name in ('torch', 'triton')):
        return None
    import torch
    import triton

    if not torch.cuda.is_available():
        return None
    return {
        'device': torch.cuda.get_device_name(),
        'python': platform.python_version(),
        'torch': torch.__version__,
        'triton': triton.__version__,
    }


def _measured(kernel: str, layout: str, version: str) -> dict:
    command = [sys.executable, '-m', 'benchmarks.overflow.measure', kernel, version, layout]
    result = subprocess.run(command, cwd=FOLDER.parent.parent, stdout=subprocess.PIPE, text=True, check=False)
    # after an illegal access a process may end badly, but only once it has said so
    if not result.stdout:
        raise subprocess.CalledProcessError(result.returncode, command)
    return {**json.loads(result.stdout), 'source': digest(kernel, version)}


if __name__ == '__main__':
    sys.exit(main())
