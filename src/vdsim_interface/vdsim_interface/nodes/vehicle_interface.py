"""The whole interface in one node: ROS in, pipeline, UDP out, and back.

This is the composition with the least latency. A command that arrives at the pipeline's rate goes
through and onto the wire inside its own callback.
"""

from __future__ import annotations

import sys
from typing import Any

from std_msgs.msg import Bool

from vdsim_interface.pipeline.output import PipelineOutput
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.vehicle_watch import silence
from vdsim_interface.ros import topics
from vdsim_interface.ros.change_mode import answer_change_mode
from vdsim_interface.ros.command_topics import COMMANDS
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.messages import status as status_topics
from vdsim_interface.ros.messages.auxiliary import auxiliary_command
from vdsim_interface.ros.messages.trace import trace_message
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.publishers.command_health import CommandHealth
from vdsim_interface.ros.publishers.diagnostics import HealthPublisher
from vdsim_interface.ros.publishers.safety_status import SafetyStatusPublisher
from vdsim_interface.ros.publishers.vehicle import VehiclePublisher
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.ros.timers import every
from vdsim_interface.ros.udp_endpoints import UdpEndpoints
from vdsim_interface.values import Command, ControlLevel, Notice
from vdsim_msgs.msg import (
    AuxiliaryCommand as AuxiliaryCommandMsg,
)
from vdsim_msgs.msg import CabinState as CabinStateMsg
from vdsim_msgs.msg import CommandTrace as CommandTraceMsg
from vdsim_msgs.msg import VehicleStateCommand
from vdsim_msgs.srv import ChangeMode


class VehicleInterface(StageNode):
    """Commands in, safe commands out, reports back."""

    def __init__(self) -> None:
        super().__init__("vehicle_interface", with_platform=True)
        self.output: OutputParameters = declare(self, OutputParameters())
        self._pipeline = self._make_pipeline(resolved=False)
        self._sockets: UdpEndpoints | None = None
        self._command_id = 0
        self._command_health = CommandHealth(self)
        self.seal_parameters()

    def _make_pipeline(self, *, resolved: bool) -> Pipeline:
        assert self.spec is not None
        platform = self.make_platform(resolved=resolved)
        return Pipeline(self.parameters, platform, self.spec.capabilities)

    # ---- lifecycle -----------------------------------------------------------------------------

    def configure_stage(self) -> None:
        """Make the topics and services."""
        for level, (kind, topic, _, convert) in COMMANDS.items():
            self.listen(kind, topic, self._command_callback(convert, level), topics.COMMAND_QOS)
        state_qos = topics.STATE_COMMAND_QOS
        self.listen(VehicleStateCommand, topics.STATE_COMMAND, self._on_state, state_qos)
        self.listen(CabinStateMsg, topics.CABIN_STATE, self._on_cabin, state_qos)
        self.listen(Bool, topics.DRIVER_OVERRIDE, self._on_override, state_qos)
        self.listen(AuxiliaryCommandMsg, topics.AUXILIARY_COMMAND, self._on_auxiliary, state_qos)
        self.create_service(ChangeMode, topics.CHANGE_MODE, self._on_change_mode)
        self._vehicle = VehiclePublisher(self, self.output)
        self._status = SafetyStatusPublisher(self, self.output)
        self._health = HealthPublisher(self)
        self._trace = self.tell(CommandTraceMsg, topics.COMMAND_TRACE, topics.RELIABLE_QOS)
        every(self, 1.0 / self.output.diagnostics_hz, self._on_slow)

    def activate_stage(self) -> None:
        """Open the sockets; the tick that follows sends the safe command."""
        pipeline = self._make_pipeline(resolved=True)
        pipeline.remember(self._pipeline)
        self._sockets = UdpEndpoints(pipeline.endpoints())
        self._pipeline = pipeline
        for name, (host, port) in self._sockets.bound().items():
            self.get_logger().info(f"{name}: listening on UDP {host}:{port}")
        level, platform = self.parameters.control_command, self.parameters.platform
        self.get_logger().info(f"active: platform {platform}, driven by {level} commands")

    def restart(self, now: float) -> None:
        """Time jumped back: what was heard before it does not count, and autonomy ends."""
        self._report(self._pipeline.restart(), now)

    def deactivate_stage(self) -> None:
        """The last command on the wire is the safe one."""
        sockets, self._sockets = self._sockets, None
        if sockets is None:
            return
        now = self.now()
        try:
            output = self._pipeline.stop(now)
            sockets.send(output.datagrams)
            self._report(sockets.news(), now)
        finally:
            sockets.close()
        self._tell(output, now)

    def reconfigure(self, parameters: InterfaceParameters) -> None:
        """Hand changed parameters to the pipeline."""
        self._pipeline.configure(parameters)

    # ---- what comes in -------------------------------------------------------------------------

    def _command_callback(self, convert: Any, level: ControlLevel) -> Any:
        def on_command(message: Any) -> None:
            now = self.now()
            command: Command = convert(message, now)
            self._command_id += 1
            notices = self._pipeline.on_command(command, now)
            if level is self._pipeline.level:
                self.arrived(now)
            self._report(notices, now)

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
        command = auxiliary_command(message, now, self.get_logger())
        if command is not None:
            self._report(self._pipeline.on_auxiliary(command, now), now)

    def _on_change_mode(
        self, request: ChangeMode.Request, response: ChangeMode.Response
    ) -> ChangeMode.Response:
        now = self.now()
        self._report(answer_change_mode(self._pipeline, request, response, now), now)
        return response

    def poll(self, now: float) -> None:
        """Take what the vehicle has sent."""
        if self._sockets is None:
            return
        for data, source, endpoint in self._sockets.drain():
            before = self._pipeline.vehicle
            self._report(self._pipeline.on_datagram(data, source, endpoint, now), now)
            vehicle = self._pipeline.vehicle
            if vehicle is not None and vehicle is not before:
                self._vehicle.packet(vehicle)

    # ---- what goes out -------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """One period: command to the vehicle first, then what the stack is told."""
        datagrams = self._pipeline.decide(now)
        if self._sockets is not None:
            self._sockets.send(datagrams)
            self._report(self._sockets.news(), now)
        self._tell(self._pipeline.conclude(now), now)

    def _tell(self, output: PipelineOutput, now: float) -> None:
        self._report(output.notices, now)
        state = self._pipeline.state_report()
        if output.vehicle is not None and state is not None:
            self._vehicle.motion(output.vehicle)
            self._vehicle.state(state, output.vehicle.stamp_s, now)
        else:
            self._vehicle.mode(self._pipeline.mode)
        self._status.tell(self._pipeline.status(now), now)
        if self._trace.get_subscription_count() > 0:
            self._trace.publish(trace_message(output.trace, self._command_id))

    def _report(self, notices: tuple[Notice, ...], now: float) -> None:
        if notices:
            self._status.take(notices)
            self.notice_log.write(notices, now)

    def _on_slow(self) -> None:
        """At about 1 Hz: diagnostics, link status, who listens."""
        now = self.now()
        self._vehicle.look_for_listeners()
        if not self.is_active or self._sockets is None:
            return
        status = self._pipeline.status(now)
        statistics = {**self._pipeline.link_statistics(now), **self._sockets.counts()}
        lines = [
            *self._command_health.look(
                status, self._pipeline.blocked(now), self._pipeline.dropped(now)
            ),
            status_topics.link_diagnostic(
                silence(status.report_age_s, self.parameters.safety.report_timeout_s),
                statistics,
            ),
            status_topics.tracking_diagnostic(self._pipeline.tracking()),
        ]
        self._health.tell(lines, statistics, self._pipeline.endpoints(), now)


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
