# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the names of arguments and indices say of their roles: the last resort, where nothing else tells."""

import re

from flakelint.kernel.sizes import (
    BATCH,
    BLOCK,
    CHOICES,
    CONSTANT,
    COUNT,
    ELEMENTS,
    EXPERTS,
    FLAG,
    HEAD_WIDTH,
    HEADS,
    HIDDEN,
    LENGTH,
    NUMBER,
    OUTER_STRIDE,
    PROGRAMS,
    ROUNDS,
    STRIDE,
    WIDTH,
    WINDOW,
)


def _words(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern for any of some words, which may be patterns themselves."""
    return re.compile('|'.join(text.split()), flags)


# what parts of a sequence give, before they are put together
_PARTIAL = re.compile(r'(?:^|_)mid_?o', re.IGNORECASE)
_STRIDE = re.compile(r'(?:^|_)(?:stride|strides|pitch|ld[abc])|stride$|^s_[a-z]', re.IGNORECASE)
_OUTER_STRIDE = _words(
    r'batch expert page slot layer (?:block|cache)(?:_|$) stride_?\w?(?:bs|[bez])(?:_|$) (?:^|_)[be]_?stride', re.IGNORECASE)

# the first that fits a name says what it is
_ROLES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (FLAG, _words(r"""
        (?:USE|IS|HAS|STORE|SAVE|NEED|DO|IF|WITH|ENABLE|APPLY|COMPUTE|OUTPUT|RETURN|INPUT|FORCE|ALLOW|EVEN)_\w+
        \w*_(?:flag|FLAG) CAUSAL REVERSE HEAD_FIRST
    """)),
    (BLOCK, _words(r"""
        BLOCK(?!_DMODEL)\w* BLK\w* \w*_BLOCK(?:_\w+)? \w*block_?size\w* TILE\w* \w*_TILE CHUNK\w* \w*chunk_size
        B(?!S$|SZ$)[A-Z]{1,2}\d? BT[LS] [Bb]lock(?:_?[a-z])? GROUP_SIZE_M GROUP_M
    """)),
    (WINDOW, _words(r"""
        W KW KH KERNEL_W\w* kernel_w\w* conv_?width kernel_(?:size|h|height) num_stages num_warps n_stages SPLIT_K split_k
    """)),
    (CHOICES, _words(r"""
        \w*top_?[kK]\w* \w*TOP_?K\w* \w+_per_tok(?:en)?
    """)),
    (ROUNDS, _words(r"""
        (?:(?:n|num|max)_?)?(?:iter(?:ation)?|passe?|(?:time_?)?step)s?
        (?:N|NUM|MAX)_?(?:ITER(?:ATION)?|PASSE?|(?:TIME_?)?STEP)S?
    """)),
    (EXPERTS, _words(r"""
        E EXPERTS? n_?exp(?:er)?ts?(?:_\w+)? N_?EXP(?:ER)?TS?(?:_\w+)? n_routed_experts
        n(?:um)?_?(?:\w+_)?experts NUM_(?:\w+_)?EXPERTS
    """)),
    (PROGRAMS, _words(r"""
        (?:n(?:um)?_?)?(?:programs?|prgms?) (?:N(?:UM)?_?)?(?:PROGRAMS?|PRGMS?) num_sms? NUM_SMS? \w*multi_processor_count
    """)),
    (COUNT, _words(r"""
        N[TCSB][A-Z]?\d? \w*_count grid\w* \w*_(?:blocks|chunks|tiles) max_(?:blocks|pages)\w*
        n(?:um)?_?(?:chunks|blocks|tiles|splits|pid\w*|pages|groups|programs|sms?)\w*
        N(?:UM)?_(?:CHUNKS|BLOCKS|TILES|SPLITS|PID\w*|PAGES|GROUPS|SMS?|PROGRAMS)\w*
    """)),
    (BATCH, _words(r"""
        B BS BSZ Z NS batch\w* bsz bs num_(?:seqs?|sequences|reqs?|requests|batch\w*) n_seqs? BATCH\w* NUM_SEQS?
        (?:n_|num_)?ranks? \w*world_size WORLD_SIZE NUM_RANKS
    """)),
    (HEADS, _words(r"""
        H HQ HK HV HKV QH KH VH G Hq Hkv HEADS? heads NH nh
        nheads?\w* n_?heads?\w* heads?_(?:q|k|v|kv|qo|o|in|out) num_\w*heads?\w* NUM_\w*HEADS?\w* N_?HEADS?\w* h \w*_heads
        kv_group_num q?_?gqa\w* group_size NGROUPS ngroups num_groups GQA\w*
    """)),
    (ELEMENTS, _words(r"""
        n_?elem\w* numel\w* \w*numel n_elements total_elements num_elements N_ELEMENTS size total_size
    """)),
    (LENGTH, _words(r"""
        T TQ TK TR L M S Tq Tk Lq Lk Skv Sq EM LEN seq_?len\w* \w*_?seq_?lens?\w* SEQ_?LEN\w* \w*seqlen\w* N_CTX\w* \w*ctx\w*
        n_?tok\w* num_tok\w* total_?tok\w* \w*tokens? \w*_tokens n_?rows?\w* num_rows?\w* \w*_rows rows?
        total_?(?:len|rows|seq)\w* max_?(?:len|seq)\w* \w*length \w*_len
    """)),
    # the rank of a device or of a low-rank matrix, and what of a head is rotated
    (HEAD_WIDTH, _words(r"""
        (?:\w+_)?(?:rank|RANK) (?:\w+_)?(?:rot(?:ary|e)?|ROT(?:ARY|E)?|rope|ROPE)_?(?:dim|DIM|width|WIDTH|d|D)
    """)),
    (WIDTH, _words(r"""
        D DIM dim d_?model D_?MODEL DMODEL hidden\w* HIDDEN\w* n_?cols?\w* N_?COLS?\w* num_cols?\w* cols? V vocab\w* VOCAB\w*
        n_vocab N K C d n k feature\w* \w*_dim \w*_DIM in_features out_features width \w*_size \w*_width embed\w*
        intermediate\w* channels? head_?dim\w* HEAD_?DIM\w*
    """)),
)
_HEAD_WIDTHS = _words(r"""
    [KVRC]\d? D\d \w*head_?dim\w* \w*HEAD_?DIM\w* DK DV D_?HEAD d_?head\w* d_?state dstate L[kvq]? hdim headdim BLOCK_DMODEL
    DMODEL
""")
# constants with these names are sizes of a model more often than lengths
_SHORT_LENGTHS = frozenset({'L', 'M', 'S'})

# what cannot be the number of anything else, such as a block
_REQUESTS = _words(r"""
    \w*req(?:uest)?(?:_state)?_?(?:id|idx|index|num)?s?
    (?!\w*batch_?(?:seq|tok))\w*(?:batch|seq|sequence)_?(?:id|idx|index|num)
    (?:i_|pid_|cur_|off_|idx_|id_)(?:batch|seq|req|sequence|request)
""")
_SEQUENCES = _words(r"""
    (?:i_|pid_|cur_|off_|idx_|id_)?(?:b|n|z|bz|batch|seq|req|bid|bidx|bs|b_idx|sequence)
    (?:i_|pid_|cur_|off_|idx_|id_)?(?:batch|seq|req|sequence)_?(?:idx|id|index|pid|offset)? \w*_batch
""")
_RANKS = _words(r'(?:\w+_)?rank')
_HEADS = _words(r"""
    (?:i_|pid_|cur_|off_|idx_|id_|start_)?(?:h|hq|hk|hv|hkv|head\w*|kv_?head\w*|q_?head\w*)(?:_?(?:idx|id|index))?
    \w*_heads?(?:_?(?:idx|id|index))?
""")


def role_of_name(name: str, constant: bool) -> str:
    """What a parameter is, by its name alone.

    Args:
        name (str):
            The name.
        constant (bool):
            Whether it is a compile-time constant.
    """
    if _STRIDE.search(name):
        return OUTER_STRIDE if _OUTER_STRIDE.search(name) else STRIDE
    role = next((role for role, pattern in _ROLES if pattern.fullmatch(name)), CONSTANT if constant else NUMBER)
    if constant and name in _SHORT_LENGTHS:
        return CONSTANT
    if constant and role in (WIDTH, CONSTANT) and _HEAD_WIDTHS.fullmatch(name):
        return HEAD_WIDTH
    return HIDDEN if constant and role == WIDTH else role


def is_partial(name: str) -> bool:
    """Whether a name is that of what parts of a sequence give, before they are put together."""
    return bool(_PARTIAL.search(name))


def is_sequence_name(name: str) -> bool:
    """Whether a name is that of the number of a sequence in a batch."""
    return bool(_SEQUENCES.fullmatch(name.lower()))


def is_request_name(name: str) -> bool:
    """Whether a name says in words that it is the number of a sequence or of a request."""
    return bool(_REQUESTS.fullmatch(name.lower()))


def is_head_name(name: str) -> bool:
    """Whether a name is that of the number of a head."""
    return bool(_HEADS.fullmatch(name.lower()))


def is_rank_name(name: str) -> bool:
    """Whether a name is that of the rank of a device or of a low-rank matrix."""
    return bool(_RANKS.fullmatch(name.lower()))
