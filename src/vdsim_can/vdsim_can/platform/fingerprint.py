"""Whether the bus is that of the car in the file: ids and lengths, before anything is sent."""

from __future__ import annotations

import math
from collections.abc import Mapping

from vdsim_can.traffic.reception import Fate, Outcome, Reception

LOOK_CYCLES = 5.0
"""So many cycles of the slowest message may pass before a missing one is named."""
NOT_THIS_CAR = "this is not the car of this file"


class Fingerprint:
    """Complete when every message of the file was seen with its length, and stays so."""

    def __init__(self, messages: Mapping[str, Reception]) -> None:
        self._messages = messages
        self._missing = set(messages)
        self._wrong: dict[str, str] = {}
        slowest_ms = max((each.wire.row.cycle_ms for each in messages.values()), default=0.0)
        self._look_s = LOOK_CYCLES * 1e-3 * slowest_ms
        self._first_s = math.inf

    @property
    def is_complete(self) -> bool:
        """Whether frames may be sent."""
        return not self._missing

    def add(self, outcome: Outcome, now: float) -> None:
        """Note a frame of the bus."""
        if not self._missing:
            return
        self._first_s = min(self._first_s, now)
        if outcome.fate is Fate.LENGTH:
            self._wrong[outcome.message] = outcome.text
        elif outcome.fate is Fate.ACCEPTED:
            self._wrong.pop(outcome.message, None)
            self._missing.discard(outcome.message)

    def restart(self) -> None:
        """Look again from here: time jumped back."""
        self._missing, self._wrong, self._first_s = set(self._messages), {}, math.inf

    def is_another_car(self, now: float) -> bool:
        """Whether what comes, or does not in time, is not the car of the file."""
        return bool(self._wrong) or (bool(self._missing) and now - self._first_s > self._look_s)

    def fault(self, now: float) -> str:
        """Return why nothing may be sent; empty when the car is that of the file."""
        if not self._missing:
            return ""
        if self._wrong:
            return f"{NOT_THIS_CAR}: {'; '.join(self._wrong.values())}"
        names = ", ".join(self._shown(name) for name in sorted(self._missing))
        if self.is_another_car(now):
            return f"{NOT_THIS_CAR}: {names} does not come"
        return f"the car's messages are not complete yet: {names} is missing"

    def _shown(self, name: str) -> str:
        reception = self._messages[name]
        why = f", {reception.why.partition(': ')[2]}" if reception.why else ""
        return f"{name} (0x{reception.wire.message.can_id:X}{why})"
