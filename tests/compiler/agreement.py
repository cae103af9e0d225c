# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Hold the model of a kernel against what the compiler made of it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from flakelint.kernel.kernels import Kernel
from flakelint.kernel.model import Given, analyse
from flakelint.kernel.repository import Repository
from flakelint.source.file import SourceFile
from tests.compiler.ttir import Span
from tests.compiler.worker import Compiled

# the offset of an unsigned or a truth is widened to 64 bits before it is added
_OFFSETS = {'i1': 'i64', 'u8': 'i64', 'u16': 'i64', 'u32': 'i64', 'u64': 'i64'}
# of the integer expressions that reach an address, so few may be unknown
UNKNOWN_SHARE = 0.03

_COMPARED = frozenset(('i1', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'fp', 'ptr', 'const', 'tuple', 'none'))
# what the model calls a constant, as it does not always know of which kind
_AT_COMPILE_TIME = frozenset({'const', 'tuple', 'none'})


@dataclass
class Verdict:
    """How a model and the compiler agree.

    Args:
        disagreements (list[str], Optional):
            What the model says of a place, and what the compiler says. Default: none.
        claims (int, Optional):
            Of how many places the model claims to know the type. Default: `0`.
        reaching (set[Span], Optional):
            The integer expressions that become parts of addresses, and the additions that make these. Default: none.
        unknown (set[Span], Optional):
            Those of them of which the model does not know the type, or that of the offset. Default: none.
    """

    disagreements: list[str] = field(default_factory=list)
    claims: int = 0
    reaching: set[Span] = field(default_factory=set)
    unknown: set[Span] = field(default_factory=set)

    @property
    def share(self) -> float:
        """The share of unknowns among the integer expressions that reach an address."""
        return len(self.unknown) / len(self.reaching) if self.reaching else 0.0

    def __str__(self) -> str:
        return (
            f'{self.claims} types and offsets compared, {len(self.disagreements)} disagreements, '
            f'{self.share:.2%} of {len(self.reaching)} expressions that reach an address unknown'
        )

    def add(self, other: 'Verdict') -> None:
        """Take in the verdict on another variant or kernel."""
        self.disagreements += [line for line in other.disagreements if line not in self.disagreements]
        self.claims += other.claims
        self.reaching |= other.reaching
        self.unknown |= other.unknown


class Judge:
    """Models of the kernels below a folder, held against the compiler.

    Args:
        root (Path):
            The folder.
        paths (list[Path]):
            The files that are its modules.
    """

    def __init__(self, root: Path, paths: list[Path]) -> None:
        self.root = root
        self.repository = Repository(str(root), map(str, paths))
        self._kernels: dict[str, list[Kernel]] = {}
        self._open: dict[tuple, dict[Span, set[str]]] = {}

    def all(self, records: Iterable[Compiled]) -> Verdict:
        """The verdict on all variants that the compiler takes."""
        verdict = Verdict()
        for record in records:
            if not record.error:
                verdict.add(self.verdict(record))
        return verdict

    def verdict(self, record: Compiled) -> Verdict:
        """Whether the model, told the same signature, says of each place what the compiler says."""
        verdict, kernel = Verdict(), self._kernel(record)
        said, offsets = {}, {}
        # of a kernel that is not found, everything is unknown
        if kernel is not None:
            model = analyse(kernel, self.repository, Given(record.types, record.constants))
            said, offsets = self._known(model.types()), self._known(model.offsets())
        for span, kinds in sorted(record.expressions.items()):
            self._compare(verdict, record, span, 'type', said.get(span), kinds & _COMPARED)
        computed = defaultdict(set)
        for operation in record.operations:
            computed[operation.span].add(operation.type)
        for span, kinds in sorted(computed.items()):
            widths = {kind.replace('u', 'i') for kind in said.get(span, ()) if kind[:1] in ('i', 'u')}
            # a call may compute in several steps
            if widths and '' not in said[span] and not widths & kinds:
                verdict.disagreements.append(_line(record, span, 'operation', widths, kinds))
        for span, kinds in sorted(record.offsets.items()):
            widths = offsets.get(span)
            # a constant takes the narrowest type that holds it
            if widths is not None and 'const' not in widths:
                self._compare(verdict, record, span, 'offset', {_OFFSETS.get(kind, kind) for kind in widths}, kinds)
        integers = {span for span, kinds in record.expressions.items() if any(kind[0] in 'iu' for kind in kinds)}
        parts = set().union(*record.parts.values()) & integers
        verdict.reaching = parts | record.offsets.keys()
        verdict.unknown = {span for span in parts if '' in said.get(span, {''})}
        verdict.unknown |= {span for span in record.offsets if '' in offsets.get(span, {''})}
        return verdict

    def missed(self, record: Compiled) -> list[str]:
        """Where the model, told the types of run-time arguments alone, leaves out what the compiler says of this variant."""
        key = (record.path, record.kernel, *record.types.items())
        if key not in self._open:
            model = analyse(self._kernel(record), self.repository, Given(record.types))
            self._open[key] = self._known(model.types())
        said = self._open[key]
        # an argument that is None here is a pointer elsewhere
        return [
            _line(record, span, 'type', said[span], kinds) for span, kinds in sorted(record.expressions.items())
            if '' not in said.get(span, {''}) and not kinds & _COMPARED - {'none'} <= said[span]
        ]

    def _compare(
        self, verdict: Verdict, record: Compiled, span: Span, what: str, said: set[str] | None, seen: set[str],
    ) -> None:
        if not said or not seen:
            return
        claimed = said - {''}
        if claimed == {'const'} and seen <= _AT_COMPILE_TIME:
            seen = claimed
        verdict.claims += bool(claimed)
        # of what is known in some variants only, those are judged
        if not claimed <= seen or ('' not in said and claimed != seen):
            verdict.disagreements.append(_line(record, span, what, said, seen))

    def _known(self, found: dict) -> dict[Span, set[str]]:
        result = defaultdict(set)
        for (path, *place), kinds in found.items():
            result[Span(str(self.root / path), *place)] |= kinds
        return result

    def _kernel(self, record: Compiled) -> Kernel | None:
        path = Path(record.path)
        if record.path not in self._kernels:
            file = SourceFile(path.relative_to(self.root).as_posix(), path.read_bytes())
            self._kernels[record.path] = self.repository.module(file).kernels
        return next((kernel for kernel in self._kernels[record.path] if kernel.name == record.kernel), None)


def _line(record: Compiled, span: Span, what: str, said: set[str], seen: set[str]) -> str:
    place = f'{span.path}:{span.line}:{span.column}'
    given = ', '.join(f'{name}={value}' for name, value in {**record.types, **record.constants}.items())
    return f'{place}: {what} of `{_text(span)}`: model {sorted(said)}, compiler {sorted(seen)} ({record.kernel}: {given})'


@cache
def _lines(path: str) -> list[bytes]:
    return Path(path).read_bytes().splitlines()


def _text(span: Span) -> str:
    lines = _lines(span.path)[span.line - 1:span.end_line]
    lines[-1] = lines[-1][:span.end_column]
    lines[0] = lines[0][span.column:]
    return ' '.join(line.decode().strip() for line in lines)
