"""A car that is held at rest gets hand brake and PARK, whoever holds it, until it is to drive.

Service brake, hand brake and PARK together: the car then needs nobody to keep standing.
"""

from dataclasses import replace

import pytest
from vdsim_interface.extras.fake.platform import FakeParameters
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    BodyCommand,
    CabinState,
    Gear,
    HighLevelCommand,
    Mode,
    RawCommand,
    Session,
    StateCommand,
    VehicleCommand,
)
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.interface import CRUISE, Drive

STAND = HighLevelCommand(0.0)
HILL = FakeParameters(slope_rad=0.197)
DRIVERLESS = SafetyParameters(rig="driverless", hold_park_after_s=5.0)
WITH_DRIVER = replace(DRIVERLESS, rig="driver")


def body(drive: Drive) -> BodyCommand:
    return drive.outputs[-1].sent.command.body


def is_parked(drive: Drive) -> bool:
    return body(drive).hand_brake and body(drive).gear is Gear.PARK


def engage(drive: Drive) -> None:
    result, notices = drive.pipeline.safety_side.on_change_mode(True, drive.now)
    drive.heard(notices)
    assert result.success, result.reason


def driving(safety: SafetyParameters = DRIVERLESS, level: str = "high_level") -> Drive:
    """A car on a hill that its stack drives."""
    drive = Drive(level=level, safety=safety, fake=HILL)
    drive.run(0.1)
    engage(drive)
    drive.run(5.0, CRUISE if level == "high_level" else VehicleCommand(0.0, 2.5))
    assert drive.pipeline.mode is Mode.AUTONOMOUS
    assert drive.speed > 2.0
    return drive


def disengaged() -> Drive:
    drive = driving()
    drive.heard(drive.pipeline.safety_side.on_change_mode(False, drive.now)[1])
    return drive


def overridden() -> Drive:
    drive = driving()
    drive.heard(drive.pipeline.safety_side.on_driver_override(True, drive.now))
    drive.heard(drive.pipeline.safety_side.on_driver_override(False, drive.now))
    return drive


def fault_with_driver() -> Drive:
    drive = driving(WITH_DRIVER)
    feedback = drive.pipeline.vehicle_side.feedback
    assert feedback is not None
    side = drive.pipeline.safety_side
    drive.heard(side.on_feedback(feedback._replace(fault="it does not brake"), drive.now))
    return drive


def restarted() -> Drive:
    drive = Drive(safety=WITH_DRIVER, fake=replace(HILL, initial_gear="DRIVE"))
    drive.pipeline.safety_side.resume(Session("autonomy", {}))
    return drive


WAYS = {w.__name__: w for w in (disengaged, overridden, fault_with_driver, restarted)}


@pytest.mark.parametrize("way", WAYS)
def test_a_hold_without_autonomy_ends_with_hand_brake_and_park(way: str) -> None:
    drive = WAYS[way]()
    assert drive.pipeline.mode is not Mode.AUTONOMOUS
    drive.run(8.0)
    assert drive.speed == 0.0
    assert is_parked(drive)
    assert drive.pipeline.vehicle is not None
    assert drive.pipeline.vehicle.body.hand_brake, "and the vehicle has it"
    assert drive.pipeline.vehicle.body.gear is Gear.PARK
    for output in drive.outputs:
        if output.report is not None and output.sent.command.body.hand_brake:
            assert abs(output.report.velocity_mps) <= 0.1, "not before it stands"
    assert drive.outputs[-1].sent.command.vehicle.long_accel_mps2 != 0.0, "the brake stays"
    assert drive.kinds().count("hand_brake_stop") == 1


@pytest.mark.parametrize("way", WAYS)
def test_the_first_request_to_drive_after_an_engage_releases_what_the_hold_set(way: str) -> None:
    drive = WAYS[way]()
    drive.run(8.0)
    engage(drive)
    engaged_n = len(drive.outputs)
    drive.run(2.0, STAND)
    assert drive.pipeline.mode is Mode.AUTONOMOUS
    assert is_parked(drive), "to stand needs neither gear nor a free hand brake"
    drive.run(6.0, CRUISE)
    assert body(drive) == replace(body(drive), hand_brake=False, gear=Gear.DRIVE)
    assert drive.speed > 3.0
    speeds = [o.report.velocity_mps for o in drive.outputs[engaged_n:] if o.report]
    assert min(speeds) > -0.05, "no roll back"


def test_a_person_who_takes_over_gets_a_silent_interface() -> None:
    drive = fault_with_driver()
    drive.run(8.0)
    drive.heard(drive.pipeline.safety_side.on_driver_override(True, drive.now))
    drive.heard(drive.pipeline.safety_side.on_driver_override(False, drive.now))
    sent_n = len(drive.outputs)
    drive.run(1.0)
    assert all(o.sent.command.authority == 0 for o in drive.outputs[sent_n:])


def test_a_hand_brake_that_a_person_set_is_not_released() -> None:
    drive = disengaged()
    drive.run(3.0)
    drive.platform._body.apply(BodyCommand(Gear.DRIVE, hand_brake=True))
    drive.run(5.0)
    assert is_parked(drive)
    engage(drive)
    drive.run(3.0, CRUISE)
    assert body(drive).hand_brake
    assert drive.speed == 0.0


def test_a_stack_that_stands_for_long_gets_both_and_drives_off_again() -> None:
    drive = driving()
    drive.run(4.0, STAND)
    assert drive.speed == 0.0
    assert not body(drive).hand_brake
    drive.run(6.0, STAND)
    assert is_parked(drive)
    assert drive.pipeline.mode is Mode.AUTONOMOUS
    drive.run(60.0, STAND)
    assert is_parked(drive)
    drive.run(5.0, HighLevelCommand(0.0, 0.2))
    assert drive.speed == pytest.approx(0.2, abs=0.05), "however slowly it is to drive"
    assert not body(drive).hand_brake


def test_a_hold_that_never_parks() -> None:
    drive = driving(replace(DRIVERLESS, hold_park_after_s=0.0))
    drive.run(600.0, STAND)
    assert not body(drive).hand_brake
    assert body(drive).gear is Gear.DRIVE


def test_a_gear_that_is_requested_while_the_stack_stands_counts_at_once() -> None:
    drive = driving()
    drive.run(12.0, STAND)
    assert is_parked(drive)
    drive.heard(
        drive.pipeline.safety_side.on_state_command(StateCommand(gear=Gear.REVERSE), drive.now)
    )
    drive.run(1.0, STAND)
    assert body(drive).gear is Gear.REVERSE
    assert body(drive).hand_brake, "until it is to drive"
    drive.run(4.0, HighLevelCommand(0.0, -1.0))
    assert drive.speed < -0.8


def test_a_release_that_is_requested_while_the_stack_stands_counts() -> None:
    drive = driving()
    drive.run(12.0, STAND)
    drive.heard(
        drive.pipeline.safety_side.on_state_command(StateCommand(hand_brake=False), drive.now)
    )
    drive.run(1.0, STAND)
    assert not body(drive).hand_brake
    assert body(drive).gear is Gear.PARK


def test_a_hand_brake_that_is_requested_afterwards_is_the_senders() -> None:
    drive = driving()
    drive.run(12.0, STAND)
    drive.heard(
        drive.pipeline.safety_side.on_state_command(StateCommand(hand_brake=True), drive.now)
    )
    drive.run(4.0, CRUISE)
    assert body(drive).hand_brake
    assert drive.speed == 0.0


def test_an_open_cabin_is_a_stop_that_parks() -> None:
    drive = driving()
    drive.pipeline.safety_side.on_cabin(CabinState(doors_closed=False), drive.now)
    drive.run(8.0, CRUISE)
    assert drive.speed == 0.0
    assert is_parked(drive)
    drive.pipeline.safety_side.on_cabin(CabinState(), drive.now)
    drive.run(6.0, CRUISE)
    assert drive.speed == 0.0, "a door that closes is no request to drive"
    drive.pipeline.safety_side.on_change_mode(True, drive.now)
    drive.run(6.0, CRUISE)
    assert drive.speed > 3.0


@pytest.mark.parametrize("auto_gear", [True, False])
def test_a_stack_that_brakes_after_a_stop_stays_parked(auto_gear: bool) -> None:
    safety = replace(DRIVERLESS, auto_engage=True, auto_gear=auto_gear, command_lost_s=60.0)
    drive = Drive(level="vehicle", safety=safety, fake=HILL)
    drive.run(0.1)
    drive.heard(
        drive.pipeline.safety_side.on_state_command(StateCommand(gear=Gear.DRIVE), drive.now)
    )
    drive.run(3.0, VehicleCommand(0.0, 2.5))
    drive.run(1.0, VehicleCommand(0.0, -2.0))
    drive.run(3.0)
    assert is_parked(drive)
    drive.run(3.0, VehicleCommand(0.0, -2.0))
    assert is_parked(drive), "a brake is no request for reverse"


def test_raw_throttle_after_a_stop_drives_in_the_gear_before() -> None:
    safety = replace(DRIVERLESS, auto_engage=True)
    drive = Drive(level="raw", safety=safety, fake=FakeParameters(initial_gear="REVERSE"))
    drive.run(1.0, RawCommand(0.0, throttle=300))
    assert drive.speed < -0.5
    drive.run(1.0, RawCommand(0.0, brake=500))
    drive.run(3.0)
    assert is_parked(drive)
    drive.run(1.0, RawCommand(0.0))
    drive.run(3.0, RawCommand(0.0, throttle=300))
    assert drive.speed < -0.5
    assert not body(drive).hand_brake


def test_a_car_that_moves_after_all_is_not_braked_by_hand() -> None:
    drive = disengaged()
    drive.run(8.0)
    assert is_parked(drive)
    drive.platform._car.speed_mps = 3.0
    drive.run(0.1)
    assert not body(drive).hand_brake


def test_what_a_process_set_the_next_one_releases() -> None:
    drive = disengaged()
    drive.run(8.0)
    kept = drive.pipeline.session()
    after = Drive(safety=DRIVERLESS, fake=HILL)
    after.platform = drive.platform
    after.pipeline = type(after.pipeline)(after.parameters, drive.platform)
    after.now = drive.now
    after.pipeline.resume(kept)
    after.run(1.5)
    assert is_parked(after)
    engage(after)
    after.run(5.0, CRUISE)
    assert not body(after).hand_brake
    assert after.speed > 3.0


DRIVE_MESSAGE = StateMessage(gear=int(Gear.DRIVE))


def repeat_for(
    drive: Drive, seconds: float, hz: float, command: HighLevelCommand | None
) -> list[Gear]:
    """Repeat the message for DRIVE beside the command; return the gears after each message."""
    gears = []
    for _ in range(round(seconds * hz)):
        drive.message(DRIVE_MESSAGE)
        drive.run(1.0 / hz, *([] if command is None else [command]))
        gears.append(body(drive).gear)
    return gears


@pytest.mark.parametrize("hz", [1.0, 10.0, 50.0])
def test_a_sender_that_repeats_its_gear_gets_it_after_an_engage(hz: float) -> None:
    """A stack that waits for the gear would never drive: it has requested DRIVE all along."""
    drive = driving()
    repeat_for(drive, 1.0, hz, CRUISE)
    drive.heard(drive.pipeline.safety_side.on_change_mode(False, drive.now)[1])
    drive.run(8.0)
    assert is_parked(drive)
    engage(drive)
    gears = repeat_for(drive, 4.0, hz, STAND)
    assert gears[-1] is Gear.DRIVE
    assert drive.speed == 0.0
    drive.run(5.0, CRUISE)
    assert drive.speed > 3.0


@pytest.mark.parametrize("hz", [0.4, 1.0, 10.0, 50.0])
@pytest.mark.parametrize("way", WAYS)
def test_a_stream_that_names_the_gear_does_not_end_a_hold_without_autonomy(
    way: str, hz: float
) -> None:
    drive = WAYS[way]()
    repeat_for(drive, 8.0, hz, None)
    assert is_parked(drive)
    gears = repeat_for(drive, 20.0, hz, STAND)
    assert set(gears) == {Gear.PARK}
    assert is_parked(drive)
    engage(drive)
    repeat_for(drive, 7.5, hz, CRUISE)
    assert drive.speed > 3.0


@pytest.mark.parametrize("hz", [1.0, 10.0, 50.0])
def test_a_stream_that_names_the_gear_does_not_end_a_long_hold(hz: float) -> None:
    drive = driving()
    repeat_for(drive, 12.0, hz, STAND)
    assert is_parked(drive)
    gears = repeat_for(drive, 30.0, hz, STAND)
    assert set(gears) == {Gear.PARK}, "and it does not flap"
    drive.run(5.0, CRUISE)
    assert drive.speed > 3.0


def test_a_person_who_presses_drive_again_gets_it() -> None:
    drive = driving()
    drive.message(DRIVE_MESSAGE)
    drive.run(12.0, STAND)
    assert is_parked(drive)
    drive.message(DRIVE_MESSAGE)
    drive.run(1.0, STAND)
    assert body(drive).gear is Gear.DRIVE
