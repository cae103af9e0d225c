# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the rules about the layout of a repository learn from its other files, and that what is remembered of them goes when those change."""

from pathlib import Path

import pytest

from flakelint.rules.rep.rep105_env_var_list import not_read
from tests.rule_harness import checker
from tests.tools import flakelint, write

MODEL = '''
from transformers import AutoConfig, AutoModel

from fla.models.gla.configuration_gla import GLAConfig
from fla.models.gla.modeling_gla import GLAModel

AutoConfig.register('gla', GLAConfig)
AutoModel.register(GLAConfig, GLAModel)
'''
OPERATOR = 'from .chunk import chunk_gla\n'
ENVS = '# Environment\n\n| variable | what it does |\n|---|---|\n| `ACME_A` | this |\n| `ACME_GROUP_*` | these |\n'


def write_all(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        write(folder / name, text)


def messages(folder: Path, code: str, name: str, **options: object) -> list[str]:
    run = checker(folder, {'rules': {code: options}} if options else {}, code)
    return [finding.message for finding in run.check(name, (folder / name).read_bytes())]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write_all(tmp_path, {
        'fla/__init__.py': '',
        'fla/models/__init__.py': 'from fla.models.gla import GLAConfig\n',
        'fla/models/gla/__init__.py': MODEL,
        'fla/models/gla/configuration_gla.py': 'class GLAConfig: pass\n',
        'fla/models/gla/modeling_gla.py': 'class GLAModel: pass\n',
    })
    return tmp_path


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    write_all(tmp_path, {
        'fla/__init__.py': '',
        'fla/ops/__init__.py': '',
        'fla/ops/gla/__init__.py': OPERATOR,
        'fla/ops/gla/chunk.py': 'def chunk_gla(): pass\n\n\ndef chunk_gla_fwd(): pass\n\n\ndef _hidden_gla(): pass\n',
        'fla/ops/gla/naive.py': 'def naive_recurrent_gla(): pass\n',
    })
    return tmp_path


def test_complete_packages_are_fine(model: Path, operator: Path) -> None:
    assert not messages(model, 'REP102', 'fla/models/gla/__init__.py')
    assert not messages(operator, 'REP102', 'fla/ops/gla/__init__.py')


@pytest.mark.parametrize('name', ['configuration_gla', 'modeling_gla'])
def test_files_that_a_model_lacks(name: str, model: Path) -> None:
    (model / f'fla/models/gla/{name}.py').unlink()
    (message,) = messages(model, 'REP102', 'fla/models/gla/__init__.py')
    assert message.startswith(f'`fla/models/gla/` has no `{name}.py`')


def test_files_that_a_model_does_not_have(model: Path) -> None:
    write(model / 'fla/models/gla/helpers.py', '')
    (message,) = messages(model, 'REP102', 'fla/models/gla/__init__.py')
    assert message.startswith('`fla/models/gla/helpers.py` does not belong')


def test_files_with_another_name_are_one_fault(model: Path) -> None:
    (model / 'fla/models/gla/modeling_gla.py').rename(model / 'fla/models/gla/modeling_gated.py')
    (message,) = messages(model, 'REP102', 'fla/models/gla/__init__.py')
    assert message == '`fla/models/gla/` has no `modeling_gla.py`: name `modeling_gated.py` so'


@pytest.mark.parametrize(('text', 'is_named'), [
    ('from .gla import GLAConfig\n', True),
    ('from fla.models import gla\n', True),
    ('from .gla.modeling_gla import GLAModel\n', True),
    ('from .gla2 import Config\n', False),
    ('', False),
])
def test_models_are_named_above(text: str, is_named: bool, model: Path) -> None:
    write(model / 'fla/models/__init__.py', text)
    assert (not messages(model, 'REP102', 'fla/models/gla/__init__.py')) == is_named


@pytest.mark.parametrize('text', ['', '"""Gated linear attention."""\n', 'from .chunk import chunk_gla_fwd\n'])
def test_operators_are_exported(text: str, operator: Path) -> None:
    write(operator / 'fla/ops/gla/__init__.py', text)
    (message,) = messages(operator, 'REP102', 'fla/ops/gla/__init__.py')
    assert message.startswith('`chunk_gla` of `fla/ops/gla/chunk.py` is public')


@pytest.mark.parametrize('text', [
    'from fla.ops.gla.chunk import chunk_gla\n',
    'from .chunk import *\n',
    'from .chunk import chunk_gla as chunk_gla\n',
    'import fla.ops.gla.chunk as chunk\n\nchunk_gla = chunk.chunk_gla\n',
    'def __getattr__(name): ...\n',
])
def test_exports_by_any_name(text: str, operator: Path) -> None:
    write(operator / 'fla/ops/gla/__init__.py', text)
    assert not messages(operator, 'REP102', 'fla/ops/gla/__init__.py')


def test_a_second_form_must_be_exported_too(operator: Path) -> None:
    write(operator / 'fla/ops/gla/fused_recurrent.py', 'def fused_recurrent_gla(): pass\n\n\ndef gla_helper(): pass\n')
    (message,) = messages(operator, 'REP102', 'fla/ops/gla/__init__.py')
    assert '`fused_recurrent_gla`' in message


def test_operators_have_a_test(operator: Path) -> None:
    write(operator / 'tests/ops/test_other.py', 'from fla.ops.gla import chunk_gla\n')
    (message,) = messages(operator, 'TST109', 'fla/ops/gla/__init__.py')
    assert message == '`gla` has no test file: write `tests/ops/test_gla.py` for `fla/ops/gla/`'
    write(operator / 'tests/ops/test_gla.py', '')
    assert not messages(operator, 'TST109', 'fla/ops/gla/__init__.py')


def test_models_have_a_test(model: Path) -> None:
    write(model / 'tests/models/test_gla.py', '')
    (message,) = messages(model, 'TST109', 'fla/models/gla/__init__.py')
    assert '`tests/models/test_modeling_gla.py`' in message
    write(model / 'tests/models/test_modeling_gla.py', '')
    assert not messages(model, 'TST109', 'fla/models/gla/__init__.py') or not (model / 'fla/models/gla').exists()


def test_where_no_test_is_seen_nothing_is_said(operator: Path) -> None:
    assert not messages(operator, 'TST109', 'fla/ops/gla/__init__.py')


@pytest.mark.parametrize(('test', 'is_tested'), [
    ('from fla.modules.norm import RMSNorm\n', True),
    ('from fla.modules import RMSNorm\n', True),
    ('from fla import RMSNorm, other\n', True),
    ('import fla.modules.norm\n', True),
    ('def f():\n    from fla.modules.norm import (\n        # the norm\n        rms_norm as norm,\n    )\n', True),
    ('import fla.modules.norm as n, os\n', True),
    ('from fla.modules import Rotary\n', False),
    ('from fla.modules.normal import RMSNorm\n', False),
    ('# from fla.modules.norm import RMSNorm\n', False),
    ('RMSNorm = None\n', False),
])
def test_modules_are_imported_by_a_test(test: str, is_tested: bool, tmp_path: Path) -> None:
    write_all(tmp_path, {
        'fla/__init__.py': '',
        'fla/modules/__init__.py': 'from .norm import RMSNorm\n',
        'fla/modules/norm.py': 'class RMSNorm: pass\n\n\ndef rms_norm(): pass\n',
        'tests/anywhere/test_something.py': test,
    })
    assert (not messages(tmp_path, 'TST109', 'fla/modules/norm.py')) == is_tested


def test_modules_may_have_a_file_of_their_own(tmp_path: Path) -> None:
    write_all(tmp_path, {'fla/layers/attn.py': 'class Attention: pass\n', 'tests/layers/test_attn.py': ''})
    assert not messages(tmp_path, 'TST109', 'fla/layers/attn.py')


def test_variables_are_listed(tmp_path: Path) -> None:
    reads = "import os\n\nA = os.getenv('ACME_A'), os.getenv('ACME_GROUP_X'), os.getenv('ACME_B'), os.getenv('ACME')\n"
    write_all(tmp_path, {'fla/config.py': reads, 'tests/test_config.py': reads})
    assert not messages(tmp_path, 'REP105', 'fla/config.py')
    write(tmp_path / 'ENVs.md', ENVS)
    assert [message.partition(' ')[0] for message in messages(tmp_path, 'REP105', 'fla/config.py')] == ['`ACME_B`', '`ACME`']
    assert not messages(tmp_path, 'REP105', 'tests/test_config.py')


def test_variables_that_nothing_reads() -> None:
    text = f'{ENVS}- `ACME_OLD`: none\nSee `ACME_IN_PROSE`.\n'
    assert not_read(text, ['ACME_A', 'ACME_GROUP_X', 'ACME_OLD']) == []
    assert not_read(text, ['ACME_A']) == [(6, 'ACME_GROUP_*'), (7, 'ACME_OLD')]


@pytest.mark.parametrize(('code', 'name', 'before', 'after'), [
    pytest.param(
        'REP105', 'fla/config.py',
        {'fla/config.py': "import os\n\nA = os.getenv('ACME_B')\n", 'ENVs.md': ENVS}, {'ENVs.md': '`ACME_B`\n'},
        id='a list that is no Python',
    ),
    pytest.param(
        'REP105', 'ENVs.md',
        {'fla/config.py': "import os\n\nA = os.getenv('ACME_GROUP_X')\n", 'ENVs.md': ENVS},
        {'fla/other.py': "import os\n\nA = os.getenv('ACME_A')\n"},
        id='a variable that was not read',
    ),
    pytest.param(
        'TST109', 'fla/ops/gla/__init__.py',
        {'fla/ops/gla/__init__.py': OPERATOR, 'fla/ops/gla/chunk.py': '', 'tests/ops/test_other.py': ''},
        {'tests/ops/test_gla.py': ''},
        id='a test that was missing',
    ),
    pytest.param(
        'TST109', 'fla/modules/norm.py',
        {'fla/modules/norm.py': 'class RMSNorm: pass\n', 'tests/test_other.py': ''},
        {'tests/test_other.py': 'from fla.modules.norm import RMSNorm\n'},
        id='an import in a test',
    ),
    pytest.param(
        'REP102', 'fla/ops/gla/__init__.py',
        {'fla/ops/gla/__init__.py': '\n', 'fla/ops/gla/chunk.py': 'def chunk_gla(): pass\n'},
        {'fla/ops/gla/chunk.py': 'def chunk_gla_fwd(): pass\n'},
        id='a function beside it',
    ),
])
def test_what_is_remembered_depends_on_other_files(code: str, name: str, before: dict, after: dict, tmp_path: Path) -> None:
    write_all(tmp_path, {'flakelint.toml': 'preset = "fla"\n', **before})

    def found() -> bool:
        result = flakelint('check', '--select', code, '--output-format', 'concise', cwd=tmp_path)
        assert not result.stderr, result.stderr
        return f'{name}:' in result.stdout

    assert found()
    assert found()
    write_all(tmp_path, after)
    assert not found()
    write_all(tmp_path, {'unrelated.py': ''})
    assert not found()
    write_all(tmp_path, before)
    for path in set(after) - set(before):
        (tmp_path / path).unlink()
    assert found()
