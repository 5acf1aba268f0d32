"""The ROS side of the intake: other sources, locks, emergency stop, give_back in; who drives out.

The node that holds a SafetySide, alone or in a Pipeline, or the guard's shell, owns one. A source
costs nothing until somebody publishes on its topics: only then are they subscribed to.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_share_directory
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.parameter import Parameter
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from vdsim_interface.arbitration.interface_parameters import (
    DASHBOARD,
    STACK,
    ArbitrationParameters,
)
from vdsim_interface.arbitration.mux import ControlState
from vdsim_interface.pipeline.desk import Desk, Ends
from vdsim_interface.pipeline.intake import Intake
from vdsim_interface.pipeline.output import Motion
from vdsim_interface.pipeline.stall_watch import stale_stop
from vdsim_interface.ros import topics
from vdsim_interface.ros.command_topics import COMMANDS, CommandConverter, source_topic
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.messages.control_source import stamped_control_message
from vdsim_interface.ros.messages.joy_wall import JOY_WALL
from vdsim_interface.ros.messages.message_info import Info, sender, with_info
from vdsim_interface.ros.messages.status import ERROR, OK, WARN, diagnostic
from vdsim_interface.ros.safety_port import SafetyPort
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.teleop.mapping_file import load_mapping
from vdsim_interface.values import LEVEL_OF, Command, VehicleCommand
from vdsim_msgs.msg import ControlSource, VehicleStateCommand

_LOOK_PERIOD_S = 0.1
"""How often the publishers of one source are counted; each source in turn."""
_STATUS_PERIOD_S = 0.1
_LEVEL_PERIOD_S = 0.5
_DASHBOARD_MAPPING = "game_controller.yaml"
_SECOND_INTERFACE = "a second vehicle interface is in this namespace: end one, or give it another"
_OTHER_ARBITER = (
    "another node publishes control_source: end command_mux, or start the interface with "
    "arbitration.enabled:=false (vdsim.launch.py mux:=true)"
)


class IntakePort:
    """Owns a Desk and its Intake. `deliver` gives the pipeline a command that a source has sent.

    `override`: the same for an emergency stop, which bypasses the controller.
    """

    def __init__(
        self,
        node: StageNode,
        parameters: ArbitrationParameters,
        safety: SafetyPort,
        motion: Callable[[], Motion],
        deliver: Callable[[Command, float], None],
        override: Callable[[VehicleCommand, float], None],
    ) -> None:
        share = Path(get_package_share_directory("vdsim_interface"))
        self.intake = Intake(
            parameters,
            load_mapping(share / "config" / "gamepads" / _DASHBOARD_MAPPING),
            level=node.parameters.level,
            wheelbase_m=node.parameters.vehicle.wheelbase_m,
        )
        self._node, self._safety = node, safety
        ends = Ends(
            side=lambda: safety.side,
            level=lambda: node.parameters.level,
            motion=motion,
            deliver=deliver,
            override=override,
            follow=self._follow_level,
            fixed=lambda: node.frozen_because(),
            report=safety.report,
            late_engage=lambda now: node.rounds.refuses_engage(now),
        )
        self.desk = Desk(self.intake, ends, is_enabled=parameters.enabled)
        self._enabled = parameters.enabled
        # A stack that was made for the command mux publishes autonomy/...: the same source.
        self._names = (*parameters.names, STACK) if parameters.enabled else ()
        self._subscribed: dict[str, list[Any]] = {}
        self._next_look = 0
        self._look_s = self._level_s = self._control_s = -1.0
        self._published: tuple[object, ...] = ()
        self._level_refusal = ""
        before: IntakePort | None = getattr(node, "intake_port", None)  # configured once more
        if before is None:
            self.desk.restore(safety.latches)
        else:
            self.desk.restore_from(before.desk)
        listen = node.create_checked_subscription
        listen(Bool, topics.EMERGENCY_STOP, with_info(self._on_emergency_stop), topics.STOP_QOS)
        if parameters.enabled:
            self._connect()
        else:  # another node may arbitrate
            topic, qos = topics.CONTROL_SOURCE, topics.REPORT_QOS
            listen(ControlSource, topic, self._on_other_arbiter, qos)
        safety.gate = self.desk
        self.desk.pass_emergency()

    def _connect(self) -> None:
        node = self._node
        self._control = node.create_checked_publisher(
            ControlSource, topics.CONTROL_SOURCE, topics.REPORT_QOS
        )
        listen = node.create_checked_subscription
        for name in self.intake.mux.locks:
            topic = source_topic(name, topics.LOCK)
            listen(Bool, topic, partial(self._on_lock, name), topics.STOP_QOS)
        node.create_service(Trigger, topics.GIVE_BACK, self._on_give_back)

    # ---- the other sources -----------------------------------------------------------------------

    def listen(self, name: str) -> None:
        """Subscribe to the topics of a source."""
        node, made = self._node, []
        listen = node.create_checked_subscription
        for kind, topic, _, value in COMMANDS.values():
            callback = partial(self._on_command, name, value)
            made.append(listen(kind, source_topic(name, topic), callback, topics.COMMAND_QOS))
        topic, qos = source_topic(name, topics.STATE_COMMAND), topics.STATE_COMMAND_QOS
        made.append(listen(VehicleStateCommand, topic, partial(self._on_state, name), qos))
        if name == DASHBOARD:
            topic = source_topic(name, topics.JOY)
            on_joy = with_info(self._on_joy)
            made.append(listen(Joy, topic, on_joy, topics.JOY_QOS, **JOY_WALL))
        self._subscribed[name] = made

    def _topics_of(self, name: str) -> list[str]:
        names = [*(command.topic for command in COMMANDS.values()), topics.STATE_COMMAND]
        if name == DASHBOARD:
            names.append(topics.JOY)
        return [source_topic(name, topic) for topic in names]

    def _look(self) -> None:
        """Subscribe to the next source when somebody publishes on its topics; leave it after."""
        name = self._names[self._next_look % len(self._names)]
        self._next_look += 1
        count = self._node.count_publishers
        published = any(count(topic) for topic in self._topics_of(name))
        if published and name not in self._subscribed:
            self.listen(name)
        elif not published and name in self._subscribed and not self.intake.watches:
            for subscription in self._subscribed.pop(name):
                self._node.destroy_subscription(subscription)

    def _on_command(self, name: str, convert: CommandConverter, message: Any) -> None:
        now = self._node.now()
        self.desk.on_source(name, convert(message, self._node.rounds.received_s(now, name)), now)

    def _on_state(self, name: str, message: VehicleStateCommand) -> None:
        now = self._node.now()
        if not self._safety.refuses(message, now):
            self.desk.on_state(name, conversions.state_message(message), now)

    def _on_joy(self, message: Joy, info: Info) -> None:
        now = self._node.now()
        if self._is_too_old(info, now):
            return
        axes, buttons = conversions.joy_values(message)
        self.desk.on_joy(axes, buttons, now)

    # ---- locks, emergency stop, give back --------------------------------------------------------

    def _on_lock(self, name: str, message: Bool) -> None:
        self.desk.on_lock(name, bool(message.data), self._node.now())

    def _on_emergency_stop(self, message: Bool, info: Info) -> None:
        """True stops; False resets nothing, whoever sends it: that is for give_back."""
        now = self._node.now()
        if message.data and not self._is_too_old(info, now):
            self.desk.emergency_stop(sender(self._node, topics.EMERGENCY_STOP), now)

    def _is_too_old(self, info: Info, now: float) -> bool:
        """Whether what can carry a stop waited for too long; it is reported then."""
        why = self._node.refuses_stop(now, info)
        if why:
            self._safety.report((stale_stop(why),), now)
        return bool(why)

    def _on_other_arbiter(self, message: ControlSource) -> None:
        self.desk.on_other_arbiter(message.active_locks, message.given_back_n, self._node.now())

    def _on_give_back(self, request: Trigger.Request, response: Trigger.Response) -> Any:
        done, text = self.desk.give_back(f"service {topics.GIVE_BACK}", self._node.now())
        response.success, response.message = done, text
        return response

    # ---- one tick --------------------------------------------------------------------------------

    def after_tick(self, now: float) -> None:
        """After a period: look for sources; report who drives while that can change."""
        if not 0.0 <= now - self._look_s < _LOOK_PERIOD_S and self._names:
            self._look_s = now
            self._look()
        if self.intake.watches:
            self.publish_control(now)

    def publish_control(self, now: float) -> None:
        """Publish control_source on every change, and else at 10 Hz at most."""
        if not self._enabled:
            return
        mux = self.intake.status(now)
        facts = (mux.state, mux.in_control, mux.since, mux.waits_because, mux.active_locks(now))
        if facts == self._published and 0.0 <= now - self._control_s < _STATUS_PERIOD_S:
            return
        self._published, self._control_s = facts, now
        clock_s = self._node.get_clock().now().nanoseconds * 1e-9
        self._control.publish(stamped_control_message(mux, now, clock_s))

    def lines(self, now: float) -> list[DiagnosticStatus]:
        """The line `arbitration` of /diagnostics; for about 1 Hz."""
        if not self._enabled:
            return []
        self.publish_control(now)
        mux = self.intake.mux
        if self._node.count_publishers(topics.CONTROL_SOURCE) > 1:
            is_interface = self._node.count_publishers(topics.SAFETY_STATUS) > 1
            text = _SECOND_INTERFACE if is_interface else _OTHER_ARBITER
            return [diagnostic("arbitration", ERROR, text, {})]
        driver = mux.in_control.name if mux.in_control else "nobody"
        text = f"{driver} commands"
        if mux.waits_because:
            text += f"; {STACK} waits for give_back: {mux.waits_because}"
        alarming = mux.emergency or mux.state is ControlState.SAFE_STOP
        return [diagnostic("arbitration", WARN if alarming else OK, text, {"driver": driver})]

    # ---- helpers ---------------------------------------------------------------------------------

    def _follow_level(self, command: Command, now: float) -> None:
        """Set control_command to the level of the source in control, where that is possible."""
        node, level = self._node, LEVEL_OF[type(command)]
        if level is node.parameters.level or 0.0 <= now - self._level_s < _LEVEL_PERIOD_S:
            return
        self._level_s = now
        name = "control_command"
        [result] = node.set_parameters([Parameter(name, value=level.value)])
        if not result.successful and result.reason != self._level_refusal:
            node.get_logger().error(f"the interface keeps its command level: {result.reason}")
        self._level_refusal = "" if result.successful else result.reason
