"""The sensors between the true motion and what is measured: delay, bias, noise.

Together the channels are what a controller can be given as feedback: inertial unit, steering angle,
satellite receiver, wheel speeds, and the estimate of velocity and heading.

Pure and seeded: the same seed and the same motion give the same measurements. Off by default:
without parameters the measurement is the truth, to the bit.
"""

from __future__ import annotations

import math
import struct
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from vdsim_plant.delay_line import DelayLine
from vdsim_plant.motion import VehicleMotion, Wheels
from vdsim_plant.parameters import GRAVITY_MPS2
from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.fields import check_fields, choice, real, shown_fields

_ADDED = ("vx", "vy", "yaw", "wheel_spin", "imu_gravity")


@dataclass(frozen=True, kw_only=True)
class ChannelNoise:
    """How one sensor differs from the truth, in the unit of what it measures."""

    noise_std: float = real(
        0.0, "standard deviation of white noise", at_least=0, floor=1e-9, at_most=1e6
    )
    bias: float = real(0.0, "constant offset", at_least=-1e6, at_most=1e6)
    delay_s: float = real(0.0, "age of a measurement", unit="s", at_least=0, at_most=10)

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True, repr=False)
class SensorParameters:
    """All sensors of a car; the default is ideal ones."""

    ax: ChannelNoise = field(default_factory=ChannelNoise)
    ay: ChannelNoise = field(default_factory=ChannelNoise)
    yaw_rate: ChannelNoise = field(default_factory=ChannelNoise)
    steer: ChannelNoise = field(default_factory=ChannelNoise)
    gnss_x: ChannelNoise = field(default_factory=ChannelNoise)
    gnss_y: ChannelNoise = field(default_factory=ChannelNoise)
    vx: ChannelNoise = field(default_factory=ChannelNoise)
    vy: ChannelNoise = field(default_factory=ChannelNoise)
    yaw: ChannelNoise = field(default_factory=ChannelNoise)
    wheel_spin: ChannelNoise = field(default_factory=ChannelNoise)
    imu_gravity: str = choice(
        "excluded",
        "whether `ax` and `ay` are accelerometers, which also feel gravity: on a slope, and in the "
        "roll and pitch of the body; excluded: the acceleration itself",
        ("excluded", "included"),
    )

    def __post_init__(self) -> None:
        check_fields(self)

    def __repr__(self) -> str:
        return shown_fields(self, *_ADDED)

    def delays_s(self) -> tuple[float, ...]:
        """Return the delay of each value [s], in the order of MeasuredState."""
        return tuple(float(getattr(self, name).delay_s) for name in CHANNEL_NAMES)


@dataclass(frozen=True)
class MeasuredState:
    """The values of the sensors. Body frame ISO 8855, position and heading in the world (ENU)."""

    ax_mps2: float
    ay_mps2: float
    yaw_rate_radps: float
    steer_rad: float
    gnss_x_m: float
    gnss_y_m: float
    vx_mps: float
    vy_mps: float
    yaw_rad: float
    """Not wrapped."""
    wheel_spin_radps: Wheels
    """FL, FR, RL, RR."""

    def packed(self) -> bytes:
        """Return the numbers as bytes."""
        return _MEASURED.pack(
            self.ax_mps2,
            self.ay_mps2,
            self.yaw_rate_radps,
            self.steer_rad,
            self.gnss_x_m,
            self.gnss_y_m,
            self.vx_mps,
            self.vy_mps,
            self.yaw_rad,
            *self.wheel_spin_radps,
        )


def unpacked(numbers: bytes, offset: int = 0) -> MeasuredState:
    """Return what `packed` made bytes of."""
    return measured_from(_MEASURED.unpack_from(numbers, offset))


def measured_from(values: Sequence[float]) -> MeasuredState:
    """Return the measurement of values in the order of the sensors."""
    return MeasuredState(
        ax_mps2=values[0],
        ay_mps2=values[1],
        yaw_rate_radps=values[2],
        steer_rad=values[3],
        gnss_x_m=values[4],
        gnss_y_m=values[5],
        vx_mps=values[6],
        vy_mps=values[7],
        yaw_rad=values[8],
        wheel_spin_radps=(values[9], values[10], values[11], values[12]),
    )


def perfectly_measured(motion: VehicleMotion) -> MeasuredState:
    """Return the values of perfect sensors."""
    return measured_from(_truth(motion))


def checked_seed(seed: int) -> int:
    """Return the seed of sensors, or raise."""
    if isinstance(seed, np.integer):
        seed = int(seed)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise wrong_value("seed", seed, "a whole number from 0 to 4294967295")
    return seed


_FIRST = ("ax", "ay", "yaw_rate", "steer", "gnss_x", "gnss_y")
_OTHERS = ("vx", "vy", "yaw", "wheel_spin", "wheel_spin", "wheel_spin", "wheel_spin")
CHANNEL_NAMES = (*_FIRST, *_OTHERS)
"""The parameters of each value, in the order of MeasuredState."""
_MEASURED = struct.Struct(f"<{len(CHANNEL_NAMES)}d")
MEASURED_SIZE = _MEASURED.size
_NEXT_N = 7  # values that came after the first six
# Beyond the last of those before: no two channels share their noise.
_NEXT_STREAMS, _LATER_STREAMS = 2**36, 2**37


def noise_stream(index: int, seed: int) -> int:
    """Return the number of the noise of the value with this index, for a seed.

    A new channel, behind the others, changes the noise of none of them.
    """
    if index < len(_FIRST):
        return seed * len(_FIRST) + index
    if index < len(_FIRST) + _NEXT_N:
        return _NEXT_STREAMS + seed * _NEXT_N + index
    return _LATER_STREAMS + index * 2**32 + seed


class SensorLayer:
    """The sensors of one car. Each has a noise of its own, whatever the others do."""

    def __init__(self, parameters: SensorParameters | None = None, *, seed: int = 0) -> None:
        checked_seed(seed)
        self.parameters = SensorParameters() if parameters is None else parameters
        self.seed = seed
        self._feels_gravity = self.parameters.imu_gravity == "included"
        self._channels = tuple(_channels(self.parameters, seed))

    def reset(self) -> None:
        """Start again, with the same noise."""
        for channel in self._channels:
            channel.reset()

    def pass_by(self, motion: VehicleMotion) -> None:
        """Take in a motion between two measurements, for what is measured with a delay."""
        truth = self._seen(motion)
        for channel in self._channels:
            channel.delayed(truth[channel.index], motion.time_s)

    def measure(self, motion: VehicleMotion) -> MeasuredState:
        """Return what is measured at `motion.time_s`; to be called once a tick, in time's order.

        A delay is exact where `pass_by` has taken in the motion of that moment.
        """
        values = list(self._seen(motion))
        for channel in self._channels:
            values[channel.index] = channel.measure(values[channel.index], motion.time_s)
        return measured_from(values)

    def states(self) -> dict[int, tuple[int, float, list[tuple[float, float]]]]:
        """Return by the index of its value each channel's noise, value held and what waits."""
        return {channel.index: channel.state() for channel in self._channels}

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

    def _seen(self, motion: VehicleMotion) -> tuple[float, ...]:
        """Return the truth as these sensors see it."""
        ax_mps2, ay_mps2, *others = _truth(motion)
        if self._feels_gravity:
            pitch_rad, roll_rad = motion.pitch_rad, motion.roll_rad
            ax_mps2 -= GRAVITY_MPS2 * math.sin(pitch_rad)
            ay_mps2 += GRAVITY_MPS2 * math.cos(pitch_rad) * math.sin(roll_rad)
        return (ax_mps2, ay_mps2, *others)


def _channels(parameters: SensorParameters, seed: int) -> Iterator[_Channel]:
    """Yield the channels, each with the place of its value.

    The first six are always there, with the streams of noise that they have always had. Of the
    others an ideal one has no channel: the truth passes.
    """
    for index, name in enumerate(_FIRST):
        yield _Channel(getattr(parameters, name), noise_stream(index, seed), index)
    for index, name in enumerate(_OTHERS, start=len(_FIRST)):
        noise = getattr(parameters, name)
        if noise != ChannelNoise():
            yield _Channel(noise, noise_stream(index, seed), index)


def _truth(motion: VehicleMotion) -> tuple[float, ...]:
    """Return what the sensors see, in the order of MeasuredState."""
    return (
        motion.ax_mps2,
        motion.ay_mps2,
        motion.yaw_rate_radps,
        motion.steer_applied_rad,
        motion.x_m,
        motion.y_m,
        motion.vx_mps,
        motion.vy_mps,
        motion.yaw_rad,
        *motion.wheel_spin_radps,
    )


class _Channel:
    """One sensor."""

    _HEADER = struct.Struct("<QBI")

    def __init__(self, parameters: ChannelNoise, stream: int, index: int) -> None:
        self.parameters = parameters
        self.index = index
        self._stream = stream
        self.reset()

    def reset(self) -> None:
        self._noise = _WhiteNoise(self._stream)
        self._delay = DelayLine(self.parameters.delay_s)
        self._started = False

    def delayed(self, truth: float, now: float) -> float:
        if not self._started:
            self._delay.fill(truth)
            self._started = True
        return self._delay.pass_through(truth, now)

    def measure(self, truth: float, now: float) -> float:
        value = self.delayed(truth, now)
        parameters = self.parameters
        if parameters.bias != 0.0:
            value += parameters.bias
        if parameters.noise_std > 0.0:
            value += parameters.noise_std * self._noise.draw()
        return value

    def state(self) -> tuple[int, float, list[tuple[float, float]]]:
        return (self._noise.state, *self._delay.state())

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
