# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Run flakelint from an installation or straight from a checkout."""

import os
import sys

CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# `python -m` puts the working folder first on the path: a file of the checked code named like a module would be run
if sys.path and os.path.abspath(sys.path[0]) == os.getcwd() != CHECKOUT:
    del sys.path[0]

import importlib.util  # noqa: E402  (the path had to be mended first)


def _find_rules_in_checkout() -> None:
    # an installation maps the folder `rules` to `flakelint.rules`; where nothing is installed, it lies beside the package
    folder = os.path.join(CHECKOUT, 'rules')
    if importlib.util.find_spec('flakelint.rules') is None and os.path.isdir(folder):
        spec = importlib.util.spec_from_file_location(
            'flakelint.rules', os.path.join(folder, '__init__.py'), submodule_search_locations=[folder],
        )
        module = importlib.util.module_from_spec(spec)
        sys.modules['flakelint.rules'] = module
        spec.loader.exec_module(module)


_find_rules_in_checkout()

if __name__ == '__main__':
    from flakelint.cli.main import main

    main()
