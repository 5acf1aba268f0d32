"""Cells are made from the table, and the same seed and name always draw the same."""

from __future__ import annotations

import pytest
from vdsim_campaign.cells import cells_named, every_cell, groups, quick_cells
from vdsim_campaign.counts import COUNTS
from vdsim_campaign.faults import COMPOSITIONS, FAULTS, PROCESSES, Fault
from vdsim_campaign.injectors import INJECTORS
from vdsim_campaign.roads import GROUNDS

FAMILIES = ("link", "clocks", "process", "floods", "strangers", "disk", "roads", "sensors")


def test_at_least_forty_faults_with_names_of_their_own() -> None:
    names = [fault.name for fault in FAULTS]
    assert len(names) == len(set(names)) >= 40
    assert {fault.family for fault in FAULTS} == set(FAMILIES)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_row_names_what_is_there(fault: Fault) -> None:
    assert fault.inject in INJECTORS
    assert fault.road in GROUNDS
    assert not fault.expect.counts or fault.expect.counts in COUNTS
    assert set(fault.compositions) <= set(COMPOSITIONS)
    for composition, processes in fault.processes.items():
        assert set(processes) <= {*PROCESSES[composition], "plant"}
    places = {cell.place for cell in every_cell(1) if cell.fault is fault}
    assert set(fault.quick) <= places
    assert places


def test_every_injector_and_every_count_is_used() -> None:
    assert {fault.inject for fault in FAULTS} == set(INJECTORS)
    assert {fault.expect.counts for fault in FAULTS} - {""} == set(COUNTS)


def test_every_process_of_the_interface_is_killed_and_frozen() -> None:
    cells = every_cell(1)
    for inject in ("kill", "freeze"):
        hit = {(c.composition, c.process) for c in cells if c.fault.inject == inject}
        assert {(c, p) for c, processes in PROCESSES.items() for p in processes} <= hit


def test_a_cell_draws_the_same_whatever_else_runs() -> None:
    [one] = cells_named(["command_loss.single"], 7)
    [same] = [cell for cell in every_cell(7) if cell.name == one.name]
    [other] = cells_named(["command_loss.single"], 8)
    assert (one.values, one.lasts_s, one.waits_s) == (same.values, same.lasts_s, same.waits_s)
    assert one.values != other.values
    low, high = one.fault.draws["loss"]
    assert low <= float(one.values["loss"]) <= high
    assert one.command == "./ws campaign --seed 7 --cell command_loss.single"


def test_the_seed_gives_the_order() -> None:
    def names(seed: int) -> list[str]:
        return [cell.name for group in groups(quick_cells(seed), seed) for cell in group]

    assert names(1) == names(1)
    assert names(1) != names(2)
    assert sorted(names(1)) == sorted(names(2))


def test_a_word_chooses_a_cell_or_all_cells_of_a_fault() -> None:
    assert len(cells_named(["planner_silent"], 1)) == len(COMPOSITIONS)
    assert [c.name for c in cells_named(["planner_silent.single"], 1)] == ["planner_silent.single"]
    with pytest.raises(ValueError, match="cell=nothing_such: no such cell"):
        cells_named(["nothing_such"], 1)


def test_sixteen_cells_run_in_the_quick_suite() -> None:
    assert len(quick_cells(1)) == 16
