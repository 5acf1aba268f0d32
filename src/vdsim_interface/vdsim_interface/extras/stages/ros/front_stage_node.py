"""A stage before the safety side, controller or filter, as a node."""

from __future__ import annotations

from typing import Any, ClassVar

from builtin_interfaces.msg import Time

from vdsim_interface.extras.stages.front_stage import FrontStage
from vdsim_interface.extras.stages.ros.sides import rejected
from vdsim_interface.pipeline.step_clock import TIME_JUMPED
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.values import Authority, Gear, Mode
from vdsim_msgs.msg import SafeCommand, VehicleControlCommand


class FrontStageNode(StageNode):
    """Commands in, vehicle commands out, a period at a time.

    A subclass subscribes to its commands, and gives `stage` a new one in `activate_stage`.
    """

    OUTPUT: ClassVar[str]
    stage: FrontStage[Any]

    def configure_stage(self) -> None:
        """Create the topics."""
        qos = topics.COMMAND_QOS
        commands = topics.HIGH_LEVEL_COMMAND, topics.VEHICLE_COMMAND
        self._passed_on = {t for t in commands if topics.SELECTED in self.resolve_topic_name(t)}
        self._output = self.create_checked_publisher(VehicleControlCommand, self.OUTPUT, qos)
        self.create_checked_subscription(SafeCommand, topics.SAFE_COMMAND, self._on_safe, qos)

    def received_s(self, stamp: Time, topic: str, now: float) -> float:
        """Return when a command was received [s]: by the safety stage, if that passes it on.

        It may pass the same one on again, which is no younger for that.
        """
        received_s = self.rounds.received_s(now, topic)
        if topic not in self._passed_on:
            return received_s
        return min(received_s, self.ros_time.at(now)(stamp))

    def on_state(self, gear: Gear, mode: Mode, authority: Authority) -> None:
        """Use what the safety stage has decided."""
        raise NotImplementedError

    def _on_safe(self, message: SafeCommand) -> None:
        try:
            state = Gear(message.body.gear), Mode(message.mode), Authority(message.authority)
        except ValueError as error:
            self.notice_log.write((rejected(topics.SAFE_COMMAND, error),), self.now())
            return
        self.on_state(*state)

    def restart(self, now: float) -> None:
        """After a backward jump of time: command nothing until the next command."""
        self.stage.restart()
        self.notice_log.write((TIME_JUMPED,), now)

    def tick(self, now: float) -> None:
        """Run the periods that are due; the last result holds."""
        for command in self.stage.results(now):
            self._output.publish(conversions.vehicle_command_message(command, self.ros_time.stamp))
