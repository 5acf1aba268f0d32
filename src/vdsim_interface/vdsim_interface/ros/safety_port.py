"""The stack's side of a node: requests, cabin, driver switch, change_mode in; status out.

The node that holds a SafetySide, alone or in a Pipeline, or that stands for the guard's, owns one.
"""

from __future__ import annotations

import math
from typing import Protocol

from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import Bool

from vdsim_interface.arbitration.mode_twin import TwinAnswer
from vdsim_interface.pipeline.desk import Desk, DeskSide
from vdsim_interface.ros import topics
from vdsim_interface.ros.command_topics import COMMANDS
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.modes.change_mode import ModeAuthority, answer_change_mode
from vdsim_interface.ros.modes.twin import Finish, TwinTopics
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.process.session_record import NO_LATCHES, SessionRecord, record_path
from vdsim_interface.ros.publishers.command_health import CommandHealth
from vdsim_interface.ros.publishers.installed_lines import installed_lines
from vdsim_interface.ros.publishers.safety_status import SafetyStatusPublisher
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.values import (
    CabinState,
    Notice,
    SafetyStatus,
    Session,
    notice_kinds,
)
from vdsim_msgs.msg import CabinState as CabinStateMsg
from vdsim_msgs.msg import VehicleStateCommand
from vdsim_msgs.srv import ChangeMode

COUNT_EVERY_S = 0.2
"""How often the publishers of required inputs are counted [s]."""
ENDS_AUTONOMY = frozenset({ChangeMode.Request.REQUEST_DISENGAGE})
OWN_TOPICS = (
    *(command.topic for command in COMMANDS.values()),
    *(topics.STATE_COMMAND, topics.CABIN_STATE, topics.DRIVER_OVERRIDE, topics.NAV_ODOMETRY),
)
"""The topics of the stack's side, of which the line `graph` of /diagnostics looks at the ends."""


class SafetyRequests(ModeAuthority, DeskSide, Protocol):
    """A safety side, in this process or in the guard, as its requests and its status show it."""

    def on_cabin(self, cabin: CabinState, now: float) -> None:
        """Use the state of doors, belts and load."""

    def on_driver_override(self, active: bool, now: float) -> tuple[Notice, ...]:
        """Use the driver's switch."""

    def status(self, now: float) -> SafetyStatus:
        """Return mode, reasons, counts and ages."""

    def blocked(self, now: float) -> str:
        """Return why commands do not pass."""

    def rejected(self, now: float) -> str:
        """Name what arrives instead of commands that could pass."""

    def on_input_publishers(self, cabin_n: int, switch_n: int) -> None:
        """Use how many publishers cabin state and driver switch have."""


class KeepsSession(Protocol):
    """What in this process knows what must outlive it: of both sides, where both are here."""

    def session(self) -> Session:
        """Return what must outlive a crash."""

    def resume(self, session: Session) -> None:
        """Continue where a process that crashed ended."""


class SafetyPort:
    """The topics and the service; `side` processes them and is replaced at each activation.

    `keeper`, replaced with it: of whom the session is kept. `gate`: what the stack's requests pass
    before the side.
    """

    def __init__(
        self,
        node: StageNode,
        output: OutputParameters,
        side: SafetyRequests,
        keeper: KeepsSession,
    ) -> None:
        self._node = node
        self.side, self.keeper = side, keeper
        self.gate: Desk | None = None
        self._status = SafetyStatusPublisher(node, output)
        self._command_health = CommandHealth(node)
        self._installed = installed_lines(node, OWN_TOPICS)
        self._counted_s = -math.inf
        path = record_path(node.get_fully_qualified_name(), output.session_file)
        self._record = SessionRecord(path)
        session = self._record.load()
        if session is not None:
            keeper.resume(session)
            node.get_logger().warning(
                f"the previous process crashed; last driver: {session.last_driver}"
            )
        self.latches = self._record.latches
        """Of the arbiter of a process that crashed."""
        qos = topics.STATE_COMMAND_QOS
        node.create_checked_subscription(
            VehicleStateCommand, topics.STATE_COMMAND, self.on_state, qos
        )
        node.create_checked_subscription(CabinStateMsg, topics.CABIN_STATE, self._on_cabin, qos)
        node.create_checked_subscription(Bool, topics.DRIVER_OVERRIDE, self._on_override, qos)
        node.create_service(ChangeMode, topics.CHANGE_MODE, self.on_change_mode)
        TwinTopics(node, topics.CHANGE_MODE, ENDS_AUTONOMY, self._on_twin_request)

    def on_state(self, message: VehicleStateCommand) -> None:
        """Process a VehicleStateCommand, from its topic or from an adapter in this process."""
        now = self._node.now()
        if self.refuses(message, now):
            return
        if self.gate is not None:
            self.gate.on_stack_state(conversions.state_message(message), now)

    def refuses(self, message: VehicleStateCommand, now: float) -> bool:
        """Whether a message, of any source, requests to engage when that does not count; say so."""
        refusal = self._late_engage(now) if conversions.asks_for_autonomy(message) else ""
        if refusal:
            self._report_refusal(refusal, now)
        return bool(refusal)

    def _report_refusal(self, refusal: str, now: float) -> None:
        self.report((Notice(notice_kinds.ENGAGE_REFUSED, f"engage refused: {refusal}"),), now)

    def _late_engage(self, now: float) -> str:
        """Why a request to engage does not count: it may have waited while we did not run."""
        gate = self.gate
        return self._node.rounds.refuses_engage(now) if gate is None else gate.refuses_engage(now)

    def _on_cabin(self, message: CabinStateMsg) -> None:
        self.side.on_cabin(conversions.cabin_state(message), self._node.now())

    def _on_override(self, message: Bool) -> None:
        now = self._node.now()
        self.report(self.side.on_driver_override(message.data, now), now)

    def on_change_mode(
        self, request: ChangeMode.Request, response: ChangeMode.Response
    ) -> ChangeMode.Response:
        """Answer a request of a mode, from the service or from an adapter in this process."""
        now = self._node.now()
        refusal = self._late_engage(now)
        if refusal and request.request == ChangeMode.Request.REQUEST_ENGAGE:
            response.success, response.reason, response.mode = False, refusal, int(self.side.mode)
            self._report_refusal(refusal, now)
            return response
        self.report(answer_change_mode(self.side, request, response, now), now)
        return response

    def _on_twin_request(self, number: int, finish: Finish) -> None:
        """Answer a request that came by topic as the service would."""
        request, response = ChangeMode.Request(request=number), ChangeMode.Response()
        self.on_change_mode(request, response)
        finish(TwinAnswer(response.success, response.mode, response.reason))

    def report(self, notices: tuple[Notice, ...], now: float) -> None:
        """Log notices, and keep their texts for safety_status."""
        if notices:
            self._status.remember(notices, now)
            self._node.notice_log.write(notices, now)

    def publish_status(self, now: float) -> None:
        """Publish safety_status when it is due, and check who publishes the required inputs."""
        if not 0.0 <= now - self._counted_s < COUNT_EVERY_S:
            self._counted_s = now
            self._count_publishers()
        latches = NO_LATCHES if self.gate is None else self.gate.latches
        self._record.keep(self.side.mode, now, self.keeper.session, latches)
        self._status.publish_if_due(self.side.status(now), now)

    def end_session(self) -> None:
        """A normal end: the next process knows nothing of this one; a failure is a crash."""
        if not self._node.has_failed:
            self._record.discard()

    def _count_publishers(self) -> None:
        safety = self._node.parameters.safety
        if safety.cabin_required or safety.driver_switch_required:
            count = self._node.count_publishers
            self.side.on_input_publishers(count(topics.CABIN_STATE), count(topics.DRIVER_OVERRIDE))

    def health(self, now: float) -> list[DiagnosticStatus]:
        """The lines of /diagnostics: ours, and those of installed parts; for about 1 Hz."""
        side = self.side
        return [
            *self._command_health.lines(side.status(now), side.blocked(now), side.rejected(now)),
            *(each.line() for each in self._installed),
        ]
