"""Limits of the encoder, apart from every controller: what it refuses to put on the bus.

A table by speed holds its first value below its first speed and its last one above its last speed;
between them it is a straight line.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple

from vdsim_can.car.rows import SignalName


@dataclass(frozen=True, slots=True)
class SpeedTable:
    """Values by speed [m/s], whose speeds increase strictly."""

    speeds_mps: tuple[float, ...]
    values: tuple[float, ...]

    def at(self, speed_mps: float) -> float:
        """Return the value at a speed, of which the sign does not count."""
        speed = abs(speed_mps)
        index = bisect_right(self.speeds_mps, speed)
        if index == 0:
            return self.values[0]
        if index == len(self.speeds_mps):
            return self.values[-1]
        low, high = self.speeds_mps[index - 1], self.speeds_mps[index]
        part = (speed - low) / (high - low)
        return self.values[index - 1] + part * (self.values[index] - self.values[index - 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class AngleLimits:
    """Of the commanded angle of the front wheels [rad], [rad/s].

    `rate_up`: away from straight ahead, `rate_down`: back to it. Lateral acceleration [m/s2] and
    jerk [m/s3] are those of a car with `wheelbase_m` and the understeer `slip_factor_s2pm2`:
    curvature = angle / (wheelbase * (1 - slip_factor * v2)). `longest_ms`: no more time between two
    frames counts for a rate. `near_measured_rad`: so close to the measured angle is what a car is
    sent that does not steer for us. `frames` in `frames_ms` are the most that steer; 0: any number.
    """

    max_rad: SpeedTable | None = None
    rate_up: SpeedTable | None = None
    rate_down: SpeedTable | None = None
    lateral_accel_mps2: float | None = None
    lateral_jerk_mps3: float | None = None
    wheelbase_m: float | None = None
    slip_factor_s2pm2: float = 0.0
    longest_ms: float = 100.0
    near_measured_rad: float = 0.02
    frames: int = 0
    frames_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TorqueLimits:
    """Of a commanded steering torque, in the unit of its field [N m].

    Steps are per frame. The torque may exceed what the driver's torque allows by nothing: the bound
    is `driver_allowance + driver_factor * (driver's torque)` in its own direction. Within
    `window_ms` it may not rise by more than `window_delta`.
    """

    max_nm: SpeedTable
    step_up_nm: float
    step_down_nm: float
    driver_allowance_nm: float | None = None
    driver_factor: float = 1.0
    window_ms: float = 0.0
    window_delta_nm: float = 0.0


class Agreement(NamedTuple):
    """Two signals that measure the same; their physical values differ by at most `within`."""

    signal: SignalName
    other: SignalName
    within: float
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the encoder allows; None: no limit of that kind.

    Messages that the car file does not send cannot be sent at all: their ids are the list.
    `only_while`: signals that the car sends, with the raw values with which it may be driven. The
    first frame with another one lets the car go. So does one that breaks a row of `agree`.
    `send_while`: the same, but with another value nothing at all is sent, nor after a frame of that
    message that was rejected, nor while the message is stale.
    """

    angle: AngleLimits | None = None
    torque: TorqueLimits | None = None
    accel_min_mps2: float | None = None
    accel_max_mps2: float | None = None
    only_while: tuple[tuple[SignalName, tuple[int, ...]], ...] = ()
    send_while: tuple[tuple[SignalName, tuple[int, ...]], ...] = ()
    agree: tuple[Agreement, ...] = ()

    @property
    def flags(self) -> tuple[tuple[SignalName, tuple[int, ...]], ...]:
        """Signals with the raw values with which the car may be driven."""
        return self.only_while + self.send_while
