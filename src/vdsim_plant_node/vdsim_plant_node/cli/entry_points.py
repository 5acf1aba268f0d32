"""What the installed commands start: the program, or one sentence about what it needs first.

pip can install this package without ROS, and with --no-deps alone; a command then names the missing
package and how to install it, in place of a traceback.
"""

from __future__ import annotations

import sys
from importlib import import_module

_LOCAL = ("vdsim_plant", "vdsim_protocol")
_FROM_ROS = (
    *("rclpy", "rcl_interfaces", "builtin_interfaces", "diagnostic_msgs", "nav_msgs"),
    *("rosgraph_msgs", "std_srvs", "vdsim_msgs"),
)


def realtime() -> int:
    """`vdsim_realtime`."""
    return _start("vdsim_realtime", "vdsim_plant_node.cli.realtime", serves=True)


def replay() -> int:
    """`vdsim_replay`."""
    return _start("vdsim_replay", "vdsim_plant_node.cli.replay")


def plot() -> int:
    """`vdsim_plot`."""
    return _start("vdsim_plot", "vdsim_plant_node.cli.plot")


def morai_emulator() -> int:
    """`morai_emulator`."""
    return _start("morai_emulator", "vdsim_plant_node.cli.morai_emulator", serves=True)


def plant() -> int:
    """`plant`, the ROS node."""
    return _start("plant", "vdsim_plant_node.ros.node", serves=True)


def _start(command: str, module: str, *, serves: bool = False) -> int:
    """Run the `main` of a module; 1 when something that it imports is not installed.

    A program that serves ends with 0 on a signal, also while it starts; another with 130 on Ctrl-C.
    """
    try:
        signals = import_module("vdsim_protocol.ending_signals")
        signals.end_on_signals(0 if serves else 130)
        if serves:
            import_module("vdsim_protocol.launch_watch").end_with_launch()
        program = import_module(module)
    except ModuleNotFoundError as error:
        remedy = _remedy((error.name or "").partition(".")[0])
        if not remedy:
            raise
        print(f"{command} {remedy}", file=sys.stderr)
        return 1
    if not serves:
        signals.restore_signals()
        return int(program.main())
    try:
        return int(program.main())
    finally:
        import_module("vdsim_protocol.ending_signals").ignore_repeated_signals()


def _remedy(missing: str) -> str:
    """What a command needs when a module is missing; empty when that is not known."""
    if missing in _LOCAL:
        return f"needs {missing}: pip install ./src/{missing}"
    if missing in _FROM_ROS:
        return f"needs ROS 2 with {missing}: ./ws ros2 run vdsim_plant_node plant"
    return ""
