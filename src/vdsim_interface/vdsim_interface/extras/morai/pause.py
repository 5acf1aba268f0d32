"""Recognises a paused simulator: it goes on sending the same status.

From generation 3 on the status has a time stamp, which advances unless time stands still. Before
that, a car that moves, or that is commanded to move, cannot report the same numbers.
"""

import math

from vdsim_interface.extras.morai.report import TIME_SINCE
from vdsim_protocol import morai

PAUSED_S = 0.5
"""The same status for this time is a pause; releases repeat a stamp for a frame or two."""
COMMANDED_S = 1.0
"""A car that stands may take this long to answer a command to drive."""
MOVING_KPH = 0.5


RETRY_S = 5.0
"""A car that stands without a time stamp and is not commanded to drive shows nothing: after this
time it counts as running, so that it is tried again."""


class PauseWatch:
    """Looks at every status. `is_paused`: as of the last one. `paused_s`: all pauses [s]."""

    def __init__(self) -> None:
        self._status: morai.EgoVehicleStatus | None = None
        self._since_s = 0.0
        self._drive_since_s = math.inf
        self._paused_since_s = math.inf
        self.is_paused = False
        self.paused_s = 0.0

    def on_command(self, now: float, *, drives: bool) -> None:
        """Note whether the command that is sent is to move the car."""
        if not drives:
            self._drive_since_s = math.inf
        elif self._drive_since_s > now:
            self._drive_since_s = now

    def on_status(self, status: morai.EgoVehicleStatus, generation: int, now: float) -> None:
        """Use a status."""
        if self._status is None or not _same(status, self._status) or now < self._since_s:
            if self.is_paused:
                self.paused_s += now - self._since_s
            self._status, self._since_s, self.is_paused = status, now, False
            return
        shows = generation >= TIME_SINCE or abs(status.signed_velocity_kph) > MOVING_KPH
        if self.is_paused:
            self.is_paused = shows or now - self._paused_since_s < RETRY_S
            if not self.is_paused:
                self._since_s = now
            return
        begun_s = max(self._drive_since_s, self._since_s)
        patience_over = now - begun_s >= COMMANDED_S
        self.is_paused = patience_over or (shows and now - self._since_s >= PAUSED_S)
        if self.is_paused:
            self._paused_since_s = now


def _same(status: morai.EgoVehicleStatus, before: morai.EgoVehicleStatus) -> bool:
    return _numbers(status) == _numbers(before)


def _numbers(status: morai.EgoVehicleStatus) -> tuple[float, ...]:
    """What changes while time passes: the stamp, and whatever moves.

    Not gear and control mode: a paused simulator may repeat those of the latest command.
    """
    return (
        status.sec,
        status.nsec,
        status.signed_velocity_kph,
        status.accel,
        status.brake,
        status.steer_deg,
        status.pos_x_m,
        status.pos_y_m,
        status.heading_deg,
        status.accel_x_mps2,
        status.accel_y_mps2,
    )
