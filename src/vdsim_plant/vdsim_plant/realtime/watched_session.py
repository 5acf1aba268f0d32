"""A session with a watchdog: while no command arrives, a fail-safe input drives it.

    command ─▶ latch ─▶ tick          as long as commands are fresh
               fail-safe ─▶ tick      before the first, and once the last is older than the time-out

Pure: the time of commands and ticks is an argument. `RealTimeRunner` runs it on a thread, and the
plant's server runs one for each vehicle.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum

from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.session import AT_REST, SimSession

STANDING_MPS = 0.1
"""A car slower than this stands."""


class Drive(Enum):
    """Who drives a vehicle."""

    WAITING = "waiting"
    """No command yet: the fail-safe input is applied."""
    COMMANDED = "commanded"
    FAILSAFE = "failsafe"
    """Commands came and stopped."""


class WatchedSession:
    """A session, the age of its last command, and what is applied when that is too old."""

    def __init__(
        self,
        session: SimSession,
        *,
        tick_s: float,
        timeout_s: float,
        failsafe: Callable[[PedalInput], PedalInput],
    ) -> None:
        """`failsafe(last)` is the input to apply when commands stop after `last`."""
        self.session = session
        self.drive = Drive.WAITING
        self.failsafes = 0
        """How often commands stopped since the start, by itself."""
        self.lost = False
        """Whether commands stopped by themselves while the car moved, and none came since."""
        self.commands = 0
        self.last_command_s: float | None = None
        self.latched = AT_REST
        """The input that holds until the next one."""
        self._tick_s = tick_s
        self._timeout_s = timeout_s
        self._silence_s = timeout_s
        self._on_purpose = False
        self._failsafe = failsafe
        self._latch(failsafe(AT_REST))

    def command(self, pedals: PedalInput, now: float, *, timeout_s: float = 0.0) -> None:
        """Apply a command that arrived at `now` [s].

        `timeout_s`: how long it holds, where that is more than the session's own time-out.
        """
        self._latch(pedals)
        self.drive = Drive.COMMANDED
        self.lost = self._on_purpose = False
        self._silence_s = max(self._timeout_s, timeout_s)
        self.commands += 1
        self.last_command_s = now

    def release(self, *, on_purpose: bool = True) -> None:
        """Nobody drives any more: the fail-safe begins with the next tick."""
        self._silence_s = -math.inf
        self._on_purpose = on_purpose

    def tick(self, now: float) -> bool:
        """Advance by one tick; return whether the fail-safe has begun with it."""
        begins = self.drive is Drive.COMMANDED and self.is_silent(now)
        if begins:
            self.failsafes += not self._on_purpose
            self.lost = not self._on_purpose and self._is_moving()
            self.drive = Drive.FAILSAFE
            self._latch(self._failsafe(self.latched))
        self.session.tick(self._tick_s)
        return begins

    def is_silent(self, now: float) -> bool:
        """Whether no command holds at `now` [s]; true before the first."""
        return self.last_command_s is None or now - self.last_command_s > self._silence_s

    def age_s(self, now: float) -> float | None:
        """Age of the last command [s]; None before the first."""
        return None if self.last_command_s is None else now - self.last_command_s

    def reset(self, initial: InitialState | None = None) -> None:
        """Put the car into a state, by default its start, and wait for a command."""
        self.session.reset(initial)
        self.drive = Drive.WAITING
        self.lost = False
        self._latch(self._failsafe(AT_REST))

    def exchange(self, session: SimSession) -> None:
        """Go on with another car, which waits for a command; the counters go on."""
        self.session = session
        self.reset()

    def _is_moving(self) -> bool:
        motion = self.session.output().motion
        return math.hypot(motion.vx_mps, motion.vy_mps) > STANDING_MPS

    def _latch(self, pedals: PedalInput) -> None:
        self.session.set_input(pedals)
        self.latched = pedals
