# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What takes the place of names that Triton's language had, or that torch and NumPy have."""

from flakelint.kernel.api import LANGUAGE, Api

_LIBDEVICE = f'{LANGUAGE}.extra.libdevice'
_NAMES = {
    '_experimental_descriptor_load': '`load` of what `tl.make_tensor_descriptor` gives',
    '_experimental_descriptor_store': '`store` of what `tl.make_tensor_descriptor` gives',
    '_experimental_make_tensor_descriptor': '`tl.make_tensor_descriptor`',
    'all': '`tl.min` of the truth values as integers',
    'any': '`tl.max` of the truth values as integers',
    'bool': '`tl.int1`',
    'clip': '`tl.clamp`',
    'concat': '`tl.cat`',
    'double': '`tl.float64`',
    'float': '`tl.float32`',
    'full_like': '`tl.full` with the shape and the dtype of the tensor',
    'half': '`tl.float16`',
    'inf': "`float('inf')`",
    'int': '`tl.int32`',
    'isinf': '`libdevice.isinf` of `triton.language.extra`',
    'isnan': '`x != x`',
    'libdevice': '`from triton.language.extra import libdevice`',
    'long': '`tl.int64`',
    'matmul': '`tl.dot`',
    'mean': '`tl.sum` and a division',
    'ones': '`tl.full` with the value 1',
    'ones_like': '`tl.full` with the shape and the dtype of the tensor',
    'pow': '`libdevice.pow` of `triton.language.extra`',
    'prod': '`tl.reduce` with a function that multiplies',
    'round': '`libdevice.rint` of `triton.language.extra`',
    'square': '`x * x`',
    'stack': '`tl.join`',
    'std': '`tl.sum` and `tl.sqrt`',
    'transpose': '`tl.trans`',
    'var': '`tl.sum`',
}
_KEYWORDS = {'dim': 'axis', 'axis': 'dim', 'keepdim': 'keep_dims', 'keepdims': 'keep_dims'}


def of_name(module: str, name: str, api: Api) -> str:
    """What takes the place of a name of a module; nothing where it is not known."""
    if module == LANGUAGE and name in _NAMES:
        return _NAMES[name]
    newest = api.versions[-1]
    if module in (LANGUAGE, f'{LANGUAGE}.math') and api.entry(_LIBDEVICE, name, newest):
        return f'`libdevice.{name}` of `triton.language.extra`'
    return ''


def was_there_before(module: str, name: str, api: Api) -> bool:
    """Whether a name was there in releases that are older than the table."""
    if module == LANGUAGE:
        return name in ('libdevice', 'tanh')
    return module == f'{LANGUAGE}.math' and bool(api.entries(_LIBDEVICE, name))


def of_keyword(keyword: str, taken: list[str]) -> str:
    """The keyword that a function has in place of one that it does not have; nothing where it is not known."""
    other = _KEYWORDS.get(keyword, '')
    return other if other in taken else ''
