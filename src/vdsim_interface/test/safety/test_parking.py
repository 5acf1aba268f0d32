"""When hand brake and PARK are due: for how long the car was held, and by whom."""

import pytest
from vdsim_interface.safety.authority import LastDriver
from vdsim_interface.values import (
    NO_DRIVER,
    AccelMeaning,
    Authority,
    BodyState,
    DriverActivity,
    Gear,
    Mode,
    Odometry,
    RawCommand,
    VehicleCommand,
)
from vdsim_interface_kit.safety_stage import GO, Bench

TICK_S = 0.01
HELD = VehicleCommand(0.0, 0.0)


def held(bench: Bench, periods_n: int) -> bool:
    """The stack holds the car; return whether it is in PARK with the hand brake."""
    body = bench.step(HELD, periods_n).command.body
    return body.gear is Gear.PARK and body.hand_brake


def holding(**limits: object) -> Bench:
    bench = Bench(hold_park_after_s=2.0, **limits).engage()
    bench.step(HELD)
    return bench


def test_a_stack_that_holds_the_car_gets_park_after_its_time() -> None:
    bench = holding()
    assert not held(bench, 190)
    assert held(bench, 20)


def test_a_stack_that_requests_to_drive_does_not() -> None:
    bench = holding()
    bench.step(GO, 500)
    assert bench.output is not None
    assert bench.output.command.body.gear is Gear.DRIVE


def test_a_stop_of_the_stack_is_no_request_to_drive_whatever_its_acceleration() -> None:
    bench = holding()
    for _ in range(210):
        bench.now += TICK_S
        bench.safety.on_odometry(Odometry(bench.now, 0.0))
        bench.feedback = bench.parking.named(bench._feedback())
        bench.safety.inputs.on_body(bench.body, bench.wheel_mps, bench.feedback.parked)
        command = VehicleCommand(bench.now, 0.5)
        given = bench._parked(
            bench.safety.run_period(command, bench.now, AccelMeaning.STOP)
        ).command
        bench.body = BodyState(gear=given.body.gear, hand_brake=given.body.hand_brake)
    assert (given.body.gear, given.body.hand_brake) == (Gear.PARK, True)


@pytest.mark.parametrize(("speed", "is_released"), [(0.3, False), (-0.3, False), (0.31, True)])
def test_a_hand_brake_of_ours_is_released_where_the_car_moves_after_all(
    speed: float, is_released: bool
) -> None:
    """As a request for it: beyond the speed of a change of gear, and not at it."""
    bench = holding()
    assert held(bench, 210)
    bench.speed = speed
    assert bench.step(HELD).command.body.hand_brake is not is_released


@pytest.mark.parametrize("request_", [{"gear": Gear.DRIVE}, {"hand_brake": False}])
def test_a_request_of_the_stack_begins_its_hold_again(request_: dict[str, object]) -> None:
    bench = holding()
    held(bench, 150)
    bench.request(**request_)
    assert not held(bench, 190)
    assert held(bench, 20)


def test_a_request_for_lamps_does_not() -> None:
    bench = holding()
    held(bench, 150)
    bench.request(horn=True)
    assert held(bench, 60)


@pytest.mark.parametrize("throttle", [1, 300])
def test_a_raw_throttle_leaves_what_our_stop_has_set(throttle: int) -> None:
    raw = RawCommand(0.0, throttle, 0, 0, 0)
    bench = Bench(command_lost_s=60.0).engage(raw)
    bench.step(None, 300)
    assert bench.output is not None
    parked = bench.output.command.body
    assert (parked.gear, parked.hand_brake) == (Gear.PARK, True)
    still = bench.step(raw._replace(throttle=0, brake=300), 100).command.body
    assert (still.gear, still.hand_brake) == (Gear.PARK, True), "a brake is no request to drive"
    driving = bench.step(raw, 100).command.body
    assert (driving.gear, driving.hand_brake) == (Gear.DRIVE, False)


def parked_by_us_and_left_to_a_person() -> Bench:
    bench = Bench().engage()
    body = bench.step(None, 400).command.body
    assert (body.gear, body.hand_brake) == (Gear.PARK, True)
    bench.body = BodyState(gear=Gear.PARK, hand_brake=True)
    bench.safety.on_driver(DriverActivity(switch=True))
    assert bench.step().command.authority is Authority.SILENT
    bench.safety.on_driver(NO_DRIVER)
    return bench


def test_where_we_hold_nothing_a_hand_brake_that_is_named_is_the_senders() -> None:
    bench = parked_by_us_and_left_to_a_person()
    assert bench.parking.parked.hand_brake
    bench.request(hand_brake=False)
    bench.step(n=2)
    assert not bench.parking.parked.hand_brake
    assert not bench.engage(HELD).step(HELD, 5).command.body.hand_brake


@pytest.mark.parametrize("ending", [Mode.DISENGAGED, Mode.MANUAL, Mode.AUTONOMOUS])
def test_a_persons_car_is_not_parked(ending: Mode) -> None:
    bench = Bench(command_lost_s=60.0 if ending is Mode.AUTONOMOUS else 0.5).engage()
    bench.step(None, 20)
    if ending is Mode.MANUAL:
        bench.safety.on_change_mode(False, bench.now)
    outputs = [bench.step(None).command for _ in range(300)]
    assert bench.safety.mode is ending
    assert outputs[-1].body.hand_brake is (ending is not Mode.MANUAL)


def test_what_is_parked_is_counted_and_noted_once() -> None:
    bench = Bench(rig="driverless")
    bench.step(None, 200)
    kinds = [kind for kind in bench.kinds() if kind in ("gear_stop", "hand_brake_stop")]
    assert sorted(kinds) == ["gear_stop", "hand_brake_stop"]
    assert bench.count("hand_brake_stop") > 90


@pytest.mark.parametrize("rig", ["driver", "driverless"])
def test_a_stage_that_is_started_again_parks_a_car_that_autonomy_drove(rig: str) -> None:
    bench = Bench(rig=rig)
    bench.safety.go_on(LastDriver.AUTONOMY)
    assert bench.step(None, 95).command.body.gear is Gear.DRIVE
    body = bench.step(None, 10).command.body
    assert (body.gear, body.hand_brake) == (Gear.PARK, True)


def test_a_stage_that_is_started_again_does_not_release_what_it_finds_set() -> None:
    bench = Bench(rig="driverless")
    bench.safety.go_on(LastDriver.AUTONOMY)
    bench.body = BodyState(gear=Gear.PARK, hand_brake=True)
    bench.engage()
    assert bench.step(GO, 200).command.body.hand_brake
    bench.request(hand_brake=False)
    assert not bench.step(GO, 5).command.body.hand_brake
