# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Run flakelint from an installation or straight from a checkout."""

import importlib.util
import sys
from pathlib import Path


def _find_rules_in_checkout() -> None:
    # an installation maps the folder `rules` to `flakelint.rules`; where nothing is installed, it lies beside the package
    folder = Path(__file__).parent.parent / 'rules'
    if importlib.util.find_spec('flakelint.rules') is None and folder.is_dir():
        spec = importlib.util.spec_from_file_location(
            'flakelint.rules', folder / '__init__.py', submodule_search_locations=[str(folder)],
        )
        module = importlib.util.module_from_spec(spec)
        sys.modules['flakelint.rules'] = module
        spec.loader.exec_module(module)


_find_rules_in_checkout()

if __name__ == '__main__':
    from flakelint.cli.main import main

    main()
