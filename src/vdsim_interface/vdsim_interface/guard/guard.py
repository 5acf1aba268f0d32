"""The guard as one pure object: safety side and vehicle side, driven by the frames of a shell.

    shell ──frames──▶ Guard ──datagrams──▶ vehicle
          ◀──frames──       ◀─datagrams───

Theory of operation. The shell holds everything that ROS can disturb, and controller and filter. It
sends a Front every period; the guard runs its own periods with the latest one. A shell that ends,
freezes or sends garbage is to the guard a source of commands that is stale: autonomy ends, the
safety side stops the car, and the guard holds it as long as it runs. A shell that comes back needs
an engage. A shell with the same parameters finds the sides as they are; with others they are built
again, as at an activation.

Frames, datagrams and time are arguments. `decide` returns datagrams, `after_send` completes the
tick, as in the Pipeline; `take_frames` returns what to send to the shell.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar, cast

from vdsim_interface.guard import frames
from vdsim_interface.guard.frames import Frame
from vdsim_interface.guard.session import SHELL_GONE, SHELL_SILENT
from vdsim_interface.guard.setup import Sides, activated, configured
from vdsim_interface.guard.shell_end import ShellEnd
from vdsim_interface.pipeline.stall_watch import StallWatch
from vdsim_interface.platforms.wire import Address, Datagram, Endpoint
from vdsim_interface.values import (
    Command,
    Mode,
    Notice,
    SafeCommand,
    VehicleReport,
    notice_kinds,
)
from vdsim_interface.values.records import record

C = TypeVar("C", bound=Command | None)

UNCONFIGURED_TIMEOUT_S = 0.5
STATUS_PERIOD_S = 0.05
NO_FRONT = frames.Front(None, None, None, None)
NO_NOTICES: tuple[Notice, ...] = ()
NOT_ACTIVE = "the guard is not active"


class VehicleLink(Protocol):
    """The vehicle's sockets."""

    def open(self, endpoints: tuple[Endpoint, ...]) -> None:
        """Open all, or raise OSError and leave none open."""

    def send(self, datagrams: tuple[Datagram, ...]) -> None:
        """Send; errors are counted."""

    def close(self) -> None:
        """Close all."""

    def counts(self) -> Mapping[str, float]:
        """How often sending or receiving failed."""


class Tick(NamedTuple):
    """What the first half of a tick leaves to the second."""

    safe: SafeCommand
    periods_n: int


class Guard:
    """Both sides of one vehicle, and the session of its shell."""

    def __init__(self, link: VehicleLink) -> None:
        self._link = link
        self._shell = ShellEnd()
        self._notices = NO_NOTICES
        self.sides: Sides | None = None
        self.is_active = False
        self._front = NO_FRONT
        self._tick: Tick | None = None
        self._stalls = StallWatch(self.period_s, UNCONFIGURED_TIMEOUT_S)
        self._wants_health = False
        self._status_sent: tuple[float, Mode] | None = None
        self._on: dict[type, Callable[[Frame, Any, float], None]] = {
            frames.Activate: self._on_activate,
            frames.Configure: self._on_configure,
            frames.Deactivate: self._on_deactivate,
            frames.ChangeMode: self._on_change_mode,
            frames.AskHealth: self._on_ask_health,
            frames.CommandReceived: self._on_command,
            frames.Front: self._on_front,
            frames.StateReceived: self._on_state,
            frames.CabinReceived: self._on_cabin,
            frames.OverrideReceived: self._on_override,
            frames.EmergencyReceived: self._on_emergency,
            frames.AuxiliaryReceived: self._on_auxiliary,
            frames.InputPublishers: self._on_input_publishers,
        }

    # ---- the shell -------------------------------------------------------------------------------

    def connect(self) -> None:
        """A shell has connected; its frames count from now on."""
        self._shell.connect(self._timeout_s)

    def disconnect(self) -> None:
        """The shell's connection has ended."""
        self._shell.disconnect()
        self._lose(SHELL_GONE)

    def shell_is_silent(self, now: float) -> bool:
        """Whether no shell is connected, or its last frame is too old."""
        return self._shell.is_silent(now)

    def on_frame(self, data: bytes, now: float) -> bool:
        """Process a frame of the shell; True for one of those that the periods follow."""
        session = self._shell.session
        if session is None:
            return False
        frame, notices = session.on_frame(data, now)
        self._notices += notices
        if frame is None:
            return False
        self._on[type(frame.payload)](frame, frame.payload, now)
        return isinstance(frame.payload, frames.Front)

    def take_frames(self, now: float) -> list[bytes]:
        """Return the frames for the shell since the last call."""
        return self._shell.take_frames(now)

    def take_notices(self) -> tuple[Notice, ...]:
        """Return the notices that no shell received."""
        notices, self._notices = self._notices, NO_NOTICES
        return notices

    @property
    def scheduling(self) -> tuple[bool, int]:
        """What the shell asks for: locked memory, and a real-time priority (0: none)."""
        if self.sides is None:
            return False, 0
        return self.sides.setup.lock_memory, self.sides.setup.fifo_priority

    # ---- the vehicle -----------------------------------------------------------------------------

    def on_datagram(self, datagram: bytes, source: Address, endpoint: str, now: float) -> None:
        """Process what a socket of the vehicle received."""
        if self.sides is None:
            return
        received = self.sides.vehicle.on_datagram(datagram, source, endpoint, now)
        self._notices += received.notices
        self._feed_back(self.sides, received.report, received.notices, datagram, now)

    def _feed_back(
        self,
        both: Sides,
        report: VehicleReport | None,
        notices: tuple[Notice, ...],
        datagram: bytes,
        now: float,
    ) -> None:
        feedback = both.vehicle.feedback
        if report is None or feedback is None:
            for notice in notices:
                if notice.kind is notice_kinds.NON_FINITE_REPORT:
                    both.safety.count(notice.kind, notice.text)
            return
        self._notices += both.safety.on_feedback(feedback, now)
        fits = len(datagram) <= frames.LARGEST_DATAGRAM
        self._shell.send(frames.Report(report, datagram if fits else b""))

    # ---- one tick --------------------------------------------------------------------------------

    @property
    def period_s(self) -> float:
        """One period; before the first activation that of the default rate."""
        return 0.01 if self.sides is None else self.sides.parameters.period_s

    def begin_round(self, now: float) -> None:
        """The process looks at its sockets now: check whether it has run since the last look."""
        both = self._active_sides
        if both is None:
            return
        both.vehicle.on_drain(now)
        stall_s = self._stalls.look(now)
        if stall_s:
            self._notices += both.safety.on_stall(stall_s)

    def on_memory(self, why: str) -> None:
        """`why`: this process has used more than half of what it may allocate; empty: no longer."""
        if self.sides is not None:
            self._notices += self.sides.safety.on_process_fault(why)

    def decide(self, now: float) -> tuple[Datagram, ...]:
        """First half of a tick: the periods that are due; returns the datagrams."""
        both = self._active_sides
        if both is None:
            return ()
        if self._shell.is_silent(now):
            self._lose(SHELL_SILENT)
        if both.polls_vehicle:
            for received in both.vehicle.poll(now):
                self._notices += received.notices
                self._feed_back(both, received.report, received.notices, b"", now)
        safe = None if self._tick is None else self._tick.safe
        periods_n = both.safety.periods_due(now)
        for left_n in range(periods_n, 0, -1):
            safe, notices = self._step(both, now)
            self._notices += notices
            if left_n > 1:
                self._after_period(both, safe)
        assert safe is not None, "the first tick always runs a period"
        self._tick = record(Tick, (safe, periods_n))
        return both.vehicle.encode(safe, now).datagrams

    def after_send(self, now: float) -> None:
        """Second half of a tick: what can wait until the datagrams are on their way."""
        both, tick = self._active_sides, self._tick
        if both is None or tick is None:
            return
        safe, periods_n = tick
        if periods_n:
            self._after_period(both, safe)
        vehicle = both.vehicle
        self._notices += vehicle.watch_link(now)
        if self._shell.session is not None:
            encoded, sent = vehicle.encoded, vehicle.sent
            assert sent is not None, "`decide` sends"
            self._shell.send(
                frames.Output(
                    stamp_s=now,
                    safe=sent,
                    gear=safe.command.body.gear,
                    sequence=encoded.sequence,
                    changes=encoded.changes,
                    wire=encoded.wire,
                    link_fresh=vehicle.is_reporting,
                    periods_n=periods_n,
                    notices=self.take_notices(),
                    judged=vehicle.judged if self._front.traced else None,
                )
            )
            self._send_status(both, now)

    def stop(self, now: float) -> tuple[Datagram, ...]:
        """The guard ends: so does autonomy; returns the last, safe datagrams."""
        self._shell.send(frames.Ending())
        return self._deactivated(now)

    def _deactivated(self, now: float) -> tuple[Datagram, ...]:
        both = self._active_sides
        if both is None:
            return ()
        self._notices += both.safety.stop()
        both.vehicle.brake_at_once()
        datagrams = self.decide(now)
        self.after_send(now)
        self.is_active = False
        return datagrams

    def _step(self, both: Sides, now: float) -> tuple[SafeCommand, tuple[Notice, ...]]:
        front = self._front
        if front.raw is not None:
            return both.safety.step(front.raw, now)
        return both.safety.step(front.filtered, now, front.controlled, front.filtered)

    def _after_period(self, both: Sides, safe: SafeCommand) -> None:
        both.safety.after_step()
        both.vehicle.compare(safe.command)

    def _lose(self, why: str) -> None:
        """The shell does not send: what it sent last counts no longer, and autonomy ends."""
        self._front = NO_FRONT
        both = self._active_sides
        if both is not None:
            self._notices += both.safety.end_autonomy(why)

    def _send_status(self, both: Sides, now: float) -> None:
        mode, sent = both.safety.mode, self._status_sent
        due = sent is None or mode is not sent[1] or now - sent[0] >= STATUS_PERIOD_S
        if due or self._wants_health:
            self._status_sent = now, mode
            side = both.safety
            state = side.status(now), side.blocked(now), side.rejected(now)
            session = side.session()._replace(parked=both.vehicle.parked)
            self._shell.send(frames.Status(*state, session, side.request_context))
        if self._wants_health:
            self._wants_health = False
            statistics = {**both.vehicle.link_statistics(now), **self._link.counts()}
            counts = self._shell.counts()
            self._shell.send(frames.Health(statistics, counts))

    # ---- frames ----------------------------------------------------------------------------------

    def _on_activate(self, frame: Frame, setup: frames.Activate, now: float) -> None:
        both = self._active_sides
        if both is not None and both.setup == setup._replace(session=None):
            self._answer(frame, "")
            return
        try:
            made = activated(setup, self.sides)
            self._end(now)
            self._link.open(made.vehicle.endpoints())
        except (ValueError, OSError) as error:
            self._answer(frame, str(error))
            return
        self.sides, self._tick, self._front = made, None, NO_FRONT
        p = made.parameters
        self._stalls = StallWatch(p.period_s, p.command_timeout_s)
        self.is_active = True
        self._shell.use_timeout(self._timeout_s)
        self._answer(frame, "")

    def _on_configure(self, frame: Frame, request: frames.Configure, now: float) -> None:
        both = self.sides
        if both is None:
            self._answer(frame, NOT_ACTIVE)
            return
        try:
            self.sides = configured(both, request.interface, active=self.is_active)
        except ValueError as error:
            self._answer(frame, str(error))
            return
        self._answer(frame, "")

    def _on_deactivate(self, frame: Frame, request: frames.Deactivate, now: float) -> None:
        self._end(now)
        self._answer(frame, "")

    def _end(self, now: float) -> None:
        """Send the last, safe command, and close the vehicle's sockets."""
        self._link.send(self._deactivated(now))
        self._link.close()

    def _on_change_mode(self, frame: Frame, request: frames.ChangeMode, now: float) -> None:
        both = self._active_sides
        if both is None:
            self._answer(frame, NOT_ACTIVE)
            return
        result, notices = both.safety.on_change_mode(request.engage, now)
        self._notices += notices
        self._shell.send(frames.Answer(frame.counter, result.success, result.reason, result.mode))

    def _on_ask_health(self, frame: Frame, request: frames.AskHealth, now: float) -> None:
        self._wants_health = True

    def _on_command(self, frame: Frame, message: frames.CommandReceived, now: float) -> None:
        self._take(message.command, now)

    def _on_front(self, frame: Frame, front: frames.Front, now: float) -> None:
        received, controlled, filtered, raw, traced = front
        if received is not None:
            self._take(received, now)
        filtered, raw = _not_ahead(filtered, now), _not_ahead(raw, now)
        self._front = record(frames.Front, (received, controlled, filtered, raw, traced))

    def _take(self, command: Command, now: float) -> None:
        if self.sides is not None:
            received = _not_ahead(command, now)
            self._notices += self.sides.safety.on_command(received, now)

    def _on_state(self, frame: Frame, state: frames.StateReceived, now: float) -> None:
        if self.sides is not None:
            self._notices += self.sides.safety.on_state_command(state.request, now)

    def _on_cabin(self, frame: Frame, received: frames.CabinReceived, now: float) -> None:
        if self.sides is not None:
            self.sides.safety.on_cabin(received.cabin, now)

    def _on_override(self, frame: Frame, received: frames.OverrideReceived, now: float) -> None:
        if self.sides is not None:
            self._notices += self.sides.safety.on_driver_override(received.active, now)

    def _on_emergency(self, frame: Frame, received: frames.EmergencyReceived, now: float) -> None:
        if self.sides is not None:
            self.sides.safety.on_emergency(received.stop)

    def _on_auxiliary(self, frame: Frame, received: frames.AuxiliaryReceived, now: float) -> None:
        if self.sides is not None:
            self._notices += self.sides.vehicle.on_auxiliary(received.command, now)

    def _on_input_publishers(
        self, frame: Frame, received: frames.InputPublishers, now: float
    ) -> None:
        if self.sides is not None:
            self.sides.safety.on_input_publishers(*received)

    # ---- helpers ---------------------------------------------------------------------------------

    @property
    def _active_sides(self) -> Sides | None:
        return self.sides if self.is_active else None

    @property
    def _timeout_s(self) -> float:
        both = self.sides
        return UNCONFIGURED_TIMEOUT_S if both is None else both.parameters.command_timeout_s

    def _answer(self, frame: Frame, refusal: str) -> None:
        mode = Mode.MANUAL if self.sides is None else self.sides.safety.mode
        self._shell.send(frames.Answer(frame.counter, not refusal, refusal, mode))


def _not_ahead(command: C, now: float) -> C:
    """Return a command that claims to be from the future as received now, else it as it is.

    It would stay fresh too long; a time that is no number is never fresh.
    """
    if command is None or not command.stamp_s > now:
        return command
    return cast(C, command._replace(stamp_s=now))
