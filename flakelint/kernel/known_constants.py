# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the compile-time constants of a kernel are: written out, tried by its configurations, passed by its launches."""

import ast
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.constants import folded
from flakelint.kernel.decorators import AUTOTUNE
from flakelint.kernel.graph import Value
from flakelint.kernel.launches import FLAG, NONE, NUMBER, STRING
from flakelint.source.expressions import defaults_of

if TYPE_CHECKING:
    from flakelint.kernel.model import Model

_MAX_VALUES = 64
_WRITTEN = (FLAG, NONE, NUMBER, STRING)
# with these the tuner leaves out configurations
_PRUNES = 'prune_configs_by'


class Known(NamedTuple):
    """The values that a constant argument takes.

    Args:
        values (tuple[Any, ...]):
            The values, each once.
        origin (str):
            Who gives them.
    """

    values: tuple[Any, ...]
    origin: str


def of_parameter(name: str, model: 'Model') -> Known | None:
    """All values that a constant argument of a kernel is seen to take; `None` where one may not be seen."""
    kernel = model.kernel
    tuner = kernel.decorator(AUTOTUNE)
    if tuner is not None and (not kernel.tuned.is_complete or _PRUNES in tuner.keywords):
        return None
    if name in kernel.block_sizes:
        return Known(kernel.block_sizes[name], 'a configuration')
    if name in kernel.heuristics:
        return None
    launches = model.facts.launches
    if not launches:
        default = defaults_of(kernel.definition.args).get(name)
        return Known((default.value,), 'its default') if isinstance(default, ast.Constant) else None
    passed = [launch.parameters.get(name) for launch in launches]
    if any(one is None or one.kind not in _WRITTEN or (one.value is None and one.kind != NONE) for one in passed):
        return None
    return Known(tuple(dict.fromkeys(one.value for one in passed)), 'a launch')


def numbers(value: Value, model: 'Model') -> Known | None:
    """The whole numbers that a constant is seen to be; `None` where one may not be seen."""
    if value.type != types.CONST:
        return None
    if value.literal is not None:
        return Known((value.literal,), '') if type(value.literal) is int else None
    if value.op == 'parameter':
        known = of_parameter(value.name, model) if model.parameters.get(value.name) is value else None
        return known if known is not None and all(type(one) is int for one in known.values) else None
    if len(value.operands) != 2 or not all(type(one) is Value for one in value.operands):
        return None
    left, right = (numbers(one, model) for one in value.operands)
    if left is None or right is None or len(left.values) * len(right.values) > _MAX_VALUES:
        return None
    found = {folded(value.op, *pair) for pair in product(left.values, right.values)}
    if not all(type(one) is int for one in found):
        return None
    return Known(tuple(sorted(found)), left.origin or right.origin)
