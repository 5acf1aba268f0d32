"""Scheduling of the guard's process, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

ASK = """
import ctypes, os
from vdsim_interface.guard import realtime
os.nice(3)
assert realtime.shorten_slice()
known = realtime.Attributes()
number = realtime.SET_ATTRIBUTES[os.uname().machine] + 1
realtime.libc().syscall(number, 0, ctypes.byref(known), ctypes.sizeof(known), 0)
print(known.policy, known.nice, known.runtime_ns)
"""
FIRST_RELEASE = (6, 12)
"""Of Linux, that knows slices of a process."""


def test_the_slice_is_short_and_nothing_else_changes() -> None:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", ASK]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    policy, nice, runtime_ns = map(int, done.stdout.split())
    assert (policy, nice) == (os.SCHED_OTHER, min(19, os.nice(0) + 3))
    major, minor = os.uname().release.split(".")[:2]
    if (int(major), int(minor)) >= FIRST_RELEASE:
        assert runtime_ns == 100_000
