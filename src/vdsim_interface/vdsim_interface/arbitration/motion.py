"""What is known of the vehicle's motion and mode now: fed by reports, forgotten when they stop."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vdsim_interface.values import Gear, Mode, Odometry, StateReport

STANDSTILL_MPS = 0.1
"""Below this speed a vehicle counts as standing."""


@dataclass(frozen=True)
class MeasuredMotion:
    """The vehicle as last heard; None where nothing (or nothing fresh) is known."""

    velocity_mps: float | None = None
    wheel_angle_rad: float | None = None
    state: StateReport | None = None

    @property
    def gear(self) -> Gear | None:
        """The gear that is in."""
        return self.state.gear if self.state else None

    @property
    def mode(self) -> Mode | None:
        """The interface's mode."""
        return self.state.mode if self.state else None

    @property
    def standing(self) -> bool:
        """True when the vehicle is known to stand still; an unknown speed is no standstill."""
        return self.velocity_mps is not None and abs(self.velocity_mps) < STANDSTILL_MPS


class MotionTracker:
    """Keeps the last reports and how old they are."""

    def __init__(self, odometry_timeout_s: float = 0.5) -> None:
        self._timeout_s = odometry_timeout_s
        self._odometry: Odometry | None = None
        self._odometry_at = -math.inf
        self._state: StateReport | None = None

    def on_odometry(self, odometry: Odometry, now: float) -> None:
        """A VehicleOdometry message; one that is not finite is no knowledge."""
        if odometry.is_finite():
            self._odometry = odometry
            self._odometry_at = now

    def on_state_report(self, state: StateReport) -> None:
        """A VehicleStateReport message. It is sent at low rate or on change, so it does not age."""
        self._state = state

    def motion(self, now: float) -> MeasuredMotion:
        """What may be believed at `now`."""
        if self._odometry is None or now - self._odometry_at > self._timeout_s:
            return MeasuredMotion(state=self._state)
        return MeasuredMotion(
            self._odometry.velocity_mps, self._odometry.front_wheel_angle_rad, self._state
        )
