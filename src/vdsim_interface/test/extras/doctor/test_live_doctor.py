"""Each sentence of the doctor, provoked by a graph that has the fault, and by none without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from vdsim_interface.extras.doctor.examine import (
    CHECKS,
    NODE_CHECKS,
    answers,
    examine,
    has_errors,
    report,
)
from vdsim_interface.extras.doctor.network_checks import domain_of_port, domains_of
from vdsim_interface.extras.doctor.snapshot import (
    STATUS_TYPE,
    Endpoint,
    Finding,
    Network,
    Qos,
    Reason,
    Received,
    Side,
    Snapshot,
    StackSeen,
    is_observer,
)
from vdsim_interface.extras.doctor.vendors import vendor_of
from vdsim_interface.values import Severity
from vdsim_protocol.why import Evidence

FAST, CYCLONE = b"\x01\x0f" + bytes(14), b"\x01\x10" + bytes(14)
COMMAND = "vdsim_msgs/msg/HighLevelControlCommand"
RAW = "vdsim_msgs/msg/RawControlCommand"
ODOM = "nav_msgs/msg/Odometry"
TOPIC = "/vehicle/high_level_command"
INTERFACE, PLANNER = "/vehicle/vehicle_interface", "/planner"
HASH, OTHER_HASH = "RIHS01_" + "ab" * 32, "RIHS01_" + "cd" * 32
SEVEN = 7  # the domain of the snapshot alone: nothing joins it
PORTS_OF_7 = frozenset({7400 + 250 * 7 + 10, 7400 + 250 * 7 + 11})


def publishes(node: str, topic: str, type_name: str = COMMAND, **more: object) -> Endpoint:
    return Endpoint(
        node=node, topic=topic, type_name=type_name, side=Side.PUBLISHER, gid=FAST, **more
    )


def subscribes(node: str, topic: str, type_name: str = COMMAND, **more: object) -> Endpoint:
    return Endpoint(
        node=node, topic=topic, type_name=type_name, side=Side.SUBSCRIPTION, gid=FAST, **more
    )


INPUT = subscribes(INTERFACE, TOPIC, type_hash=HASH)
OTHER_INPUT = subscribes(INTERFACE, "/vehicle/raw_command", RAW)
OUTPUT = publishes(INTERFACE, "/vehicle/odom", ODOM)
SOURCE = publishes(PLANNER, TOPIC, type_hash=HASH)
HEARD = subscribes(PLANNER, "/vehicle/odom", ODOM)
GOOD = Snapshot(
    endpoints=(INPUT, OTHER_INPUT, OUTPUT, SOURCE, HEARD),
    own_gid=FAST,
    own_hashes={COMMAND: HASH},
    received=(Received(topic=TOPIC, count=100, window_s=2.0, has_stamps=True, oldest_s=0.02),),
)


def with_source(**changes: object) -> Snapshot:
    return replace(GOOD, endpoints=(INPUT, OTHER_INPUT, OUTPUT, HEARD, replace(SOURCE, **changes)))


def with_ends(*ends: Endpoint) -> Snapshot:
    return replace(GOOD, endpoints=(*GOOD.endpoints, *ends))


def with_received(**changes: object) -> Snapshot:
    return replace(GOOD, received=(replace(GOOD.received[0], **changes),))


CONTROL, PEDALS = (
    "autoware_control_msgs/msg/Control",
    "tier4_vehicle_msgs/msg/ActuationCommandStamped",
)
GEAR, GEAR_REPORT = "autoware_vehicle_msgs/msg/GearCommand", "autoware_vehicle_msgs/msg/GearReport"
SIMULATOR = "/simulation/simple_planning_simulator"
CONTROL_IN, GEAR_IN = "/control/command/control_cmd", "/control/command/gear_cmd"
GEAR_OUT = "/vehicle/status/gear_status"
VELOCITY = "autoware_vehicle_msgs/msg/VelocityReport"
TRAJECTORY = "autoware_planning_msgs/msg/Trajectory"
POSE = "geometry_msgs/msg/PoseWithCovarianceStamped"


def wanted() -> Received:
    return Received(topic=CONTROL_IN, count=66, window_s=2.0, wants_motion=True)


def simulated(*ends: Endpoint, received: tuple[Received, ...] = ()) -> Snapshot:
    """A planning simulator, and who else is there."""
    own = (
        subscribes(SIMULATOR, CONTROL_IN, CONTROL),
        subscribes(SIMULATOR, GEAR_IN, GEAR),
        subscribes(SIMULATOR, "/vehicle/command/manual_gear_command", GEAR),
        subscribes(SIMULATOR, "/planning/trajectory", TRAJECTORY),
        subscribes(SIMULATOR, "/planning/scenario_planning/trajectory", TRAJECTORY),
        publishes(SIMULATOR, GEAR_OUT, GEAR_REPORT),
        publishes(SIMULATOR, "/vehicle/status/velocity_status", VELOCITY),
        publishes(SIMULATOR, "/simulation/debug/localization/pose_with_covariance", POSE),
    )
    return Snapshot(endpoints=(*own, *ends), own_gid=FAST, received=received)


WITHOUT_SOURCE = replace(GOOD, endpoints=(INPUT, OTHER_INPUT, OUTPUT, HEARD))
NO_CAR = replace(GOOD, endpoints=(SOURCE,), received=())
TWIST = "geometry_msgs/msg/Twist"
CLOCK_TYPE = "rosgraph_msgs/msg/Clock"

FAULTS: dict[str, tuple[Snapshot, str, str]] = {
    "type": (
        with_source(type_name="geometry_msgs/msg/Twist"),
        "other_type",
        f"{PLANNER} publishes {TOPIC} as geometry_msgs/msg/Twist and {INTERFACE} expects "
        f"{COMMAND}: publish {COMMAND}, or remap one of them",
    ),
    "version": (
        with_source(type_hash=OTHER_HASH),
        "other_version",
        f"different versions of {COMMAND} on {TOPIC} (type hashes cdcdcdcd and abababab): build",
    ),
    "version installed": (
        replace(GOOD, own_hashes={COMMAND: OTHER_HASH}),
        "other_version",
        "not the one installed here: build both from the same package",
    ),
    "reliability": (
        with_source(qos=Qos(reliability="BEST_EFFORT")),
        "qos",
        f"{PLANNER} publishes {TOPIC} with reliability BEST_EFFORT and {INTERFACE} requests "
        "RELIABLE, so that nothing arrives: publish with reliability RELIABLE",
    ),
    "durability": (
        with_ends(subscribes("/late", TOPIC, qos=Qos(durability="TRANSIENT_LOCAL"))),
        "qos",
        "with durability VOLATILE and /late requests TRANSIENT_LOCAL, so that nothing arrives",
    ),
    "deadline": (
        with_ends(subscribes("/strict", TOPIC, qos=Qos(deadline_s=0.1))),
        "qos",
        "with deadline none and /strict requests 0.1 s, so that nothing arrives",
    ),
    "two publishers": (
        with_ends(publishes("/other", TOPIC)),
        "two_publishers",
        f"2 publishers on {TOPIC} (/other, /planner) replace each other's commands: end all but",
    ),
    "command by another name": (
        with_source(topic="/high_level_command"),
        "other_name",
        f"{PLANNER} publishes /high_level_command and {INTERFACE} waits for {TOPIC}: start "
        f"{PLANNER} with --ros-args -r /high_level_command:={TOPIC}",
    ),
    "slip in a name": (
        with_source(topic="/vehicle/high_level_comand"),
        "other_name",
        "-r /vehicle/high_level_comand:=/vehicle/high_level_command",
    ),
    "report by another name": (
        with_ends(subscribes("/viewer", "/odom", ODOM)),
        "other_name",
        f"{INTERFACE} publishes /vehicle/odom and /viewer waits for /odom: start /viewer with "
        "--ros-args -r /odom:=/vehicle/odom",
    ),
    "nobody commands": (
        WITHOUT_SOURCE,
        "no_command",
        f"nobody publishes a command for {INTERFACE}: publish on one of {TOPIC}, "
        "/vehicle/raw_command",
    ),
    "nobody commands an adapter": (
        with_ends(
            subscribes("/vehicle/twist_adapter", "/cmd_vel", TWIST),
            publishes("/vehicle/twist_adapter", TOPIC),
        ),
        "no_command",
        "nobody publishes a command for /vehicle/twist_adapter: publish on /cmd_vel",
    ),
    "commands without a car": (
        NO_CAR,
        "no_interface",
        f"no vehicle interface receives the commands of {PLANNER} on {TOPIC}: start one",
    ),
    "another domain": (
        replace(NO_CAR, network=Network(udp_ports=PORTS_OF_7)),
        "no_interface",
        "no vehicle interface is in ROS_DOMAIN_ID=0: this machine has programs in domain 7; set",
    ),
    "range off": (
        replace(NO_CAR, network=Network(discovery_range="OFF")),
        "no_interface",
        "ROS_AUTOMATIC_DISCOVERY_RANGE=OFF finds nobody",
    ),
    "range of this machine": (
        replace(NO_CAR, network=Network(discovery_range="LOCALHOST")),
        "no_interface",
        "ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST finds this machine alone",
    ),
    "no car at all": (NO_CAR, "no_interface", "start `ros2 launch vdsim_interface"),
    "stack in another domain": (
        replace(WITHOUT_SOURCE, network=Network(udp_ports=PORTS_OF_7)),
        "other_domain",
        "nobody in ROS_DOMAIN_ID=0 commands the vehicle, and this machine has programs in domain 7",
    ),
    "vendor": (
        with_source(node="", gid=CYCLONE),
        "other_vendor",
        "a program without a ROS name runs on Cyclone DDS and the vehicle on Fast DDS; topics "
        "cross, and no service of one side is answered for the other: set the same",
    ),
    "no clock": (
        with_ends(subscribes(INTERFACE, "/clock", CLOCK_TYPE)),
        "no_clock",
        f"{INTERFACE} uses simulated time and nobody publishes /clock, so that its time stands",
    ),
    "two clocks": (
        with_ends(publishes("/a", "/clock", CLOCK_TYPE), publishes("/b", "/clock", CLOCK_TYPE)),
        "two_clocks",
        "2 programs publish /clock (/a, /b), so that time jumps: end all but one",
    ),
    "stack on the system's clock": (
        with_ends(
            publishes("/sim", "/clock", CLOCK_TYPE), subscribes(INTERFACE, "/clock", CLOCK_TYPE)
        ),
        "mixed_clocks",
        f"{PLANNER} uses the system's clock and the vehicle simulated time: set use_sim_time",
    ),
    "stack in simulated time": (
        with_ends(
            publishes("/sim", "/clock", CLOCK_TYPE), subscribes(PLANNER, "/clock", CLOCK_TYPE)
        ),
        "mixed_clocks",
        f"{PLANNER} uses simulated time and the vehicle the system's clock",
    ),
    "vehicle of two clocks": (
        with_ends(
            publishes("/sim", "/clock", CLOCK_TYPE),
            subscribes(INTERFACE, "/clock", CLOCK_TYPE),
            subscribes("/vehicle/command_mux", TOPIC),
        ),
        "mixed_clocks",
        f"{INTERFACE} uses simulated time and /vehicle/command_mux the system's clock",
    ),
    "old stamps": (
        with_received(oldest_s=3.2),
        "stale_stamps",
        f"{TOPIC} arrives with stamps up to 3.20 s old: synchronise the clocks",
    ),
    "stamps of the future": (
        with_received(oldest_s=-0.4, newest_s=-0.5),
        "stale_stamps",
        f"{TOPIC} arrives with stamps up to 0.50 s in the future",
    ),
    "stamps of another clock": (
        with_received(oldest_s=1.7e9, newest_s=1.7e9),
        "stale_stamps",
        f"{TOPIC} is stamped with another clock, 1.7e+09 s off this one: set use_sim_time alike",
    ),
    "stamps all zero": (
        with_received(unstamped=100, has_stamps=False),
        "no_stamps",
        f"{TOPIC} arrives without stamps, they are all zero: stamp each message",
    ),
    "two odometries": (
        with_ends(
            publishes("/a", "/localization/kinematic_state", ODOM),
            publishes("/b", "/localization/kinematic_state", ODOM),
        ),
        "two_reports",
        "2 programs report /localization/kinematic_state (/a, /b), so that it jumps: end all but",
    ),
    "no gear": (
        simulated(received=(wanted(), Received(topic=GEAR_OUT, count=9, window_s=2.0, gear=22))),
        "no_gear",
        f"{SIMULATOR} is commanded to drive in a gear that does not, and on {GEAR_IN} nobody "
        "publishes one: publish autoware_vehicle_msgs/msg/GearCommand with command 2 (DRIVE)",
    ),
    "PARK is commanded": (
        simulated(
            publishes("/control/shift", GEAR_IN, GEAR),
            received=(
                wanted(),
                Received(topic=GEAR_IN, count=9, window_s=2.0, gear=22),
                Received(topic=GEAR_OUT, count=9, window_s=2.0, gear=22),
            ),
        ),
        "no_gear",
        f"and on {GEAR_IN} gear 22 was sent: publish",
    ),
    "pedals to a model of accelerations": (
        simulated(publishes("/converter", "/control/command/actuation_cmd", PEDALS)),
        "other_kind",
        f"/converter publishes /control/command/actuation_cmd ({PEDALS}) and {SIMULATOR} takes "
        f"/control/command/control_cmd ({CONTROL}): choose a model that takes it",
    ),
    "silent": (
        with_received(count=0, has_stamps=False),
        "silent_publisher",
        f"{PLANNER} has announced {TOPIC} and has sent nothing within 2 s: check whether",
    ),
    "slow": (
        with_received(count=6),
        "slow",
        f"{TOPIC} arrives at 3.0 Hz: publish at 10 Hz at least",
    ),
    "a clock that goes back": (
        replace(
            with_ends(publishes("/sim", "/clock", CLOCK_TYPE)),
            received=(Received(topic="/clock", count=90, window_s=2.0, back_s=41.0),),
        ),
        "clock_back",
        "/clock went back by 41.0 s, so that what was received before is discarded: start the",
    ),
    "a mode that is not available": (
        replace(simulated(), stack=StackSeen(is_autonomous_available=False)),
        "mode_not_available",
        "Autoware's mode autonomous is not available, so a request for it is refused",
    ),
    "a gate that is paused": (
        replace(simulated(), stack=StackSeen(is_gate_paused=True)),
        "gate_paused",
        "ros2 service call /control/vehicle_cmd_gate/set_pause",
    ),
    "a start that waits": (
        replace(simulated(), stack=StackSeen(waits_for_start=True)),
        "start_not_accepted",
        "ros2 service call /api/motion/accept_start",
    ),
    "two interfaces": (
        replace(
            GOOD,
            endpoints=(
                *GOOD.endpoints,
                publishes(INTERFACE, "/vehicle/safety_status", STATUS_TYPE),
                publishes(INTERFACE, "/vehicle/safety_status", STATUS_TYPE),
            ),
        ),
        "two_interfaces",
        "2 vehicle interfaces are in the namespace /vehicle (/vehicle/vehicle_interface, "
        "/vehicle/vehicle_interface): both obey the same commands, and what they report is mixed: "
        "end one, or start it with a namespace of its own",
    ),
    "open sockets": (
        replace(
            GOOD,
            network=Network(
                discovery_range="LOCALHOST", udp_ports=PORTS_OF_7, domain_id=SEVEN,
                wildcard_ports=PORTS_OF_7,
            ),
        ),
        "open_sockets",
        "the UDP ports 9160 to 9161 are open on all addresses: close them in the firewall",
    ),
}  # fmt: skip


def sentences(findings: tuple[Finding, ...], kind: str) -> list[str]:
    return [finding.sentence for finding in findings if finding.kind == kind]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_cure(fault: str) -> None:
    snapshot, kind, words = FAULTS[fault]
    named = sentences(examine(snapshot), kind)
    assert any(words in sentence for sentence in named), named
    assert all("\n" not in sentence for sentence in named)


def test_a_graph_that_fits_has_no_finding() -> None:
    assert examine(GOOD) == ()
    assert report(GOOD, ())[-1] == "everything fits"


OFF = Evidence(status_age_s=0.1, mode="MANUAL", command_age_s=0.1)


def test_a_car_that_nobody_has_engaged_does_not_fit_and_the_command_is_there() -> None:
    lines = report(replace(GOOD, evidence=(OFF,)), ())
    assert "everything fits" not in lines
    assert lines[-2].startswith("/vehicle: Not engaged: autonomy is off (mode MANUAL)")
    assert lines[-1].endswith(
        "ros2 service call /vehicle/change_mode vdsim_msgs/srv/ChangeMode '{request: 1}'"
    )


def test_a_car_that_drives_fits() -> None:
    drives = replace(OFF, mode="AUTONOMOUS")
    assert report(replace(GOOD, evidence=(drives,)), ())[-1] == "everything fits"


def test_an_error_of_the_graph_is_the_answer_and_is_said_once() -> None:
    snapshot, kind, _ = FAULTS["two interfaces"]
    snapshot = replace(snapshot, evidence=(OFF,))
    findings = examine(snapshot)
    assert [answer.cause for answer in answers(snapshot, findings)] == [kind]
    assert sum("both obey the same commands" in line for line in report(snapshot, findings)) == 1


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_every_check_is_provoked_by_a_fault(check: Callable[[Snapshot], list[Finding]]) -> None:
    assert any(check(snapshot) for snapshot, _, _ in FAULTS.values())


def test_a_node_runs_checks_that_the_doctor_runs_too() -> None:
    assert set(NODE_CHECKS) < set(CHECKS)


def test_every_check_takes_an_empty_graph() -> None:
    [finding] = examine(Snapshot())
    assert finding.kind == "no_interface"


def test_a_planning_simulator_is_the_vehicle() -> None:
    """It has no command of the interface's own types, and reports its speed as a vehicle does."""
    node, control = "/simulation/simple_planning_simulator", "autoware_control_msgs/msg/Control"
    ends = (
        subscribes(node, "/control/command/control_cmd", control),
        publishes(
            node, "/vehicle/status/velocity_status", "autoware_vehicle_msgs/msg/VelocityReport"
        ),
    )
    idle = Snapshot(endpoints=ends)
    assert idle.vehicle_nodes == {node}
    [finding] = examine(idle)
    assert finding.kind == "no_command"
    gate = publishes("/control/vehicle_cmd_gate", "/control/control_cmd", control)
    [named] = sentences(examine(Snapshot(endpoints=(*ends, gate))), "other_name")
    assert named.endswith(
        f"start {node} with --ros-args -r /control/command/control_cmd:=/control/control_cmd"
    )


@pytest.mark.parametrize("gear", [2, 20, 23])
def test_a_car_in_a_gear_that_drives_has_no_finding(gear: int) -> None:
    report = Received(topic=GEAR_OUT, count=9, window_s=2.0, gear=gear)
    assert not sentences(examine(simulated(received=(wanted(), report))), "no_gear")


def test_the_graph_of_a_whole_autoware_stays_as_it_is() -> None:
    """The names of its planning differ by release; none of its own nodes is to be remapped."""
    planning = "/planning/scenario_planning"
    theirs = (
        publishes(
            f"{planning}/lane_driving/node", f"{planning}/lane_driving/trajectory", TRAJECTORY
        ),
        publishes(f"{planning}/parking/node", f"{planning}/parking/trajectory", TRAJECTORY),
        publishes(f"{planning}/selector", f"{planning}/scenario_selector/trajectory", TRAJECTORY),
        publishes("/planning/planning_validator", "/planning/trajectory", TRAJECTORY),
        publishes("/control/vehicle_cmd_gate", CONTROL_IN, CONTROL),
        publishes("/control/vehicle_cmd_gate", GEAR_IN, GEAR),
        subscribes(
            "/localization/util/pose_initializer", "/sensing/gnss/pose_with_covariance", POSE
        ),
    )
    findings = examine(simulated(*theirs))
    assert not findings, [finding.sentence for finding in findings]
    only_a_lane = simulated(theirs[0], theirs[4])
    assert not sentences(examine(only_a_lane), "other_name")


def test_the_speed_to_start_from_is_no_command() -> None:
    """A Twist drives an adapter, which publishes our commands; a simulator starts from it."""
    node, control = "/simulation/simple_planning_simulator", "autoware_control_msgs/msg/Control"
    twist = "geometry_msgs/msg/TwistStamped"
    initial = subscribes(node, "/simulation/input/initialtwist", twist)
    simulator = (
        subscribes(node, "/control/command/control_cmd", control),
        publishes(
            node, "/vehicle/status/velocity_status", "autoware_vehicle_msgs/msg/VelocityReport"
        ),
        initial,
    )
    [finding] = examine(Snapshot(endpoints=simulator))
    assert finding.cure == "publish on /control/command/control_cmd"
    sets_it = publishes("/scenario", initial.topic, twist)
    [finding] = examine(Snapshot(endpoints=(*simulator, sets_it)))
    assert finding.kind == "no_command"


def test_a_twist_is_the_command_of_an_adapter() -> None:
    node, ours = "/vehicle/twist_interface", "vdsim_msgs/msg/HighLevelControlCommand"
    ends = (
        subscribes(node, "/cmd_vel", "geometry_msgs/msg/TwistStamped"),
        publishes(node, "/vehicle/high_level_command", ours),
    )
    assert [end.topic for end in Snapshot(endpoints=ends).inputs] == ["/cmd_vel"]


def test_errors_come_first_and_decide() -> None:
    snapshot, _, _ = FAULTS["reliability"]
    findings = examine(replace(snapshot, received=(replace(GOOD.received[0], count=0),)))
    assert [finding.severity for finding in findings] == [Severity.ERROR, Severity.WARN]
    assert has_errors(findings)
    assert not has_errors(examine(FAULTS["two publishers"][0]))


def test_the_reasons_of_the_vehicle_are_shown() -> None:
    reasons = (
        Reason("/vehicle/vehicle_interface: mode", Severity.WARN, "DISENGAGED: no gear"),
        Reason("/vehicle/vehicle_interface: vehicle link", Severity.ERROR, "no report"),
    )
    lines = report(replace(GOOD, reasons=reasons), ())
    assert lines[-2:] == [
        "ERROR /vehicle/vehicle_interface: vehicle link: no report",
        "WARN  /vehicle/vehicle_interface: mode: DISENGAGED: no gear",
    ]


def test_a_name_of_another_type_or_of_the_same_node_is_not_meant() -> None:
    other = with_source(topic="/high_level_command", type_name="std_msgs/msg/Bool")
    assert sentences(examine(other), "other_name") == []
    unlike = with_source(topic="/steering")
    assert sentences(examine(unlike), "other_name") == []


def test_the_likeliest_of_several_inputs_is_named() -> None:
    mux = tuple(
        subscribes("/vehicle/command_mux", f"/vehicle/{name}/high_level_command")
        for name in ("keyboard", "autonomy", "gamepad")
    )
    feeds = publishes("/vehicle/command_mux", TOPIC)
    ends = (*mux, feeds, publishes("/nav", "/autonomy/high_level_command"), INPUT)
    named = sentences(examine(replace(GOOD, endpoints=ends)), "other_name")
    assert len(named) == 1
    assert "-r /autonomy/high_level_command:=/vehicle/autonomy/high_level_command" in named[0]


@pytest.mark.parametrize(
    ("port", "domain"),
    [(7410, 0), (7411, 0), (7400, None), (9160, 7), (27660, 81), (7399, None), (33000, None)],
)
def test_a_port_belongs_to_a_domain(port: int, domain: int | None) -> None:
    assert domain_of_port(port) == domain


def test_a_domain_needs_both_ports_of_a_participant() -> None:
    assert domains_of({9160, 9161, 7410, 53}) == {7}
    assert domains_of({9161, 9162}) == frozenset()


def test_a_vendor_is_known_by_the_begin_of_a_gid() -> None:
    assert vendor_of(FAST) == "Fast DDS"
    assert vendor_of(CYCLONE) == "Cyclone DDS"
    assert vendor_of(b"") == vendor_of(b"\xff\xff") == ""


def test_another_rmw_of_the_observer_counts_where_the_vehicle_is_not_seen() -> None:
    foreign = replace(NO_CAR, endpoints=(replace(SOURCE, gid=CYCLONE),))
    assert sentences(examine(foreign), "other_vendor")


def test_only_the_stack_s_topic_of_the_level_in_use_is_advised() -> None:
    page = subscribes(INTERFACE, "/vehicle/dashboard/high_level_command")
    graph = replace(GOOD, endpoints=(INPUT, OTHER_INPUT, page, OUTPUT, HEARD))
    [finding] = examine(graph)
    assert finding.cure == f"publish on one of {TOPIC}, /vehicle/raw_command"
    [finding] = examine(replace(graph, levels={INTERFACE: "raw"}))
    assert finding.cure == "publish on /vehicle/raw_command"


def test_an_adapter_that_gets_nothing_is_not_blamed_for_sending_nothing() -> None:
    """What it waits for is the cause."""
    graph = replace(
        GOOD,
        endpoints=(
            *(INPUT, OTHER_INPUT, OUTPUT, HEARD),
            subscribes("/vehicle/twist_adapter", "/cmd_vel", "geometry_msgs/msg/TwistStamped"),
            publishes("/vehicle/twist_adapter", TOPIC),
        ),
        received=(Received(topic=TOPIC, count=0, window_s=2.0),),
    )
    found = examine(graph)
    assert {each.kind for each in found} == {"no_command"}
    assert "publish on /cmd_vel" in found[0].cure


@pytest.mark.parametrize("name", ["vdsim_record", "vdsim_doctor_7", "rosbag2_recorder", "_ros2cli"])
def test_who_records_or_looks_is_an_observer(name: str) -> None:
    assert is_observer(f"/{name}")
    assert not is_observer(f"/stack/{name.strip('_')[-3:]}")
