"""A person drives: overrides, the manual block, taking over without a bump."""

from dataclasses import replace
from itertools import pairwise

import pytest
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    NO_DRIVER,
    Authority,
    BodyState,
    DriverActivity,
    Gear,
    Headlight,
    Mode,
    RawCommand,
    VehicleCommand,
)
from vdsim_interface_kit.safety_stage import GO, Bench


@pytest.mark.parametrize("control", ["pedal", "wheel", "gear_lever", "switch"])
def test_driver_override_ends_autonomy_at_once(control: str) -> None:
    """[VI-5.1] In the same call, with its reason; from then on nothing is sent."""
    bench = Bench().engage()
    notices = bench.safety.on_driver(DriverActivity(**{control: True}))
    name = control.replace("_", " ")
    assert [r.text for r in notices] == [f"AUTONOMOUS -> DISENGAGED: driver override: {name}"]
    assert bench.safety.mode is Mode.DISENGAGED
    assert bench.safety.status(bench.now).last_disengage_reason == f"driver override: {name}"
    out = bench.step(GO)
    assert out.command.authority is Authority.SILENT
    assert out.command.raw is None
    result, _ = bench.safety.on_change_mode(True, bench.now)
    assert result.reason == f"the driver uses {name}"
    bench.safety.on_driver(NO_DRIVER)
    assert bench.safety.on_change_mode(True, bench.now)[0].success


@pytest.mark.parametrize("control", ["pedal", "wheel", "gear_lever", "switch"])
def test_an_ignored_driver_neither_ends_nor_prevents_autonomy(control: str) -> None:
    bench = Bench(rig="driverless", driver_override="ignored")
    active = DriverActivity(**{control: True})
    bench.safety.on_driver(active)
    bench.engage()
    assert bench.safety.mode is Mode.AUTONOMOUS
    for _ in range(3):  # the switch repeats itself: one notice
        bench.record(bench.safety.on_driver(active))
    assert bench.step(GO, 50).command.authority is Authority.COMMAND
    bench.record(bench.safety.on_driver(NO_DRIVER))
    notices = bench.record(bench.safety.on_driver(active))
    name = control.replace("_", " ")
    text = f"driver override ignored (safety.driver_override): {name}"
    assert [notice.text for notice in notices] == [text]
    assert bench.count("driver_ignored") == 2
    assert bench.safety.mode is Mode.AUTONOMOUS


def test_an_ignored_driver_does_not_hide_a_vehicle_that_leaves_autonomy() -> None:
    bench = Bench(rig="driverless", driver_override="ignored").engage()
    bench.safety.on_vehicle_ready(False)
    assert bench.safety.mode is Mode.DISENGAGED


def test_a_person_at_the_controls_cannot_be_ignored() -> None:
    with pytest.raises(ParameterError) as caught:
        SafetyParameters(driver_override="ignored")
    assert str(caught.value) == (
        "safety.driver_override=ignored: needs safety.rig=driverless: "
        "a person at the controls must be able to take over"
    )


def test_override_in_manual_silences_and_blocks_the_handshake() -> None:
    """[VI-5.1]"""
    bench = Bench(auto_engage=True)
    bench.step()
    assert bench.safety.on_driver(DriverActivity(pedal=True)) == ()
    bench.safety.on_driver(NO_DRIVER)
    out = bench.step(GO, 10)
    assert out.command.authority is Authority.SILENT
    assert bench.safety.mode is Mode.MANUAL


def test_nothing_of_the_stack_passes_outside_autonomous() -> None:
    """[VI-5.1] Neither motion nor gear nor lamps."""
    for raw in (False, True):
        bench = Bench()
        bench.front = 0.07
        bench.request(headlight=Headlight.HIGH, gear=Gear.REVERSE)
        command = RawCommand(0.0, 500, 0, 100, 0) if raw else VehicleCommand(0.0, 3.0, 0.4, 0.0)
        out = bench.step(command, 20).command
        assert out.raw is None
        assert out.vehicle.long_accel_mps2 < 0.0
        assert out.vehicle.front_wheel_angle_rad == pytest.approx(0.07)
        assert out.body.headlight is Headlight.OFF
        assert out.body.gear is Gear.DRIVE
        assert not raw or out.vehicle.stamp_s == bench.now


def test_the_manual_block_is_reported_once_while_commands_arrive() -> None:
    bench = Bench()
    bench.step(None, 5)
    assert "manual_block" not in bench.kinds()
    bench.speed = 3.0
    bench.step(GO, 20)
    assert bench.kinds().count("manual_block") == 1


def test_idle_brakes_a_rolling_car_smoothly() -> None:
    bench = Bench(rig="driverless")
    bench.speed = 5.0
    decel = [bench.step().command.vehicle.long_accel_mps2 for _ in range(200)]
    assert decel[0] == pytest.approx(-0.025)
    assert max(b - a for a, b in pairwise(decel)) <= 1e-6
    assert decel[-1] == -2.5


def test_taking_over_is_bumpless() -> None:
    """Engaged in a bend at speed: the first output is at the measured angle, near zero accel."""
    bench = Bench()
    bench.speed, bench.front = 8.0, 0.1
    bench.step()
    bench.safety.on_change_mode(False, bench.now)
    bench.step(None, 20)
    bench.engage(VehicleCommand(0.0, 1.0, -0.1, 0.0))
    assert bench.output is not None
    vehicle = bench.output.command.vehicle
    assert vehicle.front_wheel_angle_rad == pytest.approx(0.1, abs=0.015)
    # one period of the handshake (-0.025), then two of 10 m/s3
    assert vehicle.long_accel_mps2 == pytest.approx(0.175)


def test_the_vehicle_itself_may_leave_autonomy() -> None:
    bench = Bench().engage()
    assert bench.safety.on_vehicle_ready(True) == ()
    bench.record(bench.safety.on_vehicle_ready(False))
    assert bench.safety.mode is Mode.DISENGAGED
    assert "left autonomous operation by itself" in bench.last("mode_changed")
    assert bench.step(GO).command.authority is Authority.IDLE
    assert not bench.safety.on_change_mode(True, bench.now)[0].success
    bench.safety.on_vehicle_ready(True)
    assert bench.safety.on_change_mode(True, bench.now)[0].success


def test_stop_ends_in_manual_for_good() -> None:
    bench = Bench(auto_engage=True).engage()
    notices = bench.safety.stop()
    assert [r.text for r in notices] == ["AUTONOMOUS -> MANUAL: the interface is deactivated"]
    out = bench.step(GO, 20)
    assert out.command.authority is Authority.IDLE
    assert out.command.vehicle.long_accel_mps2 < 0.0


def test_after_a_stop_a_request_to_engage_is_refused() -> None:
    """A request on its way while the interface is deactivated must not start autonomy."""
    bench = Bench().engage()
    bench.safety.stop()
    result, _ = bench.safety.on_change_mode(True, bench.now)
    assert not result.success
    assert result.reason == "the interface is not active"
    bench.request(autonomous=True)
    bench.step(GO, 20)
    assert bench.safety.mode is Mode.MANUAL


@pytest.mark.parametrize(("gear", "sign"), [(Gear.DRIVE, -1.0), (Gear.REVERSE, 1.0)])
def test_the_last_command_of_a_stage_that_is_stopped_brakes(gear: Gear, sign: float) -> None:
    bench = Bench()
    bench.body = replace(bench.body, gear=gear)
    go = VehicleCommand(0.0, -sign * 1.0, 0.1)
    bench.engage(go)
    bench.speed, bench.front = -sign * 5.0, 0.1
    assert bench.step(go, 50).command.body.gear is gear
    bench.safety.stop()
    command = bench.step(None).command
    assert command.authority is Authority.IDLE
    assert command.vehicle.long_accel_mps2 == sign * SafetyParameters().stop_decel_mps2
    assert command.vehicle.front_wheel_angle_rad == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("gear", "speed", "direction"),
    [
        (Gear.DRIVE, -1.0, 1),
        (Gear.LOW, -1.0, 1),
        (Gear.REVERSE, 1.0, -1),
        (Gear.NEUTRAL, 1.0, 1),
        (Gear.NEUTRAL, 0.0, 1),
        (Gear.NEUTRAL, -0.1, 1),
        (Gear.NEUTRAL, -0.101, -1),
        (Gear.PARK, -0.2, -1),
    ],
)
def test_braking_is_against_the_direction_of_travel(
    gear: Gear, speed: float, direction: int
) -> None:
    """The gear's; rolling in P or N, the motion's. As hard as in D."""

    def braked(gear: Gear, speed: float) -> float:
        bench = Bench()
        bench.body, bench.speed = BodyState(gear=gear), speed
        return bench.step(GO, 5).command.vehicle.long_accel_mps2

    forward = braked(Gear.DRIVE, abs(speed))
    assert forward < 0.0
    assert braked(gear, speed) == direction * forward
