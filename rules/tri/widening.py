# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Fixes that widen what an address is made of: at the origin, and only where the kernel still means what it meant.

A fix is tried out: the model runs on the mended text, and where the fault is still there, or something now meets in two widths, no fix is offered.
"""

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from flakelint.engine.findings import Edit, Fix
from flakelint.engine.rule import safe, unsafe
from flakelint.kernel import types
from flakelint.kernel.addresses import NARROWING, Addresses, Fault
from flakelint.kernel.bindings import without_casts
from flakelint.kernel.graph import Cases, Value, each_value, reachable
from flakelint.kernel.model import Model
from flakelint.kernel.origins import is_hash
from flakelint.source.text import Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.kernel.kernels import Kernel

LANGUAGE = 'triton.language'
OPAQUE = 'opaque'


def widening(fault: Fault, node: ast.AST, kernel: 'Kernel', file: 'File') -> Fix | None:
    """The fix of a fault, if there is one that the model finds to be right."""
    language = language_name(kernel)
    if language is None or fault.origin.frame.kernel.path != file.path:
        return None
    edits = _edits(fault, node, f'{language}.int64', kernel, file)
    gone = Gone(fault.origin, [product.value for product in fault.products])
    fix = verified(kernel, file, edits, _title(fault), gone) if edits else None
    return _careful(fix, fault.origin, kernel, file)


def widen_program_id(origin: Value, kernel: 'Kernel', file: 'File', gone: 'Gone') -> Fix | None:
    """The fix that casts a program id, if the model finds it to be right."""
    language = language_name(kernel)
    if language is None or origin.frame.kernel.path != file.path:
        return None
    edit = _behind(file.range(origin.node), f'.to({language}.int64)')
    fix = verified(kernel, file, [edit], f'Cast {origin.name or "the program id"} to 64 bits', gone)
    return _careful(fix, origin, kernel, file)


def _careful(fix: Fix | None, origin: Value, kernel: 'Kernel', file: 'File') -> Fix | None:
    """A fix that is unsafe where the index also goes into a hash, which wraps on purpose."""
    if fix is None:
        return None
    hashed = (operand for one in file.model(kernel).products if is_hash(one) for operand in one.operands)
    inside = reachable(hashed, lambda one: one.operands if one.op != 'load' else ())
    if any(_stands_for(one, origin) for one in inside):
        return fix._replace(applicability='unsafe')
    return fix


def language_name(kernel: 'Kernel') -> str | None:
    """How the module spells `triton.language`."""
    names = dict(kernel.bindings.items())
    direct = sorted((name for name, full in names.items() if full == LANGUAGE), key=lambda name: (name != 'tl', name))
    if direct:
        return direct[0]
    return next((f'{name}.language' for name, full in names.items() if full == 'triton'), None)


class Gone:
    """Asks a model whether products are no longer narrow because of an origin, and for no new reason.

    Args:
        origin (Value):
            Where the cast goes.
        products (Iterable[Value]):
            What it shall widen.
    """

    def __init__(self, origin: Value, products: Iterable[Value]) -> None:
        self._origin = _key(origin)
        self._products = {_text(product) for product in products}

    def __call__(self, before: Addresses, after: Addresses) -> bool:
        """Whether they are."""
        old, new = self._origins(before), self._origins(after)
        return all(origins <= old.get(product, set()) - {self._origin} for product, origins in new.items())

    def _origins(self, addresses: Addresses) -> dict[tuple[int, str], set[tuple[str, int, str]]]:
        found: dict[tuple[int, str], set[tuple[str, int, str]]] = {}
        for product in addresses.reached:
            if _text(product) in self._products:
                origins = addresses.origins.of(product) or {product: None}
                found.setdefault(_text(product), set()).update(map(_key, origins))
        return found


def _text(product: Value) -> tuple[int, str]:
    """What a product is known by in the text before and after a fix: edits leave lines where they are."""
    return (product.node.lineno, without_casts(product.node))


def _key(value: Value) -> tuple[str, int, str]:
    return (value.op, value.node.lineno, value.name)


def verified(kernel: 'Kernel', file: 'File', edits: list[Edit], title: str, gone: Gone) -> Fix | None:
    """A fix that mends, as the model sees it, and breaks nothing; unsafe where values go to functions that are not followed."""
    after = _mended(kernel, file, edits)
    if after is None:
        return None
    before = file.addresses(kernel)
    if not gone(before, after):
        return None
    fresh = _conflicts(after.model) - _conflicts(before.model)
    if any(kind != OPAQUE for kind, _ in fresh):
        return None
    return (unsafe if fresh else safe)(title, *edits)


def _conflicts(model: Model) -> set[tuple[str, int]]:
    return {(conflict.kind, conflict.node.lineno) for conflict in model.conflicts}


def _title(fault: Fault) -> str:
    origin = fault.origin
    if fault.kind == NARROWING:
        return 'Cast to 64 bits instead'
    what = {'program_id': 'the program id', 'load': 'the loaded index', 'counter': 'the loop counter where it is multiplied'}
    return f'Cast {origin.name or what.get(origin.op, "a factor")} to 64 bits'


def _edits(fault: Fault, node: ast.AST, int64: str, kernel: 'Kernel', file: 'File') -> list[Edit]:
    origin = fault.origin
    if fault.kind == NARROWING:
        return _retype(origin.node, int64, file)
    if origin.op in ('program_id', 'load'):
        return [_behind(file.range(node), f'.to({int64})')]
    if origin.op in ('counter', 'phi'):
        places = [product.value for product in fault.products]
        if any(value.frame.kernel.path != file.path or not isinstance(value.node, ast.BinOp) for value in places):
            return []
        return _needed_casts(fault, places, int64, kernel, file)
    if isinstance(node, ast.BinOp):
        return _cast_argument(origin, int64, file)
    return []


def _needed_casts(fault: Fault, places: list[Value], int64: str, kernel: 'Kernel', file: 'File') -> list[Edit]:
    """Edits that cast an index where it is multiplied, one by one until all products of it are wide: a cast may widen several."""
    edits: dict[Edit, None] = {}
    for value in places:
        if edits:
            after = _mended(kernel, file, list(edits))
            left = {_text(product) for product in after.reached} if after is not None else set()
            if after is not None and _text(value) not in left:
                continue
        edits.update(dict.fromkeys(_cast_index(value, fault.origin, int64, file)))
    return list(edits)


def _mended(kernel: 'Kernel', file: 'File', edits: list[Edit]) -> Addresses | None:
    """The address arithmetic of a kernel after some edits."""
    mended = file.edited(edits)
    position = file.kernels.index(kernel) if kernel in file.kernels else -1
    if position < 0 or len(mended.kernels) != len(file.kernels):
        return None
    return mended.addresses(mended.kernels[position])


def _retype(node: ast.AST, int64: str, file: 'File') -> list[Edit]:
    """Edits that let a cast cast to 64 bits."""
    if not isinstance(node, ast.Call):
        return []
    given = [keyword.value for keyword in node.keywords if keyword.arg == 'dtype'] or node.args[-1:]
    return [Edit(file.range(argument), int64) for argument in given]


def _cast_index(product: Value, origin: Value, int64: str, file: 'File') -> list[Edit]:
    """Edits that cast the index of a multiplication where it stands."""
    for operand, node in zip(product.operands, (product.node.left, product.node.right), strict=True):
        if _is_made_of(operand, origin):
            return _cast_at(_innermost(node, operand, origin), int64, file)
    return []


def _innermost(node: ast.expr, value: Value | Cases, origin: Value) -> ast.expr:
    """The part of an expression, as it is written, that is the index alone."""
    while any(isinstance(part, ast.Mult | ast.LShift) for part in ast.walk(node)):
        case = next((one for one in each_value([value]) if _is_made_of(one, origin)), None)
        if case is None:
            return node
        if isinstance(node, ast.BinOp) and case.op in ('add', 'sub', 'mul', 'shl') and len(case.operands) == 2:
            sides = list(zip(case.operands, (node.left, node.right), strict=True))
            value, node = next((side for side in sides if _is_made_of(side[0], origin)), sides[0])
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.BinOp) and case.op == 'view':
            value, node = case.operands[0], node.value
        else:
            return node
    return node


def _is_made_of(value: Value | Cases, origin: Value) -> bool:
    """Whether a narrow value has an origin in it."""

    def parts(one: Value) -> tuple[Value | Cases, ...]:
        return one.operands if one.op not in ('load', 'call', 'counter') and types.bits(one.type) != 64 else ()

    return any(_stands_for(one, origin) for one in reachable([value], parts))


def _stands_for(value: Value, origin: Value) -> bool:
    """Whether a value is an origin, perhaps in another round or call."""
    return value.op == origin.op and value.node is origin.node


def _cast_argument(product: Value, int64: str, file: 'File') -> list[Edit]:
    """Edits that cast the first argument in a product of arguments."""
    language = int64.rpartition('.')[0]
    node, value = product.node, product
    while isinstance(node, ast.BinOp) and len(value.operands) == 2:
        sides = [(one, part) for one, part in zip(value.operands, (node.left, node.right), strict=True)]
        runtime = [(case, part) for one, part in sides for case in each_value([one]) if case.type != types.CONST]
        if not runtime:
            return []
        value, node = runtime[0]
    if not isinstance(node, ast.Name):
        return []
    return [Edit(file.range(node), f'{language}.cast({node.id}, {int64})')]


def _cast_at(node: ast.expr, int64: str, file: 'File') -> list[Edit]:
    where = file.range(node)
    if isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute):
        return [_behind(where, f'.to({int64})')]
    return [Edit(Range(where.start, where.start), '('), _behind(where, f').to({int64})')]


def _behind(where: Range, text: str) -> Edit:
    return Edit(Range(where.end, where.end), text)
