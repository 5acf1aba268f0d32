"""A platform between the real one and the pipeline, which alters reports and commands at will."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from vdsim_interface.platforms.wire import Address, Encoded, Endpoint, Platform, Received
from vdsim_interface.values import (
    AuxiliaryCommand,
    Notice,
    PlatformCommand,
    VehicleReport,
)

Alter = Callable[[VehicleReport], VehicleReport]
Twist = Callable[[PlatformCommand], PlatformCommand]


class LyingPlatform:
    """Passes everything on. `lie` alters each report, `twist` each command, while set."""

    def __init__(self, honest: Platform) -> None:
        self.honest = honest
        self.lie: Alter | None = None
        self.twist: Twist | None = None
        self.true_report: VehicleReport | None = None
        """The latest report as the vehicle sent it."""

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Those of the real one."""
        return self.honest.endpoints()

    def encode(self, command: PlatformCommand, now: float) -> Encoded:
        """Encode; the record of what was sent stays that of the command."""
        if self.twist is None:
            return self.honest.encode(command, now)
        meant = self.honest.encode(command, now)
        return meant._replace(datagrams=self.honest.encode(self.twist(command), now).datagrams)

    def receive(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        """Decode and alter."""
        return self._altered(self.honest.receive(datagram, source, endpoint, now))

    def poll(self, now: float) -> tuple[VehicleReport, ...]:
        """The reports of a vehicle in this process, altered."""
        altered = (self._altered(Received(report)).report for report in self.honest.poll(now))
        return tuple(report for report in altered if report is not None)

    def auxiliary(self, command: AuxiliaryCommand, now: float) -> tuple[Notice, ...]:
        """As the real one."""
        return self.honest.auxiliary(command, now)

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """As the real one."""
        return self.honest.link_statistics(now)

    def _altered(self, received: Received) -> Received:
        report = received.report
        if report is None:
            return received
        self.true_report = report
        if self.lie is None:
            return received
        return received._replace(report=self._with_effort(self.lie(report)))

    def _with_effort(self, report: VehicleReport) -> VehicleReport:
        """The platform computes the effort from the pedals that it decodes, true or not."""
        applied, pedal_map = report.applied, getattr(self.honest, "_pedal_map", None)
        if pedal_map is None or not math.isfinite(applied.effort_mps2):
            return report
        effort = pedal_map.effort(applied.throttle, applied.brake, report.velocity_mps)
        return report._replace(applied=applied._replace(effort_mps2=effort))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.honest, name)
