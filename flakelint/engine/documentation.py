# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The documentation of a rule, taken apart and put together."""

import inspect
import re
from typing import TYPE_CHECKING

from flakelint.engine.config import Layer
from flakelint.engine.settings import PRESETS, PREVIEW

if TYPE_CHECKING:
    from flakelint.engine.registry import Registry
    from flakelint.engine.rule import Rule

_FENCE_OR_HEADING = re.compile(r'^```.*?^```$|^## (?P<title>[^\n]+)$', re.MULTILINE | re.DOTALL)


def sections(rule: 'type[Rule]') -> dict[str, str]:
    """The sections of a rule's docstring below its summary, by title, in order."""
    text = inspect.cleandoc(rule.__doc__ or '')
    headings = [match for match in _FENCE_OR_HEADING.finditer(text) if match['title']]
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    return {heading['title']: text[heading.end():end].strip() for heading, end in zip(headings, ends, strict=True)}


def presets_of(code: str, registry: 'Registry') -> list[str]:
    """The presets that enable a rule."""
    layers = {name: Layer(f'preset {name}', values['select'], values['ignore']) for name, values in PRESETS.items()}
    return [name for name, layer in layers.items() if code in registry.selected([layer])]


def documentation(rule: 'type[Rule]') -> str:
    """The documentation of a rule after its summary, as Markdown."""
    return inspect.cleandoc(rule.__doc__ or '').partition('\n')[2].strip()


def as_markdown(rule: 'type[Rule]', presets: list[str]) -> str:
    """The page of a rule."""
    facts = [
        f'- Severity: {rule.severity}',
        f'- Fix: {rule.fix}',
        f'- Presets: {", ".join(f"`{name}`" for name in presets) or no_preset(rule)}',
        f'- Since: {rule.since}',
    ]
    if rule.triton:
        facts.append(f'- Triton: `{rule.triton}`')
    return f'# {rule.code} {rule.name}\n\n{rule.summary()}\n\n' + '\n'.join(facts) + f'\n\n{documentation(rule)}\n'


def no_preset(rule: 'type[Rule]') -> str:
    """What to say of a rule that no preset enables."""
    return 'none, unless `preview` is on' if rule.code in PREVIEW else 'none'
