"""The actuators between what is commanded and what the car gets: delay, limit, lag, rate limit.

    commanded -> delay -> limit at this speed -> first-order lag -> rate limit -> realized

Pure: time comes in as the length of the coming interval, the car's speed as an argument. Off by
default: without parameters the commands pass unchanged, to the bit.
"""

from __future__ import annotations

import math
import struct
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from vdsim_plant.delay_line import DelayLine
from vdsim_plant.kernel.layout import WHEEL_NAMES
from vdsim_plant.motion import PedalInput, WheelTorques
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.fields import check_fields, curve, real, shown_fields

ChannelState = tuple[float, float, list[tuple[float, float]]]
"""Position, value at the end of the dead time, and (time, value) of what waits in it."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelParameters:
    """How one actuator follows its command."""

    lag_s: float = real(0.0, "time constant of a first-order lag", unit="s", at_least=0, at_most=10)
    delay_s: float = real(0.0, "dead time", unit="s", at_least=0, at_most=10)
    rate_limit_per_s: float = real(
        0.0, "fastest change, in the channel's unit a second; 0 is none", at_least=0, at_most=1e8
    )
    limit_over_speed: tuple[tuple[float, float], ...] = curve(
        (),
        "largest size over the car's speed, linear between the points, constant beyond the last",
        unit="m/s, the channel's unit",
        optional=True,
    )
    rate_limit_over_speed: tuple[tuple[float, float], ...] = curve(
        (),
        "fastest change over the car's speed, in addition to `rate_limit_per_s`",
        unit="m/s, the channel's unit/s",
        optional=True,
    )

    def __post_init__(self) -> None:
        check_fields(self)

    def __repr__(self) -> str:
        return shown_fields(self, "limit_over_speed", "rate_limit_over_speed")


@dataclass(frozen=True, kw_only=True, repr=False)
class ActuatorParameters:
    """All actuators of a car; the default is ideal ones."""

    steering: ChannelParameters = field(default_factory=ChannelParameters)
    throttle: ChannelParameters = field(default_factory=ChannelParameters)
    brake: ChannelParameters = field(default_factory=ChannelParameters)
    force: ChannelParameters = field(default_factory=ChannelParameters)
    wheel_torque: ChannelParameters = field(default_factory=ChannelParameters)

    def __repr__(self) -> str:
        return shown_fields(self, "wheel_torque")


class ActuatorLayer:
    """The actuators of one car."""

    def __init__(self, parameters: ActuatorParameters | None = None) -> None:
        self.parameters = ActuatorParameters() if parameters is None else parameters
        self._steering = _Channel(self.parameters.steering)
        self._throttle = _Channel(self.parameters.throttle)
        self._brake = _Channel(self.parameters.brake)
        self._force = _Channel(self.parameters.force)
        wheel = self.parameters.wheel_torque
        # Ideal ones have no state: the torques pass.
        ideal = wheel == ChannelParameters()
        self._drives, self._brakes = (
            () if ideal else tuple(_Channel(wheel) for _ in WHEEL_NAMES) for _ in range(2)
        )
        self._channels = (
            *(self._steering, self._throttle, self._brake, self._force),
            *self._drives,
            *self._brakes,
        )
        self._now = 0.0

    def reset(self, steer_rad: float = 0.0) -> None:
        """Start again: pedals up, no force, the steering at `steer_rad`."""
        self._now = 0.0
        for channel in self._channels:
            channel.reset(0.0)
        self._steering.reset(steer_rad)

    def realize_pedals(
        self, commanded: PedalInput, duration_s: float, speed_mps: float = 0.0
    ) -> PedalInput:
        """Return what the car gets over the coming interval; gear and handbrake act immediately.

        `speed_mps`: of the car at the beginning of the interval [m/s].
        """
        when = (self._now, duration_s, speed_mps)
        realized = PedalInput(
            torques=self.realize_torques(commanded.torques, duration_s, speed_mps),
            steer_rad=self._steering.follow(commanded.steer_rad, *when),
            throttle=self._throttle.follow(commanded.throttle, *when),
            brake=self._brake.follow(commanded.brake, *when),
            gear=commanded.gear,
            handbrake=commanded.handbrake,
        )
        self._now += duration_s
        return realized

    def realize_torques(
        self, commanded: WheelTorques | None, duration_s: float, speed_mps: float = 0.0
    ) -> WheelTorques | None:
        """Return the wheels' torques over the interval; before the pedals or the force of it."""
        if not self._drives:
            return commanded
        wanted = WheelTorques() if commanded is None else commanded
        when = (self._now, duration_s, speed_mps)
        drive = [
            channel.follow(torque, *when)
            for channel, torque in zip(self._drives, wanted.drive_nm, strict=True)
        ]
        brake = [
            channel.follow(torque, *when)
            for channel, torque in zip(self._brakes, wanted.brake_nm, strict=True)
        ]
        return WheelTorques(
            (drive[0], drive[1], drive[2], drive[3]), (brake[0], brake[1], brake[2], brake[3])
        )

    def realize_force(
        self, steer_rad: float, fx_total_n: float, duration_s: float, speed_mps: float = 0.0
    ) -> tuple[float, float]:
        """Return (wheel angle [rad], force intent [N]) that the car gets over the interval."""
        steer_rad = self._steering.follow(steer_rad, self._now, duration_s, speed_mps)
        fx_total_n = self._force.follow(fx_total_n, self._now, duration_s, speed_mps)
        self._now += duration_s
        return steer_rad, fx_total_n

    def state(self) -> tuple[float, ChannelState, ChannelState, list[ChannelState]]:
        """Return the time and the states of steering, force and torques (drive, then brake)."""
        wheels = [channel.state() for channel in (*self._drives, *self._brakes)]
        return self._now, self._steering.state(), self._force.state(), wheels

    def snapshot(self) -> bytes:
        """Return the whole state; `restore` continues from it to the bit."""
        numbers = [self._now]
        for channel in self._channels:
            numbers += channel.numbers()
        return struct.pack(f"<{len(numbers)}d", *numbers)

    def restore(self, snapshot: bytes) -> None:
        """Continue from the snapshot of a layer with the same parameters."""
        numbers = numbers_of(snapshot, "actuator snapshot")
        self._now = numbers.popleft()
        for channel in self._channels:
            channel.take(numbers)


def numbers_of(snapshot: bytes, what: str) -> deque[float]:
    """Return the numbers that a snapshot packs, or raise."""
    if not snapshot or len(snapshot) % 8:
        raise ParameterError(what, f"has {len(snapshot)} bytes: not a snapshot")
    return deque(struct.unpack(f"<{len(snapshot) // 8}d", snapshot))


def value_at(points: Sequence[tuple[float, float]], speed_mps: float) -> float:
    """Return the value of a table at a speed [m/s], its sign aside."""
    speed = abs(speed_mps)
    last = len(points) - 1
    above = min(bisect_right(points, speed, key=itemgetter(0)), last)
    (x0, y0), (x1, y1) = points[above - 1], points[above]
    share = min((speed - x0) / (x1 - x0), 1.0)
    return y0 + share * (y1 - y0)


class _Channel:
    """One actuator."""

    def __init__(self, parameters: ChannelParameters) -> None:
        self._parameters = parameters
        self._delay = DelayLine(parameters.delay_s)
        self._position = 0.0

    def reset(self, position: float) -> None:
        self._delay.fill(position)
        self._position = position

    def follow(self, command: float, now: float, duration_s: float, speed_mps: float) -> float:
        """Return the position at the end of the coming interval."""
        parameters = self._parameters
        target = self._delay.pass_through(command, now)
        if parameters.limit_over_speed:
            limit = value_at(parameters.limit_over_speed, speed_mps)
            target = min(max(target, -limit), limit)
        if parameters.lag_s > 0.0:
            change = (target - self._position) * -math.expm1(-duration_s / parameters.lag_s)
            target = self._position + change
        if parameters.rate_limit_per_s > 0.0:
            target = self._within_reach(target, parameters.rate_limit_per_s * duration_s)
        if parameters.rate_limit_over_speed:
            rate = value_at(parameters.rate_limit_over_speed, speed_mps)
            target = self._within_reach(target, rate * duration_s)
        self._position = target
        return target

    def _within_reach(self, target: float, reach: float) -> float:
        return min(max(target, self._position - reach), self._position + reach)

    def state(self) -> ChannelState:
        return (self._position, *self._delay.state())

    def numbers(self) -> list[float]:
        return [self._position, *self._delay.numbers()]

    def take(self, numbers: deque[float]) -> None:
        self._position = numbers.popleft()
        self._delay.take(numbers)
