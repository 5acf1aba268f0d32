"""Services whose requests hold texts or lists, in the processes that send commands.

The middleware takes the length of such a field from a request of another DDS vendor and may
allocate all memory for it. vehicle_guard has no ROS at all (test_guard_process.py); these are the
services of the nodes that send without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import pytest
from rclpy.node import Node
from vdsim_interface.nodes.platform_interface import PlatformInterfaceNode
from vdsim_interface.nodes.safety_state_machine import SafetyStateMachineNode
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface_kit.teleop_ros import Lab

OF_PARAMETERS = {
    *("describe_parameters", "get_parameter_types", "get_parameters", "list_parameters"),
    *("set_parameters", "set_parameters_atomically"),
}
OF_LIFECYCLE = {"change_state"}
SENDING = [VehicleInterface, PlatformInterfaceNode, SafetyStateMachineNode]


def is_open(type_name: str) -> bool:
    """Whether a message, or one inside it, has a field whose size is in the message."""
    bare = type_name.partition("[")[0]
    if "sequence" in type_name or "string" in bare:
        return True
    if "/" not in bare:
        return False
    package, name = bare.split("/")[0], bare.split("/")[-1]
    message = getattr(import_module(f"{package}.msg"), name)
    return any(is_open(kind) for kind in message.get_fields_and_field_types().values())


def open_services(node: Node) -> set[str]:
    """The services of a node, as the graph lists them, that take such a request."""
    own = node.get_fully_qualified_name()
    listed = node.get_service_names_and_types_by_node(node.get_name(), node.get_namespace())
    found = set()
    for name, [kind] in listed:
        package, _, service = kind.split("/")
        request = getattr(import_module(f"{package}.srv"), service).Request
        if any(is_open(field) for field in request.get_fields_and_field_types().values()):
            found.add(name.removeprefix(f"{own}/"))
    return found


@pytest.fixture
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    made = Lab("-p", "platform:=fake", *request.param)
    yield made
    made.close()


OFF = ("-p", 'process.parameter_services:="off"')


@pytest.mark.parametrize(
    ("lab", "expected"),
    [
        pytest.param((), OF_PARAMETERS | OF_LIFECYCLE, id="default"),
        pytest.param(OFF, OF_LIFECYCLE, id="off"),
    ],
    indirect=["lab"],
)
@pytest.mark.parametrize("kind", SENDING)
def test_the_open_services_of_a_process_that_sends_are_these(
    lab: Lab, kind: type[Node], expected: set[str]
) -> None:
    node = lab.add(kind())
    node.start()
    lab.until(lambda: open_services(node) >= expected, "the services in the graph")
    lab.run(0.2)
    assert open_services(node) == expected


@pytest.mark.parametrize("service", ["ChangeMode", "ResetPlant", "StepPlant"])
def test_requests_of_the_car_and_its_mode_have_a_fixed_size(service: str) -> None:
    request = getattr(import_module("vdsim_msgs.srv"), service).Request
    assert not any(is_open(kind) for kind in request.get_fields_and_field_types().values())


def test_what_has_a_size_of_its_own_is_open() -> None:
    assert all(is_open(kind) for kind in ("sequence<double>", "string<5>", "std_msgs/Header"))
    assert not any(is_open(kind) for kind in ("double[3]", "uint8", "builtin_interfaces/Time"))
