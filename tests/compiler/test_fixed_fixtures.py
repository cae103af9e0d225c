# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the fixes of the address rules make of the fixtures, judged by the compiler."""

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip('torch')
pytest.importorskip('triton')

from flakelint.engine.findings import Finding
from flakelint.source.text import Range
from tests.compiler.ttir import Span
from tests.compiler.worker import Compiled, Request, compile_all
from tests.rule_harness import FIXED, FIXTURES, checker, fixture_files, read_fixture, rules

CODES = [code for code in rules() if code.startswith('TRI10')]
CASES = [
    (path, path.with_name(path.name.removesuffix('.py') + suffix))
    for code in CODES for path in fixture_files(code) for suffix in FIXED
    if path.with_name(path.name.removesuffix('.py') + suffix).exists()
]
# the rules whose findings name products
WIDENED = [case for case in CASES if case[0].relative_to(FIXTURES).parts[0] in ('TRI101', 'TRI102', 'TRI103', 'TRI106')]
ONES = [case for case in CASES if case[0].relative_to(FIXTURES).parts[0] == 'TRI104']


class Text(NamedTuple):
    """A text of a fixture in a file.

    Args:
        path (str):
            The file.
        records (list[Compiled]):
            The variants of its kernels.
        places (list[Span]):
            Its operations with two sides, in an order that no fix changes.
        loops (dict[Span, Span]):
            The loops, by the names that count in them.
    """

    path: str
    records: list[Compiled]
    places: list[Span]
    loops: dict[Span, Span]

    def taken(self) -> set[tuple]:
        """The variants that the compiler takes."""
        return {variant(record) for record in self.records if not record.error}

    def span(self, place: Range) -> Span:
        """A range of a finding, as the compiler knows it: a loop for the name that counts in it."""
        lines = Path(self.path).read_text().splitlines()
        start, end = (len(lines[line - 1][:column - 1].encode()) for line, column in place)
        span = Span(self.path, place.start.line, start, place.end.line, end)
        return self.loops.get(span, span)


def variant(record: Compiled) -> tuple:
    return record.kernel, tuple(sorted(record.types.items())), tuple(sorted(record.constants.items(), key=str))


def read_text(path: Path, records: list[Compiled]) -> Text:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    operations = [place_of(node, path) for node in nodes if isinstance(node, ast.BinOp | ast.AugAssign)]
    operations.sort(key=lambda span: (span.line, span.column, -span.end_line, -span.end_column))
    loops = {place_of(node.target, path): place_of(node, path) for node in nodes if isinstance(node, ast.For)}
    return Text(str(path), [record for record in records if record.path == str(path)], operations, loops)


def place_of(node: ast.expr | ast.stmt, path: Path) -> Span:
    return Span(str(path), node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


@pytest.fixture(scope='module')
def texts(tmp_path_factory) -> dict[Path, Text]:
    folder, copies = tmp_path_factory.mktemp('texts'), {}
    for source in {path for case in CASES for path in case}:
        copies[source] = folder / source.parent.name / source.name
        copies[source].parent.mkdir(exist_ok=True)
        copies[source].write_text(read_fixture(source).text)
    records = compile_all([Request(str(copy)) for copy in copies.values()])
    return {source: read_text(copy, records) for source, copy in copies.items()}


def mended(path: Path, fixed: Path, folder: Path) -> list[Finding]:
    """The findings of a fixture that its fixed text is rid of."""
    fixture = read_fixture(path)
    code = path.relative_to(FIXTURES).parts[0]
    allowed = ('safe',) if fixed.name.endswith(FIXED[0]) else ('safe', 'unsafe')
    found = checker(folder, fixture.settings, code).check(path.name, fixture.text.encode())
    return [one for one in found if one.fix and one.fix.applicability in allowed]


def by_fixed(case: tuple[Path, Path]) -> str:
    return str(case[1].relative_to(FIXTURES))


@pytest.fixture
def both(request, texts) -> tuple[Text, Text]:
    """A fixture and its fixed text."""
    before, after = (texts[path] for path in request.param)
    if not before.records:
        pytest.skip('calls what only another repository has')
    return before, after


@pytest.mark.parametrize('both', CASES, ids=by_fixed, indirect=True)
def test_fixed_text_compiles_as_before(both):
    before, after = both
    assert before.taken()
    assert before.taken() <= after.taken(), [record.error for record in after.records if record.error]


@pytest.mark.parametrize(('both', 'case'), [(case, case) for case in WIDENED], ids=map(by_fixed, WIDENED), indirect=['both'])
def test_what_findings_name_is_narrow_and_then_wide(both, case, tmp_path):
    before, after = both
    moved = dict(zip(before.places, after.places, strict=True))
    made = {variant(record): record for record in after.records}
    for finding in mended(*case, tmp_path):
        origin = before.span(finding.range)
        products = {before.span(related.range) for related in finding.related if not related.path}
        was_narrow = False
        for record in before.records:
            fixed = made[variant(record)]
            reached = addresses(record, origin, products)
            # what is only compared reaches no address
            named = products & set().union(*reached.values()) if reached else products
            was_narrow |= bool(narrow(record, named, reached))
            assert not narrow(fixed, {moved[one] for one in named}, {moved[one] for one in reached}), variant(record)
        assert was_narrow, finding


def narrow(record: Compiled, products: Iterable[Span], addresses: Iterable[Span]) -> set[Span]:
    """The products and the offsets of addresses that are not computed in 64 bits."""
    found = {operation.span for operation in record.operations if operation.type != 'i64'} & set(products)
    return found | {address for address in addresses if record.offsets.get(address) != {'i64'}}


def addresses(record: Compiled, origin: Span, products: set[Span]) -> dict[Span, set[Span]]:
    """The addresses that hold what a finding starts from and a product that it names, each with its parts."""
    return {
        address: parts for address, parts in record.parts.items()
        if origin in parts and (not products or products & (parts | {address}))
    }


@pytest.mark.parametrize('both', ONES, ids=by_fixed, indirect=True)
def test_arguments_may_be_one_after_fixing(both):
    before, after = both
    assert len(before.taken()) < len(after.taken())
