"""Who drives: the mode and its reasons, the authority, and the handshake before autonomy."""

import math
from typing import NamedTuple

from vdsim_interface.safety.modes import EVENT_WORDS, ModeEvent, ModeMachine
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.preconditions import Situation, handshake_missing, unmet_preconditions
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
    """The mode and the reason of its last change.

    `disengage_reason`: why autonomy last ended. `authority`: what may reach the vehicle. After a
    person has taken over, nothing is sent until autonomy is requested and starts again.
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
        """Note a report of the vehicle: one that is newer than the request answers it."""
        if stamp_s > self._requested_s:
            self._answered = True

    def restore_from(self, previous: "Engagement") -> None:
        """Copy whether a person drives."""
        self._person_drives = previous._person_drives
        self.authority = Authority.SILENT if self._person_drives else Authority.IDLE

    def stop(self) -> ModeChange | None:
        """Deactivate: autonomy ends and does not start again by itself."""
        self._stopped = True
        return self.handle(ModeEvent.STOP)

    def request(self, now: float, why: str) -> ModeChange | None:
        """Start the handshake."""
        self._requested_s = now
        self._answered = False
        self._refusal = ""
        return self.handle(ModeEvent.ENGAGE, why)

    def refuse(self, why: str) -> None:
        """Remember why a request was refused, until one is accepted."""
        self._refusal = why

    def blocking_reasons(self, situation: Situation, limits: SafetyParameters) -> tuple[str, ...]:
        """Return why commands are blocked in this mode, and what is missing to engage."""
        if self.mode is Mode.NOT_READY:
            missing = handshake_missing(situation, self._answered)
            return (f"engaging waits: {missing}" if missing else "engaging",)
        parts = [] if self.reason == START else [self.reason]
        if self._refusal:
            parts.append(f"the last request to engage was refused: {self._refusal}")
        if unmet := unmet_preconditions(situation, limits):
            parts.append(unmet)
        if self._stopped:
            parts.append("the interface is not active")
        elif self._person_drives:
            parts.append("a person has taken over, and engage was not asked for since")
        elif not limits.auto_engage:
            parts.append("engage was not asked for (safety.auto_engage is off)")
        return tuple(dict.fromkeys(parts))

    def update(
        self, now: float, situation: Situation, limits: SafetyParameters
    ) -> ModeChange | None:
        """Once a period outside AUTONOMOUS: continue the handshake, or start it (auto_engage)."""
        if self.mode is Mode.NOT_READY:
            return self._continue_handshake(now, situation, limits)
        may_start = limits.auto_engage and not (self._person_drives or self._stopped)
        if not may_start or situation.command_age_s > situation.command_timeout_s:
            return None
        if unmet_preconditions(situation, limits):
            return None
        return self.request(now, "a valid command engages (safety.auto_engage)")

    def handle(self, event: ModeEvent, why: str = "") -> ModeChange | None:
        """Apply an event; None when the mode stays."""
        before = self.mode
        if event in (ModeEvent.OVERRIDE, ModeEvent.DISENGAGE):
            self._person_drives = True
        changed = self._machine.handle(event)
        self.mode = self._machine.state
        if self.mode is Mode.AUTONOMOUS:
            # Only now: the person still drives during the handshake, and after one that fails.
            self._person_drives = False
            self.authority = Authority.COMMAND
        else:
            self.authority = Authority.SILENT if self._person_drives else Authority.IDLE
        if not changed:
            return None
        self.reason = why or EVENT_WORDS[event]
        if before is Mode.AUTONOMOUS:
            self.disengage_reason = self.reason
        return ModeChange(before, self.mode, self.reason)

    def _continue_handshake(
        self, now: float, situation: Situation, limits: SafetyParameters
    ) -> ModeChange | None:
        unmet = unmet_preconditions(situation, limits)
        if unmet:
            return self.handle(ModeEvent.EXPIRE, unmet)
        missing = handshake_missing(situation, self._answered)
        if not missing:
            return self.handle(ModeEvent.READY)
        if now - self._requested_s > limits.engage_timeout_s:
            why = f"{missing} within {limits.engage_timeout_s:g} s"
            return self.handle(ModeEvent.EXPIRE, why)
        return None
