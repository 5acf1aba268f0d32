"""The ROS side of the intake: other sources, locks, emergency stop, give_back in; who drives out.

The node that holds a SafetySide, alone or in a Pipeline, or the guard's shell, owns one. A source
costs nothing until somebody publishes on its topics: only then are they subscribed to.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from ament_index_python.packages import get_package_share_directory
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.parameter import Parameter
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from vdsim_interface.arbitration.give_back import Latches
from vdsim_interface.arbitration.interface_parameters import (
    DASHBOARD,
    STACK,
    ArbitrationParameters,
)
from vdsim_interface.arbitration.mux import ControlState
from vdsim_interface.pipeline.intake import Intake, IntakeOutput
from vdsim_interface.ros import topics
from vdsim_interface.ros.command_topics import COMMANDS, CommandConverter, source_topic
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.messages.control_source import stamped_control_message
from vdsim_interface.ros.messages.status import ERROR, OK, WARN, diagnostic
from vdsim_interface.ros.safety_port import SafetyPort
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.teleop.mapping_file import load_mapping
from vdsim_interface.teleop.station import ModeRequest
from vdsim_interface.values import (
    LEVEL_OF,
    Command,
    ControlLevel,
    Odometry,
    StateMessage,
    StateReport,
    VehicleCommand,
)
from vdsim_msgs.msg import ControlSource, VehicleStateCommand

Motion: TypeAlias = tuple[Odometry | None, StateReport | None]
_LOOK_PERIOD_S = 0.1
"""How often the publishers of one source are counted; each source in turn."""
_STATUS_PERIOD_S = 0.1
_LEVEL_PERIOD_S = 0.5
_DASHBOARD_MAPPING = "game_controller.yaml"


class IntakePort:
    """Owns an Intake. `deliver` gives the pipeline a command that a source has sent.

    `override`: the same for an emergency stop, which passes the controller by.
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
        self._motion, self._deliver, self._override = motion, deliver, override
        self._home = node.parameters.level
        self._enabled = parameters.enabled
        # A stack that was made for the command mux publishes autonomy/...: the same source.
        self._names = (*parameters.names, STACK) if parameters.enabled else ()
        self._subscribed: dict[str, list[Any]] = {}
        self._next_look = 0
        self._look_s = self._level_s = self._control_s = -1.0
        self._published: tuple[object, ...] = ()
        self._level_refusal = ""
        if parameters.enabled:
            before: IntakePort | None = getattr(node, "intake_port", None)  # configured once more
            self.intake.restore(safety.latches if before is None else before.latches)
            self._connect()
            safety.gate = self

    def _connect(self) -> None:
        node = self._node
        self._control = node.create_checked_publisher(
            ControlSource, topics.CONTROL_SOURCE, topics.REPORT_QOS
        )
        listen = node.create_checked_subscription
        for name in self.intake.mux.locks:
            topic = source_topic(name, topics.LOCK)
            listen(Bool, topic, partial(self._on_lock, name), topics.RELIABLE_QOS)
        listen(Bool, topics.EMERGENCY_STOP, self._on_emergency_stop, topics.RELIABLE_QOS)
        node.create_service(Trigger, topics.GIVE_BACK, self._on_give_back)

    # ---- the stack -------------------------------------------------------------------------------

    def on_stack(self, command: Command, now: float) -> Command | None:
        """Receive a command of the stack while the intake watches; returns what passes."""
        mux = self.intake.mux
        if LEVEL_OF[type(command)] is not self._home:
            # Of a level that the stack does not drive with: the safety side rejects and counts it.
            return command if mux.rest(STACK) else None
        self._use_motion(now)
        output = self.intake.on_stack(command, now)
        self._apply(output._replace(command=None), now)
        if output.command is not None:
            self._follow_level(output.command, now)
        return output.command

    def on_stack_state(self, message: StateMessage, now: float) -> None:
        """Receive a state command of the stack."""
        self._use_motion(now)
        self._apply(self.intake.on_state(STACK, message, now), now)

    @property
    def latches(self) -> Latches:
        """What the next process must know if this one crashes."""
        return self.intake.mux.latches

    @property
    def refuses_engage(self) -> str:
        """Why nobody may engage now; empty while the arbiter has nothing against it."""
        return self.intake.refuses_engage

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
            made.append(listen(Joy, topic, self._on_joy, topics.SENSOR_QOS))
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
        self._use_motion(now)
        command = convert(message, self._node.received_s(now, name))
        self._apply(self.intake.on_source(name, command, now), now)

    def _on_state(self, name: str, message: VehicleStateCommand) -> None:
        now = self._node.now()
        if self._safety.refuses(message, now):
            return
        self._use_motion(now)
        self._apply(self.intake.on_state(name, conversions.state_message(message), now), now)

    def _on_joy(self, message: Joy) -> None:
        now = self._node.now()
        self._use_motion(now)
        axes, buttons = tuple(map(float, message.axes)), tuple(map(int, message.buttons))
        self.intake.on_joy(axes, buttons, self._node.parameters.level, now)

    # ---- locks, emergency stop, give back --------------------------------------------------------

    def _on_lock(self, name: str, message: Bool) -> None:
        now = self._node.now()
        self._use_motion(now)
        self._apply(self.intake.on_lock(name, bool(message.data), now), now)

    def _on_emergency_stop(self, message: Bool) -> None:
        """True stops; False resets nothing, whoever sends it: that is for give_back."""
        if message.data:
            now = self._node.now()
            self._use_motion(now)
            self._apply(self.intake.emergency_stop(f"topic {topics.EMERGENCY_STOP}", now), now)

    def _on_give_back(self, request: Trigger.Request, response: Trigger.Response) -> Any:
        now = self._node.now()
        self._use_motion(now)
        refusal = self._level_in_the_way()
        if refusal:
            response.success, response.message = False, refusal
            return response
        done, text, output = self.intake.give_back(f"service {topics.GIVE_BACK}", now)
        self._apply(output, now)
        response.success, response.message = done, text
        return response

    def _level_in_the_way(self) -> str:
        """Why the stack could not drive with its level now; empty when it could."""
        level = self._node.parameters.level
        if level is self._home or not self._node.frozen_because():
            return ""
        return (
            f"the stack commands {self._home.value}, but control_command is {level.value} and is "
            "fixed while AUTONOMOUS: disengage first"
        )

    # ---- one tick --------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Before a period, while the intake watches: time-outs, stops, the dashboard's pad."""
        self._use_motion(now)
        self._apply(self.intake.tick(now), now)

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
            text = (
                "another node publishes control_source: end command_mux, or start the interface "
                "with arbitration.enabled:=false (vdsim.launch.py mux:=true)"
            )
            return [diagnostic("arbitration", ERROR, text, {})]
        driver = mux.in_control.name if mux.in_control else "nobody"
        text = f"{driver} commands"
        if mux.waits_because:
            text += f"; {STACK} waits for give_back: {mux.waits_because}"
        alarming = mux.emergency or mux.state is ControlState.SAFE_STOP
        return [diagnostic("arbitration", WARN if alarming else OK, text, {"driver": driver})]

    # ---- helpers ---------------------------------------------------------------------------------

    def _use_motion(self, now: float) -> None:
        self.intake.on_motion(*self._motion(), now)

    def _apply(self, output: IntakeOutput, now: float) -> None:
        """Give the pipeline what a source has sent, and log."""
        safety = self._safety
        command = output.command
        if command is not None:
            if self._passes_controller(command):
                self._override(command, now)
            else:
                self._follow_level(command, now)
                self._deliver(command, now)
        for message in output.state_commands:
            safety.report(safety.side.on_state_message(message, now), now)
        for request in output.mode_requests:
            self._request_mode(request, now)
        safety.report(output.notices, now)

    def _passes_controller(self, command: Command) -> TypeGuard[VehicleCommand]:
        """Whether it is the arbiter's own, after an emergency stop of a high-level stream."""
        by_arbiter = self.intake.mux.state is ControlState.SAFE_STOP
        at_high_level = self._node.parameters.level is ControlLevel.HIGH_LEVEL
        return by_arbiter and at_high_level and isinstance(command, VehicleCommand)

    def _request_mode(self, request: ModeRequest, now: float) -> None:
        side, engage = self._safety.side, request is ModeRequest.ENGAGE
        refusal = self.refuses_engage if engage else ""
        if refusal:
            self.intake.on_mode_answer(request, False, refusal)
            return
        result, notices = side.on_change_mode(engage, now)
        self._safety.report(notices, now)
        self.intake.on_mode_answer(request, result.success, result.reason)

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
