# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Measure flakelint beside libcst alone, and beside Fixit, on the same files in one run.

    python -m benchmarks.lint.run [--tree FOLDER] [--rounds 3] [--fixit COMMAND] [--output FILE]

Without `--tree` a tree of 500 files is generated, and `fla/` is measured as well. CPU seconds are those of all processes of a command, start of the interpreter and imports included on both sides. Run it on a quiet machine: ratios are figures, seconds alone are not.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.lint.generate import write_tree

REPOSITORY = Path(__file__).parent.parent.parent
SETTINGS = 'preset = "fla"\n[header]\nowner = "The flakelint Authors"\nstart-year = 2026\n'

# the rules about docs, comments, tests, layout and operators, none of which looks into a kernel
CONVENTIONS = 'DOC,REP,TST,TRI405,OPS103,OPS104,OPS105'

# run in a process of its own: checks every file in it, and writes down each text that was given to libcst's parser,
# then each text of a top-level statement, asked for or not
RECORD = """
import json, pathlib, sys
from flakelint.cli.main import cli
from flakelint.source import parsing, unit
from flakelint.source.file import SourceFile
parse, texts = parsing.parse, []
parsing.parse = lambda text: texts.append(text) or parse(text)
sys.argv = ['flakelint', 'check', '--no-cache', '--jobs', '1', '-q', '--exit-zero', '-o', '/dev/null', '.']
try:
    cli()
finally:
    files = [SourceFile(path.name, path.read_bytes()) for path in pathlib.Path('.').rglob('*.py')]
    units = [unit.text for file in files for unit in file.units]
    json.dump({'asked for': texts, 'all': units}, open(OUT, 'w'))
"""
# the other side: the parser alone on the same texts, in as many processes
PARSE = """
import json, os, libcst
texts = json.load(open(OUT))[KIND]
child = os.fork()
for text in texts[bool(child)::2]:
    libcst.parse_module(text)
if child:
    os.wait()
"""


@dataclass
class Cost:
    """What a command cost: seconds of CPU in all its processes, seconds that passed, and the largest process in MiB."""

    cpu: float
    wall: float
    memory: float


def measure(command: Sequence[str], folder: Path) -> Cost:
    """Run a command and measure it.

    Raises:
        subprocess.CalledProcessError: it left with a code other than 0 and 1.
    """
    script = 'import resource, subprocess, sys\ncode = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n' \
             'usage = resource.getrusage(resource.RUSAGE_CHILDREN)\n' \
             'print(code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, file=sys.stderr)\n'
    start = time.perf_counter()
    measured = [sys.executable, '-c', script, *command]
    result = subprocess.run(measured, cwd=folder, stderr=subprocess.PIPE, text=True, check=True)
    wall = time.perf_counter() - start
    code, cpu, memory = result.stderr.split()[-3:]
    if int(code) not in (0, 1):
        raise subprocess.CalledProcessError(int(code), command, stderr=result.stderr)
    return Cost(float(cpu), wall, float(memory) / 1024)


def cold_against_parser(folder: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Cold runs with all rules, against libcst alone: on the units that the rules asked for, and on all; two processes each."""
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        texts = str(Path(scratch) / 'texts.json')
        record = [sys.executable, '-c', RECORD.replace('OUT', repr(texts))]
        subprocess.run(record, cwd=folder, check=True, capture_output=True)
        counts = {kind: len(units) for kind, units in json.loads(Path(texts).read_text()).items()}
        for kind, count in counts.items():
            if count:
                parser = [sys.executable, '-c', PARSE.replace('OUT', repr(texts)).replace('KIND', repr(kind))]
                found[f'{kind} ({count} units)'] = _paired(parser, folder, rounds)
    return found


def _paired(parser: list[str], folder: Path, rounds: int) -> dict[str, float]:
    pairs = [(measure(parser, folder), measure(flakelint('--no-cache', '--jobs', '2'), folder)) for _ in range(rounds)]
    ratios = [ours.cpu / alone.cpu for alone, ours in pairs]
    return {
        'ratio of cpu': statistics.median(ratios),
        'lowest': min(ratios),
        'highest': max(ratios),
        'flakelint cpu s': statistics.median(ours.cpu for _, ours in pairs),
        'flakelint wall s': statistics.median(ours.wall for _, ours in pairs),
        'libcst cpu s': statistics.median(alone.cpu for alone, _ in pairs),
        'largest process MiB': max(ours.memory for _, ours in pairs),
    }


def warm_and_changed(folder: Path, rounds: int) -> dict[str, float]:
    """Runs that find everything, or all but one file, in the cache; wall seconds beside those of an empty Python process."""
    files = sorted(folder.rglob('*.py'))
    with tempfile.TemporaryDirectory() as cache:
        command = flakelint('--cache-dir', cache)
        measure(command, folder)
        warm, changed, empty = [], [], []
        for number in range(rounds * 2):
            empty.append(measure([sys.executable, '-c', ''], folder).wall)
            warm.append(measure(command, folder).wall)
            path = files[number * 7 % len(files)]
            content = path.read_bytes()
            try:
                path.write_bytes(content.replace(b'num_warps=num_warps', b'num_warps=4') + b'# %d\n' % number)
                changed.append(measure(command, folder).wall)
            finally:
                path.write_bytes(content)
    return {
        'files': len(files),
        'empty python wall s': statistics.median(empty),
        'warm wall s': statistics.median(warm),
        'warm best wall s': min(warm),
        'one changed wall s': statistics.median(changed),
        'one changed best wall s': min(changed),
    }


def of_conventions(folder: Path, rounds: int) -> dict[str, float]:
    """What the rules of conventions cost within a cold run: with all rules, and with all but them, one process each."""
    alone = flakelint('--no-cache', '--jobs', '1')
    without = flakelint('--no-cache', '--jobs', '1', '--ignore', CONVENTIONS)
    pairs = [(measure(alone, folder).cpu, measure(without, folder).cpu) for _ in range(rounds)]
    shares = [(whole - rest) / whole for whole, rest in pairs]
    return {'share of cpu': statistics.median(shares), 'lowest': min(shares), 'highest': max(shares)}


def against_fixit(folder: Path, fixit: str) -> dict[str, float]:
    """One cold run of flakelint with all rules and one of Fixit with its default rules."""
    ours = measure(flakelint('--no-cache', '--jobs', '2'), folder)
    theirs = measure([*fixit.split(), 'lint', '.'], folder)
    return {
        'fixit cpu s': theirs.cpu, 'fixit wall s': theirs.wall, 'flakelint cpu s': ours.cpu, 'flakelint wall s': ours.wall,
        'cpu ratio': theirs.cpu / ours.cpu, 'wall ratio': theirs.wall / ours.wall,
    }


def flakelint(*options: str) -> list[str]:
    """A command that checks the working folder."""
    return [sys.executable, '-m', 'flakelint', 'check', '-q', *options, '.']


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--tree', type=Path, help='measure this folder instead of a generated tree and fla/')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--fixit', help='the command of Fixit, to measure it as well')
    parser.add_argument('--output', type=Path, help='write the figures to this file as JSON')
    arguments = parser.parse_args()
    figures: dict[str, object] = {'python': platform.python_version(), 'cpus': os.cpu_count()}
    with tempfile.TemporaryDirectory() as scratch:
        trees = {arguments.tree.name: arguments.tree} if arguments.tree else _trees(Path(scratch))
        for name, folder in trees.items():
            figures[name] = _measure_tree(folder, arguments.rounds, arguments.fixit)
            print(name, json.dumps(figures[name], indent=2), flush=True)
    if arguments.output:
        arguments.output.write_text(json.dumps(figures, indent=2) + '\n', encoding='utf-8')


def _trees(scratch: Path) -> dict[str, Path]:
    write_tree(scratch / 'generated', 500, 140_000, 0)
    shutil.copytree(REPOSITORY / 'fla', scratch / 'fla')
    for name in ('generated', 'fla'):
        (scratch / name / 'flakelint.toml').write_text(SETTINGS, encoding='utf-8')
    return {name: scratch / name for name in ('generated', 'fla')}


def _measure_tree(folder: Path, rounds: int, fixit: str | None) -> dict[str, dict[str, float]]:
    cold = cold_against_parser(folder, rounds)
    found = {f'cold, all rules, against libcst on units {kind}': figures for kind, figures in cold.items()}
    found['warm and one changed file'] = warm_and_changed(folder, rounds)
    found['conventions'] = of_conventions(folder, rounds)
    if fixit:
        found['against Fixit 2'] = against_fixit(folder, fixit)
    return {kind: {key: round(value, 3) for key, value in figures.items()} for kind, figures in found.items()}


if __name__ == '__main__':
    main()
