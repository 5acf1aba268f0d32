"""CommandTrace: one command's way through the interface, with a reason for every change."""

from typing import NamedTuple

from vdsim_interface.gate import Facts, GateLimits, GateState, Wanted
from vdsim_interface.values import (
    Applied,
    Authority,
    BodyCommand,
    Change,
    Command,
    Mode,
    PlatformCommand,
    RawCommand,
    VehicleCommand,
    WireCommand,
)


class GateRecord(NamedTuple):
    """The arguments of the gate for one packet, `state` as it was before, and what it gave."""

    state: GateState
    wanted: Wanted
    facts: Facts
    sent: PlatformCommand
    limits: GateLimits


class CommandTrace(NamedTuple):
    """What happened to the command in one period.

    `received`: the latest command of the stack, None before the first. `controlled`: the output of
    the velocity controller (the command itself at vehicle level; None at raw level). `filtered`,
    `safe`: after those stages. `wire`, `wire_sequence`: what was sent, and its packet number.
    `applied`: what the vehicle applies by its latest report (it answers an earlier packet).
    `blocked`: why commands do not pass now; empty while they do. `gate`: what the last gate judged;
    None where that was in another process.
    """

    stamp_s: float
    mode: Mode
    authority: Authority
    received: Command | None
    controlled: VehicleCommand | None
    filtered: VehicleCommand | None
    safe: VehicleCommand
    raw: RawCommand | None
    body: BodyCommand
    wire: WireCommand | None
    wire_sequence: int | None
    applied: Applied | None
    applied_stamp_s: float
    changes: tuple[Change, ...]
    blocked: str = ""
    gate: GateRecord | None = None
