"""No stop brakes less than before, and one that ends is released by the jerk (b)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from vdsim_interface.gate.gate import NO_STOP
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import RawCommand
from vdsim_interface_kit.exploration.gate_packets import (
    CABIN,
    EMERGENCY,
    INF,
    LIMITS,
    NAN,
    STALE,
    Packets,
    effort,
)


def test_the_demand_starts_at_what_was_asked_and_never_falls_while_the_car_moves() -> None:
    packets = Packets()
    packets.send_n(5, -5.0)
    packets.stops = (STALE,)
    for _ in range(100):
        assert effort(packets.send(0.0)) <= -5.0 + 1e-9
    assert packets.state.demand_mps2 == 5.0


def test_it_rises_with_the_jerk_of_the_stop_to_the_hardest() -> None:
    packets = Packets()
    packets.send_n(2)
    packets.stops = (STALE,)
    packets.send(0.0)
    assert packets.state.demand_mps2 == pytest.approx(0.025)
    packets.stops = (STALE, EMERGENCY)
    packets.send(0.0)
    assert packets.state.demand_mps2 == pytest.approx(0.525)
    packets.send_n(60)
    assert packets.state.demand_mps2 == 6.0


def test_what_the_sender_asks_counts_on_top() -> None:
    packets = Packets()
    packets.stops = (CABIN,)
    packets.send(-4.0)
    assert packets.state.demand_mps2 == 4.0


@pytest.mark.parametrize(
    ("facts", "may_be_less"),
    [
        ({}, False),
        ({"slips": True}, True),
        ({"accel": -2.4}, True),
        ({"accel": -2.2}, True),
        ({"accel": -2.1}, False),
        ({"accel": -1.5}, False),
        ({"speed": 1.4}, True),
        ({"speed": 1.6}, False),
        ({"speed": -1.4}, True),
    ],
)
def test_the_effort_is_below_the_demand_only_with_a_reason(
    facts: dict[str, Any], may_be_less: bool
) -> None:
    packets = Packets()
    packets.stops = (STALE,)
    packets.send_n(400, -2.5)
    for field, value in facts.items():
        setattr(packets, field, value)
    sent = packets.send_n(100, -0.4, asked=-2.5)
    assert (effort(sent) > -2.4) is may_be_less


@pytest.mark.parametrize(("speed", "may_be_less"), [(1.4, True), (1.6, False), (2.3, False)])
def test_a_hard_stop_is_eased_below_a_walking_speed_only(speed: float, may_be_less: bool) -> None:
    """6 m/s2 end within 0.5 m from 2.4 m/s on, and are not eased there."""
    packets = Packets()
    packets.stops = (EMERGENCY,)
    packets.send_n(400, -6.0)
    packets.speed = speed
    sent = packets.send_n(100, -0.4, asked=-6.0)
    assert (effort(sent) > -5.9) is may_be_less


def test_an_effort_that_falls_short_rises_with_the_jerk_of_the_stop() -> None:
    packets = Packets()
    packets.stops = (STALE,)
    packets.send_n(400, -0.4, asked=-2.5)
    assert effort(packets.send(-0.4, asked=-2.5)) == -2.5
    packets.slips = True
    packets.send(-0.4, asked=-2.5)
    packets.slips = False
    assert effort(packets.send(-0.4, asked=-2.5)) == pytest.approx(-0.425)


@pytest.mark.parametrize(("wanted", "sent"), [(-0.5, -2.5), (-2.6, -2.6), (-9.0, -3.0)])
def test_blind_it_lies_between_the_demand_and_a_fifth_more(wanted: float, sent: float) -> None:
    packets = Packets()
    packets.stops = (STALE,)
    packets.send_n(200, -2.5)
    packets.report_age_s = 1.0
    assert effort(packets.send(wanted, asked=-2.5)) == pytest.approx(sent)


@pytest.mark.parametrize(("hold", "sent"), [(1.0, -2.5), (2.8, -2.8), (4.0, -3.0)])
def test_blind_it_holds_the_car_on_its_slope_as_far_as_a_blind_brake_may(
    hold: float, sent: float
) -> None:
    """Nobody sees the car come to rest: it must be held from then on."""
    packets = Packets(5.0)
    packets.stops = (STALE,)
    packets.send_n(200, -2.5)
    packets.report_age_s, packets.hold = 1.0, hold
    assert effort(packets.send(-2.5, asked=-2.5)) == pytest.approx(sent)


def test_blind_a_brake_that_was_harder_before_stays() -> None:
    packets = Packets(0.0)
    packets.stops = (STALE,)
    packets.send_n(200, -4.0, asked=-2.5)
    packets.report_age_s = 1.0
    assert effort(packets.send(-4.0, asked=-2.5)) == -4.0


@pytest.mark.parametrize("hold", [-3.0, NAN])
def test_a_second_pedal_that_is_negative_or_no_number_drives_nothing(hold: float) -> None:
    packets = Packets()
    packets.stops, packets.slips = (STALE,), True
    sent = packets.send(2.0, hold_mps2=hold)
    assert effort(sent) <= 0.0
    assert sent.no_drive
    assert sent.hold_mps2 == 0.0


def test_blind_the_brake_never_falls() -> None:
    """On a descent a stop brakes with more than its demand; nothing measures what less would do."""
    packets = Packets(5.0)
    packets.stops = (STALE,)
    packets.send_n(200, -5.0, asked=-2.5)
    packets.report_age_s = 0.2
    assert effort(packets.send(-1.0, asked=-0.5)) == -5.0
    assert effort(packets.send(-0.2, asked=-0.5)) == -5.0


def test_at_rest_the_demand_is_let_go_to_what_stands() -> None:
    packets = Packets()
    packets.send_n(2, -5.0)
    packets.stops = (STALE,)
    packets.send_n(5)
    packets.speed = 0.0
    packets.send(0.0)
    assert packets.state.demand_mps2 == 2.5


@pytest.mark.parametrize("asked", [-INF, NAN])
def test_a_demand_that_is_no_number_changes_nothing(asked: float) -> None:
    packets = Packets()
    packets.send_n(2, -5.0)
    packets.stops = (STALE,)
    packets.send(0.0, asked=asked)
    assert packets.state[1:3] == (5.0, 5.0)
    packets.stops, packets.speed = (), 0.0
    packets.send(1.0, asked=asked)
    assert packets.state[1:3] == (0.0, NO_STOP)


def test_a_stop_that_ends_while_the_car_moves_is_released_by_the_jerk_whatever_the_rules_are() -> (
    None
):
    packets = Packets(limits=replace(LIMITS, safety=SafetyParameters(enabled=False)))
    packets.send_n(5, -2.5)
    packets.stops = (STALE,)
    packets.send_n(5, -2.5)
    packets.stops = ()
    sent = [effort(packets.send(1.0)) for _ in range(36)]
    steps = [after - before for before, after in zip([-2.5, *sent], sent, strict=False)]
    assert steps[:34] == pytest.approx([0.1] * 34)
    assert [change.kind for change in packets.changes] == []
    assert sent[-1] == 1.0
    assert effort(packets.send(2.0)) == 2.0, "after that the sender's own jerk counts"


@pytest.mark.parametrize(
    ("facts", "call"),
    [
        ({"speed": 0.0}, {}),
        ({"slips": True}, {}),
        ({}, {"hold_mps2": 3.0}),
        ({}, {"raw": RawCommand(100.0)}),
    ],
    ids=["at rest", "wheels slip", "both pedals", "raw"],
)
def test_a_release_is_not_delayed(facts: dict[str, Any], call: dict[str, Any]) -> None:
    packets = Packets()
    packets.stops = (STALE,)
    packets.send_n(200, -2.5)
    packets.stops = ()
    for field, value in facts.items():
        setattr(packets, field, value)
    assert effort(packets.send(1.0, **call)) == 1.0
    assert packets.changes == ()


def test_the_next_stop_in_a_release_starts_at_what_was_demanded() -> None:
    packets = Packets()
    packets.send_n(5, -2.5)
    packets.stops = (STALE,)
    packets.send_n(5, -2.5)
    packets.stops = ()
    packets.send_n(3, 1.0)
    packets.stops = (STALE,)
    assert effort(packets.send(1.0)) == pytest.approx(-2.2, abs=0.03)
