"""The table of docs/plausibility.md: every check, from the checks themselves."""

from __future__ import annotations

from vdsim_interface.plausibility.checks import CHECKS

from generate.shipped_platforms import shipped_platforms
from generate.tables import table


def check_table() -> str:
    """Name, signals, limit, times and consequence of each check, in the order of the code."""
    rows = [
        (
            f"`{check.name}`",
            check.compares,
            ", ".join(f"`{name}`" for name in sorted(check.signals)) or "always there",
            check.limit,
            f"{check.hold_s:g} s",
            f"{check.detects_s:g} s",
            check.consequence.value,
        )
        for check in CHECKS
    ]
    head = ["check", "compares", "needs", "contradicts beyond", "for", "found within", "then"]
    return table(head, rows)


def platform_table() -> str:
    """Which checks run on each platform that comes with the interface."""
    rows = []
    for name, spec in shipped_platforms().items():
        capabilities = spec.capabilities
        signals = capabilities.signals | (
            {"slope"} if capabilities.slope_from == "pitch" else set()
        )
        cells = ["yes" if signals.issuperset(check.signals) else "-" for check in CHECKS]
        rows.append((f"`{name}`", *cells))
    return table(["platform", *(f"`{check.name}`" for check in CHECKS)], rows)


PARTS = {"plausibility checks": check_table, "plausibility platforms": platform_table}
