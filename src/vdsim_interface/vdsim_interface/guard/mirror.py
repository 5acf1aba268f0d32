"""What the shell knows of the guard's two sides, from its frames, for the ports that publish it.

Both processes read the same monotonic clock. While the guard does not send, nothing counts as fresh
and the mode is not AUTONOMOUS, whatever was received last.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from vdsim_interface.guard import frames
from vdsim_interface.guard.frames import Payload
from vdsim_interface.pipeline.output import GateRecord
from vdsim_interface.platforms.wire import Encoded, Endpoint
from vdsim_interface.safety.authority import LastDriver
from vdsim_interface.values import (
    Authority,
    AuxiliaryCommand,
    CabinState,
    ChangeModeResult,
    Mode,
    Notice,
    RequestContext,
    SafeCommand,
    SafetyStatus,
    Session,
    StateCommand,
    StateReport,
    Stop,
    VehicleReport,
    state_report,
)

GUARD_GONE = "the guard does not send: it stops the car, or the vehicle's fail-safe does"
NO_NOTICES: tuple[Notice, ...] = ()
NO_SESSION = Session(LastDriver.UNKNOWN.value, {})
Send = Callable[[Payload], object]
Ask = Callable[[Payload], frames.Answer]
UNKNOWN = SafetyStatus(
    mode=Mode.MANUAL,
    mode_reason="start",
    last_disengage_reason="",
    active=(),
    counts=(),
    command_age_s=math.inf,
    report_age_s=math.inf,
)


class RemoteVehicleSide:
    """The guard's vehicle side, as of its latest frames."""

    def __init__(self, endpoints: tuple[Endpoint, ...]) -> None:
        self._endpoints = endpoints
        self._link_fresh = False
        self._health = frames.Health({}, {})
        self.report: VehicleReport | None = None
        self.encoded = Encoded(())
        self.judged: GateRecord | None = None
        self.mode = Mode.MANUAL
        self.authority = Authority.IDLE

    def on_report(self, report: VehicleReport) -> VehicleReport:
        """Use a report."""
        self.report = report
        return report

    def on_output(self, output: frames.Output, *, is_fresh: bool) -> SafeCommand:
        """Use a tick's result; returns its command.

        One that waited while this process did not run says nothing about the link of now.
        """
        self.encoded = Encoded(
            datagrams=(),
            sequence=output.sequence,
            changes=output.changes,
            wire=output.wire,
        )
        self.judged = output.judged
        self._link_fresh = output.link_fresh and is_fresh
        self.mode = output.safe.command.mode
        self.authority = output.safe.command.authority
        return output.safe

    def on_health(self, health: frames.Health) -> None:
        """Use the figures of the links."""
        self._health = health

    def on_guard_lost(self) -> None:
        """The guard does not send any more."""
        self._link_fresh = False
        if self.mode is Mode.AUTONOMOUS:
            self.mode = Mode.DISENGAGED

    def state_report(self) -> StateReport | None:
        """Return the VehicleStateReport; None while the vehicle, or the guard, does not report."""
        fresh = self.report if self._link_fresh else None
        return None if fresh is None else state_report(fresh.body, self.mode)

    def report_age_s(self, now: float) -> float:
        """Return the age of the latest report [s]; infinite before the first."""
        return math.inf if self.report is None else now - self.report.stamp_s

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """Return figures of the vehicle's link, by name; {} without a wire."""
        statistics = self._health.statistics
        return {**statistics, "age_s": self.report_age_s(now)} if statistics else {}

    def shell_counts(self) -> Mapping[str, float]:
        """Return how many of our frames the guard missed or did not use, by name."""
        return self._health.shell

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Name the sockets that the guard has."""
        return self._endpoints


class RemoteSafetySide:
    """The guard's safety side: requests go there as frames, its state comes back."""

    def __init__(self, send: Send, ask: Ask) -> None:
        self._send, self._ask = send, ask
        self._state = frames.Status(UNKNOWN, "the guard has not sent yet", "", NO_SESSION, None)
        self._publishers = frames.InputPublishers(0, 0)
        self._state_s = -math.inf
        self._cabin: CabinState | None = None
        self._override: bool | None = None
        self._emergency: Stop | None = None

    def on_state_command(self, request: StateCommand, now: float) -> tuple[Notice, ...]:
        """Pass a request on; notices come with the next Output."""
        self._send(frames.StateReceived(request))
        return NO_NOTICES

    @property
    def request_context(self) -> RequestContext | None:
        """What the reader of state messages must know; None before the guard has sent it."""
        return self._state.context

    def on_cabin(self, cabin: CabinState, now: float) -> None:
        """Pass the state of the cabin on."""
        self._cabin = cabin
        self._send(frames.CabinReceived(cabin))

    def on_driver_override(self, active: bool, now: float) -> tuple[Notice, ...]:
        """Pass the driver's switch on."""
        self._override = active
        self._send(frames.OverrideReceived(active))
        return NO_NOTICES

    def on_emergency(self, stop: Stop | None) -> None:
        """Pass on that an emergency stop is latched, or released (None)."""
        self._emergency = stop
        self._send(frames.EmergencyReceived(stop))

    def on_input_publishers(self, cabin_n: int, switch_n: int) -> None:
        """Pass on how many publishers cabin state and driver switch have."""
        self._publishers = frames.InputPublishers(cabin_n, switch_n)
        self._send(self._publishers)

    def session(self) -> Session:
        """Return what must outlive a crash, as the guard has sent it."""
        return self._state.session

    def resume(self, session: Session) -> None:
        """Continue where a shell and its guard ended together."""
        self._state = self._state._replace(session=session)

    def on_auxiliary(self, command: AuxiliaryCommand) -> None:
        """Pass additional control values on."""
        self._send(frames.AuxiliaryReceived(command))

    def on_change_mode(
        self, engage: bool, now: float
    ) -> tuple[ChangeModeResult, tuple[Notice, ...]]:
        """Request to engage or disengage, and wait for the guard's answer."""
        answer = self._ask(frames.ChangeMode(engage))
        return ChangeModeResult(answer.success, answer.text, answer.mode), NO_NOTICES

    def send_standing(self) -> None:
        """After an activation: send the latest cabin, switch and emergency stop to a new guard."""
        if self._cabin is not None:
            self._send(frames.CabinReceived(self._cabin))
        if self._override is not None:
            self._send(frames.OverrideReceived(self._override))
        if self._emergency is not None:
            self._send(frames.EmergencyReceived(self._emergency))
        self._send(self._publishers)

    def on_status(self, state: frames.Status, now: float) -> None:
        """Use the guard's status, received now."""
        self._state, self._state_s = state, now

    def on_guard_lost(self) -> None:
        """The guard does not send any more: nobody drives by our commands."""
        status = self._state.status
        if status.mode is Mode.AUTONOMOUS:
            status = replace(status, mode=Mode.DISENGAGED, last_disengage_reason=GUARD_GONE)
        status = replace(status, mode_reason=GUARD_GONE)
        self._state = frames.Status(
            status, GUARD_GONE, "", self._state.session, self._state.context
        )

    @property
    def mode(self) -> Mode:
        """Who drives."""
        return self._state.status.mode

    def status(self, now: float) -> SafetyStatus:
        """Return mode, reasons, counts, and the ages as of now."""
        status, since_s = self._state.status, max(0.0, now - self._state_s)
        return replace(
            status,
            command_age_s=status.command_age_s + since_s,
            report_age_s=status.report_age_s + since_s,
        )

    def blocked(self, now: float) -> str:
        """Return why commands do not pass; empty while they do."""
        return self._state.blocked

    def rejected(self, now: float) -> str:
        """Name what arrives instead of commands that could pass; empty when nothing does."""
        return self._state.rejected
