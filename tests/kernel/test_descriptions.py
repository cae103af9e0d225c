# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether each name of Triton's has a text, and what its signature and its releases look like."""

import ast
import json
import re
from importlib.resources import files

import pytest

from flakelint.kernel.api import CLASS, FUNCTION, LANGUAGE, TENSOR, VALUE, Entry, load, numbers
from flakelint.kernel.api.descriptions import describe, signature, versions

API = load()
HOST = 'triton'
TEXTS = json.loads(files('flakelint.kernel.api').joinpath('descriptions.json').read_text(encoding='utf-8'))
DESCRIBED = [module for module in TEXTS if module != HOST]
EACH = [(module, name) for module, texts in TEXTS.items() for name in texts]


def public(module: str) -> list[str]:
    return [name for name in API.names(module) if not name.startswith('_')]


def newest(name: str, module: str = LANGUAGE, version: str = '3.9.0') -> Entry:
    return API.entry(module, name, numbers(version))


def held(*spans: tuple[str, str]) -> list[Entry]:
    return [Entry(numbers(since), numbers(until), FUNCTION) for since, until in spans]


def test_the_modules_that_are_described():
    assert set(DESCRIBED) >= {LANGUAGE, TENSOR, f'{LANGUAGE}.math', f'{LANGUAGE}.extra.cuda', f'{LANGUAGE}.extra.hip'}
    assert all(map(API.knows, DESCRIBED))


@pytest.mark.parametrize('module', DESCRIBED)
def test_every_public_name_has_a_text(module):
    assert [name for name in public(module) if not describe(module, name)] == []


@pytest.mark.parametrize('module', DESCRIBED)
def test_no_text_is_for_a_name_that_no_release_has(module):
    assert set(TEXTS[module]) <= set(public(module))


def test_the_names_of_the_package_itself():
    triton = pytest.importorskip('triton')
    if numbers(triton.__version__) != API.versions[-1]:
        pytest.skip('not the newest release in the table')
    assert set(TEXTS[HOST]) == set(triton.__all__)


@pytest.mark.parametrize(('module', 'name'), EACH)
def test_the_form_of_a_text(module, name):
    text = describe(module, name)
    assert text == TEXTS[module][name]
    assert text == ' '.join(text.split()) and text.endswith('.') and not text.endswith('..')
    assert len(text) <= 300
    assert 1 <= len(re.findall(r'\.(?: |$)', text)) <= 3
    assert text.count('`') % 2 == 0


def test_the_texts_are_in_order():
    assert list(TEXTS) == sorted(TEXTS)
    for texts in TEXTS.values():
        assert list(texts) == sorted(texts)


def test_no_two_names_of_a_module_have_one_text():
    for texts in TEXTS.values():
        assert len(set(texts.values())) == len(texts)


@pytest.mark.parametrize('module', DESCRIBED)
def test_a_text_names_only_what_exists(module):
    for name, text in TEXTS[module].items():
        for mentioned in re.findall(r'`tl\.(\w+)', text):
            assert API.entries(LANGUAGE, mentioned), (name, mentioned)


@pytest.mark.parametrize(('module', 'name', 'same'), [
    (LANGUAGE, 'exp', f'{LANGUAGE}.math'),
    (f'{LANGUAGE}.core', 'load', LANGUAGE),
    (f'{LANGUAGE}.standard', 'sum', LANGUAGE),
    (f'{LANGUAGE}.random', 'rand', LANGUAGE),
])
def test_a_text_holds_under_every_name(module, name, same):
    assert describe(module, name) == TEXTS[same][name]


@pytest.mark.parametrize(('module', 'name'), [
    (LANGUAGE, 'tanh'),
    (LANGUAGE, 'List'),
    (LANGUAGE, '_utils'),
    (TENSOR, 'load'),
    (f'{LANGUAGE}.core', 'math'),
    (f'{LANGUAGE}.core', 'extra'),
    (f'{LANGUAGE}.extra.libdevice', 'abs'),
    ('torch', 'load'),
    ('', ''),
])
def test_what_has_no_text(module, name):
    assert describe(module, name) == ''


@pytest.mark.parametrize(('name', 'version', 'text'), [
    ('load', '3.9.0', "load(pointer, mask=None, other=None, *, cache_modifier='', eviction_policy='', volatile=False)"),
    ('program_id', '3.9.0', 'program_id(axis)'),
    ('debug_barrier', '3.9.0', 'debug_barrier()'),
    ('broadcast_to', '3.9.0', 'broadcast_to(input, *shape)'),
    ('cumsum', '3.3.0', 'cumsum(input, axis=0, reverse=False)'),
    ('cumsum', '3.9.0', 'cumsum(input, axis=0, reverse=False, dtype=None)'),
    ('static_range', '3.9.0', 'static_range(arg1, arg2=None, step=None)'),
    ('aggregate_replace', '3.9.0', 'aggregate_replace(instance, **changes)'),
    ('const', '3.9.0', 'const'),
    ('float32', '3.9.0', 'float32'),
    ('math', '3.9.0', 'math'),
])
def test_signatures(name, version, text):
    assert signature(newest(name, version=version), name) == text


@pytest.mark.parametrize(('name', 'text'), [
    ('sum', 'sum(axis=None, keep_dims=False, dtype=None)'),
    ('exp', 'exp()'),
    ('to', 'to(dtype, fp_downcast_rounding=None, bitcast=False)'),
    ('shape', 'shape'),
])
def test_signatures_of_methods(name, text):
    assert signature(newest(name, TENSOR), name) == text


@pytest.mark.parametrize('module', DESCRIBED)
def test_every_signature_can_be_read_again(module):
    for name in public(module):
        for entry in API.entries(module, name):
            text = signature(entry, name)
            if entry.kind == VALUE or entry.parameters is None:
                assert text == name
            else:
                assert entry.kind in (FUNCTION, CLASS)
                again = ast.parse(f'def {text}: ...').body[0].args
                assert ast.dump(again) == ast.dump(entry.parameters)


@pytest.mark.parametrize(('spans', 'text'), [
    ([('3.3.0', '')], 'in all releases from 3.3'),
    ([('3.3.0', '3.4.0'), ('3.4.0', '')], 'in all releases from 3.3'),
    ([('3.0', '')], 'in all releases from 3.3'),
    ([('3.5.0', '')], 'since 3.5'),
    ([('3.5.0', '3.6.0'), ('3.6.0', '')], 'since 3.5'),
    ([('3.5.1', '')], 'since 3.5.1'),
    ([('3.9.0', '')], 'since 3.9'),
    ([('3.3.0', '3.5.0')], 'until 3.4'),
    ([('3.3.0', '3.6.0')], 'until 3.5'),
    ([('3.3.0', '3.5.1')], 'until 3.5.0'),
    ([('3.3.0', '3.3.1')], 'until 3.3.0'),
    ([('3.4.0', '3.7.0')], '3.4 to 3.6'),
    ([('3.4.0', '3.6.0')], '3.4 to 3.5'),
    ([('3.3.1', '3.5.1')], '3.3.1 to 3.5.0'),
    ([('3.4.0', '3.5.0')], 'only 3.4'),
    ([('3.5.0', '3.6.0')], 'only 3.5'),
    ([('3.5.0', '3.5.1')], 'only 3.5.0'),
    ([('3.5.1', '3.6.0')], 'only 3.5.1'),
    ([('3.3.0', '3.4.0'), ('3.6.0', '')], 'until 3.3, since 3.6'),
    ([('3.4.0', '3.5.0'), ('3.6.0', '3.7.0')], 'only 3.4, only 3.6'),
    ([('4.0', '')], ''),
    ([], ''),
])
def test_versions(spans, text):
    known = [version for version in API.versions if version <= (3, 9, 0)]
    assert versions(held(*spans), known) == text


def test_versions_of_single_names():
    known = API.versions
    assert versions(API.entries(LANGUAGE, 'load'), known) == 'in all releases from 3.3'
    assert versions(API.entries(LANGUAGE, 'advance'), known) == 'until 3.8'
    assert versions(API.entries(LANGUAGE, 'async_task'), known) == '3.4 to 3.5'
    assert versions(API.entries(LANGUAGE, 'make_tensor_descriptor'), known) == 'since 3.4'
    assert versions(API.entries(LANGUAGE, 'constexpr_function'), known) == 'only 3.4'
    assert versions(API.entries(LANGUAGE, 'tanh'), known) == ''
    assert versions([newest('load')], [numbers('3.9.0')]) == 'in all releases from 3.9'


def test_no_release_is_known_of():
    assert versions([newest('load')], ()) == ''
