"""The whole interface in one node: ROS in, pipeline, UDP out, and back.

This is the composition with the least latency. A command that arrives at the pipeline's rate goes
through and onto the wire inside its own callback.
"""

from __future__ import annotations

import sys
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from std_msgs.msg import Bool

from vdsim_interface.interface_parameters import InterfaceParameters
from vdsim_interface.nodes import conversions, status_topics, topics
from vdsim_interface.nodes.output_parameters import OutputParameters
from vdsim_interface.nodes.ros_parameters import declare
from vdsim_interface.nodes.running import run
from vdsim_interface.nodes.stage_node import StageNode
from vdsim_interface.nodes.trace_conversion import trace_message
from vdsim_interface.nodes.udp_endpoints import UdpEndpoints
from vdsim_interface.nodes.vehicle_topics import VehicleTopics
from vdsim_interface.pipeline import Pipeline
from vdsim_interface.values import AuxiliaryCommand, Command, ControlLevel, Mode, Report
from vdsim_msgs.msg import (
    AuxiliaryCommand as AuxiliaryCommandMsg,
)
from vdsim_msgs.msg import CabinState as CabinStateMsg
from vdsim_msgs.msg import CommandTrace as CommandTraceMsg
from vdsim_msgs.msg import (
    HighLevelControlCommand,
    LinkStatus,
    RawControlCommand,
    SafetyStatus,
    VehicleControlCommand,
    VehicleStateCommand,
)
from vdsim_msgs.srv import ChangeMode

LEVEL_TOPICS = {
    ControlLevel.RAW: (RawControlCommand, topics.RAW_COMMAND, conversions.raw_command),
    ControlLevel.VEHICLE: (
        VehicleControlCommand,
        topics.VEHICLE_COMMAND,
        conversions.vehicle_command,
    ),
    ControlLevel.HIGH_LEVEL: (
        HighLevelControlCommand,
        topics.HIGH_LEVEL_COMMAND,
        conversions.high_level_command,
    ),
}


class VehicleInterface(StageNode):
    """Commands in, safe commands out, reports back."""

    def __init__(self) -> None:
        super().__init__("vehicle_interface", with_platform=True)
        self.output = declare(self, OutputParameters())
        self._pipeline = self._make_pipeline()
        self._sockets: UdpEndpoints | None = None
        self._memory = status_topics.SafetyMemory()
        self._command_id = 0
        self._peer = ""
        self._told_mode: Mode | None = None
        self._told_status_s = -1e9
        self.parameters_complete()

    def _make_pipeline(self) -> Pipeline:
        return Pipeline(self.parameters, self.make_platform())

    # ---- lifecycle -----------------------------------------------------------------------------

    def configure_stage(self) -> None:
        """Make the topics and services."""
        for level, (kind, topic, convert) in LEVEL_TOPICS.items():
            leads = level is self.parameters.level
            self.listen(kind, topic, self._command_callback(convert, leads), topics.COMMAND_QOS)
        state_qos = topics.STATE_COMMAND_QOS
        self.listen(VehicleStateCommand, topics.STATE_COMMAND, self._on_state, state_qos)
        self.listen(CabinStateMsg, topics.CABIN_STATE, self._on_cabin, state_qos)
        self.listen(Bool, topics.DRIVER_OVERRIDE, self._on_override, state_qos)
        self.listen(AuxiliaryCommandMsg, topics.AUXILIARY_COMMAND, self._on_auxiliary, state_qos)
        self.create_service(ChangeMode, topics.CHANGE_MODE, self._on_change_mode)
        self._vehicle = VehicleTopics(self, self.output)
        self._status = self.tell(SafetyStatus, topics.SAFETY_STATUS, topics.REPORT_QOS)
        self._link = self.tell(LinkStatus, topics.LINK_STATUS, topics.RELIABLE_QOS)
        self._trace = self.tell(CommandTraceMsg, topics.COMMAND_TRACE, topics.RELIABLE_QOS)
        self._diagnostics = self.tell(DiagnosticArray, topics.DIAGNOSTICS, topics.RELIABLE_QOS)
        self.create_timer(1.0 / self.output.diagnostics_hz, self._on_slow)

    def activate_stage(self) -> None:
        """Open the sockets; the tick that follows sends the safe command."""
        self._pipeline = self._make_pipeline()
        self._sockets = UdpEndpoints(self._pipeline.endpoints())
        peers = [a for endpoint in self._pipeline.endpoints() for a in endpoint.send_to]
        self._peer = ", ".join(f"{host}:{port}" for host, port in peers)
        for name, (host, port) in self._sockets.bound().items():
            self.get_logger().info(f"{name}: listening on UDP {host}:{port}")
        level, platform = self.parameters.control_command, self.parameters.platform
        self.get_logger().info(f"active: platform {platform}, driven by {level} commands")

    def deactivate_stage(self) -> None:
        """The last command on the wire is the safe one."""
        output = self._pipeline.stop(self.now())
        if self._sockets is not None:
            self._sockets.send(output.datagrams)
            self._sockets.close()
            self._sockets = None

    def reconfigure(self, parameters: InterfaceParameters) -> None:
        """Hand changed parameters to the pipeline."""
        self._pipeline.configure(parameters)

    # ---- what comes in -------------------------------------------------------------------------

    def _command_callback(self, convert: Any, leads: bool) -> Any:
        def on_command(message: Any) -> None:
            now = self.now()
            command: Command = convert(message, now)
            self._command_id += 1
            self._report(self._pipeline.on_command(command, now), now)
            if leads:
                self.arrived(now)

        return on_command

    def _on_state(self, message: VehicleStateCommand) -> None:
        now = self.now()
        self._report(self._pipeline.on_state_message(conversions.state_message(message), now), now)

    def _on_cabin(self, message: CabinStateMsg) -> None:
        self._pipeline.on_cabin(conversions.cabin_state(message), self.now())

    def _on_override(self, message: Bool) -> None:
        now = self.now()
        self._report(self._pipeline.on_driver_override(message.data, now), now)

    def _on_auxiliary(self, message: AuxiliaryCommandMsg) -> None:
        now = self.now()
        if len(message.names) != len(message.values):
            self.get_logger().error(
                f"{topics.AUXILIARY_COMMAND} dropped: {len(message.names)} names and "
                f"{len(message.values)} values"
            )
            return
        values = tuple(zip(message.names, message.values, strict=True))
        self._report(self._pipeline.on_auxiliary(AuxiliaryCommand(now, values), now), now)

    def _on_change_mode(
        self, request: ChangeMode.Request, response: ChangeMode.Response
    ) -> ChangeMode.Response:
        now = self.now()
        if request.request not in (request.REQUEST_ENGAGE, request.REQUEST_DISENGAGE):
            response.success, response.mode = False, int(self._pipeline.mode)
            response.reason = f"request={request.request}: must be 0 (disengage) or 1 (engage)"
            return response
        engage = request.request == request.REQUEST_ENGAGE
        result, reports = self._pipeline.on_change_mode(engage, now)
        self._report(reports, now)
        response.success, response.reason = result.success, result.reason
        response.mode = int(result.mode)
        return response

    def poll(self, now: float) -> None:
        """Take what the vehicle has sent."""
        if self._sockets is None:
            return
        for data, source, endpoint in self._sockets.drain():
            self._report(self._pipeline.on_datagram(data, source, endpoint, now), now)
            vehicle = self._pipeline.vehicle
            if vehicle is not None:
                self._vehicle.packet(vehicle)

    # ---- what goes out -------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """One period: command to the vehicle first, then what the stack is told."""
        output = self._pipeline.tick(now)
        if self._sockets is not None:
            self._sockets.send(output.datagrams)
        self._report(output.reports, now)
        if output.vehicle is not None:
            self._vehicle.motion(output.vehicle)
            state = self._pipeline.state_report()
            if state is not None:
                self._vehicle.state(state, output.vehicle.stamp_s, now)
        self._tell_status(output.mode, now)
        if self._trace.get_subscription_count() > 0:
            self._trace.publish(trace_message(output.trace, self._command_id))

    def _report(self, reports: tuple[Report, ...], now: float) -> None:
        if reports:
            self._memory.take(reports)
            self.report_log.write(reports, now)

    def _tell_status(self, mode: Mode, now: float) -> None:
        due = not 0.0 <= now - self._told_status_s < 1.0 / self.output.state_report_hz
        if mode is not self._told_mode or due:
            self._told_mode, self._told_status_s = mode, now
            status = self._pipeline.status(now)
            timeout_s = self.parameters.command_timeout_s
            link = self._link_reason(now)
            self._status.publish(self._memory.message(status, timeout_s, link, now))

    def _link_reason(self, now: float) -> str:
        age_s = self._pipeline.status(now).report_age_s
        if age_s <= self.parameters.safety.report_timeout_s:
            return ""
        if age_s == float("inf"):
            return "no report from the vehicle yet"
        return f"no report from the vehicle for {age_s:.1f} s"

    def _on_slow(self) -> None:
        """At about 1 Hz: diagnostics, link status, who listens."""
        now = self.now()
        self._vehicle.look_for_listeners()
        if not self.is_active:
            return
        status = self._pipeline.status(now)
        reason = self._link_reason(now)
        statistics = self._pipeline.link_statistics(now)
        topic = LEVEL_TOPICS[self.parameters.level][1]
        publishers = self.count_publishers(topic)
        self._diagnostics.publish(
            status_topics.diagnostics(
                [
                    status_topics.mode_diagnostic(status),
                    status_topics.command_diagnostic(
                        status.command_age_s, self.parameters.command_timeout_s, publishers, topic
                    ),
                    status_topics.link_diagnostic(reason, statistics),
                    status_topics.follow_diagnostic(self._pipeline.follow()),
                ],
                now,
            )
        )
        if statistics:
            self._link.publish(
                status_topics.link_message(
                    statistics,
                    self._peer,
                    self.parameters.safety.report_timeout_s,
                    "safe stop; odometry and reports are not published",
                    now,
                )
            )


def make() -> list[VehicleInterface]:
    """The node, started."""
    node = VehicleInterface()
    node.start()
    return [node]


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("vehicle_interface", make, arguments)


if __name__ == "__main__":
    sys.exit(main())
