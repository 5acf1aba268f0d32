"""A plug-in of pytest: a test that waits for ever fails, by name, instead of the whole run."""

from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Iterator
from threading import Timer
from types import FrameType

import pytest

LIMIT = "VDSIM_TEST_LIMIT_S"
"""The variable that holds how long one test may take [s]; each of ours takes a fifth of it."""
_DEFAULT_S = 300.0
_LEAVES, _IS_ENDED = 2, 3
"""A test that is stuck where Python handles no signal ends pytest after so many limits: with its
name, or without one where the interpreter itself is held."""

# pytest takes the output of what runs inside it; this plug-in is loaded before it does.
_stderr = os.dup(2)


def _limit_s() -> float:
    return float(os.environ.get(LIMIT, _DEFAULT_S))


def _end_when_stuck() -> None:
    """End this process, with what each thread does, unless this is called again in time."""
    faulthandler.dump_traceback_later(_IS_ENDED * _limit_s(), exit=True, file=_stderr)


def _end_now(name: str) -> None:
    faulthandler.dump_traceback(_stderr)
    # Last, since who reads a long output begins at its end.
    os.write(_stderr, f"{name} is stuck, and with it pytest\n".encode())
    os._exit(1)


def pytest_configure() -> None:
    """Watch the collection, too."""
    _end_when_stuck()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Fail the test, or its fixture, that takes longer than the limit."""
    limit_s = _limit_s()

    def end(number: int, frame: FrameType | None) -> None:
        del number, frame
        # No Exception: what receives passes over each OSError, and a TimeoutError is one.
        pytest.fail(f"{item.nodeid} takes more than {limit_s:g} s")

    _end_when_stuck()
    stuck = Timer(_LEAVES * limit_s, _end_now, [item.nodeid])
    stuck.daemon = True
    stuck.start()
    before = signal.signal(signal.SIGALRM, end)
    # Each time again: what ends the test may wait for ever, too.
    signal.setitimer(signal.ITIMER_REAL, limit_s, limit_s)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        stuck.cancel()


def pytest_unconfigure() -> None:
    """Watch the end of the process: a thread that a test has left may keep it."""
    _end_when_stuck()
