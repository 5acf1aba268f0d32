"""Planted defects: each replaces functions that are there, for as long as it is planted."""

from pathlib import Path

import pytest
from vdsim_simulate.cli.simulate import main
from vdsim_simulate.planted import PLANTED, find, planted


@pytest.mark.parametrize("name", PLANTED)
def test_a_defect_is_planted_and_taken_out(name: str) -> None:
    row = PLANTED[name]
    before = [getattr(patch.owner, patch.name) for patch in row.patches]
    with planted(row):
        for patch, one in zip(row.patches, before, strict=True):
            assert getattr(patch.owner, patch.name) is not one
    assert [getattr(patch.owner, patch.name) for patch in row.patches] == before


def test_a_defect_that_shows_in_every_run_is_found_by_the_first_seed() -> None:
    found = find(PLANTED["give_back_refused"], 60.0, lambda: 0.0)
    assert found.violation is not None
    assert found.violation.oracle == "giving_back_is_refused_for_a_reason_that_is_there"
    assert found.seeds_n <= 3


def test_a_search_ends_in_its_time() -> None:
    clock = iter((0.0, 11.0))
    found = find(PLANTED["no_reason"], 10.0, lambda: next(clock))
    assert found.seeds_n == 1
    assert found.took_s == 11.0


def test_a_search_ends_when_it_is_told_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "found.json"
    line = ["--planted", "friction_learnt", "--for", "0", "--store", str(store)]
    assert main(line) == 1
    assert "friction_learnt: not found; 1 seeds" in capsys.readouterr().out
    assert store.read_text().split('"')[1] == "friction_learnt"
