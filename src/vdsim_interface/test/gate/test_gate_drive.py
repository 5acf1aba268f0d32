"""The gate passes no drive without a sender, in a stop, or before a later engagement (a, d)."""

from __future__ import annotations

from typing import Any

import pytest
from vdsim_interface.values import Authority
from vdsim_interface_kit.exploration.gate_packets import CABIN, NAN, STALE, Packets, effort

CAUSES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("a stop", {"stops": (STALE,)}, {}),
    ("a stale command", {"command_age_s": 0.51}, {}),
    ("a command of the future", {"command_age_s": -0.51}, {}),
    ("a stale report", {"report_age_s": 0.11}, {}),
    ("no authority", {}, {"authority": Authority.IDLE}),
    ("an effort that is no number", {}, {"accel": NAN, "asked": 0.0}),
)


@pytest.mark.parametrize(("name", "facts", "call"), CAUSES, ids=[c[0] for c in CAUSES])
@pytest.mark.parametrize("speed", [12.0, 0.5, 0.0])
def test_the_first_packet_after_the_cause_has_no_drive(
    name: str, facts: dict[str, Any], call: dict[str, Any], speed: float
) -> None:
    packets = Packets(speed)
    packets.send_n(5, 2.0)
    for field, value in facts.items():
        setattr(packets, field, value)
    sent = packets.send(**{"accel": 2.0, **call})
    assert effort(sent) <= 0.0
    assert sent.no_drive
    assert sent.hold_mps2 == 0.0


@pytest.mark.parametrize("speed", [0.9, 0.3, 0.0, -0.2])
def test_a_slow_car_whose_drive_is_taken_away_is_held_in_the_same_packet(speed: float) -> None:
    packets = Packets(speed)
    packets.hold = 3.4
    packets.send_n(5, 2.0)
    packets.stops = (STALE,)
    assert effort(packets.send(2.0)) == -3.4
    assert effort(packets.send(-0.1)) == -3.4, "and stays held"


def test_a_faster_one_is_not() -> None:
    packets = Packets(1.1)
    packets.send_n(5, 2.0)
    packets.stops = (STALE,)
    assert effort(packets.send(2.0)) > -1.0


def test_both_pedals_of_a_start_become_the_brake() -> None:
    packets = Packets(0.0)
    packets.send_n(5, 1.0, hold_mps2=4.0)
    packets.stops = (STALE,)
    sent = packets.send(1.0, hold_mps2=4.0)
    assert (effort(sent), sent.hold_mps2) == (-4.0, 0.0)


@pytest.mark.parametrize("speed", [0.5, 0.0])
def test_a_start_whose_drive_is_still_zero_keeps_the_brake_of_its_second_pedal(
    speed: float,
) -> None:
    packets = Packets(speed)
    packets.send_n(5, 0.0, hold_mps2=4.0)
    packets.stops = (STALE,)
    assert effort(packets.send(0.0)) <= -packets.hold


def test_a_car_that_rolls_back_is_held_at_once() -> None:
    packets = Packets(3.0)
    packets.stops = (STALE,)
    packets.send_n(2)
    packets.speed = -0.05
    assert effort(packets.send(0.0)) == -packets.hold


@pytest.mark.parametrize("speed", [0.9, 0.3])
def test_a_slow_car_that_nobody_sees_is_held_at_once(speed: float) -> None:
    """Seed 3000614: until the next report it may have come to rest on its rise and roll back."""
    packets = Packets(speed)
    packets.stops, packets.report_age_s = (STALE,), 0.11
    assert effort(packets.send(0.0)) == -packets.hold


def test_a_slow_stop_rises_to_the_brake_that_holds_whatever_else_it_may_do() -> None:
    packets = Packets(0.8)
    packets.stops, packets.slips = (STALE,), True
    assert effort(packets.send(0.0)) == pytest.approx(-0.025)
    assert effort(packets.send_n(100, 0.0)) == -packets.hold


def test_a_stop_that_held_the_car_passes_no_drive_until_a_later_engagement() -> None:
    packets = Packets(0.0)
    packets.stops = (CABIN,)
    packets.send_n(3)
    packets.stops = ()
    assert effort(packets.send_n(200, 2.0)) <= 0.0
    packets.engagement += 1
    assert effort(packets.send(2.0)) == 2.0


def test_so_does_one_that_held_the_car_while_reports_were_late() -> None:
    packets = Packets(0.0)
    packets.stops, packets.report_age_s = (CABIN,), 0.3
    packets.send_n(3)
    packets.stops, packets.report_age_s = (), 0.0
    assert effort(packets.send_n(200, 2.0)) <= 0.0
    packets.engagement += 1
    assert effort(packets.send(2.0)) == 2.0


def test_one_that_ended_before_the_car_stood_does_not() -> None:
    packets = Packets(3.0)
    packets.stops = (CABIN,)
    packets.send_n(3)
    packets.stops = ()
    assert effort(packets.send_n(100, 2.0)) == 2.0


@pytest.mark.parametrize("authority", [Authority.COMMAND, Authority.SILENT])
def test_a_safety_side_that_starts_again_is_no_later_engagement(authority: Authority) -> None:
    packets = Packets(0.0)
    packets.engagement = 3
    packets.stops = (CABIN,)
    packets.send_n(3)
    packets.stops, packets.engagement = (), 0
    packets.send(authority=authority)
    assert effort(packets.send_n(2, 2.0)) <= 0.0
    packets.engagement = 1
    assert effort(packets.send(2.0)) == 2.0
