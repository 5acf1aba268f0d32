"""The rows of the safety case.

A mechanism is `module:symbol`, below vdsim_interface unless the module names its package. A test is
`file.py::function`; names of test files are unique in the repository.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Goal(NamedTuple):
    """A safety goal.

    `tolerable_s`: from the fault to the safe command on the wire, by the shipped parameters.
    `measured`: injects the fault in virtual time, into the pipeline or into the simulator's world,
    and returns that time.
    """

    number: str
    hazard: str
    goal: str
    tolerable_s: float
    safe_state: str
    mechanisms: tuple[str, ...]
    tests: tuple[str, ...]
    measured: Callable[[], float]


class Row(NamedTuple):
    """Failures of what `names` lists (a signal, parameter or process each), and what they meet."""

    names: str
    failure: str
    effect: str
    mechanisms: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    left: str = ""
