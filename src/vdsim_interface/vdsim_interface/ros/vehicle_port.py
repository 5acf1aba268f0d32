"""The vehicle's side of a node: sockets, the topics of the vehicle's reports, link status.

The node that holds a VehicleSide owns one of these and passes datagrams between the two. The shell
of the guard owns one without sockets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from diagnostic_msgs.msg import DiagnosticStatus

from vdsim_interface.pipeline.link_health import rate_fault, silence
from vdsim_interface.pipeline.output import GateRecord
from vdsim_interface.pipeline.trace import command_trace
from vdsim_interface.pipeline.tracking_monitor import TrackingMonitor, with_round_trip
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.platforms.endpoints import Endpoints
from vdsim_interface.platforms.wire import Address, Datagram, Encoded, Endpoint
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.status import link_diagnostic, tracking_diagnostic
from vdsim_interface.ros.messages.trace import trace_message
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.ros.platform_node import PlatformNode
from vdsim_interface.ros.publishers.capabilities import CapabilitiesPublisher
from vdsim_interface.ros.publishers.diagnostics import HealthPublisher
from vdsim_interface.ros.publishers.sensors import SensorPublisher
from vdsim_interface.ros.publishers.vehicle import VehiclePublisher
from vdsim_interface.values import Mode, SafeCommand, StateReport, VehicleReport
from vdsim_msgs.msg import CommandTrace


class VehicleState(Protocol):
    """A vehicle side, in this process or in the guard, as it is published."""

    @property
    def report(self) -> VehicleReport | None:
        """The latest report, however old."""

    @property
    def encoded(self) -> Encoded:
        """The latest datagrams."""

    @property
    def judged(self) -> GateRecord | None:
        """What the last gate judged; None until the guard sends it."""

    @property
    def mode(self) -> Mode:
        """Who drives."""

    def state_report(self) -> StateReport | None:
        """Return the VehicleStateReport; None while the vehicle does not report."""

    def report_age_s(self, now: float) -> float:
        """Return the age of the latest report [s]."""

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """Return figures of the link, by name."""

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Name the sockets."""


class VehiclePort:
    """Open between `open` and `close`; the publishers exist while the node is configured."""

    def __init__(self, node: PlatformNode, output: OutputParameters) -> None:
        self._node = node
        self.vehicle = VehiclePublisher(node, output)
        self.sensors = SensorPublisher(node, output)
        self._capabilities = CapabilitiesPublisher(node)
        self._health = HealthPublisher(node)
        self._trace = node.create_checked_publisher(
            CommandTrace, topics.COMMAND_TRACE, topics.RELIABLE_QOS
        )
        self._tracking = TrackingMonitor()
        self.is_traced = False
        self.sockets: Endpoints | None = None

    # ---- sockets ---------------------------------------------------------------------------------

    def open(self, endpoints: tuple[Endpoint, ...]) -> None:
        """Open all sockets, or raise and leave none open."""
        self.sockets = Endpoints(endpoints)
        for name, (host, port) in self.sockets.bound().items():
            self._node.get_logger().info(f"{name}: listening on UDP {host}:{port}")

    def close(self) -> None:
        """Close all sockets."""
        sockets, self.sockets = self.sockets, None
        if sockets is not None:
            sockets.close()

    def received(self, side: VehicleSide, now: float) -> Iterator[tuple[bytes, Address, str]]:
        """All received datagrams for the side: datagram, source, endpoint."""
        if self.sockets is None:
            return iter(())
        if not self._node.is_simulated:
            side.on_drain(now)
        return self.sockets.drain(now)

    def send(self, datagrams: tuple[Datagram, ...], now: float) -> None:
        """Send; log system errors."""
        sockets = self.sockets
        if sockets is not None:
            sockets.send(datagrams)
            self._node.notice_log.write(sockets.take_notices(), now)

    # ---- topics ----------------------------------------------------------------------------------

    def publish_report(self, report: VehicleReport, datagram: bytes = b"") -> None:
        """Publish an accepted report's sensors, and which values are real, where that changed.

        `datagram`: what it came from, for a report whose details stayed in another process.
        """
        self._capabilities.publish(report)
        self.sensors.publish(report, datagram)

    def publish_vehicle(self, side: VehicleState, now: float) -> None:
        """Publish motion and state while the vehicle reports, else only a change of mode."""
        report, state = side.report, side.state_report()
        if report is not None and state is not None:
            self.publish_report(report)  # of a vehicle in this process; once, as every report
            self.vehicle.publish_motion(report)
            self.vehicle.publish_state(state, report.stamp_s, now)
        else:
            self.vehicle.publish_mode(side.mode)

    def use_sent(self, side: VehicleState, safe: SafeCommand | None, now: float) -> None:
        """Note how the vehicle tracks the command; publish its trace if it has a subscriber."""
        if safe is not None:
            self._tracking.add(safe.command, side.report, self._node.parameters)
        self.is_traced = self._trace.get_subscription_count() > 0
        if safe is not None and self.is_traced:
            trace = command_trace(now, safe, side.encoded, side.report, side.judged)
            stamp = self._node.ros_time.stamp
            self._trace.publish(trace_message(trace, safe.command_id, stamp))

    def publish_health(
        self, side: VehicleState, lines: Sequence[DiagnosticStatus], now: float
    ) -> None:
        """At about 1 Hz: link status, and `lines` with those of link and tracking."""
        self.vehicle.update_subscribers()
        self.sensors.update_subscribers()
        if not self._node.is_active:
            return
        found = self._tracking.estimates(self._node.parameters)
        timeout_s = self._node.parameters.safety.report_timeout_s
        counts = {} if self.sockets is None else self.sockets.counts()
        statistics = {**with_round_trip(side.link_statistics(now), found), **counts}
        lag_s = statistics.get("lag_s", 0.0)
        reason = rate_fault(statistics.get("too_low_gap_s", 0.0), timeout_s)
        reason = reason or silence(side.report_age_s(now), timeout_s, lag_s)
        all_lines = [
            *lines,
            link_diagnostic(reason, statistics),
            tracking_diagnostic(found),
            *self._capabilities.diagnostics(),
            *self.sensors.diagnostics(now),
        ]
        self._health.publish(all_lines, statistics, side.endpoints(), now)
