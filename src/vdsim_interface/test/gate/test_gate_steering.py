"""Wheel angle by the steering rate, gear and hand brake by speed (e)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import BodyCommand, Gear, RawCommand
from vdsim_interface_kit.exploration.gate_packets import (
    LIMITS,
    NAN,
    PERIOD_S,
    STALE,
    Packets,
    effort,
)


@pytest.mark.parametrize("after_s", [-0.4, 0.002, 0.01, 0.09])
def test_one_packet_turns_the_wheel_by_one_period_at_most(after_s: float) -> None:
    packets = Packets(5.0)
    packets.send()
    sent = packets.send(0.0, 0.3, after_s=after_s)
    most = 0.8 * min(max(after_s, 0.0), PERIOD_S)
    assert sent.vehicle.front_wheel_angle_rad == pytest.approx(most, abs=2e-6)


@pytest.mark.parametrize(("from_rad", "to_rad"), [(0.2, 0.0), (0.2, -0.3), (-0.2, 0.3)])
def test_a_turned_wheel_turns_back_by_one_period_at_most(from_rad: float, to_rad: float) -> None:
    packets = Packets(5.0)
    packets.front = from_rad
    packets.send(0.0, from_rad)
    sent = packets.send(0.0, to_rad).vehicle.front_wheel_angle_rad
    most = 0.8 * PERIOD_S
    assert sent == pytest.approx(from_rad + (most if to_rad > from_rad else -most), abs=2e-6)


def test_steering_starts_from_the_reported_angle_after_silence_and_with_an_engagement() -> None:
    packets = Packets(5.0)
    packets.front = 0.2
    assert packets.send(0.0, 0.2).vehicle.front_wheel_angle_rad == 0.2
    packets.front = 0.1
    assert packets.send(0.0, 0.3).vehicle.front_wheel_angle_rad == pytest.approx(0.208, abs=1e-5)
    packets.engagement += 1
    assert packets.send(0.0, 0.3).vehicle.front_wheel_angle_rad == pytest.approx(0.108, abs=1e-5)


@pytest.mark.parametrize("after_raw", [False, True])
def test_a_reported_angle_beyond_the_range_is_not_sent(after_raw: bool) -> None:
    packets = Packets(5.0)
    packets.front = 0.7
    if after_raw:
        packets.send(0.0, 0.7, raw=RawCommand(packets.now))
    assert packets.send(0.0, 0.7).vehicle.front_wheel_angle_rad == 0.6


def test_without_the_rule_rate_only_the_range_holds() -> None:
    limits = replace(LIMITS, safety=SafetyParameters(disabled_rules="rate"))
    packets = Packets(5.0, limits)
    packets.send()
    assert packets.send(0.0, 0.5).vehicle.front_wheel_angle_rad == 0.5
    assert packets.send(0.0, 9.0).vehicle.front_wheel_angle_rad == 0.6
    assert packets.send(0.0, NAN).vehicle.front_wheel_angle_rad == 0.6


@pytest.mark.parametrize("gradient", [0.0, 0.003])
def test_at_speed_the_lateral_jerk_limits_the_rate_of_a_car_that_understeers(
    gradient: float,
) -> None:
    """Lateral acceleration is v^2 angle / (wheelbase + gradient v^2)."""
    safety = SafetyParameters(lateral_jerk_max_mps3=5.0, steer_rate_max_radps=(0.8,) * 4)
    limits = replace(LIMITS, safety=safety, understeer_rad_s2pm=gradient)
    packets = Packets(20.0, limits)
    packets.send()
    sent = packets.send(0.0, 0.3).vehicle.front_wheel_angle_rad
    per_rad = 20.0**2 / (LIMITS.wheelbase_m + gradient * 20.0**2)
    assert sent * per_rad == pytest.approx(5.0 * PERIOD_S, abs=2e-6 * per_rad)


@pytest.mark.parametrize(
    ("gear", "speed", "is_set"),
    [
        (Gear.PARK, 0.09, True),
        (Gear.PARK, 0.11, False),
        (Gear.PARK, -0.11, False),
        (Gear.REVERSE, 0.29, True),
        (Gear.REVERSE, 0.31, False),
        (Gear.REVERSE, -5.0, True),
        (Gear.LOW, 30.0, True),
        (Gear.NEUTRAL, 30.0, True),
    ],
)
def test_a_gear_is_set_only_at_its_speed(gear: Gear, speed: float, is_set: bool) -> None:
    packets = Packets(speed)
    packets.body = BodyCommand(gear=gear)
    assert packets.send().body.gear is (gear if is_set else Gear.DRIVE)


@pytest.mark.parametrize(("speed", "is_set"), [(0.29, True), (0.31, False)])
def test_the_hand_brake_too(speed: float, is_set: bool) -> None:
    packets = Packets(speed)
    packets.body = BodyCommand(gear=Gear.DRIVE, hand_brake=True)
    assert packets.send().body.hand_brake is is_set


def test_without_a_fresh_report_neither_is_set() -> None:
    packets = Packets(0.0)
    packets.report_age_s = 1.0
    packets.body = BodyCommand(gear=Gear.PARK, hand_brake=True)
    sent = packets.send()
    assert (sent.body.gear, sent.body.hand_brake) == (Gear.DRIVE, False)


def test_what_the_vehicle_reports_itself_stays() -> None:
    packets = Packets(20.0)
    packets.gear, packets.hand_brake = Gear.PARK, True
    packets.body = BodyCommand(gear=Gear.PARK, hand_brake=True)
    sent = packets.send()
    assert sent.body is packets.body


def test_braking_in_a_refused_gear_stays_braking() -> None:
    packets = Packets(5.0)
    packets.stops = (STALE,)
    packets.body = BodyCommand(gear=Gear.REVERSE)
    sent = packets.send(2.0, asked=-2.0)  # in R a positive acceleration brakes
    assert sent.body.gear is Gear.DRIVE
    assert effort(sent) <= -2.0
