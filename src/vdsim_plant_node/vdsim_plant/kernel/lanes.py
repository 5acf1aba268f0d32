"""How many cars stand side by side in a block of a batch."""

from __future__ import annotations

LANES = 16  # what a block needs for a substep fits into the first-level cache
