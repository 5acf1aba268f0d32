"""How a process is asked to end, more and more firmly."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """Send ``signal``, then wait ``patience_s`` for the end (None: as long as it takes)."""

    signal: signal.Signals
    patience_s: float | None


@dataclass(frozen=True)
class Escalation:
    """SIGINT, after ``sigterm_timeout_s`` SIGTERM, after ``sigkill_timeout_s`` more SIGKILL."""

    sigterm_timeout_s: float = 5.0
    sigkill_timeout_s: float = 5.0

    def __post_init__(self) -> None:
        for name in ("sigterm_timeout", "sigkill_timeout"):
            value = getattr(self, f"{name}_s")
            if not value >= 0.0:
                raise ValueError(f"{name}={value}: must be >= 0")

    def steps(self) -> Iterator[Step]:
        """Yield the steps in order."""
        yield Step(signal.SIGINT, self.sigterm_timeout_s)
        yield Step(signal.SIGTERM, self.sigkill_timeout_s)
        yield Step(signal.SIGKILL, None)
