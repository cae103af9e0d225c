# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Mutations of launches and of what stands above their kernels: each changes one thing that an author may get wrong."""

import ast
import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.compiler.mutations import Change, Mutant, drawn


class Place(NamedTuple):
    """A launch and its kernel.

    Args:
        launch (ast.Call):
            The launch, as `kernel[grid](...)`.
        kernel (ast.FunctionDef):
            The kernel.
        configs (list[ast.Call]):
            The configurations that the kernel is tuned with.
        text (str):
            The file.
    """

    launch: ast.Call
    kernel: ast.FunctionDef
    configs: list[ast.Call]
    text: str


Changes = Callable[[Place], Iterator[Change]]


def places(text: str) -> list[Place]:
    """The launches in a file whose kernels are functions of it that are launched under their own name."""
    tree = ast.parse(text)
    kernels = {
        node.name: node for node in tree.body
        if isinstance(node, ast.FunctionDef) and any('jit' in ast.unparse(one) for one in node.decorator_list)
    }
    hosts = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef) and node not in kernels.values()]
    calls = [node for host in hosts for node in ast.walk(host) if isinstance(node, ast.Call)]
    return [
        Place(call, kernels[call.func.value.id], _configs(kernels[call.func.value.id], tree), text) for call in calls
        if isinstance(call.func, ast.Subscript) and isinstance(call.func.value, ast.Name) and call.func.value.id in kernels
    ]


def _configs(kernel: ast.FunctionDef, tree: ast.Module) -> list[ast.Call]:
    nodes = [inner for node in kernel.decorator_list for inner in ast.walk(node)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    lists = [node for node in tree.body if isinstance(node, ast.Assign) and names & {ast.unparse(one) for one in node.targets}]
    nodes += [inner for node in lists for inner in ast.walk(node)]
    return [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func).endswith('Config')]


def mutants(text: str, place: Place, count: int, seed: int) -> list[Mutant]:
    """Mutants of a launch, of as many kinds as there are places for."""
    draw = random.Random(f'{place.kernel.name} {place.launch.lineno} {seed}')
    found = {kind: list(changes(place)) for kind, changes in KINDS.items()}
    return drawn(text, found, count, 4 * count, draw)


def _call(node: ast.Call, args: list[str], keywords: list[str], function: str = '') -> Change:
    return Change(node, f'{function or ast.unparse(node.func)}({", ".join([*args, *keywords])})')


def _parts(node: ast.Call) -> tuple[list[str], list[str]]:
    return [*map(ast.unparse, node.args)], [*map(ast.unparse, node.keywords)]


def keyword_renamed(place: Place) -> Iterator[Change]:
    """An argument is passed under a name that the kernel does not have."""
    for one in place.launch.keywords:
        if one.arg:
            yield Change(one, f'{one.arg}_x={ast.unparse(one.value)}')


def keyword_gone(place: Place) -> Iterator[Change]:
    """An argument that is passed by name is missing."""
    args, keywords = _parts(place.launch)
    for number in range(len(keywords)):
        yield _call(place.launch, args, keywords[:number] + keywords[number + 1:])


def positional_gone(place: Place) -> Iterator[Change]:
    """An argument that is passed by position is missing."""
    args, keywords = _parts(place.launch)
    for number in range(len(args)):
        yield _call(place.launch, args[:number] + args[number + 1:], keywords)


def positional_more(place: Place) -> Iterator[Change]:
    """There is an argument too many."""
    args, keywords = _parts(place.launch)
    yield _call(place.launch, [*args, '1'], keywords)


def given_twice(place: Place) -> Iterator[Change]:
    """An argument is passed by position and by name."""
    args, keywords = _parts(place.launch)
    names = [one.arg for one in place.kernel.args.args]
    for name, arg in zip(names, args, strict=False):
        yield _call(place.launch, args, [*keywords, f'{name}={arg}'])


def swapped(place: Place) -> Iterator[Change]:
    """Two arguments stand in the wrong order."""
    args, keywords = _parts(place.launch)
    for number in range(len(args) - 1):
        yield _call(place.launch, [*args[:number], args[number + 1], args[number], *args[number + 2:]], keywords)


def keywords_turned(place: Place) -> Iterator[Change]:
    """Arguments that are passed by name stand in another order, which is no fault."""
    args, keywords = _parts(place.launch)
    if len(keywords) > 1 and all(one.arg for one in place.launch.keywords):
        yield _call(place.launch, args, keywords[::-1])


def option_passed(place: Place) -> Iterator[Change]:
    """An option is passed, or what looks like one."""
    args, keywords = _parts(place.launch)
    for option in ('num_warps=4', 'num_stages=2', 'num_warp=4', 'maxnreg=128', 'num_stage=2'):
        yield _call(place.launch, args, [*keywords, option])


def grid_gone(place: Place) -> Iterator[Change]:
    """The kernel is called like a function."""
    yield _call(place.launch, *_parts(place.launch), function=ast.unparse(place.launch.func.value))


def parameter_renamed(place: Place) -> Iterator[Change]:
    """The kernel has another name for a parameter than its launches and decorators."""
    source = ast.get_source_segment(place.text, place.kernel)
    for one in place.kernel.args.args:
        yield Change(place.kernel, re.sub(rf'(?<![\w.]){one.arg}\b', f'{one.arg}_y', source))


def parameter_more(place: Place) -> Iterator[Change]:
    """The kernel has one more parameter."""
    parameters = place.kernel.args.args
    if parameters and not place.kernel.args.defaults:
        yield Change(parameters[-1], f'{ast.unparse(parameters[-1])}, more')
        yield Change(parameters[-1], f'{ast.unparse(parameters[-1])}, more=1')


def config_renamed(place: Place) -> Iterator[Change]:
    """A configuration sets what the kernel does not have."""
    for config in place.configs:
        if config.args and isinstance(config.args[0], ast.Dict):
            for key in config.args[0].keys:
                if isinstance(key, ast.Constant):
                    yield Change(key, repr(f'{key.value}_x'))


def config_gone(place: Place) -> Iterator[Change]:
    """A configuration does not set something."""
    for config in place.configs:
        if config.args and isinstance(config.args[0], ast.Dict) and config.args[0].keys:
            pairs = list(zip(config.args[0].keys, config.args[0].values, strict=True))[1:]
            inside = ', '.join(f'{ast.unparse(key)}: {ast.unparse(value)}' for key, value in pairs if key is not None)
            yield Change(config.args[0], f'{{{inside}}}')


def config_passed(place: Place) -> Iterator[Change]:
    """A launch passes what a configuration sets."""
    args, keywords = _parts(place.launch)
    names = {one.arg for one in place.kernel.args.args}
    for config in place.configs:
        for key in config.args[0].keys if config.args and isinstance(config.args[0], ast.Dict) else ():
            if isinstance(key, ast.Constant) and key.value in names:
                yield _call(place.launch, args, [*keywords, f'{key.value}=16'])


def name_in_decorator(place: Place) -> Iterator[Change]:
    """A decorator names what the kernel does not have."""
    for decorator in place.kernel.decorator_list:
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg in ('key', 'reset_to_zero', 'restore_value') and isinstance(keyword.value, ast.List):
                for one in keyword.value.elts:
                    if isinstance(one, ast.Constant):
                        yield Change(one, repr(f'{one.value}_x'))


def heuristic_renamed(place: Place) -> Iterator[Change]:
    """A heuristic computes, or asks for, what the kernel does not have."""
    for decorator in place.kernel.decorator_list:
        if isinstance(decorator, ast.Call) and decorator.args and isinstance(decorator.args[0], ast.Dict):
            for key in decorator.args[0].keys:
                if isinstance(key, ast.Constant):
                    yield Change(key, repr(f'{key.value}_x'))
            for node in ast.walk(decorator.args[0]):
                if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                    yield Change(node.slice, repr(f'{node.slice.value}_x'))


def decorators_turned(place: Place) -> Iterator[Change]:
    """The decorators stand in another order."""
    decorators = place.kernel.decorator_list
    if len(decorators) > 1:
        # `jit` comes first, and the others to where it stood
        turned = [ast.unparse(decorators[-1]), *map(ast.unparse, decorators[:-1])]
        first, last = decorators[0], decorators[-1]
        span = ast.Constant(value='')
        span.lineno, span.col_offset = first.lineno, first.col_offset
        span.end_lineno, span.end_col_offset = last.end_lineno, last.end_col_offset
        yield Change(span, '\n@'.join(turned))


KINDS: dict[str, Changes] = {changes.__name__: changes for changes in (
    keyword_renamed, keyword_gone, positional_gone, positional_more, given_twice, swapped, keywords_turned, option_passed,
    grid_gone, parameter_renamed, parameter_more, config_renamed, config_gone, config_passed, name_in_decorator,
    heuristic_renamed, decorators_turned,
)}
