# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""How large the sizes in a kernel are taken to be, by the role that they play.

There are two profiles: *tight* sizes are reached by launches that are common today, *possible* ones by launches that are not absurd. The figures are settings (`[tool.flakelint.assume]`), these are their defaults.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

LENGTH = 'length'
BATCH = 'batch'
HEADS = 'heads'
HEAD_WIDTH = 'head-width'
WIDTH = 'width'
HIDDEN = 'hidden'
STRIDE = 'stride'
OUTER_STRIDE = 'outer-stride'
INNER_STRIDE = 'inner-stride'
BLOCK = 'block'
COUNT = 'count'
NUMBER = 'number'
WINDOW = 'window'
FLAG = 'flag'
ELEMENTS = 'elements'
PROGRAMS = 'programs'
FLAT_ROWS = 'flat-rows'
# what indices are
PROGRAM = 'program'
SEQUENCE = 'sequence'
HEAD = 'head'
# what `tl.arange` gives
LANE = 'lane'

LARGEST = 1 << 62

# role: (tight, possible)
DEFAULTS: dict[str, tuple[int, int]] = {
    # tokens, rows of a matrix
    LENGTH: (1 << 20, 1 << 22),
    # rows of all heads
    FLAT_ROWS: (1 << 26, 1 << 28),
    BATCH: (1 << 8, 1 << 12),
    HEADS: (1 << 5, 1 << 6),
    # what one head holds, and any other compile-time size
    HEAD_WIDTH: (1 << 7, 1 << 8),
    HIDDEN: (1 << 12, 1 << 13),
    # a row of which the length is known at run time only
    WIDTH: (1 << 13, 1 << 17),
    STRIDE: (1 << 13, 1 << 17),
    OUTER_STRIDE: (1 << 24, 1 << 26),
    INNER_STRIDE: (1, 1 << 17),
    BLOCK: (1 << 7, 1 << 7),
    COUNT: (1 << 12, 1 << 17),
    NUMBER: (1 << 12, 1 << 22),
    WINDOW: (1 << 3, 1 << 3),
    FLAG: (1, 1),
    ELEMENTS: ((1 << 31) - 1, (1 << 31) - 1),
    # a grid's second and third axis
    PROGRAMS: (1 << 12, (1 << 16) - 1),
}

_STRIDE_WORD = re.compile(r'(?:^|_)(?:stride|strides|pitch|ld[abc])|stride$|^s_[a-z]', re.IGNORECASE)
_OUTER_WORD = re.compile(r'batch|expert|page|slot|layer|(?:block|cache)(?:_|$)|stride_?\w?(?:bs|[bez])(?:_|$)|(?:^|_)[be]_?stride', re.IGNORECASE)

# the first pattern that fits a name says what it is
_NAMES: tuple[tuple[re.Pattern[str], str], ...] = tuple((re.compile(pattern, flags), role) for pattern, flags, role in (
    (r'(USE|IS|HAS|STORE|SAVE|NEED|DO|IF|WITH|ENABLE|APPLY|COMPUTE|OUTPUT|RETURN|INPUT|FORCE|ALLOW|EVEN)_\w+|\w*_(flag|FLAG)|CAUSAL|REVERSE|HEAD_FIRST',
     0, FLAG),
    (r'BLOCK\w*|BLK\w*|\w*_BLOCK(_\w+)?|\w*block_?size\w*|TILE\w*|\w*_TILE|CHUNK\w*|\w*chunk_size|B[A-Z]{1,2}\d?|BT[LS]|[Bb]lock(_?[a-z])?|GROUP_SIZE_M|GROUP_M',
     0, BLOCK),
    (r'(W|KW|KH|KERNEL_W\w*|kernel_w\w*|conv_?width|kernel_(size|h|height)|num_stages|num_warps|n_stages|SPLIT_K|split_k)', 0, WINDOW),
    (r'(N[TCSB][A-Z]?\d?|\w*_count|programs|num_sms?|n?um_?(chunks|blocks|tiles|splits|pid\w*|pages|groups|experts|programs|sms?)\w*|NUM_(CHUNKS|BLOCKS|TILES|SPLITS|PID\w*|PAGES|GROUPS|EXPERTS|SMS?|PROGRAMS)\w*|grid\w*|\w*_(blocks|chunks|tiles)|max_(blocks|pages)\w*|E|EXPERTS?|n_experts)',
     0, COUNT),
    (r'(B|BS|BSZ|Z|NS|batch\w*|bsz|bs|num_(seqs?|sequences|reqs?|requests|batch\w*)|n_seqs?|BATCH\w*|NUM_SEQS?)', 0, BATCH),
    (r'(H|HQ|HK|HV|HKV|QH|KH|VH|G|Hq|Hkv|nheads?\w*|n_?heads?\w*|num_\w*heads?\w*|NUM_\w*HEADS?\w*|N_?HEADS?\w*|h|kv_group_num|q?_?gqa\w*|group_size|NGROUPS|ngroups|num_groups|GQA\w*|\w*_heads)',
     0, HEADS),
    (r'(n_?elem\w*|numel\w*|\w*numel|n_elements|total_elements|num_elements|N_ELEMENTS|size|total_size)', 0, ELEMENTS),
    (r'(T|TQ|TK|TR|L|M|S|Tq|Tk|seq_?len\w*|\w*_?seq_?lens?\w*|SEQ_?LEN\w*|\w*seqlen\w*|N_CTX\w*|\w*ctx\w*|n_?tok\w*|num_tok\w*|total_?tok\w*|\w*tokens?|n_?rows?\w*|num_rows?\w*|\w*_rows|rows?|total_?(len|rows|seq)\w*|max_?(len|seq)\w*|\w*length|\w*_len|LEN|Lq|Lk|Skv|Sq|EM|\w*_tokens)',
     0, LENGTH),
    (r'(D|DIM|dim|d_?model|D_?MODEL|hidden\w*|HIDDEN\w*|n_?cols?\w*|N_?COLS?\w*|num_cols?\w*|cols?|V|vocab\w*|VOCAB\w*|n_vocab|N|K|C|feature\w*|\w*_dim|\w*_DIM|in_features|out_features|width|\w*_size|\w*_width|embed\w*|intermediate\w*|channels?|head_?dim\w*|HEAD_?DIM\w*|DMODEL|d|n|k)',
     0, WIDTH),
))
_HEAD_WIDTHS = re.compile(r'[KVDRC]\d?|\w*head_?dim\w*|\w*HEAD_?DIM\w*|DK|DV|D_?HEAD|d_?head\w*|d_?state|dstate|L[kvq]?|hdim|headdim|BLOCK_DMODEL|DMODEL', 0)

_SEQUENCE_NAMES = re.compile(
    r'(i_|pid_|cur_|off_|idx_|id_)?(b|n|z|bz|batch|seq|req|batch_?(idx|id|index)|seq_?(idx|id|index)|req_?(idx|id)|bid|bidx|bs|b_idx|sequence)'
    r'|(batch|seq|req|sequence)_?(idx|id|index|pid|offset)?|\w*_batch',
)
_HEAD_NAMES = re.compile(r'(i_|pid_|cur_|off_|idx_|id_|start_)?(h|hq|hk|hv|hkv|head\w*|kv_?head\w*|q_?head\w*)(_?(idx|id|index))?|\w*_heads?(_?(idx|id|index))?')


class Size(NamedTuple):
    """How large a value is taken to be.

    Args:
        tight (int):
            Its largest absolute value under the tight sizes.
        possible (int):
            The same under the possible ones.
        role (str):
            What it is.
        index (bool, Optional):
            Whether it tells programs, loaded indices or rounds of a loop apart. Default: `False`.
        exact (bool, Optional):
            Whether the source shows it to the number. Default: `False`.
    """

    tight: int
    possible: int
    role: str
    index: bool = False
    exact: bool = False


@dataclass(frozen=True)
class Assumed:
    """The sizes that a run assumes.

    Args:
        tight (Mapping[str, int], Optional):
            Sizes by role, in place of the defaults. Default: none.
        possible (Mapping[str, int], Optional):
            The same for the possible sizes. Default: none.
        names (Mapping[str, int | str], Optional):
            A size or a role for names that fit a pattern, as in `fnmatch`. Default: none.
    """

    tight: Mapping[str, int] = field(default_factory=dict)
    possible: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, 'int | str'] = field(default_factory=dict)

    def of_role(self, role: str) -> Size:
        """The size of something that plays a role."""
        tight, possible = DEFAULTS[role]
        tight = self.tight.get(role, tight)
        return Size(tight, max(tight, self.possible.get(role, possible)), role)

    def of_name(self, name: str) -> Size | None:
        """The size that the settings give to a name."""
        from fnmatch import fnmatchcase

        for pattern, found in self.names.items():
            if fnmatchcase(name, pattern):
                return self.of_role(found) if isinstance(found, str) else Size(found, found, NUMBER, exact=True)
        return None


def role_of_name(name: str, constant: bool) -> str:
    """What a parameter is, by its name alone: the last resort."""
    if _STRIDE_WORD.search(name):
        return OUTER_STRIDE if _OUTER_WORD.search(name) else STRIDE
    for pattern, role in _NAMES:
        if pattern.fullmatch(name):
            if role == WIDTH and constant:
                return HEAD_WIDTH if _HEAD_WIDTHS.fullmatch(name) and name not in ('D', 'N') else HIDDEN
            if role == LENGTH and constant and name in ('L', 'M', 'S'):
                return HEAD_WIDTH
            return role
    return HEAD_WIDTH if constant else NUMBER


def is_sequence_name(name: str) -> bool:
    """Whether a name is that of the number of a sequence in a batch."""
    return bool(_SEQUENCE_NAMES.fullmatch(name.lower()))


def is_head_name(name: str) -> bool:
    """Whether a name is that of the number of a head."""
    return bool(_HEAD_NAMES.fullmatch(name.lower()))


def product_of_arguments(assumed: Assumed, left: Size, right: Size) -> Size:
    """The size of a product in which no index is, capped where its factors depend on each other: batch times length is all rows."""
    tight, possible = min(left.tight * right.tight, LARGEST), min(left.possible * right.possible, LARGEST)
    role, cap = _cap(assumed, left, right)
    if cap is not None:
        tight, possible = min(tight, cap.tight), min(possible, cap.possible)
    return Size(tight, possible, role)


def _cap(assumed: Assumed, left: Size, right: Size) -> tuple[str, Size | None]:
    rows, flat = assumed.of_role(LENGTH), assumed.of_role(FLAT_ROWS)
    pair = {left.role, right.role}
    if LENGTH in pair and pair & {BATCH, COUNT, BLOCK}:
        return LENGTH, rows
    if pair == {COUNT, BLOCK}:
        return LENGTH, rows
    if pair <= {COUNT, BATCH} and COUNT in pair:
        return COUNT, rows
    if HEADS in pair and LENGTH in pair:
        return LENGTH, flat
    if pair <= {BATCH, HEADS}:
        return BATCH, None
    if LANE in pair:
        return LANE, Size(1 << 30, 1 << 30, LANE)
    if left.exact or right.exact:
        return (right if left.exact else left).role, None
    return WIDTH if pair & {WIDTH, HIDDEN, HEAD_WIDTH} else '', None
