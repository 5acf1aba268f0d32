"""Threads that share the work of a batch. They are started where they are first needed.

A process made by fork has none of its parent's threads, and work given to them would wait for ever.
So a pool belongs to the process that made it, and another process makes its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

SHARES = 4  # of the work for each thread: one that is held up leaves some to the others


class Workers:
    """`threads` of them; one is the caller's own."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def share(self, run: Callable[[int, int], None], count: int) -> None:
        """Call `run(first, last)` for parts of `count` that together are all of it."""
        if self.threads == 1 or count == 1:
            run(0, count)
            return
        shares = min(count, SHARES * self.threads)
        edges = [count * k // shares for k in range(shares + 1)]
        list(self._own_pool().map(lambda part: run(*part), pairwise(edges)))

    def _own_pool(self) -> ThreadPoolExecutor:
        process = os.getpid()
        if self._pool is None or self._process != process:
            self._pool = ThreadPoolExecutor(self.threads)
            self._process = process
        return self._pool
