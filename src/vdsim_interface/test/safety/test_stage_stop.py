"""A stop of our own: its meaning, its hand brake, and what ends with it."""

import math
from dataclasses import replace
from typing import Any

import pytest
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.safety import Safety, SafetyOutput, SafetyParameters
from vdsim_interface.safety.body import BodyRequests, commanded_body
from vdsim_interface.safety.inputs import RequiredInput
from vdsim_interface.safety.intervention_counts import InterventionCounts
from vdsim_interface.values import (
    AccelMeaning,
    BodyState,
    CabinState,
    Gear,
    Mode,
    Odometry,
    StateCommand,
    VehicleCommand,
    notice_kinds,
)
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.safety_stage import GO, Bench

DRIVE, FLAT_ROAD = AccelMeaning.DRIVE, AccelMeaning.FLAT_ROAD


def wanted(bench: Bench, command: VehicleCommand | None = GO) -> SafetyOutput:
    """One period with a command that wants the car to move."""
    bench.now += 0.01
    if bench.reports_come:
        bench.safety.on_odometry(Odometry(bench.now, bench.speed, bench.front))
        bench.safety.inputs.on_body(bench.body, bench.wheel_mps)
    fresh = None if command is None else command._replace(stamp_s=bench.now)
    return bench.safety.run_period(fresh, bench.now, DRIVE)


def stopped(**limits: Any) -> Bench:
    """A standing car without commands, whose command has just become stale."""
    bench = Bench(command_lost_s=60.0, **limits).engage()
    bench.step(None, 51)
    assert bench.output is not None
    assert not bench.output.command.body.hand_brake
    return bench


def hand_brake(bench: Bench) -> bool:
    assert bench.output is not None
    return bench.output.command.body.hand_brake


# ---- meaning -------------------------------------------------------------------------------------


def test_a_command_that_passes_keeps_its_meaning() -> None:
    bench = Bench().engage()
    assert wanted(bench).command.meaning is DRIVE


def test_whatever_stops_the_car_makes_it_a_stop() -> None:
    bench = Bench().engage()
    bench.safety.inputs.on_cabin(CabinState(doors_closed=False), bench.now)
    assert wanted(bench).command.meaning is AccelMeaning.STOP

    without_safety = Bench(enabled=False).engage()
    without_safety.safety.inputs.on_cabin(CabinState(doors_closed=False), without_safety.now)
    assert wanted(without_safety).command.meaning is DRIVE

    required = Bench(driver_switch_required=True)
    required.safety.inputs.required.on_publishers(0, 1)
    required.safety.inputs.required.switch.on_message(False, 0.0)
    required.engage()
    assert wanted(required).command.meaning is DRIVE
    required.safety.inputs.required.on_publishers(0, 0)
    assert wanted(required).command.meaning is AccelMeaning.STOP


def test_a_stale_command_or_a_stale_report_makes_it_a_stop() -> None:
    silent = Bench().engage()
    for _ in range(51):
        output = wanted(silent, None)
    assert output.command.meaning is AccelMeaning.STOP

    blind = Bench().engage()
    blind.reports_come = False
    for _ in range(12):
        output = wanted(blind)
    assert output.command.meaning is AccelMeaning.STOP


@pytest.mark.parametrize(
    ("speed_mps", "asked_mps2", "meaning"),
    [
        (0.05, 0.0, AccelMeaning.STOP),
        (-0.05, 0.04, AccelMeaning.STOP),
        (0.05, 0.06, FLAT_ROAD),
        (0.05, -1.0, FLAT_ROAD),
        (0.05, -3.0, FLAT_ROAD),
        (0.2, 0.0, FLAT_ROAD),
    ],
)
def test_a_stack_of_accelerations_that_asks_for_nothing_at_rest_is_stopped(
    speed_mps: float, asked_mps2: float, meaning: AccelMeaning
) -> None:
    """The brake that the rules hold the car with would be too weak on a steep road."""
    bench = Bench().engage()
    bench.speed = speed_mps
    bench.step(GO._replace(long_accel_mps2=asked_mps2), 50)
    assert bench.output is not None
    assert bench.output.command.meaning is meaning
    off = Bench(disabled_rules="standstill_hold").engage()
    off.speed = speed_mps
    off.step(GO._replace(long_accel_mps2=asked_mps2), 50)
    assert off.output is not None
    assert off.output.command.meaning is FLAT_ROAD


def test_a_blocked_command_is_a_stop_however_fresh() -> None:
    bench = Bench()
    assert wanted(bench).command.meaning is AccelMeaning.STOP


def test_hand_brake_or_shift_alone_make_it_a_stop() -> None:
    braked = Bench().engage()
    braked.body = replace(braked.body, hand_brake=True)
    assert wanted(braked).command.meaning is AccelMeaning.STOP

    shifts = Bench().engage()
    shifts.step(GO, 60)
    shifts.request(gear=Gear.REVERSE)
    output = wanted(shifts)
    assert output.command.body.gear is Gear.REVERSE
    assert output.command.meaning is AccelMeaning.STOP


# ---- hand brake ----------------------------------------------------------------------------------


def test_the_hand_brake_is_set_after_a_second_at_rest() -> None:
    bench = stopped()
    bench.step(None, 95)
    assert not hand_brake(bench)
    bench.step(None, 8)
    assert hand_brake(bench)
    assert notice_kinds.HAND_BRAKE_STOP in bench.kinds()


def test_a_car_that_rolls_begins_the_second_again() -> None:
    bench = stopped()
    bench.step(None, 60)
    bench.speed = 0.5
    bench.step(None, 1)
    bench.speed = 0.0
    bench.step(None, 60)
    assert not hand_brake(bench)


def test_what_the_stop_has_set_the_next_command_releases() -> None:
    bench = stopped()
    bench.step(None, 102)
    bench.body = replace(bench.body, hand_brake=True)
    bench.step(None, 5)
    bench.step(GO, 2)
    assert not hand_brake(bench)


def test_the_next_autonomy_releases_it_too() -> None:
    bench = stopped(rig="driverless")
    bench.step(None, 102)
    bench.body = replace(bench.body, hand_brake=True)
    bench.step(None, 5)
    bench.safety.on_change_mode(False, bench.now)
    bench.step(None, 5)
    assert hand_brake(bench), "without autonomy it stays as it is"
    bench.engage()
    bench.step(GO, 2)
    assert not hand_brake(bench)


def test_one_that_a_person_has_set_stays() -> None:
    bench = Bench(command_lost_s=60.0)
    bench.body = replace(bench.body, hand_brake=True)
    bench.engage()
    bench.step(None, 160)
    bench.step(GO, 2)
    assert hand_brake(bench)


def test_a_body_does_not_stand_unless_it_is_said() -> None:
    arguments: dict[str, Any] = {"enabled": True, "stopping": True}
    body, _ = commanded_body(StateCommand(), BodyState(), Gear.DRIVE, **arguments)
    assert not body.hand_brake
    body, _ = BodyRequests().compose(Gear.DRIVE, commanding=True, period_s=0.01, **arguments)
    assert not body.hand_brake


def test_a_refused_hand_brake_is_noted_once_and_done_at_rest() -> None:
    bench = Bench().engage()
    bench.speed = 3.0
    asks = StateMessage(hand_brake=True)
    for _ in range(5):
        bench.step(GO)
        bench.message(asks)
    assert bench.count(notice_kinds.HAND_BRAKE_MOVING) == 1
    bench.message(StateMessage())
    bench.message(asks)
    assert bench.count(notice_kinds.HAND_BRAKE_MOVING) == 2
    bench.speed = 0.0
    bench.step(GO)
    bench.message(asks)
    bench.step(GO)
    assert hand_brake(bench)


# ---- the rest ------------------------------------------------------------------------------------


@pytest.mark.parametrize("gradient", [0.004, -0.004])
def test_understeer_permits_more_wheel_angle_at_the_same_lateral_acceleration(
    gradient: float,
) -> None:
    geometry = VehicleGeometry(understeer_gradient_rad_s2pm=gradient)
    limits = SafetyParameters(steer_lead_max_rad=3.0, lateral_jerk_max_mps3=200.0)
    safety = Safety(limits, geometry, 0.01, 0.5, rear_steering=True)
    bench = Bench()
    bench.safety = safety
    bench.speed = 9.0
    bench.engage()
    out = bench.step(VehicleCommand(0.0, 0.0, 0.5, 0.0), 150)
    effective_m = geometry.wheelbase_m + max(gradient, 0.0) * bench.speed**2
    allowed = math.atan(limits.lateral_accel_max_mps2 * effective_m / bench.speed**2)
    assert out.command.vehicle.front_wheel_angle_rad == pytest.approx(allowed, abs=1e-6)


def test_any_rear_angle_is_removed_where_the_platform_has_none() -> None:
    bench = Bench(rear_steering=False).engage()
    out = bench.step(VehicleCommand(0.0, 1.0, 0.1, 1.0))
    assert out.command.vehicle.rear_wheel_angle_rad == 0.0
    assert notice_kinds.NO_REAR_STEERING in {change.kind for change in out.changes}


def test_direction_and_counts_are_known() -> None:
    bench = Bench().engage()
    assert bench.safety.direction == 1
    assert (notice_kinds.MODE_CHANGED, 2) in bench.safety.counts
    assert bench.safety.mode is Mode.AUTONOMOUS


def test_counts_of_before_are_added() -> None:
    counts = InterventionCounts()
    counts.restore([(notice_kinds.LINK_TIMEOUT, 3)])
    assert counts.counts == ((notice_kinds.LINK_TIMEOUT, 3),)
    counts.restore([(notice_kinds.LINK_TIMEOUT, 4)])
    assert counts.counts == ((notice_kinds.LINK_TIMEOUT, 7),)


@pytest.mark.parametrize(("messages_n", "silent"), [(3, False), (4, True)])
def test_four_equal_messages_show_that_a_source_repeats_itself(
    messages_n: int, silent: bool
) -> None:
    source = RequiredInput("cabin_state")
    source.publishers_n = 1
    for number in range(messages_n):
        source.on_message("closed", 0.1 * number)
    assert bool(source.fault(100.0)) is silent
