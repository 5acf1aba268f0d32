"""How long a fault takes until the safe command is on the wire: the pipeline in virtual time.

The whole interface with the fake vehicle at the shipped parameters and 100 Hz drives at 5 m/s; the
fault comes right after a period, the worst moment; the clock counts to the end of the first period
whose command is the safe one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from vdsim_interface.extras.fake import SPEC
from vdsim_interface.extras.fake.platform import FakeParameters, FakePlatform
from vdsim_interface.pipeline.output import PipelineOutput
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    AccelMeaning,
    Authority,
    CabinState,
    DriverActivity,
    Gear,
    HighLevelCommand,
    Mode,
    StateCommand,
    VehicleReport,
)

PERIOD_S = 0.01
SPEED_MPS = 5.0
LONGEST_S = 20.0
Safe = Callable[[PipelineOutput], bool]


class FaultyVehicle(FakePlatform):
    """The fake vehicle with a link that can be cut, and reports that can be altered."""

    muted = False
    altered: dict[str, object]

    def __init__(self, parameters: FakeParameters, setup: PlatformSetup) -> None:
        super().__init__(parameters, setup)
        self.altered = {}

    def poll(self, now: float) -> tuple[VehicleReport, ...]:
        """Return the reports as the fault leaves them."""
        reports = super().poll(now)
        if self.muted:
            return ()
        return tuple(report._replace(**self.altered) for report in reports)  # type: ignore[arg-type]


class Drive:
    """A drive at constant speed, into which a fault comes."""

    def __init__(
        self, speed_mps: float = SPEED_MPS, slope_rad: float = 0.0, **safety: object
    ) -> None:
        limits = SafetyParameters(auto_engage=True, **safety)  # type: ignore[arg-type]
        parameters = InterfaceParameters(safety=limits)
        setup = PlatformSetup(parameters.vehicle, parameters.period_s)
        self.vehicle = FaultyVehicle(FakeParameters(slope_rad=slope_rad), setup)
        self.pipeline = Pipeline(parameters, self.vehicle, SPEC.capabilities)
        self.pipeline.safety_side.on_input_publishers(1, 1)
        self.command: HighLevelCommand | None = HighLevelCommand(0.0, speed_mps, 0.0)
        self.now = 0.0
        for _ in range(600):
            output = self.period()
        assert output.mode is Mode.AUTONOMOUS, output.mode

    def period(self) -> PipelineOutput:
        """Run one period; the stack sends before it."""
        self.now += PERIOD_S
        if self.command is not None:
            self.pipeline.on_command(self.command._replace(stamp_s=self.now), self.now)
        return self.pipeline.tick(self.now)

    def until(self, safe: Safe) -> float:
        """Return the time until the first safe command [s]."""
        start_s = self.now
        while self.now - start_s < LONGEST_S:
            if safe(self.period()):
                return round(self.now - start_s, 6)
        return math.inf


def brakes(output: PipelineOutput) -> bool:
    """The command brakes, and it is a stop: the interface's own, as the stack asks for motion."""
    command = output.safe.command
    return command.vehicle.long_accel_mps2 < 0.0 and command.meaning is AccelMeaning.STOP


def ended(output: PipelineOutput) -> bool:
    """Autonomy has ended, and no command of the stack passes."""
    command = output.safe.command
    return command.mode is not Mode.AUTONOMOUS and command.authority is not Authority.COMMAND


def silent(output: PipelineOutput) -> bool:
    """Nothing is sent: a person drives."""
    return output.safe.command.authority is Authority.SILENT and not output.datagrams


def stack_dies() -> float:
    """No command any more."""
    drive = Drive()
    drive.command = None
    return drive.until(brakes)


def stack_sends_nan() -> float:
    """Commands that are not numbers."""
    drive = Drive()
    drive.command = HighLevelCommand(0.0, math.nan, 0.0)
    return drive.until(brakes)


def reports_stop() -> float:
    """No report any more: the stop."""
    drive = Drive()
    drive.vehicle.muted = True
    return drive.until(brakes)


def link_is_lost() -> float:
    """No report any more: the end of autonomy."""
    drive = Drive()
    drive.vehicle.muted = True
    return drive.until(ended)


def person_uses_a_pedal() -> float:
    """A person takes over; nothing may be sent."""
    drive = Drive()
    drive.vehicle.altered = {"driver": DriverActivity(pedal=True)}
    return drive.until(silent)


def door_opens() -> float:
    """The cabin is not secured any more."""
    drive = Drive()
    drive.pipeline.safety_side.on_cabin(CabinState(doors_closed=False), drive.now)
    return drive.until(brakes)


def cabin_publisher_dies() -> float:
    """A required input has no publisher any more."""
    drive = Drive()
    required = replace(drive.pipeline.parameters.safety, cabin_required=True)
    drive.pipeline.safety_side.on_cabin(CabinState(), drive.now)
    drive.pipeline.configure(replace(drive.pipeline.parameters, safety=required))
    drive.period()
    drive.pipeline.safety_side.on_input_publishers(0, 0)
    return drive.until(brakes)


def stack_is_silent_at_rest() -> float:
    """The car stands and no command comes: from the time-out of the command to the end."""
    drive = Drive(speed_mps=0.0)
    drive.command = None
    drive.until(lambda output: output.safe.command.vehicle.stamp_s < drive.now - 0.5)
    return drive.until(ended)


def vehicle_ignores_steering() -> float:
    """The wheels stay straight, whatever is commanded."""
    drive = Drive()
    drive.command = HighLevelCommand(0.0, SPEED_MPS, 0.05)
    applied = drive.pipeline.tick(drive.now).report
    assert applied is not None
    drive.vehicle.altered = {
        "front_wheel_angle_rad": 0.0,
        "applied": applied.applied._replace(front_wheel_angle_rad=0.0),
    }
    return drive.until(ended)


def park_is_requested_while_moving() -> float:
    """A request for PARK at speed: longest time for which the gear is PARK."""
    drive = Drive()
    parked_n = 0
    for _ in range(100):
        drive.pipeline.safety_side.on_state_command(StateCommand(gear=Gear.PARK), drive.now)
        parked_n += drive.period().safe.command.body.gear is Gear.PARK
    return parked_n * PERIOD_S
