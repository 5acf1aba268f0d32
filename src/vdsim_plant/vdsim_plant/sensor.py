"""The sensors between the true motion and what is measured: delay, bias, noise.

Pure and seeded: the same seed and the same motion give the same measurements. Off by default:
without parameters the measurement is the truth, to the bit.
"""

from __future__ import annotations

import math
import struct
from collections import deque
from dataclasses import dataclass, field, fields

from vdsim_plant.delay_line import DelayLine
from vdsim_plant.motion import VehicleMotion
from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.fields import check_fields, real


@dataclass(frozen=True, kw_only=True)
class ChannelNoise:
    """How one sensor differs from the truth, in the unit of what it measures."""

    noise_std: float = real(0.0, "standard deviation of white noise", at_least=0)
    bias: float = real(0.0, "constant offset")
    delay_s: float = real(0.0, "age of a measurement", unit="s", at_least=0, at_most=10)

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class SensorParameters:
    """All sensors of a car; the default is ideal ones."""

    ax: ChannelNoise = field(default_factory=ChannelNoise)
    ay: ChannelNoise = field(default_factory=ChannelNoise)
    yaw_rate: ChannelNoise = field(default_factory=ChannelNoise)
    steer: ChannelNoise = field(default_factory=ChannelNoise)
    gnss_x: ChannelNoise = field(default_factory=ChannelNoise)
    gnss_y: ChannelNoise = field(default_factory=ChannelNoise)


@dataclass(frozen=True)
class MeasuredState:
    """The values of the sensors. Body frame ISO 8855, position in the world (ENU)."""

    ax_mps2: float
    ay_mps2: float
    yaw_rate_radps: float
    steer_rad: float
    gnss_x_m: float
    gnss_y_m: float


def checked_seed(seed: int) -> int:
    """Return the seed of sensors, or raise."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise wrong_value("seed", seed, "a whole number from 0 to 4294967295")
    return seed


class SensorLayer:
    """The sensors of one car. Each has a noise of its own, whatever the others do."""

    def __init__(self, parameters: SensorParameters | None = None, *, seed: int = 0) -> None:
        checked_seed(seed)
        self.parameters = SensorParameters() if parameters is None else parameters
        self.seed = seed
        self._channels = tuple(
            _Channel(getattr(self.parameters, item.name), seed * len(fields(self.parameters)) + k)
            for k, item in enumerate(fields(self.parameters))
        )

    def reset(self) -> None:
        """Start again, with the same noise."""
        for channel in self._channels:
            channel.reset()

    def delays_s(self) -> tuple[float, ...]:
        """Return the delay of each sensor [s]."""
        return tuple(
            getattr(self.parameters, item.name).delay_s for item in fields(self.parameters)
        )

    def pass_by(self, motion: VehicleMotion) -> None:
        """Take in a motion between two measurements, for what is measured with a delay."""
        for channel, value in zip(self._channels, _truth(motion), strict=True):
            channel.delayed(value, motion.time_s)

    def measure(self, motion: VehicleMotion) -> MeasuredState:
        """Return what is measured at `motion.time_s`; to be called once a tick, in time's order.

        A delay is exact where `pass_by` has taken in the motion of that moment.
        """
        truth = _truth(motion)
        now = motion.time_s
        ax_mps2, ay_mps2, yaw_rate_radps, steer_rad, gnss_x_m, gnss_y_m = (
            channel.measure(value, now)
            for channel, value in zip(self._channels, truth, strict=True)
        )
        return MeasuredState(
            ax_mps2=ax_mps2,
            ay_mps2=ay_mps2,
            yaw_rate_radps=yaw_rate_radps,
            steer_rad=steer_rad,
            gnss_x_m=gnss_x_m,
            gnss_y_m=gnss_y_m,
        )

    def snapshot(self) -> bytes:
        """Return the whole state; `restore` continues from it to the bit."""
        return b"".join(channel.snapshot() for channel in self._channels)

    def restore(self, snapshot: bytes) -> None:
        """Continue from the snapshot of a layer with the same parameters."""
        rest = snapshot
        for channel in self._channels:
            rest = channel.restore(rest)
        if rest:
            raise ParameterError("sensor snapshot", f"has {len(snapshot)} bytes: not a snapshot")


def _truth(motion: VehicleMotion) -> tuple[float, ...]:
    """Return what the sensors see, in the order of their parameters."""
    return (
        motion.ax_mps2,
        motion.ay_mps2,
        motion.yaw_rate_radps,
        motion.steer_applied_rad,
        motion.x_m,
        motion.y_m,
    )


class _Channel:
    """One sensor."""

    _HEADER = struct.Struct("<QBI")

    def __init__(self, parameters: ChannelNoise, stream: int) -> None:
        self._parameters = parameters
        self._stream = stream
        self.reset()

    def reset(self) -> None:
        self._noise = _WhiteNoise(self._stream)
        self._delay = DelayLine(self._parameters.delay_s)
        self._started = False

    def delayed(self, truth: float, now: float) -> float:
        if not self._started:
            self._delay.fill(truth)
            self._started = True
        return self._delay.pass_through(truth, now)

    def measure(self, truth: float, now: float) -> float:
        value = self.delayed(truth, now)
        parameters = self._parameters
        if parameters.bias != 0.0:
            value += parameters.bias
        if parameters.noise_std > 0.0:
            value += parameters.noise_std * self._noise.draw()
        return value

    def snapshot(self) -> bytes:
        numbers = self._delay.numbers()
        header = self._HEADER.pack(self._noise.state, self._started, len(numbers))
        return header + struct.pack(f"<{len(numbers)}d", *numbers)

    def restore(self, snapshot: bytes) -> bytes:
        """Continue from the state at the front of a snapshot; return the rest of it."""
        try:
            self._noise.state, started, count = self._HEADER.unpack_from(snapshot)
            numbers = struct.unpack_from(f"<{count}d", snapshot, self._HEADER.size)
            self._delay.take(deque(numbers))
        except (struct.error, IndexError):
            raise ParameterError(
                "sensor snapshot", f"has {len(snapshot)} bytes: not a snapshot"
            ) from None
        self._started = bool(started)
        return snapshot[self._HEADER.size + 8 * count :]


class _WhiteNoise:
    """Normal deviates from a 64-bit counter (SplitMix64 and Box-Muller).

    Own arithmetic, because its whole state is one integer and no library version changes it.
    """

    _MASK = 2**64 - 1
    _STEP = 0x9E3779B97F4A7C15

    def __init__(self, stream: int) -> None:
        self.state = self._mixed(stream * self._STEP)

    def draw(self) -> float:
        radius = math.sqrt(-2.0 * math.log(self._uniform()))
        return radius * math.cos(2.0 * math.pi * self._uniform())

    def _uniform(self) -> float:
        """Return a number in (0, 1]."""
        self.state = (self.state + self._STEP) & self._MASK
        return ((self._mixed(self.state) >> 11) + 1) * 2.0**-53

    def _mixed(self, z: int) -> int:
        z &= self._MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & self._MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & self._MASK
        return z ^ (z >> 31)
