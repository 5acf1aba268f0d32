"""Composition `processes`: each stage a process of its own, with topics between them.

Values cross the topics as they are; the conversion into messages and back is not part of this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from vdsim_interface.controller.controller import VelocityController
from vdsim_interface.extras.stages.front_stage import FrontStage
from vdsim_interface.extras.stages.safety_stage import SafetyStage
from vdsim_interface.extras.stages.staged_vehicle import SAFETY_SILENT, StagedVehicleSide
from vdsim_interface.filter.low_pass import LowPassFilter
from vdsim_interface.values import (
    LEVEL_OF,
    Command,
    ControlLevel,
    HighLevelCommand,
    Notice,
    Parked,
    SafeCommand,
    SafetyStatus,
    StateReport,
    VehicleCommand,
    VehicleFeedback,
)

from vdsim_simulate.agenda import Process
from vdsim_simulate.network import Topic
from vdsim_simulate.wiring.composition import NO_MEMORY, Composition, Wire
from vdsim_simulate.wiring.desk import Reception
from vdsim_simulate.wiring.shipped import capabilities_of, make_platform
from vdsim_simulate.wiring.stage import Stage

FEEDBACK_N = 10
Publish = Callable[[Any], None]


class Front(Stage):
    """A stage before the safety stage (velocity_controller, low_pass_filter)."""

    def __init__(
        self, wire: Wire, process: Process, core: Any, publish: Publish, *, is_first: bool
    ) -> None:
        super().__init__(wire.parameters, process)
        self.core = core
        self._stage: FrontStage[Any] = FrontStage(core.step, wire.parameters.period_s)
        self._publish = publish
        self._is_first = is_first

    def restart(self, now: float) -> None:
        """Discard what was received before a backward jump of time."""
        self._stage.restart()

    def on_command(self, command: Command) -> None:
        """A command that the safety stage passes on, or of the stage before; both stamp it."""
        now = self.now()
        if self._is_first:
            received_s = self.rounds.received_s(now, LEVEL_OF[type(command)].value)
            command = command._replace(stamp_s=min(received_s, command.stamp_s))
        if self._stage.on_command(command):
            self.rounds.arrived(now)

    def tick(self, now: float) -> None:
        """Run the periods that are due."""
        for command in self._stage.results(now):
            self._publish(command)


class Safety(Stage):
    """Wraps a SafetyStage (extras/stages/nodes/safety_state_machine.py)."""

    def __init__(self, wire: Wire, process: Process, publish: Publish, select: Publish) -> None:
        super().__init__(wire.parameters, process)
        rear_steering = capabilities_of(wire.scene).rear_steering
        self.core = SafetyStage(wire.parameters, rear_steering=rear_steering)
        self._publish, self._select = publish, select
        core, self._events = self.core, wire.events
        watch = wire.events.watch()
        watch.of_stage(core)
        self.desk = Reception(self, core.side, core.motion, self._use, core.override)
        wire.events.on_desk(self.desk.desk, watch)

    def on_command(self, command: Command) -> None:
        """A command of the stack."""
        now, level = self.now(), LEVEL_OF[type(command)]
        stamped = command._replace(stamp_s=self.rounds.received_s(now, level.value))
        selected = self.desk.selected(stamped, now)
        if selected is None:
            return
        notices = self._use(selected, now)
        self.report(notices)
        if not notices:
            self.desk.intake.latest = selected

    def _use(self, command: Command, now: float) -> tuple[Notice, ...]:
        notices = self.core.on_command(command, now)
        if not notices:
            self._select(command)
        return notices

    def on_filtered(self, command: VehicleCommand) -> None:
        """The filter's output."""
        if self.core.on_filtered(command):
            self.rounds.arrived(self.now())

    def on_feedback(self, feedback: VehicleFeedback) -> None:
        """What the vehicle reports."""
        now = self.now()
        self.rounds.look(now)
        self.report(self.core.on_feedback(feedback, now))

    def tick(self, now: float) -> None:
        """Run the periods that are due."""
        self.desk.tick(now)
        for safe, notices in self.core.results(now):
            self.report(notices)
            self._events.on_safe(safe)
            self._publish(safe)

    def restart(self, now: float) -> None:
        """Discard what was received before a backward jump of time; autonomy ends."""
        self.desk.intake.restart()
        self.report(self.core.side.restart())

    def on_stall(self, stall_s: float, now: float) -> None:
        """Report it; a long one ends autonomy."""
        self.report(self.core.side.on_stall(stall_s))


class PlatformStage(Stage):
    """Wraps a StagedVehicleSide (extras/stages/nodes/platform_interface.py)."""

    def __init__(self, wire: Wire, process: Process, publish: Publish, odometry: Publish) -> None:
        super().__init__(wire.parameters, process)
        self._wire = wire
        self.side = self._made()
        self._publish, self._odometry = publish, odometry
        self._hears = False
        wire.on_hearing(False)

    def _made(self) -> StagedVehicleSide:
        scene, parameters = self._wire.scene, self._wire.parameters
        platform = make_platform(scene, parameters)
        return StagedVehicleSide(parameters, platform, capabilities_of(scene))

    def resume(self, parked: Parked) -> None:
        """As the node: the side that it begins with resumes, and the activation makes another."""
        self.side.resume(parked)
        made = self._made()
        made.restore_from(self.side)
        self.side = made

    def restart(self, now: float) -> None:
        """Discard what was received before a backward jump of time; send our own stop."""
        self.report(self.side.restart())

    def on_safe(self, safe: SafeCommand) -> None:
        """The safety stage's command."""
        if not self._hears:
            self._hears = True
            self._wire.on_hearing(True)
        self.side.on_safe_command(safe, safe.stamp_s)
        self.rounds.arrived(self.now())

    def poll(self, now: float) -> None:
        """Process the datagrams received from the vehicle."""
        self.side.on_drain(now)
        for data, source in self._wire.take():
            received = self.side.on_datagram(data, source, self._wire.endpoint_of(data), now)
            self.report(received.notices)
            if received.report is not None and self.side.feedback is not None:
                self._wire.on_state(received.report.vehicle_time_s)
                self._publish(self.side.feedback)

    def tick(self, now: float) -> None:
        """One period: send the command, publish the motion."""
        side = self.side
        self._wire.send(side.encode_latest(now).datagrams)
        again = side.repeated_feedback(now)
        if again is not None:
            self._publish(again)
        if side.sent is not None:
            side.compare(side.sent.command)
        self.report(side.watch_link(now))
        report = side.report
        if report is not None and side.state_report() is not None:
            self._odometry(report.odometry())


class Processes(Composition):
    """Two to four processes and their topics."""

    def start(self) -> None:
        """Start every process, each after all to which it listens."""
        self._is_high = self.wire.parameters.level is ControlLevel.HIGH_LEVEL
        self.front = (self.new_process("velocity_controller"), self.new_process("low_pass_filter"))
        self._begin_platform()
        self._begin_filter()
        self._begin_controller()
        discovery_s = self.wire.scene.discovery_s
        self.safe_topic.matched_s = discovery_s  # its first command is lost, too
        self._start_safety()
        stages = [self.platform, self._filter, *([self._controller] if self._is_high else [])]
        for stage in stages:
            stage.start(self.phase_s())
        if discovery_s:
            for topic in self._topics:
                topic.matched_s = self._draws.uniform(0.0, discovery_s)

    def _begin_platform(self) -> None:
        self.sender = self.new_process("interface")
        self.platform = PlatformStage(self.wire, self.sender, self._on_report, self._on_odometry)
        self.safe_topic = self._topic(self.sender, self.platform.on_safe, 1)

    def _begin_filter(self) -> None:
        p, process = self.wire.parameters, self.front[1]
        core = LowPassFilter(p.filter, p.period_s, p.command_timeout_s)
        is_first = not self._is_high
        self._filter = Front(self.wire, process, core, self._on_filtered, is_first=is_first)
        self._to_filter = self._topic(process, self._filter.on_command, 1)
        self._safe_to_filter = self._topic(process, self._tell_filter, 1)

    def _begin_controller(self) -> None:
        p, process = self.wire.parameters, self.front[0]
        core = VelocityController(p.controller, p.vehicle, p.period_s, p.command_timeout_s)
        self._controller = Front(self.wire, process, core, self._on_controlled, is_first=True)
        self._to_controller = self._topic(process, self._controller.on_command, 1)
        self._safe_to_controller = self._topic(process, self._tell_controller, 1)
        self._odometry = self._topic(process, core.on_odometry, 1)

    def _start_platform(self) -> None:
        self._begin_platform()
        self.platform.start(self.phase_s())

    def _start_filter(self) -> None:
        self.front = (self.front[0], self.new_process("low_pass_filter"))
        self._begin_filter()
        self._filter.start(self.phase_s())

    def _start_controller(self) -> None:
        self.front = (self.new_process("velocity_controller"), self.front[1])
        self._begin_controller()
        if self._is_high:
            self._controller.start(self.phase_s())

    @property
    def _topics(self) -> list[Topic[Any]]:
        to_front = [self._to_filter, self._safe_to_filter]
        to_front += [self._to_controller, self._safe_to_controller, self._odometry]
        return [self.safe_topic, self.feedback_topic, self._controlled, self._filtered, *to_front]

    def _start_safety(self) -> None:
        """Start the safety stage; its topics find their other ends when the world says so."""
        self.safety = self.new_process("safety")
        self.stage = Safety(self.wire, self.safety, self._on_safe, self._on_selected)
        self.feedback_topic = self._topic(self.safety, self.stage.on_feedback, FEEDBACK_N)
        self._controlled = self._topic(self.safety, self.stage.core.side.on_controlled, 1)
        self._filtered = self._topic(self.safety, self.stage.on_filtered, 1)
        self.desk = self.stage.desk
        self.commands = (self.safety.inbox(self.stage.on_command, 1),)
        self.open_requests()
        self.stage.start(self.phase_s())

    def restart_safety(self, *, hears_after_s: float, is_heard_after_s: float) -> None:
        """Start another safety stage."""
        before, now = self.stage, self.agenda.now
        session, latches = before.core.side.session(), before.desk.latches
        self.safe_topic.matched_s = now + is_heard_after_s  # its first command is lost, too
        self._start_safety()
        # As the record on the disk does (ros/process/session_record.py).
        self.stage.core.side.resume(session)
        self.desk.restore(latches)
        self.feedback_topic.matched_s = now + hears_after_s

    def end_for_memory(self) -> None:
        """The safety stage ends autonomy, sends that, and ends."""
        self.stage.report(self.stage.core.side.stop())
        self.stage.tick(self.stage.now())
        self.end_safety()

    def on_memory(self, why: str) -> None:
        """As the node of the safety stage does."""
        self.stage.report(self.stage.core.side.on_process_fault(why))

    # ---- the other processes -----------------------------------------------------------------

    def end_other(self, name: str, how: str) -> Process:
        """Kill a process that does not decide; returns it. Without memory it ends by itself."""
        process = {"platform": self.sender, "filter": self.front[1], "controller": self.front[0]}
        if name == "platform" and how == NO_MEMORY and self.sender.is_running:
            self.wire.send(self.platform.side.stop(self.platform.now()).datagrams)
        process[name].end()
        return process[name]

    def restart_other(self, name: str, matched_s: Callable[[], float]) -> None:
        """Start another one; each of its topics finds its other end at a time of its own."""
        if name == "platform":
            before = self.platform
            self.wire.take()  # the kernel discards what waited in the socket
            self._start_platform()
            self.platform.resume(before.side.parked)
            topics = [self.safe_topic, self.feedback_topic, self._odometry]
        elif name == "filter":
            self._start_filter()
            topics = [self._to_filter, self._safe_to_filter, self._filtered]
        else:
            self._start_controller()
            topics = [self._to_controller, self._safe_to_controller, self._controlled]
        for topic in topics:
            topic.matched_s = self.agenda.now + matched_s()

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The processes that report to people."""
        front = (self._controller,) if self._is_high else ()
        return (*front, self._filter, self.stage, self.platform)

    def status(self) -> SafetyStatus:
        """The status as the safety stage publishes it."""
        return self.stage.core.side.status(self.stage.now())

    def complaints(self) -> Iterator[str]:
        """Say what status and diagnostics name as wrong now."""
        yield from super().complaints()
        if self.platform.side.safety_is_silent(self.platform.now()):
            yield SAFETY_SILENT

    def link_statistics(self) -> Mapping[str, float]:
        """Figures of the link to the vehicle, by name."""
        return self.platform.side.link_statistics(self.platform.now())

    @property
    def roots(self) -> tuple[object, ...]:
        """The product's objects."""
        return (
            self.stage.core,
            self.stage.desk.desk,
            self.platform.side,
            self._filter.core,
            self._controller.core,
        )

    def state_report(self) -> StateReport | None:
        """The report of the body as it is published."""
        return self.platform.side.state_report()

    @property
    def shown_mode(self) -> str:
        """The mode as it is published."""
        return self.platform.side.mode.name

    # ---- what each stage publishes ---------------------------------------------------------------

    def _topic(self, process: Process, receive: Callable[[Any], None], depth_n: int) -> Topic[Any]:
        return Topic(self.agenda, process.inbox(receive, depth_n))

    def _on_selected(self, command: Command) -> None:
        if isinstance(command, HighLevelCommand):
            self._to_controller.publish(command)
        elif isinstance(command, VehicleCommand) and not self._is_high:
            self._to_filter.publish(command)

    def _on_controlled(self, command: VehicleCommand) -> None:
        self._controlled.publish(command)
        self._to_filter.publish(command)

    def _on_filtered(self, command: VehicleCommand) -> None:
        self._filtered.publish(command)

    def _on_safe(self, safe: SafeCommand) -> None:
        self.safe_topic.publish(safe)
        self._safe_to_filter.publish(safe)
        self._safe_to_controller.publish(safe)

    def _tell_filter(self, safe: SafeCommand) -> None:
        self._filter.core.on_mode(safe.command.mode)

    def _tell_controller(self, safe: SafeCommand) -> None:
        self._controller.core.on_state(safe.command.body.gear, safe.command.mode)

    def _on_report(self, feedback: VehicleFeedback) -> None:
        self.feedback_topic.publish(feedback)

    def _on_odometry(self, odometry: Any) -> None:
        self._odometry.publish(odometry)
