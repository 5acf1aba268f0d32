"""Causes that are planted into the ROS graph: names, types, QoS, domains, clocks, second programs.

A question changes the graph of a drive in which everything fits; where no interface is found, the
graph alone answers.
"""

from __future__ import annotations

from dataclasses import replace

from vdsim_interface.extras.doctor.snapshot import (
    STATUS_TYPE,
    Endpoint,
    Network,
    Qos,
    Received,
    Side,
    Snapshot,
    StackSeen,
)

from vdsim_simulate.exam.question import Change, Question, key

HIGH, RAW = "vdsim_msgs/msg/HighLevelControlCommand", "vdsim_msgs/msg/RawControlCommand"
ODOM, TWIST, CLOCK = "nav_msgs/msg/Odometry", "geometry_msgs/msg/Twist", "rosgraph_msgs/msg/Clock"
STAMPED = "geometry_msgs/msg/TwistStamped"
CONTROL = "autoware_control_msgs/msg/Control"
PEDALS = "tier4_vehicle_msgs/msg/ActuationCommandStamped"
GEAR, GEAR_REPORT = "autoware_vehicle_msgs/msg/GearCommand", "autoware_vehicle_msgs/msg/GearReport"
VELOCITY = "autoware_vehicle_msgs/msg/VelocityReport"
NAMESPACE = "/vehicle"
INTERFACE, PLANNER = f"{NAMESPACE}/vehicle_interface", "/planner"
TOPIC = f"{NAMESPACE}/high_level_command"
FAST, CYCLONE = b"\x01\x0f" + bytes(14), b"\x01\x10" + bytes(14)
HASH, OTHER_HASH = "RIHS01_" + "ab" * 32, "RIHS01_" + "cd" * 32
PORTS_OF_7 = frozenset({7400 + 250 * 7 + 10, 7400 + 250 * 7 + 11})
SIMULATOR = "/simulation/simple_planning_simulator"
AWSIM = "/AWSIM"
CONTROL_IN, GEAR_IN = "/control/command/control_cmd", "/control/command/gear_cmd"
LIDAR_SLAM = "https://github.com/rsasaki0109/lidar_slam_ros2/pull/221"
AUTOWARE = "https://github.com/autowarefoundation/autoware/issues/5265"


def publishes(node: str, topic: str, type_name: str = HIGH, qos: Qos = Qos()) -> Endpoint:  # noqa: B008
    """A publisher on our middleware."""
    return Endpoint(
        node=node, topic=topic, type_name=type_name, side=Side.PUBLISHER, gid=FAST, qos=qos
    )


def subscribes(node: str, topic: str, type_name: str = HIGH, qos: Qos = Qos()) -> Endpoint:  # noqa: B008
    """A subscription on our middleware."""
    return Endpoint(
        node=node, topic=topic, type_name=type_name, side=Side.SUBSCRIPTION, gid=FAST, qos=qos
    )


SOURCE = replace(publishes(PLANNER, TOPIC), type_hash=HASH)
OWN = (
    replace(subscribes(INTERFACE, TOPIC), type_hash=HASH),
    subscribes(INTERFACE, f"{NAMESPACE}/raw_command", RAW),
    publishes(INTERFACE, f"{NAMESPACE}/odom", ODOM),
    publishes(INTERFACE, f"{NAMESPACE}/safety_status", STATUS_TYPE),
)
COMMANDS = Received(topic=TOPIC, count=100, window_s=2.0, has_stamps=True, oldest_s=0.02)
FITS = Snapshot(
    endpoints=(*OWN, SOURCE, subscribes(PLANNER, f"{NAMESPACE}/odom", ODOM)),
    own_gid=FAST,
    own_hashes={HIGH: HASH},
    received=(COMMANDS,),
)
"""A planner and an interface: everything fits."""


def source(**changes: object) -> Change:
    """The planner's publisher is another one."""

    def change(graph: Snapshot) -> Snapshot:
        ends = tuple(
            replace(end, **changes) if end == SOURCE else end  # type: ignore[arg-type]
            for end in graph.endpoints
        )
        return replace(graph, endpoints=ends)

    return change


def without_source(graph: Snapshot) -> Snapshot:
    """No planner publishes."""
    ends = tuple(end for end in graph.endpoints if end != SOURCE)
    received = tuple(each for each in graph.received if each.topic != TOPIC)
    return replace(graph, endpoints=ends, received=received)


def ends(*more: Endpoint) -> Change:
    """There are more ends."""
    return lambda graph: replace(graph, endpoints=(*graph.endpoints, *more))


def received(**changes: object) -> Change:
    """The commands arrive otherwise."""

    def change(graph: Snapshot) -> Snapshot:
        seen = tuple(
            replace(each, **changes) if each.topic == TOPIC else each  # type: ignore[arg-type]
            for each in graph.received
        )
        return replace(graph, received=seen)

    return change


def no_car(**changes: object) -> Change:
    """The planner alone is there."""
    network = Network(**changes)  # type: ignore[arg-type]
    return lambda graph: Snapshot(endpoints=(SOURCE,), own_gid=FAST, network=network)


def stack(**changes: bool) -> Change:
    """What Autoware says of itself."""
    return lambda graph: replace(graph, stack=StackSeen(**changes))


def in_turn(*changes: Change) -> Change:
    """One change after the other."""

    def change(graph: Snapshot) -> Snapshot:
        for each in changes:
            graph = each(graph)
        return graph

    return change


def simulated(*more: Endpoint, seen: tuple[Received, ...] = ()) -> Change:
    """A planning simulator of Autoware in place of our interface."""
    own = (
        subscribes(SIMULATOR, CONTROL_IN, CONTROL),
        subscribes(SIMULATOR, GEAR_IN, GEAR),
        publishes(SIMULATOR, "/vehicle/status/gear_status", GEAR_REPORT),
        publishes(SIMULATOR, "/vehicle/status/velocity_status", VELOCITY),
    )
    return lambda graph: Snapshot(endpoints=(*own, *more), own_gid=FAST, received=seen)


def pedal_car(*more: Endpoint) -> Change:
    """A simulator that takes pedals, as AWSIM Labs."""
    own = (
        subscribes(AWSIM, "/control/command/actuation_cmd", PEDALS),
        publishes(AWSIM, "/vehicle/status/velocity_status", VELOCITY),
    )
    return lambda graph: Snapshot(endpoints=(*own, *more), own_gid=FAST)


ADAPTED = ends(
    subscribes(f"{NAMESPACE}/twist_adapter", "/cmd_vel", STAMPED),
    publishes(f"{NAMESPACE}/twist_adapter", TOPIC),
)
WANTED = Received(topic=CONTROL_IN, count=66, window_s=2.0, wants_motion=True)
GATE = publishes("/control/vehicle_cmd_gate", CONTROL_IN, CONTROL)


def _silent(world: object) -> None:
    world.planner.is_silent = True  # type: ignore[attr-defined]


def cut_off(**more: object) -> Question:
    """A question in which the stack's commands reach no interface from the start."""
    return Question(act=_silent, planted_s=0.0, **more)  # type: ignore[arg-type]


GRAPH_QUESTIONS: tuple[Question, ...] = (
    cut_off(
        name="other_type",
        text="the stack publishes another type on the command topic",
        key=key("other_type", says="expects"),
        change=source(type_name=TWIST),
    ),
    cut_off(
        name="other_version",
        text="the stack was built with another version of the message",
        key=key("other_version", says="version"),
        change=source(type_hash=OTHER_HASH),
    ),
    cut_off(
        name="best_effort",
        text="the stack publishes best effort, and reliable is requested",
        key=key("qos", says="reliability"),
        change=source(qos=Qos(reliability="BEST_EFFORT")),
    ),
    cut_off(
        name="deadline",
        text="the interface requests a deadline that the stack does not offer",
        key=key("qos", says="deadline"),
        change=ends(subscribes(INTERFACE, TOPIC, qos=Qos(deadline_s=0.1))),
    ),
    cut_off(
        name="durability",
        text="the interface requests transient local, and the stack is volatile",
        key=key("qos", says="durability"),
        change=ends(subscribes(INTERFACE, TOPIC, qos=Qos(durability="TRANSIENT_LOCAL"))),
    ),
    cut_off(
        name="other_namespace",
        text="the stack publishes without the car's namespace",
        key=key("other_name", says="/high_level_command"),
        change=source(topic="/high_level_command"),
    ),
    cut_off(
        name="slip_in_a_name",
        text="the topic's name has a slip",
        key=key("other_name", says="high_level_comand"),
        change=source(topic="/vehicle/high_level_comand"),
    ),
    cut_off(
        name="nobody_publishes",
        text="nobody publishes a command",
        key=key("no_command", says="command"),
        change=without_source,
    ),
    cut_off(
        name="announced_and_silent",
        text="the stack has announced its topic and sends nothing (an unstable binding)",
        key=key("silent_publisher", says="announced"),
        change=received(count=0),
        source=LIDAR_SLAM,
    ),
    cut_off(
        name="stack_in_another_domain",
        text="the stack runs in another ROS_DOMAIN_ID",
        key=key("other_domain", says="domain 7"),
        change=in_turn(
            without_source, lambda graph: replace(graph, network=Network(udp_ports=PORTS_OF_7))
        ),
    ),
    Question(
        name="car_in_another_domain",
        text="the car runs in another ROS_DOMAIN_ID",
        key=key("no_interface", says="domain 7"),
        change=no_car(udp_ports=PORTS_OF_7),
        is_doctored=True,
    ),
    Question(
        name="discovery_off",
        text="discovery is off",
        key=key("no_interface", says="RANGE=OFF"),
        change=no_car(discovery_range="OFF"),
        is_doctored=True,
    ),
    Question(
        name="discovery_of_this_machine",
        text="discovery is limited to this machine, and the car is on another one",
        key=key("no_interface", says="LOCALHOST"),
        change=no_car(discovery_range="LOCALHOST"),
        is_doctored=True,
    ),
    Question(
        name="no_interface",
        text="no interface was started",
        key=key("no_interface", says="ros2 launch"),
        change=no_car(),
        is_doctored=True,
    ),
    Question(
        name="two_publishers",
        text="a second node publishes on the command topic",
        key=key("two_publishers", says="/other"),
        change=ends(publishes("/other", TOPIC)),
        source="docs/campaign.md",
    ),
    Question(
        name="two_interfaces",
        text="a second interface runs in the same namespace",
        key=key("two_interfaces", says="end one"),
        change=ends(
            publishes(f"{NAMESPACE}/vehicle_guard", f"{NAMESPACE}/safety_status", STATUS_TYPE)
        ),
    ),
    Question(
        name="two_poses",
        text="a second program publishes the car's odometry",
        key=key("two_reports", says="odom"),
        change=ends(publishes("/ekf", f"{NAMESPACE}/odom", ODOM)),
    ),
    Question(
        name="no_clock",
        text="the interface uses simulated time, and nobody publishes /clock",
        key=key("no_clock", says="/clock"),
        change=ends(subscribes(INTERFACE, "/clock", CLOCK)),
    ),
    Question(
        name="two_clocks",
        text="two programs publish /clock",
        key=key("two_clocks", says="/clock"),
        change=ends(publishes("/sim", "/clock", CLOCK), publishes("/bag", "/clock", CLOCK)),
    ),
    Question(
        name="mixed_clocks",
        text="the stack uses simulated time, and the car does not",
        key=key("mixed_clocks", says="simulated time"),
        change=ends(publishes("/sim", "/clock", CLOCK), subscribes(PLANNER, "/clock", CLOCK)),
    ),
    Question(
        name="clock_went_back",
        text="/clock jumped back: the simulator was started again",
        key=key("clock_back", says="/clock"),
        change=lambda graph: replace(
            ends(
                publishes("/sim", "/clock", CLOCK),
                subscribes(INTERFACE, "/clock", CLOCK),
                subscribes(PLANNER, "/clock", CLOCK),
            )(graph),
            received=(
                *graph.received,
                Received(topic="/clock", count=90, window_s=2.0, back_s=41.0),
            ),
        ),
        source=LIDAR_SLAM,
    ),
    Question(
        name="no_stamps",
        text="the stack's messages are not stamped: all zero",
        key=key("no_stamps", says="zero"),
        change=received(unstamped=100, has_stamps=False),
    ),
    Question(
        name="old_stamps",
        text="the stack's stamps are 4 s old: the clocks of two machines differ",
        key=key("stale_stamps", says="old"),
        change=received(oldest_s=4.0, newest_s=3.9),
    ),
    Question(
        name="future_stamps",
        text="the stack's stamps are 3 s ahead",
        key=key("stale_stamps", says="future"),
        change=received(oldest_s=-2.9, newest_s=-3.0),
        source="docs/campaign.md",
    ),
    Question(
        name="slow_stack",
        text="the stack publishes at 3 Hz",
        key=key("slow", says="Hz"),
        change=received(count=6),
    ),
    Question(
        name="other_vendor",
        text="the stack runs on another middleware: nobody answers its request to engage",
        key=key("other_vendor", says="Cyclone"),
        change=source(gid=CYCLONE),
        engages_s=None,
    ),
    cut_off(
        name="adapter_without_twist",
        text="the Twist adapter runs, and nobody publishes /cmd_vel",
        key=key("no_command", says="cmd_vel"),
        change=in_turn(without_source, ADAPTED),
    ),
    cut_off(
        name="twist_without_stamp",
        text="Nav2 publishes Twist, and the adapter takes TwistStamped",
        key=key("other_type", says="TwistStamped"),
        change=in_turn(without_source, ADAPTED, ends(publishes("/nav2", "/cmd_vel", TWIST))),
    ),
    Question(
        name="no_gear",
        text="Autoware never commands DRIVE",
        key=key("no_gear", says="DRIVE"),
        change=simulated(
            GATE,
            seen=(
                WANTED,
                Received(topic="/vehicle/status/gear_status", count=20, window_s=2.0, gear=22),
            ),
        ),
        is_doctored=True,
    ),
    Question(
        name="pedals_to_a_model_of_accelerations",
        text="pedals are sent to a car that takes accelerations",
        key=key("other_kind", says="takes"),
        change=simulated(publishes("/converter", "/control/command/actuation_cmd", PEDALS)),
        is_doctored=True,
    ),
    Question(
        name="converter_missing",
        text="the simulator takes pedals, and no raw_vehicle_cmd_converter runs",
        key=key("other_kind", says="takes"),
        change=pedal_car(GATE),
        is_doctored=True,
        source=LIDAR_SLAM,
    ),
    Question(
        name="gate_paused",
        text="Autoware's vehicle_cmd_gate is paused",
        key=key("gate_paused", says="pause"),
        change=in_turn(simulated(GATE), stack(is_gate_paused=True)),
        is_doctored=True,
        source=LIDAR_SLAM,
    ),
    Question(
        name="start_not_accepted",
        text="Autoware waits for accept_start",
        key=key("start_not_accepted", says="accept_start"),
        change=in_turn(simulated(GATE), stack(waits_for_start=True)),
        is_doctored=True,
        source=LIDAR_SLAM,
    ),
    Question(
        name="target_mode_not_available",
        text='Autoware answers "The target mode is not available. Please check the diagnostics"',
        key=key("mode_not_available", says="autonomous"),
        change=in_turn(simulated(GATE), stack(is_autonomous_available=False)),
        is_doctored=True,
        source=AUTOWARE,
    ),
)
