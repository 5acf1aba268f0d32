"""What a launch records of its processes, for tests to read and to wait for."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from launch.events.process import (
    ProcessAction,
    ProcessExited,
    ProcessIO,
    ProcessStarted,
    RunningProcessEvent,
)

from .output import ExpectedOutput, OutputFilter, as_matcher, is_in_output, text_of
from .util import NoMatchingProcessException, SomeProcess, name_of, resolve_processes


class Waiting:
    """A condition variable that also ends when nothing more can change."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._has_ended = False

    @contextlib.contextmanager
    def changed(self) -> Iterator[None]:
        """Make changes inside this context."""
        with self._condition:
            yield
            self._condition.notify_all()

    def end(self) -> None:
        """Wake all waiting threads: nothing will change any more."""
        with self.changed():
            self._has_ended = True

    def wait_for(self, predicate: Callable[[], bool], timeout_s: float) -> bool:
        """Return whether the predicate becomes true in time."""
        with self._condition:
            self._condition.wait_for(lambda: predicate() or self._has_ended, timeout_s)
            return predicate()


class IoHandler:
    """All output, by process, in order of arrival.

    ``proc_output[process]`` takes the action or the unique name of the process.
    """

    def __init__(self) -> None:
        self._sequence: list[ProcessIO] = []
        self._names: dict[str, None] = {}

    def track(self, process_name: str) -> None:
        """Add a process that may write."""
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


class ActiveIoHandler(IoHandler):
    """An IoHandler that the launch fills while tests read it."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting = Waiting()

    def append(self, process_io: ProcessIO) -> None:
        """Record output, and wake the waiting tests."""
        with self._waiting.changed():
            super().append(process_io)

    def end(self) -> None:
        """Mark the record as complete."""
        self._waiting.end()

    def assertWaitFor(  # noqa: N802 (the name is upstream's)
        self,
        expected_output: ExpectedOutput,
        process: SomeProcess = None,
        cmd_args: Any = None,
        **options: Any,
    ) -> None:
        """Fail unless the output comes in time; the options are those of ``waitFor``."""
        if self.waitFor(expected_output, process, cmd_args, **options):
            return
        stream = options.get("stream", "stderr")
        strips = options.get("strip_ansi_escape_sequences", True)
        seen = [
            text_of([event for event in self if event.action is item], stream, strips)
            for item in self._matching(process, cmd_args, False)
        ]
        raise AssertionError(
            f"Waiting for output timed out: {expected_output!r} is not in the {stream} of "
            f"process '{process}', which is:\n" + "\n".join(seen)
        )

    def waitFor(  # noqa: N802 (the name is upstream's)
        self,
        expected_output: ExpectedOutput,
        process: SomeProcess = None,
        cmd_args: Any = None,
        *,
        strict_proc_matching: bool = True,
        output_filter: OutputFilter | None = None,
        timeout: float = 10,
        strip_ansi_escape_sequences: bool = True,
        stream: str = "stderr",
    ) -> bool:
        """Return whether a matching process writes the output within ``timeout`` seconds."""
        matcher = as_matcher(expected_output)

        def is_there() -> bool:
            return any(
                is_in_output(
                    [event for event in self._sequence if event.action is item],
                    matcher,
                    stream,
                    output_filter,
                    strip_ansi_escape_sequences,
                )
                for item in self._matching(process, cmd_args, strict_proc_matching)
            )

        return self._waiting.wait_for(is_there, timeout)

    def wait_until(self, predicate: Callable[[], bool], timeout_s: float) -> bool:
        """Return whether ``predicate``, checked after each output, becomes true in time."""
        return self._waiting.wait_for(predicate, timeout_s)

    def _matching(self, process: SomeProcess, cmd_args: Any, strict: bool) -> list[Any]:
        try:
            return resolve_processes(
                self, process=process, cmd_args=cmd_args, strict_proc_matching=strict
            )
        except NoMatchingProcessException:
            return []


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


class ActiveProcInfoHandler(ProcInfoHandler):
    """A ProcInfoHandler that the launch fills while tests read it."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting = Waiting()

    def append(self, process_info: ProcessStarted | ProcessExited) -> None:
        """Record that a process started or exited, and wake the waiting tests."""
        with self._waiting.changed():
            super().append(process_info)

    def end(self) -> None:
        """Mark the record as complete."""
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
