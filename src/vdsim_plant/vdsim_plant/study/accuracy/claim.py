"""One figure of the dossier: what is claimed, against what, and what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One row. `against`: the law or the second implementation. `bound`: of what is measured."""

    what: str
    against: str
    measured: str
    bound: str
    passed: bool


def table(claims: Iterable[Claim]) -> str:
    """Return a Markdown table."""
    lines = ["| | against | measured | bound |", "|---|---|---|---|"]
    for claim in claims:
        verdict = "" if claim.passed else "**missed:** "
        lines.append(
            f"| {claim.what} | {claim.against} | {verdict}{claim.measured} | {claim.bound} |"
        )
    return "\n".join(lines)


def at_most(value: float, unit: str = "") -> str:
    """Return a value rounded up to a power of ten: what rounding leaves has no other digits."""
    if value == 0.0:
        return f"0{unit}"
    return f"{10.0 ** math.ceil(math.log10(value)):.0e}{unit}"
