# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which rules there are, and which of them a run asks for.

A rule's code and name are read off the name of its module, so that a run which finds everything in the cache imports no rule.
"""

import hashlib
import importlib
import importlib.util
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from flakelint.engine.config import Config, Layer, SettingsError, nearest, rule_options
from flakelint.engine.rule import HOOKS, Rule
from flakelint.engine.settings import PRESETS

if TYPE_CHECKING:
    from importlib.metadata import Distribution

ENTRY_POINT_GROUP = 'flakelint.rules'
FAMILIES = ('ENG', 'TRI', 'OPS', 'TST', 'DOC', 'REP')

_MODULE_NAME = re.compile(r'(?P<code>[a-z]{3}[0-9]{3})_(?P<name>[a-z0-9_]+)\.py')
_ENTRY_NAME = re.compile(r'(?P<code>[A-Z]{3}[0-9]{3})-(?P<name>[a-z0-9-]+)')
_NAMED_BY_PRESETS = {word for preset in PRESETS.values() for key in ('select', 'ignore') for word in preset[key]}
_SELECTOR = re.compile(r'[A-Z]{1,3}[0-9]{0,3}')


@dataclass(frozen=True)
class RuleReference:
    """A rule that has not been imported yet.

    Args:
        code (str):
            Its code.
        name (str):
            Its name.
        origin (str):
            Where it comes from: `built in`, a distribution, or a file.
        fingerprint (str):
            What changes when the rule does; part of the cache's keys.
        module (Callable[[], object]):
            Imports the module, or the class, that holds the rule.
    """

    code: str
    name: str
    origin: str
    fingerprint: str
    module: Callable[[], object]

    def load(self) -> type[Rule]:
        """Import the rule.

        Raises:
            SettingsError: the module cannot be imported, or holds no rule with this code and name.
        """
        try:
            loaded = self.module()
        except Exception as error:
            raise SettingsError(f'{self.origin}: rule {self.code} cannot be imported: {error}') from error
        candidates = [loaded] if isinstance(loaded, type) else vars(loaded).values()
        for candidate in candidates:
            if isinstance(candidate, type) and issubclass(candidate, Rule) and getattr(candidate, 'code', '') == self.code:
                if candidate.name != self.name:
                    raise SettingsError(f'{self.origin}: rule {self.code} calls itself `{candidate.name}`, not `{self.name}`')
                _check_hooks(candidate, self.origin)
                return candidate
        raise SettingsError(f'{self.origin}: there is no rule {self.code} in it')


def _check_hooks(rule_class: type[Rule], origin: str) -> None:
    for name in vars(rule_class):
        if name.startswith('check_') and name not in HOOKS:
            problem = f'has a method `{name}`, which nothing calls{nearest(name, HOOKS)}'
            raise SettingsError(f'{origin}: rule {rule_class.code} {problem}')


class Registry:
    """All rules that a run could use, by code."""

    def __init__(self, references: Iterable[RuleReference]) -> None:
        self.rules: dict[str, RuleReference] = {}
        for reference in references:
            if reference.code in self.rules:
                first = self.rules[reference.code].origin
                raise SettingsError(f'{reference.origin}: rule {reference.code} exists already ({first})')
            self.rules[reference.code] = reference

    def codes(self) -> list[str]:
        """The codes, in order."""
        return sorted(self.rules)

    def find(self, word: str) -> RuleReference | None:
        """The rule with this code or name."""
        for reference in self.rules.values():
            if word.upper() == reference.code or word == reference.name:
                return reference
        return None

    def selected(self, layers: Sequence[Layer]) -> list[str]:
        """The codes that the layers together select, in order.

        A layer that selects starts afresh; within one layer the longer selector wins over the shorter, and ignoring over selecting.

        Raises:
            SettingsError: a selector fits no rule.
        """
        chosen: set[str] = set()
        for layer in layers:
            if layer.select is not None:
                chosen = set()
            for code in self.rules:
                wanted = self._specificity(code, (*(layer.select or ()), *layer.extend_select), layer.origin)
                unwanted = self._specificity(code, layer.ignore, layer.origin)
                if unwanted and unwanted >= wanted:
                    chosen.discard(code)
                elif wanted:
                    chosen.add(code)
        return sorted(chosen)

    def matching(self, selector: str, origin: str) -> set[str]:
        """The codes that a selector fits: a code, the beginning of codes, a rule's name, or `ALL`.

        Raises:
            SettingsError: it fits none.
        """
        if selector == 'ALL':
            return set(self.rules)
        upper = selector.upper()
        if _SELECTOR.fullmatch(upper):
            codes = {code for code in self.rules if code.startswith(upper)}
            # a family, or a part of one that a preset names, may be selected before it has its first rule
            if codes or upper in FAMILIES or upper in _NAMED_BY_PRESETS:
                return codes
        elif by_name := self.find(selector):
            return {by_name.code}
        known = [*self.rules, *(reference.name for reference in self.rules.values())]
        hint = nearest(upper if upper[-1:].isdigit() else selector, known)
        raise SettingsError(f'{origin}: unknown rule `{selector}`{hint}')

    def severities(self, wanted: Mapping[str, str]) -> dict[str, str]:
        """The severity of each rule for which the settings give one, by its code; the longest selector wins.

        Raises:
            SettingsError: a selector fits no rule.
        """
        found: dict[str, str] = {}
        for selector in sorted(wanted, key=_weight):
            found.update(dict.fromkeys(self.matching(selector, 'severity'), wanted[selector]))
        return found

    def _specificity(self, code: str, selectors: Sequence[str], origin: str) -> int:
        return max((_weight(selector) for selector in selectors if code in self.matching(selector, origin)), default=0)


def _weight(selector: str) -> int:
    if selector == 'ALL':
        return 1
    return len(selector) + 1 if _SELECTOR.fullmatch(selector.upper()) else 7


def collect(config: Config) -> Registry:
    """The built-in rules, those of installed distributions, and those in the folders that `rule-paths` names.

    Raises:
        SettingsError: a folder cannot be read, or two rules share a code.
    """
    references = [*_built_in(), *_installed()]
    for path in config.settings.rule_paths:
        references.extend(_in_folder(os.path.join(config.root, path), path))
    return Registry(references)


def instantiate(references: Iterable[RuleReference], config: Config) -> list[Rule]:
    """The rules with their options.

    Raises:
        SettingsError: a rule cannot be imported, or its options are wrong.
    """
    shown = os.path.relpath(config.file) if config.file else 'settings'
    rules = []
    for reference in references:
        rule_class = reference.load()
        table = config.settings.rules.get(reference.code, {})
        rules.append(rule_class(rule_options(rule_class.Options, table, f'{shown}: rules.{reference.code}')))
    return rules


def check_option_tables(registry: Registry, config: Config) -> None:
    """Raise SettingsError where the settings hold options or a severity for a rule that does not exist, or options that it does not have."""
    registry.severities(config.settings.severity)
    for code in config.settings.rules:
        if code not in registry.rules:
            shown = os.path.relpath(config.file) if config.file else 'settings'
            raise SettingsError(f'{shown}: unknown rule `{code}` in `rules`{nearest(code, registry.rules)}')
        instantiate([registry.rules[code]], config)


def _built_in() -> Iterable[RuleReference]:
    spec = importlib.util.find_spec('flakelint.rules')
    for folder in spec.submodule_search_locations if spec else ():
        for family in sorted(os.listdir(folder)):
            path = os.path.join(folder, family)
            if not os.path.isdir(path):
                continue
            for file in sorted(os.listdir(path)):
                if match := _MODULE_NAME.fullmatch(file):
                    module = f'flakelint.rules.{family}.{file[:-3]}'
                    yield _reference(match, 'built in', '', partial(importlib.import_module, module))


def _installed() -> Iterable[RuleReference]:
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINT_GROUP):
        distribution = f'{entry.dist.name} {entry.dist.version}' if entry.dist else 'unknown distribution'
        match = _ENTRY_NAME.fullmatch(entry.name)
        if match is None:
            raise SettingsError(f'{distribution}: entry point `{entry.name}` is not named like `ABC101-what-it-finds`')
        yield _reference(match, distribution, f'{distribution} {_edition(entry.dist)}', entry.load)


def _edition(distribution: 'Distribution | None') -> str:
    # an editable installation changes without a new version, so that nothing found with it may be remembered
    origin = (distribution.read_text('direct_url.json') or '') if distribution else ''
    return str(time.time_ns()) if '"editable": true' in origin else ''


def _in_folder(folder: str, shown: str) -> Iterable[RuleReference]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise SettingsError(f'rule-paths: {shown}: {error.strerror}') from None
    modules = [(match, name) for name in names if (match := _MODULE_NAME.fullmatch(name))]
    fingerprint = _content(folder, names) if modules else ''
    for match, name in modules:
        yield _reference(match, f'{shown}/{name}', fingerprint, partial(_import_file, os.path.join(folder, name), name))


def _content(folder: str, names: Iterable[str]) -> str:
    """The hash of the modules in a folder: a rule may import what lies beside it."""
    digest = hashlib.blake2b(digest_size=20)
    for name in names:
        path = os.path.join(folder, name)
        if name.endswith('.py') and os.path.isfile(path):
            with open(path, 'rb') as file:
                digest.update(repr((name, file.read())).encode())
    return digest.hexdigest()


def _import_file(path: str, name: str) -> object:
    spec = importlib.util.spec_from_file_location(f'flakelint_local_{name[:-3]}', path)
    module = importlib.util.module_from_spec(spec)
    # a dataclass looks up its annotations in its module
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _reference(match: re.Match, origin: str, fingerprint: str, module: Callable[[], object]) -> RuleReference:
    return RuleReference(match['code'].upper(), match['name'].replace('_', '-'), origin, fingerprint, module)
