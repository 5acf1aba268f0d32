"""How the programs that serve run and end: a duration, a signal, errors as one line."""

from __future__ import annotations

import math
import signal
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec

from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_protocol.ending_signals import ending_signals


def checked_duration(duration_s: float | None) -> float | None:
    """Return the duration [s], or raise; None: no end."""
    if duration_s is not None and not (math.isfinite(duration_s) and duration_s > 0.0):
        raise wrong_value("duration", duration_s, "finite and > 0 s")
    return duration_s


Exceptions = tuple[type[Exception], ...]


def ending(program: str, action: Callable[[], int], wrong: Exceptions = (ParameterError,)) -> int:
    """Run a program's action; return its exit code.

    Wrong input (the exceptions in `wrong`) is 2; a file or a socket that cannot be had is 1. Each
    is one line. Ctrl-C is 130, without a word.
    """
    try:
        return action()
    except KeyboardInterrupt:
        return 130
    except wrong as error:
        print(f"{program}: {error}", file=sys.stderr, flush=True)
        return 2
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"{program}: {where}{error.strerror or error}", file=sys.stderr, flush=True)
        return 1


def require_matplotlib(option: str = "") -> None:
    """Raise before the work when a picture is asked for that cannot be drawn."""
    if find_spec("matplotlib") is None:
        line = 'pip install "./src/vdsim_plant_node[plots]"'
        raise ParameterError(option, f"needs matplotlib: {line}")


class StopSignal:
    """True once a signal that asks for the end has come, or the time is up."""

    def __init__(self) -> None:
        self._end_s = math.inf
        self._raised = False
        for number in ending_signals():
            signal.signal(number, self._raise)

    def end_after(self, duration_s: float | None) -> None:
        """Start the duration now; None: no end."""
        if duration_s is not None:
            self._end_s = time.monotonic() + duration_s

    def _raise(self, number: int, frame: object) -> None:
        self._raised = True

    def __call__(self) -> bool:
        """Whether to stop."""
        return self._raised or time.monotonic() >= self._end_s
