"""A filter that runs sample by sample: second-order sections, transposed direct form II."""

from typing import NamedTuple


class Section(NamedTuple):
    """One second-order section, a0 = 1."""

    b0: float
    b1: float
    b2: float
    a1: float
    a2: float


class SampleFilter:
    """A cascade of sections with its state; unity gain at zero frequency."""

    def __init__(self, sections: tuple[Section, ...]) -> None:
        self._sections = sections
        self._states: list[tuple[float, float]] = []
        self.reset(0.0)

    def reset(self, value: float) -> None:
        """Settle on a value: the next sample of that value gives that value (bumpless)."""
        self._states = []
        level = value
        for b0, b1, b2, a1, a2 in self._sections:
            out = level * (b0 + b1 + b2) / (1.0 + a1 + a2)
            z2 = b2 * level - a2 * out
            self._states.append((b1 * level - a1 * out + z2, z2))
            level = out

    def step(self, value: float) -> float:
        """Filter one sample."""
        for index, (b0, b1, b2, a1, a2) in enumerate(self._sections):
            z1, z2 = self._states[index]
            out = b0 * value + z1
            self._states[index] = (b1 * value - a1 * out + z2, b2 * value - a2 * out)
            value = out
        return value
