"""Nodes of other packages in the interface's process: found by name, made, loaded and unloaded."""

from vdsim_interface.ros.components.catalogue import ComponentError, find, find_all
from vdsim_interface.ros.components.container import Container
from vdsim_interface.ros.components.container_node import ContainerNode
from vdsim_interface.ros.components.making import Wanted, make_component

__all__ = [
    "ComponentError",
    "Container",
    "ContainerNode",
    "Wanted",
    "find",
    "find_all",
    "make_component",
]
