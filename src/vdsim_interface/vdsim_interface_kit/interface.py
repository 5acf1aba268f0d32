"""A pipeline on the fake platform in virtual time, and short forms for what a test needs."""

from typing import Any

from vdsim_interface.extras.fake import SPEC as FAKE
from vdsim_interface.extras.fake.platform import FakeParameters, FakePlatform
from vdsim_interface.pipeline.output import PipelineOutput
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.state_messages import StateMessageReader
from vdsim_interface.pipeline.tracking_monitor import TrackingMonitor
from vdsim_interface.platforms.spec import Capabilities, PlatformSetup
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    Command,
    HighLevelCommand,
    Mode,
    Notice,
    NoticeKind,
    RawCommand,
    VehicleCommand,
    VehicleReport,
)
from vdsim_interface.values.state_message import StateMessage

PERIOD_S = 0.01
AUTO_ENGAGE = SafetyParameters(auto_engage=True)


class MutedFake(FakePlatform):
    """The fake car with a link that can be cut, and reports that can be altered on their way."""

    def __init__(self, parameters: FakeParameters, setup: PlatformSetup) -> None:
        super().__init__(parameters, setup)
        self.muted = False
        self.altered: dict[str, Any] = {}

    def poll(self, now: float) -> tuple[VehicleReport, ...]:
        notices = super().poll(now)
        if self.muted:
            return ()
        return tuple(report._replace(**self.altered) for report in notices)


class Drive:
    """Runs a pipeline at 100 Hz of virtual time and keeps its outputs and notices."""

    def __init__(
        self,
        level: str = "high_level",
        safety: SafetyParameters = AUTO_ENGAGE,
        fake: FakeParameters | None = None,
        capabilities: Capabilities = FAKE.capabilities,
        **parameters: Any,
    ) -> None:
        self.parameters = InterfaceParameters(control_command=level, safety=safety, **parameters)
        setup = PlatformSetup(self.parameters.vehicle, self.parameters.period_s)
        self.platform = MutedFake(fake or FakeParameters(), setup)
        self.pipeline = Pipeline(self.parameters, self.platform, capabilities)
        self._reader = StateMessageReader()
        self.now = 0.0
        self.notices: list[Notice] = []
        self.outputs: list[PipelineOutput] = []

    def run(self, seconds: float, command: Command | None = None) -> PipelineOutput:
        """Continue to run; the command is sent again before every tick."""
        for _ in range(round(seconds / PERIOD_S)):
            self.now += PERIOD_S
            if command is not None:
                self.send(command._replace(stamp_s=self.now))
            output = self.pipeline.tick(self.now)
            self.notices.extend(output.notices)
            self.outputs.append(output)
        return self.outputs[-1]

    def send(self, command: Command) -> None:
        self.notices.extend(self.pipeline.on_command(command, self.now))

    def message(self, message: StateMessage) -> tuple[Notice, ...]:
        """A VehicleStateCommand, as the intake reads it."""
        context = self.pipeline.safety_side.request_context
        request = self._reader.read(message, self.now, context)
        return self.heard(self.pipeline.safety_side.on_state_command(request, self.now))

    def engaged(self) -> "Drive":
        """Engage at standstill with a command that asks for nothing."""
        self.run(0.1, ASK_NOTHING[self.parameters.control_command])
        assert self.pipeline.mode is Mode.AUTONOMOUS
        return self

    @property
    def speed(self) -> float:
        vehicle = self.pipeline.vehicle
        assert vehicle is not None
        return vehicle.velocity_mps

    def kinds(self) -> list[NoticeKind]:
        return [report.kind for report in self.notices]

    def text(self, kind: NoticeKind) -> str:
        """The last report of a kind."""
        return next(r.text for r in reversed(self.notices) if r.kind == kind)

    def heard(self, notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
        self.notices.extend(notices)
        return notices


def tracking_of(drive: Drive) -> TrackingMonitor:
    """What a monitor that saw the whole drive has kept."""
    monitor = TrackingMonitor()
    for output in drive.outputs:
        monitor.add(output.sent.command, output.report, drive.parameters)
    return monitor


ASK_NOTHING: dict[str, Command] = {
    "high_level": HighLevelCommand(0.0),
    "vehicle": VehicleCommand(0.0),
    "raw": RawCommand(0.0),
}
CRUISE = HighLevelCommand(0.0, 5.0, 0.0)
assert FAKE.parameters is FakeParameters
