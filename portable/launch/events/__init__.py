"""What a launch can react to."""

from .._upstream_names import refuse_names
from . import process
from .execution_complete import ExecutionComplete
from .matchers import matches_action
from .shutdown import Shutdown
from .timer_event import TimerEvent

__all__ = ["ExecutionComplete", "Shutdown", "TimerEvent", "matches_action", "process"]

__getattr__ = refuse_names(__name__, ("IncludeLaunchDescription",), "launch")
