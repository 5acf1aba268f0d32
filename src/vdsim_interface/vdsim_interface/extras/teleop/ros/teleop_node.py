"""Common part of gamepad_teleop and keyboard_teleop: reports in, commands and requests out.

Time-outs use the steady clock: while a simulation pauses, a lost gamepad must still be noticed.
"""

from __future__ import annotations

import time

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from vdsim_interface.extras.teleop.keyboard_driver import KeyboardDriver
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.ros import topics
from vdsim_interface.ros.command_topics import CommandPublishers, source_topic
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_interface.teleop import teleop_notices
from vdsim_interface.teleop.gamepad_driver import GamepadDriver
from vdsim_interface.teleop.station import ModeRequest, Station, StationOutput
from vdsim_interface.values import Notice
from vdsim_interface.values.notice_log import NoticeLog
from vdsim_msgs.msg import (
    ControlSource,
    VehicleOdometry,
    VehicleStateCommand,
    VehicleStateReport,
)
from vdsim_msgs.srv import ChangeMode

_LOOK_PERIOD_S = 1.0
_DISCOVERY_S = 6.0
_REQUESTS = {
    ModeRequest.ENGAGE: ChangeMode.Request.REQUEST_ENGAGE,
    ModeRequest.DISENGAGE: ChangeMode.Request.REQUEST_DISENGAGE,
}


class TeleopNode(CheckedNode, Node):
    """Base of gamepad_teleop and keyboard_teleop."""

    core: GamepadDriver | KeyboardDriver
    station: Station

    def connect(self, source: str, rate_hz: float) -> None:
        """Create topics, service client and timer; call it after the core was created."""
        if source and not source.isidentifier():
            raise ParameterError("source", source, "must be letters, digits and _ only")
        self._commands = CommandPublishers(self, source)
        self._state = self.create_publisher(
            VehicleStateCommand,
            source_topic(source, topics.STATE_COMMAND),
            topics.STATE_COMMAND_QOS,
        )
        self._emergency_stop = self.create_publisher(
            Bool, topics.EMERGENCY_STOP, topics.RELIABLE_QOS
        )
        self._give_back = self.create_client(Trigger, topics.GIVE_BACK)
        self._source = source
        self.control: ControlSource | None = None
        self.unheard = ""
        self._connected_s = self.now()
        self.create_subscription(
            ControlSource, topics.CONTROL_SOURCE, self._on_control, topics.REPORT_QOS
        )
        self._change_mode = self.create_client(ChangeMode, topics.CHANGE_MODE)
        self.notice_log = NoticeLog(self.get_logger())
        self.create_subscription(
            VehicleOdometry, topics.ODOMETRY, self._on_odometry, topics.SENSOR_QOS
        )
        self.create_subscription(
            VehicleStateReport, topics.STATE_REPORT, self._on_state_report, topics.REPORT_QOS
        )
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(1.0 / rate_hz, self.on_tick, clock=steady)
        self.create_timer(_LOOK_PERIOD_S, self._look, clock=steady)

    def now(self) -> float:
        """Time of the steady clock [s]."""
        return time.monotonic()

    def on_tick(self) -> None:
        """Run one output period; a subclass ticks its core and calls `publish`."""

    def publish(self, output: StationOutput) -> None:
        """Publish the core's output, send its mode requests, log its notices."""
        if output.command is not None:
            self._commands.publish(output.command)
        for content in output.state_commands:
            stamp_s = self.get_clock().now().nanoseconds * 1e-9
            self._state.publish(conversions.state_message_message(content, stamp_s))
        for request in output.mode_requests:
            self._request_mode(request)
        if output.emergency_stop:
            self._emergency_stop.publish(Bool(data=True))
        if output.give_back:
            self._request_give_back()
        self.notice_log.write(output.notices, self.now())

    def on_give_back_answer(self, success: bool, text: str) -> None:
        """Receive the response of give_back; a subclass passes it to its core."""

    def _request_give_back(self) -> None:
        if not self._give_back.service_is_ready():
            self.on_give_back_answer(False, "nobody arbitrates: no service give_back")
            return
        future = self._give_back.call_async(Trigger.Request())

        def on_done(done: Future) -> None:
            response = done.result()
            self.on_give_back_answer(response.success, response.message)

        future.add_done_callback(on_done)

    def _on_control(self, message: ControlSource) -> None:
        before, self.control = self.control, message
        self.station.on_active_locks(tuple(message.active_locks))
        if before is not None and message.given_back_n > before.given_back_n:
            # By somebody else, perhaps: a stop that we go on commanding is a stream without a gap,
            # and the dead-man button would not take over again.
            self.core.let_go()

    def _look(self) -> None:
        """At 1 Hz: does anybody receive our commands? Discovery takes a moment at the start."""
        topic = source_topic(self._source, topics.HIGH_LEVEL_COMMAND)
        if self.count_subscribers(topic):
            self.unheard = ""
        elif not self.unheard and self.now() - self._connected_s >= _DISCOVERY_S:
            self.unheard = (
                f"nobody receives {self.resolve_topic_name(topic)}: start ros2 launch "
                "vdsim_interface vdsim.launch.py, or a command_mux (teleop.launch.py mux:=true)"
            )
            notice = Notice(teleop_notices.UNHEARD, self.unheard)
            self.notice_log.write((notice,), self.now())

    def _request_mode(self, request: ModeRequest) -> None:
        if not self._change_mode.service_is_ready():
            self.station.on_mode_answer(request, False, "the vehicle interface is not running")
            return
        future = self._change_mode.call_async(ChangeMode.Request(request=_REQUESTS[request]))

        def on_done(done: Future) -> None:
            response = done.result()
            self.station.on_mode_answer(request, response.success, response.reason)

        future.add_done_callback(on_done)

    def _on_odometry(self, message: VehicleOdometry) -> None:
        now = self.now()
        self.station.on_odometry(conversions.odometry_value(message, now), now)

    def _on_state_report(self, message: VehicleStateReport) -> None:
        state = conversions.state_report_value(message)
        if state is not None:
            self.station.on_state_report(state)
