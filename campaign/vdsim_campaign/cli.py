"""`./ws campaign`: run cells, list them, or measure the fault-tolerant time intervals.

./ws campaign list
./ws campaign --cells quick --seed 1
./ws campaign --cell planner_silent --seed 7
./ws campaign --cells all --seeds 3
./ws campaign --virtual --cells all --seeds 3 --jobs 2
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
from typing import TYPE_CHECKING

from vdsim_kit.domains import hold_domain
from vdsim_kit.ports import reserve_contract_ports
from vdsim_record.tape.replayed import Replayed, Sum, added

from vdsim_campaign import results
from vdsim_campaign.cells import Cell, cells_named, every_cell, groups, quick_cells
from vdsim_campaign.peers import HOW, python_with
from vdsim_campaign.results import INTO
from vdsim_campaign.tapes import Tapes

if TYPE_CHECKING:
    from vdsim_campaign.result import Result

WITH_TAPE = ("single", "guarded")
"""Compositions that decide in one process, which has a tape."""
SWITCH_INTERVAL_S = 0.0005
"""The tap's thread must not wait 5 ms for the one that spins the node."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command_line = argparse.ArgumentParser(prog="./ws campaign", description=__doc__.split("\n")[0])
    command_line.add_argument("--cells", choices=("quick", "all"), default="quick")
    command_line.add_argument("--cell", action="append", default=[], help="a cell, or a fault")
    command_line.add_argument("--seed", type=int, default=1, help="the first seed")
    command_line.add_argument(
        "--peer-python", default="", help="Python of the DDS peer of another vendor"
    )
    command_line.add_argument("--store", action="store_true", help="for docs/campaign.md")
    command_line.add_argument(
        "--tapes", action="store_true",
        help="of the compositions with a tape: replay what entered the interface, and compare",
    )  # fmt: skip
    command_line.add_argument(
        "--virtual", action="store_true", help="on virtual time, in place of real processes"
    )
    command_line.add_argument(
        "--into", choices=(*INTO, "all"), default=INTO[0],
        help="what a fault meets; all but the first need --virtual",
    )  # fmt: skip
    command_line.add_argument("--jobs", type=int, default=1, help="processes at once of --virtual")
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
    if options.virtual:
        from vdsim_campaign.virtual.runs import run_cells

        return run_cells(options)
    if options.into != INTO[0]:
        print(f"campaign: --into {options.into}: needs --virtual", file=sys.stderr)
        return 2
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    # SIGTERM must not leave the processes behind either.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    reserve_contract_ports()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    tally = Tally(options)
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
            _run(group, seed, tally, options)
    if not options.list:
        judged_n = len(tally.judged)
        print(f"{judged_n} cells judged, {tally.broken_n} broken, {tally.starved_n} starved")
    for name, found in tally.replays():
        print(f"replay {name}: {found}")
    return 1 if tally.broken_n or tally.differs else 0


class Tally:
    """Prints each result, and stores it at once: a long run may be interrupted."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self.judged: list[results.Run] = []
        self.starved_n = 0
        self._replayed: list[Replayed] = []

    def replay(self, tapes: Tapes, group: list[Cell]) -> None:
        """Play the tapes of a group; it has to write some."""
        composition = group[0].composition
        found = tapes.replay(composition, [cell.name for cell in group])
        self._replayed.append(found)
        for line in found.lines:
            print(f"  {composition}: {line}")

    def replays(self) -> list[tuple[str, Sum]]:
        """Return what all replays gave, by composition."""
        names = dict.fromkeys(each.name for each in self._replayed)
        return [
            (name, added([each for each in self._replayed if each.name == name])) for name in names
        ]

    @property
    def differs(self) -> bool:
        """Whether a replay sent otherwise, or there was nothing to replay."""
        return any(found.differing_bits or not found.ticks for _, found in self.replays())

    @property
    def broken_n(self) -> int:
        """How many of the judged cells are broken."""
        return sum(bool(run.why) for run in self.judged)

    def add(self, result: Result) -> None:
        """Take a result."""
        from vdsim_campaign.report import line

        print(line(result, verbose=self._options.verbose), flush=True)
        if not result.judged:
            self.starved_n += 1
            return
        self.judged.append(results.run_of(result))
        if self._options.store:
            known = results.merged(results.load(results.CELLS), self.judged)
            results.store(results.CELLS, known)


def _chosen(options: argparse.Namespace, seed: int) -> list[Cell]:
    if options.cell:
        cells = cells_named(options.cell, seed)
    else:
        cells = quick_cells(seed) if options.cells == "quick" else every_cell(seed)
    runnable = []
    for cell in cells:
        needs = cell.fault.needs
        if needs and not python_with(needs, options.peer_python):
            print(f"not run {cell.name}: {HOW.format(package=needs)}", flush=True)
        else:
            runnable.append(cell)
    return runnable


def _run(group: list[Cell], seed: int, tally: Tally, options: argparse.Namespace) -> None:
    """Run one group. The logs of a group with anything broken are kept."""
    from vdsim_campaign.runner import run_group

    folder = Path(tempfile.mkdtemp(prefix="vdsim_campaign_"))
    with hold_domain() as domain:
        os.environ["ROS_DOMAIN_ID"] = str(domain.number)
        tapes = None
        if options.tapes and group[0].composition in WITH_TAPE:
            (folder / "tapes").mkdir(mode=0o700)
            tapes = Tapes(folder / "tapes" / "tape.sock")
        made = run_group(group, folder, seed, tally.add, options.peer_python, tapes)
        if tapes is not None:
            tapes.close()
            tally.replay(tapes, group)
    if any(result.broken for result in made):
        print(f"logs: {folder}")
    else:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
