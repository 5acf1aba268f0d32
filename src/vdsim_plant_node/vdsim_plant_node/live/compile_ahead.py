"""Compiles what a car needs in a process of its own, before this process builds the car. Shell.

The compiler would hold Python's lock here for tens of milliseconds at a time, and the ticks would
wait. What it makes is kept in a file, which this process then only links.
"""

from __future__ import annotations

import os
import subprocess
import sys

from vdsim_plant.compiled.code_cache import CACHE_FOLDER
from vdsim_plant.compiled.linking import Loop

_LIMIT_S = 300.0
_PROGRAM = """
import os, sys
os.nice(10)
from vdsim_plant.compiled.linking import Loop
module, name, *counts = sys.argv[1:]
buffers, numbers, narrow = map(int, counts)
Loop(module, name, buffers=buffers, numbers=numbers, narrow=narrow).prepared()
"""


def compile_ahead(loop: Loop) -> None:
    """Have the loop's machine code kept. Where that fails, the loop is compiled when it runs."""
    if CACHE_FOLDER is None or loop.is_compiled:
        return
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    nothing = subprocess.DEVNULL
    counts = [str(count) for count in (loop.buffers, loop.numbers, loop.narrow)]
    try:
        subprocess.run(
            [sys.executable, "-c", _PROGRAM, loop.module, loop.name, *counts],
            env=environment, stdin=nothing, stdout=nothing, stderr=nothing, timeout=_LIMIT_S,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return
