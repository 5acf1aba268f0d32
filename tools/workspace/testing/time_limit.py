"""A plug-in of pytest: a test that waits for ever fails, by name, instead of the whole run."""

from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Iterator
from types import FrameType

import pytest

LIMIT = "VDSIM_TEST_LIMIT_S"
"""The variable that holds how long one test may take [s]; each of ours takes a tenth of it."""
_DEFAULT_S = 600.0
_LEAVES = 3
"""A test that is stuck where Python handles no signal ends pytest after so many limits."""

# pytest takes the output of what runs inside it; this plug-in is loaded before it does.
_stderr = os.dup(2)


def _limit_s() -> float:
    return float(os.environ.get(LIMIT, _DEFAULT_S))


def _end_when_stuck() -> None:
    """End this process, with what each thread does, unless this is called again in time."""
    faulthandler.dump_traceback_later(_LEAVES * _limit_s(), exit=True, file=_stderr)


def pytest_configure() -> None:
    """Watch the collection, too."""
    _end_when_stuck()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Raise TimeoutError inside the test, or its fixture, that takes longer than the limit."""
    limit_s = _limit_s()

    def end(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise TimeoutError(f"{item.nodeid} takes more than {limit_s:g} s")

    _end_when_stuck()
    before = signal.signal(signal.SIGALRM, end)
    # Each time again: what ends the test may wait for ever, too.
    signal.setitimer(signal.ITIMER_REAL, limit_s, limit_s)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def pytest_unconfigure() -> None:
    """Watch the end of the process: a thread that a test has left may keep it."""
    _end_when_stuck()
