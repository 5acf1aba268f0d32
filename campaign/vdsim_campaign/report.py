"""Results as text: one line a cell.

STARVED: something did not hold, but the machine did not run the processes, in each of the tries.
"""

from __future__ import annotations

from vdsim_campaign.result import Result


def line(result: Result, *, verbose: bool = False, into: str = "") -> str:
    """One line; below a broken cell also what is broken, and the command that repeats it.

    `into`: what the car did when the fault began, of a cell on virtual time.
    """
    word = "ok" if not result.broken else "BROKEN" if result.judged else "STARVED"
    name = f"{result.cell.name} {into}".strip()
    head = f"{word:<8}{name:<54}{len(result.findings):>3} checks {result.took_s:6.1f} s"
    if not into:
        head += f", waited for a core {result.waited_s:5.2f} s"
    shown = result.findings if verbose else result.broken
    rows = [f"       {'' if f.holds else 'not: '}{f.requirement}: {f.text}" for f in shown]
    if result.broken:
        again = f" --virtual --into {into}" if into else ""
        rows.append(f"       again: {result.cell.command}{again}")
    return "\n".join([head, *rows])
