# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the rules of address arithmetic have in common: places, words and fixes of what wraps in 32 bits."""

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flakelint.engine.findings import Related
from flakelint.kernel import types
from flakelint.kernel.addresses import NARROW, NARROWING, Addresses, Fault, Product
from flakelint.kernel.conditions import UNIQUE
from flakelint.kernel.graph import Guard, Value, each_value
from flakelint.kernel.model import analyse
from flakelint.kernel.origins import assumed_loads, base_of
from flakelint.kernel.witness import Witness
from flakelint.rules.tri.widening import widening
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.engine.rule import Rule
    from flakelint.kernel.bounds import Bounds
    from flakelint.kernel.kernels import Kernel

_MAX_TEXT = 80


def addresses(kernel: 'Kernel', file: 'File') -> Addresses:
    """The address arithmetic of a kernel, worked out once for all rules."""
    known = file.__dict__.setdefault('_addresses', {})
    if kernel not in known:
        known[kernel] = Addresses(analyse(kernel, file.repository), file.settings.assume.sizes)
    return known[kernel]


def report(rule: 'Rule', kind: str, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
    """The findings of a rule, one for each origin of its kind that lies in the file; several kernels may share one in a helper."""
    if file.repository.is_called_by_kernels(kernel):
        return
    seen = file.__dict__.setdefault(f'_reported_{rule.code}', set())
    found = addresses(kernel, file)
    for fault in found.faults():
        if fault.kind != kind:
            continue
        node = origin_node(fault.origin, file)
        where = file.range(node)
        if where in seen:
            continue
        seen.add(where)
        fix = widening(fault, node, kernel, file)
        if fix is not None and rule.fix == 'unsafe':
            fix = fix._replace(applicability='unsafe')
        related = [_related(product, fault, file) for product in fault.products if product.value.node is not node]
        yield rule.finding(where, message(fault, found.bounds), fix, related)


def _related(product: Product, fault: Fault, file: 'File') -> Related:
    where, text, path = place(product.value, file)
    later = fault.kind == NARROW and not product.tight
    return Related(where, f'{text}, and wraps at larger sizes only' if later else text, path)


def origin_node(origin: Value, file: 'File') -> ast.AST:
    """Where a fault is reported: the origin, or the call that brings it in from another file."""
    node, frame = origin.node, origin.frame
    if origin.op == 'phi':
        start = next(each_value(origin.operands))
        is_here = isinstance(start.node, ast.expr) and start.frame is frame
        node = start.node if is_here else getattr(origin.node, 'target', node)
    while frame is not None and frame.kernel.path != file.path and frame.call is not None:
        node, frame = frame.call, frame.caller
    return node


def place(value: Value, file: 'File') -> tuple[Range, str, str]:
    """Where a multiplication stands, what is wrong with it, and in which file if that is another one."""
    node, frame = value.node, value.frame
    text = f'`{written(node)}` is computed in {width(value)}'
    if frame.kernel.path == file.path:
        return file.range(node), text, ''
    start, end = Position(node.lineno, node.col_offset + 1), Position(node.end_lineno, node.end_col_offset + 1)
    return Range(start, end), text, frame.kernel.path


def message(fault: Fault, bounds: 'Bounds') -> str:
    """What wraps, at which sizes, where its index comes from, and what was assumed."""
    product = _worst(fault.products)
    value = product.value
    most = f'2**{types.bits(value.type) - (value.type not in types.UNSIGNED)}'
    witness = Witness(product, bounds).text()
    what = f'`{written(value.node)}` is computed in {width(value)}{_where(product)}'
    parts = [f'{what} and wraps from {most} on, e.g. at {witness}']
    parts.append(_origin(fault, value))
    return ': '.join(part for part in parts if part)


def width(value: Value) -> str:
    """The name that the language gives to the type of an integer."""
    name = value.type.rstrip('?')
    return {'i': 'int', 'u': 'uint'}[name[0]] + name[1:]


def written(node: ast.AST) -> str:
    """The source of an expression on one line."""
    text = ast.unparse(node)
    return text if len(text) <= _MAX_TEXT else f'{text[:_MAX_TEXT]}...'


def _worst(found: Sequence[Product]) -> Product:
    """The product that says most: one that wraps under the tight sizes, is no part of another, and wraps by most."""
    parts = {id(part) for one in found for part in ast.walk(one.value.node) if part is not one.value.node}
    return max(found, key=lambda one: (one.tight, id(one.value.node) not in parts, one.size.tight))


def _origin(fault: Fault, product: Value) -> str:
    origin = fault.origin
    if origin is product or origin.node is product.node:
        names = [f'`{name}`' for name in sorted(_parameters(product))]
        return f'{" and ".join(names)} are int32 until one of them is cast' if len(names) > 1 else ''
    text = written(origin.node) if origin.op not in ('counter', 'phi') else ''
    name = f'`{origin.name}`' if origin.name else ''
    inside = '' if origin.frame is product.frame else f' in `{origin.frame.kernel.name}`'
    if fault.kind == NARROWING:
        return f'`{text}`{inside} cuts its index to {width(origin)}'
    if origin.op == 'counter':
        return f'its index is the loop counter {name}{inside}, which is int32 as its bounds are'
    if origin.op == 'phi':
        return f'its index is {name or "a value"}{inside}, which a loop adds to in int32'
    of = f'{name}, which is `{text}`' if name else f'`{text}`'
    return f'its index comes from {of}{inside}, never cast to `tl.int64`'


def _parameters(value: Value) -> set[str]:
    found: set[str] = set()
    stack, seen = [value], set()
    while stack:
        one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if one.op == 'parameter' and one.type != types.CONST:
            found.add(one.name)
        elif one.op != 'phi':
            stack.extend(each_value(one.operands))
    return found


def _where(product: Product) -> str:
    parts = [*conditions(product.value.guard), *(f'{table} holds int32' for table in tables(product.value))]
    return f' where {" and ".join(parts)}' if parts else ''


def conditions(guard: Guard) -> list[str]:
    """The compile-time conditions under which something holds, in words."""
    return [f'`{text}` is {str(truth).lower()}' for text, truth in sorted(guard) if UNIQUE not in text]


def tables(value: Value) -> list[str]:
    """The tensors, in words, on whose element type the width of a value depends."""
    return list(dict.fromkeys(_table(load) for load in assumed_loads(value)))


def _table(load: Value) -> str:
    base = next((value.name for operand in load.operands for value in base_of(operand)), '')
    return f'`{base}`' if base else f'what `{written(load.node)}` reads'
