# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Compile a kernel as far as Triton's intermediate representation, and see which type each expression gets on the way.

Triton's interpreter replaces what the compiler needs, so this runs in a process without it: see `worker.py`.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from triton import language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, code_generator, make_backend
from triton.runtime.jit import JITFunction

from tests.compiler.ttir import Span, Ttir

TARGET = GPUTarget('cuda', 90, 32)


class Watch:
    """The types of the expressions that the front end visits, and a number for each, which becomes its location."""

    def __init__(self) -> None:
        self.types: dict[Span, set[str]] = defaultdict(set)
        self.spans: list[Span] = []

    @contextmanager
    def active(self) -> Iterator[None]:
        """Watch the front end."""
        original = code_generator.CodeGenerator.visit
        watch = self

        def visit(generator: code_generator.CodeGenerator, node: ast.AST) -> Any:
            span = _span(generator, node)
            if span is None:
                return original(generator, node)
            before, generator.file_name = generator.file_name, f'span:{len(watch.spans)}'
            watch.spans.append(span)
            try:
                value = original(generator, node)
            finally:
                generator.file_name = before
            if isinstance(node, ast.AugAssign):
                # visited once more after the assignment
                watch.types.pop(_span(generator, node.target), None)
            elif isinstance(node, ast.expr) and isinstance(getattr(node, 'ctx', None), ast.Load | None):
                watch.types[span].add(kind_of(value))
            return value

        code_generator.CodeGenerator.visit = visit
        try:
            yield
        finally:
            code_generator.CodeGenerator.visit = original


def _span(generator: code_generator.CodeGenerator, node: ast.AST) -> Span | None:
    if not hasattr(node, 'lineno'):
        return None
    line, column = generator.begin_line, generator.begin_col - 1
    return Span(
        generator.jit_fn.file_name, line + node.lineno, column + node.col_offset, line + node.end_lineno,
        column + node.end_col_offset,
    )


def kind_of(value: Any) -> str:
    """The type of a value: `i32`, `u8`, `fp`, `ptr`, `const`, `none`, `tuple`; nothing for what is no value."""
    if value is None:
        return 'none'
    if isinstance(value, tl.constexpr):
        return kind_of(value.value) if value.value is None or isinstance(value.value, tl.tuple | tl.dtype) else 'const'
    if isinstance(value, tl.tuple):
        return 'tuple'
    if not isinstance(value, tl.tensor):
        return ''
    scalar = value.type.scalar
    if scalar.is_ptr():
        return 'ptr'
    if scalar.is_floating():
        return 'fp'
    return str(scalar).replace('uint', 'u').replace('int', 'i') if scalar.is_int() else ''


def compile_kernel(jit: JITFunction, types: dict[str, str], constants: dict[str, Any]) -> tuple[dict[Span, set[str]], Ttir]:
    """The types of the expressions of a kernel and of its helpers, and what its representation holds.

    Args:
        jit (JITFunction):
            The kernel.
        types (dict[str, str]):
            The types of its run-time arguments, as in a signature of Triton.
        constants (dict[str, Any]):
            The values of its other arguments.
    """
    signature = {name: 'constexpr' if name in constants else types[name] for name in jit.arg_names}
    source = ASTSource(fn=jit, signature=signature, constexprs=constants)
    backend = make_backend(TARGET)
    # the checks of the sanitizer compute everything again in 64 bits
    options = backend.parse_options({'sanitize_overflow': False})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    watch = Watch()
    with watch.active():
        functions, modules = backend.get_codegen_implementation(options), backend.get_module_map()
        module = source.make_ir(TARGET, options, functions, modules, context)
    types = {span: kinds - {''} for span, kinds in watch.types.items() if kinds != {''}}
    return types, Ttir(str(module), watch.spans)
