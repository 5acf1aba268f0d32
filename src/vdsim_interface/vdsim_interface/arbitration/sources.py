"""What the mux knows of each source and lock: life signs, levels, counts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vdsim_interface.arbitration.parameters import LockSpec, SourceSpec
from vdsim_interface.values import Command, HighLevelCommand, StateMessage, VehicleCommand


@dataclass
class Source:
    """One source and its last words."""

    spec: SourceSpec
    command: Command | None = None
    heard_at: float = -math.inf
    alive_since: float = -math.inf
    died_driving: bool = False  # went silent at speed: must recover before it may drive
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
        """True while its last valid command is younger than its time-out."""
        return now - self.heard_at <= self.spec.parameters.timeout_s

    def hear(self, command: Command, now: float) -> bool:
        """Take a command; false when it is refused."""
        if isinstance(command, (HighLevelCommand, VehicleCommand)) and not command.is_finite():
            self.rejected += 1
            return False
        if not self.alive(now):
            self.alive_since = now
        self.command = command
        self.heard_at = now
        self.accepted += 1
        return True

    def recovered(self, now: float, recover_s: float) -> bool:
        """True unless it died at the wheel and has not been steady since."""
        if self.died_driving and self.alive(now) and now - self.alive_since >= recover_s:
            self.died_driving = False
        return not self.died_driving


@dataclass
class Lock:
    """One lock and what was heard of it."""

    spec: LockSpec
    locked: bool = False
    heard_at: float = -math.inf

    def active(self, now: float) -> bool:
        """True when it locks, or when it has a time-out and is silent."""
        timeout_s = self.spec.parameters.timeout_s
        return self.locked or (timeout_s > 0.0 and now - self.heard_at > timeout_s)
