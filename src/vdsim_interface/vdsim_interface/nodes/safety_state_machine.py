"""Stage `safety_state_machine` as a node: commands and requests in, stages/safe_command out."""

from __future__ import annotations

import math
import sys
from collections import deque
from functools import partial
from typing import ClassVar

from std_msgs.msg import Bool

from vdsim_interface.pipeline.output import smoothing
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.step_clock import TIME_JUMPED, StepClock
from vdsim_interface.ros import topics
from vdsim_interface.ros.change_mode import answer_change_mode
from vdsim_interface.ros.command_topics import COMMANDS
from vdsim_interface.ros.messages import conversions
from vdsim_interface.ros.messages.sides import (
    body_state,
    driver_activity,
    dropped,
    received_command,
    safe_command_message,
)
from vdsim_interface.ros.messages.trace import trace_message
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.publishers.command_health import CommandHealth
from vdsim_interface.ros.publishers.diagnostics import DiagnosticsPublisher
from vdsim_interface.ros.publishers.safety_status import SafetyStatusPublisher
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.ros.timers import every
from vdsim_interface.safety import Safety
from vdsim_interface.trace.trace import CommandTrace
from vdsim_interface.values import (
    NO_DRIVER,
    Command,
    ControlLevel,
    DriverActivity,
    HighLevelCommand,
    Mode,
    Notice,
    RawCommand,
    VehicleCommand,
)
from vdsim_msgs.msg import CabinState as CabinStateMsg
from vdsim_msgs.msg import (
    HighLevelControlCommand,
    PlatformReport,
    RawControlCommand,
    SafeCommand,
    VehicleControlCommand,
    VehicleStateCommand,
)
from vdsim_msgs.srv import ChangeMode


class SafetyStateMachineNode(StageNode):
    """Who drives, and what of the commands is let through."""

    LIVE_PARAMETERS = ("safety.", "vehicle.wheelbase_m")
    COUPLED_PARAMETERS: ClassVar = {
        "safety.auto_gear_deadzone_mps2": "controller.launch_accel_mps2"
    }

    def __init__(self) -> None:
        super().__init__("safety_state_machine", with_platform=False)
        self.output: OutputParameters = declare(self, OutputParameters())
        self._command_health = CommandHealth(self)
        self._rear_steering = self.find_platform().capabilities.rear_steering
        self._core = self._make_core()
        self._periods = StepClock(self.parameters.period_s)
        self._command: VehicleCommand | RawCommand | None = None
        self._received: Command | None = None
        self._controlled: VehicleCommand | None = None
        self._before_filter: deque[VehicleCommand] = deque(maxlen=2)
        self._command_id = 0
        self._switch = False
        self._driver: DriverActivity = NO_DRIVER
        self._told_mode: Mode | None = None
        self._last_report = PlatformReport()
        self.seal_parameters()

    def _make_core(self) -> Safety:
        p = self.parameters
        return Safety(
            p.safety,
            p.vehicle,
            p.period_s,
            p.command_timeout_s,
            rear_steering=self._rear_steering,
        )

    def configure_stage(self) -> None:
        """Make the topics and the service."""
        qos, state_qos = topics.COMMAND_QOS, topics.STATE_COMMAND_QOS
        self._output = self.tell(SafeCommand, topics.SAFE_COMMAND, qos)
        self._status = SafetyStatusPublisher(self, self.output)
        self._diagnostics = DiagnosticsPublisher(self)
        every(self, 1.0 / self.output.diagnostics_hz, self._on_slow)
        level = self.parameters.level
        if level is ControlLevel.RAW:
            self.listen(RawControlCommand, topics.RAW_COMMAND, self._on_raw, qos)
        else:
            self.listen(VehicleControlCommand, topics.FILTERED_COMMAND, self._on_filtered, qos)
        if level is ControlLevel.HIGH_LEVEL:
            self.listen(HighLevelControlCommand, topics.HIGH_LEVEL_COMMAND, self._seen_high, qos)
            self.listen(VehicleControlCommand, topics.CONTROLLED_COMMAND, self._seen_first, qos)
        elif level is ControlLevel.VEHICLE:
            self.listen(VehicleControlCommand, topics.VEHICLE_COMMAND, self._seen_first, qos)
        for other, (kind, topic, _, _) in COMMANDS.items():
            if other is not level:
                self.listen(kind, topic, partial(self._on_other_level, other), qos)
        self.listen(PlatformReport, topics.PLATFORM_REPORT, self._on_report, state_qos)
        self.listen(VehicleStateCommand, topics.STATE_COMMAND, self._on_state, state_qos)
        self.listen(CabinStateMsg, topics.CABIN_STATE, self._on_cabin, state_qos)
        self.listen(Bool, topics.DRIVER_OVERRIDE, self._on_override, state_qos)
        self.create_service(ChangeMode, topics.CHANGE_MODE, self._on_change_mode)

    def activate_stage(self) -> None:
        """Begin afresh, by the parameters of now; what people did before still holds."""
        core = self._make_core()
        core.remember(self._core)
        self._core = core
        self._command = self._received = self._controlled = None
        self._before_filter.clear()
        self._periods = StepClock(self.parameters.period_s)

    def deactivate_stage(self) -> None:
        """Autonomy ends; the platform is told."""
        self._report(self._core.stop(), self.now())
        self.tick(self.now())

    def reconfigure(self, parameters: InterfaceParameters) -> None:
        """Take changed limits."""
        self._core.configure(parameters.safety, parameters.vehicle)

    # ---- what comes in -------------------------------------------------------------------------

    def _on_raw(self, message: RawControlCommand) -> None:
        now = self.now()
        self._command = self._received = conversions.raw_command(message, now)
        self._command_id += 1
        self.arrived(now)

    def _on_filtered(self, message: VehicleControlCommand) -> None:
        now = self.now()
        self._command = received_command(message, now)
        self._controlled = self._behind(self._command)
        self.arrived(now)

    def _behind(self, filtered: VehicleCommand) -> VehicleCommand | None:
        """What the filter made it of. The one after that may have come here before it."""
        context = self._before_filter
        same = (command for command in reversed(context) if command[1:] == filtered[1:])
        return next(same, context[-1] if context else None)

    def _seen_high(self, message: HighLevelControlCommand) -> None:
        """For the trace and the counts: what the stack asked for."""
        now = self.now()
        self._ask(conversions.high_level_command(message, now), now)

    def _seen_first(self, message: VehicleControlCommand) -> None:
        """For the trace and the counts: what came before the filter."""
        if self.parameters.level is ControlLevel.HIGH_LEVEL:
            self._before_filter.append(conversions.relayed_command(message))
            return
        now = self.now()
        command = conversions.vehicle_command(message, now)
        if self._ask(command, now):
            self._before_filter.append(command)

    def _on_other_level(self, given: ControlLevel, message: object) -> None:
        """For the counts alone: what no stage takes."""
        self._command_id += 1
        now = self.now()
        dropped_now = self._core.drop_other_level(given, self.parameters.level, now)
        self._report((dropped_now,), now)

    def _ask(self, command: HighLevelCommand | VehicleCommand, now: float) -> bool:
        """Note what the stack asks for; count it where the stage that takes it drops it."""
        self._command_id += 1
        if not command.is_finite():
            self._report((self._core.drop_non_finite(command, now),), now)
            return False
        self._received = command
        return True

    def _on_report(self, message: PlatformReport) -> None:
        now = self.now()
        try:
            body = body_state(message.body)
        except ValueError as error:
            report = dropped(topics.PLATFORM_REPORT, error)
            self._report((self._core.count(report.kind, report.text),), now)
            return
        odometry = conversions.odometry_value(
            message.odometry, min(conversions.seconds_of(message.odometry.stamp), now)
        )
        told = self._core.on_odometry(odometry, now)
        if told:
            self._report(told, now)
            return
        self._core.on_body(body, now)
        self._last_report = message
        self._report(self._tell_driver(now), now)
        self._report(self._core.on_vehicle_ready(message.ready, now), now)

    def _tell_driver(self, now: float) -> tuple[Notice, ...]:
        driver = driver_activity(self._last_report, self._switch)
        if driver == self._driver:
            return ()
        self._driver = driver
        return self._core.on_driver(driver, now)

    def _on_state(self, message: VehicleStateCommand) -> None:
        now = self.now()
        self._report(self._core.on_state_message(conversions.state_message(message), now), now)

    def _on_cabin(self, message: CabinStateMsg) -> None:
        self._core.on_cabin(conversions.cabin_state(message), self.now())

    def _on_override(self, message: Bool) -> None:
        self._switch = message.data
        now = self.now()
        self._report(self._tell_driver(now), now)

    def _on_change_mode(
        self, request: ChangeMode.Request, response: ChangeMode.Response
    ) -> ChangeMode.Response:
        now = self.now()
        self._report(answer_change_mode(self._core, request, response, now), now)
        return response

    # ---- what goes out -------------------------------------------------------------------------

    def restart(self, now: float) -> None:
        """Time jumped back: what was heard before it does not count, and autonomy ends."""
        self._command = self._received = self._controlled = None
        self._before_filter.clear()
        self._report((TIME_JUMPED, *self._core.restart()), now)

    def tick(self, now: float) -> None:
        """One period."""
        # A change of mode is told at once, however soon after the last period.
        turned = self._told_mode is not self._core.mode
        for _ in range(self._periods.steps(now, at_least=int(turned))):
            output = self._core.step(self._command, now)
            self._report(output.notices, now)
            command = output.command
            controlled, filtered = self._stages_before(now)
            message = safe_command_message(command, now)
            trace = CommandTrace(
                stamp_s=now,
                mode=command.mode,
                authority=command.authority,
                received=self._received,
                controlled=controlled,
                filtered=filtered,
                safe=command.vehicle,
                raw=command.raw,
                body=command.body,
                wire=None,
                wire_sequence=None,
                applied=None,
                applied_stamp_s=-math.inf,
                changes=smoothing(controlled, filtered) + output.changes,
                blocked=self._core.blocked(self.parameters.level, now),
            )
            message.trace = trace_message(trace, self._command_id)
            self._output.publish(message)
            self._core.conclude()
            self._told_mode = command.mode
        self._status.tell(self._core.status(now), now)

    def _stages_before(self, now: float) -> tuple[VehicleCommand | None, VehicleCommand | None]:
        """For the trace: what controller and filter make now, nothing of a command too old."""
        filtered, controlled = self._command, self._controlled
        if not isinstance(filtered, VehicleCommand):
            return None, None
        if now - filtered.stamp_s <= self.parameters.command_timeout_s:
            return controlled, filtered
        return (controlled if self.parameters.level is ControlLevel.VEHICLE else None), None

    def _on_slow(self) -> None:
        """At about 1 Hz: who drives and who commands; the platform's stage tells the rest."""
        if self.is_active:
            now = self.now()
            blocked = self._core.blocked(self.parameters.level, now)
            status, dropped_lately = self._core.status(now), self._core.dropped(now)
            lines = self._command_health.look(status, blocked, dropped_lately)
            self._diagnostics.tell(lines, now)

    def _report(self, notices: tuple[Notice, ...], now: float) -> None:
        if notices:
            self._status.take(notices)
            self.notice_log.write(notices, now)


def make() -> list[SafetyStateMachineNode]:
    """The node, started."""
    node = SafetyStateMachineNode()
    node.start()
    return [node]


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("safety_state_machine", make, arguments)


if __name__ == "__main__":
    sys.exit(main())
