# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Write the pages of `docs/rules/` from the docstrings of the rules, or check that they are up to date."""

import argparse
import sys
from pathlib import Path

from flakelint.cli.rule import table
from flakelint.engine.config import load
from flakelint.engine.documentation import as_markdown, presets_of
from flakelint.engine.registry import Registry, collect
from flakelint.engine.rule import Rule

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / 'docs' / 'rules'

_FIXES = {'safe': 'safe', 'unsafe': 'unsafe', 'none': '-'}
_INDEX = """# Rules

Settings and `flakelint rule` take a rule's name as well as its code; suppression comments and tables of options take the code.
A fix that is safe is applied by `flakelint check --fix`, an unsafe one needs `--unsafe-fixes` too.
The last column names the presets in which a rule is on.

"""


def index(rules: list[type[Rule]], registry: Registry) -> str:
    """The table of all rules."""
    rows = [('Code', 'Name', 'Finds', 'Fix', 'Presets')]
    for rule in rules:
        link = f'[{rule.code}]({rule.code}.md)'
        presets = ', '.join(presets_of(rule.code, registry))
        rows.append((link, rule.name, rule.summary().rstrip('.'), _FIXES[rule.fix], presets))
    return f'{_INDEX}{table(rows)}\n'


def pages() -> dict[Path, str]:
    """Every page by its path."""
    registry = collect(load(str(ROOT)))
    rules = [reference.load() for reference in registry.rules.values() if reference.origin == 'built in']
    rules.sort(key=lambda rule: rule.code)
    found = {FOLDER / f'{rule.code}.md': as_markdown(rule, presets_of(rule.code, registry)) for rule in rules}
    return {FOLDER / 'README.md': index(rules, registry), **found}


def check(wanted: dict[Path, str]) -> list[str]:
    """What is wrong with the pages on disk."""
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding='utf-8') != text]
    surplus = [path for path in FOLDER.glob('*.md') if path not in wanted]
    problems = [(path, 'out of date') for path in stale] + [(path, 'there is no such rule') for path in surplus]
    return [f'{path.relative_to(ROOT)}: {problem}' for path, problem in problems]


def write(wanted: dict[Path, str]) -> None:
    """Write the pages, and delete those of rules that are gone."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in FOLDER.glob('*.md'):
        if path not in wanted:
            path.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding='utf-8', newline='\n')


def main() -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--check', action='store_true', help='change nothing, and fail where a page is out of date')
    if not parser.parse_args().check:
        write(pages())
        return 0
    problems = check(pages())
    for problem in problems:
        print(problem)
    if problems:
        print('run `python scripts/generate_rule_docs.py`')
    return bool(problems)


if __name__ == '__main__':
    sys.exit(main())
