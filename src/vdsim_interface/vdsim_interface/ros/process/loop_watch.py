"""Ends a process whose loop stands still, in which code of other packages runs.

A component that never returns from a callback would leave the process alive and silent for good:
no launch would start it again. A thread counts its own wake-ups since the loop last turned, so that
a process that was stopped from outside is not taken for one that hangs.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
import time

LIMIT_S = 30.0
"""Longer than the import of any package on a slow machine [s]."""
_LOOKS = 10
_WITHOUT_INTERPRETER_S = 90.0
"""Later, for code that keeps the interpreter to itself: no thread of Python runs then [s]."""
_REARM_S = 1.0


class LoopWatch:
    """Call `turn` from the loop, a few times a second."""

    def __init__(self, name: str, limit_s: float = LIMIT_S) -> None:
        self._name, self._limit_s = name, limit_s
        self._waited_n = 0
        self._armed_s = -_REARM_S
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, name="loop watch", daemon=True)

    def turn(self) -> None:
        """The loop turns, or is about to; the watch begins with the first time."""
        self._waited_n = 0
        if self._thread.ident is None:
            self._thread.start()
        now = time.monotonic()
        if now - self._armed_s >= _REARM_S:
            self._armed_s = now
            faulthandler.dump_traceback_later(_WITHOUT_INTERPRETER_S, exit=True)

    def end(self) -> None:
        """The loop ends in order."""
        self._ended.set()
        faulthandler.cancel_dump_traceback_later()

    def _look(self) -> None:
        while not self._ended.wait(self._limit_s / _LOOKS):
            self._waited_n += 1
            if self._waited_n > _LOOKS:
                faulthandler.dump_traceback(all_threads=True)
                print(
                    f"{self._name}: its loop has stood still for {self._limit_s:g} s, in the code "
                    "above: the process ends",
                    file=sys.stderr,
                    flush=True,
                )
                os._exit(1)
