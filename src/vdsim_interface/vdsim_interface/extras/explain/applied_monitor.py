"""Does the vehicle apply what is sent? Compares command traces with each other. Pure.

A report answers an earlier packet, and an actuator needs time to reach its target. So a reported
value counts as applied while it lies in the range of the values sent within a window: a vehicle
that no longer receives commands leaves that range, whatever its delay. When the wire reports no
pedals, the commanded acceleration is compared instead, except while a brake holds the car.
"""

import math
from collections import deque
from typing import NamedTuple

from vdsim_interface.pipeline.trace import CommandTrace
from vdsim_interface.pipeline.vehicle_watch import CHANNELS, Channel
from vdsim_interface.values import Applied, Authority, WireCommand, drive_direction

WINDOW_S = 1.0
"""Window of sent values in which a reported value must lie [s]: delay and lag of the actuator."""
REPORT_AGE_MAX_S = 0.5
"""An older report is not compared with what is sent now [s]."""


ACCELERATION = Channel("long_accel_mps2", "acceleration", " m/s2", 1.5)


class NotApplied(NamedTuple):
    """One channel whose reported value differs from the sent one."""

    channel: Channel
    sent: float
    applied: float

    def words(self) -> str:
        """Return both values in words."""
        _, words, unit, _ = self.channel
        return f"{words} {self.sent:.3g} sent, {self.applied:.3g}{unit} applied"


def not_applied_sentence(found: tuple[NotApplied, ...]) -> str:
    """Describe all channels that are not applied, and the possible causes."""
    return (
        f"the vehicle does not apply what is sent: {', '.join(one.words() for one in found)}; "
        "it does not receive the commands, cannot follow them, or acts by itself (its fail-safe, "
        "a driver)"
    )


class AppliedMonitor:
    """Compares one trace after the other; it needs a full window before it reports."""

    def __init__(self) -> None:
        self._sent: deque[tuple[float, WireCommand, float]] = deque()
        self._since_s = math.nan

    def update(self, trace: CommandTrace) -> tuple[NotApplied, ...]:
        """Add a trace; return the channels that the vehicle does not apply, mostly none."""
        if trace.wire is None:
            self._sent.clear()
            return ()
        if self._sent and not 0.0 <= trace.stamp_s - self._sent[-1][0] <= WINDOW_S:
            self._sent.clear()  # time jumped back, or there is a gap in the traces
        if not self._sent:
            self._since_s = trace.stamp_s
        commanded = trace.authority is Authority.COMMAND and trace.raw is None
        accel_mps2 = trace.safe.long_accel_mps2 if commanded else math.nan
        self._sent.append((trace.stamp_s, trace.wire, accel_mps2))
        while self._sent[0][0] < trace.stamp_s - WINDOW_S:
            self._sent.popleft()
        applied = trace.applied
        window_full = trace.stamp_s - self._since_s >= WINDOW_S
        if (
            applied is None
            or not window_full
            or trace.stamp_s - trace.applied_stamp_s > REPORT_AGE_MAX_S
        ):
            return ()
        return self._compare_all(applied, drive_direction(trace.body.gear))

    def _compare_all(self, applied: Applied, direction: int) -> tuple[NotApplied, ...]:
        found = [
            _compare(channel, [getattr(wire, channel.name) for _, wire, _ in self._sent], applied)
            for channel in CHANNELS
        ]
        if math.isnan(applied.throttle):
            commanded_mps2 = [accel_mps2 for _, _, accel_mps2 in self._sent]
            # A braked car at standstill has no acceleration, whatever the command.
            if all(accel_mps2 * direction > 0.0 for accel_mps2 in commanded_mps2):
                found.append(_compare(ACCELERATION, commanded_mps2, applied))
        return tuple(one for one in found if one is not None)


def _compare(channel: Channel, values: list[float], applied: Applied) -> NotApplied | None:
    """Compare one channel. A quantity that either record lacks is nan and never out of range."""
    reported = float(getattr(applied, channel.name))
    low, high = min(values) - channel.tolerance, max(values) + channel.tolerance
    if reported < low or reported > high:
        return NotApplied(channel, values[-1], reported)
    return None
