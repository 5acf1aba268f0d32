"""The table of what can happen, empty: faults.py and modules of the user's enter their rows."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from vdsim_simulate.scene import PLATFORMS, Value

Range = tuple[float, float] | Sequence[str]
SCALES = 10.0
"""Of a wider range each scale is drawn as often as another, half the time: a stall of some periods
breaks other things than one of a second."""


class Fault(NamedTuple):
    """One row: `text` is a sentence with the drawn values in it; `ranges`: what may be drawn."""

    name: str
    text: str
    begin: Callable[..., None]
    ranges: Mapping[str, Range]
    compositions: tuple[str, ...]
    platforms: tuple[str, ...]

    def draw(self, draws: random.Random) -> dict[str, Value]:
        """Draw the values."""
        return {name: _drawn(among, draws) for name, among in self.ranges.items()}

    def sentence(self, values: Mapping[str, Value]) -> str:
        """Say what happens; what a stored scene does not say has the default of its function."""
        given = inspect.signature(self.begin).parameters
        defaults = {name: each.default for name, each in given.items()}
        return self.text.format(**{**defaults, **values})


FAULTS: dict[str, Fault] = {}
EVERYWHERE: tuple[str, ...] = ("single", "guarded", "processes")


def fault(
    text: str,
    *,
    compositions: tuple[str, ...] = EVERYWHERE,
    platforms: tuple[str, ...] = PLATFORMS,
    **ranges: Range,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Enter a function into the table. A range: two numbers, or a list of words."""

    def enter(begin: Callable[..., None]) -> Callable[..., None]:
        if begin.__name__ in FAULTS:
            raise ValueError(f"fault {begin.__name__}: the name is taken")
        FAULTS[begin.__name__] = Fault(begin.__name__, text, begin, ranges, compositions, platforms)
        return begin

    return enter


def rows_of(composition: str, platform: str) -> list[Fault]:
    """Return what can happen there."""
    rows = FAULTS.values()
    return [r for r in rows if composition in r.compositions and platform in r.platforms]


def _drawn(among: Any, draws: random.Random) -> Value:
    if isinstance(among[0], str):
        word: str = draws.choice(list(among))
        return word
    low, high = among
    value = draws.uniform(low, high)
    if low > 0.0 and high >= SCALES * low and draws.random() < 0.5:
        value = low * (high / low) ** draws.random()
    # Three digits: a story and a file stay readable, and nothing is lost.
    return float(f"{value:.3g}")
