# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What a text in a program may be: the name of something, the path of a script, code."""

import ast
import re
import textwrap
from collections.abc import Iterator

from flakelint.source.syntax import parse_tree

# the name of a module, or of something in one
_NAME = re.compile(r'[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?::[A-Za-z_]\w*)?')
_SCRIPT = re.compile(r'[\w./-]*\w\.py')
_IMPORT = re.compile(r'(?:^|;)[ \t]*(?:from[ \t]+(\.*\w[\w.]*)[ \t]+import\b|import[ \t]+(\w[\w., \t]*))', re.MULTILINE)


def is_name(text: str) -> bool:
    """Whether a text may name a module, or something in one."""
    return '.' in text and _NAME.fullmatch(text) is not None


def is_script(text: str) -> bool:
    """Whether a text may be the path of a Python file."""
    return text.endswith('.py') and _SCRIPT.fullmatch(text) is not None


def is_code(text: str) -> bool:
    """Whether a text may be code that imports something."""
    return 'import ' in text and _IMPORT.search(text) is not None


def code_in(node: ast.Constant) -> list[ast.stmt] | None:
    """The statements of a text that is code, all on its first line; `None` where it is only a part of some."""
    try:
        tree = parse_tree(textwrap.dedent(node.value))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for one in ast.walk(tree):
        if hasattr(one, 'lineno'):
            one.lineno = node.lineno
    return tree.body


def modules_in(text: str) -> Iterator[str]:
    """The modules that a text imports which is only a part of some code."""
    for match in _IMPORT.finditer(text):
        names = [match[1]] if match[1] else [one.split()[0] for one in match[2].split(',') if one.strip()]
        yield from (name.rstrip('.') or name for name in names)
