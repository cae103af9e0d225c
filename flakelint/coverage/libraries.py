# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What functions of Python, of torch and of pytest give."""

import functools
import itertools
import math
import re
from collections.abc import Callable
from typing import Any

from flakelint.coverage.expressions import Arguments, elements
from flakelint.coverage.names import attribute
from flakelint.coverage.operations import ERRORS, LARGEST, truth
from flakelint.coverage.run import Run, SkippedError, derived
from flakelint.coverage.shapes import of_call
from flakelint.coverage.values import (
    LEAF,
    LEFT,
    OUTPUT,
    REFERENCE,
    Case,
    Choice,
    Class,
    Instance,
    Named,
    Opaque,
    Partial,
    Structure,
    is_known,
    join,
    joined,
    sources_of,
)

# no list is made longer than this
_MANY = 4096

# what only computes with what is known
_BUILTINS: dict[str, Callable] = {
    'abs': abs, 'all': all, 'any': any, 'bool': bool, 'dict': dict, 'divmod': divmod, 'float': float, 'frozenset': frozenset,
    'int': int, 'len': len, 'max': max, 'min': min, 'reversed': reversed, 'round': round, 'set': set, 'sorted': sorted,
    'sum': sum,
}
# what only moves what is in its arguments
_MOVING: dict[str, Callable] = {
    'dict': dict, 'enumerate': enumerate, 'itertools.chain': itertools.chain, 'len': len, 'list': list, 'reversed': reversed,
    'tuple': tuple,
}


def of_named(name: str, arguments: Arguments, run: Run) -> Any:
    """What a call of a function of another package gives.

    Args:
        name (str):
            Its full name.
        arguments (Arguments):
            What is passed.
        run (Run):
            The reading.
    """
    short = name.removeprefix('builtins.')
    special = _SPECIAL.get(short)
    if special is not None:
        return special(arguments, run)
    values, keywords = arguments.values, arguments.keywords
    if short in _LEAVING:
        return _leave(short, run)
    if name.startswith(_MARK):
        # a mark with a condition that holds is one without
        return Named(name.removesuffix('if') if values and truth(values[0]) is True else name)
    if name in ('unittest.skip', 'unittest.skipIf'):
        return Named('unittest.skip') if name == 'unittest.skip' or truth(values[0] if values else None) is True else Opaque()
    if name.startswith('unittest.assert'):
        return _assertion(name, arguments, run)
    if short in _MOVING and not any(isinstance(one, Opaque) for one in values):
        return _tried(_MOVING[short], arguments)
    if short in _BUILTINS or name.startswith('math.'):
        function = _BUILTINS.get(short) or getattr(math, name.removeprefix('math.'), None)
        if callable(function) and is_known(values) and is_known(keywords):
            return _tried(function, arguments)
        return Opaque(joined(values))
    made = of_call(name, values, keywords)
    if isinstance(made, tuple):
        return made
    is_new = name.startswith('torch.') and not any(one[0] == LEAF for one in made.sources)
    return Opaque(made.sources | run.leaf(), made.shape) if is_new else made


def _leave(name: str, run: Run) -> Any:
    """Leave a test, or, where it is not known whether it is left, the function that does."""
    if not run.unsure and name != 'pytest.fail':
        raise SkippedError
    return LEFT


def _assertion(name: str, arguments: Arguments, run: Run) -> None:
    """An assertion of unittest."""
    sources = [sources_of(one) for one in arguments.values[:2]]
    if _NEGATIVE.search(name) or not sources:
        return
    if _PAIRS.search(name) and len(sources) > 1:
        run.is_asserted(run.difference(*sources))
    else:
        run.is_asserted(sources[-1] if 'Greater' in name else sources[0])


def _zip(arguments: Arguments, run: Run) -> Any:
    """Of what is not known, as many parts as the others have."""
    lists = [elements(one) for one in arguments.values]
    known = [len(found) for found, is_exact in lists if is_exact]
    if not known:
        return Opaque(joined(arguments.values))
    parts = [found if is_exact else found * min(known) for found, is_exact in lists]
    return list(zip(*parts, strict=False))[:_MANY]


def _text(arguments: Arguments, run: Run) -> Any:
    value = arguments.values[0] if arguments.values else ''
    if isinstance(value, Named):
        return value.canonical
    is_short = isinstance(value, str | float | None) or (isinstance(value, int) and abs(value) < LARGEST)
    return str(value) if is_short else Opaque(sources_of(value))


def _namespace(arguments: Arguments, run: Run) -> Any:
    return Structure(dict(arguments.keywords))


def _tried(function: Callable, arguments: Arguments) -> Any:
    sources = joined([arguments.values, arguments.keywords])
    values = arguments.values
    if any(isinstance(one, Choice) for one in values):
        # of the lists that a value may be, each by itself
        options = [one.options if isinstance(one, Choice) else (one,) for one in values]
        made = [_tried(function, Arguments(list(chosen), arguments.keywords)) for chosen in itertools.product(*options)]
        return functools.reduce(join, made)
    keywords = {key: value for key, value in arguments.keywords.items() if key != 'strict'}
    try:
        found = function(*values, **keywords)
    except ERRORS:
        return Opaque(sources)
    return list(itertools.islice(found, _MANY)) if hasattr(found, '__next__') else found


def _range(arguments: Arguments, run: Run) -> Any:
    try:
        found = range(*arguments.values)
    except ERRORS:
        return Opaque()
    return found if len(found) <= _MANY else Opaque()


def _map(arguments: Arguments, run: Run) -> Any:
    if len(arguments.values) < 2 or not arguments.is_complete:
        return Opaque(joined(arguments.values))
    function, *values = arguments.values
    lists = [elements(one) for one in values]
    turns = zip(*(one for one, _ in lists), strict=False)
    found = [run.call(function, Arguments(list(one), {}), run) for one in turns]
    return found if all(is_exact for _, is_exact in lists) else Opaque(joined(found))


def _isinstance(arguments: Arguments, run: Run) -> Any:
    value, kind = [*arguments.values, None, None][:2]
    known = {'builtins.int': int, 'builtins.str': str, 'builtins.float': float, 'builtins.list': list, 'builtins.tuple': tuple,
             'builtins.dict': dict, 'builtins.bool': bool}
    if isinstance(kind, Class) and not isinstance(value, Opaque | Choice):
        # what inherits from it is not looked for
        return getattr(value, 'node', None) is kind.node or (Opaque() if isinstance(value, Structure | Instance) else False)
    wanted = known.get(kind.name) if isinstance(kind, Named) else None
    return Opaque() if wanted is None or isinstance(value, Opaque) else isinstance(value, wanted)


def _getattr(arguments: Arguments, run: Run) -> Any:
    owner, name = [*arguments.values, None, None][:2]
    return attribute(owner, name, run) if isinstance(name, str) else Opaque(sources_of(owner))


def _case(arguments: Arguments, run: Run) -> Any:
    return Case(tuple(arguments.values), arguments.keywords.get('id'), arguments.keywords.get('marks', ()))


def _partial(arguments: Arguments, run: Run) -> Any:
    function, *values = arguments.values or [Opaque()]
    return Partial(function, tuple(values), arguments.keywords)


def _product(arguments: Arguments, run: Run) -> Any:
    lists = [elements(one) for one in arguments.values]
    if not all(is_exact for _, is_exact in lists):
        return Opaque(joined(arguments.values))
    repeat = arguments.keywords.get('repeat', 1)
    found = itertools.product(*(one for one, _ in lists), repeat=repeat if isinstance(repeat, int) else 1)
    return list(itertools.islice(found, _MANY))


def _grad(arguments: Arguments, run: Run) -> Any:
    outputs = arguments.values[0] if arguments.values else arguments.keywords.get('outputs')
    inputs = arguments.values[1] if len(arguments.values) > 1 else arguments.keywords.get('inputs')
    sources = derived(sources_of(outputs))
    found, is_exact = elements(inputs)
    if not is_exact:
        # one tensor, or nobody knows how many
        shape = getattr(inputs, 'shape', None)
        return [Opaque(sources, shape)] if shape is not None else Opaque(sources)
    return tuple(Opaque(sources, one.shape if isinstance(one, Opaque) else None) for one in found)


def _backward(arguments: Arguments, run: Run) -> Any:
    run.backward(joined(arguments.values[:1]))
    return None


def _gradcheck(arguments: Arguments, run: Run) -> Any:
    named = [arguments.keywords[name] for name in ('func', 'inputs') if name in arguments.keywords]
    function, inputs = [*arguments.values[:2], *named, Opaque(), Opaque()][:2]
    found, is_exact = elements(inputs) if isinstance(inputs, list | tuple) else ([inputs], True)
    result = run.call(function, Arguments(found, {}, is_exact), run)
    run.record.checked.update(one for one in sources_of(result) if one[0] in (OUTPUT, REFERENCE))
    return Opaque()


def _first(arguments: Arguments, run: Run) -> Any:
    return arguments.values[0] if arguments.values else Opaque()


def _applied(arguments: Arguments, run: Run) -> Any:
    function, *values = [*arguments.values, Opaque()]
    keywords = {key: value for key, value in arguments.keywords.items() if key not in _OF_CHECKPOINT}
    return run.call(function, Arguments(values[:-1], keywords, arguments.is_complete), run)


_MARK = 'pytest.mark.'
_OF_CHECKPOINT = frozenset({'use_reentrant', 'preserve_rng_state', 'context_fn', 'determinism_check', 'debug'})
_LEAVING = frozenset({'pytest.skip', 'pytest.fail', 'pytest.xfail', 'pytest.exit'})
_NEGATIVE = re.compile('Not|False|Raises|Warns|Logs')
_PAIRS = re.compile('Equal|Is$')
_SPECIAL: dict[str, Callable[[Arguments, Run], Any]] = {
    'range': _range, 'zip': _zip, 'str': _text, 'repr': _text, 'types.SimpleNamespace': _namespace,
    'staticmethod': _first, 'classmethod': _first, 'pytest.approx': _first, 'map': _map, 'isinstance': _isinstance,
    'getattr': _getattr, 'pytest.param': _case,
    'functools.partial': _partial, 'itertools.product': _product, 'torch.autograd.grad': _grad,
    'torch.autograd.backward': _backward, 'torch.autograd.gradcheck': _gradcheck,
    'torch.autograd.gradcheck.gradcheck': _gradcheck, 'torch.compile': _first, 'copy.deepcopy': _first,
    'copy.copy': _first, 'torch.utils.checkpoint.checkpoint': _applied,
}
