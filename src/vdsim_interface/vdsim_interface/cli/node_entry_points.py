"""What the installed commands of the nodes start.

rclpy takes a while to import: until a node has handlers of its own, a signal ends the process at
once and in order. Not here: keyboard_teleop, which restores its terminal on Ctrl-C.
"""

from __future__ import annotations

from importlib import import_module

from vdsim_protocol.ending_signals import end_on_signals


def _start(name: str) -> int:
    end_on_signals()
    return int(import_module(f"vdsim_interface.nodes.{name}").main() or 0)


def guarded_interface() -> int:
    """`guarded_interface`."""
    return _start("guarded_interface")


def vehicle_interface() -> int:
    """`vehicle_interface`."""
    return _start("vehicle_interface")


def velocity_controller() -> int:
    """`velocity_controller`."""
    return _start("velocity_controller")


def low_pass_filter() -> int:
    """`low_pass_filter`."""
    return _start("low_pass_filter")


def safety_state_machine() -> int:
    """`safety_state_machine`."""
    return _start("safety_state_machine")


def platform_interface() -> int:
    """`platform_interface`."""
    return _start("platform_interface")


def component_container() -> int:
    """`component_container`."""
    return _start("component_container")


def gamepad_teleop() -> int:
    """`gamepad_teleop`."""
    return _start("gamepad_teleop")


def joy_device() -> int:
    """`joy_device`."""
    return _start("joy_device")


def command_mux() -> int:
    """`command_mux`."""
    return _start("command_mux")


def autohyu_bridge() -> int:
    """`autohyu_bridge`."""
    return _start("autohyu_bridge")


def autoware_interface() -> int:
    """`autoware_interface`."""
    return _start("autoware_interface")


def link_faults() -> int:
    """`link_faults`."""
    return _start("link_faults")


def morai_bridge() -> int:
    """`morai_bridge`."""
    return _start("morai_bridge")


def simulated_localization() -> int:
    """`simulated_localization`."""
    return _start("simulated_localization")


def twist_adapter() -> int:
    """`twist_adapter`."""
    return _start("twist_adapter")


def ackermann_adapter() -> int:
    """`ackermann_adapter`."""
    return _start("ackermann_adapter")
