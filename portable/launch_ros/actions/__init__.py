"""The actions for ROS nodes."""

from launch._upstream_names import refuse_names

from .node import Node
from .scope import PushROSNamespace, PushRosNamespace, SetParameter, SetParametersFromFile, SetRemap

__all__ = [
    "Node",
    "PushROSNamespace",
    "PushRosNamespace",
    "SetParameter",
    "SetParametersFromFile",
    "SetRemap",
]

__getattr__ = refuse_names(
    __name__,
    (
        "ComposableNodeContainer",
        "LifecycleNode",
        "LifecycleTransition",
        "LoadComposableNodes",
        "RosTimer",
        "ROSTimer",
        "SetROSLogDir",
        "SetUseSimTime",
    ),
    "launch_ros",
)
