# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Make a module with a kernel as small as it can be while something about it stays true.

`python -m tests.compiler.shrink SEED` does it for the kernel of a seed about which the model and the compiler disagree.
"""

import ast
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.compiler.agreement import Judge
from tests.compiler.generate import NAME, generate
from tests.compiler.worker import Request, compile_all

# as many texts are tried together
_BATCH = 150


def shrink(text: str, is_wanted: Callable[[list[str]], list[bool]]) -> str:
    """A smaller text of which something is still true.

    Args:
        text (str):
            A module.
        is_wanted (Callable[[list[str]], list[bool]]):
            Says of each of several texts whether it is true.
    """
    text = ast.unparse(ast.parse(text))
    while True:
        smaller = sorted({one for one in _reductions(text) if len(one) < len(text)}, key=len)
        for start in range(0, len(smaller), _BATCH):
            batch = smaller[start:start + _BATCH]
            found = [one for one, wanted in zip(batch, is_wanted(batch), strict=True) if wanted]
            if found:
                text = found[0]
                break
        else:
            return text


def _reductions(text: str) -> Iterator[str]:
    for number in range(len(list(_edits(ast.parse(text))))):
        tree = ast.parse(text)
        list(_edits(tree))[number]()
        yield ast.unparse(tree)


def _edits(tree: ast.Module) -> Iterator[Callable[[], None]]:
    """Ways to leave statements out, to put a body in the place of its statement, and a part in the place of an expression."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                if value and isinstance(value[0], ast.stmt):
                    yield from _statement_edits(value)
                for position, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        for part in _parts(item):
                            yield partial(value.__setitem__, position, part)
            elif isinstance(value, ast.expr):
                for part in _parts(value):
                    yield partial(setattr, node, name, part)


def _statement_edits(body: list[ast.stmt]) -> Iterator[Callable[[], None]]:
    for size in {max(1, len(body) // 2), 1}:
        for start in range(0, len(body), size):
            if not any(isinstance(item, ast.Import) for item in body[start:start + size]):
                yield partial(_replace, body, slice(start, start + size), [])
    for position, item in enumerate(body):
        for inner in (getattr(item, 'body', []), getattr(item, 'orelse', [])):
            if inner and not isinstance(item, ast.FunctionDef):
                yield partial(_replace, body, slice(position, position + 1), inner)


def _replace(body: list[ast.stmt], where: slice, new: list[ast.stmt]) -> None:
    body[where] = new
    if not body:
        body.append(ast.Pass())


def _parts(expr: ast.expr) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(expr):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.keyword):
            yield child.value


def disagrees(types: dict, constants: dict, texts: list[str]) -> list[bool]:
    """About which texts the model and the compiler disagree."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f'kernel_{number}.py' for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        records = {record.path: record for record in compile_all([Request(str(p), [(NAME, types, constants)]) for p in paths])}
        judge = Judge(Path(folder), paths)
        return [not records[str(path)].error and bool(judge.verdict(records[str(path)]).disagreements) for path in paths]


if __name__ == '__main__':
    generated = generate(int(sys.argv[1]))
    print(shrink(generated.text, partial(disagrees, generated.types, generated.constants)))
