"""Stage `platform_interface` as a node: stages/safe_command -> the vehicle, reports back."""

from __future__ import annotations

import sys
from pathlib import Path

from vdsim_interface.extras.stages.ros.sides import feedback_message, rejected, safe_command_value
from vdsim_interface.extras.stages.staged_vehicle import SAFETY_SILENT, StagedVehicleSide
from vdsim_interface.guard.tape import on_tape
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.wire import Received
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.auxiliary import auxiliary_command
from vdsim_interface.ros.messages.status import diagnostic
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.platform_node import PlatformNode
from vdsim_interface.ros.process.session_record import NO_LATCHES, SessionRecord, record_path
from vdsim_interface.ros.timers import every
from vdsim_interface.ros.vehicle_port import VehiclePort
from vdsim_interface.values import Session
from vdsim_msgs.msg import AuxiliaryCommand, PlatformReport, SafeCommand


class PlatformInterfaceNode(PlatformNode):
    """The last stage, connected to the vehicle, as a node. Wraps a StagedVehicleSide."""

    LIVE_PARAMETERS = (
        "tracking.",
        "safety.report_timeout_s",
        "safety.stop_decel_mps2",
        "safety.stop_park_after_s",
        "safety.hold_park_after_s",
        "safety.standstill_speed_mps",
        "safety.gear_change_speed_mps",
        "safety.shift_time_s",
        # The two are checked against these; without them every change would be rejected.
        "safety.link_lost_s",
        "safety.decel_max_mps2",
        "safety.standstill_hold_mps2",
    )

    def __init__(self) -> None:
        super().__init__("platform_interface")
        self.output: OutputParameters = declare(self, OutputParameters())
        self.side = self._make_side(resolved=False)
        self._record = SessionRecord(self._record_path())
        session = self._record.load()
        if session is not None:
            self.side.resume(session.parked)
        self.seal_parameters()

    def _make_side(self, *, resolved: bool) -> StagedVehicleSide:
        platform = self.make_platform(resolved=resolved)
        return on_tape(StagedVehicleSide(self.parameters, platform, self.spec.capabilities))

    def _record_path(self) -> Path | None:
        """Beside the file of the safety stage, which `session_file` names for both."""
        file = self.output.session_file
        own = file if file in ("auto", "off") else f"{file}.platform"
        return record_path(self.get_fully_qualified_name(), own)

    def configure_stage(self) -> None:
        """Create the topics."""
        self._feedback = self.create_checked_publisher(
            PlatformReport, topics.PLATFORM_REPORT, topics.RELIABLE_QOS
        )
        self.vehicle_port = VehiclePort(self, self.output)
        self.create_checked_subscription(
            SafeCommand, topics.SAFE_COMMAND, self._on_safe, topics.COMMAND_QOS
        )
        qos = topics.STATE_COMMAND_QOS
        self.create_checked_subscription(
            AuxiliaryCommand, topics.AUXILIARY_COMMAND, self._on_auxiliary, qos
        )
        every(self, 1.0 / self.output.diagnostics_hz, self._on_slow)

    def activate_stage(self) -> None:
        """Open the sockets; send our own stop until the safety stage sends again."""
        side = self._make_side(resolved=True)
        side.restore_from(self.side)
        self.vehicle_port.open(side.endpoints())
        self.side = side

    def deactivate_stage(self) -> None:
        """The last command that is sent is the safe one."""
        now = self.now()
        try:
            self.vehicle_port.send(self.side.stop(now).datagrams, now)
        finally:
            self.vehicle_port.close()
        if not self.has_failed:
            self._record.discard()

    def frozen_because(self) -> str:
        """Why frozen parameters cannot change now."""
        return self.side.frozen_because

    def reconfigure(self, parameters: InterfaceParameters) -> None:
        """Use changed tolerances."""
        self.side.configure(parameters)

    def restart(self, now: float) -> None:
        """Discard what was received before a backward jump of time; send our own stop."""
        self.notice_log.write(self.side.restart(), now)

    # ---- input -----------------------------------------------------------------------------------

    def _on_safe(self, message: SafeCommand) -> None:
        now = self.now()
        try:
            safe = safe_command_value(message, self.ros_time.at(now))
        except ValueError as error:
            self.notice_log.write((rejected(topics.SAFE_COMMAND, error),), now)
            return
        # Its age counts from when it was sent: it may have waited while this process did not run.
        self.side.on_safe_command(safe, safe.stamp_s)
        self.rounds.arrived(now)

    def _on_auxiliary(self, message: AuxiliaryCommand) -> None:
        now = self.now()
        command = auxiliary_command(message, now, self.get_logger())
        if command is not None:
            self.notice_log.write(self.side.on_auxiliary(command, now), now)

    def poll(self, now: float) -> None:
        """Process the datagrams received from the vehicle."""
        for data, source, endpoint in self.vehicle_port.received(self.side, now):
            self._publish_report(self.side.on_datagram(data, source, endpoint, now), now)

    def _publish_report(self, received: Received, now: float) -> None:
        report, notices = received
        self.notice_log.write(notices, now)
        if report is not None and self.side.feedback is not None:
            self._feedback.publish(feedback_message(self.side.feedback, self.ros_time.stamp))
            self.vehicle_port.publish_report(report)

    # ---- output ----------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """One period: send the command, publish the motion."""
        side = self.side
        for received in side.poll(now):
            self._publish_report(received, now)
        self.vehicle_port.send(side.encode_latest(now).datagrams, now)
        again = side.repeated_feedback(now)
        if again is not None:
            self._feedback.publish(feedback_message(again, self.ros_time.stamp))
        sent = side.sent
        if sent is not None:
            side.compare(sent.command)
        self.vehicle_port.use_sent(side, sent, now)
        self.notice_log.write(side.watch_link(now), now)
        self.vehicle_port.publish_vehicle(side, now)
        self._record.keep(side.parked, now, self._session, NO_LATCHES)

    def _session(self) -> Session:
        """What of this side must outlive a crash of the process: who drove, safety knows."""
        return Session("", {}, self.side.parked)

    def _on_slow(self) -> None:
        now = self.now()
        silent = self.side.safety_is_silent(now)
        text = SAFETY_SILENT if silent else self.side.unheard(now)
        line = diagnostic("safe command", b"\x02" if text else b"\x00", text or "arrives")
        self.vehicle_port.publish_health(self.side, [line], now)


def make() -> list[PlatformInterfaceNode]:
    """Create and start the node."""
    node = PlatformInterfaceNode()
    node.start()
    return [node]


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("platform_interface", make, arguments)


if __name__ == "__main__":
    sys.exit(main())
