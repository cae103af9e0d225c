# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The values of a test, as far as its code spells them out.

Numbers, texts, lists and so on are themselves. What only a run would tell is `Opaque`, and keeps of what it is made.
"""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

OUTPUT, FINAL_STATE, GRADIENT, REFERENCE, REFERENCE_GRADIENT, LEAF, DIFFERENCE = (
    'output', 'final state', 'gradient', 'reference', 'gradient of a reference', 'leaf', 'difference',
)

# the parameter by which a final state is asked for
FINAL_STATE_ASKED = 'output_final_state'

# a kind of the above, and what it comes from: the number of a call, a leaf or a difference, or the place of a reference
Source = tuple[str, Any]
Sources = frozenset[Source]

_SAME_TYPE = {
    'torch.half': 'torch.float16', 'torch.float': 'torch.float32', 'torch.double': 'torch.float64',
    'torch.short': 'torch.int16', 'torch.int': 'torch.int32', 'torch.long': 'torch.int64',
}


class _Left:
    """What a call gives that ends the function in which it stands, in one of several ways."""


LEFT = _Left()


@dataclass(frozen=True)
class Opaque:
    """A value that is not known, such as a tensor.

    Args:
        sources (frozenset[tuple[str, Any]], Optional):
            What it is made of. Default: nothing that matters.
        shape (tuple | None, Optional):
            Its shape if it is a tensor, sizes that are not known among it; `None` where that is not known. Default: `None`.
        may_be_none (bool, Optional):
            Whether it may be None. Default: `False`.
    """

    sources: Sources = frozenset()
    shape: tuple | None = None
    may_be_none: bool = False


@dataclass(frozen=True)
class Named:
    """Something of another package, such as `torch.float`.

    Args:
        name (str):
            Its full name.
    """

    name: str

    @property
    def canonical(self) -> str:
        """The same for two names of one type."""
        return _SAME_TYPE.get(self.name, self.name)


class Place(NamedTuple):
    """A function of the repository.

    Args:
        path (str):
            Its file.
        name (str):
            Its name there.
    """

    path: str
    name: str


@dataclass(frozen=True)
class Module:
    """A module or a package of the repository.

    Args:
        path (str):
            Its file.
    """

    path: str


@dataclass(frozen=True)
class Tested:
    """An operator.

    Args:
        place (Place):
            Where it is defined.
    """

    place: Place


@dataclass(frozen=True)
class Reference:
    """A function that says what is right.

    Args:
        place (Place):
            Where it is defined.
    """

    place: Place


@dataclass(eq=False)
class Scope:
    """The names of a function, or of a module where there is none around it.

    Args:
        path (str):
            The file.
        names (dict[str, Any], Optional):
            What they hold. Default: nothing yet.
        outer (Scope | None, Optional):
            The scope around it. Default: `None`.
        outside (set[str], Optional):
            The names that are declared to be of an outer one. Default: none.
        returned (list, Optional):
            What is returned under a condition that is not known. Default: nothing yet.
        yielded (list, Optional):
            What is yielded. Default: nothing yet.
    """

    path: str
    names: dict[str, Any] = field(default_factory=dict)
    outer: 'Scope | None' = None
    outside: set[str] = field(default_factory=set)
    returned: list = field(default_factory=list)
    yielded: list = field(default_factory=list)


@dataclass(frozen=True)
class Function:
    """A function that can be followed.

    Args:
        node (ast.FunctionDef | ast.Lambda):
            Its code.
        scope (Scope):
            Where it is defined.
        first (tuple, Optional):
            What is passed to it before anything else, such as the object of a method. Default: nothing.
    """

    node: ast.FunctionDef | ast.Lambda
    scope: Scope
    first: tuple = ()


@dataclass(frozen=True)
class Partial:
    """A function with some of its arguments.

    Args:
        function (Any):
            The function.
        arguments (tuple):
            Those without a name.
        keywords (Mapping[str, Any]):
            Those with one.
    """

    function: Any
    arguments: tuple
    keywords: Mapping[str, Any]


@dataclass(frozen=True)
class Method:
    """A method of a value.

    Args:
        owner (Any):
            The value.
        name (str):
            Its name.
    """

    owner: Any
    name: str


@dataclass(frozen=True)
class Instance:
    """An object of a class of the repository.

    Args:
        node (ast.ClassDef):
            The class.
        scope (Scope):
            Where it is defined.
        names (dict[str, Any], Optional):
            Its attributes, as far as they have been assigned. Default: none.
    """

    node: ast.ClassDef
    scope: Scope
    names: dict[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Class:
    """A class of the repository.

    Args:
        node (ast.ClassDef):
            Its code.
        scope (Scope):
            Where it is defined.
    """

    node: ast.ClassDef
    scope: Scope


@dataclass(frozen=True)
class Structure:
    """An object that is only its attributes, such as one of a data class.

    Args:
        names (dict[str, Any]):
            The attributes, in order.
        is_tuple (bool, Optional):
            Whether it is a tuple of them as well. Default: `False`.
        node (ast.ClassDef | None, Optional):
            Its class, if that is one of the repository. Default: `None`.
    """

    names: dict[str, Any]
    is_tuple: bool = False
    node: ast.ClassDef | None = None


@dataclass(frozen=True)
class Case:
    """What `pytest.param` makes.

    Args:
        values (tuple):
            The values.
        id (Any, Optional):
            The name that is given to it. Default: `None`.
        marks (Any, Optional):
            Its marks. Default: none.
    """

    values: tuple
    id: Any = None
    marks: Any = ()


@dataclass(frozen=True)
class Request:
    """The `request` of a fixture.

    Args:
        param (Any):
            The value with which it runs.
    """

    param: Any


@dataclass(frozen=True)
class Choice:
    """Lists of which one is taken, nobody knows which.

    Args:
        options (tuple):
            The lists.
    """

    options: tuple


_LISTS = (list, tuple)
_CONTAINERS = (list, tuple, set, frozenset)


def sources_of(value: Any) -> Sources:
    """All that a value, or anything in it, is made of."""
    if isinstance(value, Opaque):
        return value.sources
    if isinstance(value, Case):
        return sources_of(value.values)
    if isinstance(value, Partial):
        return sources_of([value.arguments, value.keywords])
    if isinstance(value, Method):
        return sources_of(value.owner)
    if isinstance(value, Structure):
        return joined(value.names.values())
    if isinstance(value, Mapping):
        return joined(value.values())
    return joined(value) if isinstance(value, _CONTAINERS) else frozenset()


def joined(values: Iterable[Any]) -> Sources:
    """All that some values are made of."""
    return frozenset().union(*map(sources_of, values))


def is_known(value: Any) -> bool:
    """Whether nothing in a value is opaque or a choice."""
    if isinstance(value, Opaque | Choice | Instance):
        return False
    if isinstance(value, Case):
        return is_known(value.values)
    if isinstance(value, Structure):
        return is_known(value.names)
    if isinstance(value, Mapping):
        return all(map(is_known, value.values()))
    return all(map(is_known, value)) if isinstance(value, _CONTAINERS) else True


def join(one: Any, other: Any) -> Any:
    """The value of a name that holds one of two values."""
    if one is other or (type(one) is type(other) and is_known(one) and one == other):
        return one
    if isinstance(one, (*_LISTS, Choice)) and isinstance(other, (*_LISTS, Choice)):
        return Choice((*_options(one), *_options(other)))
    sources = joined([one, other])
    if None in (one, other):
        there = one if other is None else other
        return Opaque(sources, there.shape if isinstance(there, Opaque) else None, True)
    shapes = {value.shape if isinstance(value, Opaque) else None for value in (one, other)}
    is_unsure = any(isinstance(value, Opaque) and value.may_be_none for value in (one, other))
    return Opaque(sources, shapes.pop() if len(shapes) == 1 else None, is_unsure)


def _options(value: Any) -> tuple:
    return value.options if isinstance(value, Choice) else (value,)
