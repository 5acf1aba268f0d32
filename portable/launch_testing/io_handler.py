"""What the processes of a test wrote."""

from __future__ import annotations

from collections.abc import Iterator

from launch.events.process import ProcessAction, ProcessIO

from .process_matching import name_of


class IoHandler:
    """All output, by process, in the order in which it came.

    ``proc_output[process]`` takes the action or the unique name of the process.
    """

    def __init__(self) -> None:
        self._sequence: list[ProcessIO] = []
        self._names: dict[str, None] = {}

    def track(self, process_name: str) -> None:
        """Note a process that may write."""
        self._names.setdefault(process_name)

    def append(self, process_io: ProcessIO) -> None:
        """Record output."""
        self.track(process_io.process_name)
        self._sequence.append(process_io)

    def __iter__(self) -> Iterator[ProcessIO]:
        """Iterate over all output."""
        return iter(list(self._sequence))

    def __getitem__(self, key: str | ProcessAction) -> list[ProcessIO]:
        """Return the output of one process."""
        name = name_of(key) if isinstance(key, ProcessAction) else key
        if name not in self._names:
            raise KeyError(name)
        return [event for event in self if event.process_name == name]

    def processes(self) -> list[ProcessAction]:
        """Return the processes that wrote something."""
        return list(dict.fromkeys(event.action for event in self))

    def process_names(self) -> list[str]:
        """Return the unique names of all processes."""
        return list(self._names)
