"""Processes while they run: waiting for their starts and ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launch.events.process import ProcessExited, ProcessStarted

from .proc_info_handler import ProcInfoHandler
from .process_matching import NoMatchingProcessException, SomeProcess, resolve_processes
from .waiting import Waiting


class ActiveProcInfoHandler(ProcInfoHandler):
    """A ProcInfoHandler that the launch fills while tests read it."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting = Waiting()

    def append(self, process_info: ProcessStarted | ProcessExited) -> None:
        """Record that a process started or exited, and wake who waits for it."""
        with self._waiting.changed():
            super().append(process_info)

    def end(self) -> None:
        """Note that nothing will be recorded any more."""
        self._waiting.end()

    def assertWaitForStartup(  # noqa: N802 (the name is upstream's)
        self, process: SomeProcess, cmd_args: Any = None, *, timeout: float = 10
    ) -> None:
        """Fail unless the process starts within ``timeout`` seconds."""
        found = self._wait_for(lambda: bool(self._matching(process, cmd_args)), timeout)
        assert found, f"Timed out waiting for process '{process}' to start"

    def assertWaitForShutdown(  # noqa: N802 (the name is upstream's)
        self, process: SomeProcess, cmd_args: Any = None, *, timeout: float = 10
    ) -> None:
        """Fail unless the process ends within ``timeout`` seconds."""

        def has_ended() -> bool:
            matching = self._matching(process, cmd_args)
            return bool(matching) and isinstance(matching[0], ProcessExited)

        assert self._wait_for(has_ended, timeout), (
            f"Timed out waiting for process '{process}' to finish"
        )

    def _wait_for(self, predicate: Callable[[], bool], timeout_s: float) -> bool:
        return self._waiting.wait_for(predicate, timeout_s)

    def _matching(self, process: SomeProcess, cmd_args: Any) -> list[Any]:
        try:
            found = resolve_processes(self, process=process, cmd_args=cmd_args)
        except NoMatchingProcessException:
            return []
        return [self._events[item] for item in found]
