"""What comes of one cell. No I/O."""

from __future__ import annotations

from dataclasses import dataclass

from vdsim_campaign.cells import Cell
from vdsim_campaign.checks import Finding


@dataclass(frozen=True, kw_only=True)
class Result:
    """One cell, judged."""

    cell: Cell
    findings: tuple[Finding, ...]
    took_s: float
    waited_s: float = 0.0
    """How long the processes waited for a core."""
    starved: bool = False
    """Whether they waited so long at a stretch that time-outs expire rightly."""

    @property
    def judged(self) -> bool:
        """Whether the result says something: a time-out of a starved process does not."""
        return not (self.starved and self.broken)

    @property
    def broken(self) -> list[Finding]:
        """The requirements that do not hold."""
        return [finding for finding in self.findings if not finding.holds]
