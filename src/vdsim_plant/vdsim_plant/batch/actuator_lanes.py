"""The actuators of many cars, each car's as an `ActuatorLayer`, to the bit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.actuator import ActuatorLayer, ActuatorParameters, ChannelParameters
from vdsim_plant.batch.delay_lines import DelayLines
from vdsim_plant.batch.rows import Cars

Array = NDArray[np.float64]
Table = tuple[tuple[float, float], ...]


class ActuatorLanes:
    """Steering, force and the torques at the wheels of n cars."""

    def __init__(self, kinds: Sequence[ActuatorParameters], of: Cars, part_s: float) -> None:
        """`part_s`: how long each output is held [s]."""
        self.kinds = kinds
        self._part_s = part_s
        self._now = np.zeros(len(of))
        self._wheels_follow = any(kind.wheel_torque != ChannelParameters() for kind in kinds)
        self._steering = _Channel(len(of), part_s)
        self._force = _Channel(len(of), part_s)
        wheels = range(8 if self._wheels_follow else 0)  # four that drive, four that brake
        self._wheels = [_Channel(len(of), part_s) for _ in wheels]
        self.place(of)

    @property
    def needs_speed(self) -> bool:
        """Whether what an actuator can do depends on the car's speed."""
        return any(channel.tables for channel in self._channels())

    def place(self, of: Cars) -> None:
        """Note of which kind each car is from now on."""
        self._steering.place([kind.steering for kind in self.kinds], of)
        self._force.place([kind.force for kind in self.kinds], of)
        for channel in self._wheels:
            channel.place([kind.wheel_torque for kind in self.kinds], of)

    def reset(self, cars: Cars) -> None:
        """Start again for these cars: straight ahead, no force."""
        self._now[cars] = 0.0
        for channel in self._channels():
            channel.reset(cars)

    def realize(
        self, steer: Array, force: Array, extra: tuple[Array, Array] | None, speed: Array
    ) -> tuple[Array, Array, tuple[Array, Array] | None]:
        """Return what the cars get over the coming part; torques n x 4."""
        if self._wheels_follow:
            n = len(steer)
            wanted = np.zeros((8, n)) if extra is None else np.concatenate([e.T for e in extra])
            got = [
                channel.follow(torque, self._now, speed)
                for channel, torque in zip(self._wheels, wanted, strict=True)
            ]
            extra = (np.stack(got[:4], axis=1), np.stack(got[4:], axis=1))
        steer = self._steering.follow(steer, self._now, speed)
        force = self._force.follow(force, self._now, speed)
        self._now += self._part_s
        return steer, force, extra

    def take(self, cars: Cars, layer: ActuatorLayer) -> None:
        """Take up the state of one car's actuators for these cars."""
        now, steering, force, wheels = layer.state()
        self._now[cars] = now
        self._steering.take(cars, *steering)
        self._force.take(cars, *force)
        for channel, state in zip(self._wheels, wheels, strict=False):
            channel.take(cars, *state)

    def restore(self, arrays: list[NDArray[Any]]) -> None:
        """Take up a state."""
        self._now = arrays[0]
        for k, channel in enumerate(self._channels()):
            channel.restore(arrays[1 + 6 * k : 7 + 6 * k])

    def arrays(self) -> list[NDArray[Any]]:
        """Return the whole state."""
        return [self._now, *(array for channel in self._channels() for array in channel.arrays())]

    def _channels(self) -> list[_Channel]:
        return [self._steering, self._force, *self._wheels]


class _Channel:
    """One actuator of each car: delay, limit at this speed, lag, rate limit."""

    def __init__(self, n: int, part_s: float) -> None:
        self._part_s = part_s
        self._delay = DelayLines(np.zeros(n))
        self._position = np.zeros(n)

    def place(self, kinds: Sequence[ChannelParameters], of: Cars) -> None:
        part_s = self._part_s
        lags = [kind.lag_s for kind in kinds]
        # Without a lag the share is not used: the target is reached at once.
        shares = [-math.expm1(-part_s / lag_s) if lag_s > 0.0 else 0.0 for lag_s in lags]
        self._delay.delay_s = np.array([kind.delay_s for kind in kinds])[of]
        self._lags = np.array([lag_s > 0.0 for lag_s in lags])[of]
        self._share = np.array(shares)[of]
        rates = np.array([kind.rate_limit_per_s for kind in kinds])[of]
        self._reach = np.where(rates > 0.0, rates * part_s, np.inf)
        self._limits = _tables([kind.limit_over_speed for kind in kinds], of)
        self._rates = _tables([kind.rate_limit_over_speed for kind in kinds], of)

    @property
    def tables(self) -> bool:
        return bool(self._limits or self._rates)

    def reset(self, cars: Cars) -> None:
        self._delay.fill(cars, 0.0)
        self._position[cars] = 0.0

    def follow(self, command: Array, now: Array, speed: Array) -> Array:
        target = self._delay.pass_through(command, now)
        position = self._position
        if self._limits:
            most = _over_speed(self._limits, speed)
            target = np.minimum(np.maximum(target, -most), most)
        if self._lags.any():
            lagging = position + (target - position) * self._share
            target = np.where(self._lags, lagging, target)
        target = np.minimum(np.maximum(target, position - self._reach), position + self._reach)
        if self._rates:
            reach = _over_speed(self._rates, speed) * self._part_s
            target = np.minimum(np.maximum(target, position - reach), position + reach)
        self._position = target
        return target

    def take(
        self, cars: Cars, position: float, held: float, waiting: list[tuple[float, float]]
    ) -> None:
        self._delay.take(cars, held, waiting)
        self._position = self._position.copy()
        self._position[cars] = position

    def arrays(self) -> list[NDArray[Any]]:
        return [self._position, *self._delay.arrays()]

    def restore(self, arrays: list[NDArray[Any]]) -> None:
        self._position = arrays[0]
        self._delay.restore(arrays[1:])


def _tables(tables: Sequence[Table], of: Cars) -> list[tuple[Cars, Array, Array]]:
    """Return the different tables, each with the cars that have it."""
    found = []
    for table in dict.fromkeys(table for table in tables if table):
        cars = np.flatnonzero(np.array([other == table for other in tables])[of])
        speeds, values = np.array(table).T
        found.append((cars, speeds, values))
    return found


def _over_speed(tables: list[tuple[Cars, Array, Array]], speed: Array) -> Array:
    """Return each car's value at its speed [m/s], as `actuator.value_at`; infinity without one."""
    found = np.full(len(speed), np.inf)
    for cars, speeds, values in tables:
        size = np.abs(speed[cars])
        above = np.minimum(np.searchsorted(speeds, size, side="right"), len(speeds) - 1)
        x0, y0 = speeds[above - 1], values[above - 1]
        share = np.minimum((size - x0) / (speeds[above] - x0), 1.0)
        found[cars] = y0 + share * (values[above] - y0)
    return found
