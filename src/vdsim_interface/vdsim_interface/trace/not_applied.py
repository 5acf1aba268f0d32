"""Does the vehicle apply what is sent? Compares command traces with each other. Pure.

A report answers packets of some time before it, and an actuator takes its time to get there. So
what is reported counts as applied while it lies between the values that were sent within a window:
a vehicle that no longer hears leaves that range, whatever its delay. A wire that reports no pedals
is judged by the acceleration that is asked for, except of a car that its brake holds.
"""

import math
from collections import deque
from typing import NamedTuple

from vdsim_interface.trace.trace import CommandTrace
from vdsim_interface.values import Applied, Authority, WireCommand, drive_direction

WINDOW_S = 1.0
"""Stretch of sent values in which a report must lie [s]: delay and lag of a slow actuator."""
REPORT_AGE_MAX_S = 0.5
"""A report that is older says nothing about what is sent now [s]."""


class Channel(NamedTuple):
    """What is compared: its name in both, in words, its unit, and the distance that is forgiven."""

    name: str
    words: str
    unit: str
    tolerance: float


CHANNELS = (
    Channel("front_wheel_angle_rad", "front wheel angle", " rad", 0.05),
    Channel("throttle", "throttle", "", 0.1),
    Channel("brake", "brake", "", 0.1),
)
ACCELERATION = Channel("long_accel_mps2", "acceleration", " m/s2", 1.5)


class NotApplied(NamedTuple):
    """One channel that the vehicle reports otherwise than it was sent."""

    channel: Channel
    sent: float
    applied: float

    def words(self) -> str:
        """Say both values."""
        _, words, unit, _ = self.channel
        return f"{words} {self.sent:.3g} sent, {self.applied:.3g}{unit} applied"


def not_applied_sentence(found: tuple[NotApplied, ...]) -> str:
    """Say it of all channels."""
    return (
        f"the vehicle does not apply what is sent: {', '.join(one.words() for one in found)}; "
        "it does not hear the interface, cannot do it, or acts by itself (its fail-safe, a driver)"
    )


class AppliedWatch:
    """Takes one trace after the other; needs a window of them before it judges."""

    def __init__(self) -> None:
        self._sent: deque[tuple[float, WireCommand, float]] = deque()
        self._since_s = math.nan

    def look(self, trace: CommandTrace) -> tuple[NotApplied, ...]:
        """Take a trace; name the channels that the vehicle does not apply, mostly none."""
        if trace.wire is None:
            self._sent.clear()
            return ()
        if self._sent and not 0.0 <= trace.stamp_s - self._sent[-1][0] <= WINDOW_S:
            self._sent.clear()  # time jumped back, or what was sent meanwhile is not known
        if not self._sent:
            self._since_s = trace.stamp_s
        asked = trace.authority is Authority.COMMAND and trace.raw is None
        accel_mps2 = trace.safe.long_accel_mps2 if asked else math.nan
        self._sent.append((trace.stamp_s, trace.wire, accel_mps2))
        while self._sent[0][0] < trace.stamp_s - WINDOW_S:
            self._sent.popleft()
        applied = trace.applied
        judged = trace.stamp_s - self._since_s >= WINDOW_S
        if (
            applied is None
            or not judged
            or trace.stamp_s - trace.applied_stamp_s > REPORT_AGE_MAX_S
        ):
            return ()
        found = [
            _compare(channel, [getattr(wire, channel.name) for _, wire, _ in self._sent], applied)
            for channel in CHANNELS
        ]
        if math.isnan(applied.throttle):
            asked_mps2 = [accel_mps2 for _, _, accel_mps2 in self._sent]
            direction = drive_direction(trace.body.gear)
            # At a standstill a car that is braked has no acceleration, whatever is asked for.
            if all(accel_mps2 * direction > 0.0 for accel_mps2 in asked_mps2):
                found.append(_compare(ACCELERATION, asked_mps2, applied))
        return tuple(one for one in found if one is not None)


def _compare(channel: Channel, values: list[float], applied: Applied) -> NotApplied | None:
    """Not a number, a quantity that one of the two does not have, is never outside."""
    reported = float(getattr(applied, channel.name))
    low, high = min(values) - channel.tolerance, max(values) + channel.tolerance
    if reported < low or reported > high:
        return NotApplied(channel, values[-1], reported)
    return None
