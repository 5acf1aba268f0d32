"""Requests of the service SetFault -> orders for the relay `vdsim_chaos`, and its answers back.

The relay takes JSON: a route and the whole set of its faults. The service names single faults by
their path in docs/link-faults.md: `loss`, `burst.enter`, `blackouts.0.start_s`. What a request does
not name stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from vdsim_protocol.faults import TO, LinkFaults, faults_from_mapping, parse_address

from vdsim_interface.parameters.fields import Parameters, real, text

COMMAND = "command"
STATE = "state"
BOTH = "both"
DIRECTIONS_OF = {COMMAND: (COMMAND,), STATE: (STATE,), BOTH: (COMMAND, STATE)}
READ = b"{}"
"""The order that changes nothing; its answer holds the faults of all routes."""

Flat: TypeAlias = dict[str, float]
Snapshot: TypeAlias = dict[str, Any]


class FaultRefusedError(ValueError):
    """A request that cannot be carried out; the text is one line for the user."""


@dataclass(frozen=True)
class FaultParameters(Parameters):
    """Where the relay is, and which of its routes is which direction of the link."""

    relay: str = text("127.0.0.1:17000", "HOST:PORT that the relay was given as --control")
    command_route: str = text("cmd", "the relay's route towards the vehicle")
    state_route: str = text("state", "the relay's route from the vehicle")
    answer_timeout_s: float = real(1.0, "how long the relay may take to answer [s]", above=0.0)

    def check_together(self) -> None:
        """The address must be one."""
        try:
            parse_address(self.relay, "relay")
        except ValueError:
            self.refuse("relay", "must be HOST:PORT")

    def route(self, direction: str) -> str:
        """The relay's name of a direction of the link."""
        return self.command_route if direction == COMMAND else self.state_route


@dataclass(frozen=True)
class FaultRequest:
    """What a user asks for."""

    link: str = BOTH
    names: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    clear: bool = False

    def __post_init__(self) -> None:
        if self.link not in DIRECTIONS_OF:
            allowed = ", ".join(DIRECTIONS_OF)
            raise FaultRefusedError(f"link={self.link!r}: must be one of {allowed}")
        if len(self.names) != len(self.values):
            raise FaultRefusedError(
                f"names and values: must be equally many, not {len(self.names)} "
                f"and {len(self.values)}"
            )

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions of the link that are meant."""
        return DIRECTIONS_OF[self.link]


def order(request: FaultRequest, seen: Snapshot, parameters: FaultParameters) -> bytes | None:
    """What to send to the relay, None when nothing is to change: all of it applies, or nothing."""
    current = {way: _current(way, seen, parameters) for way in request.directions}
    if not request.names and not request.clear:
        return None
    wanted = {way: _wanted(way, request, faults) for way, faults in current.items()}
    orders = [
        {"route": parameters.route(way), "way": TO, "faults": asdict(faults)}
        for way, faults in wanted.items()
    ]
    return json.dumps(orders).encode()


def read_answer(datagram: bytes) -> Snapshot:
    """Every route with its faults and counters. Raises FaultRefusedError with the relay's words."""
    try:
        answer = json.loads(datagram)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise FaultRefusedError("the relay's answer cannot be read: is it a vdsim_chaos?")
    if "error" in answer:
        raise FaultRefusedError(f"the relay refuses: {answer['error']}")
    return answer


def faults_set(
    request: FaultRequest, seen: Snapshot, parameters: FaultParameters
) -> tuple[tuple[str, float], ...]:
    """Names and values of all faults that are there; of both directions, with the direction."""
    several = len(request.directions) > 1
    return tuple(
        (f"{way}.{name}" if several else name, value)
        for way in request.directions
        for name, value in _current(way, seen, parameters).items()
    )


def _current(direction: str, seen: Snapshot, parameters: FaultParameters) -> Flat:
    route = f"{parameters.route(direction)}/{TO}"
    try:
        faults = dict(_flat(seen[route]["faults"]))
    except (KeyError, TypeError, ValueError):
        known = ", ".join(seen)
        raise FaultRefusedError(
            f"{direction}_route={parameters.route(direction)}: the relay has no {route}, "
            f"it has {known}"
        ) from None
    return {name: value for name, value in faults.items() if value != _NONE.get(name)}


def _wanted(direction: str, request: FaultRequest, current: Flat) -> LinkFaults:
    flat = {} if request.clear else dict(current)
    flat.update(zip(request.names, request.values, strict=True))
    try:
        return faults_from_mapping(_nested(flat), direction)
    except ValueError as error:
        raise FaultRefusedError(str(error)) from None


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Every number in a tree of mappings and lists, by its path."""
    if isinstance(value, dict | list | tuple):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for name, part in parts:
            yield from _flat(part, f"{path}.{name}" if path else str(name))
    elif value is not None:
        yield path, float(value)


def _nested(flat: Flat) -> dict[str, Any]:
    """The tree of which these are the numbers."""
    tree: dict[str, Any] = {}
    for path, value in flat.items():
        *folders, name = path.split(".")
        place = tree
        for folder in folders:
            place = place.setdefault(folder, {})
            if not isinstance(place, dict):
                raise FaultRefusedError(f"{path}: {folder} is a number itself")
        place[name] = value
    if isinstance(tree.get("blackouts"), dict):
        tree["blackouts"] = _listed(tree["blackouts"])
    return tree


def _listed(numbered: dict[str, Any]) -> list[Any]:
    expected = [str(index) for index in range(len(numbered))]
    if sorted(numbered) != sorted(expected):
        raise FaultRefusedError(
            f"blackouts.{', blackouts.'.join(numbered)}: must be numbered from 0 on"
        )
    return [numbered[index] for index in expected]


_NONE = dict(_flat(asdict(LinkFaults())))
