# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a launch, a configuration or a heuristic may set besides the parameters of a kernel."""

# the options of the NVIDIA and AMD backends up to 3.9
LAUNCH_OPTIONS = frozenset({
    'allow_flush_denorm', 'allowed_dot_input_precisions', 'arch', 'backend_name', 'clc', 'cluster_dims', 'debug',
    'default_dot_input_precision', 'deprecated_fp8_dot_operand_dtypes', 'enable_fp_fusion', 'enable_reflect_ftz',
    'extern_libs', 'fpsan_homomorphic_casts', 'instruction_sched_variant', 'instrumentation_mode', 'ir_override',
    'kpack', 'launch_cooperative_grid', 'launch_pdl', 'llvm_fn_attrs', 'matrix_instr_nonkdim',
    'max_num_imprecise_acc_default', 'maxnreg', 'min_shared_mem', 'num_buffers_warp_spec', 'num_consumer_groups',
    'num_ctas', 'num_stages', 'num_warps', 'ptx_options', 'ptx_version', 'reg_dec_producer', 'reg_inc_consumer',
    'sanitize_overflow', 'sched4reg', 'schedule_hint', 'supported_fp8_dtypes', 'warp_size', 'waves_per_eu',
    'wgp_cu_mode',
})
# what every configuration sets, whether it says so or not
CONFIGURED = frozenset({'num_ctas', 'num_stages', 'num_warps'})
# what belongs to the launch itself
LAUNCHER = ('grid', 'warmup')
