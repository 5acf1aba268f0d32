"""ROS node command_mux: `<source>/..._command` in, the interface's command topics out.

Time-outs use the steady clock: pausing a simulation neither times a source out nor revives it.
The latches of a process that was killed are those of the next one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from vdsim_interface.arbitration.mux import CommandMux, MuxOutput
from vdsim_interface.arbitration.parameters import (
    DEFAULT_LOCKS,
    DEFAULT_SOURCES,
    LockParameters,
    LockSpec,
    MuxParameters,
    SourceParameters,
    SourceSpec,
)
from vdsim_interface.extras.mux.rivals import Rivals
from vdsim_interface.extras.mux.ros.command_level_sync import CommandLevelSync
from vdsim_interface.extras.ros.fixed_parameters import declare_names, declare_part, seal
from vdsim_interface.pipeline.stall_watch import StallWatch, stale_stop
from vdsim_interface.pipeline.step_clock import did_not_run
from vdsim_interface.ros import topics
from vdsim_interface.ros.command_topics import (
    COMMANDS,
    CommandPublishers,
    source_topic,
    subscribe_to_commands,
)
from vdsim_interface.ros.graph import publisher_names
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.messages.control_source import stamped_control_message
from vdsim_interface.ros.messages.message_info import Info, sender, sent_ago_s, with_info
from vdsim_interface.ros.messages.status import ERROR, OK, diagnostic, diagnostics
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_interface.ros.process.session_record import SessionRecord, record_path
from vdsim_interface.values import Command, Notice, Session, notice_kinds
from vdsim_interface.values.notice_log import NoticeLog
from vdsim_msgs.msg import (
    ControlSource,
    VehicleOdometry,
    VehicleStateCommand,
    VehicleStateReport,
)

EXTENSIONS = "vdsim_interface.command_mux"
"""Entry points of what else the node listens to: each declares its parameters, then begins."""
_STATUS_PERIOD_S = 0.1
_RIVAL_CHECK_PERIOD_S = 1.0
_NOBODY = Session("", {})
"""The mux drives nothing: of a session it keeps the latches alone."""
_OUTPUTS = (*(command.topic for command in COMMANDS.values()), topics.STATE_COMMAND)


class CommandMuxNode(CheckedNode, Node):
    """Subscriptions of every source and lock, one mux, the interface's command topics."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """`now`: the clock of ages and time-outs [s]."""
        super().__init__("command_mux")
        self._now = now
        parameters = declare(self, MuxParameters())
        sources = tuple(
            SourceSpec(
                name, declare_part(self, name, DEFAULT_SOURCES.get(name, SourceParameters()))
            )
            for name in declare_names(self, "sources", list(DEFAULT_SOURCES))
        )
        locks = tuple(
            LockSpec(name, declare_part(self, name, DEFAULT_LOCKS.get(name, LockParameters())))
            for name in declare_names(self, "locks", list(DEFAULT_LOCKS))
        )
        extensions = [point.load()(self) for point in entry_points(group=EXTENSIONS)]
        seal(self)
        self.mux = CommandMux(sources, locks, parameters)
        self._stalls = StallWatch(
            1.0 / parameters.output_rate_hz,
            min((source.parameters.timeout_s for source in sources), default=0.0),
        )
        lowest = next(reversed(self.mux.sources), "SOURCE")
        self._record = SessionRecord(
            record_path(self.get_fully_qualified_name(), parameters.session_file)
        )
        if self._record.load() is not None:
            self.mux.restore(self._record.latches)
        self._rivals = Rivals(self.get_fully_qualified_name(), free_source=lowest)
        self._log = NoticeLog(self.get_logger())
        self._published: tuple[object, ...] = ()
        self._published_at = 0.0
        self._commands = CommandPublishers(self, "")
        self._level = CommandLevelSync(self, parameters.interface_node)
        self._state = self.create_publisher(
            VehicleStateCommand, topics.STATE_COMMAND, topics.STATE_COMMAND_QOS
        )
        self._control = self.create_publisher(
            ControlSource, topics.CONTROL_SOURCE, topics.REPORT_QOS
        )
        self._diagnostics = self.create_publisher(
            DiagnosticArray, topics.DIAGNOSTICS, topics.RELIABLE_QOS
        )
        self._subscribe()
        for begin in extensions:
            begin()
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_RIVAL_CHECK_PERIOD_S, self._check_rivals, clock=steady)
        self.create_timer(1.0 / parameters.output_rate_hz, self._on_tick, clock=steady)

    def _subscribe(self) -> None:
        for name in self.mux.sources:
            subscribe_to_commands(self, name, self._on_command, self._now)
            self.create_subscription(
                VehicleStateCommand,
                source_topic(name, topics.STATE_COMMAND),
                partial(self._on_state_command, name),
                topics.STATE_COMMAND_QOS,
            )
        for name in self.mux.locks:
            self.create_subscription(
                Bool,
                source_topic(name, topics.LOCK),
                partial(self._on_lock, name),
                topics.STOP_QOS,
            )
        self.create_subscription(
            Bool, topics.EMERGENCY_STOP, with_info(self._on_emergency_stop), topics.STOP_QOS
        )
        self.create_service(Trigger, topics.GIVE_BACK, self._on_give_back)
        self.create_subscription(
            VehicleOdometry, topics.ODOMETRY, self._on_odometry, topics.SENSOR_QOS
        )
        self.create_subscription(
            VehicleStateReport, topics.STATE_REPORT, self._on_state_report, topics.REPORT_QOS
        )

    def _on_command(self, name: str, command: Command) -> None:
        now = self._now()
        self._look(now)
        if self._stalls.received_s(now, name) < now:
            return  # It waited while this process did not run: passed on, it would count as fresh.
        self._publish(self.mux.on_command(name, command, now))

    def _on_state_command(self, name: str, message: VehicleStateCommand) -> None:
        now = self._now()
        self._look(now)
        refusal = self._stalls.refusal(now) if conversions.asks_for_autonomy(message) else ""
        if refusal:
            text = f"{name}: engage refused: {refusal}"
            self._log.write((Notice(notice_kinds.ENGAGE_REFUSED, text),), now)
            return
        self._publish(self.mux.on_state_command(name, conversions.state_message(message), now))

    def _look(self, now: float) -> None:
        """Check whether this process has run."""
        stall_s = self._stalls.look(now)
        if stall_s:
            self._log.write((Notice(notice_kinds.TICK_OVERRUN, did_not_run(stall_s)),), now)

    def _on_lock(self, name: str, message: Bool) -> None:
        self._publish(self.mux.on_lock(name, message.data, self._now()))

    def _on_emergency_stop(self, message: Bool, info: Info) -> None:
        """True stops; False resets nothing, whoever sends it: that is for give_back."""
        now = self._now()
        self._look(now)
        why = self._stalls.refuses_stop(now, sent_ago_s(info)) if message.data else ""
        if why:
            self._log.write((stale_stop(why),), now)
        elif message.data:
            who = sender(self, topics.EMERGENCY_STOP)
            self._publish(self.mux.emergency_stop(who, now))

    def _on_give_back(
        self, request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        who = f"service {topics.GIVE_BACK}"
        response.success, response.message, output = self.mux.give_back(who, self._now())
        self._publish(output)
        return response

    def _on_odometry(self, message: VehicleOdometry) -> None:
        now = self._now()
        self.mux.on_odometry(conversions.odometry_value(message, now), now)

    def _on_state_report(self, message: VehicleStateReport) -> None:
        state = conversions.state_report_value(message)
        if state is not None:
            self.mux.on_state_report(state)

    def _on_tick(self) -> None:
        now = self._now()
        self._look(now)
        self._publish(self.mux.tick(now))
        self._publish_control()
        self._record.keep(None, now, lambda: _NOBODY, self.mux.latches)

    def end(self) -> None:
        """A normal end: the next process knows nothing of this one."""
        self._record.discard()

    def _publish(self, output: MuxOutput) -> None:
        if output.command is not None:
            self._level.update(output.command)
            self._commands.publish(output.command)
        if output.state_command is not None:
            stamp_s = self.get_clock().now().nanoseconds * 1e-9
            self._state.publish(conversions.state_message_message(output.state_command, stamp_s))
        self._log.write(output.notices, self._now())

    def _check_rivals(self) -> None:
        """At 1 Hz: report nodes that publish on the mux's topics; they bypass it."""
        publishers = {topic: publisher_names(self, topic) for topic in _OUTPUTS}
        self._log.write(self._rivals.update(publishers), self._now())
        rivals = self._rivals.summary
        line = diagnostic(
            "output topics",
            ERROR if rivals else OK,
            rivals or "no other publishers",
            {topic: ", ".join(names) for topic, names in publishers.items()},
            node=self.get_name(),
        )
        stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(diagnostics([line], stamp, self.get_namespace(), ""))

    def _publish_control(self) -> None:
        """Publish control_source at 10 Hz and on every change."""
        now = self._now()
        mux, rivals = self.mux, self._rivals.summary
        latches = (mux.waits_because, mux.emergency)
        facts = (mux.state, mux.in_control, mux.since, mux.hand_over.active, latches, rivals)
        if facts == self._published and now - self._published_at < _STATUS_PERIOD_S:
            return
        self._published, self._published_at = facts, now
        clock_s = self.get_clock().now().nanoseconds * 1e-9
        message = stamped_control_message(mux, now, clock_s)
        message.reason = "; ".join(filter(None, (message.reason, rivals)))
        self._control.publish(message)


def main() -> None:
    """Console entry."""
    sys.exit(run("command_mux", lambda: [CommandMuxNode()]))
