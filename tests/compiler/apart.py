# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Tests that ask the compiler do so in a process of their own, because Triton's interpreter replaces what the compiler needs."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def records(script: str, *arguments: object, cache: Path | None = None, timeout: int | None = None) -> list[dict]:
    """What a script prints as JSON, a line each.

    Args:
        script (str):
            The script.
        *arguments (object):
            Its arguments.
        cache (Path | None, Optional):
            Where Triton keeps what it compiles. Default: where it always does.
        timeout (int | None, Optional):
            How many seconds it may take. Default: any number.
    """
    env = {name: value for name, value in os.environ.items() if name != 'TRITON_INTERPRET'}
    env['PYTHONPATH'] = str(ROOT)
    if cache is not None:
        env['TRITON_CACHE_DIR'] = str(cache)
    command = [sys.executable, script, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT, timeout=timeout)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith('{"')]


def front_end(jit: Any, types: dict[str, str], constants: dict[str, Any]) -> Any:
    """Compile a kernel to Triton's intermediate representation, for a GPU that need not be there.

    Args:
        jit (Any):
            The kernel.
        types (dict[str, str]):
            The types of all its arguments, `constexpr` among them.
        constants (dict[str, Any]):
            The values of those that are constants.
    """
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, make_backend

    target = GPUTarget('cuda', 90, 32)
    source = ASTSource(fn=jit, signature=types, constexprs=constants)
    # as at a launch, where some names are refused before anything is compiled
    source.hash()
    backend = make_backend(target)
    options = backend.parse_options({})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    return source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
