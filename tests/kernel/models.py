# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Small kernels, and what the model says of the expressions in them."""

import ast
import textwrap

from flakelint.engine.context import File
from flakelint.engine.settings import Settings
from flakelint.kernel.graph import Cases, Shape, Value, cases_of, each_value
from flakelint.kernel.model import Given, Model, analyse

IMPORTS = 'import torch\nimport triton\nimport triton.language as tl\n\nfrom elsewhere import unknown\n\n\n'
PARAMETERS = 'x, y, p32, p64, n, stride, T, L, u, f, C: tl.constexpr, BT: tl.constexpr, FLAG: tl.constexpr'
SIGNATURE = {'x': '*fp32', 'p32': '*i32', 'p64': '*i64', 'T': 'i32', 'L': 'i64', 'u': 'u32', 'f': 'fp32'}


def source(
    body: str, parameters: str = PARAMETERS, helpers: str = '', decorators: str = '', host: str = '', name: str = 'kernel',
) -> str:
    """The text of a module with one kernel, its helpers before it and its launches behind it."""
    kernel = f'@triton.jit\ndef {name}({parameters}):\n{textwrap.indent(_plain(body), "    ")}\n'
    above = '\n'.join(part for part in (_plain(helpers), '\n' if helpers else '', _plain(decorators)) if part)
    return f'{IMPORTS}{above}\n{kernel}' + (f'\n\n{_plain(host)}\n' if host else '')


def model(body: str, given: Given | None = None, **parts: str) -> Model:
    """The model of a kernel with a body; the kernel is the last one of its module."""
    file = File('kernel.py', source(body, **parts).encode(), Settings())
    return analyse(file.kernels[-1], file.repository, given, record=True)


def told(constants: dict | None = None) -> Given:
    """What the arguments of `PARAMETERS` are taken to be."""
    return Given(SIGNATURE, {'C': 4, 'BT': 16, **(constants or {})})


def values(found: Model, text: str) -> list[Value]:
    """The values that an expression has, over all its places, calls and variants."""
    def written(node: ast.AST) -> str:
        return node.id if isinstance(node, ast.Name) else ast.unparse(node)

    wanted = written(ast.parse(text, mode='eval').body)
    recorded: list[Value | Cases] = [value for node, _, value in found.record if written(node) == wanted]
    return list(each_value(recorded))


def last(found: Model) -> list[Value]:
    """The values of the expression with which a kernel ends."""
    end = found.kernel.definition.body[-1].value
    recorded: list[Value | Cases] = [value for node, _, value in found.record if node is end]
    return list(each_value(recorded))


def types_of(body: str, constants: dict | None = None, **parts: str) -> set[str]:
    """The types of the expression with which a kernel ends, for arguments as in `SIGNATURE`."""
    return {case.type for case in last(model(body, told(constants), **parts))}


def shapes_of(body: str, **parts: str) -> set[Shape]:
    """The shapes of the expression with which a kernel ends."""
    return {case.shape for case in last(model(body, told(), **parts))}


def conflicts_of(body: str, constants: dict | None = None, **parts: str) -> list[tuple[str, ...]]:
    """What Triton refuses in a kernel: of which kind, and the types that meet."""
    return [(one.kind, *one.types) for one in model(body, told(constants), **parts).conflicts]


def variants(body: str, **parts: str) -> set[tuple[str, str]]:
    """The types of the expression with which a kernel ends, each with the compile-time conditions under which it has it."""
    found = model(body, Given(SIGNATURE), **parts)
    recorded = [value for node, _, value in found.record if node is found.kernel.definition.body[-1].value]
    cases = [case for value in recorded for case in cases_of(value)]
    return {(' '.join(atom if truth else f'not({atom})' for atom, truth in sorted(guard)), case.type) for guard, case in cases}


def _plain(text: str) -> str:
    return textwrap.dedent(text).strip('\n')
