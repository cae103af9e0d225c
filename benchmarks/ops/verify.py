# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Run the tests of operators, and then their benchmark; no speed is told of an operator that is wrong.

    python -m benchmarks.ops.verify --op chunk_gla --base main
"""

import argparse
import subprocess
import sys

from benchmarks.ops.registry import OPERATORS
from benchmarks.ops.run import REPOSITORY


def main() -> int:
    """Run; gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--op', action='append', required=True, choices=list(OPERATORS), help='an operator')
    arguments, rest = parser.parse_known_args()
    tests = sorted({OPERATORS[name].tests for name in arguments.op})
    if subprocess.run([sys.executable, '-m', 'pytest', '-q', *tests], cwd=REPOSITORY, check=False).returncode:
        print('the tests fail: nothing is timed', file=sys.stderr)
        return 1
    command = [sys.executable, '-m', 'benchmarks.ops.run', *rest, *(word for name in arguments.op for word in ('--op', name))]
    return subprocess.run(command, cwd=REPOSITORY, check=False).returncode


if __name__ == '__main__':
    sys.exit(main())
