"""An emergency stop of the arbiter ends at rest: it passes the controller by, and is held."""

from __future__ import annotations

import pytest
from vdsim_interface.arbitration.motion import MeasuredMotion
from vdsim_interface.arbitration.safe_stop import SafeStopParameters, Stopping
from vdsim_interface.extras.fake.platform import FakeParameters
from vdsim_interface.pipeline.front_stages import stop_request
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.values import (
    Mode,
    PlatformCommand,
    Stop,
    Until,
    VehicleCommand,
    notice_kinds,
)
from vdsim_interface_kit.interface import CRUISE, PERIOD_S, Drive

EMERGENCY = SafeStopParameters().emergency()


def stop(drive: Drive, duration_s: float) -> None:
    """Override the controller with the commands of an emergency stop."""
    command, stopping = VehicleCommand(drive.now, 0.0, 0.0), Stopping(drive.now)
    for _ in range(round(duration_s / PERIOD_S)):
        following = stopping.step(
            command,
            MeasuredMotion(drive.speed, 0.0, drive.pipeline.vehicle_side.state_report()),
            EMERGENCY,
            dt_s=PERIOD_S,
            now=drive.now,
        )
        assert isinstance(following, VehicleCommand)
        command = following
        drive.pipeline.override(command, drive.now)
        drive.run(PERIOD_S)


def safe(drive: Drive) -> PlatformCommand:
    return drive.outputs[-1].safe.command


@pytest.mark.parametrize("slope_rad", [-0.1, 0.0, 0.1])
def test_the_car_comes_to_rest_and_the_brake_holds_it(slope_rad: float) -> None:
    drive = Drive(fake=FakeParameters(slope_rad=slope_rad))
    drive.run(8.0, CRUISE)
    assert drive.speed > 2.0
    stop(drive, 4.0)
    assert drive.pipeline.mode is Mode.AUTONOMOUS
    assert drive.speed == 0.0
    assert safe(drive).vehicle.long_accel_mps2 <= -1.0, "a brake, and no throttle against the slope"


def test_a_command_of_the_stack_drives_again() -> None:
    drive = Drive()
    drive.run(8.0, CRUISE)
    stop(drive, 4.0)
    drive.run(4.0, CRUISE)
    assert drive.speed > 2.0


def test_a_stop_means_speed_zero_with_its_steering() -> None:
    request = stop_request(VehicleCommand(2.0, -6.0, 0.3), wheelbase_m=3.0)
    assert (request.stamp_s, request.velocity_mps) == (2.0, 0.0)
    assert request.curvature_1pm == pytest.approx(0.3093 / 3.0, abs=1e-4)


def test_give_back_releases_the_stop_that_the_gate_alone_still_knows() -> None:
    drive = Drive()
    drive.run(8.0, CRUISE)
    latched = Stop(str(notice_kinds.EMERGENCY), 6.0, 50.0, Until.RELEASED)
    drive.pipeline.safety_side.on_emergency(latched)
    drive.run(4.0, CRUISE)
    # A safety stage that started again without a record of the one before.
    drive.pipeline.safety_side = SafetySide(drive.pipeline.parameters, rear_steering=False)
    drive.run(1.0)
    drive.pipeline.safety_side.on_change_mode(True, drive.now)
    drive.run(4.0, CRUISE)
    assert drive.speed == 0.0, "nothing but give_back ends it"
    drive.pipeline.safety_side.on_emergency(None)
    drive.run(4.0, CRUISE)
    assert drive.speed > 2.0
