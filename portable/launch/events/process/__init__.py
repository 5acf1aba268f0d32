"""Events about processes."""

from ..._upstream_names import refuse_names
from .process_exited import ProcessExited
from .process_io import ProcessIO, ProcessStderr, ProcessStdout
from .process_matchers import matches_action, matches_executable, matches_name, matches_pid
from .process_started import ProcessStarted
from .process_targeted_event import ProcessTargetedEvent, ShutdownProcess, SignalProcess
from .running_process_event import RunningProcessEvent

__all__ = [
    "ProcessExited",
    "ProcessIO",
    "ProcessStarted",
    "ProcessStderr",
    "ProcessStdout",
    "ProcessTargetedEvent",
    "RunningProcessEvent",
    "ShutdownProcess",
    "SignalProcess",
    "matches_action",
    "matches_executable",
    "matches_name",
    "matches_pid",
]

__getattr__ = refuse_names(__name__, ("ProcessStdin",), "launch")
