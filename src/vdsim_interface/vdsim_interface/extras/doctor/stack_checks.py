"""Does the stack itself let the car drive? What Autoware says of itself, where it is heard."""

from __future__ import annotations

from vdsim_interface.extras.doctor.snapshot import Finding, Snapshot
from vdsim_interface.values import Severity


def autoware(snapshot: Snapshot) -> list[Finding]:
    """The mode is not available, the gate is paused, the start waits for a person."""
    seen = snapshot.stack
    findings = []
    if seen.is_autonomous_available is False:
        findings.append(
            Finding(
                "mode_not_available",
                Severity.WARN,
                "Autoware's mode autonomous is not available, so a request for it is refused "
                '("The target mode is not available")',
                "set a route, and look at /diagnostics_graph and /system/operation_mode/"
                "availability for what is missing",
            )
        )
    if seen.is_gate_paused:
        findings.append(
            Finding(
                "gate_paused",
                Severity.WARN,
                "Autoware's vehicle_cmd_gate is paused: it asks for standstill",
                "ros2 service call /control/vehicle_cmd_gate/set_pause "
                "tier4_control_msgs/srv/SetPause '{pause: false}'",
            )
        )
    if seen.waits_for_start:
        findings.append(
            Finding(
                "start_not_accepted",
                Severity.WARN,
                "Autoware waits until somebody accepts the start (motion state STARTING)",
                "ros2 service call /api/motion/accept_start "
                "autoware_adapi_v1_msgs/srv/AcceptStart '{}'",
            )
        )
    return findings
