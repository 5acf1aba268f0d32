"""Drives that show a car's parameters, as an open loop of pedals and steering; pure.

They are what `vdsim_identify --what-to-drive-next` chooses from, and what its tests drive.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Controls = tuple[float, float, float]
"""Road wheel angle [rad], throttle, brake."""
Phase = Callable[[float, float], Controls | None]
"""(time since its start [s], speed [m/s]) -> controls; None: over."""


@dataclass(frozen=True)
class Drive:
    """A manoeuvre: what to do, and how."""

    name: str
    instruction: str
    phases: tuple[Phase, ...]


def reach(speed_mps: float, throttle: float = 0.5, steer: float = 0.0) -> Phase:
    """Accelerate to a speed, or brake lightly down to it."""

    def controls(time_s: float, speed: float) -> Controls | None:
        if time_s > 40.0 or abs(speed - speed_mps) < 0.4:
            return None
        return (steer, throttle, 0.0) if speed < speed_mps else (steer, 0.0, 0.2)

    return controls


def hold(
    duration_s: float,
    *,
    speed_mps: float | None = None,
    throttle: float = 0.0,
    brake: float = 0.0,
    steer: Callable[[float], float] = lambda _: 0.0,
    until_mps: float = 0.0,
) -> Phase:
    """Hold the pedals, or a speed by the throttle, for a while or until the car is slower."""

    def controls(time_s: float, speed: float) -> Controls | None:
        if time_s >= duration_s or speed < until_mps:
            return None
        pedal = throttle
        if speed_mps is not None:
            # In steps of time and size, as a person's foot does.
            pedal = min(max(0.05 + 0.06 * (speed_mps - speed), 0.0), 0.6)
        return steer(time_s), pedal, brake

    return controls


def sine(amplitude: float, slow_hz: float, fast_hz: float, duration_s: float) -> Callable:  # type: ignore[type-arg]
    """A steering sine whose frequency rises evenly."""

    def angle(t: float) -> float:
        phase = slow_hz * t + 0.5 * (fast_hz - slow_hz) * t * t / duration_s
        return amplitude * math.sin(2.0 * math.pi * phase)

    return angle


def steps(amplitude: float, every_s: float) -> Callable[[float], float]:
    """Steering from side to side with a pause, in steps."""
    return lambda t: amplitude * (0.0, 1.0, 0.0, -1.0)[int(t / every_s) % 4]


def ramp(last: float, duration_s: float) -> Callable[[float], float]:
    """Steering that grows evenly."""
    return lambda t: last * min(t / duration_s, 1.0)


def _pulses(speed: float, throttle: float) -> Phase:
    def controls(time_s: float, speed_now: float) -> Controls | None:
        if time_s > 8.0 or speed_now > speed + 12.0:
            return None
        return 0.0, throttle if int(time_s / 1.0) % 2 == 0 else 0.0, 0.0

    return controls


def _brake_pulses(brake: float) -> Phase:
    def controls(time_s: float, speed: float) -> Controls | None:
        if time_s > 8.0 or speed < 4.0:
            return None
        return 0.0, 0.0, brake if int(time_s / 0.7) % 2 == 0 else 0.0

    return controls


DRIVES = (
    Drive(
        "coast_down",
        "from 30 m/s, pedals up, straight on, down to 5 m/s",
        (reach(30.0, 0.6), hold(45.0, until_mps=5.0)),
    ),
    Drive(
        "full_throttle",
        "from 3 m/s full throttle for 8 s, straight on",
        (reach(3.0, 0.2), hold(8.0, throttle=1.0)),
    ),
    Drive(
        "throttle_steps",
        "half throttle on and off each second, from 8 m/s and from 18 m/s",
        (reach(8.0, 0.3), _pulses(8.0, 0.5), reach(18.0), _pulses(18.0, 0.5)),
    ),
    Drive(
        "brake_steps",
        "brake 0.25 on and off every 0.7 s, from 25 m/s",
        (reach(25.0), _brake_pulses(0.25), reach(20.0), _brake_pulses(0.4)),
    ),
    Drive(
        "limit_braking",
        "full brake from 25 m/s until the car stands, straight on, on a free road",
        (reach(25.0), hold(6.0, brake=1.0, until_mps=1.0)),
    ),
    Drive(
        "slow_bends",
        "at 5 m/s, 0.15 rad of road wheel angle to each side, 4 s each",
        (reach(5.0, 0.2), hold(24.0, speed_mps=5.0, steer=steps(0.15, 3.0))),
    ),
    Drive(
        "sine_sweep",
        "at 20 m/s, steering sine of 0.03 rad, 0.2 to 2.5 Hz",
        (reach(20.0), hold(20.0, speed_mps=20.0, steer=sine(0.03, 0.2, 2.5, 20.0))),
    ),
    Drive(
        "step_steer",
        "at 18 m/s, steps of 0.04 rad to each side, 2 s each",
        (reach(18.0), hold(16.0, speed_mps=18.0, steer=steps(0.04, 2.0))),
    ),
    Drive(
        "fast_straight",
        "straight on at 30 m/s for 10 s",
        (reach(30.0, 0.6), hold(10.0, speed_mps=30.0)),
    ),
    Drive(
        "limit_cornering",
        "at 15 m/s, steering that grows to 0.2 rad in 8 s, on a free area",
        (reach(15.0), hold(8.0, speed_mps=15.0, steer=ramp(0.2, 8.0)), hold(3.0)),
    ),
)


class Program:
    """Drives one after the other; asked for the controls, it goes on to the next by itself."""

    def __init__(self, drives: tuple[Drive, ...]) -> None:
        self._phases: Iterator[Phase] = (phase for drive in drives for phase in drive.phases)
        self._phase = next(self._phases, None)
        self._began_s = 0.0

    def controls(self, time_s: float, speed_mps: float) -> Controls | None:
        """Return what to do now; None once all drives are over."""
        while self._phase is not None:
            found = self._phase(time_s - self._began_s, speed_mps)
            if found is not None:
                return found
            self._phase, self._began_s = next(self._phases, None), time_s
        return None
