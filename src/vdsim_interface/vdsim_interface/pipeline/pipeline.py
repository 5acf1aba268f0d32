"""The vehicle interface as one pure object: controller -> filter -> safety side -> vehicle side.

Theory of operation. Commands, reports and time are arguments; datagrams, notices and the trace
are results. Nothing here reads a clock, opens a socket or logs.

A tick has two halves, so that work which can wait does not delay the datagram:
`decide` runs the periods that are due and returns the datagrams, `after_send` feeds the result back
to the stages and returns what to publish. The step clock alone decides how many periods a tick
runs (step_clock.py): a late tick runs the missed periods, an early one runs none and sends the last
command again. Every stage's `step` is exactly one period, so that jitter does not distort filters,
limits and integrals.

Within a period each stage sees the result of the stage before it; gear and mode reach controller
and filter after the period, as they would over a topic. A command holds until the next one
([VI-1.3]) and each stage judges its age by the time of receipt. Values that pass from stage to
stage are rounded to the float32 of the messages. The same objects in separate processes (nodes/)
therefore send the same datagrams, bit for bit.
"""

from vdsim_interface.pipeline.front_stages import FrontStages, stop_request
from vdsim_interface.pipeline.output import Motion, PipelineOutput, motion_of
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.platforms.wire import Address, Datagram, Platform, Received
from vdsim_interface.values import (
    Command,
    Mode,
    Notice,
    RawCommand,
    SafeCommand,
    Session,
    VehicleCommand,
    VehicleReport,
    notice_kinds,
)
from vdsim_interface.values.capabilities import NO_EXTRAS, Capabilities
from vdsim_interface.values.records import record

NO_NOTICES: tuple[Notice, ...] = ()


class Pipeline:
    """Composes the stages for one platform and one command level. `parameters`: those in use."""

    def __init__(
        self,
        parameters: InterfaceParameters,
        platform: Platform,
        capabilities: Capabilities = NO_EXTRAS,
    ) -> None:
        self.parameters = parameters
        self._front = FrontStages(parameters)
        self.safety_side = SafetySide(parameters, rear_steering=capabilities.rear_steering)
        self.vehicle_side = VehicleSide(parameters, platform, capabilities)
        self._polls_vehicle = not platform.endpoints()
        self._safe: SafeCommand | None = None
        self._notices = NO_NOTICES
        self._periods_n = 0

    # ---- input that several stages see; all other has its one door at a side ---------------------

    def on_command(self, command: Command, now: float) -> tuple[Notice, ...]:
        """Use a command of the configured level; it holds until the next one ([VI-1.3])."""
        rejected = self.safety_side.on_command(command, now)
        if not rejected:
            self._front.on_command(command, now)
        return rejected

    def override(self, command: VehicleCommand, now: float) -> None:
        """Use an emergency stop of the arbiter in place of what the controller computes.

        For the safety stage it is a request to stand: the last speed that the controller received
        would be one to drive, and the car would not be held.
        """
        wheelbase_m = self.parameters.vehicle.wheelbase_m
        self.safety_side.on_command(stop_request(command, wheelbase_m), now)
        self._front.on_command(command, now)

    def on_datagram(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        """Process what a socket received; an accepted report is fed back to the stages."""
        received = self.vehicle_side.on_datagram(datagram, source, endpoint, now)
        notices = self._feed_back(received, now)
        return Received(received.report, received.notices + notices) if notices else received

    # ---- one tick --------------------------------------------------------------------------------

    def tick(self, now: float) -> PipelineOutput:
        """Run the periods that are due. A shell that sends calls the two halves instead."""
        self.decide(now)
        return self.after_send(now)

    def decide(self, now: float) -> tuple[Datagram, ...]:
        """First half of a tick: return the datagrams; everything that can wait comes later."""
        notices = NO_NOTICES
        if self._polls_vehicle:
            for received in self.vehicle_side.poll(now):
                notices += received.notices + self._feed_back(received, now)
        safe = self._safe
        periods_n = self.safety_side.periods_due(now)
        for left_n in range(periods_n, 0, -1):
            safe, stepped = self._step(now)
            notices += stepped
            if left_n > 1:
                self._after_period(safe)
        assert safe is not None, "the first tick always runs a period"
        self._safe, self._notices, self._periods_n = safe, notices, periods_n
        return self.vehicle_side.encode(safe, now).datagrams

    def after_send(self, now: float) -> PipelineOutput:
        """Second half of a tick, after `decide`: feedback to the stages, and what to publish."""
        safe, side = self._safe, self.vehicle_side
        assert safe is not None, "`decide` comes first"
        if self._periods_n:
            self._after_period(safe)
        notices = self._notices + side.watch_link(now)
        report, fresh, sent = side.report, side.is_reporting, side.sent
        assert sent is not None, "`decide` sends"
        return record(
            PipelineOutput,
            (now, notices, safe, side.encoded, report, fresh, self._periods_n, sent, side.judged),
        )

    def _step(self, now: float) -> tuple[SafeCommand, tuple[Notice, ...]]:
        """Run every stage for one period."""
        command = self._front.command
        if isinstance(command, RawCommand):
            return self.safety_side.step(command, now)
        controlled, filtered = self._front.step(now)
        return self.safety_side.step(filtered, now, controlled, filtered)

    def _after_period(self, safe: SafeCommand) -> None:
        """After a period: update the stages' inputs for the next one."""
        command = safe.command
        self._front.on_safe(command.body.gear, command.mode)
        self.safety_side.after_step()
        self.vehicle_side.compare(command)

    def _feed_back(self, received: Received, now: float) -> tuple[Notice, ...]:
        """Pass an accepted report to the stages; count a rejected one."""
        feedback = self.vehicle_side.feedback
        if received.report is None or feedback is None:
            for notice in received.notices:
                if notice.kind is notice_kinds.NON_FINITE_REPORT:
                    self.safety_side.count(notice.kind, notice.text)
            return NO_NOTICES
        self._front.on_odometry(feedback.odometry)
        return self.safety_side.on_feedback(feedback, now)

    # ---- lifecycle -------------------------------------------------------------------------------

    def stop(self, now: float) -> PipelineOutput:
        """Deactivate: autonomy ends; the output's datagrams carry the final, safe command."""
        notices = self.safety_side.stop()
        self.vehicle_side.brake_at_once()
        output = self.tick(now)
        return output._replace(notices=notices + output.notices)

    def restart(self) -> tuple[Notice, ...]:
        """After a backward jump of time: discard everything received before it; autonomy ends."""
        self._front.restart()
        self.vehicle_side.restart()
        return self.safety_side.restart()

    def session(self) -> Session:
        """Return what must outlive a crash of the process, of both sides."""
        return self.safety_side.session()._replace(parked=self.vehicle_side.parked)

    def resume(self, session: Session) -> None:
        """Continue where a process that crashed ended."""
        self.safety_side.resume(session)
        self.vehicle_side.resume(session.parked)

    def restore_from(self, previous: "Pipeline") -> None:
        """Copy the standing requests of the previous instance; they are not sent again."""
        self.safety_side.restore_from(previous.safety_side)
        self.vehicle_side.restore_from(previous.vehicle_side)

    def configure(self, parameters: InterfaceParameters) -> None:
        """Use parameters that may change while active (see parameters.changed)."""
        self.parameters = parameters
        self._front.configure(parameters)
        self.safety_side.configure(parameters)
        self.vehicle_side.configure(parameters)

    # ---- state -----------------------------------------------------------------------------------

    @property
    def vehicle(self) -> VehicleReport | None:
        """The latest report of the vehicle, however old; None before the first."""
        return self.vehicle_side.report

    @property
    def mode(self) -> Mode:
        """Who drives."""
        return self.safety_side.mode

    def motion(self) -> Motion:
        """Return the latest motion and state of the vehicle, with the present mode."""
        return motion_of(self.vehicle, self.mode)
