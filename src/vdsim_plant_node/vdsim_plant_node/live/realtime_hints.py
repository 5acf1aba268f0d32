"""Scheduling hints for the real-time loop: asked for, used when permitted, never required."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import sys

_PR_SET_TIMERSLACK = 29
_MCL_CURRENT_AND_FUTURE = 3


def sharpen_timers() -> bool:
    """Ask Linux to wake this thread at its deadline, not up to 50 us later; True when granted."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def use_fifo_scheduling(priority: int = 20) -> bool:
    """Real-time scheduling class and locked memory for this thread; True when granted."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except (AttributeError, OSError):
        return False
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mlockall(_MCL_CURRENT_AND_FUTURE)
    return True


def settle_garbage_collector() -> None:
    """Collect once and exempt what start-up left: later collections then see only new objects.

    With numba, numpy and a ROS client loaded, a full collection takes tens of milliseconds, which
    is near the command time-out; after this it takes microseconds.
    """
    gc.collect()
    gc.freeze()
