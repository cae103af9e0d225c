# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How large the arguments of a kernel and its grid are taken to be: by its launches, its configurations, and last by names."""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flakelint.kernel import sizes
from flakelint.kernel.decoding import is_of_decoding
from flakelint.kernel.host_sizes import HostSizes
from flakelint.kernel.launches import NUMBER, STRIDE, Passed
from flakelint.kernel.names import role_of_name
from flakelint.kernel.sizes import HEAD, PROGRAM, SEQUENCE, Assumed, Size
from flakelint.kernel.stated_limits import stated_limits
from flakelint.kernel.unrolled import ROUNDS, TILES, unrolled
from flakelint.source.expressions import defaults_of

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Kernel
    from flakelint.kernel.launches import Launch

_ROW_WORDS = re.compile(r'(?:(?:^|_)(?!dim$)[a-z]?[a-z]?[mtslr]|seq\w*|rows?|tok\w*|ctx|slots?|pages?|bs)$', re.IGNORECASE)
_TOKEN_WORDS = re.compile(r'tok(?:en)?s?(?:_|$)|rows?(?:_|$)|pos(?:_|$)', re.IGNORECASE)
_HEAD_WORDS = re.compile(r'(?:[hdkv]|heads?|dim)$', re.IGNORECASE)
# in a kernel that chooses a few of many, they are as many as a letter says
_CHOOSES = re.compile(r'(?:^|_)top_?k(?:_|$)', re.IGNORECASE)
# a grid has no more programs along its second and third axis, and no more along its first one than a number of one can tell
_MAX_PROGRAMS = (1 << 16) - 1
# an unrolled loop has no more rounds
_MAX_UNROLLED = 64
# a larger argument comes in 64 bits, and so does a larger constant
_MAX_NARROW = (1 << 31) - 1
_TOLD = (sizes.HEAD_WIDTH, sizes.CHOICES, sizes.EXPERTS, sizes.WINDOW)
_WIDTHS = (sizes.HIDDEN, sizes.WIDTH, sizes.HEAD_WIDTH)
_DIMENSION_WORDS = re.compile(r'seq|rows?|cols?|toks?|dim|head|ctx|page|slot', re.IGNORECASE)


class Arguments:
    """The sizes of the arguments of a kernel.

    Args:
        kernel (Kernel):
            The kernel.
        launches (Sequence[Launch]):
            Where it is launched.
        assumed (Assumed):
            The sizes that are assumed.
        extents (frozenset[str]):
            The constants that are the length of a block.
        held (Mapping[str, int]):
            How large constants can be since blocks hold them whole.
    """

    def __init__(
        self,
        kernel: 'Kernel',
        launches: 'Sequence[Launch]',
        assumed: Assumed,
        extents: frozenset[str],
        held: Mapping[str, int],
    ) -> None:
        self.kernel = kernel
        self.launches = launches
        self.assumed = assumed
        self.extents = extents
        self.held = held
        self._known: dict[str, Size] = {}
        self._decided: dict[str, str] = {}
        self._host = HostSizes(assumed, self._of_parameter)
        self._strides = _stride_roles([parameter.name for parameter in kernel.parameters])

    @cached_property
    def _stated(self) -> dict[str, int]:
        return stated_limits(self.kernel)

    @cached_property
    def _is_of_decoding(self) -> bool:
        return is_of_decoding(self.kernel)

    @cached_property
    def _unrolled(self) -> dict[str, str]:
        return unrolled(self.kernel)

    def set_roles(self, roles: dict[str, str]) -> None:
        """Let the addresses of the kernel decide the roles of some parameters."""
        self._decided = roles

    def size(self, name: str, constant: bool) -> Size:
        """The size of a parameter."""
        known = self._known.get(name)
        if known is None:
            known = self._size(name, constant)
            if name in self._unrolled:
                known = self._written_out(known, self._unrolled[name])
            if name in self.held and not known.exact:
                known = known._replace(tight=min(known.tight, self.held[name]))
            known = known.below(self._stated.get(name))
            most = min(known.tight, _MAX_NARROW), min(known.possible, _MAX_NARROW)
            known = self._known[name] = known._replace(tight=most[0], possible=most[1])
        return known

    def program_id(self, axis: Any) -> Size:
        """The size of a program's number along an axis of the grid."""
        assumed = self.assumed.of_role(sizes.PROGRAMS if axis in (1, 2) else sizes.LENGTH)._replace(role=PROGRAM, index=True)
        size = self._launched_program(axis, assumed)
        return self.of_decoding(size)

    def of_decoding(self, size: Size) -> Size:
        """The size of a program's number, or of what counts the tokens that a kernel makes, in a kernel for decoding alone."""
        return self.of_requests(size) if self._is_of_decoding else size

    def of_requests(self, size: Size) -> Size:
        """The size of what counts the tokens that all requests make in one step."""
        # no more than the heads of all requests
        requests, heads = self.assumed.of_role(sizes.BATCH), self.assumed.of_role(sizes.HEADS)
        return size._replace(tight=min(size.tight, requests.possible * heads.tight))

    def _launched_program(self, axis: Any, assumed: Size) -> Size:
        launched = self._launched(lambda launch: _axis(launch, axis))
        if launched is None:
            return assumed
        if launched.role == sizes.ELEMENTS and not launched.is_certain:
            # what has a program for each of its numbers has one for each row of something else
            launched = self.assumed.of_role(sizes.LENGTH)
        role = {sizes.BATCH: SEQUENCE, sizes.HEADS: HEAD}.get(launched.role, PROGRAM)
        if launched.role in sizes.DEFAULTS and launched.tight > self.assumed.of_role(launched.role).tight:
            # a product of several axes
            role = PROGRAM
        size = _widened(launched, assumed)
        if self.launches and all(self._is_held(launch, _axis(launch, axis)) for launch in self.launches):
            # there is a program for each of what one block holds
            size = size.in_block()
        most = _MAX_PROGRAMS if axis in (1, 2) else _MAX_NARROW
        return Size(min(size.tight, most), min(size.possible, most), role, index=True)

    def _written_out(self, known: Size, step: str) -> Size:
        """The size of what an unrolled loop counts to, in steps of one or of a tile."""
        if not step:
            return known.below(_MAX_UNROLLED)._replace(tight=min(known.tight, ROUNDS))
        tight = TILES * self._of_parameter(step).tight
        return known if known.exact else known._replace(tight=min(known.tight, tight), role=sizes.WINDOW)

    def _of_parameter(self, name: str) -> Size:
        return self.size(name, any(one.name == name and one.is_constexpr for one in self.kernel.parameters))

    def _launched(self, passed: 'Callable[[Launch], Passed | None]') -> Size | None:
        """The largest size that the launches show; `None` where one of them does not show it."""
        found = []
        for launch in self.launches:
            one = passed(launch)
            self._host.launch = launch
            size = self._host.of(one) if one is not None else None
            if size is None:
                return None
            found.append(size)
        if not found:
            return None
        largest = max(found, key=lambda size: (size.tight, size.possible))
        certain = all(size.is_certain for size in found)
        exact = all(size.exact for size in found)
        return largest._replace(exact=exact, limited=certain and not exact)

    def _most(self, name: str) -> int | None:
        """The limit that the conditions on the way to every launch set to a parameter."""
        found = []
        for launch in self.launches:
            self._host.launch = launch
            found.append(self._host.most(launch.parameters[name]) if name in launch.parameters else None)
        return max(found) if found and None not in found else None

    def _size(self, name: str, constant: bool) -> Size:
        set_by_user = self.assumed.of_name(name)
        if set_by_user is not None:
            return set_by_user
        # while it is worked out, an expression of a launch may name it
        named = self._known[name] = self._by_name(name, constant)
        launched = self._launched(lambda launch: launch.parameters.get(name))
        most = self._most(name)
        if name in self._decided and not (launched is not None and launched.is_certain):
            decided = self.assumed.of_role(self._decided[name]).below(most)
            if launched is None or not self._is_allocated(name):
                return decided
            return decided._replace(tight=min(decided.tight, launched.tight))
        if launched is None:
            return named.below(most)
        # a single letter may stand for the width of a head or of a model
        is_told = named.role in _TOLD and (len(name) > 1 or named.role in (sizes.CHOICES, sizes.EXPERTS))
        if is_told and launched.role == sizes.WIDTH and not constant:
            launched = launched._replace(tight=min(launched.tight, named.tight))
        if launched.role == sizes.WIDTH and constant:
            hidden = named if is_told else self.assumed.of_role(sizes.HIDDEN)
            if named.role in _TOLD and name in self.extents:
                # a block is rarely as long as a model is wide
                hidden = hidden._replace(tight=named.tight, role=named.role)
            launched = hidden._replace(
                tight=min(hidden.tight, launched.tight),
                possible=min(hidden.possible, launched.possible),
                limited=launched.limited,
            )
        is_block = constant and (name in self.extents or named.role == sizes.BLOCK) and launched.role not in _WIDTHS
        size = _widened(launched._replace(role=sizes.BLOCK) if is_block else launched, named)
        if named.role == sizes.STRIDE and _TOKEN_WORDS.search(name) and not size.is_certain:
            # whatever the tensor holds, from one token to the next it is a row
            size = size._replace(tight=min(size.tight, named.tight))
        return size.in_block() if (constant and name in self.extents) or self._is_covered(name) else size

    def _is_allocated(self, name: str) -> bool:
        """Whether every launch shows the sizes with which the tensor was allocated of which a parameter is a stride."""
        passed = [launch.parameters.get(name) for launch in self.launches]
        return bool(passed) and all(one is not None and one.kind == STRIDE and one.dims and one.contiguous for one in passed)

    def _is_covered(self, name: str) -> bool:
        """Whether every launch makes a block that holds as much as a parameter says."""
        return bool(self.launches) and all(
            self._is_held(launch, launch.parameters[name]) for launch in self.launches if name in launch.parameters
        )

    def _is_held(self, launch: 'Launch', passed: 'Passed | None') -> bool:
        """Whether a launch makes a block that holds as much as a number says."""
        return passed is not None and any(
            one.head == 'next_power_of_2' and one.operands[:1] and one.operands[0].text == passed.text
            for block, one in launch.parameters.items() if block in self.extents
        )

    def _by_name(self, name: str, constant: bool) -> Size:
        """The size of a parameter by the configurations of the tuner, its default, and its name."""
        configured = self.kernel.block_sizes.get(name)
        if configured:
            return Size(max(configured), max(configured), sizes.BLOCK, exact=True)
        default = self._default(name)
        if constant and default is not None:
            return Size(default, default, role_of_name(name, constant), exact=True)
        role = self._strides.get(name) or role_of_name(name, constant)
        if name.lower() == 'k' and _CHOOSES.search(self.kernel.name):
            role = sizes.CHOICES
        size = self.assumed.of_role(role)
        if constant and name in self.extents and role not in (*_WIDTHS, *_TOLD):
            block = self.assumed.of_role(sizes.BLOCK)
            # a tile by what is done with it, something else by its name
            agree = role in (sizes.BLOCK, sizes.LENGTH)
            size = block if agree else block._replace(possible=max(block.possible, size.possible))
        return size

    def _default(self, name: str) -> int | None:
        """The whole number that a parameter holds where a launch gives none."""
        default = defaults_of(self.kernel.definition.args).get(name)
        return abs(default.value) if isinstance(default, ast.Constant) and type(default.value) is int else None


def _widened(launched: Size, named: Size) -> Size:
    """A size as the launches show it; other launches may be possible where they show no number."""
    return launched if launched.is_certain else launched._replace(possible=max(launched.possible, named.possible))


def _axis(launch: 'Launch', axis: Any) -> 'Passed | None':
    if launch.grid is None or not isinstance(axis, int):
        return None
    return launch.grid[axis] if axis < len(launch.grid) else Passed(NUMBER, '1', value=1)


def _stride_roles(names: list[str]) -> dict[str, str]:
    """The roles of strides by their order: the parameters of one tensor go from its outermost dimension to its innermost."""
    others = [name.removesuffix('_ptr') for name in names if 'stride' not in name.lower()]
    tensors = sorted(others, key=len, reverse=True)
    groups: dict[str, list[tuple[str, str]]] = {}
    for name in names:
        if role_of_name(name, constant=False) in (sizes.STRIDE, sizes.OUTER_STRIDE):
            tensor = next((one for one in tensors if name.startswith(f'stride_{one}_')), '')
            # the name of the tensor says nothing of its dimensions
            plain = name.replace(f'_{tensor}_', '_', 1) if tensor else name
            groups.setdefault(tensor or _stem(name), []).append((name, plain))
    return {
        name: _stride_role(position, [plain for _, plain in members])
        for members in groups.values() for position, (name, _) in enumerate(members)
    }


def _stride_role(position: int, members: list[str]) -> str:
    name, rows = members[position], [bool(_ROW_WORDS.search(member)) for member in members]
    if position == len(members) - 1 > 0 and not rows[-1]:
        return sizes.INNER_STRIDE
    role = role_of_name(name, constant=False)
    if position == 0 and len(members) > 1 and not _TOKEN_WORDS.search(name):
        # only where the length of a sequence is inside is the outermost stride larger than a row
        return sizes.OUTER_STRIDE if len(members) > 3 or any(rows[1:]) else _by_name(role, members)
    return role


def _by_name(role: str, members: list[str]) -> str:
    """The role of the outermost stride of a tensor of which no dimension is named like rows."""
    return sizes.STRIDE if len(members) == 3 or any(_HEAD_WORDS.search(member) for member in members[1:]) else role


def _stem(name: str) -> str:
    """What the strides of one tensor have in common."""
    if match := re.fullmatch(r'(\w+?)_(?:\w+_)?strides?(?:_?\w)?', name):
        return match[1]
    before, _, word = name.rpartition('_')
    if len(word) <= 4 and not _DIMENSION_WORDS.fullmatch(word) and before:
        return f'{before}_{word[0]}' if len(word) > 1 else before
    return before or name
