"""The safety stage with a vehicle that reports what a test sets, in virtual time."""

from dataclasses import replace
from typing import Any

from vdsim_interface.parameters import VehicleGeometry
from vdsim_interface.safety import Safety, SafetyOutput, SafetyParameters
from vdsim_interface.values import (
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
)

GO = VehicleCommand(0.0, 1.0, 0.1, 0.0)


class Bench:
    """A safety stage with a vehicle that reports what a test sets, in virtual time."""

    def __init__(self, *, rear_steering: bool = True, **limits: Any) -> None:
        self.safety = Safety(
            SafetyParameters(**limits), VehicleGeometry(), 0.01, 0.5, rear_steering=rear_steering
        )
        self.now = 0.0
        self.speed = 0.0
        self.front = 0.0
        self.body = BodyState(gear=Gear.DRIVE)
        self.reports_come = True
        self.notices: list[Notice] = []
        self.output: SafetyOutput | None = None

    def step(self, command: VehicleCommand | RawCommand | None = None, n: int = 1) -> SafetyOutput:
        for _ in range(n):
            self.now += 0.01
            if self.reports_come:
                self.record(
                    self.safety.on_odometry(Odometry(self.now, self.speed, self.front), self.now)
                )
                self.safety.on_body(self.body, self.now)
            fresh = None if command is None else command._replace(stamp_s=self.now)
            self.output = self.safety.step(fresh, self.now)
            self.safety.after_step()
            self.record(self.output.notices)
            if self.output.command.authority is not Authority.SILENT:
                self.body = replace(self.body, gear=self.output.command.body.gear)
        assert self.output is not None
        return self.output

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

    def request(self, **fields: Any) -> tuple[Notice, ...]:
        return self.record(self.safety.on_state_command(StateCommand(**fields), self.now))

    def kinds(self) -> list[NoticeKind]:
        return [report.kind for report in self.notices]

    def last(self, kind: NoticeKind) -> str:
        return next(r.text for r in reversed(self.notices) if r.kind == kind)

    def count(self, kind: NoticeKind) -> int:
        return dict(self.safety.status(self.now).counts).get(kind, 0)
