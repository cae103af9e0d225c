# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Print the test files that changed files need, separated by spaces.

    python scripts/find_dependent_tests.py FILE_OR_FOLDER...

`TEST_SCOPE` narrows the answer: `ALL` (the default), `MODELS_ONLY` for the tests below `tests/models/`, `EXCLUDE_MODELS` for all others. `flakelint affected` can tell more, such as why a test is needed. The exit code is 2 where there is no answer.
"""

import os
import shlex
import sys
from collections.abc import Callable

from flakelint.affected.question import Tree, of_paths
from flakelint.engine.cache import open_cache
from flakelint.engine.config import SettingsError, load
from flakelint.engine.registry import collect

_MODELS = 'tests/models/'
_SCOPES: dict[str, Callable[[str], bool]] = {
    'ALL': lambda path: True,
    'MODELS_ONLY': lambda path: path.startswith(_MODELS),
    'EXCLUDE_MODELS': lambda path: not path.startswith(_MODELS),
}


def main(arguments: list[str]) -> int:
    """Print the tests; gives the exit code."""
    scope = os.environ.get('TEST_SCOPE', 'ALL')
    if scope not in _SCOPES:
        return _fail(f'TEST_SCOPE is `{scope}`, and must be one of {", ".join(_SCOPES)}')
    if not arguments:
        return _fail('give the files that changed')
    try:
        # the repository is the one of the script, wherever it is called
        config = load(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), None)
        tree = Tree(config, open_cache(config, collect(config), (), None))
    except SettingsError as error:
        return _fail(error)
    names = [_name(tree, path) for path in arguments]
    outside = [path for path, name in zip(arguments, names, strict=True) if name.startswith('../')]
    if outside:
        return _fail(f'{outside[0]} is not in {tree.root}')
    found = [one.path for one in of_paths(tree, names).selected if _SCOPES[scope](one.path)]
    print(shlex.join(map(tree.from_here, found)))
    return 0


def _name(tree: Tree, path: str) -> str:
    """A path from the root, be it given from there or from the working folder."""
    here = os.path.abspath(path)
    return tree.name(here if os.path.exists(here) else os.path.join(tree.root, path))


def _fail(message: object) -> int:
    print(f'find_dependent_tests: error: {message}', file=sys.stderr)
    return 2


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
