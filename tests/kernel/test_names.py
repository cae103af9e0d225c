# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What the names of arguments say, where nothing else does."""

import pytest

from flakelint.kernel import sizes
from flakelint.kernel.bounds import Bounds
from flakelint.kernel.names import is_head_name, is_request_name, is_sequence_name, role_of_name
from flakelint.kernel.sizes import DEFAULTS, Assumed
from tests.kernel.models import model

RUN_TIME = {
    sizes.LENGTH: 'T L M seq_len seqlen_q max_seqlen N_CTX n_tokens num_tokens n_rows total_tokens kv_len',
    sizes.BATCH: 'B Z bs batch batch_size num_seqs bsz',
    sizes.HEADS: 'H HQ num_heads nheads n_heads num_kv_heads',
    sizes.WIDTH: 'N K D d_model hidden_size n_cols vocab_size V head_dim in_features',
    sizes.STRIDE: 'stride stride_m x_stride stride_row row_stride lda',
    sizes.OUTER_STRIDE: 'stride_batch expert_stride stride_page stride_slot stride_xb stride_ze',
    sizes.COUNT: 'NT NB num_chunks num_blocks num_splits',
    sizes.PROGRAMS: 'NUM_SMS n_programs num_programs',
    sizes.EXPERTS: 'E num_experts n_experts NUM_LOCAL_EXPERTS',
    sizes.CHOICES: 'topk TOP_K num_topk max_topk',
    sizes.ELEMENTS: 'n_elements numel size num_elements',
    sizes.BLOCK: 'BLOCK_M BT BK block_size CHUNK_SIZE GROUP_SIZE_M',
    sizes.FLAG: 'USE_BIAS IS_VARLEN HAS_MASK CAUSAL REVERSE',
    sizes.WINDOW: 'W KW kernel_size',
    sizes.ROUNDS: 'n_iter num_steps num_passes n_passes passes',
    sizes.NUMBER: 'alpha layer_idx foo offset',
}
CONSTANT = {
    sizes.HEAD_WIDTH: 'K V D1 HEAD_DIM head_dim dstate',
    sizes.CONSTANT: 'foo L',
    sizes.HIDDEN: 'D hidden_size N_COLS vocab_size N',
    sizes.BLOCK: 'BT BLOCK BLOCK_N',
    sizes.HEADS: 'H HV NUM_HEADS',
    sizes.FLAG: 'IS_CAUSAL USE_G',
    sizes.LENGTH: 'T SEQ_LEN',
}


def pairs(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(name, role) for role, names in table.items() for name in names.split()]


@pytest.mark.parametrize(('name', 'role'), pairs(RUN_TIME))
def test_the_role_of_a_run_time_argument(name, role):
    assert role_of_name(name, constant=False) == role


@pytest.mark.parametrize(('name', 'role'), pairs(CONSTANT))
def test_the_role_of_a_constant(name, role):
    assert role_of_name(name, constant=True) == role


def test_every_role_that_a_name_can_have_has_a_size():
    assert {role_of_name(name, constant) for name, _ in pairs(RUN_TIME) for constant in (True, False)} <= set(DEFAULTS)


@pytest.mark.parametrize('name', ['i_b', 'pid_b', 'batch', 'batch_idx', 'cur_batch', 'off_z', 'seq_id', 'i_n', 'bid'])
def test_numbers_of_sequences(name):
    assert is_sequence_name(name)
    assert not is_head_name(name)


@pytest.mark.parametrize('name', ['i_h', 'pid_h', 'head', 'head_idx', 'cur_head', 'off_hq', 'kv_head', 'start_head'])
def test_numbers_of_heads(name):
    assert is_head_name(name)
    assert not is_sequence_name(name)


@pytest.mark.parametrize('name', ['i', 'pid', 'row', 'i_t', 'i_v', 'pid_m', 'o_k', 'block', 'start', ''])
def test_names_that_tell_of_neither(name):
    assert not is_head_name(name)
    assert not is_sequence_name(name)


@pytest.mark.parametrize(('name', 'expected'), [
    ('batch_idx', True), ('seq_id', True), ('cur_req_idx', True), ('batch_seq_idx', False), ('pid_batch_seq', False),
    ('batch_token_idx', False), ('i_t', False),
])
def test_numbers_of_requests(name, expected):
    assert is_request_name(name) is expected


@pytest.mark.parametrize(('parameters', 'roles'), [
    # from the outermost to the innermost; only rows inside make the outermost large
    ('q, stride_qb, stride_qh, stride_qm, stride_qk', 'outer-stride stride stride inner-stride'),
    ('q, stride_qz, stride_qm, stride_qk', 'outer-stride stride inner-stride'),
    ('q, stride_qm, stride_qk', 'stride inner-stride'),
    ('q, stride_m, stride_n', 'stride inner-stride'),
    ('x, y, stride_xm, stride_xk, stride_ym, stride_yk', 'stride inner-stride stride inner-stride'),
    ('q, stride_qm', 'stride'),
    ('x, stride_x_batch, stride_x_seq, stride_x_head_d', 'outer-stride stride inner-stride'),
    ('x, x_row_stride', 'stride'),
])
def test_strides_of_one_tensor_by_their_order(parameters, roles):
    names = [name for name in parameters.split(', ') if 'stride' in name]
    found = Bounds(model('pass', parameters=parameters), Assumed()).arguments
    assert [found.size(name, constant=False).role for name in names] == roles.split()


def test_a_constant_that_is_the_length_of_a_block_is_a_block_whatever_it_is_called():
    found = model('o = tl.arange(0, SEQ_LEN)\ntl.store(x + o, 0)', parameters='x, SEQ_LEN: tl.constexpr, N_CTX: tl.constexpr')
    arguments = Bounds(found, Assumed()).arguments
    assert [arguments.size(name, constant=True).role for name in ('SEQ_LEN', 'N_CTX')] == [sizes.BLOCK, sizes.LENGTH]
