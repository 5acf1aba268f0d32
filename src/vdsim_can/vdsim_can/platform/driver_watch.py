"""Whether a person uses the car's controls, and which faults the car reports."""

from __future__ import annotations

import math
from collections.abc import Callable

from vdsim_can.car import Control, FaultRow, OverrideRow, SignalName

Value = Callable[[SignalName], float]
Raw = Callable[[SignalName], float | None]
NO_CONTROLS: frozenset[Control] = frozenset()


class OverrideWatch:
    """One row: a control that is used for long enough, until it is left alone."""

    def __init__(self, row: OverrideRow) -> None:
        self._row = row
        self._since_s = math.inf
        self.is_active = False

    @property
    def is_calm(self) -> bool:
        """Whether the control is neither used nor begins to be."""
        return not self.is_active and self._since_s == math.inf

    def update(self, now: float, value: float) -> bool:
        """Use the signal's physical value, nan where it is not known; return whether it is used."""
        row = self._row
        size = abs(value)
        if self.is_active:
            # What is not known any more does not end it.
            self.is_active = not size < row.threshold - row.hysteresis
            self._since_s = math.inf
        elif size > row.threshold:
            if not self._since_s <= now:
                self._since_s = now
            self.is_active = now - self._since_s >= 1e-3 * row.for_ms
        else:
            self._since_s = math.inf
        return self.is_active


class DriverWatch:
    """All rows of overrides. `text`: of those in effect."""

    def __init__(self, rows: tuple[OverrideRow, ...]) -> None:
        self._watches = [(row, row.signal, OverrideWatch(row)) for row in rows]
        self.messages = frozenset(row.signal.message for row in rows)
        self.text, self.is_calm = "", True
        """Calm: no control is used, or begins to be. A row then changes with a frame alone."""

    def update(self, now: float, value: Value, message: str = "") -> frozenset[Control]:
        """Return the controls that a person uses; `message`: only its signals are looked at."""
        used, calm = [], True
        for row, signal, watch in self._watches:
            if not message or signal[0] == message:
                watch.update(now, value(signal))
            if watch.is_active:
                used.append(row)
            calm = calm and watch.is_calm
        self.is_calm = calm
        if not used:
            self.text = ""
            return NO_CONTROLS
        self.text = "; ".join(f"{row.text or row.control.value} ({row.signal})" for row in used)
        return frozenset(row.control for row in used)


class FaultWatch:
    """The faults that the car reports; latched ones stay until autonomy was off without them."""

    def __init__(self, rows: tuple[FaultRow, ...]) -> None:
        self._rows = rows
        self._signals = tuple(dict.fromkeys(row.signal for row in rows))
        self._when = {
            signal: frozenset().union(*(row.when for row in rows if row.signal == signal))
            for signal in self._signals
        }
        self._latched: dict[float, str] = {}

    def update(self, raw: Raw, *, autonomous: bool) -> str:
        """Return the faults in words; empty for none."""
        texts = []
        known = {signal: raw(signal) for signal in self._signals}
        if not self._latched and not any(
            raw in self._when[signal] for signal, raw in known.items()
        ):
            return ""
        for number, row in enumerate(self._rows):
            found = known[row.signal]
            if found is not None and found in row.when:
                text = f"{row.text} ({row.signal} is {found:g})"
                if row.latched:
                    self._latched[number] = text
                texts.append(text)
            elif number in self._latched:
                if autonomous or found is None:
                    texts.append(self._latched[number])
                else:
                    del self._latched[number]
        return "; ".join(texts)
