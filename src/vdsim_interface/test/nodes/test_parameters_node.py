"""Parameters of an active node, on real ROS: each takes effect, or is refused with the reason."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from rclpy.parameter import Parameter
from vdsim_interface.controller.parameters import ControllerParameters
from vdsim_interface.extras.stages.nodes.low_pass_filter import LowPassFilterNode
from vdsim_interface.extras.stages.nodes.platform_interface import PlatformInterfaceNode
from vdsim_interface.extras.stages.nodes.safety_state_machine import SafetyStateMachineNode
from vdsim_interface.extras.stages.nodes.velocity_controller import VelocityControllerNode
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.parameters.fields import Parameters
from vdsim_interface.parameters.flat import declarations, to_flat
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.output import GateRecord
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.vehicle_watch import TrackingParameters
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.conversions import time_message
from vdsim_interface.safety import SafetyParameters
from vdsim_interface_kit.live_parameters import LIVE, other_value
from vdsim_interface_kit.teleop_ros import Lab
from vdsim_protocol.parameter_requests import plain

from vdsim_msgs.msg import VehicleControlCommand

STAGES = (
    VelocityControllerNode,
    LowPassFilterNode,
    SafetyStateMachineNode,
    PlatformInterfaceNode,
)
NODES = (VehicleInterface, *STAGES)
PARTS = {
    ControllerParameters: "controller",
    SafetyParameters: "safety",
    TrackingParameters: "tracking",
    VehicleGeometry: "vehicle",
}
NODE_OWN = ("autostart", "use_sim_time")
PLATFORMS = ("vdsim_interface.platforms", "vdsim_interface.extras.fake")


class Active:
    """A node on the platform fake, active."""

    def __init__(self, kind: Any) -> None:
        self.lab = Lab("-p", "vehicle.rear_wheel_angle_max_rad:=0.2")
        self.node: Any = self.lab.add(kind())
        self.node.start()
        assert self.node.is_active

    def holders(self) -> list[Parameters]:
        """The checked objects, of which each parameter belongs to one."""
        node = self.node
        parts = ("parameters", "platform_parameters", "output", "process", "guard")
        found = (getattr(node, name, None) for name in parts)
        return [each for each in found if each is not None]

    def others(self) -> dict[str, object]:
        """Every declared parameter of ours, and a value that it may have instead."""
        values: dict[str, object] = {
            name: other_value(holder, name) for holder in self.holders() for name in to_flat(holder)
        }
        return values | {name: not self.node.get_parameter(name).value for name in NODE_OWN}

    def shown(self, name: str) -> object:
        return plain(self.node.get_parameter(name).value)

    def known(self) -> dict[str, object]:
        """What the node goes by."""
        return {name: value for each in self.holders() for name, value in to_flat(each).items()}

    def set(self, name: str, value: object) -> Any:
        [answer] = self.node.set_parameters([parameter(name, value)])
        return answer


def parameter(name: str, value: object) -> Parameter:
    return Parameter(name, value=list(value) if isinstance(value, tuple) else value)


def attributes(thing: object, seen: set[int]) -> Iterator[tuple[str, object]]:
    """All that a node and its parts keep, by name; the platform's own parts apart."""
    module = type(thing).__module__
    if id(thing) in seen or module.startswith(PLATFORMS):
        return
    if isinstance(thing, GateRecord):  # of the latest packet, with the limits of its time
        return
    seen.add(id(thing))
    if isinstance(thing, list | tuple):
        for item in thing:
            yield "", item
            yield from attributes(item, seen)
    elif module.startswith("vdsim_interface.") and not isinstance(thing, Parameters):
        slots = {name: getattr(thing, name, None) for name in getattr(thing, "__slots__", ())}
        for name, value in (getattr(thing, "__dict__", {}) | slots).items():
            yield name, value
            yield from attributes(value, seen)


def stale(node: Any) -> list[Parameters]:
    """Parts that go by other values than the node says."""
    now: InterfaceParameters = node.parameters
    found = []
    for _, each in attributes(node, set()):
        if isinstance(each, InterfaceParameters):
            up_to_date: object = now
        elif type(each) in PARTS:
            up_to_date = getattr(now, PARTS[type(each)])
        else:
            continue
        if each != up_to_date:
            found.append(each)
    return found


@pytest.fixture(params=NODES, ids=lambda kind: kind.__name__)
def active(request: pytest.FixtureRequest) -> Iterator[Active]:
    made = Active(request.param)
    yield made
    made.lab.close()


@pytest.fixture
def interface() -> Iterator[Active]:
    made = Active(VehicleInterface)
    yield made
    made.lab.close()


def test_every_parameter_takes_effect_or_is_refused_with_the_reason(active: Active) -> None:
    taken = set()
    for name, value in active.others().items():
        before, known = active.shown(name), active.known()
        answer = active.set(name, value)
        if not answer.successful:
            said = list(value) if isinstance(value, tuple) else value
            assert answer.reason.startswith((f"{name}={value}: ", f"{name}={said}: ")), name
            assert (active.shown(name), active.known()) == (before, known), name
            continue
        taken.add(name)
        assert active.shown(name) == plain(value), name
        assert active.known() == known | {name: value}, name
        assert stale(active.node) == [], name
        assert active.set(name, before).successful
        assert stale(active.node) == [], name
    used = {name for name in LIVE if name.startswith(active.node.LIVE_PARAMETERS)}
    assert taken == used - set(active.node.COUPLED_PARAMETERS)


def test_what_is_fixed_while_active_takes_effect_with_the_next_activation(active: Active) -> None:
    node = active.node
    node.trigger_deactivate()
    decided = node._is_start_only
    ours = {n: v for n, v in active.others().items() if n not in NODE_OWN and not decided(n)}
    for name, value in ours.items():
        answer = active.set(name, value)
        assert answer.successful, answer.reason
    node.trigger_activate()
    assert node.is_active
    assert stale(node) == []
    assert {name: active.known()[name] for name in ours} == ours
    parts = list(attributes(node, set()))
    now = {
        "_period_s": node.parameters.period_s,
        "_command_timeout_s": node.parameters.command_timeout_s,
        "_off": node.parameters.filter.is_off(),
    }
    assert [(name, value) for name, value in parts if name in now and now[name] != value] == []
    assert "_period_s" in dict(parts)


def test_all_that_may_change_can_be_set_on_some_stage() -> None:
    on_stages = {
        name
        for kind in STAGES
        for name in LIVE
        if name.startswith(kind.LIVE_PARAMETERS) and name not in kind.COUPLED_PARAMETERS
    }
    assert on_stages == set(LIVE) - {"control_command", *PAIR}


PAIR = {"controller.launch_accel_mps2": 1.2, "safety.auto_gear_deadzone_mps2": 0.8}


@pytest.mark.parametrize("active", [VelocityControllerNode, SafetyStateMachineNode], indirect=True)
def test_a_pair_that_two_stages_hold_is_taken_while_they_are_inactive(active: Active) -> None:
    [own] = active.node.COUPLED_PARAMETERS
    [other] = set(PAIR) - {own}
    for value in (PAIR[own], 0.4):
        answer = active.set(own, value)
        assert answer.reason == (
            f"{own}={value}: must fit {other} of another node: set both on both while inactive"
        )
    active.node.trigger_deactivate()
    for name, value in PAIR.items():
        assert active.set(name, value).successful, name
    wrong = active.set("safety.auto_gear_deadzone_mps2", 1.2)
    assert "must be > safety.auto_gear_deadzone_mps2 (1.2)" in wrong.reason
    active.node.trigger_activate()
    assert stale(active.node) == []


@pytest.mark.parametrize("active", [PlatformInterfaceNode], indirect=True)
@pytest.mark.parametrize(
    "changes",
    [
        {"safety.decel_max_mps2": 8.0, "safety.stop_decel_mps2": 7.0},
        {"safety.link_lost_s": 3.0, "safety.report_timeout_s": 2.0},
        {"safety.standstill_hold_mps2": 0.5, "safety.decel_max_mps2": 2.5},
    ],
)
def test_a_stage_takes_what_its_own_values_are_checked_against(
    active: Active, changes: dict[str, float]
) -> None:
    for name, value in changes.items():
        answer = active.set(name, value)
        assert answer.successful, answer.reason
    assert stale(active.node) == []


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("output.world_frame", "map", "output.world_frame=map: is decided when the node starts"),
        ("fake.slope_rad", 0.1, "fake.slope_rad=0.1: cannot change while the node is active"),
        ("platform", "vds1", "platform=vds1: is decided when the node starts"),
        ("safety.stop_decel_mps2", 9.0, "safety.stop_decel_mps2=9.0: must be <= safety.decel_max"),
    ],
)
def test_of_a_set_with_one_wrong_nothing_is_kept(
    interface: Active, name: str, value: object, reason: str
) -> None:
    good = parameter("safety.accel_max_mps2", 2.0)
    wrong = parameter(name, value)
    known = interface.known()
    for changes in ([good, wrong], [wrong, good]):
        answer = interface.node.set_parameters_atomically(changes)
        assert not answer.successful
        assert answer.reason.startswith(reason)
        assert interface.known() == known
        assert interface.shown("safety.accel_max_mps2") == 3.0
        assert stale(interface.node) == []


def test_a_set_that_is_right_only_as_a_whole_is_taken(interface: Active) -> None:
    changes = [("safety.stop_decel_mps2", 7.0), ("safety.decel_max_mps2", 8.0)]
    answer = interface.node.set_parameters_atomically([parameter(*each) for each in changes])
    assert answer.successful, answer.reason
    assert interface.node.parameters.safety.stop_decel_mps2 == 7.0
    assert stale(interface.node) == []


@pytest.mark.parametrize("active", [LowPassFilterNode], indirect=True)
def test_a_stage_names_the_others_for_what_it_does_not_use(active: Active) -> None:
    answer = active.set("controller.kp_1ps", 1.0)
    assert answer.reason == (
        "controller.kp_1ps=1.0: is not used by this node; set it on the stage that uses it"
    )
    assert active.set("control_command", "vehicle").reason == (
        "control_command=vehicle: is decided when the node starts"
    )


def test_commands_of_the_new_level_lead(interface: Active) -> None:
    assert interface.set("control_command", "vehicle").successful
    led: list[float] = []
    interface.node.rounds.arrived = led.append
    qos = topics.COMMAND_QOS
    commands = interface.lab.publisher(VehicleControlCommand, topics.VEHICLE_COMMAND, qos)
    commands.publish(VehicleControlCommand(stamp=time_message(time.time())))
    interface.lab.until(lambda: led, "the command leads")


def test_everything_is_described(active: Active) -> None:
    for holder in active.holders():
        for item in declarations(holder):
            described = active.node.describe_parameter(item.name)
            kind = Parameter.Type.from_parameter_value(plain(item.default)).value
            assert described.type == kind, item.name
            assert described.description == item.description, item.name
            fixed = described.description.endswith("; fixed while active")
            decided = described.description.endswith("; decided when the node starts")
            assert fixed + decided + item.live == 1, item.name
            by_level = item.name == "control_command"  # decides the topics of a stage
            assert by_level or active.node._is_start_only(item.name) is decided, item.name
            assert described.additional_constraints == item.allowed.words(), item.name
            low, high = item.allowed.at_least, item.allowed.at_most
            ranges = [*described.floating_point_range, *described.integer_range]
            # A range has two ends: one that nobody stated would be shown as -1.8e+308.
            both = not item.many and None not in (low, high)
            shown = [(each.from_value, each.to_value) for each in ranges]
            assert shown == ([(low, high)] if both else []), item.name
    assert active.node.describe_parameter("autostart").description


@pytest.mark.parametrize("kind", NODES)
def test_parameters_of_other_nodes_are_ignored_and_a_change_of_them_is_refused(kind: Any) -> None:
    lab = Lab("-p", "planner.horizon_s:=3.0", "-p", "rate_hs:=50.0")
    try:
        node: Any = lab.add(kind())
        assert not node.has_parameter("planner.horizon_s")
        change = Parameter("safety.acel_max_mps2", value=1.0)
        result = node.set_parameters_atomically([change])
        assert not result.successful
        expected = "safety.acel_max_mps2: no such parameter; did you mean safety.accel_max_mps2?"
        assert result.reason == expected
    finally:
        lab.close()
