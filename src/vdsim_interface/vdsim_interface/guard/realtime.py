"""Scheduling of the guard: locked memory and a real-time class, where they are permitted."""

import ctypes
import gc
import os

_PR_SET_TIMERSLACK = 29
_MCL_CURRENT_AND_FUTURE = 3


def sharpen_timers() -> None:
    """Ask the kernel to wake this thread at its deadline, not up to 50 us later."""
    _libc().prctl(_PR_SET_TIMERSLACK, 1, 0, 0, 0)


def lock_memory() -> str:
    """Keep all pages in memory; return why not, or an empty text."""
    if _libc().mlockall(_MCL_CURRENT_AND_FUTURE) == 0:
        return ""
    return f"guard.lock_memory=true: refused: {os.strerror(ctypes.get_errno())} (raise `ulimit -l`)"


def use_fifo(priority: int) -> str:
    """Use the real-time class SCHED_FIFO, with 0 the ordinary one; return why not, or ''."""
    kind = os.SCHED_FIFO if priority else os.SCHED_OTHER
    try:
        os.sched_setscheduler(0, kind, os.sched_param(priority))
    except OSError as error:
        return f"guard.fifo_priority={priority}: refused: {error.strerror} (raise `ulimit -r`)"
    return ""


def settle_garbage_collector() -> None:
    """Collect once, and exempt what start-up left: later collections take microseconds."""
    gc.collect()
    gc.freeze()


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
