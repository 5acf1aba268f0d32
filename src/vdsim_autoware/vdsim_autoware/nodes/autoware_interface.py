"""ROS node autoware_interface: Autoware's vehicle topics <-> the topics of the vehicle interface.

Autoware's names are absolute, those of the interface relative to the node's namespace.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from autoware_control_msgs.msg import Control
from autoware_vehicle_msgs.msg import Engage, GearCommand, HazardLightsCommand
from autoware_vehicle_msgs.msg import TurnIndicatorsCommand as TurnCommand
from autoware_vehicle_msgs.srv import ControlModeCommand
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry as NavOdometry
from rclpy.node import Node
from vdsim_interface.arbitration.mode_twin import TwinAnswer
from vdsim_interface.extras.ros.fixed_parameters import seal
from vdsim_interface.platforms.vds1.sensors import PACKET_TOPIC
from vdsim_interface.ros import topics
from vdsim_interface.ros.command_topics import COMMANDS
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.messages.status import ERROR, OK, WARN, diagnostic, diagnostics
from vdsim_interface.ros.modes.twin import Finish, TwinTopics
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_interface.ros.process.limits import StageProcessParameters
from vdsim_interface.ros.publishers.installed_lines import installed_lines
from vdsim_interface.ros.timers import every, uses_simulated_time
from vdsim_interface.values import ControlLevel, Odometry, Severity
from vdsim_interface.values.notice_log import NoticeLog

from vdsim_autoware.adapter import Ask, AutowareAdapter, AutowareParameters, Output, request_stamp
from vdsim_autoware.adapter.actuation import Actuation
from vdsim_autoware.adapter.adapter import CONTROL, MANUAL_CONTROL
from vdsim_autoware.adapter.enums import ControlMode
from vdsim_autoware.adapter.parameters import ACTUATION
from vdsim_autoware.adapter.ros import topics as names
from vdsim_autoware.adapter.ros.actuation import ActuationCommands, ActuationStatus
from vdsim_autoware.adapter.ros.deferred_service import DeferredService
from vdsim_autoware.adapter.ros.emergency import subscribe_to_emergency
from vdsim_autoware.adapter.ros.link import DirectLink, InterfaceLink, TopicLink
from vdsim_autoware.adapter.ros.messages import control_value
from vdsim_autoware.adapter.ros.status import AutowareStatus
from vdsim_autoware.periods import Periods
from vdsim_autoware.preset import PERIOD_S
from vdsim_autoware.ros.model_file import read_model
from vdsim_msgs.msg import (
    CabinState,
    VdsState,
    VehicleOdometry,
    VehicleStateReport,
)

NANOSECONDS = 1e-9
DIAGNOSTICS_PERIOD_S = 1.0
ENDS_AUTONOMY = frozenset({int(ControlMode.MANUAL)})
_LEVELS = {Severity.INFO: OK, Severity.WARN: WARN, Severity.ERROR: ERROR}


class AutowareInterfaceNode(CheckedNode, Node):
    """One adapter: a callback for each topic, and the statuses."""

    IS_CLOSED = True
    PROCESS = StageProcessParameters()
    """Inside vehicle_interface it shares the process and the names of its parameters."""

    def __init__(self, link_of: Callable[[Node, ControlLevel], InterfaceLink] = TopicLink) -> None:
        super().__init__("autoware_interface")
        settings = declare(self, AutowareParameters())
        is_raw = settings.command == ACTUATION
        level = ControlLevel.RAW if is_raw else ControlLevel.VEHICLE
        self._link = link_of(self, level)
        seal(self, self._link.others)
        self._is_simulated = uses_simulated_time(self)
        self._adapter = AutowareAdapter(settings)
        self._modelled = read_model(settings)
        self._periods = Periods(PERIOD_S)
        self._odometry: Odometry | None = None
        self._log = NoticeLog(self.get_logger())
        self._status = AutowareStatus(self, settings)
        self._stamp = Time()
        self._message = COMMANDS[level].message
        self._commands: ActuationCommands | None = None
        self._pedals: ActuationStatus | None = None
        self._diagnostics = self.create_publisher(
            DiagnosticArray, topics.DIAGNOSTICS, topics.RELIABLE_QOS
        )
        self._subscribe_to_autoware()
        if is_raw:
            self._commands = ActuationCommands(self, self._on_actuation, self.now)
        if settings.actuation_status:
            self._pedals = ActuationStatus(self)
            self.create_subscription(VdsState, PACKET_TOPIC, self._on_packet, topics.SENSOR_QOS)
        self._subscribe_to_the_interface()
        name = names.CONTROL_MODE_REQUEST
        DeferredService(self, ControlModeCommand, name, self._on_mode_request)
        TwinTopics(self, name, ENDS_AUTONOMY, self._on_twin_request)
        self._installed = installed_lines(self, (*names.OF_THE_STACK, COMMANDS[level].topic))
        if self._modelled is not None:
            every(self, PERIOD_S, self._on_period)
        every(self, 1.0 / settings.status_rate_hz, self._on_tick)
        every(self, DIAGNOSTICS_PERIOD_S, self._on_slow)

    def _subscribe_to_autoware(self) -> None:
        def subscribe(kind: type, name: str, callback: Any) -> None:
            self.create_subscription(kind, name, callback, names.COMMAND_QOS)

        subscribe(Control, names.CONTROL, self._on_control)
        subscribe(Control, names.MANUAL_CONTROL, self._on_manual_control)
        subscribe(GearCommand, names.GEAR, partial(self._on_gear, manual=False))
        subscribe(GearCommand, names.MANUAL_GEAR, partial(self._on_gear, manual=True))
        subscribe(TurnCommand, names.TURN, self._on_turn)
        subscribe(HazardLightsCommand, names.HAZARD, self._on_hazard)
        subscribe(Engage, names.ENGAGE, self._on_engage)
        subscribe_to_emergency(self, self._on_emergency)

    def _subscribe_to_the_interface(self) -> None:
        subscribe = self.create_subscription
        subscribe(VehicleOdometry, topics.ODOMETRY, self._on_odometry, topics.SENSOR_QOS)
        subscribe(NavOdometry, topics.NAV_ODOMETRY, self._on_motion, topics.COMMAND_QOS)
        subscribe(VehicleStateReport, topics.STATE_REPORT, self._on_report, topics.REPORT_QOS)
        subscribe(CabinState, topics.CABIN_STATE, self._on_cabin, topics.STATE_COMMAND_QOS)

    def now(self) -> float:
        """Time of the clock of ages [s]."""
        return self._clock_s() if self._is_simulated else time.monotonic()

    def _clock_s(self) -> float:
        return float(self.get_clock().now().nanoseconds) * NANOSECONDS

    # ---- Autoware -> interface -------------------------------------------------------------------

    def _on_control(self, message: Control) -> None:
        value = control_value(message, self.now())
        if self._modelled is None:
            self._publish(self._adapter.on_control(value))
        else:
            self._publish(self._modelled.receive(self._adapter, CONTROL, value, value))

    def _on_manual_control(self, message: Control) -> None:
        value = control_value(message, self.now())
        if self._modelled is None:
            self._publish(self._adapter.on_manual_control(value))
        else:
            self._publish(self._modelled.receive(self._adapter, MANUAL_CONTROL, value, value))

    def _on_period(self) -> None:
        """With a model: what of the commands acts now; the interface sends it at once."""
        now, modelled = self.now(), self._modelled
        assert modelled is not None, "the timer is that of a model"
        for _ in range(self._periods.due(now)):
            acting = modelled.acting(self._adapter, self._odometry, now, PERIOD_S)
            output = self._adapter.follow(acting, now)
            self._publish(output)

    def _on_actuation(self, command: Actuation) -> None:
        self._publish(self._adapter.on_actuation(command))

    def _on_gear(self, message: GearCommand, *, manual: bool) -> None:
        self._publish(self._adapter.on_gear(message.command, self.now(), manual=manual))

    def _on_turn(self, message: TurnCommand) -> None:
        self._publish(self._adapter.on_turn(message.command, self.now()))

    def _on_hazard(self, message: HazardLightsCommand) -> None:
        self._publish(self._adapter.on_hazard(message.command, self.now()))

    def _on_engage(self, message: Engage) -> None:
        self._adapter.on_engage(message.engage)

    def _on_emergency(self, is_on: bool) -> None:
        self._publish(self._adapter.on_emergency(is_on, self.now()))

    def _on_mode_request(
        self,
        request: ControlModeCommand.Request,
        response: ControlModeCommand.Response,
        send: Callable[[], None],
    ) -> None:
        """Answer when the interface has answered."""

        def finish(success: bool, reason: str) -> None:
            response.success = success
            send()

        self._decide_mode(request.mode, request.stamp, finish)

    def _on_twin_request(self, number: int, finish: Finish) -> None:
        """Answer a request that came by topic as the service would, with the reason."""

        def answer(success: bool, reason: str) -> None:
            mode = self._adapter.control_mode() or ControlMode.NO_COMMAND
            finish(TwinAnswer(success, int(mode), reason))

        self._decide_mode(number, Time(), answer)

    def _decide_mode(self, number: int, stamp: Time, finish: Callable[[bool, str], None]) -> None:
        """Decide a request of a mode here or by the interface; calls `finish` once."""
        now = self.now()
        why = request_stamp.refusal(stamp.sec, stamp.nanosec, self._clock_s())
        if why and number not in ENDS_AUTONOMY:
            self._log.write((self._adapter.refuse_request(number, why, now),), now)
            finish(False, why)
            return
        decision, notices = self._adapter.on_mode_request(number, now)
        self._log.write(notices, now)

        def on_answer(success: bool, reason: str) -> None:
            now = self.now()
            output, notices = self._adapter.on_mode_answer(decision, success, reason, now)
            self._publish(output)
            self._log.write(notices, now)
            finish(success, reason)

        if decision.refusal:
            finish(False, decision.refusal)
        elif decision.ask is Ask.NOTHING:
            on_answer(True, "")
        else:
            self._link.ask(decision.ask, on_answer)

    def _publish(self, output: Output) -> None:
        now, clock_s = self.now(), self._clock_s()
        if output.command is not None:
            command = output.command._replace(stamp_s=clock_s)
            self._link.command(self._message(command))
        for state in output.states:
            self._link.state(conversions.state_message_message(state, clock_s))
        self._log.write(output.notices, now)

    # ---- interface -> Autoware -------------------------------------------------------------------

    def _on_odometry(self, message: VehicleOdometry) -> None:
        now = self.now()
        self._stamp = message.stamp
        self._odometry = conversions.odometry_value(message, now)
        self._adapter.on_odometry(self._odometry)
        if self._adapter.is_reporting(now):
            self._status.steering(message.front_wheel_angle_rad, message.stamp, now)

    def _on_motion(self, message: NavOdometry) -> None:
        now = self.now()
        if self._adapter.is_reporting(now):
            self._status.velocity(message, now)

    def _on_packet(self, message: VdsState) -> None:
        if self._pedals is not None and not self._pedals.publish(message):
            self._adapter.on_pedals_unknown(self.now())

    def _on_report(self, message: VehicleStateReport) -> None:
        now = self.now()
        report = conversions.state_report_value(message)
        self._publish(self._adapter.on_state_report(report, now))
        self._publish_state(now, on_change=True)

    def _on_cabin(self, message: CabinState) -> None:
        self._status.doors(conversions.cabin_state(message), message.stamp)

    def _publish_state(self, now: float, *, on_change: bool) -> None:
        report, mode = self._adapter.report(), self._adapter.control_mode()
        if report is not None and mode is not None and self._adapter.is_reporting(now):
            self._status.state(report, mode, self._stamp, on_change=on_change)

    def _on_tick(self) -> None:
        now = self.now()
        self._publish(self._adapter.repeat_emergency(now))
        self._publish_state(now, on_change=False)
        self._link.check_answers()

    def _on_slow(self) -> None:
        """At 1 Hz: the state of each topic."""
        if self._commands is not None:
            self._commands.follow()
        if self._pedals is not None:
            self._pedals.follow(None if self._commands is None else self._commands.dialect)
        lines = [
            diagnostic(
                line.name,
                _LEVELS[line.severity],
                line.text,
                {"problems": line.problems},
                node=self.get_name(),
            )
            for line in self._adapter.diagnostics(self.now())
        ]
        lines += [each.line() for each in self._installed]
        stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(diagnostics(lines, stamp, self.get_namespace(), ""))


def beside(interface: Node) -> Node:
    """Make the adapter in the process of the node vehicle_interface, by its own callbacks."""
    return AutowareInterfaceNode(lambda adapter, level: DirectLink(interface, level))


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("autoware_interface", lambda: [AutowareInterfaceNode()], arguments)


if __name__ == "__main__":
    sys.exit(main())
