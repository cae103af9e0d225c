# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""The signatures with which kernels are compiled: every choice that the source makes between its flags, up to a number."""

import ast
import inspect
import itertools
import math
import os
import random
import textwrap
from collections.abc import Iterator
from typing import Any, NamedTuple

FULL = os.environ.get('HYPOTHESIS_PROFILE') == 'full'
# of kernels with more combinations a sample is taken
CAP = 256 if FULL else 16


class Variant(NamedTuple):
    """The types of the run-time arguments of a kernel, as in a signature of Triton, and the values of the others."""

    types: dict[str, str]
    constants: dict[str, Any]


def variants(jit: Any, kinds: dict[str, str], constants: dict[str, Any], cap: int = CAP) -> Iterator[Variant]:
    """The variants of a signature: flags, compared values, optional arguments; integers of 64 bits; integers that are 1.

    Args:
        jit (Any):
            The kernel.
        kinds (dict[str, str]):
            The types of all arguments.
        constants (dict[str, Any]):
            The values of those that are constants.
        cap (int, Optional):
            Of how many choices at most. Default: `16`, in full checks `256`.
    """
    types = {name: kind for name, kind in kinds.items() if kind != 'constexpr'}
    for chosen in _ones(jit, types):
        kept = {name: kind for name, kind in types.items() if name not in chosen}
        yield Variant(kept, {**constants, **dict.fromkeys(chosen, 1)})
    for number, choice in enumerate(combinations(_choices(types, constants, jit.fn), cap)):
        fixed = {**constants, **{name: value for name, value in choice.items() if name in constants or value is None}}
        kept = {name: kind for name, kind in types.items() if name not in fixed}
        yield Variant(kept, fixed)
        if FULL or number == 0:
            yield Variant({name: kind.replace('i32', 'i64') for name, kind in kept.items()}, fixed)


def of_fla(jit: Any, cap: int = CAP) -> Iterator[Variant]:
    """The variants of a kernel of fla: all combinations of its flags, with 64-bit and 32-bit lengths and tables in turn."""
    from tests.compiler import test_fla_compiles

    flags = {name: [False, True] for name in next(test_fla_compiles.variants(jit))}
    for choice in combinations(flags, cap):
        kinds, constants = test_fla_compiles.signature(jit, choice, 'bf16')
        types = {name: kind for name, kind in kinds.items() if kind != 'constexpr'}
        # so that no flag stands for one of them
        length, table = ('i64', '*i32') if sum(choice.values()) % 2 else ('i32', '*i64')
        yield Variant({name: {'i32': length, '*i64': table}.get(kind, kind) for name, kind in types.items()}, constants)


def combinations(choices: dict[str, list], cap: int) -> Iterator[dict[str, Any]]:
    """Every combination of choices, or the extremes and a sample of the others that is always the same."""
    if math.prod(map(len, choices.values())) <= cap:
        for values in itertools.product(*choices.values()):
            yield dict(zip(choices, values, strict=True))
        return
    draw = random.Random(0)
    seen = []
    for position in (0, -1):
        seen.append({name: values[position] for name, values in choices.items()})
    while len(seen) < cap:
        choice = {name: draw.choice(values) for name, values in choices.items()}
        if choice not in seen:
            seen.append(choice)
    yield from seen


def _ones(jit: Any, types: dict[str, str]) -> Iterator[list[str]]:
    """Arguments of which Triton makes constants where they are 1: all, and alone each that is asked for an attribute."""
    every = [
        one.name for one in jit.params
        if types.get(one.name) == 'i32' and not one.annotation_type and not one.do_not_specialize
    ]
    asked = {node.value.id for node in _nodes(jit.fn) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)}
    if every:
        yield every
    yield from ([name] for name in every if name in asked and len(every) > 1)


def _nodes(function: Any) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function))))


def _choices(types: dict[str, str], constants: dict[str, Any], function: Any) -> dict[str, list]:
    choices = {name: [True, False] for name, value in constants.items() if isinstance(value, bool)}
    for node in _nodes(function):
        for test in _tests(node):
            if isinstance(test, ast.Name) and test.id in constants:
                choices[test.id] = [True, False]
        if not (isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and len(node.ops) == 1):
            continue
        name, other = node.left.id, node.comparators[0]
        if isinstance(node.ops[0], ast.Is | ast.IsNot) and name in types:
            choices[name] = [types[name], None]
        elif isinstance(node.ops[0], ast.Eq | ast.NotEq) and name in constants and isinstance(other, ast.Constant):
            known = choices.setdefault(name, [constants[name]] + ['none of them'] * isinstance(other.value, str))
            known += [other.value] * (other.value not in known)
    return choices


def _tests(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.If | ast.IfExp):
        return [node.test]
    if isinstance(node, ast.BoolOp):
        return node.values
    return [node.operand] if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else []
