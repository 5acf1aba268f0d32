"""The handshake of a car as it runs: the rows of its table, one after the other.

A row is sent at least once before the next one follows, so that what the maker wants in two frames
is in two frames. It begins with autonomy, and once for each: after a refusal, or when the car has
left, autonomy has to end first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from vdsim_can.car import Condition, HandshakeStep, SignalName
from vdsim_can.fields.handshake_settings import settings_of

Value = Callable[[SignalName], float]


class HandshakeRun:
    """Where the handshake is. `why`: the reason of the last refusal, or of the loss of autonomy."""

    def __init__(self, steps: tuple[HandshakeStep, ...]) -> None:
        self._steps = steps
        self._settings = [settings_of(steps, index) for index in range(len(steps))]
        self._reached = [(), *(_both(*pair) for pair in pairwise(steps))]
        self._index = 0
        self._entered_s = math.nan
        self._kept_s = math.nan
        self._unsent: set[str] = set()
        self.why = ""

    @property
    def step(self) -> HandshakeStep | None:
        """The present row; None for a car without a handshake."""
        return self._steps[self._index] if self._steps else None

    @property
    def settings(self) -> Mapping[SignalName, int]:
        """What the present row sends; a signal that it does not name is as in the first row."""
        return self._settings[self._index] if self._settings else {}

    @property
    def is_enabled(self) -> bool:
        """Whether the car lets itself be driven."""
        return not self._steps or self._index == len(self._steps) - 1

    @property
    def is_idle(self) -> bool:
        """Whether nothing was begun."""
        return self._index == 0

    def lose(self, why: str) -> None:
        """The car must not be driven any more: back to the first row, with this reason."""
        if self._index:
            self._back(why)

    def leave(self) -> None:
        """A person drives: back to the first row, without a reason."""
        self._index, self.why = 0, ""

    def on_sent(self, messages: Iterable[str]) -> None:
        """Note which messages left with the settings of the present row."""
        self._unsent.difference_update(messages)

    def update(self, now: float, value: Value, *, wanted: bool) -> None:
        """Once a period, before the row is sent."""
        steps = self._steps
        if not steps:
            return
        if self._index == 0:
            if not wanted:
                self.why = ""
            elif not self.why:
                self._begin(now, value)
        elif self._index == len(steps) - 1:
            self._keep(now, value)
        elif self._falls_back(value):
            self._back(self._sentence(value))
        elif not self._unmet(value) and not self._unsent:
            self._enter(self._index + 1, now)
        elif now - self._entered_s > 1e-3 * steps[self._index].within_ms:
            self._back(self._sentence(value))

    def refusal(self, value: Value) -> str:
        """Return why a request would be refused now, as the first or last row says; else nothing.

        The last row is held while the interface stops a car that it does not hear. Such a car may
        have left meanwhile.
        """
        is_between = not self.is_idle and not self.is_enabled
        if not self._steps or is_between or not self._unmet(value):
            return ""
        return self._sentence(value)

    def _begin(self, now: float, value: Value) -> None:
        if self._unmet(value):
            self._back(self._sentence(value))
        elif len(self._steps) > 1:
            self._enter(1, now)

    def _falls_back(self, value: Value) -> bool:
        """Whether the car has left what the row before has reached, and this one goes on from."""
        found = ((each, value(each.signal)) for each in self._reached[self._index])
        return any(not each.holds(known) and not math.isnan(known) for each, known in found)

    def _keep(self, now: float, value: Value) -> None:
        """The car may leave by itself. What is not received any more is no sign that it did."""
        if all(math.isnan(value(each.signal)) for each in self._unmet(value)):
            self._kept_s = now
        elif now - self._kept_s > 1e-3 * self._steps[self._index].within_ms:
            self._back(self._sentence(value))

    def _enter(self, index: int, now: float) -> None:
        self._index, self._entered_s, self._kept_s = index, now, now
        self._unsent = {setting.signal.message for setting in self._steps[index].send}

    def _back(self, why: str) -> None:
        self._index, self.why = 0, why

    def _unmet(self, value: Value) -> list[Condition]:
        step = self._steps[self._index]
        return [each for each in step.wait_for if not each.holds(value(each.signal))]

    def _sentence(self, value: Value) -> str:
        """The maker's word, and the signals that are not as they should be."""
        unlike = ", ".join(_unlike(each, value) for each in self._unmet(value))
        return f"{self._steps[self._index].otherwise} ({unlike})"


def _both(before: HandshakeStep, step: HandshakeStep) -> tuple[Condition, ...]:
    """What both rows wait for."""
    return tuple(each for each in step.wait_for if each in before.wait_for)


def _unlike(condition: Condition, value: Value) -> str:
    found = value(condition.signal)
    if math.isnan(found):
        return f"{condition.signal} is not received"
    needs = f"{condition.comparison.value} {condition.value:g}"
    return f"{condition.signal} is {found:g}, and must be {needs}"
