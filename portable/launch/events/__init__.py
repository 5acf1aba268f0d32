"""The events of a launch."""

from .._upstream_names import refuse_names
from ..base import ExecutionComplete
from .general import Shutdown, TimerEvent, matches_action

__all__ = ["ExecutionComplete", "Shutdown", "TimerEvent", "matches_action", "process"]

__getattr__ = refuse_names(__name__, ("IncludeLaunchDescription",), "launch")
