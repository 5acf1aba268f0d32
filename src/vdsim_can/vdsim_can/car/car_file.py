"""A whole car: its networks and the rows of its file, checked against each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vdsim_can.car.handshake import HandshakeStep
from vdsim_can.car.limits import Limits
from vdsim_can.car.rows import FaultRow, FieldRow, MessageRow, OverrideRow, SignalName
from vdsim_can.dbc.network import Message, Network, Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Bus:
    """One bus of the car, by the name that its file gives it, and what is on it."""

    name: str
    network: Network
    fd: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CarFile:
    """A car as its file describes it.

    `send`, `receive`: by the name of the message. `commands`, `reports`: in the file's order; a
    command may have several rows of one field, each for a signal of its own. `handshake` empty: the
    car has none, and drives as soon as frames arrive. `rows`: how many facts the file states.
    """

    name: str
    source: str
    buses: Mapping[str, Bus]
    send: Mapping[str, MessageRow]
    receive: Mapping[str, MessageRow]
    commands: tuple[FieldRow, ...]
    reports: tuple[FieldRow, ...]
    handshake: tuple[HandshakeStep, ...] = ()
    overrides: tuple[OverrideRow, ...] = ()
    faults: tuple[FaultRow, ...] = ()
    limits: Limits = field(default_factory=Limits)
    steers_by_torque: bool = False
    rows: int = 0

    def message(self, name: str) -> Message:
        """Return the definition of a message that is sent or received."""
        row = self.send.get(name) or self.receive[name]
        return self.buses[row.bus].network.messages[name]

    def signal(self, name: SignalName) -> Signal:
        """Return the definition of a signal of such a message."""
        found = self.message(name.message).signal(name.signal)
        if found is None:
            raise KeyError(str(name))
        return found
