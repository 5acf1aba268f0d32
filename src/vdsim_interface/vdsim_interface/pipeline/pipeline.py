"""The vehicle interface as one pure object: controller -> filter -> safety -> platform.

Commands, reports and time come in as values; datagrams, reports and the trace go out. The stages
are the objects that also run as nodes of their own, and every hand-over between them is rounded to
the float32 of the messages, so all compositions give the same packets. Between commands the last
one holds ([VI-1.3]); `tick` is called at the pipeline's rate whatever the inputs do.
"""

from collections.abc import Mapping

from vdsim_interface.controller import VelocityController
from vdsim_interface.filter import LowPassFilter
from vdsim_interface.pipeline.output import PipelineOutput
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.step_clock import TIME_JUMPED, StepClock
from vdsim_interface.pipeline.tracking_monitor import TrackingEstimate
from vdsim_interface.pipeline.vehicle_watch import VehicleWatch, report_age_s
from vdsim_interface.platforms.spec import (
    Address,
    Capabilities,
    Datagram,
    Encoded,
    Endpoint,
    Platform,
)
from vdsim_interface.safety import Safety, SafetyOutput
from vdsim_interface.values import (
    COMMAND_OF,
    LEVEL_OF,
    NO_DRIVER,
    Authority,
    AuxiliaryCommand,
    CabinState,
    ChangeModeResult,
    Command,
    DriverActivity,
    HighLevelCommand,
    Mode,
    Notice,
    RawCommand,
    SafetyStatus,
    StateCommand,
    StateMessage,
    StateReport,
    VehicleCommand,
    VehicleReport,
    state_report,
)

NO_NOTICES: tuple[Notice, ...] = ()
NO_EXTRAS = Capabilities()


class Pipeline:
    """Composes the stages for one platform and one command level, `level`."""

    def __init__(
        self,
        parameters: InterfaceParameters,
        platform: Platform,
        capabilities: Capabilities = NO_EXTRAS,
    ) -> None:
        period_s, timeout_s = parameters.period_s, parameters.command_timeout_s
        self._parameters = parameters
        self._platform = platform
        self.level = parameters.level
        self._kind = COMMAND_OF[self.level]
        self._clock = StepClock(period_s)
        self._controller = VelocityController(
            parameters.controller, parameters.vehicle, period_s, timeout_s
        )
        self._filter = LowPassFilter(parameters.filter, period_s, timeout_s)
        self._safety = Safety(
            parameters.safety,
            parameters.vehicle,
            period_s,
            timeout_s,
            rear_steering=capabilities.rear_steering,
        )
        self._watch = VehicleWatch(parameters.tracking, period_s)
        self._command: Command | None = None
        self._controlled: VehicleCommand | None = None
        self._filtered: VehicleCommand | None = None
        self._output: SafetyOutput | None = None
        self._encoded = Encoded(())
        self._notices = NO_NOTICES
        self._steps_n = 0
        self._vehicle: VehicleReport | None = None
        self._driver = NO_DRIVER
        self._switch = False

    # ---- what comes in -------------------------------------------------------------------------

    def on_command(self, command: Command, now: float) -> tuple[Notice, ...]:
        """Take a command of the configured level; it holds until the next one ([VI-1.3])."""
        if type(command) is not self._kind:
            given = LEVEL_OF[type(command)]
            return (self._safety.drop_other_level(given, self.level, now),)
        if not isinstance(command, RawCommand) and not command.is_finite():
            return (self._safety.drop_non_finite(command, now),)
        if type(command) is not type(self._command):
            # The first of another level: control and filters start afresh.
            self._controller.step(None, now)
            self._filter.step(None, now)
        self._command = command
        return NO_NOTICES

    def on_state_message(self, message: StateMessage, now: float) -> tuple[Notice, ...]:
        """Take a VehicleStateCommand as it arrives (every field set)."""
        return self._safety.on_state_message(message, now)

    def on_state_command(self, request: StateCommand, now: float) -> tuple[Notice, ...]:
        """Take a request that names only what it wants to change."""
        return self._safety.on_state_command(request, now)

    def on_auxiliary(self, command: AuxiliaryCommand, now: float) -> tuple[Notice, ...]:
        """Take additional platform-specific control values ([VI-2.2])."""
        return self._platform.auxiliary(command, now)

    def on_cabin(self, cabin: CabinState, now: float) -> None:
        """Take the state of doors, belts and load."""
        self._safety.on_cabin(cabin, now)

    def on_driver_override(self, active: bool, now: float) -> tuple[Notice, ...]:
        """Take the driver's switch: a person takes over without touching pedal or wheel."""
        self._switch = active
        return self._tell_driver(now)

    def on_change_mode(
        self, engage: bool, now: float
    ) -> tuple[ChangeModeResult, tuple[Notice, ...]]:
        """Engage or disengage."""
        return self._safety.on_change_mode(engage, now)

    def on_datagram(
        self, datagram: bytes, source: Address, endpoint: str, now: float
    ) -> tuple[Notice, ...]:
        """Take what a socket received."""
        received = self._platform.receive(datagram, source, endpoint, now)
        if received.report is None:
            return received.notices
        return received.notices + self.on_report(received.report, now)

    def on_report(self, report: VehicleReport, now: float) -> tuple[Notice, ...]:
        """Take what the vehicle says, and feed it back to the stages."""
        odometry = report.odometry()
        told = self._safety.on_odometry(odometry, now)
        if told:
            return told
        self._vehicle = report
        self._controller.on_odometry(odometry)
        self._safety.on_body(report.body, now)
        if report.driver is not self._driver and report.driver != self._driver:
            self._driver = report.driver
            told += self._tell_driver(now)
        told += self._safety.on_vehicle_ready(report.ready, now)
        return told

    # ---- one tick ------------------------------------------------------------------------------

    def tick(self, now: float) -> PipelineOutput:
        """Run the periods that are due. A shell that sends calls the two halves instead."""
        self.decide(now)
        return self.conclude(now)

    def decide(self, now: float) -> tuple[Datagram, ...]:
        """First half of a tick: what goes to the vehicle, and nothing that could wait for it."""
        notices = NO_NOTICES
        for report in self._platform.poll(now):
            notices += self.on_report(report, now)
        output = self._output
        # A change of mode counts at once, however soon after the last period: the command of
        # before it is never sent again.
        turned = output is not None and output.command.mode is not self._safety.mode
        steps_n = self._clock.steps(now, at_least=int(turned))
        for left_n in range(steps_n, 0, -1):
            output = self._step(now)
            notices += output.notices
            if left_n > 1:
                self._feed_back(output)
        assert output is not None, "the first tick always runs a period"
        self._output = output
        self._encoded = self._platform.encode(output.command, now)
        self._notices = notices
        self._steps_n = steps_n
        return self._encoded.datagrams

    def conclude(self, now: float) -> PipelineOutput:
        """Second half of a tick, after `decide`: feedback to the stages, and what is told."""
        output = self._output
        assert output is not None, "`decide` comes first"
        if self._steps_n:
            self._feed_back(output)
        vehicle, watch = self._vehicle, self._watch
        timeout_s = self._parameters.safety.report_timeout_s
        notices = self._notices + watch.look(report_age_s(vehicle, now), timeout_s, now)
        passes = output.command.authority is Authority.COMMAND
        return PipelineOutput(
            now,
            notices,
            self._command,
            self._controlled,
            self._filtered,
            output,
            self._encoded,
            vehicle,
            watch.is_heard,
            self._steps_n,
            "" if passes else self.blocked(now),
        )

    def stop(self, now: float) -> PipelineOutput:
        """Deactivate: autonomy ends; the output's datagrams carry the last, safe command."""
        notices = self._safety.stop()
        output = self.tick(now)
        return output._replace(notices=notices + output.notices)

    def restart(self) -> tuple[Notice, ...]:
        """Time jumped back (a simulation was reset): what was heard before is worth nothing."""
        self._command = None
        self._vehicle = None
        self._watch.clear()
        return (TIME_JUMPED, *self._safety.restart())

    def remember(self, before: "Pipeline") -> None:
        """Activate again: what people did meanwhile or before still holds."""
        self._switch, self._driver = before._switch, before._driver
        self._safety.remember(before._safety)

    # ---- what can be asked ---------------------------------------------------------------------

    @property
    def vehicle(self) -> VehicleReport | None:
        """The latest report of the vehicle, however old; None before the first."""
        return self._vehicle

    @property
    def mode(self) -> Mode:
        """Who drives."""
        return self._safety.mode

    @property
    def parameters(self) -> InterfaceParameters:
        """The parameters in use."""
        return self._parameters

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Name the sockets that the shell must open."""
        return self._platform.endpoints()

    def blocked(self, now: float) -> str:
        """Why commands do not pass now; empty while they do."""
        return self._safety.blocked(self.level, now)

    def dropped(self, now: float) -> str:
        """What comes instead of commands that could pass; empty when nothing does."""
        return self._safety.dropped(now)

    def status(self, now: float) -> SafetyStatus:
        """Give the safety stage's status."""
        return self._safety.status(now)

    def state_report(self) -> StateReport | None:
        """Give the VehicleStateReport; None while the vehicle does not report."""
        if self._vehicle is None or not self._watch.is_heard:
            return None
        return state_report(self._vehicle.body, self.mode)

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """Say how the link does, by name; {} without a wire. For about 1 Hz."""
        wire = self._platform.link_statistics(now)
        return self._watch.link_statistics(wire, report_age_s(self._vehicle, now))

    def tracking(self) -> tuple[TrackingEstimate, ...]:
        """Judge whether the vehicle does what it is told; about a millisecond, call it at 1 Hz."""
        return self._watch.estimates()

    def configure(self, parameters: InterfaceParameters) -> None:
        """Take parameters that may change while active (see parameters.changed)."""
        self._parameters = parameters
        if parameters.level is not self.level:
            # The last command holds until one of the new level comes.
            self.level, self._kind = parameters.level, COMMAND_OF[parameters.level]
        self._controller.configure(parameters.controller, parameters.vehicle)
        self._safety.configure(parameters.safety, parameters.vehicle)
        self._watch.configure(parameters.tracking)

    # ---- helpers -------------------------------------------------------------------------------

    def _step(self, now: float) -> SafetyOutput:
        """Run every stage for one period."""
        command = self._command
        self._controlled = None
        if isinstance(command, RawCommand):
            self._filtered = None
            output = self._safety.step(command, now)
        else:
            if isinstance(command, HighLevelCommand):
                self._controlled = self._controller.step(command, now)
            else:
                self._controlled = command
            self._filtered = self._filter.step(self._controlled, now)
            output = self._safety.step(self._filtered, now)
        return output

    def _feed_back(self, output: SafetyOutput) -> None:
        """After a period: what the stages must know of it before the next."""
        mode = output.command.mode
        self._controller.on_state(output.command.body.gear, mode)
        self._filter.on_mode(mode)
        self._safety.conclude()
        self._watch.compare(output.command, self._vehicle)

    def _tell_driver(self, now: float) -> tuple[Notice, ...]:
        driver = self._driver
        if self._switch:
            driver = DriverActivity(driver.pedal, driver.wheel, driver.gear_lever, True)
        return self._safety.on_driver(driver, now)
