# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Who serves a call of a function under `@dispatch`."""

import logging

import pytest

from fla.ops import backends
from fla.ops.backends import BackendRegistry, BaseBackend, dispatch


class Fast(BaseBackend):
    name = 'fast'
    env_var = 'FLA_TEST_FAST'
    priority = 1

    def double(self, x, times=2):
        return f'fast {x * times}'

    def double_verifier(self, x, times=2):
        return None if x >= 0 else 'it takes nothing negative'


class Broad(BaseBackend):
    name = 'broad'

    def double(self, x, times=2):
        return f'broad {x * times}'

    def triple(self, x):
        return f'broad {x * 3}'


@dispatch('test_operation')
def double(x, times=2):
    """Twice as much."""
    return f'own {x * times}'


@dispatch('test_operation')
def triple(x):
    return f'own {x * 3}'


@dispatch('test_operation')
def quadruple(x):
    return f'own {x * 4}'


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr(backends, '_registries', {})
    return BackendRegistry('test_operation')


def test_without_backends_the_function_runs(monkeypatch):
    monkeypatch.setattr(backends, '_registries', {})
    assert double(3) == 'own 6'
    assert double.__name__ == 'double' and double.__doc__ == 'Twice as much.'


def test_backends_are_asked_by_priority(registry):
    assert double(3) == 'own 6'
    registry.register(Broad())
    assert double(3) == 'broad 6'
    registry.register(Fast())
    assert [backend.name for backend in registry.backends] == ['fast', 'broad']
    assert double(3) == 'fast 6'
    assert double(x=3, times=4) == 'fast 12'


def test_a_backend_serves_what_it_has(registry):
    registry.register(Fast())
    assert triple(3) == 'own 9'
    registry.register(Broad())
    assert triple(3) == 'broad 9'
    assert quadruple(3) == 'own 12'


def test_a_verifier_passes_a_call_on(registry, caplog):
    registry.register(Fast())
    with caplog.at_level(logging.INFO, logger='fla.ops.backends'):
        assert double(-3) == 'own -6'
        assert double(-4) == 'own -8'
    line, = caplog.records
    assert line.levelno == logging.INFO
    assert line.getMessage() == 'double: the backend fast does not serve it, since it takes nothing negative'
    registry.register(Broad())
    assert double(-3) == 'broad -6'


@pytest.mark.parametrize(('value', 'served'), [('0', 'own 6'), ('off', 'own 6'), ('1', 'fast 6'), ('on', 'fast 6')])
def test_a_variable_switches_a_backend(registry, monkeypatch, value, served):
    monkeypatch.setenv('FLA_TEST_FAST', value)
    registry.register(Fast())
    assert double(3) == served


def test_a_backend_that_is_asked_for_warns(registry, monkeypatch, caplog):
    monkeypatch.setenv('FLA_TEST_FAST', '1')
    registry.register(Fast())
    assert double(-3) == 'own -6'
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_a_backend_may_be_off_unless_asked_for(registry, monkeypatch):
    monkeypatch.setattr(Fast, 'is_default', False)
    registry.register(Fast())
    assert double(3) == 'own 6'
    monkeypatch.setenv('FLA_TEST_FAST', '1')
    registry.refresh()
    assert double(3) == 'fast 6'


def test_a_backend_that_is_not_available(registry, monkeypatch, caplog):
    asked = []
    monkeypatch.setattr(Fast, 'is_available', lambda self: bool(asked.append(1)))
    registry.register(Fast())
    assert [double(3), double(3)] == ['own 6', 'own 6']
    assert len(asked) == 1 and not caplog.records
    monkeypatch.setenv('FLA_TEST_FAST', '1')
    registry.refresh()
    assert double(3) == 'own 6'
    message = 'test_operation: the backend fast does not serve it, since it is not available on this machine'
    assert [record.getMessage() for record in caplog.records] == [message]


def test_names_are_taken_once(registry):
    registry.register(Fast())
    with pytest.raises(ValueError, match="backend 'fast'"):
        registry.register(Fast())
    with pytest.raises(ValueError, match="'test_operation' has a registry"):
        BackendRegistry('test_operation')
