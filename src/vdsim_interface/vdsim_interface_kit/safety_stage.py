"""The safety stage with a vehicle that reports what a test sets, in virtual time.

The vehicle's hand brake and PARK are the product's own (standstill/parking.py).
"""

import math
from dataclasses import replace
from typing import Any

from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.state_messages import StateMessageReader
from vdsim_interface.safety import Safety, SafetyOutput, SafetyParameters
from vdsim_interface.safety.body import held_body
from vdsim_interface.standstill.parking import Parking
from vdsim_interface.values import (
    NO_DRIVER,
    AccelMeaning,
    Authority,
    BodyState,
    Gear,
    Mode,
    Notice,
    NoticeKind,
    Odometry,
    RawCommand,
    StateCommand,
    VehicleCommand,
    VehicleFeedback,
)
from vdsim_interface.values.state_message import StateMessage

GO = VehicleCommand(0.0, 1.0, 0.1, 0.0)


class Bench:
    """A safety stage with a vehicle that reports what a test sets, in virtual time."""

    def __init__(self, *, rear_steering: bool = True, **limits: Any) -> None:
        self.safety = Safety(
            SafetyParameters(**limits), VehicleGeometry(), 0.01, 0.5, rear_steering=rear_steering
        )
        self.reader = StateMessageReader()
        self.now = 0.0
        self.speed = 0.0
        self.front = 0.0
        self.body = BodyState(gear=Gear.DRIVE)
        self.wheel_mps, self.doubt = math.nan, ""
        self.parking = Parking(SafetyParameters(**limits))
        self.reports_come = True
        self.notices: list[Notice] = []
        self.output: SafetyOutput | None = None
        self.feedback: VehicleFeedback | None = None

    def step(
        self, command: VehicleCommand | RawCommand | None = None, n: int = 1,
        meaning: AccelMeaning = AccelMeaning.FLAT_ROAD,
    ) -> SafetyOutput:  # fmt: skip
        for _ in range(n):
            self.now += 0.01
            if self.reports_come:
                self.record(self.safety.on_odometry(Odometry(self.now, self.speed, self.front)))
                feedback = self.feedback = self.parking.named(self._feedback())
                self.safety.inputs.on_body(self.body, self.wheel_mps, feedback.parked)
            fresh = None if command is None else command._replace(stamp_s=self.now)
            self.output = self._parked(self.safety.run_period(fresh, self.now, meaning))
            self.safety.after_step()
            self.record(self.output.notices)
            if self.output.command.authority is not Authority.SILENT:
                given, ours = self.output.command.body, self.parking.parked.hand_brake
                hand_brake = given.hand_brake if ours else self.body.hand_brake
                self.body = replace(self.body, gear=given.gear, hand_brake=hand_brake)
        assert self.output is not None
        return self.output

    def _feedback(self) -> VehicleFeedback:
        odometry = Odometry(self.now, self.speed, self.front)
        return VehicleFeedback(odometry, self.body, NO_DRIVER, True, "", self.doubt, self.wheel_mps)

    def _parked(self, output: SafetyOutput) -> SafetyOutput:
        """What the vehicle side makes of it: without autonomy the body stays as reported."""
        command = output.command
        commanding = command.authority is Authority.COMMAND
        reported = self.feedback is None or commanding
        body = command.body if reported else held_body(self.body)
        given = self.parking.step(
            command.standing, body, self.feedback, self.now, commanding=commanding
        )
        return output._replace(command=command._replace(body=given))

    def record(self, notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
        self.notices.extend(notices)
        return notices

    def engage(self, command: VehicleCommand | RawCommand = GO) -> "Bench":
        self.step()
        result, notices = self.safety.on_change_mode(True, self.now)
        self.record(notices)
        assert result.success, result.reason
        self.step(command, 2)
        assert self.safety.mode is Mode.AUTONOMOUS
        return self

    def message(self, message: StateMessage) -> tuple[Notice, ...]:
        """A VehicleStateCommand, as the intake reads it."""
        request = self.reader.read(message, self.now, self.safety.request_context)
        return self.record(self.safety.on_state_command(request, self.now))

    def request(self, **fields: Any) -> tuple[Notice, ...]:
        return self.record(self.safety.on_state_command(StateCommand(**fields), self.now))

    def kinds(self) -> list[NoticeKind]:
        return [report.kind for report in self.notices]

    def last(self, kind: NoticeKind) -> str:
        return next(r.text for r in reversed(self.notices) if r.kind == kind)

    def count(self, kind: NoticeKind) -> int:
        return dict(self.safety.status(self.now).counts).get(kind, 0)
