"""Dask as its users start it: a scheduler and workers, processes on the loopback."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import distributed

PATIENCE_S = 120.0


def until(what: Callable[[], object]) -> None:
    """Wait for a state."""
    end = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)


class Dask:
    """A scheduler and workers, each started as its users start it, on the loopback."""

    def __init__(self, folder: Path, source: str | None = None) -> None:
        """`source`: PYTHONPATH of the scheduler; None: as here."""
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []
        at = ("--host", "127.0.0.1", "--port", "0")
        self.scheduler = self._start("scheduler", *at, source=source)
        until(self._file.exists)
        with distributed.Client(scheduler_file=str(self._file), timeout=PATIENCE_S) as client:
            self.address: str = client.scheduler.address

    @property
    def _file(self) -> Path:
        return self._folder / "scheduler.json"

    def _start(self, *arguments: str, source: str | None = None) -> subprocess.Popen[bytes]:
        environ = dict(os.environ)
        if source is not None:
            environ["PYTHONPATH"] = source
        given = [*arguments, "--scheduler-file", str(self._file), "--no-dashboard"]
        with (self._folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *given],
                stdout=log,
                stderr=log,
                env=environ,
                cwd=self._folder,
            )
        self._started.append(process)
        return process

    def workers(self, threads: list[int], source: str | None = None) -> None:
        """Start workers, and wait until the scheduler knows them."""
        for count in threads:
            given = ("--host", "127.0.0.1", "--nthreads", str(count), "--no-nanny")
            self._start("worker", *given, source=source)
        with distributed.Client(self.address, timeout=PATIENCE_S) as client:
            client.wait_for_workers(len(self._started) - 1, timeout=PATIENCE_S)

    def kill_worker(self) -> None:
        self._started[1].kill()

    def end(self) -> None:
        for process in self._started:
            process.kill()
            process.wait()
