# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Whether an edit leaves all that a file says of its functions to others, and to itself."""

import ast
import re
from typing import TYPE_CHECKING

from flakelint.kernel.host_functions import APPLY
from flakelint.kernel.launch_sites import may_launch
from flakelint.project.imports import dotted
from flakelint.project.statements import FUNCTIONS
from flakelint.source.syntax import nodes_in_order

if TYPE_CHECKING:
    from flakelint.kernel.kernels import Module
    from flakelint.source.file import SourceFile
    from flakelint.source.unit import Unit

_OWN_SCOPES = (*FUNCTIONS, ast.ClassDef, ast.Lambda, ast.Global, ast.Import, ast.ImportFrom)


def only_a_kernel_differs(before: 'Module', after: 'SourceFile') -> bool:
    """Whether a content differs from an earlier one in the body of one kernel alone, which still mentions the same names of the module and launches nothing.

    Args:
        before (Module):
            The earlier content.
        after (SourceFile):
            The content now, which shares the syntax trees of what was not edited.
    """
    if len(before.file.units) != len(after.units):
        return False
    pairs = zip(before.file.units, after.units, strict=True)
    changed = [(one, other) for one, other in pairs if one.nodes[0] is not other.nodes[0]]
    if len(changed) != 1:
        return False
    one, other = changed[0]
    name = getattr(one.nodes[0], 'name', '')
    if any(len(re.findall(rf'\bdef[ \t]+{name}\b', text)) > 1 for text in (before.file.text, after.text)):
        # of several definitions that are the same, one may come to differ
        return False
    is_kernel = any(kernel.definition is one.nodes[0] for kernel in before.kernels)
    return is_kernel and _is_same_head(one, other) and _mentioned(one, before) == _mentioned(other, before) is not None


def _is_same_head(one: 'Unit', other: 'Unit') -> bool:
    """Whether two statements are functions that differ in their bodies alone."""
    if len(one.nodes) != 1 or len(other.nodes) != 1 or type(one.nodes[0]) is not type(other.nodes[0]):
        return False
    return _head(one) == _head(other)


def _head(unit: 'Unit') -> list[str]:
    """The lines of a function above its body; the first line of the body, too, where it is that of the head."""
    body = unit.nodes[0].body[0].lineno - unit.first_line
    return unit.text.split('\n')[:max(body, 1)]


def _mentioned(unit: 'Unit', module: 'Module') -> set[str] | None:
    """The names that may be the module's own which a function mentions; None where more may happen in it."""
    if may_launch(unit.text) or APPLY in unit.text:
        return None
    nodes = nodes_in_order(unit.nodes[0].body)
    if any(isinstance(node, _OWN_SCOPES) for node in nodes):
        return None
    spelled = {name for node in nodes if isinstance(node, ast.Name | ast.Attribute) and (name := dotted(node)) is not None}
    local = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    local.update(node.arg for node in nodes_in_order([unit.nodes[0].args]) if isinstance(node, ast.arg))
    names = module.view.names if module.view is not None else None
    # what nothing in the module binds is of no concern to it
    known = names.meanings if names is not None and not names.stars else None
    heads = {name: name.partition('.')[0] for name in spelled}
    return {
        name for name, head in heads.items()
        if head not in local and (known is None or head in known) and not module.bindings.resolve(head).startswith('triton')
    }
