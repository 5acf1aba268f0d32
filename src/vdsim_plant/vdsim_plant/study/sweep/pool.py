"""Runs the parts of a sweep in this process, or on processes of this machine.

At most two parts a worker are under way, so that a sweep needs the same memory whatever its size.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from threading import Thread

from vdsim_plant.parameters import ParameterError
from vdsim_plant.study.sweep.cases import Part, Row
from vdsim_plant.study.sweep.parts import Finished, Runner, Work

MOST_LOSSES = 3
"""Losses of a worker in a row, without a finished part between, that end a sweep."""
WAITING = 2
"""Parts under way a worker: one that runs, one that waits for it."""


def in_this_process() -> Runner:
    """Return what runs one part after the other."""
    return Runner("this process", lambda parts, work: ((p.number, work(p)) for p in parts))


def on_processes(workers: int) -> Runner:
    """Return what runs parts on processes of this machine."""
    return Runner(
        f"{workers} processes of this machine", lambda parts, work: _pooled(parts, work, workers)
    )


class _Queue:
    """The parts that are to run: first those whose worker was lost."""

    def __init__(self, parts: Iterator[Part]) -> None:
        self._parts = parts
        self._again: deque[Part] = deque()

    def next(self) -> Part | None:
        """Take a part; None when none is left."""
        return self._again.popleft() if self._again else next(self._parts, None)

    def again(self, part: Part) -> None:
        """Put back a part that has no result."""
        self._again.append(part)


def _pooled(parts: Iterator[Part], work: Work, workers: int) -> Iterator[Finished]:
    queue, losses = _Queue(parts), 0
    while True:
        try:
            for finished in _until_lost(queue, work, workers):
                losses = 0
                yield finished
        except BrokenProcessPool:
            losses += 1
            if losses == MOST_LOSSES:
                raise ParameterError(
                    "workers", f"={workers}: one ended {losses} times without a result"
                ) from None
        else:
            return


def _until_lost(queue: _Queue, work: Work, workers: int) -> Iterator[Finished]:
    """Run what is queued; where a worker is lost, what was under way is queued again."""
    pool = ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context("spawn"), initializer=_begin_worker
    )
    running: dict[Future[list[Row]], Part] = {}
    try:
        while True:
            while len(running) < WAITING * workers and (part := queue.next()) is not None:
                try:
                    running[pool.submit(work, part)] = part
                except BrokenProcessPool:
                    queue.again(part)
                    raise
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                rows = future.result()
                yield running.pop(future).number, rows
    except BrokenProcessPool:
        for part in running.values():
            queue.again(part)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin_worker() -> None:
    """End this worker when the sweep itself was killed; its pipes alone do not show that.

    Ctrl-C ends it at once, without a word of its own.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait_for_its_end() -> None:
        parent.join()
        os._exit(1)

    Thread(target=wait_for_its_end, daemon=True).start()
