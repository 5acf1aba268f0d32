"""Requests of the service SetFault -> requests to the relay `vdsim_chaos`, and its responses.

The relay receives JSON: a route and the complete set of its faults. The service names single faults
by their path in docs/link-faults.md: `loss`, `burst.enter`, `blackouts.0.start_s`. Faults that a
request does not name stay unchanged.
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
"""The request that changes nothing; its response holds the faults of all routes."""

Flat: TypeAlias = dict[str, float]
Snapshot: TypeAlias = dict[str, Any]
"""A response of the relay: JSON of every route with its faults and counters."""


class FaultRefusedError(ValueError):
    """A request that is rejected; the text is one line for the user."""


@dataclass(frozen=True)
class FaultParameters(Parameters):
    """The relay's address, and its routes for the two directions of the link."""

    relay: str = text("127.0.0.1:17000", "HOST:PORT of the relay's option --control")
    command_route: str = text("cmd", "the relay's route towards the vehicle")
    state_route: str = text("state", "the relay's route from the vehicle")
    answer_timeout_s: float = real(1.0, "time-out of a response of the relay [s]", at_least=0.01)

    def check_together(self) -> None:
        """Check the address."""
        try:
            parse_address(self.relay, "relay")
        except ValueError:
            self.refuse("relay", "must be HOST:PORT")

    def route(self, direction: str) -> str:
        """Return the relay's route of a direction of the link."""
        return self.command_route if direction == COMMAND else self.state_route


@dataclass(frozen=True)
class FaultRequest:
    """A request of a user."""

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
        """The requested directions of the link."""
        return DIRECTIONS_OF[self.link]


def relay_request(
    request: FaultRequest, snapshot: Snapshot, parameters: FaultParameters
) -> bytes | None:
    """Return the request to the relay (it applies all of it or none); None without a change."""
    current = {way: _current(way, snapshot, parameters) for way in request.directions}
    if not request.names and not request.clear:
        return None
    target = {way: _target(way, request, faults) for way, faults in current.items()}
    changes = [
        {"route": parameters.route(way), "way": TO, "faults": asdict(faults)}
        for way, faults in target.items()
    ]
    return json.dumps(changes).encode()


def parse_response(datagram: bytes) -> Snapshot:
    """Parse a response of the relay; raises FaultRefusedError with the relay's reason."""
    try:
        response = json.loads(datagram)
    except ValueError:
        response = None
    if not isinstance(response, dict):
        raise FaultRefusedError("the relay's response is not valid: is it a vdsim_chaos?")
    if "error" in response:
        raise FaultRefusedError(f"the relay refuses: {response['error']}")
    return response


def active_faults(
    request: FaultRequest, snapshot: Snapshot, parameters: FaultParameters
) -> tuple[tuple[str, float], ...]:
    """Return names and values of all active faults; for both directions, with the direction."""
    several = len(request.directions) > 1
    return tuple(
        (f"{way}.{name}" if several else name, value)
        for way in request.directions
        for name, value in _current(way, snapshot, parameters).items()
    )


def _current(direction: str, snapshot: Snapshot, parameters: FaultParameters) -> Flat:
    route = f"{parameters.route(direction)}/{TO}"
    try:
        faults = dict(_flat(snapshot[route]["faults"]))
    except (KeyError, TypeError, ValueError):
        known = ", ".join(snapshot)
        raise FaultRefusedError(
            f"{direction}_route={parameters.route(direction)}: the relay has no {route}, "
            f"it has {known}"
        ) from None
    return {name: value for name, value in faults.items() if value != _NONE.get(name)}


def _target(direction: str, request: FaultRequest, current: Flat) -> LinkFaults:
    flat = {} if request.clear else dict(current)
    flat.update(zip(request.names, request.values, strict=True))
    try:
        return faults_from_mapping(_nested(flat), direction)
    except ValueError as error:
        raise FaultRefusedError(str(error)) from None


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Yield every number in a tree of mappings and lists, with its path."""
    if isinstance(value, dict | list | tuple):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for name, part in parts:
            yield from _flat(part, f"{path}.{name}" if path else str(name))
    elif value is not None:
        yield path, float(value)


def _nested(flat: Flat) -> dict[str, Any]:
    """Build the tree that has these numbers."""
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
