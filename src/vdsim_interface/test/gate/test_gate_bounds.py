"""What a small change of a bound or of a first value would change."""

import math

import pytest
from vdsim_interface.gate import START
from vdsim_interface.values import Authority, Stop
from vdsim_interface_kit.exploration.gate_packets import EMERGENCY, PERIOD_S, STALE, Packets, effort

SOFT, HARD = Stop("soft", 2.0, 2.0), Stop("hard", 5.0, 10.0)


def test_before_the_first_packet_nothing_is_sent_demanded_or_latched() -> None:
    assert START[:-1] == (-math.inf, 0, -math.inf, 0, 0, 0, 0, False, 0, 0, -math.inf)
    assert math.isnan(START.pressed_s)


@pytest.mark.parametrize("number", [0, 1, 7])
def test_silence_follows_the_count_of_engagements(number: int) -> None:
    packets = Packets()
    packets.engagement = number
    packets.send(authority=Authority.SILENT)
    assert packets.state.engagement == number


@pytest.mark.parametrize("stops", [(SOFT, HARD), (HARD, SOFT)])
def test_of_two_stops_the_harder_counts_in_any_order(stops: tuple[Stop, ...]) -> None:
    packets = Packets()
    packets.send(0.0)
    packets.stops = stops
    packets.send(0.0)
    assert packets.state.demand_mps2 == pytest.approx(HARD.jerk_mps3 * PERIOD_S)
    packets.send_n(100, 0.0)
    assert packets.state.demand_mps2 == HARD.decel_mps2


def test_a_drive_that_is_asked_for_demands_nothing() -> None:
    packets = Packets()
    packets.send(0.5, asked=0.5)
    assert packets.state.demand_mps2 == 0.0


@pytest.mark.parametrize(("drive", "counts_as"), [(0.5, 0.5), (0.0, -3.0), (-0.5, -3.0)])
def test_a_brake_beside_a_drive_is_not_what_the_gate_remembers(
    drive: float, counts_as: float
) -> None:
    packets = Packets(speed=0.0)
    packets.send(drive, hold_mps2=3.0)
    assert packets.state.effort_mps2 == counts_as


def test_a_car_has_answered_after_a_packet_that_is_longer_than_its_response() -> None:
    packets = Packets()
    packets.limits = packets.limits.__class__(packets.limits.safety, 0.5, 0.5, 3.0, 0.0, 0.6, 0.1)
    packets.send(0.0, after_s=0.5)
    packets.stops = (HARD,)
    packets.send(0.0, after_s=0.5)
    assert packets.state.settled_mps2 == packets.state.demand_mps2 == HARD.decel_mps2


def test_a_stop_that_ends_a_small_drive_brakes_by_its_jerk_from_nothing() -> None:
    packets = Packets()
    packets.accel = 1.0  # the car does not answer yet
    packets.send(0.5)
    packets.stops = (HARD,)
    assert effort(packets.send(0.5)) == pytest.approx(-HARD.jerk_mps3 * PERIOD_S)


def test_an_emergency_stop_counts_before_any_packet() -> None:
    packets = Packets()
    packets.stops = (EMERGENCY, STALE)
    packets.send(0.0, authority=Authority.SILENT)
    assert packets.state.emergency_mps2 == EMERGENCY.decel_mps2


def test_a_car_that_has_just_been_driven_a_little_is_held_at_once() -> None:
    packets = Packets(speed=0.5)
    packets.accel = 1.0
    packets.send(0.5)
    packets.stops = (SOFT,)
    assert effort(packets.send(0.5)) == -packets.hold


def test_a_gentle_emergency_stop_brakes_in_silence_too() -> None:
    packets = Packets()
    packets.accel = 1.0
    packets.stops = (EMERGENCY._replace(decel_mps2=0.8),)
    assert packets.send(0.0, authority=Authority.SILENT).authority is not Authority.SILENT
