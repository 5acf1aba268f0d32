"""The vehicle's latest motion and mode; stale odometry is discarded."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vdsim_interface.values import Gear, Mode, Odometry, StateReport
from vdsim_interface.values.speeds import STANDSTILL_MPS


@dataclass(frozen=True)
class MeasuredMotion:
    """The vehicle as reported; None where no report, or no fresh one, was received."""

    velocity_mps: float | None = None
    wheel_angle_rad: float | None = None
    state: StateReport | None = None

    @property
    def gear(self) -> Gear | None:
        """The engaged gear."""
        return self.state.gear if self.state else None

    @property
    def mode(self) -> Mode | None:
        """The interface's mode."""
        return self.state.mode if self.state else None

    @property
    def standing(self) -> bool:
        """True when the vehicle is known to stand still; an unknown speed is no standstill."""
        return self.velocity_mps is not None and abs(self.velocity_mps) < STANDSTILL_MPS


def stands_since(since: float | None, motion: MeasuredMotion, now: float) -> float | None:
    """Return since when the vehicle has stood, as it was until now; None while it moves."""
    return None if not motion.standing else now if since is None else since


class MotionTracker:
    """Keeps the latest reports and their age."""

    def __init__(self, odometry_timeout_s: float = 0.5) -> None:
        self._timeout_s = odometry_timeout_s
        self._odometry: Odometry | None = None
        self._odometry_at = -math.inf
        self._state: StateReport | None = None

    def on_odometry(self, odometry: Odometry, now: float) -> None:
        """Receive a VehicleOdometry message; a non-finite one is ignored."""
        if odometry.is_finite():
            self._odometry = odometry
            self._odometry_at = now

    def on_state_report(self, state: StateReport) -> None:
        """Receive a VehicleStateReport; sent at low rate or on change, it does not age."""
        self._state = state

    def motion(self, now: float) -> MeasuredMotion:
        """The motion at `now`."""
        if self._odometry is None or now - self._odometry_at > self._timeout_s:
            return MeasuredMotion(state=self._state)
        return MeasuredMotion(
            velocity_mps=self._odometry.velocity_mps,
            wheel_angle_rad=self._odometry.front_wheel_angle_rad,
            state=self._state,
        )
