"""Bumpless hand-over: changes of the new command act at once, the initial difference decays.

At the hand-over, the gap between the last published command and the new one is stored per channel.
It is added to the new commands and decays at a stated rate. So nothing jumps, and the hand-over
ends after gap / rate at the latest. A gap towards more braking decays faster than one towards less.

What passes moves towards the new command and never away from it: a source whose first command was
not meant (a computer that was not selected yet) leaves a gap that its later ones do not carry on.
A command with a number that no car could follow (a planner's 3e38) leaves none: it would last for
ever. The blend then starts from what the car does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from vdsim_interface.arbitration.motion import MeasuredMotion
from vdsim_interface.arbitration.parameters import HandOverParameters
from vdsim_interface.arbitration.safe_stop import approach
from vdsim_interface.values import Command, HighLevelCommand, RawCommand, VehicleCommand

MOST, MOST_RAD, MOST_RAW_S = 100.0, 1.0, 5.0
"""No car follows a larger speed, acceleration, curvature or angle [SI units], or wheel angle; nor
raw steering, whose unit is the integrator's, by what its rate reaches in so many seconds."""


@dataclass
class _Channel:
    """One channel's gap. Rates are per second, for a gap above and below the new command."""

    gap: float
    passed: float
    rate_down: float
    rate_up: float

    def step(self, value: float, dt_s: float) -> float:
        """Decay for a time; return what passes for a new value.

        Where the value comes closer than the gap is wide, what passes goes on at the same rate.
        """
        closer = (self.rate_down if self.gap > 0.0 else self.rate_up) * dt_s
        self.gap = approach(self.gap, 0.0, closer)
        nearer = approach(self.passed, value, closer)
        low, high = min(value, nearer), max(value, nearer)
        self.passed = min(max(value + self.gap, low), high)
        if self.passed == value:
            self.gap = 0.0
        return self.passed


class HandOver:
    """Blends from one command stream into another; inactive until `start`."""

    def __init__(self, parameters: HandOverParameters, wheelbase_m: float) -> None:
        self._parameters = parameters
        self._wheelbase_m = wheelbase_m
        self._channels: dict[str, _Channel] = {}
        self._kind: type[Command] | None = None
        self._decayed_at = 0.0

    @property
    def active(self) -> bool:
        """True while a gap is left."""
        return any(channel.gap != 0.0 for channel in self._channels.values())

    def start(
        self, previous: Command | None, new: Command, motion: MeasuredMotion, now: float
    ) -> None:
        """Start a blend: from now on commands are on the level of `new`."""
        if isinstance(previous, HighLevelCommand | VehicleCommand):
            previous = previous if max(map(abs, previous[1:])) <= MOST else None
        if isinstance(new, HighLevelCommand):
            self._channels = self._high_level(previous, new, motion)
        elif isinstance(new, VehicleCommand):
            self._channels = self._vehicle(previous, new, motion)
        else:
            self._channels = self._raw(previous, new)
        self._kind = type(new)
        self._decayed_at = now

    def apply(self, command: Command, now: float) -> Command:
        """Return the command to publish for `command`."""
        dt_s, self._decayed_at = max(0.0, now - self._decayed_at), now
        if not self.active or not isinstance(command, self._kind or ()):
            return command
        blended = {
            name: channel.step(getattr(command, name), dt_s)
            for name, channel in self._channels.items()
        }
        if isinstance(command, RawCommand):
            return command._replace(**{name: round(value) for name, value in blended.items()})
        if isinstance(command, VehicleCommand):  # `_replace` is checked for one type at a time
            return command._replace(**blended)
        return command._replace(**blended)

    def _high_level(
        self, previous: Command | None, new: HighLevelCommand, motion: MeasuredMotion
    ) -> dict[str, _Channel]:
        p, old = self._parameters, previous if isinstance(previous, HighLevelCommand) else motion
        angle = self._wheel_angle(previous, motion)
        curvature = None if angle is None else math.tan(angle) / self._wheelbase_m
        rates = (p.decel_mps2, p.accel_mps2)
        if new.velocity_mps < 0.0:
            rates = (p.accel_mps2, p.decel_mps2)  # in reverse, a falling value speeds up
        steer_rate = p.wheel_rate_radps / self._wheelbase_m
        speed, measured = old.velocity_mps, motion.velocity_mps
        if speed is not None and measured is not None:
            low, high = sorted((speed, new.velocity_mps))
            # To ask no more for a speed that the car does not have yet is no jump; and where it was
            # to turn back, the blend would drive it the way that nobody asks for any more.
            near = max(low, min(measured, high))
            speed = near if near * speed < 0.0 else min(speed, near, key=abs)
        return {
            "velocity_mps": _channel(speed, new.velocity_mps, *rates),
            "curvature_1pm": _channel(curvature, new.curvature_1pm, steer_rate, steer_rate),
        }

    def _vehicle(
        self, previous: Command | None, new: VehicleCommand, motion: MeasuredMotion
    ) -> dict[str, _Channel]:
        p = self._parameters
        accel = None if previous is None else 0.0  # 0 would be a request for nothing
        if isinstance(previous, VehicleCommand):
            accel = previous.long_accel_mps2
        rates = (p.brake_jerk_mps3, p.jerk_mps3)
        if (motion.velocity_mps or 0.0) < 0.0:
            rates = (p.jerk_mps3, p.brake_jerk_mps3)  # rolling backwards, a rising value brakes
        angle, rate = self._wheel_angle(previous, motion), p.wheel_rate_radps
        return {
            "long_accel_mps2": _channel(accel, new.long_accel_mps2, *rates),
            "front_wheel_angle_rad": _channel(angle, new.front_wheel_angle_rad, rate, rate),
        }

    def _raw(self, previous: Command | None, new: RawCommand) -> dict[str, _Channel]:
        """Blend raw after raw only: raw units cannot be converted from other levels."""
        rate = self._parameters.raw_rate
        if not isinstance(previous, RawCommand) or abs(previous.front_steer) > MOST_RAW_S * rate:
            return {}
        return {
            # Less throttle passes at once; only more of it is ramped.
            "throttle": _channel(min(previous.throttle, new.throttle), new.throttle, rate, rate),
            "front_steer": _channel(previous.front_steer, new.front_steer, rate, rate),
        }

    def _wheel_angle(self, previous: Command | None, motion: MeasuredMotion) -> float | None:
        """The wheel angle commanded last, else the one that the car reports."""
        if isinstance(previous, VehicleCommand):
            return previous.front_wheel_angle_rad
        if isinstance(previous, HighLevelCommand):
            return min(
                max(math.atan(previous.curvature_1pm * self._wheelbase_m), -MOST_RAD), MOST_RAD
            )
        return motion.wheel_angle_rad


def _channel(old: float | None, new: float, rate_down: float, rate_up: float) -> _Channel:
    gap = 0.0 if old is None else old - new
    return _Channel(gap, new if old is None else old, rate_down, rate_up)
