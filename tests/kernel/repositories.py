# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Small repositories on disk, for tests of what the kernels in them know of each other."""

from pathlib import Path

from flakelint.engine.context import File
from flakelint.engine.settings import Settings
from flakelint.kernel.kernels import DecoratorNames, Kernel
from flakelint.kernel.launches import Launch, Passed
from flakelint.kernel.repository import Repository
from tests.tools import write

IMPORTS = 'import torch\nimport triton\nimport triton.language as tl\n'
COPY = '@triton.jit\ndef copy(x, y, n, stride, B: tl.constexpr = 64, FLAG: tl.constexpr = False):\n    pass\n'


def repository(folder: Path, files: dict[str, str], names: DecoratorNames | None = None) -> Repository:
    """Write files, and give the repository that they make."""
    for path, text in files.items():
        write(folder / path, text)
    return Repository(str(folder), files, names)


def kernels(whole: Repository, path: str, text: str | None = None) -> dict[str, Kernel]:
    """The kernels of a file of a repository, by their name in the module; of a text, if one is given, in the place of the file."""
    data = (Path(whole.index.files.root) / path).read_bytes() if text is None else text.encode()
    file = File(path, data, Settings(), lambda: whole)
    return {kernel.qualified_name: kernel for kernel in file.kernels}


def host(folder: Path, body: str, signature: str = 'x, n') -> Launch:
    """The launch of `copy` in a host function with some body, all in one file."""
    lines = ''.join(f'    {line}\n' for line in body.splitlines())
    whole = repository(folder, {'a.py': f'{IMPORTS}\n\n{COPY}\n\ndef run({signature}):\n{lines}'})
    (launch,) = whole.launches(kernels(whole, 'a.py')['copy'])
    return launch


def passed(folder: Path, setup: str, value: str, signature: str = 'x, n') -> Passed:
    """What a launch passes for `n`, after some statements."""
    return host(folder, f'{setup}\ncopy[(1,)](x, x, {value}, 1)', signature).parameters['n']


def facts(one: Passed) -> dict:
    """The fields of what is passed that say something, but for its text."""
    plain = Passed('', '')
    return {name: value for name, value in one._asdict().items() if name != 'text' and value != getattr(plain, name)}
