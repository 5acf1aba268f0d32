"""ROS node simple_planning_simulator: Autoware's planning simulator, with the simulated car.

Its topics and parameters have the names of Autoware's own node, so that launch files which start
that one start this one, too. Interface and car are in this process, in lockstep on its timer: real
time, or /clock with use_sim_time.
"""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from functools import partial
from random import Random
from typing import Any

from autoware_control_msgs.msg import Control
from autoware_planning_msgs.msg import Trajectory
from autoware_vehicle_msgs.msg import (
    Engage,
    GearCommand,
    HazardLightsCommand,
    TurnIndicatorsCommand,
)
from autoware_vehicle_msgs.srv import ControlModeCommand
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Pose, PoseWithCovarianceStamped, TwistStamped
from rclpy.node import Node
from tf2_msgs.msg import TFMessage
from vdsim_interface.extras.doctor.ros.health import GraphHealth
from vdsim_interface.extras.doctor.time_checks import CLOCK
from vdsim_interface.pipeline.trace import command_trace
from vdsim_interface.ros import topics as interface_topics
from vdsim_interface.ros.messages.status import ERROR, OK, WARN, diagnostic, diagnostics
from vdsim_interface.ros.messages.trace import trace_message
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_interface.ros.timers import every, uses_simulated_time
from vdsim_interface.values import Severity
from vdsim_interface.values.notice_log import NoticeLog

from vdsim_autoware.adapter.actuation import Actuation
from vdsim_autoware.adapter.localization import start_pose
from vdsim_autoware.adapter.ros.actuation import ActuationCommands
from vdsim_autoware.adapter.ros.messages import control_value
from vdsim_autoware.adapter.ros.topics import COMMAND_QOS
from vdsim_autoware.car import Start
from vdsim_autoware.frames import HERE, Frames, Placed, after
from vdsim_autoware.model.parameters import ORIGIN, SimulatorParameters
from vdsim_autoware.noise import MeasurementNoise
from vdsim_autoware.periods import Periods
from vdsim_autoware.preset import PERIOD_S
from vdsim_autoware.ros import topics
from vdsim_autoware.ros.parameters import declare_all, load_maps
from vdsim_autoware.ros.publishers import Publishers
from vdsim_autoware.simulator import PlanningSimulator
from vdsim_autoware.trajectory import LARGEST_POSITION_M
from vdsim_msgs.msg import CommandTrace

NANOSECONDS = 1e-9
NAME = "simple_planning_simulator"
DIAGNOSTICS_PERIOD_S = 1.0
LARGEST_SPEED_MPS = 60.0
_WORLD = {"map", "odom"}
"""One and the same frame where no transform says otherwise."""
_LEVELS = {Severity.INFO: OK, Severity.WARN: WARN, Severity.ERROR: ERROR}


class PlanningSimulatorNode(CheckedNode, Node):
    """The shell: messages in, periods by the clock, messages out."""

    IS_CLOSED = True

    def __init__(self) -> None:
        super().__init__(NAME)
        self._settings, info = declare_all(self, self._on_deviations)
        self._is_simulated = uses_simulated_time(self)
        self._core = PlanningSimulator(self._settings, info, load_maps(self._settings))
        self._periods = Periods(PERIOD_S)
        self._log = NoticeLog(self.get_logger())
        self._noise = MeasurementNoise(self._settings, Random())
        self._frames = Frames()
        self._placed: Start | None = None
        self._pedals: ActuationCommands | None = None
        self._rejected: Counter[str] = Counter()
        self._rejected_before = 0
        self._out = Publishers(self, self._settings, pedals=self._core.takes_pedals)
        self._trace = self.create_publisher(
            CommandTrace, topics.COMMAND_TRACE, interface_topics.RELIABLE_QOS
        )
        self._diagnostics = self.create_publisher(
            DiagnosticArray, interface_topics.DIAGNOSTICS, interface_topics.RELIABLE_QOS
        )
        self._subscribe()
        own = {subscription.topic_name for subscription in self.subscriptions}
        self._graph_health = GraphHealth(self, sorted(own - {CLOCK}))
        if self._settings.initialize_source == ORIGIN:
            self._placed = Start(0.0, 0.0, 0.0, 0.0)
            self._core.put(self._placed)
        every(self, 1e-3 * self._settings.timer_sampling_time_ms, self._on_timer)
        every(self, DIAGNOSTICS_PERIOD_S, self._on_slow)
        model, level = self._settings.vehicle_model_type, self._core.model.level
        self.get_logger().info(f"vehicle_model_type {model}: car {self._settings.vehicle}, {level}")

    def _subscribe(self) -> None:
        core = self._core

        def subscribe(kind: type, name: str, callback: Any, **options: Any) -> None:
            self.create_subscription(kind, name, callback, COMMAND_QOS, **options)

        if core.takes_pedals:
            self._pedals = ActuationCommands(
                self, self._on_actuation, lambda: core.now, topics.ACTUATION
            )
        else:
            subscribe(Control, topics.CONTROL, partial(self._on_control, manual=False))
        subscribe(Control, topics.MANUAL_CONTROL, partial(self._on_control, manual=True))
        subscribe(GearCommand, topics.GEAR, lambda m: core.on_gear(m.command))
        subscribe(GearCommand, topics.MANUAL_GEAR, lambda m: core.on_gear(m.command, manual=True))
        subscribe(TurnIndicatorsCommand, topics.TURN, lambda m: core.on_turn(m.command))
        subscribe(HazardLightsCommand, topics.HAZARD, lambda m: core.on_hazard(m.command))
        subscribe(Engage, topics.ENGAGE, lambda m: core.on_engage(m.engage))
        for name in (topics.TRAJECTORY, topics.TRAJECTORY_BEFORE_0_47):
            subscribe(Trajectory, name, partial(self._on_trajectory, name), raw=True)
        for name in (topics.INITIAL_POSE, topics.INITIAL_POSE_2D):
            subscribe(PoseWithCovarianceStamped, name, self._on_initial_pose)
        subscribe(TwistStamped, topics.INITIAL_TWIST, self._on_initial_twist)
        self.create_subscription(TFMessage, topics.TF, self._on_tf, topics.TF_QOS)
        self.create_subscription(TFMessage, topics.TF_STATIC, self._on_tf, topics.TF_STATIC_QOS)
        self.create_service(ControlModeCommand, topics.MODE_REQUEST, self._on_mode_request)

    def now(self) -> float:
        """Time of the clock that the simulator follows [s]."""
        return self._clock_ns() * NANOSECONDS if self._is_simulated else time.monotonic()

    def _clock_ns(self) -> int:
        return int(self.get_clock().now().nanoseconds)

    # ---- in --------------------------------------------------------------------------------------

    def _on_control(self, message: Control, *, manual: bool) -> None:
        self._core.on_control(control_value(message, self._core.now), manual=manual)

    def _on_actuation(self, command: Actuation) -> None:
        self._core.on_actuation(command)

    def _on_mode_request(
        self, request: ControlModeCommand.Request, response: ControlModeCommand.Response
    ) -> ControlModeCommand.Response:
        response.success = self._core.on_mode_request(request.mode)
        return response

    def _on_trajectory(self, name: str, message: bytes) -> None:
        if not self._core.on_trajectory(message):
            self._rejected[name] += 1

    def _on_initial_pose(self, message: PoseWithCovarianceStamped) -> None:
        """Put the car there, at rest."""
        header = message.header
        frame = header.frame_id.lstrip("/")
        placed = self._in_origin(frame, message.pose.pose)
        if placed is None:
            origin = self._settings.origin_frame_id
            self._refuse_pose(f"frame {frame}: must be {origin}, or joined to it by /tf")
            return
        axle = start_pose(placed.x_m, placed.y_m, placed[3:])
        if axle is None or not all(abs(number) <= LARGEST_POSITION_M for number in placed[:3]):
            self._refuse_pose("it has numbers that are no pose")
            return
        start = Start(axle.x_m, axle.y_m, placed.z_m, axle.yaw_rad)
        # A stamp of another clock, ahead of this one, would keep every trajectory out.
        now_ns = self._clock_ns()
        stamp_ns = header.stamp.sec * 10**9 + header.stamp.nanosec
        self._placed = start
        self._core.put(start, min(stamp_ns, now_ns) if stamp_ns > 0 else now_ns)

    def _in_origin(self, frame: str, pose: Pose) -> Placed | None:
        """Return a pose in the frame of the poses; None where no transform leads there."""
        position, turn = pose.position, pose.orientation
        placed = Placed(position.x, position.y, position.z, turn.x, turn.y, turn.z, turn.w)
        origin = self._settings.origin_frame_id
        at = HERE if frame in ("", origin) else self._frames.of(frame, origin)
        if at is None and {frame, origin} <= _WORLD:
            at = HERE
        return None if at is None else after(at, placed)

    def _on_tf(self, message: TFMessage) -> None:
        own = self._settings.simulated_frame_id
        for item in message.transforms:
            if (
                item.child_frame_id == own
                and item.header.frame_id == self._settings.origin_frame_id
            ):
                continue  # of this node
            at, turn = item.transform.translation, item.transform.rotation
            placed = Placed(at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w)
            self._frames.on_transform(item.header.frame_id, item.child_frame_id, placed)

    def _refuse_pose(self, why: str) -> None:
        self._rejected[topics.INITIAL_POSE] += 1
        self.get_logger().warning(f"initial pose ignored: {why}")

    def _on_initial_twist(self, message: TwistStamped) -> None:
        """Start with a speed from the latest initial pose."""
        speed_mps = message.twist.linear.x
        if self._placed is None or not abs(speed_mps) <= LARGEST_SPEED_MPS:
            self._rejected[topics.INITIAL_TWIST] += 1
            why = "no initial pose" if self._placed is None else f"speed {speed_mps:g} m/s"
            self.get_logger().warning(f"initial twist ignored: {why}")
            return
        self._core.put_moving(self._placed._replace(speed_mps=speed_mps))

    def _on_deviations(self, settings: SimulatorParameters) -> None:
        """Use x_stddev and y_stddev, which Autoware's own takes while it runs."""
        self._out.use_deviations(settings)

    # ---- out -------------------------------------------------------------------------------------

    def _on_timer(self) -> None:
        """Drive on to the time of the clock; publish."""
        now = self.now()
        for _ in range(self._periods.due(now)):
            self._core.step()
        self._log.write(self._core.take_notices(), now)
        stamp = self.get_clock().now().to_msg()
        mode = self._core.control_mode()
        if mode is not None:
            self._out.mode(mode, stamp)
        if not self._core.is_placed:
            return
        self._out.motion(self._noise(self._core.motion()), stamp)
        report = self._core.report()
        if report is not None:
            self._out.state(report, stamp)
        pedals = self._core.pedals() if self._core.takes_pedals else None
        if pedals is not None:
            self._out.pedals(pedals, stamp)
        if self._trace.get_subscription_count() > 0:
            self._publish_trace()

    def _publish_trace(self) -> None:
        side, output, core_now = self._core.pipeline.vehicle_side, self._core.output, self._core.now
        if output is None:
            return
        ahead_ns = self._clock_ns() - round(core_now / NANOSECONDS)

        def stamp(seconds: float) -> Time:
            if not math.isfinite(seconds) or abs(seconds) > 1e9:
                return Time()
            nanoseconds = max(0, round(seconds / NANOSECONDS) + ahead_ns)
            return Time(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)

        trace = command_trace(core_now, output.sent, side.encoded, side.report, side.judged)
        self._trace.publish(trace_message(trace, output.sent.command_id, stamp))

    def _on_slow(self) -> None:
        if self._pedals is not None:
            self._pedals.follow()
            self._out.actuation.follow(self._pedals.dialect)
        lines = [
            diagnostic(
                line.name,
                _LEVELS[line.severity],
                line.text,
                {"problems": line.problems},
                node=self.get_name(),
            )
            for line in self._core.diagnostics()
        ]
        if not self._core.is_placed:
            lines.append(diagnostic("initial pose", WARN, "waits for one", node=self.get_name()))
        lines += [self._rejected_line(), self._graph_health.line()]
        stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(diagnostics(lines, stamp, self.get_namespace(), ""))

    def _rejected_line(self) -> DiagnosticStatus:
        """What arrived and was of no use: a trajectory without points counts, too."""
        total, before = self._rejected.total(), self._rejected_before
        self._rejected_before = total
        is_new = total > before
        names = ", ".join(f"{name} {count}" for name, count in sorted(self._rejected.items()))
        text = f"rejected: {names}" if names else "nothing was rejected"
        level, name = (WARN if is_new else OK), self.get_name()
        return diagnostic("inputs", level, text, {"rejected": total}, node=name)


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run(NAME, lambda: [PlanningSimulatorNode()], arguments)


if __name__ == "__main__":
    sys.exit(main())
