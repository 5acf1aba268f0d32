"""The result of one tick of the pipeline."""

from typing import NamedTuple, TypeAlias

from vdsim_interface.gate import Facts, GateLimits, GateState, Wanted
from vdsim_interface.platforms.wire import Datagram, Encoded
from vdsim_interface.values import (
    Mode,
    Notice,
    Odometry,
    PlatformCommand,
    SafeCommand,
    StateReport,
    VehicleReport,
    state_report,
)

Motion: TypeAlias = tuple[Odometry | None, StateReport | None]
"""The latest motion and state of the vehicle; None before it reports."""


def motion_of(report: VehicleReport | None, mode: Mode) -> Motion:
    """Return motion and state of the latest report, however old, with the present mode."""
    return (None, None) if report is None else (report.odometry(), state_report(report.body, mode))


class GateRecord(NamedTuple):
    """The arguments of the gate for one packet, `state` as it was before, and what it gave."""

    state: GateState
    wanted: Wanted
    facts: Facts
    sent: PlatformCommand
    limits: GateLimits


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
