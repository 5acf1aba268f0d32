"""Stage `platform_interface` as a node: stages/safe_command -> the vehicle, reports back."""

from __future__ import annotations

import math
import sys

from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.step_clock import TIME_JUMPED
from vdsim_interface.pipeline.vehicle_watch import VehicleWatch, report_age_s, silence
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.auxiliary import auxiliary_command
from vdsim_interface.ros.messages.sides import (
    dropped,
    held_body,
    platform_command,
    platform_report_message,
)
from vdsim_interface.ros.messages.status import (
    diagnostic,
    link_diagnostic,
    tracking_diagnostic,
)
from vdsim_interface.ros.messages.trace import complete_trace
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.publishers.diagnostics import HealthPublisher
from vdsim_interface.ros.publishers.vehicle import VehiclePublisher
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.ros.timers import every
from vdsim_interface.ros.udp_endpoints import UdpEndpoints
from vdsim_interface.values import (
    NOT_YET_REPORTED,
    Authority,
    BodyCommand,
    Mode,
    Notice,
    PlatformCommand,
    VehicleCommand,
    VehicleReport,
    notice_kinds,
    state_report,
)
from vdsim_interface.values.braking import braking_accel
from vdsim_msgs.msg import AuxiliaryCommand as AuxiliaryCommandMsg
from vdsim_msgs.msg import CommandTrace as CommandTraceMsg
from vdsim_msgs.msg import PlatformReport, SafeCommand

_PATIENCE_PERIODS = 5.0


class PlatformInterfaceNode(StageNode):
    """The vehicle's end of the chain, in a process of its own."""

    LIVE_PARAMETERS = (
        "tracking.",
        "safety.report_timeout_s",
        "safety.stop_decel_mps2",
        # What those two are checked against: without them, a change could only be refused.
        "safety.link_lost_s",
        "safety.decel_max_mps2",
        "safety.standstill_hold_mps2",
    )

    def __init__(self) -> None:
        super().__init__("platform_interface", with_platform=True)
        self.output: OutputParameters = declare(self, OutputParameters())
        self._platform = self.make_platform()
        self._sockets: UdpEndpoints | None = None
        self._watch = VehicleWatch(self.parameters.tracking, self.parameters.period_s)
        self._command: PlatformCommand | None = None
        self._command_s = -math.inf
        self._trace = CommandTraceMsg()
        self._report: VehicleReport | None = None
        self._mode = Mode.MANUAL
        self.seal_parameters()

    def configure_stage(self) -> None:
        """Make the topics."""
        self._upstream = self.tell(PlatformReport, topics.PLATFORM_REPORT, topics.RELIABLE_QOS)
        self._vehicle = VehiclePublisher(self, self.output)
        self._health = HealthPublisher(self)
        self._traces = self.tell(CommandTraceMsg, topics.COMMAND_TRACE, topics.RELIABLE_QOS)
        self.listen(SafeCommand, topics.SAFE_COMMAND, self._on_safe, topics.COMMAND_QOS)
        self.listen(
            AuxiliaryCommandMsg,
            topics.AUXILIARY_COMMAND,
            self._on_auxiliary,
            topics.STATE_COMMAND_QOS,
        )
        every(self, 1.0 / self.output.diagnostics_hz, self._on_slow)

    def activate_stage(self) -> None:
        """Open the sockets; until the safety stage speaks to us again, the safe command goes out.

        Of what was said before, who drove and the steering angle to hold are kept, but no gear: the
        car may be rolling.
        """
        platform = self.make_platform(resolved=True)
        self._sockets = UdpEndpoints(platform.endpoints())
        self._platform = platform
        self._command_s, self._report = -math.inf, None
        self._trace, self._mode = CommandTraceMsg(), Mode.MANUAL
        if self._command is not None:
            self._command = self._command._replace(body=held_body(NOT_YET_REPORTED))
        self._watch = VehicleWatch(self.parameters.tracking, self.parameters.period_s)

    def deactivate_stage(self) -> None:
        """The last command on the wire is the safe one."""
        try:
            self._send(self._safe_command(), self.now())
        finally:
            if self._sockets is not None:
                self._sockets.close()
                self._sockets = None

    def reconfigure(self, parameters: InterfaceParameters) -> None:
        """Take changed tolerances."""
        self._watch.configure(parameters.tracking)

    # ---- what comes in -------------------------------------------------------------------------

    def _on_safe(self, message: SafeCommand) -> None:
        now = self.now()
        try:
            self._command = platform_command(message)
        except ValueError as error:
            self.notice_log.write((dropped(topics.SAFE_COMMAND, error),), now)
            return
        self._command_s, self._trace, self._mode = now, message.trace, self._command.mode
        self.arrived(now)

    def _on_auxiliary(self, message: AuxiliaryCommandMsg) -> None:
        now = self.now()
        command = auxiliary_command(message, now, self.get_logger())
        if command is not None:
            self.notice_log.write(self._platform.auxiliary(command, now), now)

    def poll(self, now: float) -> None:
        """Take what the vehicle has sent."""
        if self._sockets is None:
            return
        for data, source, endpoint in self._sockets.drain():
            received = self._platform.receive(data, source, endpoint, now)
            self.notice_log.write(received.notices, now)
            if received.report is not None:
                self._heard(received.report)

    def _heard(self, report: VehicleReport) -> None:
        if not report.odometry().is_finite():
            text = "vehicle report dropped: not finite"
            self.notice_log.write((Notice(notice_kinds.NON_FINITE_REPORT, text),), self.now())
            return
        self._report = report
        self._upstream.publish(platform_report_message(report))
        self._vehicle.packet(report)

    # ---- what goes out -------------------------------------------------------------------------

    def restart(self, now: float) -> None:
        """Time jumped back: the safe command goes out until the safety stage speaks again.

        Its last word is kept for the steering angle that is held, and for who drove.
        """
        self._command_s = -math.inf
        self._report = None
        self._watch.clear()
        self.notice_log.write((TIME_JUMPED,), now)

    def _safety_is_silent(self, now: float) -> bool:
        """The safety stage speaks every period, whether the stack does or not."""
        p = self.parameters
        patience_s = max(p.safety.report_timeout_s, _PATIENCE_PERIODS * p.period_s)
        return not 0.0 <= now - self._command_s <= min(patience_s, p.command_timeout_s)

    def tick(self, now: float) -> None:
        """One period: the command out, the motion to the stack."""
        for heard in self._platform.poll(now):
            self._heard(heard)
        silent = self._safety_is_silent(now)
        command = self._safe_command() if silent or self._command is None else self._command
        self._send(command, now)
        report, timeout_s = self._report, self.parameters.safety.report_timeout_s
        self.notice_log.write(self._watch.look(report_age_s(report, now), timeout_s, now), now)
        if report is not None and self._watch.is_heard:
            self._vehicle.motion(report)
            self._vehicle.state(state_report(report.body, self._mode), report.stamp_s, now)
        else:
            self._vehicle.mode(self._mode)

    def _send(self, command: PlatformCommand, now: float) -> None:
        report = self._report
        if command.authority is not Authority.COMMAND and report is not None:
            # Without autonomy the body stays as the vehicle reports it; the safety stage's word
            # for that is one message old, and could undo what has just been heard.
            command = _with_body(command, held_body(report.body), report.velocity_mps)
        encoded = self._platform.encode(command, now)
        if self._sockets is not None:
            self._sockets.send(encoded.datagrams)
            self.notice_log.write(self._sockets.news(), now)
        self._watch.compare(command, report)
        if self._traces.get_subscription_count() > 0:
            applied = (None, -math.inf) if report is None else (report.applied, report.stamp_s)
            self._traces.publish(
                complete_trace(
                    self._trace, encoded.wire, encoded.sequence, applied, encoded.changes
                )
            )

    def _safe_command(self) -> PlatformCommand:
        """For a safety stage that is silent: brake, steering held, whatever was asked before."""
        last = self._command
        held = last.vehicle if last is not None else VehicleCommand(-math.inf)
        body = last.body if last is not None else held_body(NOT_YET_REPORTED)
        report = self._report
        if report is not None:
            body = held_body(report.body)
        speed = 0.0 if report is None else report.velocity_mps
        stop = VehicleCommand(
            held.stamp_s,
            braking_accel(body.gear, speed, self.parameters.safety.stop_decel_mps2),
            held.front_wheel_angle_rad,
            held.rear_wheel_angle_rad,
        )
        silent = last is None or last.authority is Authority.SILENT
        authority = Authority.SILENT if silent else Authority.IDLE
        return PlatformCommand(authority, self._mode, stop, body)

    def _on_slow(self) -> None:
        now = self.now()
        self._vehicle.look_for_listeners()
        if not self.is_active or self._sockets is None:
            return
        age_s = report_age_s(self._report, now)
        timeout_s = self.parameters.safety.report_timeout_s
        wire = self._platform.link_statistics(now)
        statistics = {**self._watch.link_statistics(wire, age_s), **self._sockets.counts()}
        silent = self._safety_is_silent(now)
        text = "the safety stage is silent: safe stop" if silent else "arrives"
        self._health.tell(
            [
                diagnostic("safe command", b"\x02" if silent else b"\x00", text),
                link_diagnostic(silence(age_s, timeout_s), statistics),
                tracking_diagnostic(self._watch.estimates()),
            ],
            statistics,
            self._platform.endpoints(),
            now,
        )


def _with_body(command: PlatformCommand, body: BodyCommand, speed_mps: float) -> PlatformCommand:
    """The interface's own command with another body: what was brake in one gear stays brake."""
    vehicle = command.vehicle
    if body.gear is not command.body.gear:
        accel = braking_accel(body.gear, speed_mps, abs(vehicle.long_accel_mps2))
        vehicle = vehicle._replace(long_accel_mps2=accel)
    return command._replace(vehicle=vehicle, body=body)


def make() -> list[PlatformInterfaceNode]:
    """The node, started."""
    node = PlatformInterfaceNode()
    node.start()
    return [node]


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("platform_interface", make, arguments)


if __name__ == "__main__":
    sys.exit(main())
