# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""libcst's parser, spared the checks that its nodes make of themselves.

A node checks when it is made that, say, a name is not empty. What the parser makes is sound, and the checks cost an eighth of parsing (`benchmarks/lint`), so they are off while it runs.
"""

import libcst

_checked = libcst.CSTNode.__post_init__


def parse(text: str) -> libcst.Module:
    """The tree of a text.

    Raises:
        SyntaxError: libcst cannot parse it.
    """
    # a builtin is no descriptor, so that calling it through a node costs no Python frame
    libcst.CSTNode.__post_init__ = bool
    try:
        return libcst.parse_module(text)
    except libcst.ParserSyntaxError as error:
        raise SyntaxError(error.message) from None
    finally:
        libcst.CSTNode.__post_init__ = _checked
