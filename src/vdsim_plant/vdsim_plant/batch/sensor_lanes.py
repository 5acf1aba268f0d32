"""The sensors of many cars, each car's as a `SensorLayer`, to the bit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.batch.delay_lines import DelayLines
from vdsim_plant.batch.rows import Cars
from vdsim_plant.kernel import layout as at
from vdsim_plant.parameters import GRAVITY_MPS2
from vdsim_plant.sensor import CHANNEL_NAMES, SensorLayer, SensorParameters, noise_stream

Array = NDArray[np.float64]
Counters = NDArray[np.uint64]

TRUTH = (
    *(at.AX, at.AY, at.YAW_RATE, at.STEER, at.X, at.Y, at.VX, at.VY, at.YAW),
    *range(at.SPIN, at.SPIN + 4),
)
"""The fields of a car that its sensors measure, in the order of CHANNEL_NAMES."""
SEEN = (*TRUTH, at.OBSERVED_PITCH, at.OBSERVED_ROLL)
"""And those that accelerometers look at where they feel gravity."""
_MEASURED_N = len(TRUTH)
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR = np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True)
class BatchMeasured:
    """The values of the sensors, arrays of n; names, units and frames as in MeasuredState."""

    ax_mps2: Array
    ay_mps2: Array
    yaw_rate_radps: Array
    steer_rad: Array
    gnss_x_m: Array
    gnss_y_m: Array
    vx_mps: Array
    vy_mps: Array
    yaw_rad: Array
    """Not wrapped."""
    wheel_spin_radps: Array
    """n x 4, FL, FR, RL, RR."""


def measured_from(values: Array) -> BatchMeasured:
    """Return the measurement of rows in the order of SEEN; the arrays are the caller's."""
    own = values.copy()
    return BatchMeasured(
        ax_mps2=own[0],
        ay_mps2=own[1],
        yaw_rate_radps=own[2],
        steer_rad=own[3],
        gnss_x_m=own[4],
        gnss_y_m=own[5],
        vx_mps=own[6],
        vy_mps=own[7],
        yaw_rad=own[8],
        wheel_spin_radps=own[9:13].T.copy(),
    )


class SensorLanes:
    """The sensors of n cars, each with a noise of its own."""

    def __init__(self, kinds: Sequence[SensorParameters], of: Cars, seeds: Sequence[int]) -> None:
        self.kinds = kinds
        n = len(of)
        streams = [[noise_stream(k, seed) for seed in seeds] for k in range(_MEASURED_N)]
        self._begin = _mixed(np.array(streams, dtype=np.uint64) * _STEP)
        self._states = self._begin.copy()
        self._cars = np.arange(n)
        self._delays = [DelayLines(np.zeros(n)) for _ in range(_MEASURED_N)]
        self.values = np.zeros((_MEASURED_N, n))
        self.place(of)

    def place(self, of: Cars) -> None:
        """Note of which kind each car is from now on."""
        self._noise_std, self._bias = np.zeros((2, *self.values.shape))
        for k, name in enumerate(CHANNEL_NAMES):
            channels = [getattr(kind, name) for kind in self.kinds]
            self._noise_std[k] = np.array([channel.noise_std for channel in channels])[of]
            self._bias[k] = np.array([channel.bias for channel in channels])[of]
            self._delays[k].delay_s = np.array([channel.delay_s for channel in channels])[of]
        gravity = [kind.imu_gravity == "included" for kind in self.kinds]
        self._feels_gravity = np.array(gravity)[of]

    def pass_by(self, seen: Array, now: Array) -> None:
        """Take in all cars' motion between two measurements, for what has a delay."""
        self._delayed(self._felt(seen, self._cars), now)

    def measure(self, seen: Array, now: Array) -> None:
        """Measure all cars at times `now` [s]; `seen` has rows in the order of SEEN."""
        self.values = self._disturbed(self._delayed(self._felt(seen, self._cars), now), self._cars)

    def begin(self, cars: Cars, seen: Array, now: Array) -> None:
        """Start again for these cars, with the same noise, and measure them a first time."""
        self._states[:, cars] = self._begin[:, cars]
        truth = self._felt(seen, cars)
        for k, delay in enumerate(self._delays):
            delay.begin(cars, truth[k], now)
        self.values[:, cars] = self._disturbed(truth, cars)

    def take(self, cars: Cars, layer: SensorLayer, values: Array) -> None:
        """Take up the state of one car's sensors, and what they measured, for these cars."""
        for k, (noise, held, waiting) in layer.states().items():
            self._states[k, cars] = noise
            self._delays[k].take(cars, held, waiting)
        self.values[:, cars] = values[:, np.newaxis]

    def restore(self, arrays: list[NDArray[Any]]) -> None:
        """Take up a state."""
        self.values, self._states = arrays[:2]
        for k, delay in enumerate(self._delays):
            delay.restore(arrays[2 + 5 * k : 7 + 5 * k])

    def arrays(self) -> list[NDArray[Any]]:
        """Return the whole state."""
        delays = [array for delay in self._delays for array in delay.arrays()]
        return [self.values, self._states, *delays]

    def _felt(self, seen: Array, cars: Cars) -> Array:
        """Return the truth as the sensors of these cars see it."""
        truth: Array = seen[:_MEASURED_N].copy()
        feel = self._feels_gravity[cars]
        if feel.any():
            pitch, roll = seen[_MEASURED_N].tolist(), seen[_MEASURED_N + 1].tolist()
            sin_pitch, cos_pitch = _each(math.sin, pitch), _each(math.cos, pitch)
            along = truth[0] - GRAVITY_MPS2 * sin_pitch
            across = truth[1] + GRAVITY_MPS2 * cos_pitch * _each(math.sin, roll)
            truth[0] = np.where(feel, along, truth[0])
            truth[1] = np.where(feel, across, truth[1])
        return truth

    def _delayed(self, truth: Array, now: Array) -> Array:
        rows = [
            delay.pass_through(row, now) for delay, row in zip(self._delays, truth, strict=True)
        ]
        return np.stack(rows)

    def _disturbed(self, values: Array, cars: Cars) -> Array:
        bias = self._bias[:, cars]
        values = np.where(bias != 0.0, values + bias, values)
        for k in range(_MEASURED_N):
            std = self._noise_std[k, cars]
            noisy = np.flatnonzero(std > 0.0)
            if len(noisy):
                values[k, noisy] += std[noisy] * self._draw(k, cars[noisy])
        return values

    def _draw(self, channel: int, cars: Cars) -> Array:
        """Return a normal deviate for each of the cars, as the noise of one car draws it."""
        first, second = self._uniform(channel, cars), self._uniform(channel, cars)
        # The functions of `math`: those of numpy round some values otherwise.
        radius = np.sqrt(-2.0 * _each(math.log, first.tolist()))
        drawn: Array = radius * _each(math.cos, (2.0 * math.pi * second).tolist())
        return drawn

    def _uniform(self, channel: int, cars: Cars) -> Array:
        """Return numbers in (0, 1]."""
        states = self._states[channel, cars] + _STEP
        self._states[channel, cars] = states
        numbers: Array = ((_mixed(states) >> np.uint64(11)) + np.uint64(1)).astype(np.float64)
        return numbers * 2.0**-53


def _mixed(z: Counters) -> Counters:
    """Mix 64-bit counters; products wrap around, as they must."""
    z = (z ^ (z >> np.uint64(30))) * _FIRST_FACTOR
    z = (z ^ (z >> np.uint64(27))) * _SECOND_FACTOR
    mixed: Counters = z ^ (z >> np.uint64(31))
    return mixed


def _each(function: Callable[[float], float], values: list[float]) -> Array:
    return np.array(list(map(function, values)))
