"""What the installed commands of the extras' nodes start; as those of the core."""

from __future__ import annotations

from vdsim_interface.nodes.entry_points import start_node


def autohyu_bridge() -> int:
    """`autohyu_bridge`."""
    return start_node("vdsim_interface.extras.autohyu.nodes.autohyu_bridge")


def twist_adapter() -> int:
    """`twist_adapter`."""
    return start_node("vdsim_interface.extras.adapters.nodes.twist_adapter")


def ackermann_adapter() -> int:
    """`ackermann_adapter`."""
    return start_node("vdsim_interface.extras.adapters.nodes.ackermann_adapter")


def morai_bridge() -> int:
    """`morai_bridge`."""
    return start_node("vdsim_interface.extras.morai.nodes.morai_bridge")


def gamepad_teleop() -> int:
    """`gamepad_teleop`."""
    return start_node("vdsim_interface.extras.teleop.nodes.gamepad_teleop")


def joy_device() -> int:
    """`joy_device`."""
    return start_node("vdsim_interface.extras.teleop.nodes.joy_device")


def link_faults() -> int:
    """`link_faults`."""
    return start_node("vdsim_interface.extras.link_faults.nodes.link_faults")


def velocity_controller() -> int:
    """`velocity_controller`."""
    return start_node("vdsim_interface.extras.stages.nodes.velocity_controller")


def low_pass_filter() -> int:
    """`low_pass_filter`."""
    return start_node("vdsim_interface.extras.stages.nodes.low_pass_filter")


def safety_state_machine() -> int:
    """`safety_state_machine`."""
    return start_node("vdsim_interface.extras.stages.nodes.safety_state_machine")


def platform_interface() -> int:
    """`platform_interface`."""
    return start_node("vdsim_interface.extras.stages.nodes.platform_interface")


def component_container() -> int:
    """`component_container`."""
    return start_node("vdsim_interface.extras.stages.nodes.component_container")


def command_mux() -> int:
    """`command_mux`."""
    return start_node("vdsim_interface.extras.mux.nodes.command_mux")
