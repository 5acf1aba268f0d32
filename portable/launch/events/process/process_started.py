"""A process runs."""

from .running_process_event import RunningProcessEvent


class ProcessStarted(RunningProcessEvent):
    """A process was started."""

    name = "launch.events.process.ProcessStarted"
