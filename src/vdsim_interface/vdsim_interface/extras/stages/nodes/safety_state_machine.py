"""Stage `safety_state_machine` as a node: commands and requests in, stages/safe_command out."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, ClassVar

from vdsim_interface.arbitration.interface_parameters import ArbitrationParameters
from vdsim_interface.extras.stages.ros.sides import (
    feedback_value,
    rejected,
    safe_command_message,
)
from vdsim_interface.extras.stages.safety_stage import SafetyStage
from vdsim_interface.extras.stages.staged_side import StagedSide
from vdsim_interface.guard.tape import on_tape
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.ros import topics
from vdsim_interface.ros.command_topics import COMMANDS
from vdsim_interface.ros.intake_port import IntakePort
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.publishers.diagnostics import DiagnosticsPublisher
from vdsim_interface.ros.safety_port import SafetyPort
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.ros.timers import every
from vdsim_interface.values import LEVEL_OF, Command, ControlLevel
from vdsim_msgs.msg import PlatformReport, SafeCommand, VehicleControlCommand


class SafetyStateMachineNode(StageNode):
    """Decides who drives and which commands pass. Wraps a SafetyStage."""

    LIVE_PARAMETERS = ("safety.", "vehicle.wheelbase_m", "vehicle.understeer_gradient_rad_s2pm")
    COUPLED_PARAMETERS: ClassVar = {
        "safety.auto_gear_deadzone_mps2": "controller.launch_accel_mps2"
    }

    def __init__(self) -> None:
        super().__init__("safety_state_machine")
        self.output: OutputParameters = declare(self, OutputParameters())
        rear_steering = self.find_platform().capabilities.rear_steering
        self.stage = on_tape(SafetyStage(self.parameters, rear_steering=rear_steering))
        self.arbitration = declare(self, ArbitrationParameters())
        self.seal_parameters()

    @property
    def side(self) -> StagedSide:
        """The safety side, another one after each activation."""
        return self.stage.side

    def configure_stage(self) -> None:
        """Create the topics and the service."""
        qos = topics.COMMAND_QOS
        self._output = self.create_checked_publisher(SafeCommand, topics.SAFE_COMMAND, qos)
        self.safety_port = SafetyPort(self, self.output, self.side, self.side)
        self.intake_port = IntakePort(
            self,
            self.arbitration,
            self.safety_port,
            self.stage.motion,
            self._deliver,
            self.stage.override,
        )
        self.intake = on_tape(self.intake_port.desk).intake
        # What was selected, for the stages before this one.
        self._selected = {
            level: self.create_checked_publisher(kind, f"{topics.SELECTED}/{topic}", qos)
            for level, (kind, topic, _, _) in COMMANDS.items()
        }
        self._diagnostics = DiagnosticsPublisher(self)
        every(self, 1.0 / self.output.diagnostics_hz, self._on_slow)
        own = self.parameters.level
        # The stack's commands: counted and checked here, whichever stage uses them.
        self.create_command_subscriptions(
            lambda convert, level: partial(self._on_command, convert, level)
        )
        # The results of the earlier stages.
        if own is not ControlLevel.RAW:
            self.create_checked_subscription(
                VehicleControlCommand, topics.FILTERED_COMMAND, self._on_filtered, qos
            )
        if own is ControlLevel.HIGH_LEVEL:
            self.create_checked_subscription(
                VehicleControlCommand, topics.CONTROLLED_COMMAND, self._on_controlled, qos
            )
        report_qos = topics.STATE_COMMAND_QOS
        self.create_checked_subscription(
            PlatformReport, topics.PLATFORM_REPORT, self._on_feedback, report_qos
        )

    def activate_stage(self) -> None:
        """Reset, with the current parameters; the driver's standing requests are kept."""
        self.stage.activate(self.parameters)
        self.safety_port.side = self.safety_port.keeper = self.side

    def on_stall(self, stall_s: float, now: float) -> None:
        """Report it; a long one ends autonomy."""
        self.safety_port.report(self.side.on_stall(stall_s), now)

    def on_memory(self, why: str) -> None:
        """End autonomy while there is memory for it; refuse it until there is enough again."""
        self.safety_port.report(self.side.on_process_fault(why), self.now())

    def deactivate_stage(self) -> None:
        """End autonomy; send the safe command to the platform stage."""
        now = self.now()
        self.safety_port.report(self.side.stop(), now)
        self.tick(now)
        self.safety_port.end_session()

    def frozen_because(self) -> str:
        """Why frozen parameters cannot change now."""
        return self.side.frozen_because

    def reconfigure(self, parameters: InterfaceParameters) -> None:
        """Use changed limits."""
        self.stage.configure(parameters)

    def restart(self, now: float) -> None:
        """Discard what was received before a backward jump of time; autonomy ends."""
        self.intake.restart()
        self.safety_port.report(self.side.restart(), now)

    # ---- input -----------------------------------------------------------------------------------

    def _on_command(self, convert: Any, level: ControlLevel, message: Any) -> None:
        now = self.now()
        received = convert(message, self.rounds.received_s(now, level.value))
        command = self.intake_port.desk.on_stack(received, now)
        if command is None:
            return
        if self._use(command, now):
            self.intake.latest = command
            if level is ControlLevel.RAW:
                self.rounds.arrived(now)

    def _use(self, command: Command, now: float) -> bool:
        """Use a command, and pass it to the stages before this one; False for a rejected one."""
        notices = self.stage.on_command(command, now)
        self.safety_port.report(notices, now)
        if notices:
            return False
        level = LEVEL_OF[type(command)]
        message = COMMANDS[level].message(command)
        message.stamp = self.ros_time.stamp(command.stamp_s)
        self._selected[level].publish(message)
        return True

    def _deliver(self, command: Command, now: float) -> None:
        """Use a command of another source than the stack."""
        self._use(command, now)

    def _on_controlled(self, message: VehicleControlCommand) -> None:
        seconds = self.ros_time.at(self.now())
        self.side.on_controlled(conversions.relayed_command(message, seconds))

    def _on_filtered(self, message: VehicleControlCommand) -> None:
        now = self.now()
        if self.stage.on_filtered(conversions.relayed_command(message, self.ros_time.at(now))):
            self.rounds.arrived(now)

    def _on_feedback(self, message: PlatformReport) -> None:
        now = self.now()
        self.rounds.look(now)  # else what happened meanwhile would end autonomy, not our stall
        try:
            feedback = feedback_value(message, self.ros_time.at(now))
        except ValueError as error:
            notice = rejected(topics.PLATFORM_REPORT, error)
            self.safety_port.report((self.side.count(notice.kind, notice.text),), now)
            return
        self.safety_port.report(self.stage.on_feedback(feedback, now), now)

    # ---- output ----------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Run the periods that are due."""
        if self.intake.watches:
            self.intake_port.desk.tick(now)
        for safe, notices in self.stage.results(now):
            self.safety_port.report(notices, now)
            self._output.publish(safe_command_message(safe, self.ros_time.stamp))
        self.safety_port.publish_status(now)
        self.intake_port.after_tick(now)

    def _on_slow(self) -> None:
        """At about 1 Hz: who drives and who commands; the platform's stage reports the rest."""
        if self.is_active:
            now = self.now()
            lines = [*self.safety_port.health(now), *self.intake_port.lines(now)]
            self._diagnostics.publish(lines, now)


def make() -> list[SafetyStateMachineNode]:
    """Create and start the node."""
    node = SafetyStateMachineNode()
    node.start()
    return [node]


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("safety_state_machine", make, arguments)


if __name__ == "__main__":
    sys.exit(main())
