"""Scheduling of the guard: locked memory and a real-time class, where they are permitted."""

import ctypes
import gc
import os

_PR_SET_TIMERSLACK = 29
SET_ATTRIBUTES = {"x86_64": 314, "aarch64": 274, "riscv64": 274}
"""The number of the system call sched_setattr: few C libraries have it."""
_SLICE_NS = 100_000
"""The shortest that the kernel takes [ns]."""
_MCL_CURRENT_AND_FUTURE = 3


def sharpen_timers() -> None:
    """Ask the kernel to wake this thread at its deadline, not up to 50 us later."""
    libc().prctl(_PR_SET_TIMERSLACK, 1, 0, 0, 0)


class Attributes(ctypes.Structure):
    """The kernel's struct sched_attr, first version."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime_ns", ctypes.c_uint64),
        ("deadline_ns", ctypes.c_uint64),
        ("period_ns", ctypes.c_uint64),
    )


def shorten_slice() -> bool:
    """Ask the kernel for short slices of time; return whether it accepted that.

    The guard works for less than half a millisecond at a time. With a short slice it interrupts a
    process that computes for long as soon as a frame wakes it, instead of after that one's slice
    (some milliseconds); its share of the processor stays the same. It needs no permission; Linux
    before 6.12 ignores it.
    """
    number = SET_ATTRIBUTES.get(os.uname().machine)
    if number is None or os.sched_getscheduler(0) != os.SCHED_OTHER:  # another class was chosen
        return False
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    wanted = Attributes(policy=os.SCHED_OTHER, nice=nice, runtime_ns=_SLICE_NS)
    wanted.size = ctypes.sizeof(wanted)
    return bool(libc().syscall(number, 0, ctypes.byref(wanted), 0) == 0)


def lock_memory() -> str:
    """Keep all pages in memory; return why not, or an empty text."""
    if libc().mlockall(_MCL_CURRENT_AND_FUTURE) == 0:
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


def libc() -> ctypes.CDLL:
    """Return the C library of this process."""
    return ctypes.CDLL(None, use_errno=True)
