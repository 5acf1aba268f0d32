"""What the installed commands of the nodes start.

rclpy takes a while to import: until a node has handlers of its own, a signal ends the process at
once and in order. Not here: keyboard_teleop, which restores its terminal on Ctrl-C.
"""

from __future__ import annotations

import sys
from importlib import import_module

from vdsim_protocol.ending_signals import end_on_signals
from vdsim_protocol.launch_watch import end_with_launch

from vdsim_interface.ros.exit_codes import USER_ERROR_EXIT


def start_node(module: str) -> int:
    """Run the `main` of a node's module."""
    end_on_signals()
    end_with_launch()
    try:
        node = import_module(module)
    except ModuleNotFoundError as error:
        # Of Autoware and Ackermann: those without such a stack do not have them.
        absent = (error.name or "").partition(".")[0]
        if not absent.endswith(("_msgs", "_autoware")):
            raise
        name = module.rpartition(".")[2]
        print(f"{name}: needs the package {absent}: not installed", file=sys.stderr)
        return USER_ERROR_EXIT
    return int(node.main() or 0)


def guarded_interface() -> int:
    """`guarded_interface`."""
    return start_node("vdsim_interface.nodes.guarded_interface")


def vehicle_interface() -> int:
    """`vehicle_interface`."""
    return start_node("vdsim_interface.nodes.vehicle_interface")


def autoware_interface() -> int:
    """`autoware_interface`."""
    return start_node("vdsim_autoware.nodes.autoware_interface")


def simulated_localization() -> int:
    """`simulated_localization`."""
    return start_node("vdsim_autoware.nodes.simulated_localization")
