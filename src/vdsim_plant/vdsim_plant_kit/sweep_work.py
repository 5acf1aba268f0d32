"""A part's work whose worker is killed once, for tests; workers import it by its name."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from vdsim_plant.study.sweep.cases import Part, Row
from vdsim_plant.study.sweep.parts import run_part

MARK = "VDSIM_TEST_SWEEP_MARK"


def killed_once(part: Part) -> list[Row]:
    """Kill the worker at the second part, the first time; then work as always."""
    mark = Path(os.environ[MARK])
    if part.number > 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return run_part(part)


def always_killed(part: Part) -> list[Row]:
    """Kill the worker at every part."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError
