"""Requests of a size of their own, and which process opens its parameters (docs/guard.md).

The middleware takes the length of a text or a list from a request of another DDS vendor and may
allocate all memory for it. What each program offers is compared in test/test_every_node.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import count

import pytest
from rclpy.node import Node
from vdsim_interface.extras.stages.nodes.platform_interface import PlatformInterfaceNode
from vdsim_interface.extras.stages.nodes.velocity_controller import VelocityControllerNode
from vdsim_interface.extras.stages.ros.container import Container
from vdsim_interface.extras.stages.ros.container_node import ContainerNode
from vdsim_interface.nodes.guarded_interface import GuardedInterface
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.ros.node_main import NO_TYPES, open_process
from vdsim_interface_kit.open_services import is_open, open_services
from vdsim_interface_kit.teleop_ros import Lab

PARAMETERS = {
    *("describe_parameters", "get_parameter_types", "get_parameters", "list_parameters"),
    *("set_parameters", "set_parameters_atomically"),
}
OWN = {"change_state"}
NUMBERS = count()


class Foreign(Node):
    """A node of somebody else, whose parameter services rclpy has started."""

    def __init__(self) -> None:
        super().__init__("foreign")


@pytest.fixture
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    # A namespace of its own: the graph may still hold the nodes of the test before.
    own = ("-r", f"__ns:=/lab_{next(NUMBERS)}", "-p", "process.data_growth_mb:=0")
    made = Lab(*own, *NO_TYPES[1:], *request.param)
    yield made
    made.close()


def opened(lab: Lab, *kinds: type[Node]) -> dict[str, set[str]]:
    """The open services of the nodes of one process, once it serves."""
    nodes = [lab.add(kind()) for kind in kinds]
    open_process(nodes)
    found = {}
    for node in nodes:
        own = {str(service.srv_name) for service in node.services}
        name, space = node.get_name(), node.get_namespace()
        seen = len(own)
        lab.until(
            lambda: len(lab.probe.get_service_names_and_types_by_node(name, space)) >= seen,  # noqa: B023
            f"the services of {name}",
        )
        found[name] = open_services(lab.probe, name, space)
    return found


VDS1, FAKE = ("-p", "platform:=vds1"), ("-p", "platform:=fake")
OFF = ("-p", 'process.parameter_services:="off"')
ON = ("-p", "process.parameter_services:=in_process")


@pytest.mark.parametrize(
    ("lab", "kind", "expected"),
    [
        pytest.param(FAKE, VehicleInterface, PARAMETERS | OWN, id="nothing moves"),
        pytest.param(VDS1, VehicleInterface, OWN, id="anybody's vehicle"),
        pytest.param(VDS1, PlatformInterfaceNode, OWN, id="its stage"),
        pytest.param(VDS1, VelocityControllerNode, PARAMETERS | OWN, id="another stage"),
        pytest.param(VDS1, GuardedInterface, PARAMETERS | OWN, id="the guarded shell"),
        pytest.param((*FAKE, *OFF), VehicleInterface, OWN, id="off"),
        pytest.param((*VDS1, *ON), VehicleInterface, PARAMETERS | OWN, id="on"),
    ],
    indirect=["lab"],
)
def test_a_process_that_sends_to_a_vehicle_is_closed_unless_its_user_opens_it(
    lab: Lab, kind: type[Node], expected: set[str]
) -> None:
    [found] = opened(lab, kind).values()
    assert found == expected


@pytest.mark.parametrize("lab", [VDS1], indirect=True)
def test_one_node_that_sends_closes_every_node_of_its_process(lab: Lab) -> None:
    found = opened(lab, PlatformInterfaceNode, VelocityControllerNode, Foreign)
    assert found == {"platform_interface": OWN, "velocity_controller": OWN, "foreign": set()}


@pytest.mark.parametrize("lab", [FAKE], indirect=True)
def test_a_node_of_another_package_gets_services_that_no_request_ends(lab: Lab) -> None:
    assert opened(lab, VehicleInterface, Foreign)["foreign"] == PARAMETERS
    foreign = lab.nodes[-1]
    assert {type(service.callback.__self__).__module__ for service in foreign.services} == {
        "vdsim_interface.ros.process.checked_node"
    }


@pytest.mark.parametrize("lab", [FAKE], indirect=True)
def test_the_container_has_no_parameters(lab: Lab) -> None:
    def container() -> Node:
        return ContainerNode(Container([]))

    assert opened(lab, container) == {  # type: ignore[arg-type]
        "component_container": {"_container/load_node"}
    }


@pytest.mark.parametrize("service", ["ChangeMode", "ResetPlant", "StepPlant"])
def test_requests_of_the_car_and_its_mode_have_a_fixed_size(service: str) -> None:
    request = getattr(import_module("vdsim_msgs.srv"), service).Request
    assert not any(is_open(kind) for kind in request.get_fields_and_field_types().values())


def test_what_has_a_size_of_its_own_is_open() -> None:
    assert all(is_open(kind) for kind in ("sequence<double>", "string<5>", "std_msgs/Header"))
    assert not any(is_open(kind) for kind in ("double[3]", "uint8", "builtin_interfaces/Time"))
