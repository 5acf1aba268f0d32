"""What an event discards, what a new activation is given, and which signal is which."""

from collections.abc import Callable
from typing import Any

import pytest
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.safety.inputs import Inputs
from vdsim_interface.values import (
    Authority,
    BodyState,
    CabinState,
    Gear,
    Mode,
    Odometry,
    VehicleCommand,
)
from vdsim_interface_kit.safety_stage import GO, Bench

REST, BACK = VehicleCommand(0.0, 0.0), VehicleCommand(0.0, -1.0)


def observed(bench: Bench, periods_n: int, odometry: Odometry, wheel_mps: float) -> Bench:
    """Periods without a command, with reports that name every signal."""
    for _ in range(periods_n):
        bench.now += 0.01
        bench.safety.on_odometry(odometry._replace(stamp_s=bench.now))
        bench.safety.inputs.on_body(bench.body, wheel_mps)
        bench.output = bench.safety.run_period(None, bench.now)
    return bench


def refused(bench: Bench, **request: Any) -> bool:
    return any(notice.kind.is_refusal for notice in bench.request(**request))


# ---- which signal is which -----------------------------------------------------------------------


def test_front_and_rear_wheels_are_compared_with_their_own_angles() -> None:
    bench = Bench()
    bench.front = 0.45
    bench.engage(VehicleCommand(0.0, 1.0, 0.45, 0.0))
    given = bench.step(VehicleCommand(0.0, 1.0, 0.45, 0.0), 5).command.vehicle
    assert given.front_wheel_angle_rad == pytest.approx(0.45)
    assert "steer_lead" not in bench.kinds()


@pytest.mark.parametrize(("wheel_mps", "refuses"), [(0.0, False), (5.0, True), (-5.0, True)])
def test_wheels_that_turn_refuse_park_and_hand_brake(wheel_mps: float, refuses: bool) -> None:
    bench = Bench().engage(REST)
    bench.safety.inputs.on_body(bench.body, wheel_mps)
    assert refused(bench, gear=Gear.PARK) is refuses
    assert refused(bench, hand_brake=True) is refuses


@pytest.mark.parametrize(
    ("wheel_mps", "doubted", "parks"), [(0.0, False, True), (5.0, False, False), (0.0, True, False)]
)
def test_a_car_is_parked_where_nothing_contradicts_that_it_stands(
    wheel_mps: float, doubted: bool, parks: bool
) -> None:
    bench = Bench().engage()
    doubt = "speed against wheels" if doubted else ""
    bench.safety.inputs.doubt = doubt
    bench.wheel_mps, bench.doubt = wheel_mps, doubt
    bench.step(None, 400)
    assert bench.output is not None
    assert bench.output.command.body.hand_brake is parks
    assert (bench.safety.mode is Mode.DISENGAGED) is parks, "the count of silence, too"


def test_without_reports_the_direction_does_not_change() -> None:
    """The car stood when it last reported."""
    gears = {}
    for reports_come in (True, False):
        bench = Bench(link_lost_s=60.0).engage(REST)
        bench.step(REST, 60)
        bench.reports_come = reports_come
        bench.step(REST, 60)
        gears[reports_come] = bench.step(BACK, 100).command.body.gear
    assert gears == {True: Gear.REVERSE, False: Gear.DRIVE}


# ---- what an event discards ----------------------------------------------------------------------


def test_the_command_of_a_lost_source_does_not_complete_a_handshake() -> None:
    bench = Bench().engage()
    bench.safety.end_autonomy("the shell has ended")
    assert bench.safety.on_change_mode(True, bench.now)[0].success
    assert bench.step(None, 3).command.mode is Mode.NOT_READY
    assert bench.step(GO, 2).command.mode is Mode.AUTONOMOUS


def neutral_was_requested(bench: Bench) -> None:
    bench.request(gear=Gear.NEUTRAL)
    bench.step(REST, 5)


def drive_was_driven(bench: Bench) -> None:
    bench.speed = 3.0
    bench.step(GO, 5)
    bench.speed = 0.0


@pytest.mark.parametrize("before", [neutral_was_requested, drive_was_driven])
def test_the_next_autonomy_chooses_its_direction_at_once(before: Callable[[Bench], None]) -> None:
    bench = Bench().engage()
    before(bench)
    bench.safety.on_change_mode(False, bench.now)
    bench.body = BodyState(gear=Gear.REVERSE)
    bench.step(None, 100)
    assert bench.engage(GO).step(GO, 5).command.body.gear is Gear.DRIVE


def test_after_a_jump_of_time_repetition_and_contradictions_are_judged_again() -> None:
    limits, inputs = SafetyParameters(cabin_required=True), Inputs()
    inputs.required.on_publishers(1, 1)
    for n in range(5):
        inputs.on_cabin(CabinState(), 10.0 + 0.1 * n)
    assert inputs.required.check(limits, 12.0), "it was silent for too long"
    inputs.doubt = "speed, position"
    inputs.restart()
    inputs.on_cabin(CabinState(), 0.0)
    assert not inputs.required.check(limits, 5.0)
    assert inputs.required.lost == ()
    assert not inputs.doubt


def test_another_rig_counts_at_once() -> None:
    bench = Bench()
    assert bench.step().command.authority is Authority.SILENT
    bench.safety.use_limits(SafetyParameters(rig="driverless"), VehicleGeometry())
    assert bench.step().command.authority is Authority.IDLE


# ---- what a new activation is given --------------------------------------------------------------


def activated_again(bench: Bench, **limits: object) -> Bench:
    after = Bench(**limits)
    after.now, after.body = bench.now, bench.body
    after.safety.copy_requests(bench.safety)
    return after


def test_it_has_no_request_for_the_hand_brake() -> None:
    before = Bench().engage(REST)
    before.request(hand_brake=True)
    assert before.step(REST).command.body.hand_brake
    after = activated_again(before)
    after.body = BodyState(gear=Gear.DRIVE)
    assert not after.engage(GO).step(GO).command.body.hand_brake


def test_it_knows_the_sources_of_required_inputs() -> None:
    before = Bench(cabin_required=True)
    before.safety.inputs.required.on_publishers(1, 0)
    before.safety.inputs.on_cabin(CabinState(), 0.0)
    activated_again(before, cabin_required=True).engage()


def test_it_knows_what_is_wrong_with_the_process() -> None:
    before = Bench()
    before.safety.inputs.process_fault = "memory"
    after = activated_again(before)
    after.step(GO)
    result, _ = after.safety.on_change_mode(True, after.now)
    assert (result.success, result.reason) == (False, "memory")
