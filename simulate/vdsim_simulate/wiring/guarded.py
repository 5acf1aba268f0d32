"""Composition `guarded`: the ROS shell and the guard as two processes, their frames as bytes.

What the shell asks of the guard is answered by a frame; the shell goes on meanwhile, where the
shipped one waits up to `guard.answer_timeout_s`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from vdsim_interface.guard import frames
from vdsim_interface.guard.frames import Frame, FrameReader, FrameWriter
from vdsim_interface.guard.guard import Guard
from vdsim_interface.guard.rounds import GuardRounds
from vdsim_interface.guard.setup import flat_values
from vdsim_interface.guard.shell import Shell
from vdsim_interface.platforms.spec import Datagram, Endpoint
from vdsim_interface.teleop.station import ModeRequest
from vdsim_interface.values import (
    LEVEL_OF,
    Command,
    Mode,
    Notice,
    SafetyStatus,
    StateReport,
    VehicleReport,
)

from vdsim_simulate.agenda import Agenda, Inbox, Process
from vdsim_simulate.wiring.composition import NO_MEMORY, Composition, Wire
from vdsim_simulate.wiring.desk import Answer, Reception
from vdsim_simulate.wiring.shipped import make_platform, platform_parameters
from vdsim_simulate.wiring.stage import TOLD_N, Stage

SOCKET_S = 5e-5
FRAMES_N = 256
HEALTH_S = 1.0


class FrameLink:
    """One direction of the local socket."""

    def __init__(self, agenda: Agenda, inbox: Inbox[bytes]) -> None:
        self._agenda = agenda
        self._inbox = inbox

    def send(self, data: bytes) -> None:
        """Send a frame."""
        self._agenda.after(SOCKET_S, lambda: self._inbox.put(data))


class _Vehicle:
    """The wire as the guard's sockets."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def open(self, endpoints: tuple[Endpoint, ...]) -> None:
        """Nothing to open."""

    def send(self, datagrams: tuple[Datagram, ...]) -> None:
        """Send to the vehicle."""
        self._wire.send(datagrams)

    def close(self) -> None:
        """Nothing to close."""

    def counts(self) -> Mapping[str, float]:
        """No trouble."""
        return {}


class GuardProcess:
    """The guard's rounds: at each frame, at each datagram and at each timer."""

    def __init__(self, wire: Wire, process: Process) -> None:
        self._wire = wire
        self.process = process
        self.guard = Guard(_Vehicle(wire))
        if wire.tapes is not None:
            wire.tapes.of_guard(self.guard)
        wire.events.watch().of_guard(self.guard)
        self._rounds = GuardRounds(self.guard, wire.send, process.clock.now())
        self.has_shell = False
        self.to_shell: Callable[[bytes], None] = lambda data: None
        self.logged: deque[Notice] = deque(maxlen=TOLD_N)
        """What it logs itself, as no shell would."""

    def start(self, phase_s: float) -> None:
        """Begin to listen."""
        arrivals: Inbox[None] = self.process.inbox(lambda _: self._round(), 1)
        self._wire.on_arrival = lambda: arrivals.put(None)
        self.process.wake_after(phase_s, self._round)

    def on_frame(self, data: bytes) -> None:
        """A frame of the shell."""
        now = self._begin()
        self._rounds.on_frame(data, now)
        self._finish(now)

    def connect(self) -> None:
        """A shell has connected."""
        self.has_shell = True
        self.guard.connect()

    def disconnect(self) -> None:
        """The shell has ended."""
        self.has_shell = False
        self.guard.disconnect()

    @property
    def _report(self) -> VehicleReport | None:
        sides = self.guard.sides
        return None if sides is None else sides.vehicle.report

    def _round(self) -> None:
        self._finish(self._begin())

    def _begin(self) -> float:
        now = self.process.clock.now()
        self.guard.begin_round(now)
        for data, source in self._wire.take():
            before = self._report
            self.guard.on_datagram(data, source, self._wire.endpoint_of(data), now)
            report = self._report
            if report is not None and report is not before:
                self._wire.on_state(report.vehicle_time_s)
        return now

    def _finish(self, now: float) -> None:
        self._rounds.finish(now)
        self.process.wake_after(self._rounds.wake_s - now, self._round)
        if self.has_shell:
            for data in self.guard.take_frames(now):
                self.to_shell(data)
        if not (self.has_shell and self.guard.is_active):
            self.logged.extend(self.guard.take_notices())


class ShellStage(Stage):
    """The shell without ROS (nodes/guarded_interface.py)."""

    def __init__(self, wire: Wire, process: Process, to_guard: Callable[[bytes], None]) -> None:
        super().__init__(wire.parameters, process)
        self._wire = wire
        self._to_guard = to_guard
        self._writer, self._reader = FrameWriter(), FrameReader(frames.TO_SHELL)
        self._waiting: list[Frame] = []
        self._asked: dict[int, Answer] = {}
        self._unanswered: int | None = None
        self.is_connected = True
        endpoints = make_platform(wire.scene, wire.parameters).endpoints()
        self.shell = Shell(wire.parameters, endpoints, self.send, self._ask, self.now())
        self.desk = ShellReception(self)
        wire.events.on_desk(self.desk.desk, wire.events.watch_apart(), is_apart=True)

    def start(self, phase_s: float) -> None:
        """Activate, and ask the guard for its figures once a second."""
        super().start(phase_s)
        self.process.every(HEALTH_S, phase_s, self._ask_for_figures)

    def _ask_for_figures(self) -> None:
        self.send(frames.AskHealth())

    def activate(self) -> None:
        """Send the guard its parameters."""
        self.send(
            frames.Activate(
                platform=self._wire.scene.platform,
                platform_path="",
                interface=flat_values(self.parameters),
                platform_values=flat_values(platform_parameters(self._wire.scene)),
                session=self.shell.safety_side.session(),
            )
        )
        self.shell.activated(self.now())

    def connect_again(self, to_guard: Callable[[bytes], None]) -> None:
        """Another guard listens (guard/link.py)."""
        self._to_guard = to_guard
        self._writer, self._reader = FrameWriter(), FrameReader(frames.TO_SHELL)
        self._waiting, self._asked, self.is_connected = [], {}, True

    def send(self, payload: frames.Payload) -> int:
        """Send a frame; returns its counter."""
        counter, data = self._writer.write(payload, self.now())
        self._to_guard(data)
        return counter

    def ask(self, payload: frames.Payload, answer: Answer) -> None:
        """Send a request; the guard's answer comes later."""
        self._asked[self.send(payload)] = answer

    def answer_later(self, answer: Answer) -> bool:
        """Whether the guard was just asked: then `answer` hears its answer."""
        asked, self._unanswered = self._unanswered, None
        if asked is not None:
            self._asked[asked] = answer
        return asked is not None

    def _ask(self, payload: frames.Payload) -> frames.Answer:
        self._unanswered = self.send(payload)
        return frames.Answer(0, False, "asked", Mode.MANUAL)

    # ---- input -----------------------------------------------------------------------------------

    def on_command(self, command: Command) -> None:
        """A command of the stack."""
        now, level = self.now(), LEVEL_OF[type(command)]
        stamped = command._replace(stamp_s=self.rounds.received_s(now, level.value))
        selected = self.desk.selected(stamped, now)
        if selected is None:
            return
        if not self.shell.on_command(selected, now):
            return
        self.desk.intake.latest = selected
        if level is self.parameters.level:
            self.rounds.arrived(now)
        self.shell.flush()

    # ---- the guard -------------------------------------------------------------------------------

    def on_frame(self, data: bytes) -> None:
        """A frame of the guard; the next poll processes it."""
        frame = self._reader.read(data, self.now())
        if not isinstance(frame, Frame):
            return
        payload = frame.payload
        if isinstance(payload, frames.Answer):
            answer = self._asked.pop(payload.request, None)
            if answer is not None:
                answer(payload.success, payload.text)
            return
        self._waiting.append(frame)

    def poll(self, now: float) -> None:
        """Process the guard's frames."""
        waiting, self._waiting = self._waiting, []
        for frame in waiting:
            payload = frame.payload
            if isinstance(payload, frames.Report):
                self.shell.on_report(payload)
            elif isinstance(payload, frames.Output):
                self.shell.on_output(payload, now)
                self.report(payload.notices)
            elif isinstance(payload, frames.Status):
                self.shell.safety_side.on_status(payload, frame.sent_s)
            elif isinstance(payload, frames.Health):
                self.shell.vehicle_side.on_health(payload)
        if not self.is_connected or self.shell.guard_is_silent(now):
            self.shell.on_guard_lost()

    def tick(self, now: float) -> None:
        """One period: run controller and filter, send their results to the guard."""
        self.desk.tick(now)
        self.shell.tick(now)


class ShellReception(Reception):
    """A desk whose requests of a mode go to the guard."""

    def __init__(self, stage: ShellStage) -> None:
        shell = stage.shell
        super().__init__(stage, shell.safety_side, shell.motion, shell.deliver, shell.override)
        self._shell = stage

    def request_mode(self, engage: bool, now: float, answer: Answer) -> None:
        """Ask the guard."""
        self._shell.ask(frames.ChangeMode(engage), answer)

    def _on_mode_answer(self, request: ModeRequest, success: bool, reason: str) -> None:
        """What the guard is asked it answers later; what the desk refuses is answered now."""
        answer = partial(super()._on_mode_answer, request)
        if not self._shell.answer_later(answer):
            answer(success, reason)


class Guarded(Composition):
    """Two processes."""

    def start(self) -> None:
        """Start the guard, then the shell, which activates it."""
        self._start_guard()
        self.safety = self.new_process("shell")
        self._start_shell()
        self._run_shell()

    def _start_guard(self) -> None:
        self.sender = self.new_process("interface")
        self.guard = GuardProcess(self.wire, self.sender)
        self.guard.start(self.phase_s())

    def end_guard(self, how: str) -> Process:
        """The guard is killed; returns it. Without memory it ends with its last, safe command."""
        if how == NO_MEMORY and self.sender.is_running:
            self.wire.send(self.guard.guard.stop(self.sender.clock.now()))
        self.sender.end()
        self.stage.is_connected = False
        return self.sender

    def restart_guard(self) -> None:
        """Start another guard; the shell, if it runs, connects to it and activates it."""
        self.wire.take()  # the kernel discards what waited in the socket
        self._start_guard()
        if not self.safety.is_alive:
            return
        to_guard = FrameLink(self.agenda, self.sender.inbox(self.guard.on_frame, FRAMES_N))
        self.stage.connect_again(to_guard.send)
        self._connect()

    def _start_shell(self) -> None:
        to_guard = FrameLink(self.agenda, self.sender.inbox(self.guard.on_frame, FRAMES_N))
        self.stage = ShellStage(self.wire, self.safety, to_guard.send)
        self.desk = self.stage.desk
        self.commands = (self.safety.inbox(self.stage.on_command, 1),)
        self.open_requests()

    def _run_shell(self) -> None:
        self._connect()
        self.stage.start(self.phase_s())

    def _connect(self) -> None:
        to_shell = FrameLink(self.agenda, self.safety.inbox(self.stage.on_frame, FRAMES_N))
        self.guard.to_shell = to_shell.send
        self.guard.connect()
        self.stage.activate()

    def end_safety(self) -> None:
        """The shell is killed; the kernel closes its connection."""
        self.safety.end()
        self.guard.disconnect()

    def end_for_memory(self) -> None:
        """The shell ends; the guard holds the car."""
        self.end_safety()

    def restart_safety(self, *, hears_after_s: float, is_heard_after_s: float) -> None:
        """Start another shell; a local socket needs no discovery."""
        del hears_after_s, is_heard_after_s
        before = self.stage
        self.safety = self.new_process("shell")
        self._start_shell()
        # As ros/safety_port.py: before it connects, so that a new guard is told the session, too.
        self.stage.shell.safety_side.resume(before.shell.safety_side.session())
        self._run_shell()
        self.desk.restore(before.desk.latches)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The processes that report to people: the shell, for the guard too."""
        return (self.stage,)

    def status(self) -> SafetyStatus:
        """The status as the shell publishes it."""
        return self.stage.shell.safety_side.status(self.stage.now())

    def complaints(self) -> Iterator[str]:
        """Say what the status names as wrong now, and what a guard without a shell logs."""
        yield from super().complaints()
        yield from (notice.text for notice in self.guard.logged)

    def link_statistics(self) -> Mapping[str, float]:
        """Figures of the link to the vehicle, by name, as the shell knows them."""
        return self.stage.shell.vehicle_side.link_statistics(self.stage.now())

    @property
    def roots(self) -> tuple[object, ...]:
        """The product's objects."""
        return (self.guard.guard, self.stage.shell, self.stage.desk.desk)

    def state_report(self) -> StateReport | None:
        """The report of the body as the shell publishes it."""
        return self.stage.shell.vehicle_side.state_report()

    @property
    def shown_mode(self) -> str:
        """The mode as the shell publishes it."""
        return self.stage.shell.vehicle_side.mode.name
