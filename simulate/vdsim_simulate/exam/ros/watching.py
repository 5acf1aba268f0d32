"""Hears a simulated drive as the page and the doctor hear a running one.

    SingleStage -> SafetyStatusPublisher, control_source, state_report, command_trace -> Heard

The messages are those of the shipped publishers and conversions; only DDS is not part of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from builtin_interfaces.msg import Time
from vdsim_interface.extras.doctor.examine import all_answers, examine
from vdsim_interface.extras.doctor.ros.hearing import PLANT
from vdsim_interface.extras.doctor.snapshot import Snapshot
from vdsim_interface.pipeline.trace import trace_of
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.control_source import stamped_control_message
from vdsim_interface.ros.messages.conversions import state_report_message
from vdsim_interface.ros.messages.trace import trace_message
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.publishers.safety_status import SafetyStatusPublisher
from vdsim_interface.ros.ros_time import RosTime
from vdsim_interface.ros.stage_node import StageNode
from vdsim_plant_node.ros.messages import diagnostics_message
from vdsim_protocol.why import Answer, explained
from vdsim_protocol.why.evidence import Evidence
from vdsim_protocol.why.heard import Heard
from vdsim_protocol.why.messages import body_of, in_control_of, status_of, way_of

from vdsim_msgs.msg import VehicleOdometry
from vdsim_simulate.exam.graph import COMMANDS, FITS, NAMESPACE
from vdsim_simulate.exam.marks import fits, is_silent
from vdsim_simulate.exam.pairs import HEALTHY_S, SETTLES_S
from vdsim_simulate.exam.question import Question
from vdsim_simulate.exam.room import Room
from vdsim_simulate.scene import ENGAGES_S, Scene
from vdsim_simulate.wiring.single import Single, SingleStage

PERIOD_S = 0.1
DIAGNOSED_S = 1.0
WINDOW_S = 2.0
"""The doctor counts what arrives for so long [s]."""


class _Node:
    """What SafetyStatusPublisher needs of its node; what it publishes is heard here."""

    def __init__(self, stage: SingleStage, watch: Watch) -> None:
        self.parameters = stage.parameters
        self.ros_time = RosTime(lambda: 0, lambda: 0)
        self._watch = watch

    def create_checked_publisher(self, *_: object) -> _Node:
        """The node is its only publisher."""
        return self

    def publish(self, message: Any) -> None:
        """A safety_status."""
        self._watch.heard.on_status(status_of(message), self._watch.now)
        self._watch.tell("safety_status", message)


class Watch:
    """Hears the interface of a room. Make it before the room runs."""

    def __init__(self, room: Room) -> None:
        assert isinstance(room.interface, Single)
        self._room, self._stage = room, room.interface.stage
        self.heard = Heard(NAMESPACE, PLANT)
        self.listeners: list[Callable[[str, Any, float], None]] = []
        """Each takes what is published: topic (below the namespace, or from / on), message, time of
        the world [s]."""
        node = cast(StageNode, _Node(self._stage, self))
        self._status = SafetyStatusPublisher(node, OutputParameters())
        self._stage.listeners.append(lambda notices, now: self._status.remember(notices, now))
        room.stack_process.every(PERIOD_S, 0.0, self._hear)
        room.stack_process.every(DIAGNOSED_S, 0.0, self._diagnose)

    @property
    def now(self) -> float:
        """The time of the world [s]."""
        return self._room.agenda.now

    def tell(self, topic: str, message: Any) -> None:
        """A message is published."""
        for listener in self.listeners:
            listener(topic, message, self.now)

    def _diagnose(self) -> None:
        """The simulated car's lines of /diagnostics; its node has a clock that never stands."""
        if self._room.car_process.is_running:
            snapshot = self._room.plant_car.server.snapshot()
            self.tell(topics.DIAGNOSTICS, diagnostics_message(snapshot, Time(), PLANT))

    def _hear(self) -> None:
        stage = self._stage
        if not stage.process.is_running or not stage.process.is_alive:
            return
        pipeline, now = stage.pipeline, stage.now()
        self._status.publish_if_due(pipeline.safety_side.status(now), now)
        mux = stage.desk.intake.status(now)
        control = stamped_control_message(mux, now, now)
        self.heard.on_control(in_control_of(control), self.now)
        self.tell("control_source", control)
        report = pipeline.vehicle_side.state_report()
        if report is not None:
            body = state_report_message(report, now)
            self.heard.on_body(body_of(body))
            self.tell("state_report", body)
        if self._room.record.car:
            speed_mps = self._room.record.car[-1].vx_mps
            self.heard.on_speed(speed_mps, self.now)
            self.tell("odometry", VehicleOdometry(velocity_mps=speed_mps))
        if stage.output is not None:
            trace = trace_message(trace_of(stage.output), 0)
            self.heard.on_way(way_of(trace), self.now)
            self.tell("command_trace", trace)

    def evidence(self) -> Evidence:
        """As the page sees it."""
        samples = self._room.record.car
        return self.heard.evidence(
            self.now,
            speed_mps=samples[-1].vx_mps if samples else None,
            is_paused=self._room.plant_car.server.paused,
        )

    def graph(self) -> Snapshot:
        """As the doctor sees it, before a question changes it."""
        since_s = self.now - WINDOW_S
        count = sum(time_s > since_s for time_s in self._room.commands_s)
        return replace(FITS, received=(replace(COMMANDS, count=count, window_s=WINDOW_S),))


def room_of(question: Question) -> tuple[Room, Watch]:
    """The room of a question, with its cause planted."""
    room = Room(question.scene, question.engages_s)
    watch = Watch(room)
    if question.act is not None:
        act = question.act
        room.agenda.at(question.planted_s, lambda: act(room))
    return room, watch


def page_answer(watch: Watch) -> Answer:
    """What the page shows now."""
    return explained(watch.evidence())


def doctor_answers(question: Question) -> tuple[Answer, ...]:
    """What `vdsim_why` answers, and every other cause that holds."""
    if question.is_doctored:
        assert question.change is not None
        snapshot = replace(question.change(FITS), evidence=(Evidence(namespace=NAMESPACE),))
    else:
        room, watch = room_of(question)
        room.agenda.run_until(question.asked_s)
        snapshot = watch.graph() if question.change is None else question.change(watch.graph())
        snapshot = replace(snapshot, evidence=(watch.evidence(),))
    return all_answers(snapshot, examine(snapshot))[0]


def latest_right_s(question: Question) -> float:
    """From when a cause holds until the page names it, and goes on to [s]; infinite: it does not.

    The cause begins when it is planted; one of the scene itself has no such moment.
    """
    room, watch = room_of(question)
    named_s = math.inf
    time_s = question.planted_s
    while time_s < question.asked_s:
        time_s += PERIOD_S
        room.agenda.run_until(time_s)
        if not fits(question.key, page_answer(watch)):
            named_s = math.inf
        elif math.isinf(named_s):
            named_s = time_s - question.planted_s
    return named_s


def named_in(scene: Scene, until_s: float = HEALTHY_S) -> list[tuple[float, Answer]]:
    """Every cause that the page names in a healthy drive, with the moment [s]."""
    room = Room(scene, ENGAGES_S)
    watch = Watch(room)
    found: list[tuple[float, Answer]] = []
    time_s = ENGAGES_S + SETTLES_S
    while time_s < until_s:
        room.agenda.run_until(time_s)
        answer = page_answer(watch)
        if not is_silent(answer) and (not found or found[-1][1].cause != answer.cause):
            found.append((time_s, answer))
        time_s += PERIOD_S
    return found
