"""The stored hours: lines of seeds become runs, and a run is counted once."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from vdsim_simulate.cli import hours
from vdsim_simulate.cli.simulate import main
from vdsim_simulate.draw import scene_of
from vdsim_simulate.runs import outcome_of


def line(seed: int, **values: Any) -> dict[str, Any]:
    usual = {
        "composition": "single",
        "platform": "vds1",
        "car_file": "",
        "commit": "abc",
        "first_seed": 0,
        "seed": seed,
        "simulated_s": 20.0,
        "bits": f"{seed:016x}",
        "broken": [],
        "reached": [["door_opens", "brakes", "AUTONOMOUS"]],
        "steps": [["MANUAL", "AUTONOMOUS"]],
    }
    return {**usual, **values}


def test_the_lines_of_a_run_become_one_row() -> None:
    lines = [
        line(3),
        line(5, reached=[["door_opens", "stands", "MANUAL"]], broken=["drives_again"]),
        line(8, commit="def", steps=[["AUTONOMOUS", "MANUAL"]]),
    ]
    first, second = hours.runs_of(lines)
    assert (first.seeds_n, first.simulated_s, first.steps_n) == (2, 40.0, 1)
    assert first.reached == {"door_opens": ["brakes", "stands"]}
    assert first.broken == {"drives_again": [5]}
    assert (second.commit, second.seeds_n, second.broken) == ("def", 1, {})
    assert hours.runs_of([lines[1], lines[0]])[0].bits != first.bits


def test_a_run_that_is_summed_again_replaces_itself(tmp_path: Path) -> None:
    path = tmp_path / "hours.json"
    hours.store(hours.runs_of([line(3)]), path)
    hours.store(hours.runs_of([line(3), line(5)]), path)
    hours.store(hours.runs_of([line(9, first_seed=9)]), path)
    assert [(run.first_seed, run.seeds_n) for run in hours.stored(path)] == [(0, 2), (9, 1)]


def test_runs_of_a_place_and_a_commit_are_one_row_of_the_page() -> None:
    lines = [
        line(19, first_seed=16, reached=[["door_opens", "stands", ""]], broken=["drives_again"]),
        line(3, reached=[["door_opens", "brakes", ""]], broken=["drives_again"]),
        line(35, first_seed=32, commit="def"),
        line(51, first_seed=48, platform="can"),
    ]
    runs = hours.runs_of(lines)
    other_platform, both, other_commit = hours.places(runs)
    assert [place.runs for place in (other_platform, other_commit)] == [(runs[3],), (runs[2],)]
    assert other_commit.bits == runs[2].bits
    assert both.runs == (runs[1], runs[0])
    assert both.broken == {"drives_again": [3, 19]}
    assert both.pairs_n == 2
    assert both == hours.places(runs[::-1])[1]


@pytest.mark.parametrize("changed", range(2))
def test_the_bits_of_several_runs_change_with_those_of_each(changed: int) -> None:
    runs = hours.runs_of([line(3), line(19, first_seed=16)])
    [before] = hours.places(runs)
    runs[changed] = runs[changed]._replace(bits="0123456789abcdef")
    [after] = hours.places(runs)
    assert before.bits != after.bits
    first, second = (run.bits for run in after.runs)
    assert after.bits == hashlib.sha256(f"{first}{second}".encode()).hexdigest()[:16]


def test_a_line_that_was_cut_short_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "seeds.jsonl"
    path.write_text(f"{json.dumps(line(3))}\n{json.dumps(line(5))[:40]}", encoding="utf-8")
    assert [each["seed"] for each in hours.lines_of(path)] == [3]


def test_what_a_seed_gave_is_what_the_row_says(tmp_path: Path) -> None:
    path = tmp_path / "seeds.jsonl"
    assert main(["--seeds", "1", "--first-seed", "7", "--store", str(path)]) == 0
    [stored] = hours.lines_of(path)
    [run] = hours.runs_of([stored])
    outcome = outcome_of(scene_of(stored["seed"]))
    assert stored["bits"] == outcome.bits
    assert run.simulated_s == pytest.approx(outcome.simulated_s)
    assert set(run.reached) == {fault for fault, _, _ in outcome.reached}
    assert run.steps_n == len(outcome.steps)
