"""The actions of a launch."""

from .._upstream_names import refuse_names
from ..launch_arguments import DeclareLaunchArgument
from .events import EmitEvent, RegisterEventHandler, Shutdown, UnregisterEventHandler
from .execute_process import ExecuteProcess
from .functions import LogInfo, OpaqueFunction
from .group_action import GroupAction
from .include_launch_description import IncludeLaunchDescription
from .scope import (
    AppendEnvironmentVariable,
    PopEnvironment,
    PopLaunchConfigurations,
    PushEnvironment,
    PushLaunchConfigurations,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    UnsetEnvironmentVariable,
    UnsetLaunchConfiguration,
)
from .timer_action import TimerAction

__all__ = [
    "AppendEnvironmentVariable",
    "DeclareLaunchArgument",
    "EmitEvent",
    "ExecuteProcess",
    "GroupAction",
    "IncludeLaunchDescription",
    "LogInfo",
    "OpaqueFunction",
    "PopEnvironment",
    "PopLaunchConfigurations",
    "PushEnvironment",
    "PushLaunchConfigurations",
    "RegisterEventHandler",
    "SetEnvironmentVariable",
    "SetLaunchConfiguration",
    "Shutdown",
    "TimerAction",
    "UnregisterEventHandler",
    "UnsetEnvironmentVariable",
    "UnsetLaunchConfiguration",
]

__getattr__ = refuse_names(
    __name__,
    (
        "ExecuteLocal",
        "ForEach",
        "ForLoop",
        "Log",
        "LogDebug",
        "LogError",
        "LogWarning",
        "OpaqueCoroutine",
        "ReplaceEnvironmentVariables",
        "ResetEnvironment",
        "ResetLaunchConfigurations",
    ),
    "launch",
)
