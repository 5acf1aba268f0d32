"""What is known of the processes of a test: that they started, how they ended."""

from __future__ import annotations

from collections.abc import Iterator

from launch.events.process import ProcessAction, ProcessExited, ProcessStarted, RunningProcessEvent

from .process_matching import resolve_processes


class ProcInfoHandler:
    """The last event of each process: ProcessStarted while it runs, then ProcessExited.

    ``proc_info[process]`` takes the action or a part of the process's name.
    """

    def __init__(self) -> None:
        self._events: dict[ProcessAction, RunningProcessEvent] = {}

    def append(self, process_info: ProcessStarted | ProcessExited) -> None:
        """Record that a process started or exited."""
        self._events[process_info.action] = process_info

    def __iter__(self) -> Iterator[RunningProcessEvent]:
        """Iterate over the last events of all processes."""
        return iter(list(self._events.values()))

    def __getitem__(self, key: str | ProcessAction) -> RunningProcessEvent:
        """Return the last event of one process."""
        return self._events[resolve_processes(self, process=key)[0]]

    def processes(self) -> list[ProcessAction]:
        """Return the processes, in the order in which they started."""
        return list(self._events)

    def process_names(self) -> list[str]:
        """Return their unique names."""
        return [event.process_name for event in self]
