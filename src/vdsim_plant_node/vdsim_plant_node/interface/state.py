"""What the page asks of the vehicle interface. Pure: time comes in.

    a person's stop  ->  StopRequest  ->  true, again, until it is confirmed

What it shows of it is `vdsim_protocol.why.heard`, the same that `vdsim_status` prints.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from vdsim_plant.parameters.errors import wrong_value
from vdsim_protocol.why.evidence import EMERGENCY_LOCK
from vdsim_protocol.why.heard import Json

from vdsim_plant_node.interface.path import PlannedPath

REQUESTS = ("engage", "disengage", "give_back")
CONFIRM_S = 2.0
"""How long a stop is published again while nobody confirms it, as a gamepad's."""


class InterfaceOutput(Protocol):
    """The vehicle interfaces of one plant's vehicles; called from the data port's thread."""

    def view(self, vehicle_id: int) -> Json | None:
        """What is known of an interface; None where none is heard."""

    def path(self, vehicle_id: int) -> PlannedPath | None:
        """The path that is planned, one object until it changes; None where nobody publishes."""

    def is_heard(self, vehicle_id: int) -> bool:
        """Whether one is heard; from any thread."""

    def stop(self, vehicle_id: int) -> bool:
        """Request an emergency stop, again until it is confirmed; whether somebody takes it."""

    def request(self, vehicle_id: int, wanted: str, answered: Callable[[bool, str], None]) -> None:
        """Ask for one of REQUESTS; `answered` gets success and reason, on any thread."""


class StopRequest:
    """An emergency stop that was asked for: published at once, and again until it is confirmed."""

    def __init__(self) -> None:
        self._asked_s = -math.inf
        self.is_open = False

    def ask(self, now: float) -> None:
        """Somebody asks at `now` [s]."""
        self._asked_s, self.is_open = now, True

    def is_due(self, locks: tuple[str, ...], now: float) -> bool:
        """Whether to publish it again, given the locks that the interface reports."""
        if self.is_open and (EMERGENCY_LOCK in locks or now - self._asked_s > CONFIRM_S):
            self.is_open = False
        return self.is_open


def checked_request(value: object) -> str:
    """The request of a message of the page; a ParameterError says what is allowed."""
    if not isinstance(value, str) or value not in REQUESTS:
        raise wrong_value("request", value, f"one of {', '.join(REQUESTS)}")
    return value
