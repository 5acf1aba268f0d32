"""The whole interface in one node: ROS in, pipeline, UDP out, and back.

This is the composition with the least latency. A command that arrives at the pipeline's rate is
processed and sent within its own callback.
"""

from __future__ import annotations

import sys

from rclpy.node import Node

from vdsim_interface.guard.tape import on_tape
from vdsim_interface.nodes.interface_node import InterfaceNode
from vdsim_interface.pipeline.output import PipelineOutput
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.ros.beside import beside
from vdsim_interface.ros.node_main import run
from vdsim_interface.values import (
    AuxiliaryCommand,
    Command,
    ControlLevel,
    VehicleReport,
)


class VehicleInterface(InterfaceNode):
    """Receives commands, sends safe commands, publishes reports. Wraps a Pipeline."""

    def __init__(self) -> None:
        super().__init__()
        self.pipeline = self._make_pipeline(resolved=False)
        self.seal_parameters()

    def _make_pipeline(self, *, resolved: bool) -> Pipeline:
        platform = self.make_platform(resolved=resolved)
        made = Pipeline(self.parameters, platform, self.spec.capabilities)
        return on_tape(made, self.parameters, self.made_of)

    # ---- lifecycle -------------------------------------------------------------------------------

    def configure_stage(self) -> None:
        """Create the topics and services."""
        pipeline = self.pipeline
        self.open_ports(
            pipeline.safety_side,
            pipeline,
            lambda: self.pipeline.motion(),
            self._deliver,
            lambda command, now: self.pipeline.override(command, now),
        )

    def activate_stage(self) -> None:
        """Open the sockets; the next tick sends the safe command."""
        pipeline = self._make_pipeline(resolved=True)
        pipeline.restore_from(self.pipeline)
        self.vehicle_port.open(pipeline.vehicle_side.endpoints())
        self.pipeline = pipeline
        self.safety_port.side, self.safety_port.keeper = pipeline.safety_side, pipeline
        level, platform = self.parameters.control_command, self.parameters.platform
        self.get_logger().info(f"active: platform {platform}, control_command: {level}")

    def restart(self, now: float) -> None:
        """Discard everything received before a backward jump of time; autonomy ends."""
        self.intake.restart()
        self.safety_port.report(self.pipeline.restart(), now)

    def on_stall(self, stall_s: float, now: float) -> None:
        """Report it; a long one ends autonomy."""
        self.safety_port.report(self.pipeline.safety_side.on_stall(stall_s), now)

    def on_memory(self, why: str) -> None:
        """End autonomy while there is memory for it; refuse it until there is enough again."""
        self.safety_port.report(self.pipeline.safety_side.on_process_fault(why), self.now())

    def deactivate_stage(self) -> None:
        """The last command that is sent is the safe one."""
        now = self.now()
        try:
            output = self.pipeline.stop(now)
            self.vehicle_port.send(output.datagrams, now)
        finally:
            self.vehicle_port.close()
        self.publish_output(output, now)
        self.safety_port.end_session()

    def frozen_because(self) -> str:
        """Why frozen parameters cannot change now."""
        return self.pipeline.safety_side.frozen_because

    def reconfigure(self, parameters: InterfaceParameters) -> None:
        """Pass changed parameters to the pipeline."""
        self.pipeline.configure(parameters)

    # ---- input -----------------------------------------------------------------------------------

    def use_command(self, command: Command, level: ControlLevel, now: float) -> None:
        """Pass a command of the stack to the pipeline."""
        notices = self.pipeline.on_command(command, now)
        if not notices:
            self.intake.latest = command
        if level is self.pipeline.safety_side.level:
            self.rounds.arrived(now)
        self.safety_port.report(notices, now)

    def _deliver(self, command: Command, now: float) -> None:
        """Use a command of another source than the stack."""
        self.safety_port.report(self.pipeline.on_command(command, now), now)

    def use_auxiliary(self, command: AuxiliaryCommand, now: float) -> None:
        """Pass additional control values to the vehicle side."""
        self.safety_port.report(self.pipeline.vehicle_side.on_auxiliary(command, now), now)

    def poll(self, now: float) -> None:
        """Process the datagrams received from the vehicle."""
        for data, source, endpoint in self.vehicle_port.received(self.pipeline.vehicle_side, now):
            report, notices = self.pipeline.on_datagram(data, source, endpoint, now)
            self.safety_port.report(notices, now)
            if report is not None:
                self.publish_report(report)

    # ---- output ----------------------------------------------------------------------------------

    def publish_report(self, report: VehicleReport) -> None:
        """Publish what the vehicle has reported."""
        self.vehicle_port.publish_report(report)

    def tick(self, now: float) -> None:
        """One period: send the command first, then publish the topics."""
        if self.intake.watches:
            self.intake_port.desk.tick(now)
        self.vehicle_port.send(self.pipeline.decide(now), now)
        self.publish_output(self.pipeline.after_send(now), now)
        self.intake_port.after_tick(now)

    def publish_output(self, output: PipelineOutput, now: float) -> None:
        """Publish the results of a period."""
        side = self.pipeline.vehicle_side
        self.safety_port.report(output.notices, now)
        self.vehicle_port.publish_vehicle(side, now)
        self.safety_port.publish_status(now)
        self.vehicle_port.use_sent(side, output.sent, now)

    def _on_slow(self) -> None:
        """At about 1 Hz: diagnostics, link status, who subscribes."""
        now = self.now()
        lines = self.safety_port.health(now) if self.is_active else []
        lines += self.intake_port.lines(now) if self.is_active else []
        self.vehicle_port.publish_health(self.pipeline.vehicle_side, lines, now)


def make(kind: type[VehicleInterface] = VehicleInterface) -> list[Node]:
    """Create and start the node, and the adapter that `process.adapter` names."""
    node = kind()
    node.start()
    if node.process.adapter == "none":
        return [node]
    return [node, beside(node.process.adapter)(node)]


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("vehicle_interface", make, arguments)


if __name__ == "__main__":
    sys.exit(main())
