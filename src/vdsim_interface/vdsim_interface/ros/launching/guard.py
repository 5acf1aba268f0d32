"""The process `vehicle_guard` of a launch."""

from __future__ import annotations

from collections.abc import Mapping

from launch_ros.actions import Node

from launch import LaunchContext
from vdsim_interface.ros.launching.processes import node, restarted

GUARDED = "guarded"
"""The composition with the guard."""
SHELL = "guarded_interface"
"""The executable of the node beside it."""


def vehicle_guard(namespace: str, values: Mapping[str, object], context: LaunchContext) -> Node:
    """The process that keeps the car safe; the namespace of its shell names their socket.

    `values`: the parameters of the shell that arguments set.
    """
    if values.get("use_sim_time"):
        raise RuntimeError(
            "composition:=guarded use_sim_time:=true: the guard keeps real time; "
            "use composition:=single"
        )
    arguments = ["--namespace", namespace]
    options = restarted("vehicle_guard")
    return node(context, "vdsim_interface", "vehicle_guard", [], arguments=arguments, **options)
