"""What the whole interface is to ROS, whoever judges: in this process, or in the guard's.

Both nodes have the same topics, services and ports, and a command of the stack enters by one door:
converted, stamped with its time of receipt, selected by the arbiter, and then passed on.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from vdsim_interface.arbitration.interface_parameters import ArbitrationParameters
from vdsim_interface.guard.tape import on_tape
from vdsim_interface.pipeline.output import Motion
from vdsim_interface.ros import topics
from vdsim_interface.ros.command_topics import CommandConverter
from vdsim_interface.ros.intake_port import IntakePort
from vdsim_interface.ros.messages.auxiliary import auxiliary_command
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.platform_node import PlatformNode
from vdsim_interface.ros.safety_port import KeepsSession, SafetyPort, SafetyRequests
from vdsim_interface.ros.timers import every
from vdsim_interface.ros.vehicle_port import VehiclePort
from vdsim_interface.values import AuxiliaryCommand, Command, ControlLevel, VehicleCommand
from vdsim_msgs.msg import AuxiliaryCommand as AuxiliaryCommandMsg


class InterfaceNode(PlatformNode):
    """The topics, services and ports; a subclass says what becomes of what enters."""

    def __init__(self) -> None:
        super().__init__("vehicle_interface")
        self.output: OutputParameters = declare(self, OutputParameters())
        self.arbitration = declare(self, ArbitrationParameters())

    def open_ports(
        self,
        side: SafetyRequests,
        keeper: KeepsSession,
        motion: Callable[[], Motion],
        deliver: Callable[[Command, float], None],
        override: Callable[[VehicleCommand, float], None],
    ) -> None:
        """Create the topics and services; the arguments are those of SafetyPort and IntakePort."""
        self.create_command_subscriptions(self.command_callback)
        qos = topics.STATE_COMMAND_QOS
        self.create_checked_subscription(
            AuxiliaryCommandMsg, topics.AUXILIARY_COMMAND, self._on_auxiliary, qos
        )
        self.safety_port = SafetyPort(self, self.output, side, keeper)
        self.intake_port = IntakePort(
            self, self.arbitration, self.safety_port, motion, deliver, override
        )
        self.intake = on_tape(self.intake_port.desk).intake
        self.vehicle_port = VehiclePort(self, self.output)
        every(self, 1.0 / self.output.diagnostics_hz, self._on_slow)

    def command_callback(
        self, convert: CommandConverter, level: ControlLevel
    ) -> Callable[[Any], None]:
        """Return the callback of one command topic."""

        def on_command(message: Any) -> None:
            now = self.now()
            received = convert(message, self.rounds.received_s(now, level.value))
            command = self.intake_port.desk.on_stack(received, now)
            if command is not None:
                self.use_command(command, level, now)

        return on_command

    def _on_auxiliary(self, message: AuxiliaryCommandMsg) -> None:
        now = self.now()
        command = auxiliary_command(message, now, self.get_logger())
        if command is not None:
            self.use_auxiliary(command, now)

    @abstractmethod
    def use_command(self, command: Command, level: ControlLevel, now: float) -> None:
        """Use what the arbiter passes of the stack's commands; `level`: of its topic."""

    @abstractmethod
    def use_auxiliary(self, command: AuxiliaryCommand, now: float) -> None:
        """Use additional platform-specific control values."""

    @abstractmethod
    def _on_slow(self) -> None:
        """At about 1 Hz: diagnostics, link status, who subscribes."""
