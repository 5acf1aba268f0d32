"""Results as text: one line a cell.

STARVED: something did not hold, but the machine did not run the processes, in each of the tries.
"""

from __future__ import annotations

from vdsim_campaign.runner import Result


def line(result: Result, *, verbose: bool = False) -> str:
    """One line; below a broken cell also what is broken, and the command that repeats it."""
    word = "ok" if not result.broken else "BROKEN" if result.judged else "STARVED"
    head = (
        f"{word:<8}{result.cell.name:<46}{len(result.findings):>3} checks "
        f"{result.took_s:6.1f} s, waited for a core {result.waited_s:5.2f} s"
    )
    shown = result.findings if verbose else result.broken
    rows = [f"       {'' if f.holds else 'not: '}{f.requirement}: {f.text}" for f in shown]
    if result.broken:
        rows.append(f"       again: {result.cell.command}")
    return "\n".join([head, *rows])
