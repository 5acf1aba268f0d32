"""What one tick of the pipeline gave, stage by stage."""

import math
from typing import NamedTuple

from vdsim_interface.platforms.spec import Datagram, Encoded
from vdsim_interface.safety import SafetyOutput
from vdsim_interface.safety.rule_runner import CHANNELS
from vdsim_interface.trace.trace import CommandTrace
from vdsim_interface.values import (
    Change,
    Command,
    Mode,
    Notice,
    VehicleCommand,
    VehicleReport,
    notice_kinds,
)


class PipelineOutput(NamedTuple):
    """`heard`: the latest report of the vehicle, however old."""

    stamp_s: float
    notices: tuple[Notice, ...]
    received: Command | None
    controlled: VehicleCommand | None
    filtered: VehicleCommand | None
    safe: SafetyOutput
    encoded: Encoded
    heard: VehicleReport | None
    link_fresh: bool
    steps_n: int
    blocked: str = ""

    @property
    def datagrams(self) -> tuple[Datagram, ...]:
        """What goes to the vehicle."""
        return self.encoded.datagrams

    @property
    def mode(self) -> Mode:
        """Who drives."""
        return self.safe.command.mode

    @property
    def vehicle(self) -> VehicleReport | None:
        """The latest report; None while the link is stale."""
        return self.heard if self.link_fresh else None

    @property
    def trace(self) -> CommandTrace:
        """The command's way through the stages. Made when it is asked for: few ever listen."""
        command, encoded, heard = self.safe.command, self.encoded, self.heard
        return CommandTrace(
            self.stamp_s,
            command.mode,
            command.authority,
            self.received,
            self.controlled,
            self.filtered,
            command.vehicle,
            command.raw,
            command.body,
            encoded.wire,
            encoded.sequence,
            None if heard is None else heard.applied,
            -math.inf if heard is None else heard.stamp_s,
            smoothing(self.controlled, self.filtered) + self.safe.changes + encoded.changes,
            self.blocked,
        )


def smoothing(before: VehicleCommand | None, after: VehicleCommand | None) -> tuple[Change, ...]:
    """Name what the low-pass filter changed."""
    if before is after or before is None or after is None:
        return ()
    return tuple(
        Change(notice_kinds.LOW_PASS, name, getattr(before, name), getattr(after, name))
        for name in CHANNELS
        if getattr(before, name) != getattr(after, name)
    )
