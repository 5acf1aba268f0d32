"""When hand brake and PARK are due: for how long the car was held, and by whom."""

from collections.abc import Callable

import pytest
from vdsim_interface.safety.authority import LastDriver
from vdsim_interface.safety.body import BodyRequests
from vdsim_interface.safety.gear import NOTHING_PARKED, Parked, Parking, gear_choosing_accel
from vdsim_interface.safety.gearbox import Gearbox
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
from vdsim_interface_kit.safety import LIMITS
from vdsim_interface_kit.safety_stage import GO, Bench

PERIOD_S, TICK_S = 0.25, 0.01
HELD = VehicleCommand(0.0, 0.0)


def stepped(parking: Parking, periods_n: int, **changes: object) -> bool:
    """Count periods of a stop of ours with a limit of a second; return whether parking is due."""
    values: dict[str, object] = {"rests": True, "by_us": True, "by_stack": False, "after_s": 1.0}
    for _ in range(periods_n):
        parking.step(**{**values, **changes}, period_s=PERIOD_S)  # type: ignore[arg-type]
    return parking.is_due


def test_nothing_is_parked_at_first() -> None:
    assert not Parking().is_due
    assert not NOTHING_PARKED.hand_brake
    assert NOTHING_PARKED.gear_before is None


def test_a_stop_of_ours_parks_in_the_period_in_which_its_time_is_over() -> None:
    parking = Parking()
    assert not stepped(parking, 3)
    assert stepped(parking, 1)
    assert stepped(parking, 100), "and stays due"


def test_zero_seconds_is_never() -> None:
    assert not stepped(Parking(), 100, by_us=False, by_stack=True, after_s=0.0)


@pytest.mark.parametrize("ending", [{"rests": False}, {"by_us": False}])
def test_the_end_of_the_hold_ends_it_and_the_count_begins_again(ending: dict[str, bool]) -> None:
    parking = Parking()
    stepped(parking, 4)
    assert not stepped(parking, 1, **ending)
    assert not stepped(parking, 3)
    assert stepped(parking, 1)


def test_a_hold_of_the_stack_that_becomes_a_stop_of_ours_is_counted_from_there() -> None:
    parking = Parking()
    stepped(parking, 3, by_us=False, by_stack=True)
    assert not parking.by_us
    assert not stepped(parking, 3)
    assert parking.by_us
    assert stepped(parking, 1)


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
        bench.safety.on_odometry(Odometry(bench.now, 0.0), bench.now)
        bench.safety.on_body(bench.body, bench.now)
        command = VehicleCommand(bench.now, 0.5)
        given = bench.safety.step(command, bench.now, AccelMeaning.STOP).command
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


def test_park_of_ours_waits_for_the_time_of_the_last_shift_to_the_period() -> None:
    """Periods of an eighth of a second, which add up exactly to the half second of a shift."""
    box = Gearbox()
    box.mirror_vehicle(Gear.DRIVE)
    box.arm_automatic()
    box.request(Gear.REVERSE, 0.0, LIMITS, checked=True)
    box.step(0.0, 0.0, Gear.REVERSE, LIMITS, 0.125)
    gears = []
    for _ in range(4):
        box.step(0.0, 0.0, Gear.REVERSE, LIMITS, 0.125, parks=True)
        gears.append(box.gear)
    assert gears == [Gear.REVERSE] * 3 + [Gear.PARK]
    assert box.before_park is Gear.REVERSE


def test_without_authority_the_gear_before_park_is_kept_while_the_car_is_in_park() -> None:
    box = Gearbox()
    assert [change.kind for change in box.mirror_vehicle(Gear.REVERSE, parks=True)] == ["gear_stop"]
    assert (box.gear, box.before_park) == (Gear.PARK, Gear.REVERSE)
    box.mirror_vehicle(Gear.PARK)
    assert box.before_park is Gear.REVERSE
    box.mirror_vehicle(Gear.DRIVE)
    assert box.before_park is None


def test_park_that_was_set_without_autonomy_is_older_than_the_next_one() -> None:
    without = Gearbox()
    assert not without.park_is_older
    without.mirror_vehicle(Gear.DRIVE, parks=True)
    assert without.park_is_older
    within = Gearbox()
    within.mirror_vehicle(Gear.DRIVE)
    within.step(0.0, 0.0, Gear.DRIVE, LIMITS, 0.01, parks=True)
    assert (within.before_park, within.park_is_older) == (Gear.DRIVE, False)
    within.mirror_vehicle(Gear.PARK)
    assert (within.before_park, within.park_is_older) == (Gear.DRIVE, True)


def test_parking_that_another_has_set_for_us_is_taken_over_as_an_older_one() -> None:
    """A stream that has gone on since then may request its gear again."""
    composer = Bench().safety._composer
    composer.take_over(Parked(hand_brake=True, gear_before=Gear.REVERSE))
    assert composer.repeatable.hand_brake_is_ours
    assert composer.repeatable.gear_before_park is Gear.REVERSE
    assert composer.repeatable.park_is_older
    composer.take_over(NOTHING_PARKED)
    assert composer.repeatable.gear_before_park is Gear.REVERSE, "nothing named changes nothing"


@pytest.mark.parametrize(("before", "sign"), [(Gear.REVERSE, -1.0), (Gear.DRIVE, 1.0)])
def test_a_raw_throttle_leaves_our_park_by_twice_the_dead_zone(before: Gear, sign: float) -> None:
    sought = gear_choosing_accel(RawCommand(0.0, throttle=5), Gear.PARK, LIMITS, before)
    assert sought == sign * 2.0 * LIMITS.auto_gear_deadzone_mps2


def parked_by_us_and_left_to_a_person() -> Bench:
    bench = Bench().engage()
    body = bench.step(None, 400).command.body
    assert (body.gear, body.hand_brake) == (Gear.PARK, True)
    bench.body = BodyState(gear=Gear.PARK, hand_brake=True)
    bench.safety.on_driver(DriverActivity(switch=True), bench.now)
    assert bench.step().command.authority is Authority.SILENT
    bench.safety.on_driver(NO_DRIVER, bench.now)
    return bench


def restarted_with_what_we_have_parked() -> Bench:
    bench = Bench()
    bench.safety.resume(LastDriver.PERSON, parked=Parked(hand_brake=True))
    bench.body = BodyState(gear=Gear.PARK, hand_brake=True)
    return bench


@pytest.mark.parametrize(
    "begin", [parked_by_us_and_left_to_a_person, restarted_with_what_we_have_parked]
)
def test_where_we_hold_nothing_a_hand_brake_that_is_named_is_the_senders(
    begin: Callable[[], Bench],
) -> None:
    bench = begin()
    assert bench.safety.parked.hand_brake
    bench.request(hand_brake=False)
    assert not bench.safety.parked.hand_brake
    assert not bench.engage(HELD).step(HELD, 5).command.body.hand_brake


@pytest.mark.parametrize("ending", [Mode.DISENGAGED, Mode.MANUAL, Mode.AUTONOMOUS])
def test_only_a_hold_of_ours_without_autonomy_sets_what_parks(ending: Mode) -> None:
    """Of a car that autonomy drives the body command says it, and of a person's car nobody does."""
    bench = Bench(command_lost_s=60.0 if ending is Mode.AUTONOMOUS else 0.5).engage()
    bench.step(None, 20)
    if ending is Mode.MANUAL:
        bench.safety.on_change_mode(False, bench.now)
    outputs = [bench.step(None).command for _ in range(300)]
    assert bench.safety.mode is ending
    assert any(given.sets_parking for given in outputs) is (ending is Mode.DISENGAGED)
    assert outputs[-1].sets_parking is (ending is Mode.DISENGAGED)


def test_what_parks_a_car_that_nobody_drives_is_in_the_trace() -> None:
    bench = Bench(rig="driverless")
    kinds = [change.kind for _ in range(200) for change in bench.step(None).changes]
    assert set(kinds) == {"gear_stop", "hand_brake_stop"}


def test_a_hand_brake_that_is_due_is_set_unless_it_is_released() -> None:
    requests = BodyRequests()
    body, changes = requests.compose(
        Gear.DRIVE, commanding=True, enabled=True, stopping=False, period_s=0.01, parks=True
    )
    assert body.hand_brake
    assert [change.kind for change in changes] == ["hand_brake_stop"]


@pytest.mark.parametrize("rig", ["driver", "driverless"])
def test_a_stage_that_is_started_again_parks_a_car_that_autonomy_drove(rig: str) -> None:
    bench = Bench(rig=rig)
    bench.safety.resume(LastDriver.AUTONOMY)
    assert bench.step(None, 95).command.body.gear is Gear.DRIVE
    body = bench.step(None, 10).command.body
    assert (body.gear, body.hand_brake) == (Gear.PARK, True)


def test_a_stage_that_is_started_again_does_not_release_what_it_finds_set() -> None:
    """So the vehicle side must not park by itself while the safety stage is dead."""
    bench = Bench(rig="driverless")
    bench.safety.resume(LastDriver.AUTONOMY)
    bench.body = BodyState(gear=Gear.PARK, hand_brake=True)
    bench.engage()
    assert bench.step(GO, 200).command.body.hand_brake
    bench.request(hand_brake=False)
    assert not bench.step(GO, 5).command.body.hand_brake
