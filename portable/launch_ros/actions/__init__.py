"""The actions for ROS nodes."""

from launch._upstream_names import refuse_names

from .lifecycle_node import LifecycleNode
from .node import Node
from .scope import (
    PushROSNamespace,
    PushRosNamespace,
    SetParameter,
    SetParametersFromFile,
    SetRemap,
    SetUseSimTime,
)

__all__ = [
    "LifecycleNode",
    "Node",
    "PushROSNamespace",
    "PushRosNamespace",
    "SetParameter",
    "SetParametersFromFile",
    "SetRemap",
    "SetUseSimTime",
]

__getattr__ = refuse_names(
    __name__,
    (
        "ComposableNodeContainer",
        "LifecycleTransition",
        "LoadComposableNodes",
        "RosTimer",
        "ROSTimer",
        "SetROSLogDir",
    ),
    "launch_ros",
)
