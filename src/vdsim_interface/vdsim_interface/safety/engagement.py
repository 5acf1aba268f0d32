"""Who drives: the mode and its reasons, the authority, and the handshake before autonomy.

`HoldOff`: how long `auto_engage` waits after a try that failed, so that a fault is no endless loop.
Each failed try doubles the wait, from `safety.engage_hold_off_s` up to LONGEST_N times that: a
fault of a moment costs a second, a lasting one is tried every half minute. Autonomy that lasts
longer than the first wait ends the series. A request of a person or of the stack never waits.
"""

import math
from typing import NamedTuple

from vdsim_interface.safety.authority import (
    RESTART,
    Entry,
    LastDriver,
    Rig,
    authority_without_autonomy,
    may_engage_by_itself,
)
from vdsim_interface.safety.inputs import (
    Inputs,
    LatestCommand,
    handshake_missing,
    unmet_preconditions,
)
from vdsim_interface.safety.modes import EVENT_WORDS, ModeEvent, ModeMachine
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import Authority, Mode

LONGEST_N = 32
"""The longest wait, in first waits: 32 s by default."""
LONGEST_EXPONENT = round(math.log2(LONGEST_N))


class HoldOff:
    """The series of automatic tries that failed. `failed_n`: how many."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """End the series."""
        self.failed_n = 0
        self._began_s = self._ready_s = math.inf

    def wait_s(self, first_s: float) -> float:
        """Return the present wait from its begin [s]; 0 without a failed try."""
        return first_s * 2.0 ** (self.failed_n - 1) if self.failed_n else 0.0

    def waits(self, now: float, first_s: float) -> bool:
        """Return whether the next automatic try is too early."""
        return 0.0 <= now - self._began_s < self.wait_s(first_s)

    def on_failed(self, now: float, first_s: float) -> float:
        """Count a try that failed; return the wait before the next one [s]."""
        if first_s > 0.0:
            self.failed_n = min(self.failed_n + 1, LONGEST_EXPONENT + 1)
            self._began_s = now
        return self.wait_s(first_s)

    def on_ready(self, now: float) -> None:
        """Note that an automatic try has led to autonomy."""
        self._ready_s = now

    def on_end(self, now: float, first_s: float) -> None:
        """Without autonomy: judge the one that an automatic try led to, once."""
        lasted_s, self._ready_s = now - self._ready_s, math.inf
        if not math.isfinite(lasted_s):
            return
        if lasted_s < first_s:
            self.on_failed(now, first_s)
        else:
            self.reset()


START = "start"
REST_S = 1.0
"""A sender that commands standstill for so long, then motion, makes a new request [s]."""
ASKED_S = 2.5
"""How long a refused request to engage counts as wanted [s]: a link that asks an unknown vehicle
for its first report needs as long."""
NOT_ACTIVE = "the interface is not active"
PERSONS_ACTS = frozenset({ModeEvent.OVERRIDE, ModeEvent.DISENGAGE})
"""These count in every mode; the other events only when they end autonomy."""
ENTRY_OF = {event: Entry[event.name] for event in ModeEvent if event.name in Entry.__members__}


class ModeChange(NamedTuple):
    """A change of mode and why."""

    before: Mode
    after: Mode
    reason: str

    def __str__(self) -> str:
        return f"{self.before.name} -> {self.after.name}: {self.reason}"


class NewRequest:
    """Whether a sender asks to drive again after what stopped the car has gone (`auto_engage`).

    A stream that went on meanwhile asks for nothing: it must command standstill, or be silent, for
    REST_S, then motion.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """The car has been stopped: a request from before does not count."""
        self._rests_since_s = math.inf

    def step(self, now: float, *, secured: bool, asks_to_drive: bool) -> bool:
        """Note one period; return whether it asks."""
        has_rested = secured and now - self._rests_since_s >= REST_S
        if secured and not asks_to_drive:
            self._rests_since_s = min(self._rests_since_s, now)
        elif not has_rested:
            self.reset()
        return has_rested and asks_to_drive


class Engagement:
    """The mode and the reason of its last change; it reads the inputs and the latest command.

    `disengage_reason`: why autonomy last ended. `entry`: how the latest state without autonomy was
    entered. `authority`: what may reach the vehicle; without autonomy it follows from the entry and
    the rig (authority.py). `number`: that of the latest engagement, 0 before the first.
    `is_stopped`: the interface was deactivated, and this object does not engage any more.
    `by_itself`: a valid command alone has begun the latest handshake.
    """

    def __init__(self, limits: SafetyParameters, inputs: Inputs, latest: LatestCommand) -> None:
        self._machine = ModeMachine()
        self._limits = limits
        self._rig = Rig(limits.rig)
        self._inputs = inputs
        self._latest = latest
        self.mode = Mode.MANUAL
        self.entry = Entry.START
        self.authority = authority_without_autonomy(self.entry, self._rig)
        self.reason = START
        self.disengage_reason = ""
        self._refusal = ""
        self._refused_s = math.inf
        self.is_stopped = False
        self._requested_s = math.inf
        self._answered = False
        self.by_itself = False  # and its failure begins a hold-off
        self._hold_off = HoldOff()
        self._new_request = NewRequest()
        self.number = 0

    def on_report(self, stamp_s: float) -> None:
        """Note a report of the vehicle: one that is newer than the request answers it."""
        if stamp_s > self._requested_s:
            self._answered = True

    def configure(self, limits: SafetyParameters) -> None:
        """Use other limits, of another rig perhaps."""
        self._limits, self._rig = limits, Rig(limits.rig)
        self._choose_authority()

    @property
    def last_driver(self) -> LastDriver:
        """Who drove last, for the next activation or process."""
        if self.mode is Mode.AUTONOMOUS:
            return LastDriver.AUTONOMY
        return self.entry.last_driver

    def resume(self, last_driver: LastDriver) -> None:
        """Continue after a restart: the entry follows from who drove before."""
        self.entry = RESTART[last_driver]
        self._choose_authority()

    def stop(self) -> ModeChange | None:
        """Deactivate: autonomy ends and does not start again."""
        self.is_stopped = True
        return self.handle(ModeEvent.STOP)

    def request(self, now: float, why: str) -> ModeChange | None:
        """Start the handshake, because somebody asks for it."""
        self._hold_off.reset()
        return self._request(now, why)

    def _request(self, now: float, why: str, *, by_itself: bool = False) -> ModeChange | None:
        self.by_itself = by_itself
        self._requested_s = now
        self._answered = False
        self._refusal = ""
        return self.handle(ModeEvent.ENGAGE, why)

    def restart(self) -> ModeChange | None:
        """Time jumped back: autonomy ends, and waits from before count no more."""
        self._hold_off.reset()
        why = "time jumped back: everything received before is discarded"
        return self.handle(ModeEvent.LINK_LOST, why)

    def refuse(self, why: str, now: float) -> None:
        """Remember why a request was refused, until one is accepted."""
        self._refusal, self._refused_s = why, now

    def is_wanted(self, now: float) -> bool:
        """Whether somebody asks for autonomy that does not drive: by request, or by auto_engage."""
        if self.is_stopped or self.mode is Mode.AUTONOMOUS:
            return False
        if 0.0 <= now - self._refused_s <= ASKED_S:
            return True
        return self._latest.is_fresh(now) and self._starts_by_itself

    @property
    def _starts_by_itself(self) -> bool:
        """Whether a valid command may start autonomy now (`auto_engage`)."""
        return self._limits.auto_engage and may_engage_by_itself(self.entry, self._rig)

    def blocking_reasons(self, now: float) -> tuple[str, ...]:
        """Return why commands are blocked in this mode, and what is missing to engage.

        What is missing now comes first. What was said when the mode changed, or a request was
        refused, may be over: `vdsim_protocol.why` must not take a door of then for one of now.
        """
        if self.mode is Mode.NOT_READY:
            missing = handshake_missing(self._latest.is_fresh(now), self._answered)
            return (f"engaging waits: {missing}" if missing else "engaging",)
        parts = [unmet_preconditions(self._inputs, self._limits, now)]
        if self.reason != START:
            parts.append(f"the mode has changed: {self.reason}")
        if self._refusal:
            parts.append(f"the last request to engage was refused: {self._refusal}")
        if self.is_stopped:
            parts.append(NOT_ACTIVE)
        elif self.last_driver is LastDriver.PERSON:
            parts.append("a person has taken over, and engage was not asked for since")
        elif not may_engage_by_itself(self.entry, self._rig):
            parts.append("engage was not asked for since")
        elif not self._limits.auto_engage:
            parts.append("engage was not asked for (safety.auto_engage is off)")
        elif self.entry is Entry.SECURED_LOST:
            parts.append(f"the sender must command standstill for {REST_S:g} s, then motion")
        elif wait_s := self._hold_off.wait_s(self._limits.engage_hold_off_s):
            tries = f"{self._hold_off.failed_n} tries to engage by itself failed"
            parts.append(f"{tries}; it waits for {wait_s:g} s, a request to engage does not")
        return tuple(filter(None, parts))

    def update(self, now: float, *, asks_to_drive: bool) -> ModeChange | None:
        """Once a period outside AUTONOMOUS: continue the handshake, or start it (auto_engage)."""
        if self.mode is Mode.NOT_READY:
            return self._continue_handshake(now)
        first_wait_s = self._limits.engage_hold_off_s
        self._hold_off.on_end(now, first_wait_s)
        if not self._starts_by_itself or self.is_stopped:
            return None
        commands = self._latest.is_fresh(now)
        unmet = bool(unmet_preconditions(self._inputs, self._limits, now))
        if self.entry is Entry.SECURED_LOST and not self._new_request.step(
            now, secured=not unmet, asks_to_drive=commands and asks_to_drive
        ):
            return None
        if unmet or not commands or self._hold_off.waits(now, first_wait_s):
            return None
        why = "a valid command engages (safety.auto_engage)"
        return self._request(now, why, by_itself=True)

    def handle(self, event: ModeEvent, why: str = "") -> ModeChange | None:
        """Apply an event; None when the mode stays."""
        before = self.mode
        if event in PERSONS_ACTS:
            self._refused_s = math.inf
        if before is Mode.AUTONOMOUS:
            self._new_request.reset()
        if before is Mode.AUTONOMOUS or event in PERSONS_ACTS:
            self.entry = ENTRY_OF.get(event, self.entry)
        changed = self._machine.handle(event)
        self.mode = self._machine.state
        self._choose_authority()
        if not changed:
            return None
        if self.mode is Mode.AUTONOMOUS:
            self.number += 1
        self.reason = why or EVENT_WORDS[event]
        if before is Mode.AUTONOMOUS:
            self.disengage_reason = self.reason
        return ModeChange(before, self.mode, self.reason)

    def _choose_authority(self) -> None:
        # During the handshake, and after one that fails, the state before the request stays.
        self.authority = (
            Authority.COMMAND
            if self.mode is Mode.AUTONOMOUS
            else authority_without_autonomy(self.entry, self._rig)
        )

    def _continue_handshake(self, now: float) -> ModeChange | None:
        unmet = unmet_preconditions(self._inputs, self._limits, now)
        if unmet:
            return self._expire(now, unmet)
        missing = handshake_missing(self._latest.is_fresh(now), self._answered)
        if not missing:
            if self.by_itself:
                self._hold_off.on_ready(now)
            return self.handle(ModeEvent.READY)
        timeout_s = self._limits.engage_timeout_s
        if now - self._requested_s > timeout_s:
            return self._expire(now, f"{missing} within {timeout_s:g} s")
        return None

    def _expire(self, now: float, why: str) -> ModeChange | None:
        first_wait_s = self._limits.engage_hold_off_s
        if self.by_itself and (wait_s := self._hold_off.on_failed(now, first_wait_s)):
            why += f"; it tries again by itself in {wait_s:g} s"
        return self.handle(ModeEvent.EXPIRE, why)
