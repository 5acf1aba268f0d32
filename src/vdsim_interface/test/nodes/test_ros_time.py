"""The clock of ages and the stamps of messages: a step of the system clock moves stamps alone."""

from __future__ import annotations

import math

import pytest
from builtin_interfaces.msg import Time
from vdsim_interface.ros.messages.conversions import seconds_of
from vdsim_interface.ros.ros_time import IN_FLIGHT_S, STEP_NS, RosTime

SECOND_NS = 1_000_000_000
BEGIN_NS = 1_700_000_000 * SECOND_NS


class Clocks:
    """Two clocks of one machine; the system clock can step."""

    def __init__(self) -> None:
        self.monotonic_ns = 5_000 * SECOND_NS
        self.ahead_ns = BEGIN_NS

    def conversion(self) -> RosTime:
        """The conversion of one process."""
        return RosTime(lambda: self.monotonic_ns, lambda: self.monotonic_ns + self.ahead_ns)

    def step(self, seconds: float) -> None:
        """Set the system clock."""
        self.ahead_ns += round(seconds * SECOND_NS)

    def wait(self, seconds: float) -> None:
        """Let time pass on both."""
        self.monotonic_ns += round(seconds * SECOND_NS)

    @property
    def now(self) -> float:
        """The clock of ages [s]."""
        return self.monotonic_ns / SECOND_NS


def test_a_stamp_is_a_time_of_the_system_clock() -> None:
    clocks = Clocks()
    stamp = clocks.conversion().stamp(clocks.now)
    assert (stamp.sec, stamp.nanosec) == (1_700_005_000, 0)


def test_a_time_that_passes_from_stage_to_stage_does_not_change() -> None:
    clocks = Clocks()
    first, second = clocks.conversion(), clocks.conversion()
    clocks.wait(0.123456789)
    stamp = first.stamp(clocks.now)
    for _ in range(100):
        clocks.wait(0.01)
        stamp = second.stamp(second.at(clocks.now)(stamp))
    assert stamp == first.stamp(5_000.123456789)


@pytest.mark.parametrize("never", [-math.inf, math.inf, math.nan])
def test_a_time_that_never_was_is_the_zero_stamp(never: float) -> None:
    clocks = Clocks()
    conversion = clocks.conversion()
    assert conversion.stamp(never) == Time()
    assert conversion.at(clocks.now)(Time()) == -math.inf


@pytest.mark.parametrize("step_s", [-60.0, -0.02, 0.002, 0.7, 3600.0])
def test_a_step_moves_stamps_and_no_age(step_s: float) -> None:
    clocks = Clocks()
    sender, receiver = clocks.conversion(), clocks.conversion()
    sent_s = clocks.now
    before = seconds_of(sender.stamp(sent_s))
    clocks.step(step_s)
    assert sender.update() == pytest.approx(step_s)
    assert sender.update() == 0.0
    clocks.wait(0.01)
    stamp = sender.stamp(sent_s)
    assert seconds_of(stamp) - before == pytest.approx(step_s, abs=1e-6)
    assert receiver.at(clocks.now)(stamp) == pytest.approx(sent_s)


@pytest.mark.parametrize("step_s", [-60.0, -0.02, 0.7, 3600.0])
def test_a_message_in_flight_during_a_step_keeps_its_age(step_s: float) -> None:
    clocks = Clocks()
    sender, receiver = clocks.conversion(), clocks.conversion()
    sent_s = clocks.now
    stamp = sender.stamp(sent_s)
    clocks.step(step_s)
    clocks.wait(0.005)
    assert receiver.at(clocks.now)(stamp) == pytest.approx(sent_s)


def test_an_old_stamp_is_young_during_a_step_at_most() -> None:
    clocks = Clocks()
    sender, receiver = clocks.conversion(), clocks.conversion()
    stamp = sender.stamp(clocks.now)
    clocks.wait(2.0)
    clocks.step(1.5)
    receiver.update()
    clocks.wait(1.1 * IN_FLIGHT_S)
    assert clocks.now - receiver.at(clocks.now)(stamp) > 3.0


def test_a_stamp_ahead_of_the_clock_counts_as_now() -> None:
    clocks = Clocks()
    conversion = clocks.conversion()
    stamp = conversion.stamp(clocks.now + 60.0)
    assert conversion.at(clocks.now)(stamp) == clocks.now


def test_a_slow_read_of_two_clocks_is_no_step() -> None:
    clocks = Clocks()
    conversion = clocks.conversion()
    clocks.ahead_ns += STEP_NS // 2
    assert conversion.update() == 0.0
    assert conversion.offset_ns == BEGIN_NS


def test_a_process_that_waits_between_two_reads_measures_again() -> None:
    """The scheduler stops the process once, for 3 ms, after it has read one of the clocks."""
    clocks = Clocks()
    waits = [0.0, 0.003, 0.0]
    reads = iter([*waits, *([0.0] * 100)])

    def system_ns() -> int:
        clocks.wait(next(reads))
        return clocks.monotonic_ns + clocks.ahead_ns

    conversion = RosTime(lambda: clocks.monotonic_ns, system_ns)
    assert conversion.update() == 0.0
    assert conversion.offset_ns == BEGIN_NS
