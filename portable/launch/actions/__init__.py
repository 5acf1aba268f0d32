"""The actions of a launch."""

from .._upstream_names import refuse_names
from ..launch_arguments import DeclareLaunchArgument
from .events import EmitEvent, RegisterEventHandler, Shutdown, UnregisterEventHandler
from .execute_process import ExecuteProcess
from .functions import LogInfo, OpaqueFunction
from .group_action import GroupAction
from .include_launch_description import IncludeLaunchDescription
from .scope import SetEnvironmentVariable, SetLaunchConfiguration, UnsetEnvironmentVariable
from .timer_action import TimerAction

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
