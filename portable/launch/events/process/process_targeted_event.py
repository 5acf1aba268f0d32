"""Requests to processes that a predicate chooses."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...event import Event

if TYPE_CHECKING:
    from ...actions.execute_process import ExecuteProcess

ProcessMatcher = Callable[["ExecuteProcess"], bool]
SignalName = str | int | signal.Signals


class ProcessTargetedEvent(Event):
    """A request to the processes that ``process_matcher`` chooses."""

    name = "launch.events.process.ProcessTargetedEvent"

    def __init__(self, *, process_matcher: ProcessMatcher) -> None:
        self.__process_matcher = process_matcher

    @property
    def process_matcher(self) -> ProcessMatcher:
        """Return the predicate."""
        return self.__process_matcher


class ShutdownProcess(ProcessTargetedEvent):
    """End the chosen processes as at the end of the launch: SIGINT, SIGTERM, SIGKILL."""

    name = "launch.events.process.ShutdownProcess"


class SignalProcess(ProcessTargetedEvent):
    """Send a signal to the chosen processes."""

    name = "launch.events.process.SignalProcess"

    def __init__(self, *, signal_number: SignalName, process_matcher: ProcessMatcher) -> None:
        super().__init__(process_matcher=process_matcher)
        self.__signal = (
            signal.Signals[signal_number]
            if isinstance(signal_number, str)
            else signal.Signals(signal_number)
        )

    @property
    def signal(self) -> signal.Signals:
        """Return the signal."""
        return self.__signal

    @property
    def signal_name(self) -> str:
        """Return the name of the signal, such as 'SIGINT'."""
        return self.__signal.name
