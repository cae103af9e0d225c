# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flakelint.engine.rule import Rule
from flakelint.project.answers import TEXT
from flakelint.project.imports import last_name
from flakelint.project.statements import FUNCTIONS, scope_statements
from flakelint.rules.rep.packages import TOP, captured, exported, folder_of, functions_of, imports, siblings

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding

_PACKAGE = '__init__.py'
_REFERENCES = ('naive', 'ref', 'reference', 'torch')
# words of functions that are parts of an operator
_PARTS = frozenset({'bwd', 'fwd', 'kernel', 'prepare', *_REFERENCES})
_REGISTER = 'register'
_CONFIGURATION = 'AutoConfig'
_MODEL = 'AutoModel'


@dataclass(frozen=True)
class Options:
    """Where packages stand that have a layout.

    Args:
        operators (tuple[str, ...]):
            Paths of modules that export an operator; `*` stands for its name.
        models (tuple[str, ...]):
            Paths of modules that export a model; `*` stands for its name.
        shared (tuple[str, ...]):
            Names of packages that are neither.
    """

    operators: tuple[str, ...] = ('fla/ops/*/__init__.py',)
    models: tuple[str, ...] = ('fla/models/*/__init__.py',)
    shared: tuple[str, ...] = ('common', 'utils', 'backends', 'cp')


class Layout(Rule):
    """A package of an operator or a model that is not complete.

    ## What it does
    Of an operator, `fla/ops/<op>/`, it asks that `__init__.py` exports each public function that is named after it, such as `chunk_gla` of `fla/ops/gla/chunk.py`. Of a model, `fla/models/<name>/`, it asks for `configuration_<name>.py`, `modeling_<name>.py` and nothing else, for an `__init__.py` that registers with transformers, and for a place in `fla/models/__init__.py`.

    ## Why is this bad?
    Users import from the package, and so do tools that list operators and models. What is not exported or registered is not found, though it works.

    ## Example
    ```toml
    [rules.REP102]
    models = ["example.py"]
    ```

    ```python
    from fla.models.gla.configuration_gla import GLAConfig
    from fla.models.gla.modeling_gla import GLAForCausalLM, GLAModel

    __all__ = ['GLAConfig', 'GLAForCausalLM', 'GLAModel']
    ```

    ## Use instead
    ```toml
    [rules.REP102]
    models = ["example.py"]
    ```

    ```python
    from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

    from fla.models.gla.configuration_gla import GLAConfig
    from fla.models.gla.modeling_gla import GLAForCausalLM, GLAModel

    AutoConfig.register(GLAConfig.model_type, GLAConfig)
    AutoModel.register(GLAConfig, GLAModel)
    AutoModelForCausalLM.register(GLAConfig, GLAForCausalLM)

    __all__ = ['GLAConfig', 'GLAForCausalLM', 'GLAModel']
    ```

    ## Known limits
    References, kernels and the two passes of an operator need not be exported, nor what stands in a private module. A package with a `__getattr__` of its own is left alone. That an operator has a reference is OPS105's to ask, and that it has a test, TST109's.

    ## Options
    - `operators`: paths of modules that export an operator; `*` stands for its name. Default: `["fla/ops/*/__init__.py"]`.
    - `models`: paths of modules that export a model; `*` stands for its name. Default: `["fla/models/*/__init__.py"]`.
    - `shared`: names of packages that are neither. Default: `["common", "utils", "backends", "cp"]`.
    """

    code = 'REP102'
    name = 'layout'
    severity = 'warning'
    Options = Options

    def check_file(self, file: 'File') -> 'Iterator[Finding]':
        """Look at the package that a module exports."""
        for patterns, look in ((self.options.operators, self._operator), (self.options.models, self._model)):
            for pattern in patterns:
                name = captured(pattern, file.path)
                if name is not None and name not in self.options.shared:
                    yield from look(name, file)
                    return

    def _operator(self, name: str, file: 'File') -> 'Iterator[Finding]':
        nodes = list(scope_statements(file.statements))
        if any(isinstance(node, FUNCTIONS) and node.name == '__getattr__' for node in nodes):
            return
        folder = folder_of(file.path)
        known = exported(file) | {node.name for node in nodes if isinstance(node, FUNCTIONS)}
        stars = {node.module.rpartition('.')[2] for node in imports(file) if node.module and node.names[0].name == '*'}
        for sibling in siblings(file):
            stem = sibling.removesuffix('.py')
            if sibling == _PACKAGE or stem.startswith('_') or stem in stars or _is_reference(stem):
                continue
            for function in functions_of(f'{folder}{sibling}', file):
                if _is_operator(function, name) and function not in known:
                    what = f'`{function}` of `{folder}{sibling}` is public'
                    yield self.finding(TOP, f'{what}, but `{folder}` does not export it: import it here')

    def _model(self, name: str, file: 'File') -> 'Iterator[Finding]':
        folder = folder_of(file.path)
        found = siblings(file)
        wanted = (f'configuration_{name}.py', f'modeling_{name}.py')
        if found:
            misnamed = set()
            for one in wanted:
                if one not in found:
                    kind = one.partition('_')[0]
                    others = [other for other in found if other.startswith(f'{kind}_')]
                    misnamed.update(others)
                    hint = f'name `{others[0]}` so' if others else 'a model is configured and built there'
                    yield self.finding(TOP, f'`{folder}` has no `{one}`: {hint}')
            for one in found:
                if one not in (*wanted, _PACKAGE, *misnamed):
                    advice = f'a model has `{wanted[0]}`, `{wanted[1]}` and `{_PACKAGE}` only'
                    yield self.finding(TOP, f'`{folder}{one}` does not belong to a model: {advice}')
            above = f'{folder_of(folder.rstrip("/"))}{_PACKAGE}'
            texts = file.ask(TEXT, above)
            if texts and not _mentions(texts[0], name):
                yield self.finding(TOP, f'`{above}` does not name the model `{name}`: export it there')
        registered = {
            last_name(node.func.value) for node in file.nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == _REGISTER
        }
        if _CONFIGURATION not in registered or not any(one.startswith(_MODEL) for one in registered):
            lacking = _CONFIGURATION if _CONFIGURATION not in registered else _MODEL
            message = f'the model is not registered with transformers: call `{lacking}.{_REGISTER}(...)` here'
            yield self.finding(TOP, message)


def _is_reference(name: str) -> bool:
    return any(word in _REFERENCES for word in name.split('_'))


def _is_operator(function: str, name: str) -> bool:
    """Whether a function is the operator in one of its forms: `chunk_gla` for `gla`."""
    return (function == name or function.endswith(f'_{name}')) and not _PARTS & set(function.split('_'))


def _mentions(text: str, name: str) -> bool:
    """Whether a package imports from the package of a model."""
    return any(f'{before}{name}{after}' in text for before in ('.', 'import ') for after in (' ', '.', '\n', '\r'))
