"""A stop of our own ends with the hand brake, and releases what it set itself."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from vdsim_interface.extras.fake.platform import FakeParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    Gear,
    HighLevelCommand,
    Mode,
    Session,
    StateCommand,
    Stop,
    Until,
    VehicleCommand,
)
from vdsim_interface_kit.interface import CRUISE, Drive

STAND = HighLevelCommand(0.0)
DRIVERLESS = SafetyParameters(auto_engage=True, rig="driverless")


def ask(drive: Drive, **fields: Any) -> None:
    drive.heard(drive.pipeline.safety_side.on_state_command(StateCommand(**fields), drive.now))


def stopped() -> Drive:
    """A car on a hill whose stack fell silent at speed."""
    drive = Drive(safety=DRIVERLESS, fake=FakeParameters(slope_rad=0.1))
    drive.run(5.0, CRUISE)
    drive.run(8.0)
    assert drive.speed == 0.0
    return drive


def hand_brake(drive: Drive) -> bool:
    return drive.outputs[-1].sent.command.body.hand_brake


def test_the_hand_brake_is_set_once_the_car_stands_and_not_before() -> None:
    drive = stopped()
    assert hand_brake(drive)
    for output in drive.outputs:
        if output.sent.command.body.hand_brake:
            assert output.report is not None
            assert abs(output.report.velocity_mps) <= 0.1


def test_the_next_command_releases_it_and_the_car_drives() -> None:
    drive = stopped()
    drive.run(5.0, CRUISE)
    assert not hand_brake(drive)
    assert drive.speed > 4.0


def test_after_a_disengage_the_next_engage_releases_it() -> None:
    drive = stopped()
    drive.platform.muted = True
    drive.run(1.5)
    drive.platform.muted = False
    assert drive.pipeline.mode is not Mode.AUTONOMOUS
    drive.run(0.5)
    assert drive.pipeline.mode is Mode.DISENGAGED
    assert hand_brake(drive), "without autonomy the body stays as it is"
    drive.run(5.0, CRUISE)
    assert not hand_brake(drive)
    assert drive.speed > 3.0


def test_what_a_sender_has_set_stays() -> None:
    drive = Drive(safety=DRIVERLESS, fake=FakeParameters(slope_rad=0.1)).engaged()
    drive.run(1.0, STAND)
    ask(drive, hand_brake=True)
    drive.run(0.5, STAND)
    drive.run(4.0)
    drive.run(2.0, CRUISE)
    assert hand_brake(drive)
    assert drive.speed == 0.0
    assert drive.outputs[-1].sent.command.body.gear is Gear.DRIVE


def gear(drive: Drive) -> Gear:
    return drive.outputs[-1].sent.command.body.gear


def test_park_is_set_once_the_car_stands_and_not_before() -> None:
    drive = stopped()
    assert gear(drive) is Gear.PARK
    parked = [output for output in drive.outputs if output.sent.command.body.gear is Gear.PARK]
    assert all(o.report is not None and o.report.velocity_mps == 0.0 for o in parked[-200:])
    for before, after in pairwise(drive.outputs):
        gears = before.sent.command.body.gear, after.sent.command.body.gear
        if gears == (Gear.DRIVE, Gear.PARK):
            assert after.report is not None
            assert abs(after.report.velocity_mps) <= 0.1


@pytest.mark.parametrize("auto_gear", [True, False])
def test_the_next_request_to_drive_leaves_park_also_without_automatic_gears(
    auto_gear: bool,
) -> None:
    safety = replace(DRIVERLESS, auto_gear=auto_gear)
    drive = Drive(safety=safety, fake=FakeParameters(slope_rad=0.1)).engaged()
    ask(drive, gear=Gear.DRIVE)
    drive.run(5.0, CRUISE)
    drive.run(8.0)
    assert gear(drive) is Gear.PARK
    drive.run(1.0, STAND)
    assert gear(drive) is Gear.PARK, "to stand needs no gear"
    drive.run(5.0, CRUISE)
    assert gear(drive) is Gear.DRIVE
    assert drive.speed > 3.0


def test_a_gear_that_is_requested_meanwhile_counts_when_the_stop_ends() -> None:
    drive = stopped()
    ask(drive, gear=Gear.REVERSE)
    drive.run(1.0)
    assert gear(drive) is Gear.PARK
    drive.run(1.0, STAND)
    assert gear(drive) is Gear.REVERSE


@pytest.mark.parametrize("is_reported", [True, False])
def test_the_first_packet_waits_for_a_report_but_not_for_ever(is_reported: bool) -> None:
    """Seed 4000303: after a crash in a bend it straightened wheels whose angle it did not know."""
    drive = Drive(safety=DRIVERLESS)
    drive.platform.muted = True
    drive.run(0.05)
    assert all(output.encoded.wire is None for output in drive.outputs)
    drive.platform.muted = not is_reported
    sent = [drive.run(0.01).encoded.wire for _ in range(7)]
    assert [wire is None for wire in sent[:4]] == [not is_reported] * 4
    assert sent[-1] is not None
    assert sent[-1].long_accel_mps2 < 0.0


EMERGENCY = Stop("a person", 6.0, 15.0, Until.RELEASED)


def in_a_bend() -> Drive:
    """A car that a stack steers to 0.2 rad, whose reports then stop."""
    drive = Drive("vehicle", safety=DRIVERLESS)
    drive.run(3.0, VehicleCommand(0.0, 1.0, 0.2))
    wire = drive.outputs[-1].encoded.wire
    assert wire is not None
    assert wire.front_wheel_angle_rad == pytest.approx(0.2, abs=0.01)
    drive.platform.muted = True
    return drive


def angles_of_a_stop(drive: Drive) -> list[float]:
    """The wheel angles of an emergency stop, packet by packet."""
    drive.pipeline.safety_side.on_emergency(EMERGENCY)
    wires = [drive.run(0.01).encoded.wire for _ in range(30)]
    return [wire.front_wheel_angle_rad for wire in wires if wire is not None]


def test_a_car_that_is_held_when_simulated_time_begins_again_drives() -> None:
    drive = stopped()
    assert drive.outputs[-1].sent.command.body.gear is Gear.PARK
    drive.now -= 10.0
    drive.heard(drive.pipeline.restart())
    drive.run(3.0, CRUISE)
    assert not hand_brake(drive)
    assert drive.speed > 2.0


@pytest.mark.parametrize("how", ["after a crash", "after an activation", "time jumped back"])
def test_a_stop_without_reports_holds_the_wheels(how: str) -> None:
    """The wheels went straight: in a bend of 8 m/s, and in an emergency stop, by 0.12 rad."""
    drive = in_a_bend()
    previous = drive.pipeline
    if how == "time jumped back":
        drive.heard(previous.restart())
    else:
        drive.pipeline = Pipeline(drive.parameters, drive.platform)
        if how == "after a crash":
            drive.pipeline.resume(previous.session())
        else:
            drive.pipeline.restore_from(previous)
    angles = angles_of_a_stop(drive)
    assert len(angles) >= 15
    assert angles == pytest.approx([0.2] * len(angles), abs=0.01)


def test_an_angle_that_is_no_number_is_not_held() -> None:
    drive = in_a_bend()
    drive.pipeline = Pipeline(drive.parameters, drive.platform)
    drive.pipeline.resume(Session("autonomy", {}, wheels_rad=(float("nan"), 0.0)))
    angles = angles_of_a_stop(drive)
    assert angles == [0.0] * len(angles)
    assert angles
