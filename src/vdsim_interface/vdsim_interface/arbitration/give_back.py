"""Why sources that need `give_back` wait, and the emergency stop: latched until a person acts.

Part of the mux: it decides who may drive, this decides what a person must do first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from vdsim_interface.arbitration import mux_notices
from vdsim_interface.arbitration.motion import MeasuredMotion
from vdsim_interface.arbitration.sources import Lock, Source
from vdsim_interface.values import Notice

NO_NOTICES: tuple[Notice, ...] = ()


class Latches(NamedTuple):
    """What must outlive a process and a configuration of it; each is empty while it is off."""

    emergency: str = ""
    waits_because: str = ""


AGAIN_S = 1.0
"""A request for an emergency stop so long after the one before is another one [s]."""


class GiveBack:
    """Two latches, `waits_because` and `emergency`; each is empty while it is off.

    `emergency_requests_n`: how many emergency stops were requested; a button that is held, and a
    request that is sent until it is confirmed, count once. `given_back_n`: how often give_back was
    done.
    """

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources
        self._waiting = tuple(s for s in sources.values() if s.needs_give_back)
        self._names = ", ".join(source.name for source in self._waiting)
        self.waits_because = ""
        self.emergency = ""
        self.emergency_requests_n = self.given_back_n = 0
        self._requested_s = -math.inf

    @property
    def latches(self) -> Latches:
        """Both latches."""
        return Latches(self.emergency, self.waits_because)

    def restore(self, latches: Latches) -> None:
        """Set the latches as an arbiter before this one left them."""
        self.emergency = latches.emergency
        self.waits_because = latches.waits_because if self._waiting else ""

    def wait(self, why: str) -> tuple[Notice, ...]:
        """From now on the sources that need give_back wait."""
        if not self._waiting:
            return NO_NOTICES
        before, self.waits_because = self.waits_because, why
        text = f"{self._names} waits for give_back: {why}"
        commands = any(source.accepted for source in self._waiting)
        return (Notice(mux_notices.WAITS, text),) if commands and not before else NO_NOTICES

    def watch(self, locks: Iterable[Lock], now: float) -> tuple[Notice, ...]:
        """A lock that somebody sets makes the sources under it wait, beyond its release."""
        if self.waits_because:
            return NO_NOTICES
        for lock in locks:
            if lock.received_at > -math.inf and lock.active(now):
                priority = lock.spec.parameters.priority
                if any(source.priority <= priority for source in self._waiting):
                    return self.wait(f"lock {lock.spec.name} was on")
        return NO_NOTICES

    def stop(self, who: str, now: float) -> tuple[Notice, ...]:
        """Latch the emergency stop."""
        if not 0.0 <= now - self._requested_s < AGAIN_S:
            self.emergency_requests_n += 1
        self._requested_s = now
        if self.emergency:
            return NO_NOTICES
        self.emergency = who
        text = f"emergency stop by {who}: the car stops, and nobody drives until give_back"
        waits = self.wait(f"{who} requested the emergency stop")
        return (Notice(mux_notices.EMERGENCY_STOP, text), *waits)

    def refusal(
        self,
        driver: Source | None,
        locks: tuple[str, ...],
        motion: MeasuredMotion,
        recover_s: float,
        now: float,
    ) -> str:
        """Why control cannot be given back now; empty when it can. `driver`: who is in control."""
        if self.emergency:
            moves = motion.velocity_mps is not None and not motion.standing
            return "the car still moves; the emergency stop is reset at standstill" if moves else ""
        if locks:
            return f"lock {', '.join(locks)} is on"
        if driver is None or driver.needs_give_back:
            return ""
        if any(s.alive(now) and s.recovered(now, recover_s) for s in self._waiting):
            return ""
        return f"no other source sends commands; {driver.name} keeps control"

    def apply(self, now: float, *, must_stand: bool) -> Notice:
        """Reset the emergency stop, else release the sources that wait; the others yield.

        After a reset nothing moves: a person who held the dead-man button all the time must
        release it first. Where no source waits for give_back, the next one ends that: the streams
        of computers have no gaps.
        """
        self.given_back_n += 1
        for source in self._sources.values():
            if not source.needs_give_back and source.alive(now):
                source.yielded = bool(self.emergency or self._waiting)
        if self.emergency:
            self.emergency = ""
            self.waits_because = "the emergency stop was reset" if self._waiting else ""
            text = "the emergency stop is reset; give_back again lets autonomy drive"
            return Notice(mux_notices.EMERGENCY_RESET, text)
        self.waits_because = ""
        if not self._waiting:
            effect = " to whoever sends commands"
        elif not any(source.alive(now) for source in self._waiting):
            effect = f": {self._names} drives when its commands arrive"
        elif must_stand:
            effect = f": {self._names} drives when the car has stood"
        else:
            effect = f" to {self._names}"
        return Notice(mux_notices.GIVEN_BACK, f"control is given back{effect}")
