# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether the table of Triton's names is true for the release that is installed."""

import ast
import importlib
import inspect
import json
from itertools import pairwise
from types import ModuleType

import pytest

from flakelint.kernel.api import CLASS, FUNCTION, LANGUAGE, MODULE, TENSOR, VALUE, Entry, load, numbers

triton = pytest.importorskip('triton')
IS_KNOWN = numbers(triton.__version__) in load().versions
pytestmark = pytest.mark.skipif(not IS_KNOWN, reason='a release that is not in the table')

API = load()
MODULES = [module for module in API._modules if module != TENSOR]
_HIDDEN = {'_builder', '_generator', '_semantic', 'self'}


def installed() -> tuple[int, ...]:
    return numbers(triton.__version__)


def entries(module: str) -> dict[str, Entry]:
    found = {name: API.entry(module, name, installed()) for name in API.names(module)}
    return {name: entry for name, entry in found.items() if entry is not None}


def signature(thing: object) -> inspect.Signature:
    # the interpreter wraps what kernels call
    inner = getattr(thing, 'fn', thing)
    return getattr(inner, 'signature', None) or inspect.signature(inner)


def real_parameters(thing: object, skip: int = 0) -> list[tuple[str, str, bool]]:
    kept = list(signature(thing).parameters.values())[skip:]
    return [(one.name, one.kind.name, one.default is not one.empty) for one in kept if one.name not in _HIDDEN]


def parameters(entry: Entry) -> list[tuple[str, str, bool]]:
    text = ast.unparse(ast.Lambda(entry.parameters, ast.Constant(0))) if entry.parameters else 'lambda: 0'
    plain = ast.parse(text, mode='eval').body.args
    first = len(plain.args) - len(plain.defaults)
    found = [(one.arg, 'POSITIONAL_OR_KEYWORD', number >= first) for number, one in enumerate(plain.args)]
    found += [(plain.vararg.arg, 'VAR_POSITIONAL', False)] if plain.vararg else []
    pairs = zip(plain.kwonlyargs, plain.kw_defaults, strict=True)
    found += [(one.arg, 'KEYWORD_ONLY', default is not None) for one, default in pairs]
    return found + ([(plain.kwarg.arg, 'VAR_KEYWORD', False)] if plain.kwarg else [])


def literal_defaults(entry: Entry) -> dict[str, object]:
    arguments = entry.parameters
    pairs = [*zip(arguments.args[::-1], arguments.defaults[::-1], strict=False)]
    pairs += [pair for pair in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if pair[1] is not None]
    found = {}
    for one, default in pairs:
        try:
            found[one.arg] = ast.literal_eval(default)
        except ValueError:
            continue
    return found


@pytest.mark.parametrize('module', MODULES)
def test_every_name_is_there_and_takes_what_the_table_says(module):
    if not entries(module):
        with pytest.raises(ImportError):
            importlib.import_module(module)
        return
    real = importlib.import_module(module)
    for name, entry in entries(module).items():
        thing = getattr(real, name)
        if entry.kind == FUNCTION:
            assert parameters(entry) == real_parameters(thing), name
            for parameter, default in literal_defaults(entry).items():
                assert signature(thing).parameters[parameter].default == default, (name, parameter)
        elif entry.kind == CLASS and entry.parameters is not None:
            assert parameters(entry) == real_parameters(thing.__init__, 1), name
        assert (entry.kind == MODULE) == isinstance(thing, ModuleType) or entry.kind == VALUE, name


@pytest.mark.parametrize('module', [module for module in MODULES if entries(module)])
def test_no_name_is_missing(module):
    real = importlib.import_module(module)
    names = {name for name in vars(real) if not name.startswith('_')}
    assert names <= set(entries(module))


def test_the_methods_of_tensors():
    tensor = triton.language.core.tensor
    real = {name for base in tensor.__mro__ for name in vars(base) if not name.startswith('_')}
    own = {'dtype', 'handle', 'numel', 'shape', 'type'}
    assert set(entries(TENSOR)) == real | own
    for name, entry in entries(TENSOR).items():
        if entry.kind == FUNCTION:
            # the interpreter hides what methods take, the functions of the same name tell
            method = getattr(triton.language, name, getattr(tensor, name))
            assert parameters(entry) == real_parameters(method, 1), name


def test_what_raises():
    raising = {name for module in MODULES for name, entry in entries(module).items() if entry.raises}
    for name in raising:
        taken = entries('triton.language.core')[name].parameters.args
        with pytest.raises(NotImplementedError):
            getattr(triton.language.core, name)(*[None] * len(taken), _semantic=1)
    assert raising == {'advance', 'make_block_ptr'}


def test_versions_and_runs_are_in_order():
    assert list(API.versions) == sorted(API.versions)
    for module in API._modules:
        for name in API.names(module):
            found = API.entries(module, name)
            assert found
            for one, following in pairwise(found):
                assert one.since < one.until <= following.since, name


def test_an_alias_holds_only_where_both_do():
    table = {
        'versions': ['1.0', '1.1', '1.2', '1.3'],
        'modules': {'a': {'x': [['1.1', '1.3', '=b.x']]}, 'b': {'x': [['1.0', '1.2', '()'], ['1.2', '', 'class(y)']]}},
    }
    from flakelint.kernel.api import Api

    found = Api(json.loads(json.dumps(table))).entries('a', 'x')
    assert [(one.since, one.until, one.kind) for one in found] == [((1, 1), (1, 2), FUNCTION), ((1, 2), (1, 3), CLASS)]


def test_what_is_known_of_single_names():
    def has(version: str, name: str, module: str = LANGUAGE) -> bool:
        return API.entry(module, name, numbers(version)) is not None

    assert has('3.3.0', 'advance') and not has('3.9.0', 'advance')
    assert has('3.3.1', '_experimental_make_tensor_descriptor') and not has('3.4.0', '_experimental_make_tensor_descriptor')
    assert not has('3.3.0', 'make_tensor_descriptor') and has('3.4.0', 'make_tensor_descriptor')
    assert not has('3.9.0', 'tanh', 'triton.language.math') and has('3.9.0', 'tanh', 'triton.language.extra.libdevice')
    load_3_8 = API.entry(LANGUAGE, 'load', (3, 8, 0)).parameters
    assert 'boundary_check' in [one.arg for one in load_3_8.args]
