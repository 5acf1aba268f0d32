"""State of each command source and lock: latest command, age, counters."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vdsim_interface.arbitration.parameters import LockSpec, SourceSpec
from vdsim_interface.values import Command, HighLevelCommand, VehicleCommand
from vdsim_interface.values.state_message import StateMessage

_YIELD_GAP_S, _YIELD_PERIODS = 0.1, 2.5
"""A source that gave control back drives again after its stream had a gap of this length [s]."""
# And of so many of its own periods: a remote at 8 Hz that a person holds has let go of nothing.


@dataclass
class Source:
    """One command source and the latest messages from it."""

    spec: SourceSpec
    command: Command | None = None
    received_at: float = -math.inf
    alive_since: float = -math.inf
    yielded: bool = False  # gave control back: the commands still on their way do not take it
    pause_s: float = _YIELD_GAP_S  # what is no longer than this is no gap of its stream
    lost_in_motion: bool = False  # timed out while it drove: must recover before it drives again
    accepted: int = 0
    rejected: int = 0
    state: StateMessage | None = None

    @property
    def name(self) -> str:
        """Its name."""
        return self.spec.name

    @property
    def priority(self) -> int:
        """Its priority."""
        return self.spec.parameters.priority

    def alive(self, now: float) -> bool:
        """True while its latest valid command is younger than its time-out."""
        return now - self.received_at <= self.spec.parameters.timeout_s

    @property
    def needs_give_back(self) -> bool:
        """Whether it waits for give_back after another kind of source had control."""
        return self.spec.parameters.needs_give_back

    def on_command(self, command: Command, now: float) -> bool:
        """Store a command; false when it is rejected, because it is not finite."""
        if isinstance(command, (HighLevelCommand, VehicleCommand)) and not command.is_finite():
            self.rejected += 1
            return False
        alive, gap_s = self.alive(now), now - self.received_at
        self.yielded &= gap_s <= self.pause_s
        at_most_s = self.spec.parameters.timeout_s if alive else _YIELD_GAP_S
        self.pause_s = min(max(self.pause_s, _YIELD_PERIODS * gap_s), at_most_s)
        self.alive_since = self.alive_since if alive else now
        self.command, self.received_at = command, now
        self.accepted += 1
        return True

    def recovered(self, now: float, recover_s: float) -> bool:
        """False from a loss in motion until its commands have arrived without a gap since."""
        if self.lost_in_motion and self.alive(now) and now - self.alive_since >= recover_s:
            self.lost_in_motion = False
        return not self.lost_in_motion


@dataclass
class Lock:
    """One lock and the latest message about it."""

    spec: LockSpec
    locked: bool = False
    received_at: float = -math.inf

    def active(self, now: float) -> bool:
        """True when it is set, or when it has a time-out and its messages are stale."""
        timeout_s = self.spec.parameters.timeout_s
        return self.locked or (timeout_s > 0.0 and now - self.received_at > timeout_s)
