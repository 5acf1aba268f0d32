"""The relay between two real processes, without sockets: routes, their faults, and the control.

A route forwards datagrams that arrive at `listen` to `target` (direction "to") and the answers of
`target` to the last sender (direction "back"). Both directions have their own faults,
which can be changed at run time: by `RelayControl.set_faults`, which a ROS service can call, or by
`RelayControl.answer`, which serves the JSON requests of the control port.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from vdsim_protocol.faults.parameters import PERFECT_LINK, LinkFaults, faults_from_mapping
from vdsim_protocol.faults.simulator import LinkSimulator
from vdsim_protocol.port_rule import NamedPort, equal_ports
from vdsim_protocol.shown import shown

Address: TypeAlias = tuple[str, int]
TO = "to"
BACK = "back"
DIRECTIONS = (TO, BACK)
MAX_PORT = 65535
_ROUTE_KEYS = ("name", "listen", "target", "to", "back")


@dataclass(frozen=True)
class Route:
    """One pair of addresses and the faults between them."""

    name: str
    listen: Address
    target: Address | None
    """None: only listen, forward nothing."""
    to: LinkFaults = PERFECT_LINK
    back: LinkFaults = PERFECT_LINK


@dataclass(frozen=True)
class RelayPlan:
    """The configuration of a relay."""

    routes: tuple[Route, ...]
    seed: int = 0


def parse_address(text: Any, where: str) -> Address:
    """An address written `host:port`."""
    host, _, port = str(text).rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > MAX_PORT:
        raise ValueError(f"{where}={shown(text)}: must be host:port with a port up to {MAX_PORT}")
    return host, int(port)


def _route(mapping: Any, index: int) -> Route:
    where = f"routes[{index}]"
    if not isinstance(mapping, Mapping):
        raise ValueError(f"{where}={shown(mapping)}: must be a mapping")
    for key in mapping:
        if key not in _ROUTE_KEYS:
            raise ValueError(f"{where}.{key}: unknown, must be one of {', '.join(_ROUTE_KEYS)}")
    for key in ("name", "listen", "target"):
        if key not in mapping:
            raise ValueError(f"{where}.{key}: is missing")
    return Route(
        name=str(mapping["name"]),
        listen=parse_address(mapping["listen"], f"{where}.listen"),
        target=parse_address(mapping["target"], f"{where}.target"),
        to=faults_from_mapping(mapping.get(TO) or {}, f"{where}.{TO}"),
        back=faults_from_mapping(mapping.get(BACK) or {}, f"{where}.{BACK}"),
    )


def plan_from_mapping(mapping: Any) -> RelayPlan:
    """The plan that a YAML or JSON file describes: `seed` and a list of `routes`."""
    if not isinstance(mapping, Mapping) or not isinstance(mapping.get("routes"), list):
        raise ValueError("plan: must be a mapping with a list of routes")
    for key in mapping:
        if key not in ("routes", "seed"):
            raise ValueError(f"{key}: unknown, must be one of routes, seed")
    seed = mapping.get("seed", 0)
    if not isinstance(seed, int):
        raise ValueError(f"seed={shown(seed)}: must be a whole number")
    routes = tuple(_route(item, index) for index, item in enumerate(mapping["routes"]))
    names = [route.name for route in routes]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"routes: the name {shown(name)} is used twice")
    if not routes:
        raise ValueError("routes: must hold at least one route")
    return RelayPlan(routes, seed)


def check_ports(plan: RelayPlan, control: Address | None) -> None:
    """Raise ValueError for two of the relay's ports that are one, or a route to itself."""
    controls = [] if control is None else [NamedPort("--control", *control)]
    listens = [NamedPort(f"listen of route {some.name}", *some.listen) for some in plan.routes]
    groups = [[*listens, *controls]]
    for route, listen in zip(plan.routes, listens, strict=True):
        if route.target is not None:
            target = NamedPort(f"target of route {route.name}", *route.target)
            groups.append([listen, target, *controls])
    for group in groups:
        if found := equal_ports(group):
            earlier, later = found
            at = f"{later.host}:{later.port}"
            raise ValueError(f"{later.option}={at}: must not be the port of {earlier.option}")


class RelayControl:
    """The simulators of all routes and directions, and the only place that changes them."""

    def __init__(self, plan: RelayPlan, now: float) -> None:
        self.plan = plan
        self._links = {
            (route.name, way): LinkSimulator(
                route.to if way == TO else route.back, f"{plan.seed}/{route.name}/{way}", now
            )
            for route in plan.routes
            for way in DIRECTIONS
        }

    def send(self, route: str, way: str, datagram: bytes, now: float) -> None:
        """A datagram enters a route at `now` [s]."""
        self._links[route, way].send(datagram, now)

    def due(self, now: float) -> list[tuple[str, str, bytes]]:
        """(route, direction, datagram) of everything that has arrived by `now` [s]."""
        return [
            (route, way, datagram)
            for (route, way), link in self._links.items()
            for datagram in link.due(now)
        ]

    def next_deadline(self) -> float | None:
        """When the next datagram arrives [s]; None when nothing is in flight."""
        deadlines = [link.next_deadline() for link in self._links.values()]
        return min((time for time in deadlines if time is not None), default=None)

    def set_faults(self, route: str, way: str, faults: LinkFaults, now: float) -> None:
        """Change the faults of one direction of one route. Raises ValueError for unknown names."""
        self._link(route, way).set_faults(faults, now)

    def _link(self, route: str, way: str) -> LinkSimulator:
        link = self._links.get((route, way))
        if link is None:
            known = ", ".join(f"{name}/{direction}" for name, direction in self._links)
            raise ValueError(f"route={route}/{way}: unknown, must be one of {known}")
        return link

    def apply(self, plan: RelayPlan, now: float) -> None:
        """Apply the faults of a changed plan; its addresses must be unchanged."""
        fixed = [(route.name, route.listen, route.target) for route in self.plan.routes]
        if [(route.name, route.listen, route.target) for route in plan.routes] != fixed:
            raise ValueError("routes: names and addresses cannot change while the relay runs")
        for route in plan.routes:
            for way, faults in ((TO, route.to), (BACK, route.back)):
                if self._links[route.name, way].faults != faults:
                    self.set_faults(route.name, way, faults, now)
        self.plan = plan

    def snapshot(self) -> dict[str, Any]:
        """Faults and counters of every route and direction."""
        return {
            f"{route}/{way}": {"faults": asdict(link.faults), "counters": link.counters()}
            for (route, way), link in self._links.items()
        }

    def answer(self, request: bytes, now: float) -> bytes:
        """Answer a JSON request: `{"route": .., "way": .., "faults": {..}}`, or `{}` to read.

        A list of requests is applied as a whole or not at all.
        """
        try:
            message = json.loads(request)
            orders = message if isinstance(message, list) else [message]
            for link, faults in [self._read(order) for order in orders if order != {}]:
                link.set_faults(faults, now)
            return json.dumps(self.snapshot()).encode()
        except (ValueError, RecursionError) as error:
            return json.dumps({"error": str(error)}).encode()

    def _read(self, order: Any) -> tuple[LinkSimulator, LinkFaults]:
        """Check one item of a request."""
        if not isinstance(order, dict):
            raise ValueError("request: must be a JSON object, or a list of them")
        link = self._link(str(order.get("route")), str(order.get("way", TO)))
        return link, faults_from_mapping(order.get("faults"))
