"""Ready-made event handlers."""

from .._upstream_names import refuse_names
from .on_execution_complete import OnExecutionComplete
from .on_process_exit import OnProcessExit
from .on_process_io import OnProcessIO
from .on_process_start import OnProcessStart
from .on_shutdown import OnShutdown

__all__ = ["OnExecutionComplete", "OnProcessExit", "OnProcessIO", "OnProcessStart", "OnShutdown"]

__getattr__ = refuse_names(
    __name__, ("OnActionEventBase", "OnIncludeLaunchDescription", "event_named"), "launch"
)
