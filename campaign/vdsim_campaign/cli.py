"""`./ws campaign`: run cells, list them, or measure the fault-tolerant time intervals.

./ws campaign list
./ws campaign --cells quick --seed 1
./ws campaign --cell planner_silent --seed 7
./ws campaign --cells all --seeds 3
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from vdsim_kit.domains import hold_domain
from vdsim_kit.ports import reserve_contract_ports

from vdsim_campaign import results
from vdsim_campaign.cells import Cell, cells_named, every_cell, groups, missing_package, quick_cells

SWITCH_INTERVAL_S = 0.0005
"""The tap's thread must not wait 5 ms for the one that spins the node."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command_line = argparse.ArgumentParser(prog="./ws campaign", description=__doc__.split("\n")[0])
    command_line.add_argument("--cells", choices=("quick", "all"), default="quick")
    command_line.add_argument("--cell", action="append", default=[], help="a cell, or a fault")
    command_line.add_argument("--seed", type=int, default=1, help="the first seed")
    command_line.add_argument("--store", action="store_true", help="for docs/campaign.md")
    command_line.add_argument("--list", action="store_true", help="name the cells, run none")
    command_line.add_argument("--verbose", action="store_true", help="show every requirement")
    command_line.add_argument("--seeds", type=int, default=1, help="how many seeds, one run each")
    return command_line


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; 0 when everything held."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["ftti"]:
        from vdsim_campaign.ftti import command

        return command.main(words[1:])
    options = parser().parse_args(words)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    # SIGTERM must not leave the processes behind either.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    reserve_contract_ports()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    runs: list[tuple[str, list[str]]] = []
    starved_n = 0
    for seed in range(options.seed, options.seed + options.seeds):
        try:
            cells = _chosen(options, seed)
        except ValueError as error:
            print(f"campaign: {error}", file=sys.stderr)
            return 2
        if options.list:
            print("\n".join(f"{cell.name:<56}{cell.fault.text}" for cell in cells))
            continue
        for group in groups(cells, seed):
            judged, not_judged_n = _run(group, seed, options.verbose)
            runs += judged
            starved_n += not_judged_n
            if options.store:
                results.store(results.CELLS, results.merged(results.load(results.CELLS), runs))
    broken_n = sum(bool(why) for _, why in runs)
    if not options.list:
        print(f"{len(runs)} cells judged, {broken_n} broken, {starved_n} starved")
    return 1 if broken_n else 0


def _chosen(options: argparse.Namespace, seed: int) -> list[Cell]:
    if options.cell:
        cells = cells_named(options.cell, seed)
    else:
        cells = quick_cells(seed) if options.cells == "quick" else every_cell(seed)
    runnable = []
    for cell in cells:
        missing = missing_package(cell)
        if missing:
            print(f"not run {cell.name}: needs pip install {missing}", flush=True)
        else:
            runnable.append(cell)
    return runnable


def _run(group: list[Cell], seed: int, verbose: bool) -> tuple[list[tuple[str, list[str]]], int]:
    """Run one group; return what is broken by the name of the cell, and how many were starved.

    The logs of a group with anything broken are kept.
    """
    from vdsim_campaign.report import line
    from vdsim_campaign.runner import run_group

    folder = Path(tempfile.mkdtemp(prefix="vdsim_campaign_"))
    with hold_domain() as domain:
        os.environ["ROS_DOMAIN_ID"] = str(domain.number)
        made = run_group(
            group, folder, seed, lambda result: print(line(result, verbose=verbose), flush=True)
        )
    if any(result.broken for result in made):
        print(f"logs: {folder}")
    else:
        shutil.rmtree(folder)
    judged = [
        (result.cell.name, [f"{f.requirement}: {f.text}" for f in result.broken])
        for result in made
        if result.judged
    ]
    return judged, len(made) - len(judged)


if __name__ == "__main__":
    sys.exit(main())
