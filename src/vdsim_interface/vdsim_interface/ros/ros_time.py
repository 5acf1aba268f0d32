"""The clock of ages, and the stamps of messages.

Ages, periods and time-outs follow CLOCK_MONOTONIC, which no step of the system clock moves. Stamps
of messages follow the system clock, as ROS requires. This class converts between the two. With
use_sim_time both are the simulated time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from builtin_interfaces.msg import Time
from rclpy.node import Node

from vdsim_interface.ros.messages.conversions import (
    NANOSECONDS,
    seconds_of,
    time_message,
    time_message_ns,
)
from vdsim_interface.ros.timers import uses_simulated_time
from vdsim_interface.values import Notice, notice_kinds

STEP_NS = 1_000_000
"""Smaller differences come from reading two clocks one after the other, not from a step."""
IN_FLIGHT_S = 0.1
"""For this long after a step a message may carry a stamp from before it."""
_READ_NS = 50_000
_READS = 3


class RosTime:
    """Times of the clock of ages <-> stamps. `offset_ns`: what a stamp is ahead of an age's time.

    Whole nanoseconds, and an offset that stays the same until the system clock steps: a time that
    passes through messages from stage to stage does not change.
    """

    def __init__(
        self,
        monotonic_ns: Callable[[], int] = time.monotonic_ns,
        system_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._monotonic_ns, self._system_ns = monotonic_ns, system_ns
        self.offset_ns = self._before_ns = self._measured()
        self._stepped_s = -IN_FLIGHT_S

    def update(self) -> float:
        """Check for a step of the system clock; return it [s], 0 without one."""
        offset_ns = self._system_ns() - self._monotonic_ns()
        if -STEP_NS < offset_ns - self.offset_ns < STEP_NS:
            return 0.0
        offset_ns = self._measured()
        step_ns = offset_ns - self.offset_ns
        if -STEP_NS < step_ns < STEP_NS:
            return 0.0
        self._before_ns, self.offset_ns = self.offset_ns, offset_ns
        self._stepped_s = self._monotonic_ns() / NANOSECONDS
        return step_ns / NANOSECONDS

    def stamp(self, seconds: float) -> Time:
        """Convert a time of the clock of ages to a stamp; a time that never was becomes zero."""
        if not -1e9 < seconds < 1e9:
            return Time()
        return time_message_ns(round(seconds * NANOSECONDS) + self.offset_ns)

    def at(self, now: float) -> Callable[[Time], float]:
        """Return `seconds` for a message that arrives now."""
        self.update()
        return lambda stamp: self.seconds(stamp, now)

    def seconds(self, stamp: Time, now: float) -> float:
        """Convert a stamp of another stage to a time of the clock of ages, `now` at the latest.

        A stamp ahead of the clock counts as now: it would count as fresh for too long.
        """
        if not (stamp.sec or stamp.nanosec):
            return -math.inf
        stamp_ns = stamp.sec * NANOSECONDS + stamp.nanosec
        seconds = (stamp_ns - self.offset_ns) / NANOSECONDS
        if now - self._stepped_s < IN_FLIGHT_S:
            # Sent before the step or after it: the younger one of what is possible.
            before = (stamp_ns - self._before_ns) / NANOSECONDS
            latest = now + STEP_NS / NANOSECONDS  # two processes do not measure exactly alike
            seconds = max((one for one in (seconds, before) if one <= latest), default=now)
        return min(seconds, now)

    def _measured(self) -> int:
        """Read both clocks at the same moment, as well as the scheduler lets us."""
        best_ns, offset_ns = _READ_NS + 1, 0
        for _ in range(_READS):
            begin_ns = self._monotonic_ns()
            system_ns = self._system_ns()
            took_ns = self._monotonic_ns() - begin_ns
            if took_ns < best_ns or not offset_ns:
                best_ns, offset_ns = took_ns, system_ns - begin_ns - took_ns // 2
            if took_ns <= _READ_NS:
                break
        return offset_ns


class SimulatedTime:
    """The same where both are one clock: simulated time."""

    def update(self) -> float:
        """Nothing steps."""
        return 0.0

    def stamp(self, seconds: float) -> Time:
        """Convert a time to a stamp."""
        return time_message(seconds)

    def at(self, now: float) -> Callable[[Time], float]:
        """Return what converts a stamp to a time, `now` at the latest.

        Each stage follows simulated time on its own: one may be ahead of another.
        """
        return lambda stamp: min(seconds_of(stamp), now)


def clock_stepped(step_s: float) -> Notice:
    """The notice of a step of the system clock."""
    text = f"the system clock stepped by {step_s:+.3f} s: stamps of messages follow it, ages do not"
    return Notice(notice_kinds.CLOCK_STEP, text)


def ros_time_of(node: Node) -> RosTime | SimulatedTime:
    """Return the conversion for a node's messages."""
    return SimulatedTime() if uses_simulated_time(node) else RosTime()
