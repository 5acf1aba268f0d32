"""Composition `single`: the whole interface in one process (nodes/vehicle_interface.py)."""

from __future__ import annotations

from collections.abc import Mapping

from vdsim_interface.pipeline.output import PipelineOutput
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.values import LEVEL_OF, Command, SafetyStatus, Session, StateReport
from vdsim_record.tape.taping import Taping

from vdsim_simulate.agenda import Process
from vdsim_simulate.wiring.composition import Composition, Wire
from vdsim_simulate.wiring.desk import Reception
from vdsim_simulate.wiring.shipped import capabilities_of, make_platform
from vdsim_simulate.wiring.stage import Stage


class SingleStage(Stage):
    """Wraps a Pipeline. `session`: of a process that has crashed."""

    def __init__(self, wire: Wire, process: Process, session: Session | None) -> None:
        super().__init__(wire.parameters, process)
        self._wire = wire
        self._taping: Taping | None = None
        self.pipeline = self._made()
        if session is not None:
            # As the node: the pipeline of configuring reads it, and the activation makes another.
            configured = self.pipeline
            configured.resume(session)
            self.pipeline = self._made()
            self.pipeline.restore_from(configured)
        self.output: PipelineOutput | None = None
        pipeline = self.pipeline
        watch = wire.events.watch()
        watch.of_pipeline(pipeline)
        self.desk = Reception(
            self, pipeline.safety_side, pipeline.motion, pipeline.on_command, pipeline.override
        )
        wire.events.on_desk(self.desk.desk, watch)

    def _made(self) -> Pipeline:
        scene, parameters, tapes = self._wire.scene, self._wire.parameters, self._wire.tapes
        platform = make_platform(scene, parameters)
        made = Pipeline(parameters, platform, capabilities_of(scene))
        if tapes is not None:
            self._taping = tapes.of_pipeline(made, scene, parameters, self._taping)
        return made

    def on_command(self, command: Command) -> None:
        """A command of the stack."""
        now, level = self.now(), LEVEL_OF[type(command)]
        stamped = command._replace(stamp_s=self.rounds.received_s(now, level.value))
        selected = self.desk.selected(stamped, now)
        if selected is None:
            return
        notices = self.pipeline.on_command(selected, now)
        if not notices:
            self.desk.intake.latest = selected
        self.report(notices)
        if level is self.pipeline.safety_side.level:
            self.rounds.arrived(now)

    def poll(self, now: float) -> None:
        """Process the datagrams received from the vehicle."""
        self.pipeline.vehicle_side.on_drain(now)
        for data, source in self._wire.take():
            received = self.pipeline.on_datagram(data, source, self._wire.endpoint_of(data), now)
            self.report(received.notices)
            if received.report is not None:
                self._wire.on_state(received.report.vehicle_time_s)

    def tick(self, now: float) -> None:
        """One period: send the command first."""
        self.desk.tick(now)
        self._wire.send(self.pipeline.decide(now))
        self.output = self.pipeline.after_send(now)
        self.report(self.output.notices)

    def restart(self, now: float) -> None:
        """Discard everything received before a backward jump of time; autonomy ends."""
        self.desk.intake.restart()
        self.report(self.pipeline.restart())

    def on_stall(self, stall_s: float, now: float) -> None:
        """Report it; a long one ends autonomy."""
        self.report(self.pipeline.safety_side.on_stall(stall_s))


class Single(Composition):
    """One process."""

    def start(self) -> None:
        """Start the process."""
        self._start_process()

    def _start_process(self, session: Session | None = None) -> None:
        self.sender = self.safety = self.new_process("interface")
        self.stage = SingleStage(self.wire, self.sender, session)
        self.stage.start(self.phase_s())
        self.desk = self.stage.desk
        self.commands = (self.sender.inbox(self.stage.on_command, 1),)
        self.open_requests()

    def restart_safety(self, *, hears_after_s: float, is_heard_after_s: float) -> None:
        """Start another process; its sockets need no discovery."""
        del hears_after_s, is_heard_after_s
        before = self.stage
        self.wire.take()  # the kernel discards what waited in the socket
        # As the record on the disk does (ros/process/session_record.py).
        self._start_process(before.pipeline.session())
        self.desk.restore(before.desk.latches)

    def on_memory(self, why: str) -> None:
        """As the node does."""
        self.stage.report(self.stage.pipeline.safety_side.on_process_fault(why))

    def end_for_memory(self) -> None:
        """A call finds no memory: the process sends its last, safe command and ends."""
        self.wire.send(self.stage.pipeline.stop(self.stage.now()).datagrams)
        self.end_safety()

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The processes that report to people."""
        return (self.stage,)

    def status(self) -> SafetyStatus:
        """The status as it is published."""
        return self.stage.pipeline.safety_side.status(self.stage.now())

    def link_statistics(self) -> Mapping[str, float]:
        """Figures of the link to the vehicle, by name."""
        return self.stage.pipeline.vehicle_side.link_statistics(self.stage.now())

    @property
    def roots(self) -> tuple[object, ...]:
        """The product's objects."""
        return (self.stage.pipeline, self.stage.desk.desk)

    def state_report(self) -> StateReport | None:
        """The report of the body as it is published."""
        return self.stage.pipeline.vehicle_side.state_report()

    @property
    def shown_mode(self) -> str:
        """The mode as it is published."""
        return self.stage.pipeline.vehicle_side.mode.name
