"""Table of endpoints -> what each role may publish and read, as names of DDS; pure.

A role's rights are derived from who opens what: a command is what the car's nodes read and none
of them reports. Nothing here names a topic of the interface.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from workspace.secure.table import Endpoints, union

ROLES = ("vehicle", "stack", "operator", "viewer")
OPERATORS = frozenset({"gamepad_teleop", "joy_device", "keyboard_teleop"})
"""Nodes by which a person drives."""
INTERFACE, PLANT = "vehicle_interface", "plant"
ELSEWHERE = {
    **dict.fromkeys(("ackermann_adapter", "autohyu_bridge", "morai_bridge", "twist_adapter"), ""),
    "simple_planning_simulator": "simulation",
}
"""Namespaces of nodes that run outside of the interface's; so does the plant."""
AUTONOMY = "autonomy"
"""The source of the command mux that is the stack's and no person's."""
SENSORS = "sensors/*"
"""A platform declares its own sensors, which no table can know."""
PLANNED_PATH = "planned_path"
"""What a stack plans: the page of the simulated car shows it, no program of ours publishes it."""
GRAPH = "ros_discovery_info"
OF_EVERY_NODE = frozenset({"/rosout", "/parameter_events"})
CLOCK = "/clock"
SERVICES_OF_A_NODE = (
    *("describe_parameters", "get_parameter_types", "get_parameters", "get_type_description"),
    *("list_parameters", "set_parameters", "set_parameters_atomically"),
)
"""What rclpy and rclcpp open beside a node's own services."""


@dataclass(frozen=True)
class Places:
    """Where the nodes are: namespaces without a slash in front."""

    interface: str = "vehicle"
    plant: str = ""


@dataclass(frozen=True)
class Rights:
    """Names, or patterns, of DDS that a participant may write to and read from."""

    publish: frozenset[str]
    subscribe: frozenset[str]

    def may_publish(self, name: str) -> bool:
        """Whether a topic of DDS may be written to."""
        return any(fnmatchcase(name, pattern) for pattern in self.publish)

    def may_read(self, name: str) -> bool:
        """Whether a topic of DDS may be read."""
        return any(fnmatchcase(name, pattern) for pattern in self.subscribe)


def rights(
    nodes: Mapping[str, Endpoints], role: str, places: Places, more: Iterable[str] = ()
) -> Rights:
    """The rights of a role; `more`: topics that the user adds, which a viewer only reads."""
    placed = {name: _placed(each, name, places) for name, each in nodes.items()}
    car = union(each for name, each in placed.items() if name not in OPERATORS)
    persons = union(each for name, each in placed.items() if name in OPERATORS)
    every = union((car, persons))
    sources = _sources(every.subscribes)
    sensors = f"/{places.interface}/{SENSORS}".replace("//", "/")
    path = f"/{places.interface}/{PLANNED_PATH}".replace("//", "/")
    read = every.publishes | every.subscribes | OF_EVERY_NODE | {CLOCK, sensors, path}
    own = _services_of_any_node()
    if role == "vehicle":
        # Its programs are one launch, teleoperation with them; a person's `ros2 param` too.
        opened = Endpoints(
            every.publishes | sources | OF_EVERY_NODE | {sensors},
            read,
            every.offers | own,
            every.offers,
        )
    elif role == "stack":
        sent = (car.subscribes | {path}) - _reports(placed) - sources
        opened = Endpoints(sent | OF_EVERY_NODE, read, own, _mode_services(car))
    elif role == "operator":
        # A stop reaches the car on a topic that the stack may use too.
        sent = persons.publishes | sources
        opened = Endpoints(sent | OF_EVERY_NODE, read, own, persons.calls)
    else:
        # The doctor looks for commands on topics that are almost right, RViz shows anything.
        opened = Endpoints(OF_EVERY_NODE, frozenset({"/*"}), own, frozenset())
    added = frozenset(more)
    return _of_dds(union((opened, Endpoints(frozenset() if role == "viewer" else added, added))))


def _placed(endpoints: Endpoints, node: str, places: Places) -> Endpoints:
    space = places.plant if node == PLANT else ELSEWHERE.get(node, places.interface)

    def place(names: frozenset[str]) -> frozenset[str]:
        begin = f"/{space}/" if space else "/"
        return frozenset(name if name.startswith("/") else f"{begin}{name}" for name in names)

    every = (endpoints.publishes, endpoints.subscribes, endpoints.offers, endpoints.calls)
    return Endpoints(*map(place, every))


def _sources(subscribed: frozenset[str]) -> frozenset[str]:
    """The topics of a person's sources: `.../SOURCE/NAME`, where the car reads `.../NAME` too."""
    parts = {name: name.rsplit("/", 2) for name in subscribed}
    return frozenset(
        name
        for name, split in parts.items()
        if len(split) == 3 and split[1] != AUTONOMY and f"{split[0]}/{split[2]}" in subscribed
    )


def _reports(placed: Mapping[str, Endpoints]) -> frozenset[str]:
    """What the car says of itself: of its nodes, but those that pass commands on to it."""
    read = placed[INTERFACE].subscribes - placed[INTERFACE].publishes
    return union(each for each in placed.values() if not each.publishes & read).publishes


def _mode_services(car: Endpoints) -> frozenset[str]:
    """The services by which a stack engages: those that have a twin by topic."""
    return frozenset(name for name in car.offers if f"{name}_twin/request" in car.subscribes)


def _services_of_any_node() -> frozenset[str]:
    return frozenset(f"/*/{service}" for service in SERVICES_OF_A_NODE)


def _of_dds(endpoints: Endpoints) -> Rights:
    """As rmw names them: rt, and for services rq with Request, rr with Reply."""

    def topics(names: frozenset[str]) -> frozenset[str]:
        return frozenset(f"rt{name}" for name in names) | {GRAPH}

    def requests(names: frozenset[str]) -> frozenset[str]:
        return frozenset(f"rq{name}Request" for name in names)

    def replies(names: frozenset[str]) -> frozenset[str]:
        return frozenset(f"rr{name}Reply" for name in names)

    calls, offers = endpoints.calls, endpoints.offers
    return Rights(
        publish=topics(endpoints.publishes) | requests(calls) | replies(offers),
        subscribe=topics(endpoints.subscribes) | replies(calls) | requests(offers),
    )
