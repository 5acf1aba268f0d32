"""What stops coming: commands, reports, and time that jumps."""

import math
import re
from itertools import pairwise

import pytest
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.safety import Safety, SafetyParameters
from vdsim_interface.values import (
    Authority,
    Blinker,
    BodyState,
    Gear,
    Mode,
    Odometry,
    StateCommand,
    VehicleCommand,
)
from vdsim_interface_kit.safety_stage import GO, Bench

NAN = math.nan


def test_commands_stop_coming() -> None:
    bench = Bench().engage()
    bench.speed = 8.0
    bench.front = 0.05
    bench.step(VehicleCommand(0.0, 0.5, 0.1, 0.0), 100)
    assert bench.output is not None
    held = bench.output.command.vehicle.front_wheel_angle_rad
    bench.step(None, 49)
    assert "command_timeout" not in bench.kinds(), "0.49 s old is not yet too old"
    out = bench.step(None, 3).command
    assert bench.kinds().count("command_timeout") == 1
    assert out.body.blinker is Blinker.HAZARD
    accel = [bench.step(None).command.vehicle.long_accel_mps2 for _ in range(150)]
    steps = [b - a for a, b in pairwise(accel)]
    assert min(steps) >= -0.0251
    assert accel[-1] == -2.5
    assert bench.output.command.vehicle.front_wheel_angle_rad == held
    assert bench.safety.mode is Mode.AUTONOMOUS
    assert bench.safety.status(bench.now).command_age_s == pytest.approx(2.02)
    out = bench.step(VehicleCommand(0.0, 0.0, 0.0, 0.0), 40).command
    assert out.body.blinker is Blinker.OFF, "the cause is gone, so is the change"
    assert out.vehicle.long_accel_mps2 == 0.0


def test_the_link_goes_stale_then_counts_as_lost() -> None:
    bench = Bench().engage()
    bench.speed = 8.0
    bench.step(GO, 20)
    bench.reports_come = False
    bench.step(GO, 9)
    assert "link_timeout" not in bench.kinds()
    out = bench.step(GO, 3).command
    assert "link_timeout" in bench.kinds()
    assert out.body.blinker is Blinker.HAZARD
    assert out.authority is Authority.COMMAND
    bench.step(GO, 85)
    assert bench.safety.mode is Mode.AUTONOMOUS
    bench.step(GO, 5)
    assert bench.safety.mode is Mode.DISENGAGED
    reason = bench.safety.status(bench.now).last_disengage_reason
    assert re.fullmatch(r"no report from the vehicle for 1\.0\d s", reason)
    assert bench.step(GO).command.authority is Authority.IDLE


def test_a_short_gap_of_the_link_only_interrupts() -> None:
    bench = Bench().engage()
    bench.speed = 5.0
    bench.reports_come = False
    bench.step(GO, 50)
    bench.reports_come = True
    out = bench.step(GO, 60).command
    assert bench.safety.mode is Mode.AUTONOMOUS
    assert out.vehicle.long_accel_mps2 == pytest.approx(1.0)


def test_what_is_not_finite_is_dropped_and_the_last_good_one_counts() -> None:
    bench = Bench().engage()
    bench.speed = 5.0
    bench.step(GO, 40)
    for bad in (NAN, math.inf, -math.inf):
        bench.step(VehicleCommand(0.0, bad, 0.0, 0.0), 5)
        bench.step(VehicleCommand(0.0, 0.0, bad, 0.0), 5)
    assert bench.output is not None
    assert bench.output.command.vehicle.long_accel_mps2 == pytest.approx(1.0)
    assert bench.count("non_finite_command") == 30
    bench.step(VehicleCommand(0.0, NAN, NAN, NAN), 30)
    assert "command_timeout" in bench.kinds(), "only bad ones: as if none came"
    bench.step(GO, 60)
    assert bench.output.command.vehicle.long_accel_mps2 == pytest.approx(1.0)


def test_a_report_that_is_not_finite_is_as_if_never_sent() -> None:
    bench = Bench().engage()
    before = bench.safety.status(bench.now).report_age_s
    notices = bench.safety.on_odometry(Odometry(bench.now + 0.01, NAN))
    assert [r.kind for r in notices] == ["non_finite_report"]
    assert bench.safety.status(bench.now).report_age_s == before
    assert bench.count("non_finite_report") == 1


def test_time_that_jumps_back_ends_autonomy() -> None:
    bench = Bench(auto_engage=True)
    bench.step(GO, 3)
    notices = bench.safety.restart()
    assert [r.text for r in notices] == [
        "AUTONOMOUS -> DISENGAGED: time jumped back: everything received before is discarded"
    ]
    status = bench.safety.status(bench.now)
    assert status.report_age_s == math.inf
    assert status.command_age_s == math.inf
    bench.now = 0.0
    bench.step(None, 5)
    assert bench.safety.mode is Mode.DISENGAGED
    bench.step(GO, 3)
    assert bench.safety.mode is Mode.AUTONOMOUS


def test_every_age_may_be_exactly_its_limit() -> None:
    """Times that add up exactly: at the limit it still holds, beyond it no more."""
    limits = SafetyParameters(report_timeout_s=0.125, link_lost_s=1.0, engage_timeout_s=3.0)
    safety = Safety(limits, VehicleGeometry(), 0.01, 0.5, rear_steering=True)
    safety.on_odometry(Odometry(0.0, 5.0))
    safety.inputs.on_body(BodyState(gear=Gear.DRIVE), math.nan)
    assert safety.on_change_mode(True, 0.0)[0].success
    safety.on_odometry(Odometry(3.0, 5.0))
    assert safety.run_period(None, 3.0).command.mode is Mode.NOT_READY
    safety.run_period(VehicleCommand(3.0, 0.0, 0.0, 0.0), 3.0)
    assert safety.mode is Mode.AUTONOMOUS
    kinds = {c.kind for c in safety.run_period(None, 3.125).changes}
    assert "link_timeout" not in kinds
    (refused,) = safety.on_state_command(StateCommand(gear=Gear.PARK), 3.125)
    assert refused.kind == "gear_park_moving", "the speed still counts as known"
    (refused,) = safety.on_state_command(StateCommand(gear=Gear.REVERSE), 3.126)
    assert refused.kind == "gear_speed_unknown"
    assert "link_timeout" in {c.kind for c in safety.run_period(None, 3.126).changes}
    safety.on_odometry(Odometry(3.5, 5.0))
    assert "command_timeout" not in {c.kind for c in safety.run_period(None, 3.5).changes}
    assert "command_timeout" in {c.kind for c in safety.run_period(None, 3.501).changes}
    assert safety.run_period(None, 4.5).command.mode is Mode.AUTONOMOUS
    assert safety.run_period(None, 4.501).command.mode is Mode.DISENGAGED
