"""Raw commands, and the safety functions switched off."""

import pytest
from vdsim_interface.values import (
    Authority,
    BodyState,
    CabinState,
    DriverActivity,
    Gear,
    Headlight,
    RawCommand,
    VehicleCommand,
    Wiper,
)
from vdsim_interface_kit.safety_stage import Bench

RAW = RawCommand(0.0, 300, 0, 50, 0)


def test_raw_passes_unchanged_and_unbounded() -> None:
    """[VI-3.5] Only the block and the watchdogs stand before a raw command."""
    bench = Bench().engage(RAW)
    big = RawCommand(0.0, 4000000000, 0, 2000000000, -2000000000)
    out = bench.step(big)
    assert out.command.raw == big._replace(stamp_s=bench.now)
    assert [c for c in out.changes if c.kind != "gear_automatic"] == []


def test_raw_rear_steering_that_the_platform_lacks_is_named_and_passes_unchanged() -> None:
    bench = Bench(rear_steering=False).engage(RAW)
    assert "no_rear_steering" not in {c.kind for c in bench.step(RAW).changes}
    out = bench.step(RAW._replace(rear_steer=-70))
    assert out.command.raw is not None
    assert out.command.raw.rear_steer == -70
    [named] = [c for c in out.changes if c.kind == "no_rear_steering"]
    assert (named.channel, named.before, named.after) == ("rear_steer", -70, 0.0)


def test_a_rear_wheel_angle_that_the_platform_lacks_is_named() -> None:
    bench = Bench(rear_steering=False).engage()
    out = bench.step(VehicleCommand(0.0, 0.0, 0.0, 0.1))
    assert out.command.vehicle.rear_wheel_angle_rad == 0.0
    [named] = [c for c in out.changes if c.kind == "no_rear_steering"]
    assert named.channel == "rear_wheel_angle_rad"
    assert named.before == pytest.approx(0.1)


def test_any_rear_wheel_angle_that_the_platform_lacks_is_named() -> None:
    bench = Bench(rear_steering=False).engage()
    out = bench.step(VehicleCommand(0.0, 0.0, 0.0, -1.0))
    assert [c.before for c in out.changes if c.kind == "no_rear_steering"] == [-1.0]


def test_a_raw_command_that_is_blocked_is_named_with_what_it_did_not_do() -> None:
    bench = Bench().engage(RAW)
    bench.speed = 5.0
    bench.safety.inputs.on_cabin(CabinState(doors_closed=False), bench.now)
    out = bench.step(RAW)
    assert out.command.raw is None
    named = {c.channel: (c.before, c.after) for c in out.changes if c.kind == "cabin_unsecured"}
    assert named.pop("long_accel_mps2")[1] < 0.0, "our own stop"
    assert named == {"throttle": (300.0, 0.0), "front_steer": (50.0, 0.0)}


def test_raw_stops_when_it_must() -> None:
    bench = Bench().engage(RAW)
    bench.speed, bench.front = 5.0, 0.2
    bench.step(RAW, 10)
    while bench.step(None).command.raw is not None:
        pass
    assert bench.output is not None
    assert bench.output.command.vehicle.long_accel_mps2 == pytest.approx(-0.025), "smoothly"
    out = bench.step(None, 5).command
    assert out.raw is None
    assert out.vehicle.long_accel_mps2 < 0.0
    assert out.vehicle.front_wheel_angle_rad == pytest.approx(0.2)
    assert "command_timeout" in bench.kinds()
    assert bench.step(RAW).command.raw is not None
    bench.reports_come = False
    assert bench.step(RAW, 12).command.raw is None
    bench.reports_come = True
    assert bench.step(RAW).command.raw is not None
    bench.safety.inputs.on_cabin(CabinState(doors_closed=False), bench.now)
    assert bench.step(RAW).command.raw is None


def test_raw_throttle_leaves_park_forward() -> None:
    bench = Bench()
    bench.body = BodyState(gear=Gear.PARK)
    bench.engage(RawCommand(0.0))
    assert bench.step(RawCommand(0.0, 0, 100), 5).command.body.gear is Gear.PARK
    assert bench.step(RAW).command.body.gear is Gear.DRIVE
    assert bench.step(RAW, 100).command.body.gear is Gear.DRIVE


def test_with_safety_off_only_block_and_watchdogs_are_left() -> None:
    """[VI-3.5]"""
    bench = Bench(enabled=False).engage(VehicleCommand(0.0))
    bench.speed = 20.0
    bench.safety.inputs.on_cabin(CabinState(doors_closed=False), bench.now)
    wild = VehicleCommand(0.0, 30.0, 1.2, 0.7)
    out = bench.step(wild)
    vehicle = out.command.vehicle
    assert vehicle.long_accel_mps2 == 30.0
    assert vehicle.front_wheel_angle_rad == pytest.approx(1.2)
    assert vehicle.rear_wheel_angle_rad == pytest.approx(0.7)
    assert out.changes == ()
    bench.request(gear=Gear.PARK, hand_brake=True, wiper=Wiper.HIGH)
    body = bench.step(wild).command.body
    assert body.gear is Gear.PARK
    assert body.hand_brake
    assert body.headlight is Headlight.OFF
    assert bench.step(None, 60).command.vehicle.long_accel_mps2 < 0.0
    bench.safety.on_driver(DriverActivity(pedal=True))
    assert bench.step(wild).command.authority is Authority.SILENT


def test_with_safety_off_a_raw_command_ignores_the_cabin() -> None:
    """[VI-3.5]"""
    bench = Bench(enabled=False)
    bench.safety.inputs.on_cabin(CabinState(doors_closed=False), bench.now)
    bench.engage(RAW)
    assert bench.step(RAW).command.raw is not None


def test_the_smallest_raw_throttle_leaves_park_and_none_leaves_reverse() -> None:
    bench = Bench()
    bench.body = BodyState(gear=Gear.PARK)
    bench.engage(RawCommand(0.0))
    assert bench.step(RawCommand(0.0, 1)).command.body.gear is Gear.DRIVE
    bench = Bench()
    bench.body = BodyState(gear=Gear.REVERSE)
    bench.engage(RawCommand(0.0))
    assert bench.step(RAW, 100).command.body.gear is Gear.REVERSE
