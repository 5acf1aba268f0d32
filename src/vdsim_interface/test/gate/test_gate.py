"""The gate alone: what passes unchanged, raw commands, whatever arrives."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_interface.gate import START, Facts, Wanted, gate
from vdsim_interface.values import (
    NO_DRIVER,
    Authority,
    BodyCommand,
    Gear,
    Mode,
    PlatformCommand,
    RawCommand,
    Stop,
    VehicleCommand,
)
from vdsim_interface_kit.exploration.gate_packets import (
    CABIN,
    DRIVE_BODY,
    EMERGENCY,
    INF,
    LIMITS,
    NAN,
    PERIOD_S,
    STALE,
    Packets,
    effort,
)


def test_a_command_in_order_passes_as_the_same_object() -> None:
    packets = Packets()
    vehicle = VehicleCommand(packets.now, 1.5, 0.001)
    packets.now += PERIOD_S
    command = PlatformCommand(Authority.COMMAND, Mode.AUTONOMOUS, vehicle, DRIVE_BODY)
    facts = Facts(packets.now, packets.now, packets.now, 10.0, 0.0, 2.0, False, 0.0, 0.0,
                  Gear.DRIVE, False, NO_DRIVER)  # fmt: skip
    sent, state, changes = gate(START, Wanted(command, 1.5, (), 1, 0), facts, LIMITS)
    assert sent is command
    assert changes == ()
    assert len(state) <= 12


def test_silence_passes_as_silence() -> None:
    packets = Packets()
    sent = packets.send(authority=Authority.SILENT)
    assert sent.authority is Authority.SILENT
    assert packets.state.sent_s == -INF


def test_a_raw_command_passes_or_is_replaced_by_the_stop() -> None:
    packets = Packets()
    raw = RawCommand(packets.now, throttle=300)
    assert packets.send(0.0, raw=raw).raw is raw
    packets.stops = (EMERGENCY,)
    sent = packets.send(0.0, raw=raw)
    assert sent.raw is None
    assert effort(sent) < 0.0
    assert sent.no_drive


NUMBERS = st.one_of(st.floats(-50.0, 50.0), st.sampled_from([NAN, INF, -INF, 1e308]))
AGES = st.sampled_from([-1.0, -0.01, 0.0, 0.05, 0.09, 0.11, 0.6, 2.0])
STOPS = st.lists(st.sampled_from([STALE, CABIN, EMERGENCY]), max_size=3).map(tuple)


@given(
    accel=NUMBERS,
    front=NUMBERS,
    asked=NUMBERS,
    speed=st.floats(-40.0, 40.0),
    stops=STOPS,
    authority=st.sampled_from(list(Authority)),
    ages=st.tuples(AGES, AGES),
    gear=st.sampled_from(list(Gear)),
    after_s=st.sampled_from([0.0, 0.01, 0.5, -1.0]),
)
def test_what_is_sent_is_finite_in_range_and_without_drive_where_none_is_allowed(
    accel: float,
    front: float,
    asked: float,
    speed: float,
    stops: tuple[Stop, ...],
    authority: Authority,
    ages: tuple[float, float],
    gear: Gear,
    after_s: float,
) -> None:
    packets = Packets(speed)
    packets.send(1.0)
    packets.stops, packets.gear = stops, gear
    packets.command_age_s, packets.report_age_s = ages
    sent = packets.send(accel, front, asked=asked, authority=authority, after_s=after_s)
    if sent.authority is Authority.SILENT:
        return
    assert math.isfinite(sum(sent.vehicle[1:]))
    assert abs(sent.vehicle.front_wheel_angle_rad) <= LIMITS.front_max_rad
    if stops or authority is not Authority.COMMAND or abs(ages[1]) > 0.1:
        direction = -1 if sent.body.gear is Gear.REVERSE else 1
        if sent.body.gear in (Gear.PARK, Gear.NEUTRAL):
            direction = -1 if speed < -0.1 else 1
        assert direction * sent.vehicle.long_accel_mps2 <= 0.0
        assert sent.no_drive


def test_a_drive_in_a_gear_that_is_refused_does_not_become_a_drive_in_the_other() -> None:
    packets = Packets(0.8)
    packets.send_n(3, 0.0)
    packets.body = BodyCommand(gear=Gear.REVERSE)
    for _ in range(50):
        sent = packets.send(-1.0)
        assert sent.body.gear is Gear.DRIVE
        assert effort(sent) < 0.0
        assert sent.no_drive
    assert effort(sent) <= -1.0, "it brakes as a stop, until the gear may be set"


def test_raw_pedals_in_a_gear_that_is_refused_do_not_drive_the_other_way() -> None:
    packets = Packets(0.8)
    packets.send_n(3, 0.0)
    packets.body = BodyCommand(gear=Gear.REVERSE)
    sent = packets.send(0.0, raw=RawCommand(packets.now, throttle=300))
    assert sent.raw is None
    assert effort(sent) < 0.0
    assert sent.no_drive
    brake = RawCommand(packets.now, throttle=0, brake=100)
    assert packets.send(0.0, raw=brake).raw is brake


def test_a_brake_in_a_gear_that_is_refused_stays_the_same_brake() -> None:
    packets = Packets(0.8)
    packets.send_n(3, 0.0)
    packets.body = BodyCommand(gear=Gear.REVERSE)
    assert effort(packets.send(1.0)) == -1.0


@pytest.mark.parametrize("accel", [NAN, INF, -INF])
def test_what_is_not_finite_is_replaced_in_a_stop_that_has_no_drive_already(accel: float) -> None:
    packets = Packets(5.0)
    packets.stops = (STALE,)
    packets.send_n(200, -2.5, no_drive=True)
    sent = packets.send(accel, asked=-2.5, no_drive=True)
    assert effort(sent) == -2.5
    assert packets.state.effort_mps2 == -2.5


@pytest.mark.parametrize("front", [0.3, NAN])
def test_an_angle_that_the_vehicle_does_not_know_frees_no_wheel(front: float) -> None:
    packets = Packets(10.0)
    packets.front = NAN
    sent = packets.send(0.0, front)
    assert abs(sent.vehicle.front_wheel_angle_rad) <= 0.01
    assert abs(packets.send(0.0, 0.3).vehicle.front_wheel_angle_rad) <= 0.02
