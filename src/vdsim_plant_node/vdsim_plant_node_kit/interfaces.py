"""A vehicle interface without ROS for a data port: the real state of one, fed by a test."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from vdsim_plant_node.interface.path import PlannedPath
from vdsim_protocol.why import Control, ModeEnd
from vdsim_protocol.why.heard import Body, Heard, InControl, Status
from vdsim_protocol.why.steps import Way

WELL = Status(
    mode="AUTONOMOUS",
    disengaged=ModeEnd(),
    refused=ModeEnd(),
    command_age_s=0.0,
    is_command_stale=False,
    is_link_well=True,
    link_reason="",
    active=(),
)
STACK_DRIVES = InControl(
    control=Control.SOURCE,
    source="autonomy",
    reason="autonomy is the only source",
    sources=(),
    locks=(),
)
STOPPED = STACK_DRIVES._replace(
    control=Control.SAFE_STOP,
    source="",
    reason="emergency stop by topic emergency_stop",
    locks=("emergency_stop",),
)


class OneInterface:
    """Publishes `status` and `control` whenever a page looks; keeps what it is asked for."""

    def __init__(self, status: Status = WELL, control: InControl = STACK_DRIVES) -> None:
        self.status, self.control = status, control
        self.is_present = True
        self.confirms = True
        self.stops_n = 0
        self.requests: list[str] = []
        self.answer: tuple[bool, str] | None = (True, "")
        self.planned: PlannedPath | None = None
        self.way: Way | None = None
        self.body: Body | None = None
        self._state = Heard("/vehicle", "/plant")

    def view(self, vehicle_id: int) -> dict[str, Any] | None:
        now = time.monotonic()
        if self.is_present:
            self._state.on_status(self.status, now)
            self._state.on_control(self.control, now)
        if self.way is not None:
            self._state.on_way(self.way, now)
        if self.body is not None:
            self._state.on_body(self.body)
        return self._state.view(now) if self.is_present else None

    def path(self, vehicle_id: int) -> PlannedPath | None:
        return self.planned

    def is_heard(self, vehicle_id: int) -> bool:
        return self.is_present

    def stop(self, vehicle_id: int) -> bool:
        if not self.is_present:
            return False
        self.stops_n += 1
        if self.confirms:
            self.control = STOPPED
        return True

    def request(self, vehicle_id: int, wanted: str, answered: Callable[[bool, str], None]) -> None:
        self.requests.append(wanted)
        if self.answer is not None:
            answered(*self.answer)
