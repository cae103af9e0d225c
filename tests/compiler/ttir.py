# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Read from the text of Triton's intermediate representation what the compiler made of each expression."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class Span(NamedTuple):
    """Where an expression stands: lines from 1, columns from 0, as in `ast`."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


class Operation(NamedTuple):
    """An integer operation: where it comes from, its name, and the type in which it is computed, such as `i32`."""

    span: Span
    name: str
    type: str


# casts, constants and comparisons do not compute
ARITHMETIC = frozenset(
    f'arith.{name}' for name in (
        'addi', 'subi', 'muli', 'divsi', 'divui', 'remsi', 'remui', 'shli', 'shrsi', 'shrui', 'andi', 'ori', 'xori',
        'minsi', 'minui', 'maxsi', 'maxui',
    )
)

# the operands that are parts of an address
_ADDRESSES = {'tt.addptr': slice(1, 2), 'tt.int_to_ptr': slice(0, 1), 'tt.descriptor_load': slice(1, None)}
# what is loaded is another value, and a truth is none
_ENDS = ('tt.load', 'tt.descriptor_load', 'tt.atomic', 'arith.cmp', 'arith.constant')
_NAME = r'%[\w$.-]+'
_RESULTS = rf'{_NAME}(?::\d+)?'
_OPERATION = re.compile(rf'(?:(?P<results>{_RESULTS}(?:, {_RESULTS})*) = )?"?(?P<name>[a-z_]+(?:\.[a-z_]+)+)"?(?P<rest>.*)')
_VALUE = re.compile(rf'{_NAME}(?:#\d+)?')
_HEADER = re.compile(rf'({_NAME}) = ({_NAME}(?:#\d+)?)')
_LOCATION = re.compile(r' ?loc\((#loc\d*|unknown|"[^"]*"(?::\d+:\d+|\(#loc\d*\)))\)')
_INNER = re.compile(r'"[^"]*"\((#loc\d*)\)$|callsite\((#loc\d*) at')
_FUNCTION = re.compile(r'@("[^"]*"|[\w$.-]+)')
_TARGET = re.compile(r'(\^bb\d+)(?:\(([^):]*))?')
_INTEGER = re.compile(r'[ x<](i\d+)>?$')


@dataclass
class _Region:
    operation: str = ''
    results: list[int] = field(default_factory=list)
    # what the operation hands in: the values that a loop carries, the arguments of a function
    entries: list[int] = field(default_factory=list)
    passed: list[list[int]] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    blocks: dict[str, list[int]] = field(default_factory=dict)
    jumps: list[tuple[str, list[int]]] = field(default_factory=list)
    counter: int = -1
    # what a falling loop counts with, which has the location of whatever comes first in its body
    counting: dict[tuple[str, int, int], int | None] = field(default_factory=dict)


class Ttir:
    """The integer operations and the addresses of a module as text, by the expressions that they come from.

    Args:
        text (str):
            The module, whose locations are `loc("span:N":...)`.
        spans (list[Span]):
            The expression of each N.
    """

    def __init__(self, text: str, spans: list[Span]) -> None:
        self.operations: set[Operation] = set()
        # the types of the offsets of each pointer addition
        self.offsets: dict[Span, set[str]] = defaultdict(set)
        # the expressions whose values become parts of each address, by the place where it is made
        self.parts: dict[Span, set[Span]] = defaultdict(set)
        self._spans = spans
        self._locations = dict(re.findall(r'^(#loc\d*) = loc\((.*)\)$', text, re.MULTILINE))
        self._sources: dict[int, set[int]] = defaultdict(set)
        self._places: list[Span | None] = []
        self._addresses: list[tuple[Span, int]] = []
        # the function and the position of each parameter, the call and the position of each result of one
        self._parameters: dict[int, tuple[str, int]] = {}
        self._results: dict[int, tuple[int, int]] = {}
        self._returned: dict[str, list[list[int]]] = defaultdict(list)
        self._calls: list[tuple[str, list[int]]] = []
        self._regions = [_Region()]
        self._function = ''
        for line in text.splitlines():
            if not line.startswith('#loc'):
                self._read(line.strip())
        for span, address in self._addresses:
            self.parts[span] |= self._parts(address)

    def _read(self, line: str) -> None:
        found = _LOCATION.findall(line)
        span = self._span(found[-1]) if found else None
        plain = _LOCATION.sub('', line)
        if plain.startswith('}'):
            self._close(span, plain.endswith('{'))
        elif plain.startswith('^'):
            label = plain.partition(':')[0].partition('(')[0]
            values = [self._new(name) for name in re.findall(rf'({_NAME}) ?:', plain)]
            region = self._regions[-1]
            region.blocks[label] = values
            if region.operation != 'tt.func':
                for given in region.passed:
                    self._link(values, given)
        elif plain.startswith('tt.func'):
            self._function = _FUNCTION.search(plain)[1]
            self._regions.append(_Region('tt.func'))
            for position, name in enumerate(re.findall(rf'({_NAME}): ', plain)):
                self._parameters[self._new(name)] = (self._function, position)
        elif match := _OPERATION.match(plain):
            self._operation(match['name'], _expand(match['results']), match['rest'], span)
        elif plain.endswith('{'):
            self._regions.append(_Region())

    def _operation(self, name: str, results: list[str], rest: str, span: Span | None) -> None:
        region = self._regions[-1]
        operands = [self._use(one) for one in _VALUE.findall(rest)] if name not in ('scf.for', 'scf.while') else []
        if (name, *operands) in region.counting:
            self._count(region, name, results[0], operands)
            return
        if span and name in ARITHMETIC and (kind := _INTEGER.search(rest)):
            self.operations.add(Operation(span, name, kind[1]))
        if span and name == 'tt.addptr':
            self.offsets[span].add(_INTEGER.search(rest)[1])
        if span:
            self._addresses += [(span, operand) for operand in operands[_ADDRESSES.get(name, slice(0))]]
        if name in ('scf.for', 'scf.while'):
            self._loop(name, results, rest)
        elif name in ('scf.yield', 'tt.reduce.return', 'tt.scan.return'):
            self._link(region.results, operands)
            self._link(region.entries, operands)
        elif name == 'scf.condition':
            self._link(region.results, operands[1:])
            region.passed.append(operands[1:])
        elif name == 'tt.return':
            self._returned[self._function].append(operands)
        elif name in ('cf.br', 'cf.cond_br'):
            region.jumps += [(label, list(map(self._use, _VALUE.findall(values)))) for label, values in _TARGET.findall(rest)]
        elif name == 'tt.call':
            for position, one in enumerate(results):
                self._results[self._new(one, span)] = (len(self._calls), position)
            self._calls.append((_FUNCTION.search(rest)[1], operands))
        elif rest.endswith('{'):
            # the condition of a branch decides and does not flow
            passed = [] if name == 'scf.if' else [operands]
            self._regions.append(_Region(name, [self._new(one) for one in results], passed=passed))
        else:
            sources = [] if name.startswith(_ENDS) else operands[1:] if name == 'arith.select' else operands
            for one in results:
                self._sources[self._new(one, None if name == 'arith.constant' else span)].update(sources)

    def _loop(self, name: str, results: list[str], rest: str) -> None:
        pairs = [(inner, self._use(outer)) for inner, outer in _HEADER.findall(rest)]
        bounds = [self._use(one) for one in _VALUE.findall(rest)[1:4]] if name == 'scf.for' else []
        region = _Region(name, [self._new(one) for one in results])
        self._regions.append(region)
        values = [self._new(inner) for inner, _ in pairs]
        for value, (_, outer) in zip(values, pairs, strict=True):
            self._sources[value].add(outer)
        if name == 'scf.for':
            region.counter = values[0]
            self._sources[values[0]].update(bounds)
            region.counting[('arith.subi', bounds[1], values[0])] = bounds[0]
            values, pairs = values[1:], pairs[1:]
        region.entries = values
        self._link(region.results, [outer for _, outer in pairs])

    def _count(self, region: _Region, name: str, result: str, operands: list[int]) -> None:
        value = self._new(result)
        self._sources[value].update(operands)
        start = region.counting[(name, *operands)]
        if start is not None:
            region.counting[('arith.addi', value, start)] = None

    def _close(self, span: Span | None, goes_on: bool) -> None:
        region = self._regions.pop()
        for label, values in region.jumps:
            self._link(region.blocks[label], values)
        if goes_on:
            self._regions.append(_Region(region.operation, region.results, region.entries, region.passed))
            return
        made = {'scf.for': [region.counter], 'scf.if': region.results}
        for value in made.get(region.operation, ()):
            self._places[value] = span

    def _span(self, location: str) -> Span | None:
        while match := _INNER.match(self._locations.get(location, location)):
            location = match[1] or match[2]
        match = re.match(r'"span:(\d+)"', self._locations.get(location, location))
        return self._spans[int(match[1])] if match else None

    def _new(self, name: str, span: Span | None = None) -> int:
        self._places.append(span)
        self._regions[-1].names[name] = len(self._places) - 1
        return len(self._places) - 1

    def _use(self, name: str) -> int:
        for region in reversed(self._regions):
            if name in region.names:
                return region.names[name]
        raise KeyError(name)

    def _link(self, targets: Iterable[int], sources: Iterable[int]) -> None:
        for target, source in zip(targets, sources, strict=False):
            self._sources[target].add(source)

    def _parts(self, address: int) -> set[Span]:
        """The expressions behind a value; a function is looked at for each call apart."""
        seen, waiting = set(), [(address, ())]
        while waiting:
            value, calls = waiting.pop()
            if (value, calls) in seen:
                continue
            seen.add((value, calls))
            waiting += [(source, calls) for source in self._sources[value]]
            if value in self._results:
                call, position = self._results[value]
                waiting += [(returned[position], (*calls, call)) for returned in self._returned[self._calls[call][0]]]
            elif value in self._parameters:
                function, position = self._parameters[value]
                callers = calls[-1:] or [number for number, (called, _) in enumerate(self._calls) if called == function]
                waiting += [(self._calls[caller][1][position], calls[:-1]) for caller in callers]
        return {part for value, _ in seen if (part := self._places[value])}


def _expand(results: str | None) -> list[str]:
    """The names of results, those of one that stands for several each."""
    names = []
    for one in filter(None, (results or '').split(', ')):
        name, _, count = one.partition(':')
        names.extend(f'{name}#{number}' for number in range(int(count))) if count else names.append(name)
    return names
