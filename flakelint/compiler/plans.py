# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""With which arguments a kernel is compiled, where nobody says: by its launches, its configurations and what it does with them."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from flakelint.kernel import types
from flakelint.kernel.graph import Value
from flakelint.kernel.launches import FLAG, NUMBER
from flakelint.kernel.model import Model
from flakelint.kernel.names import role_of_name
from flakelint.kernel.origins import tables_in
from flakelint.kernel.sizes import FLAG as IS_FLAG
from flakelint.source.expressions import defaults_of

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.kernel.kernels import Kernel

# the element types and the block lengths that are tried, one after the other until the compiler takes the kernel
_TRIED = (('fp32', 64), ('fp16', 64), ('bf16', 32), ('fp32', 16))
_FEW = 4


class Variant(NamedTuple):
    """Arguments with which a kernel is compiled.

    Args:
        types (dict[str, str]):
            The types of all arguments as in a signature of Triton; `constexpr` for compile-time ones.
        constants (dict[str, Any]):
            The values of the compile-time arguments.
    """

    types: dict[str, str]
    constants: dict[str, Any]


class Plan(NamedTuple):
    """What is asked of the compiler about a kernel.

    Args:
        name (str):
            Its name, with those of the classes around it before it.
        first (int):
            The line of its first decorator.
        line (int):
            The line of its `def`.
        last (int):
            Its last line.
        column (int):
            The column of its name.
        variants (list[Variant]):
            The arguments to try, in order.
    """

    name: str
    first: int
    line: int
    last: int
    column: int
    variants: list[Variant]


def plans(file: 'File') -> Iterator[Plan]:
    """The kernels of a file that can be compiled on their own: helpers are compiled with their callers."""
    for kernel in file.kernels:
        if file.repository.is_called_by_kernels(kernel) or not _is_launchable(kernel):
            continue
        variants = list(_variants(file.model(kernel)))
        if variants:
            node = kernel.definition
            first = min([node.lineno, *(decorator.node.lineno for decorator in kernel.decorators)])
            yield Plan(kernel.qualified_name, first, node.lineno, node.end_lineno, node.col_offset + 5, variants)


def _is_launchable(kernel: 'Kernel') -> bool:
    """Whether a function can be found by its name, and is no helper, which gives something back."""
    is_found = all(isinstance(owner, ast.ClassDef) for owner in kernel.owners)
    return is_found and not kernel.returns_value


def _variants(model: Model) -> Iterator[Variant]:
    """The arguments to try; none where one of them is a descriptor, whose shape no signature tells."""
    tables = _tables(model)
    seen: list[Variant] = []
    for element, length in _TRIED:
        signature: dict[str, str] = {}
        constants: dict[str, Any] = {}
        for parameter in model.kernel.parameters:
            value = model.parameters[parameter.name]
            if value.type in (types.DESCRIPTOR, types.BLOCK_POINTER, types.TUPLE):
                return
            if value.type in (types.CONST, types.NONE):
                signature[parameter.name] = 'constexpr'
                constants[parameter.name] = _constant(model, parameter.name, length)
            else:
                signature[parameter.name] = _type(value, 'i32' if parameter.name in tables else element)
        variant = Variant(signature, constants)
        if variant not in seen:
            seen.append(variant)
            yield variant


def _type(value: Value, element: str) -> str:
    if value.type == types.POINTER:
        known = value.detail if isinstance(value.detail, str) and types.is_integer(value.detail) else element
        return f'*{known}'
    if value.type == types.FLOAT:
        return 'fp32'
    if value.type == types.BOOL:
        return 'i1'
    return value.type if types.is_integer(value.type) and '?' not in value.type else 'i32'


def _tables(model: Model) -> set[str]:
    """The tensors whose values lead to addresses or bound loops: they hold integers."""
    ends = [end for counter in model.counters for end in counter.operands]
    return tables_in([*(access.address for access in model.accesses), *ends])


def _constant(model: Model, name: str, length: int) -> Any:
    """What a compile-time argument is: as configured, by default, as launched, or else by its role."""
    kernel: Kernel = model.kernel
    if name in kernel.block_sizes:
        return min(kernel.block_sizes[name])
    default = defaults_of(kernel.definition.args).get(name)
    if isinstance(default, ast.Constant):
        return default.value
    for launch in model.facts.launches:
        passed = launch.parameters.get(name)
        if passed is not None and passed.kind in (NUMBER, FLAG) and isinstance(passed.value, int | float):
            return passed.value
    extents = {tile.operands[1].name for tile in model.aranges if type(tile.operands[1]) is Value}
    if name in extents:
        return length
    role = role_of_name(name, constant=True)
    return False if role == IS_FLAG else length if 'BLOCK' in name.upper() or name.startswith('B') else _FEW
