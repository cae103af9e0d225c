# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""A plugin for pytest that notes which functions of the kernel package a run enters, kernels in the interpreter included.

    python -m pytest -p tests.affected.recording FILE

It writes a line of JSON for each of them, its file and its qualified name, to the file that `RECORDING` names.
"""

import json
import os
import sys
import threading
from types import CodeType, FrameType

_FOLDER = os.path.join(os.getcwd(), 'fla') + os.sep
_entered: set[CodeType] = set()


def _note(frame: FrameType, event: str, argument: object) -> None:
    if event == 'call' and frame.f_code.co_filename.startswith(_FOLDER):
        _entered.add(frame.f_code)


sys.setprofile(_note)
threading.setprofile(_note)


def pytest_unconfigure() -> None:
    """Write what was entered."""
    sys.setprofile(None)
    places = sorted({(os.path.relpath(code.co_filename), code.co_qualname) for code in _entered})
    with open(os.environ['RECORDING'], 'w', encoding='utf-8') as file:
        file.writelines(f'{json.dumps(place)}\n' for place in places)
