"""Who drives: the mode and its reasons, who is in charge, and the handshake before autonomy."""

import math
from typing import NamedTuple

from vdsim_interface.safety.modes import EVENT_WORDS, ModeEvent, ModeMachine
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.preconditions import Situation, handshake_gap, obstacles
from vdsim_interface.values import Authority, Mode

START = "start"


class ModeChange(NamedTuple):
    """A change of mode and why."""

    before: Mode
    after: Mode
    reason: str

    def __str__(self) -> str:
        return f"{self.before.name} -> {self.after.name}: {self.reason}"


class Engagement:
    """The mode and what led to it. `disengage_reason`: why autonomy last ended.

    `authority`: who is in charge of the vehicle. After a person has taken over nothing is sent
    until autonomy is asked for again and begins.
    """

    def __init__(self) -> None:
        self._machine = ModeMachine()
        self.mode = Mode.MANUAL
        self.authority = Authority.IDLE
        self.reason = START
        self.disengage_reason = ""
        self._refusal = ""
        self._person_drives = False
        self._stopped = False
        self._requested_s = math.inf
        self._answered = False

    def on_report(self, stamp_s: float) -> None:
        """A report of the vehicle: one that is newer than the request answers it."""
        if stamp_s > self._requested_s:
            self._answered = True

    def restore_from(self, previous: "Engagement") -> None:
        """Whoever drove before still does."""
        self._person_drives = previous._person_drives
        self.authority = Authority.SILENT if self._person_drives else Authority.IDLE

    def stop(self) -> ModeChange | None:
        """Deactivate: autonomy ends, and does not begin again by itself."""
        self._stopped = True
        return self.handle(ModeEvent.STOP)

    def request(self, now: float, why: str) -> ModeChange | None:
        """Begin the handshake."""
        self._requested_s = now
        self._answered = False
        self._refusal = ""
        return self.handle(ModeEvent.ENGAGE, why)

    def refuse(self, why: str) -> None:
        """Remember why a request was refused; a later one that is accepted makes up for it."""
        self._refusal = why

    def waits_for(self, situation: Situation, p: SafetyParameters) -> tuple[str, ...]:
        """Say what led to a mode in which commands are blocked, and what is missing to leave it."""
        if self.mode is Mode.NOT_READY:
            gap = handshake_gap(situation, self._answered)
            return (f"engaging waits: {gap}" if gap else "engaging",)
        parts = [] if self.reason == START else [self.reason]
        if self._refusal:
            parts.append(f"the last request to engage was refused: {self._refusal}")
        if against := obstacles(situation, p):
            parts.append(against)
        if self._stopped:
            parts.append("the interface is not active")
        elif self._person_drives:
            parts.append("a person has taken over, and engage was not asked for since")
        elif not p.auto_engage:
            parts.append("engage was not asked for (safety.auto_engage is off)")
        return tuple(dict.fromkeys(parts))

    def watch(self, now: float, situation: Situation, p: SafetyParameters) -> ModeChange | None:
        """Once a period outside AUTONOMOUS: go on with the handshake, or begin it unasked."""
        if self.mode is Mode.NOT_READY:
            return self._shake_hands(now, situation, p)
        may_begin = p.auto_engage and not (self._person_drives or self._stopped)
        if not may_begin or situation.command_age_s > situation.command_timeout_s:
            return None
        if obstacles(situation, p):
            return None
        return self.request(now, "a valid command engages (safety.auto_engage)")

    def handle(self, event: ModeEvent, why: str = "") -> ModeChange | None:
        """Apply an event; None when the mode stays."""
        before = self.mode
        if event in (ModeEvent.OVERRIDE, ModeEvent.DISENGAGE):
            self._person_drives = True
        moved = self._machine.handle(event)
        self.mode = self._machine.state
        if self.mode is Mode.AUTONOMOUS:
            # Only now: while it is asked for, and when that leads nowhere, the person still drives.
            self._person_drives = False
            self.authority = Authority.COMMAND
        else:
            self.authority = Authority.SILENT if self._person_drives else Authority.IDLE
        if not moved:
            return None
        self.reason = why or EVENT_WORDS[event]
        if before is Mode.AUTONOMOUS:
            self.disengage_reason = self.reason
        return ModeChange(before, self.mode, self.reason)

    def _shake_hands(
        self, now: float, situation: Situation, p: SafetyParameters
    ) -> ModeChange | None:
        against = obstacles(situation, p)
        if against:
            return self.handle(ModeEvent.EXPIRE, against)
        gap = handshake_gap(situation, self._answered)
        if not gap:
            return self.handle(ModeEvent.READY)
        if now - self._requested_s > p.engage_timeout_s:
            return self.handle(ModeEvent.EXPIRE, f"{gap} within {p.engage_timeout_s:g} s")
        return None
