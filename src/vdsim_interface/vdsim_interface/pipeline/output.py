"""The result of one tick of the pipeline, and the trace of a command's way through it."""

import math
from typing import NamedTuple, TypeAlias

from vdsim_interface.pipeline.trace import CommandTrace, GateRecord
from vdsim_interface.platforms.wire import Datagram, Encoded
from vdsim_interface.safety.rule_runner import CHANNELS
from vdsim_interface.values import (
    Change,
    Mode,
    Notice,
    Odometry,
    SafeCommand,
    StateReport,
    VehicleCommand,
    VehicleReport,
    notice_kinds,
)

Motion: TypeAlias = tuple[Odometry | None, StateReport | None]
"""The latest motion and state of the vehicle; None while it does not report."""
CORRECTED = (
    (notice_kinds.ACCELERATION_LOOP, "long_accel_mps2"),
    (notice_kinds.CURVATURE_TRIM, "front_wheel_angle_rad"),
)
"""What the loops of the vehicle side change."""


class PipelineOutput(NamedTuple):
    """`report`: the latest of the vehicle, however old. `link_fresh`: whether it is fresh.

    `periods_n`: how many periods the tick ran. `safe`: the safety side's command; `sent`: what the
    vehicle side made of it, with hand brake and PARK. `gate`: what the last gate judged.
    """

    stamp_s: float
    notices: tuple[Notice, ...]
    safe: SafeCommand
    encoded: Encoded
    report: VehicleReport | None
    link_fresh: bool
    periods_n: int
    sent: SafeCommand
    gate: GateRecord | None

    @property
    def datagrams(self) -> tuple[Datagram, ...]:
        """The datagrams for the vehicle."""
        return self.encoded.datagrams

    @property
    def mode(self) -> Mode:
        """The mode: who drives."""
        return self.safe.command.mode

    @property
    def vehicle(self) -> VehicleReport | None:
        """The latest report; None while the link is stale."""
        return self.report if self.link_fresh else None

    @property
    def trace(self) -> CommandTrace:
        """The command's way through the stages. Made on demand: few ever subscribe to it."""
        return command_trace(self.stamp_s, self.sent, self.encoded, self.report, self.gate)


def command_trace(
    stamp_s: float,
    safe: SafeCommand,
    encoded: Encoded,
    report: VehicleReport | None,
    gate: GateRecord | None = None,
) -> CommandTrace:
    """Join both sides' records of one command."""
    command = safe.command
    # Positional, in the order of the fields: with names a trace takes 3.3 us instead of 2.4.
    return CommandTrace(
        stamp_s,
        command.mode,
        command.authority,
        safe.received,
        safe.controlled,
        safe.filtered,
        command.vehicle,
        command.raw,
        command.body,
        encoded.wire,
        encoded.sequence,
        None if report is None else report.applied,
        -math.inf if report is None else report.stamp_s,
        smoothing(safe.controlled, safe.filtered)
        + safe.changes
        + corrections(command.vehicle, gate)
        + encoded.changes,
        safe.blocked,
        gate,
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


def corrections(before: VehicleCommand, gate: GateRecord | None) -> tuple[Change, ...]:
    """Name what the acceleration loop and the curvature trim changed before the gate judged."""
    if gate is None or gate.sent.raw is not None:
        return ()
    after = gate.wanted.command.vehicle
    return tuple(
        Change(kind, name, getattr(before, name), getattr(after, name))
        for kind, name in CORRECTED
        if getattr(before, name) != getattr(after, name)
    )
