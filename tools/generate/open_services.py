"""Services whose requests hold texts or lists, by program: the table of docs/guard.md.

test/test_every_node.py starts every program and compares what it really offers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

PARAMETERS = {
    *("describe_parameters", "get_parameter_types", "get_parameters", "list_parameters"),
    *("set_parameters", "set_parameters_atomically"),
}
"""The parameter services of one node."""


@dataclass(frozen=True)
class Row:
    """One program with nodes.

    `nodes`: the services of each that take a text or a list, without those of parameters.
    `is_open`: whether the parameters can be reached unless process.parameter_services says
    otherwise; `why`: the reason.
    """

    program: str
    is_open: bool
    why: str
    nodes: Mapping[str, tuple[str, ...]]


_SENDS = "sends packets to a vehicle"
_ELSEWHERE = "the vehicle's side is another process"
_AUTOWARE = "its neighbours are usually of another vendor"
ROWS = (
    Row(
        "guarded_interface",
        True,
        "the vehicle's side is in `vehicle_guard`, which has no ROS",
        {"vehicle_interface": ("change_state",)},
    ),
    Row(
        "vehicle_interface",
        False,
        f"{_SENDS}; open beside our own simulated car (`plant:=true`) and on the platform `fake`",
        {"vehicle_interface": ("change_state",)},
    ),
    Row(
        "component_container",
        False,
        "as `vehicle_interface`, components of other packages with it",
        {"vehicle_interface": ("change_state",)},
    ),
    Row("velocity_controller", True, _ELSEWHERE, {"velocity_controller": ("change_state",)}),
    Row("low_pass_filter", True, _ELSEWHERE, {"low_pass_filter": ("change_state",)}),
    Row("safety_state_machine", True, _ELSEWHERE, {"safety_state_machine": ("change_state",)}),
    Row("platform_interface", False, _SENDS, {"platform_interface": ("change_state",)}),
    Row("command_mux", True, _ELSEWHERE, {"command_mux": ()}),
    Row("gamepad_teleop", True, _ELSEWHERE, {"gamepad_teleop": ()}),
    Row("joy_device", True, _ELSEWHERE, {"joy_device": ()}),
    Row("keyboard_teleop", True, _ELSEWHERE, {"keyboard_teleop": ()}),
    Row("twist_adapter", True, _ELSEWHERE, {"twist_adapter": ()}),
    Row("ackermann_adapter", True, _ELSEWHERE, {"ackermann_adapter": ()}),
    Row("simulated_localization", True, _ELSEWHERE, {"simulated_localization": ()}),
    Row(
        "link_faults",
        True,
        "for tests of the link beside a simulated car",
        {"link_faults": ("set_fault",)},
    ),
    Row("autoware_interface", False, _AUTOWARE, {"autoware_interface": ()}),
    Row("planning_simulator", False, _AUTOWARE, {"simple_planning_simulator": ()}),
    Row("autohyu_bridge", False, _SENDS, {"autohyu_bridge": ()}),
    Row(
        "morai_bridge",
        False,
        "sends packets to a simulator that is not ours",
        {
            "morai_bridge": tuple(
                f"morai/{name}"
                for name in (
                    *("load_scenario", "save_sensor_data", "set_egos", "set_npc_ghosts"),
                    "set_traffic_light",
                )
            )
        },
    ),
    Row("plant", True, "nothing but our own simulated car can move", {"plant": ()}),
)


def open_services_table() -> str:
    """The table, in Markdown."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "| program | parameter services | because | other services with texts or lists |"
    yield "|---|---|---|---|"
    for row in ROWS:
        others = ", ".join(f"`{name}`" for names in row.nodes.values() for name in names)
        state = "on" if row.is_open else "off"
        yield f"| `{row.program}` | {state} | {row.why} | {others or 'none'} |"


PARTS = {"open services": open_services_table}
