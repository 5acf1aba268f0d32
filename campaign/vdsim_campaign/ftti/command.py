"""`./ws campaign ftti`: measure the table, print it, and store it for the page."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from vdsim_campaign import results
from vdsim_campaign.ftti.measure import Times, measure_all


def main(arguments: Sequence[str]) -> int:
    """Measure; 0 when the worst of every fault is within its bound."""
    parser = argparse.ArgumentParser(prog="./ws campaign ftti", description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000, help="of each fault")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", action="store_true", help="for docs/campaign.md")
    options = parser.parse_args(arguments)
    measured = []
    for times in measure_all(options.repeats, options.seed):
        measured.append(times)
        print(line(times), flush=True)
    if options.store:
        results.store(results.TIMES, stored(measured, options.repeats, options.seed))
    return 0 if all(times.holds for times in measured) else 1


def line(times: Times) -> str:
    """One row of the output."""
    fault = times.fault
    return (
        f"{'met' if times.holds else 'MISSED':<7}{fault.name:<32} allowed "
        f"{1e3 * fault.allowed_s:7.1f} ms, median {1e3 * times.quantile(0.5):7.1f}, "
        f"worst {1e3 * times.times_s[-1]:7.1f}"
    )


def stored(measured: Sequence[Times], repeats: int, seed: int) -> dict[str, Any]:
    """What the page needs."""
    rows = [
        {
            "name": times.fault.name,
            "text": times.fault.text,
            "stated": times.fault.stated,
            "allowed_s": times.fault.allowed_s,
            "median_s": times.quantile(0.5),
            "worst_s": times.times_s[-1],
            "holds": times.holds,
        }
        for times in measured
    ]
    return {"repeats": repeats, "seed": seed, "faults": rows}
