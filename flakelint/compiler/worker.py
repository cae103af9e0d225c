# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Compiles kernels with Triton: run as a script, with what is asked as JSON on standard input, and an answer a line on standard output.

Nothing else of flakelint is imported here, so that it runs in any environment that has Triton.
"""

import contextlib
import importlib
import importlib.util
import json
import os
import sys

_BITS_OF_A_WARP = {'cuda': 32, 'hip': 64}
_WORDS = 300


def load(path: str) -> object:
    """Import a file as what it is in its package."""
    folder, name = os.path.split(os.path.splitext(path)[0])
    parts = [] if name == '__init__' else [name]
    while os.path.exists(os.path.join(folder, '__init__.py')):
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    sys.path.insert(0, folder)
    return importlib.import_module('.'.join(parts))


def find(module: object, name: str) -> object | None:
    """The function below tuners and heuristics that a name means."""
    jit = importlib.import_module('triton.runtime.jit')
    found = module
    for part in name.split('.'):
        found = getattr(found, part, None)
    while isinstance(found, jit.KernelInterface) and not isinstance(found, jit.JITFunction):
        found = found.fn
    return found if isinstance(found, jit.JITFunction) else None


def target_of(text: str) -> object:
    """A target such as `cuda:90` or `hip:gfx942`."""
    compiler = importlib.import_module('triton.backends.compiler')
    backend, _, arch = text.partition(':')
    return compiler.GPUTarget(backend, int(arch) if arch.isdigit() else arch, _BITS_OF_A_WARP.get(backend, 32))


def compiled(function: object, variant: dict, target: str) -> dict:
    """What came of compiling a function: nothing, or an error with the line that it names, counted from `def`."""
    compiler = importlib.import_module('triton.compiler')
    constants = {(function.arg_names.index(name),): value for name, value in variant['constants'].items()}
    try:
        source = compiler.ASTSource(fn=function, signature=variant['types'], constexprs=constants)
        compiler.compile(source, target=target_of(target))
    except Exception as error:
        reason = error.__cause__ or error
        # of a compilation error the source comes first, the reason last
        lines = [line.strip() for line in str(reason).splitlines() if line.strip().strip('^')]
        return {
            'error': f'{type(reason).__name__}: {lines[-1] if lines else ""}'[:_WORDS],
            'line': getattr(getattr(error, 'node', None), 'lineno', 0),
        }
    return {'error': '', 'line': 0}


def answer(request: dict) -> list[dict]:
    """What came of the kernels of a file, for each target."""
    triton = importlib.import_module('triton')
    with contextlib.redirect_stdout(sys.stderr):
        module = load(request['path'])
        answers = []
        for kernel in request['kernels']:
            function = find(module, kernel['name'])
            for target in request['targets'] if function is not None else ():
                first: dict = {}
                for variant in kernel['variants']:
                    result = compiled(function, variant, target)
                    first = first or {**result, 'variant': variant}
                    if not result['error']:
                        first = {**result, 'variant': variant}
                        break
                answers.append({'kernel': kernel['name'], 'target': target, 'version': triton.__version__, **first})
    return answers


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    if request['memory']:
        with contextlib.suppress(ImportError, ValueError, OSError):
            resource = importlib.import_module('resource')
            resource.setrlimit(resource.RLIMIT_AS, (request['memory'], request['memory']))
    os.environ.pop('TRITON_INTERPRET', None)
    try:
        importlib.import_module('triton')
    except ImportError as error:
        print(json.dumps({'failed': f'Triton cannot be imported: {error}', 'missing': True}))
        return
    try:
        answers = answer(request)
    except BaseException as error:
        print(json.dumps({'failed': f'{type(error).__name__}: {error}'[:_WORDS], 'missing': False}))
        return
    print(json.dumps({'answers': answers}))


if __name__ == '__main__':
    main()
