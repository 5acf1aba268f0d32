"""Finds what makes an adapter in the process of the vehicle interface: installed packages name it.

    [project.entry-points."vdsim_interface.adapters"]
    autoware = "vdsim_autoware.nodes.autoware_interface:beside"

The object is a function of the node of the interface that returns the node of the adapter.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from rclpy.node import Node

from vdsim_interface.parameters.fields import ParameterError

GROUP = "vdsim_interface.adapters"


def beside(name: str) -> Callable[[Node], Node]:
    """Return the function of an adapter. Raises ParameterError when no package has it."""
    for entry in entry_points(group=GROUP, name=name):
        made: Callable[[Node], Node] = entry.load()
        return made
    rule = f"needs the package vdsim_{name}: not installed"
    raise ParameterError("process.adapter", name, rule)
