"""Publishes diagnostics and link_status together, at about 1 Hz."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.wire import Endpoint
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.status import diagnostics, link_message
from vdsim_interface.ros.stage_node import StageNode
from vdsim_msgs.msg import LinkStatus


def timeout_policy(parameters: InterfaceParameters) -> str:
    """Say what this end does without reports, in the words of the plant's policy."""
    safety = parameters.safety
    return (
        f"no report for {safety.report_timeout_s * 1e3:g} ms: throttle 0, brake "
        f"{safety.stop_decel_mps2:g} m/s2, steering held, gear kept; nothing stale is published"
    )


class DiagnosticsPublisher:
    """The publisher of a stage's lines, with the namespace and the platform that they are about."""

    def __init__(self, node: StageNode) -> None:
        self._publisher = node.create_checked_publisher(
            DiagnosticArray, topics.DIAGNOSTICS, topics.RELIABLE_QOS
        )
        self._node = node

    def publish(self, statuses: Sequence[DiagnosticStatus], now: float) -> None:
        """Publish all lines."""
        namespace, hardware = self._node.get_namespace(), self._node.parameters.platform
        stamp = self._node.ros_time.stamp(now)
        self._publisher.publish(diagnostics(statuses, stamp, namespace, hardware))


class HealthPublisher:
    """The two publishers."""

    def __init__(self, node: StageNode) -> None:
        self._diagnostics = DiagnosticsPublisher(node)
        self._link = node.create_checked_publisher(
            LinkStatus, topics.LINK_STATUS, topics.RELIABLE_QOS
        )
        self._node = node

    def publish(
        self,
        statuses: Sequence[DiagnosticStatus],
        statistics: Mapping[str, float],
        endpoints: Sequence[Endpoint],
        now: float,
    ) -> None:
        """Publish both; a platform without a wire has no link status."""
        self._diagnostics.publish(statuses, now)
        if statistics:
            addresses = [address for endpoint in endpoints for address in endpoint.send_to]
            peer = ", ".join(f"{host}:{port}" for host, port in addresses)
            parameters = self._node.parameters
            policy, timeout_s = timeout_policy(parameters), parameters.safety.report_timeout_s
            stamp = self._node.ros_time.stamp(now)
            self._link.publish(link_message(statistics, peer, timeout_s, policy, stamp))
