"""What a launch can do."""

from .._upstream_names import refuse_names
from .declare_launch_argument import DeclareLaunchArgument
from .emit_event import EmitEvent
from .execute_process import ExecuteProcess
from .group_action import GroupAction
from .include_launch_description import IncludeLaunchDescription
from .log_info import LogInfo
from .opaque_function import OpaqueFunction
from .register_event_handler import RegisterEventHandler, UnregisterEventHandler
from .set_environment_variable import SetEnvironmentVariable
from .set_launch_configuration import SetLaunchConfiguration
from .shutdown_action import Shutdown
from .timer_action import TimerAction
from .unset_environment_variable import UnsetEnvironmentVariable

__all__ = [
    "DeclareLaunchArgument",
    "EmitEvent",
    "ExecuteProcess",
    "GroupAction",
    "IncludeLaunchDescription",
    "LogInfo",
    "OpaqueFunction",
    "RegisterEventHandler",
    "SetEnvironmentVariable",
    "SetLaunchConfiguration",
    "Shutdown",
    "TimerAction",
    "UnregisterEventHandler",
    "UnsetEnvironmentVariable",
]

__getattr__ = refuse_names(
    __name__,
    (
        "AppendEnvironmentVariable",
        "ExecuteLocal",
        "ForEach",
        "ForLoop",
        "Log",
        "LogDebug",
        "LogError",
        "LogWarning",
        "OpaqueCoroutine",
        "PopEnvironment",
        "PopLaunchConfigurations",
        "PushEnvironment",
        "PushLaunchConfigurations",
        "ReplaceEnvironmentVariables",
        "ResetEnvironment",
        "ResetLaunchConfigurations",
        "UnsetLaunchConfiguration",
    ),
    "launch",
)
