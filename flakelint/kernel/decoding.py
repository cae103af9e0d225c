# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether a kernel says that it is for decoding alone, where each request comes with one token, or with the few of a draft."""

import ast
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from flakelint.kernel.origins import bases_of

if TYPE_CHECKING:
    from flakelint.kernel.graph import Guard, Value
    from flakelint.kernel.kernels import Kernel

# what decodes numbers, and what is for more than decoding
_NAMED = re.compile(r'(?:^|_)(?:decod(?:e|ing)|draft|speculative|verify|rejection)(?:_|$)', re.IGNORECASE)
_FLAG = re.compile(r'(?:\w+_)?(?:is|for)?_?(?:decod(?:e|ing)|draft|verify)(?:_only)?', re.IGNORECASE)
_OTHERWISE = re.compile(r'quant|pack|encod|prefill|extend|mixed|varlen|bwd|backward', re.IGNORECASE)
# where the tokens of a request begin, but for those that it has read before
_QUERIES = re.compile(r'cu_?q\w*len|cu_?(?:seq_?)?lens?_?q|q\w*_?start|qo?_indptr', re.IGNORECASE)
# where the logits of a request begin, from which its next tokens are sampled
_LOGITS = re.compile(r'cu_?(?:num_?)?logits', re.IGNORECASE)
_SAYS = re.compile(
    r'decod\w*[ -]only|only (?:for|in|during|used in) decod|(?:single|one)[ -](?:query[ -])?token (?:per|for each|decod)',
    re.IGNORECASE,
)


def is_of_decoding(kernel: 'Kernel') -> bool:
    """Whether the name or the docstring of a kernel, of its module or of a folder around that says so."""
    *folders, module = PurePosixPath(kernel.path).with_suffix('').parts
    is_named = any(map(_NAMED.search, (kernel.name, module, *folders)))
    if is_named and not any(map(_OTHERWISE.search, (kernel.name, module))):
        return True
    texts = (ast.get_docstring(one, clean=False) for one in (kernel.definition, ast.Module(kernel.module.file.statements, [])))
    return any(_SAYS.search(text) for text in texts if text is not None)


def is_under(guard: 'Guard') -> bool:
    """Whether the compile-time conditions say that a kernel decodes."""
    return any(truth and _FLAG.fullmatch(text) for text, truth in guard)


def is_start_of_logits(load: 'Value') -> bool:
    """Whether a loaded index says where the logits of a request begin."""
    return any(map(_LOGITS.search, bases_of(load.operands)))


def is_start_of_queries(load: 'Value') -> bool:
    """Whether a loaded index says where the tokens of a request begin that a kernel works on."""
    return any(map(_QUERIES.search, bases_of(load.operands)))
