"""The cells on virtual time: what must hold holds, and what is broken in the product is found."""

from __future__ import annotations

import pytest
from vdsim_campaign import injectors, results
from vdsim_campaign.boundaries import NOT_SAID, NOT_VIRTUAL, is_virtual
from vdsim_campaign.cells import Cell, cells_named, quick_cells
from vdsim_campaign.cli import main
from vdsim_campaign.faults import FAULTS
from vdsim_campaign.results import AGREE_WITHIN, INTO, CellResult
from vdsim_campaign.virtual.injectors import INJECTORS
from vdsim_campaign.virtual.session import run
from vdsim_simulate.planted import PLANTED, planted

QUICK = [cell for cell in quick_cells(1) if is_virtual(cell)]
ELSEWHERE = [
    ("planner_silent.single", "braking"),
    ("state_link_lost.guarded", "bend"),
    ("safety_stage_killed.processes", "start"),
    ("front_stage_frozen.processes.velocity_controller", "cruise"),
    ("restarted_in_any_order.processes", "cruise"),
    ("plant_killed.single", "cruise"),
]
"""Of what the quick cells have not: phases, and processes that end and start."""


def cell_named(name: str) -> Cell:
    return cells_named([name], 1)[0]


@pytest.mark.parametrize("cell", QUICK, ids=lambda cell: cell.name)
def test_what_must_hold_holds(cell: Cell) -> None:
    assert run(cell).broken == []


@pytest.mark.parametrize(("name", "into"), ELSEWHERE)
def test_what_must_hold_holds_wherever_the_fault_meets_the_car(name: str, into: str) -> None:
    assert run(cell_named(name), into).broken == []


@pytest.mark.parametrize(
    ("defect", "name", "requirement"),
    [
        ("decider_not_watched", "safety_stage_killed.processes", "brakes in time"),
        ("stop_coasts", "state_link_lost.single", "stopping distance"),
        ("stranger_owns", "second_command_sender.single", "no packet applied that was not sent"),
        ("brake_map_halved", "planner_silent_up_20.single", "no rollback"),
    ],
)
def test_a_defect_of_the_product_is_found(defect: str, name: str, requirement: str) -> None:
    with planted(PLANTED[defect]):
        broken = [finding.requirement for finding in run(cell_named(name)).broken]
    assert requirement in broken


def test_each_injector_has_a_twin_or_needs_a_boundary() -> None:
    assert set(INJECTORS) | set(NOT_VIRTUAL) == set(injectors.INJECTORS)
    assert not set(INJECTORS) & set(NOT_VIRTUAL)
    assert set(NOT_SAID) <= {fault.name for fault in FAULTS if fault.expect.reason}


def test_a_cell_gives_the_same_figures_again() -> None:
    one, other = (run(cell_named("process_stalled.guarded")).findings for _ in range(2))
    assert [str(finding) for finding in one] == [str(finding) for finding in other]


def test_only_virtual_time_has_other_phases(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--into", "bend"]) == 2
    assert "--into bend: needs --virtual" in capsys.readouterr().err


def test_the_command_judges_stores_and_names_what_there_is_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setattr(results, "VIRTUAL", tmp_path / "virtual.json")  # type: ignore[operator]
    words = ["--virtual", "--cell", "command_loss.single", "--into", "bend", "--store"]
    assert main(words) == 0
    assert "1 cells judged on virtual time, 0 broken" in capsys.readouterr().out
    stored = results.load(results.VIRTUAL)
    assert stored["bend"]["command_loss.single"]["runs"] == 1
    assert main(["--virtual", "--cell", "nothing_such"]) == 2
    assert "no such cell" in capsys.readouterr().err


def test_figures_of_both_are_compared_cell_by_cell() -> None:
    def of(figure: float) -> CellResult:
        return CellResult(runs=1, broken=0, why=[], figures={"stopping time": [figure]})

    table = results.agreement_table({"a": of(1.0)}, {"cruise": {"a": of(1.3), "b": of(9.0)}})
    assert "| 1 | 0.300 s | 0.300 s | `a` | 0.1 s | **missed** |" in table
    assert "the same in 1 of 1 cells" in table


def test_the_stored_figures_agree() -> None:
    """Real processes and virtual time: both campaigns have run, and neither is wrong."""
    virtual = results.load(results.VIRTUAL)
    assert set(virtual) == set(INTO)
    found = results.differences(results.load(results.CELLS), virtual[INTO[0]])
    for requirement, differing in found.items():
        assert len(differing) >= 20, requirement
        for each in differing:
            assert each.size <= AGREE_WITHIN[requirement][2], (requirement, each)
