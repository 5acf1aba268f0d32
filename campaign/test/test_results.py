"""Results of several runs, and the tables made of them."""

from __future__ import annotations

from pathlib import Path

from vdsim_campaign import results
from vdsim_campaign.faults import FAULTS
from vdsim_campaign.results import CellResult, Run

GOOD, BAD = "command_loss.single", "process_stalled.guarded.vehicle_guard"


def test_runs_of_a_cell_are_counted_and_each_fault_is_named_once() -> None:
    known = results.merged(
        {}, [Run(GOOD), Run(BAD, ["drives on: no"]), Run(BAD, ["drives on: no"])]
    )
    assert known[GOOD] == CellResult(runs=1, broken=0, why=[], figures={})
    assert known[BAD] == CellResult(runs=2, broken=2, why=["drives on: no"], figures={})


def test_a_new_run_replaces_the_old_results_of_its_cells_alone() -> None:
    known = results.merged({}, [Run(GOOD), Run(BAD, ["drives on: no"])])
    known = results.merged(known, [Run(BAD)])
    assert known[BAD]["broken"] == 0
    assert GOOD in known


def test_results_of_cells_that_no_longer_exist_are_dropped() -> None:
    old = {"gone.single": CellResult(runs=1, broken=0, why=[], figures={})}
    assert "gone.single" not in results.merged(old, [Run(GOOD)])


def test_a_table_shows_what_holds_what_is_broken_and_what_was_not_run() -> None:
    known = results.merged({}, [Run(GOOD), Run(BAD, ["drives on: no"])])
    rows = {line.split("`")[1]: line for line in results.cell_table(known).splitlines()[2:-2]}
    assert rows["command_loss"].split(" | ")[1:] == ["1 hold", "not run", "not run", "not run |"]
    assert "**1 of 1 broken**" in rows["process_stalled"]
    assert rows["shell_killed"].count("–") == 3
    assert set(rows) == {fault.name for fault in FAULTS}
    assert results.broken_list(known) == f"- `{BAD}`: drives on: no"


def test_what_is_stored_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "results" / "cells.json"
    assert results.load(path) == {}
    results.store(path, {"a": 1})
    assert results.load(path) == {"a": 1}
