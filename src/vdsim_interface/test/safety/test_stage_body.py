"""Cabin, hand brake, gear, lamps and wipers through the whole stage."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from vdsim_interface.values import (
    NO_DRIVER,
    Authority,
    Blinker,
    CabinState,
    DriverActivity,
    Gear,
    Headlight,
    Mode,
    Odometry,
    VehicleCommand,
    Wiper,
)
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.safety_stage import GO, Bench


def test_a_door_opened_on_the_way_stops_the_car_still_steering() -> None:
    """[VI-3.3]"""
    bench = Bench().engage()
    bench.speed = 8.0
    bench.step(GO, 20)
    bench.safety.inputs.on_cabin(CabinState(doors_closed=False), bench.now)
    out = bench.step(VehicleCommand(0.0, 1.0, 0.12, 0.0), 150)
    assert "cabin_unsecured" in bench.kinds()
    assert out.command.vehicle.long_accel_mps2 == -2.5
    assert out.command.vehicle.front_wheel_angle_rad == pytest.approx(0.12)
    assert bench.safety.mode is Mode.AUTONOMOUS
    bench.safety.inputs.on_cabin(CabinState(), bench.now)
    assert bench.step(GO, 60).command.vehicle.long_accel_mps2 == pytest.approx(1.0)


def test_park_at_speed_is_refused_with_a_reason() -> None:
    """[VI-3.2]"""
    bench = Bench().engage()
    bench.speed = 3.0
    bench.step(GO)
    notices = bench.request(gear=Gear.PARK)
    assert [r.kind for r in notices] == ["gear_park_moving"]
    assert bench.count("gear_park_moving") == 1
    assert bench.step(GO, 100).command.body.gear is Gear.DRIVE
    bench.speed = 0.0
    assert bench.step(VehicleCommand(0.0), 100).command.body.gear is Gear.DRIVE


def test_a_repeating_sender_parks_when_the_car_stands() -> None:
    bench = Bench().engage()
    bench.speed = 3.0
    message = StateMessage(gear=2)
    for n in range(300):
        if n == 200:
            bench.speed = 0.0
        if n % 10 == 0:
            bench.message(message)
        bench.step(VehicleCommand(0.0))
    assert bench.output is not None
    assert bench.output.command.body.gear is Gear.PARK
    assert bench.kinds().count("gear_park_moving") == 1


def test_undefined_numbers_in_a_message_are_counted() -> None:
    bench = Bench().engage()
    notices = bench.message(StateMessage(gear=17))
    assert [r.kind for r in notices] == ["undefined_value"]
    assert bench.count("undefined_value") == 1


def test_gear_requests_need_a_known_speed() -> None:
    bench = Bench().engage()
    bench.reports_come = False
    bench.step(GO, 20)
    assert [r.kind for r in bench.request(gear=Gear.PARK)] == ["gear_speed_unknown"]


@pytest.mark.parametrize(
    ("speed", "given"), [(0.0, True), (0.3, True), (-0.3, True), (0.31, False)]
)
def test_the_hand_brake_is_refused_while_the_car_moves(speed: float, given: bool) -> None:
    bench = Bench().engage()
    bench.speed = speed
    bench.step(GO)
    notices = bench.request(hand_brake=True, headlight=Headlight.ON)
    assert [r.kind for r in notices] == ([] if given else ["hand_brake_moving"])
    out = bench.step(GO).command
    assert out.body.hand_brake is given
    assert out.body.headlight is Headlight.ON, "the rest of the request is done"
    assert out.vehicle.long_accel_mps2 <= 0.0 or not given


def test_the_hand_brake_is_refused_while_the_speed_is_unknown() -> None:
    bench = Bench().engage()
    bench.reports_come = False
    bench.step(GO, 20)
    assert [r.kind for r in bench.request(hand_brake=True)] == ["hand_brake_moving"]
    assert bench.request(hand_brake=False) == ()


def test_no_throttle_against_a_hand_brake_that_the_car_has() -> None:
    bench = Bench().engage()
    bench.body = replace(bench.body, hand_brake=True)
    bench.speed = 2.0
    out = bench.step(GO, 5)
    assert out.command.vehicle.long_accel_mps2 == 0.0
    assert "hand_brake_set" in bench.kinds()


def test_what_the_driver_sets_is_not_undone_by_an_older_request() -> None:
    """Hand brake released by request, driver takes over and sets it, autonomy comes back: set."""
    bench = Bench().engage()
    bench.request(hand_brake=False, gear=Gear.LOW, horn=True)
    bench.step(GO, 5)
    bench.safety.on_driver(DriverActivity(pedal=True))
    bench.safety.on_driver(NO_DRIVER)
    bench.body = replace(bench.body, hand_brake=True, gear=Gear.NEUTRAL)
    bench.step(None, 5)
    bench.engage(VehicleCommand(0.0))
    assert bench.output is not None
    assert bench.output.command.body.hand_brake
    assert bench.output.command.body.gear is Gear.NEUTRAL
    assert bench.output.command.body.horn, "lamps and horn are still requested"


def test_the_hand_brake_is_refused_when_autonomy_starts_in_a_car_that_moves() -> None:
    bench = Bench()
    bench.step()
    bench.request(hand_brake=True)
    bench.speed = 5.0
    bench.engage()
    assert not bench.step(GO, 5).command.body.hand_brake
    assert bench.count("hand_brake_moving") == 1
    bench.speed = 0.0
    assert not bench.step(GO, 5).command.body.hand_brake, "a refused request is discarded"


def test_what_is_requested_while_a_person_drives_is_done_when_autonomy_starts() -> None:
    bench = Bench()
    bench.step()
    bench.request(gear=Gear.REVERSE, hand_brake=True)
    before = bench.step(GO, 5).command.body
    assert (before.gear, before.hand_brake) == (Gear.DRIVE, False)
    bench.engage(VehicleCommand(0.0))
    after = bench.step(VehicleCommand(0.0)).command.body
    assert (after.gear, after.hand_brake) == (Gear.REVERSE, True)


def test_a_gear_only_request_does_not_release_the_hand_brake() -> None:
    bench = Bench()
    bench.body = replace(bench.body, hand_brake=True)
    bench.engage(VehicleCommand(0.0))
    bench.request(gear=Gear.NEUTRAL)
    body = bench.step(VehicleCommand(0.0), 60).command.body
    assert body.hand_brake
    assert body.gear is Gear.NEUTRAL


def test_automatic_gear_is_named_as_a_change() -> None:
    bench = Bench().engage(VehicleCommand(0.0))
    out = bench.step(VehicleCommand(0.0, -1.0, 0.0, 0.0))
    assert out.command.body.gear is Gear.REVERSE
    assert ("gear_automatic", "gear") in {(c.kind, c.channel) for c in out.changes}
    assert "gear_automatic" in bench.kinds()
    assert out.command.vehicle.long_accel_mps2 == 2.0, "the brake holds, in the sense of REVERSE"
    out = bench.step(VehicleCommand(0.0, -1.0, 0.0, 0.0), 60)
    assert out.command.vehicle.long_accel_mps2 == pytest.approx(-1.0)


def test_stale_commands_choose_no_gear() -> None:
    bench = Bench().engage(VehicleCommand(0.0))
    bench.step(VehicleCommand(0.0, 0.2, 0.0, 0.0))
    bench.step(None, 60)
    assert bench.step(None).command.body.gear is Gear.DRIVE


def test_wipers_switch_the_lights_on_and_off_again() -> None:
    """[VI-3.4]"""
    bench = Bench().engage()
    bench.request(wiper=Wiper.LOW)
    assert bench.step(GO).command.body.headlight is Headlight.ON
    assert "wiper_headlight" in bench.kinds()
    bench.request(wiper=Wiper.OFF)
    assert bench.step(GO).command.body.headlight is Headlight.OFF


def opened(bench: Bench) -> Bench:
    bench.safety.inputs.on_cabin(CabinState(doors_closed=False), bench.now)
    return bench


def late(bench: Bench) -> None:
    """Reports come, with stamps of some tenths of a second ago."""
    for _ in range(30):
        bench.now += 0.01
        bench.safety.on_odometry(Odometry(bench.now - 0.3, bench.speed))
        bench.safety.run_period(GO._replace(stamp_s=bench.now), bench.now)


def lost(bench: Bench) -> None:
    bench.reports_come = False
    bench.step(GO, 30)
    bench.reports_come = True


def doubted(bench: Bench) -> None:
    bench.doubt = "speed against wheels"
    bench.safety.inputs.doubt = "speed, position"
    bench.step(GO, 30)
    bench.doubt = ""
    bench.safety.inputs.doubt = ""


@pytest.mark.parametrize("blind", [late, lost, doubted])
@pytest.mark.parametrize("speed_mps", [0.0, 0.3])
def test_a_door_that_closes_while_nothing_shows_a_motion_starts_no_car(
    blind: Callable[[Bench], None], speed_mps: float
) -> None:
    """[VI-3.3] The car came to rest meanwhile; that it did was seen by nobody in time."""
    bench = Bench().engage()
    bench.speed = speed_mps
    blind(opened(bench))
    bench.speed = 0.0
    bench.safety.inputs.on_cabin(CabinState(), bench.now)
    assert bench.step(GO, 100).command.authority is not Authority.COMMAND
    assert bench.safety.mode is Mode.DISENGAGED


def test_silence_at_rest_counts_while_reports_are_late() -> None:
    bench = Bench(command_lost_s=2.0).engage()
    for _ in range(260):
        bench.now += 0.01
        bench.safety.on_odometry(Odometry(bench.now - 0.3, 0.0))
        bench.safety.run_period(None, bench.now)
    assert bench.safety.mode is Mode.DISENGAGED


@pytest.mark.parametrize(("comes", "lamps"), [(False, Blinker.OFF), (True, Blinker.HAZARD)])
def test_old_reports_do_not_say_that_the_hazard_lamps_of_a_stop_are_off(
    comes: bool, lamps: Blinker
) -> None:
    """What is reported dark for longer than an answer takes is off; flashing later is a person."""
    bench = Bench().engage()
    bench.step(None, 60)
    assert bench.output is not None
    assert bench.output.command.body.blinker is Blinker.HAZARD
    bench.reports_come = comes
    bench.step(None, 5)
    bench.safety.on_change_mode(False, bench.now)
    bench.step(None, 50)
    bench.reports_come, bench.body = True, replace(bench.body, blinker=Blinker.HAZARD)
    assert bench.engage().output is not None
    assert bench.output.command.body.blinker is lamps
