"""Publishes what is real: once the vehicle reports, and again when that changes. Latched."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus

from vdsim_interface.platforms.sources import CapabilityTable, table_of
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.capabilities import capabilities_diagnostic, capabilities_message
from vdsim_interface.ros.platform_node import PlatformNode
from vdsim_interface.values import VehicleReport
from vdsim_msgs.msg import Capabilities


class CapabilitiesPublisher:
    """The table of the running platform, as of the latest report."""

    def __init__(self, node: PlatformNode) -> None:
        self._node = node
        self._publisher = node.create_checked_publisher(
            Capabilities, topics.CAPABILITIES, topics.REPORT_QOS
        )
        self._version = -1
        self._modelled: frozenset[str] = frozenset()
        self._table: CapabilityTable | None = None

    def publish(self, report: VehicleReport) -> None:
        """Publish if the wire's version, or what the platform models, has changed."""
        modelled = report.body.modelled
        if report.wire_version == self._version and modelled == self._modelled:
            return
        self._version, self._modelled = report.wire_version, modelled
        self._table = table_of(self._node.spec, report.wire_version, modelled)
        stamp = self._node.ros_time.stamp(report.stamp_s)
        self._publisher.publish(capabilities_message(self._table, self._node.spec, stamp))

    def diagnostics(self) -> list[DiagnosticStatus]:
        """Return the line of /diagnostics; none before the first report."""
        return [] if self._table is None else [capabilities_diagnostic(self._table)]
