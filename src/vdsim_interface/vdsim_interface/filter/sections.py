"""A filter that runs sample by sample: second-order sections, transposed direct form II."""

from typing import NamedTuple


class Section(NamedTuple):
    """One second-order section, a0 = 1."""

    b0: float
    b1: float
    b2: float
    a1: float
    a2: float


Z1, Z2 = 5, 6
"""Indices of a section's state, after its coefficients."""


class SampleFilter:
    """A cascade of sections with its state; unity gain at zero frequency.

    `filters`: false without any section.
    """

    def __init__(self, sections: tuple[Section, ...]) -> None:
        self._sections = tuple([*section, 0.0, 0.0] for section in sections)
        self.filters = bool(sections)

    def reset(self, value: float) -> None:
        """Set the steady state of a value: an equal next sample passes unchanged (bumpless)."""
        level = value
        for section in self._sections:
            b0, b1, b2, a1, a2, _, _ = section
            out = level * (b0 + b1 + b2) / (1.0 + a1 + a2)
            z2 = b2 * level - a2 * out
            section[Z1:] = b1 * level - a1 * out + z2, z2
            level = out

    def step(self, value: float) -> float:
        """Filter one sample."""
        for section in self._sections:
            b0, b1, b2, a1, a2, z1, z2 = section
            out = b0 * value + z1
            section[Z1] = b1 * value - a1 * out + z2
            section[Z2] = b2 * value - a2 * out
            value = out
        return value
