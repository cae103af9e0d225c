# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the rules of address arithmetic have in common: places, words and fixes of what wraps in 32 bits."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flakelint.engine.findings import Related
from flakelint.kernel import types
from flakelint.kernel.addresses import NARROW, NARROWING, Fault, Product
from flakelint.kernel.conditions import in_words
from flakelint.kernel.graph import Cases, Value, each_value, reachable
from flakelint.kernel.origins import assumed_loads, base_of, limit
from flakelint.kernel.strides import stripped
from flakelint.kernel.witness import Witness
from flakelint.rules.tri.widening import widening
from flakelint.source.expressions import written
from flakelint.source.text import Position, Range

if TYPE_CHECKING:
    from flakelint.engine.context import File
    from flakelint.engine.findings import Finding
    from flakelint.engine.rule import Rule
    from flakelint.kernel.addresses import Addresses
    from flakelint.kernel.kernels import Kernel


# what comes with quantised numbers, a few for each row
_ASIDE = re.compile(r'absmax|scale|zero|_mx_', re.IGNORECASE)


def report(rule: 'Rule', kind: str, kernel: 'Kernel', file: 'File') -> 'Iterator[Finding]':
    """The findings of a rule, one for each origin of its kind that lies in the file; several kernels may share one in a helper."""
    if file.repository.is_called_by_kernels(kernel):
        return
    found = file.addresses(kernel)
    for fault in found.faults():
        if fault.kind != kind:
            continue
        node = origin_node(fault.origin, file)
        where = file.range(node)
        if not file.is_first(rule.code, where):
            continue
        fix = widening(fault, node, kernel, file)
        if fix is not None and rule.fix == 'unsafe':
            fix = fix._replace(applicability='unsafe')
        related = [_related(product, fault, file) for product in fault.products if product.value.node is not node]
        yield rule.finding(where, message(fault, found), fix, related)


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
    text = computed(value)
    if frame.kernel.path == file.path:
        return file.range(node), text, ''
    start, end = Position(node.lineno, node.col_offset + 1), Position(node.end_lineno, node.end_col_offset + 1)
    return Range(start, end), text, frame.kernel.path


def computed(value: Value) -> str:
    """A multiplication and its type, in words."""
    return f'`{written(value.node)}` is computed in {types.spelled(value.type)}'


def message(fault: Fault, found: 'Addresses') -> str:
    """What wraps, at which sizes, where its index comes from, and what was assumed."""
    product = _worst(fault.products, found)
    value = product.value
    most = f'2**{types.bits(value.type) - (value.type not in types.UNSIGNED)}'
    witness = Witness(product, found.bounds).text()
    parts = [f'{computed(value)}{circumstances(value)} and wraps from {most} on, e.g. at {witness}']
    parts.append(_origin(fault, value))
    return ': '.join(part for part in parts if part)


def _worst(products: Sequence[Product], found: 'Addresses') -> Product:
    """The product that says most: it wraps by far, is no part of another, and leads to data rather than to a table."""
    parts = {id(part.node) for one in products for part in reachable(one.value.operands, _computed_from) if part.op == 'mul'}
    wraps = [one for one in products if one.tight] or products
    whole = [one for one in wraps if id(one.value.node) not in parts] or wraps
    # where a number of tiles wraps with the rows that it leads to, the rows do
    whole = [one for one in whole if found.support.tells(one.value)] or whole
    if len(whole) == 1:
        return whole[0]
    uses = found.uses([one.value for one in whole])

    def says(product: Product) -> tuple[bool, int, bool, bool, int, int]:
        text = written(product.value.node)
        reads, writes, rank = uses[text]
        # one number for each row is less than a row of them
        is_aside = _is_of_quotient(product.value) or _ASIDE.search(text) is not None
        is_clear = product.size.tight > limit(product.value)
        return not is_aside, rank, writes > 0, is_clear, reads + writes, product.size.tight

    return max(whole, key=says)


def _computed_from(value: Value) -> tuple[Value | Cases, ...]:
    return value.operands if value.op not in ('call', 'load') else ()


def _is_of_quotient(product: Value) -> bool:
    """Whether few values of an index share the row that a product leads to."""
    return any(stripped(one).op == 'floordiv' for one in each_value(product.operands))


def _origin(fault: Fault, product: Value) -> str:
    origin = fault.origin
    if origin is product or origin.node is product.node:
        names = [f'`{name}`' for name in arguments(product)]
        return f'{" and ".join(names)} are int32 until one of them is cast' if len(names) > 1 else ''
    text = written(origin.node) if origin.op not in ('counter', 'phi') else ''
    name = f'`{origin.name}`' if origin.name else ''
    inside = '' if origin.frame is product.frame else f' in `{origin.frame.kernel.name}`'
    if fault.kind == NARROWING:
        return f'`{text}`{inside} cuts its index to {types.spelled(origin.type)}'
    if origin.op == 'counter':
        return f'its index is the loop counter {name}{inside}, which is int32 as its bounds are'
    if origin.op == 'phi':
        return f'its index is {name or "a value"}{inside}, which a loop adds to in int32'
    of = f'{name}, which is `{text}`' if name else f'`{text}`'
    return f'its index comes from {of}{inside}, never cast to `tl.int64`'


def arguments(value: Value) -> list[str]:
    """The run-time arguments that a value is computed from, but for what a loop carries."""
    found = reachable([value], lambda one: one.operands if one.op != 'phi' else ())
    return sorted({one.name for one in found if one.op == 'parameter' and one.type != types.CONST})


def circumstances(value: Value) -> str:
    """In words, the compile-time conditions and the types of loaded tensors under which a value is as narrow as it is."""
    tables = dict.fromkeys(_table(load) for load in assumed_loads(value))
    parts = [*in_words(value.guard), *(f'{table} holds int32' for table in tables)]
    return f' where {" and ".join(parts)}' if parts else ''


def _table(load: Value) -> str:
    base = next((value.name for operand in load.operands for value in base_of(operand)), '')
    return f'`{base}`' if base else f'what `{written(load.node)}` reads'
