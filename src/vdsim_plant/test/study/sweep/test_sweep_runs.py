"""A sweep's results: the same bits by one worker, by two, after a kill, and by parts."""

from __future__ import annotations

import csv
import importlib
import json
from pathlib import Path

import pytest
from vdsim_plant.cli import sweep
from vdsim_plant.parameters import ParameterError
from vdsim_plant.study.sweep import cluster, parts, pool
from vdsim_plant.study.sweep.cases import Part, Row
from vdsim_plant.study.sweep.files import all_rows, missing_parts, part_path, prepare
from vdsim_plant.study.sweep.parts import run_parts
from vdsim_plant.study.sweep.plan import Plan, read_plan
from vdsim_plant.study.sweep.results import has_pyarrow, write_results
from vdsim_plant.study.sweep.table import table_of
from vdsim_plant_kit import sweep_work

TEXT = """
manoeuvres:
  straight_brake: {speed_mps: [6, 8]}
  step_steer: {lateral_acceleration_mps2: 4}
mu: [0.9, 0.3]
parameters:
  body.mass_kg: {low: 1800, high: 2400}
seeds: 3
"""
FILES = ("results.csv", "summary.md", "sweep.json")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sweep") / "sweep.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def one(file: Path) -> Path:
    """The results of one worker."""
    out = file.parent / "one"
    assert sweep.main([str(file), "--out", str(out), "--workers", "1", "--csv"]) == 0
    return out


def content(out: Path) -> dict[str, bytes]:
    files = [*(out / name for name in FILES), *sorted((out / "parts").iterdir())]
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


def finished(out: Path, plan: Plan, runner: parts.Runner, work: parts.Work) -> list[int]:
    prepare(out, plan)
    return list(run_parts(out, plan, missing_parts(out, plan), runner, work))


def test_every_case_has_a_row_with_its_metrics_or_its_error(one: Path, file: Path) -> None:
    with (one / "results.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    assert [int(row["case"]) for row in rows] == list(range(18))
    for row in rows:
        slippery = row["manoeuvre"] == "step_steer" and row["mu"] == "0.3"
        assert row["error"].startswith("lateral_acceleration_mps2=4.0: ") == slippery
        if row["manoeuvre"] == "straight_brake":
            assert float(row["straight_brake.stopping_distance_m"]) > 1.0
    assert len({row["body.mass_kg"] for row in rows}) == 3
    page = (one / "summary.md").read_text(encoding="utf-8")
    assert "18 cases, 3 without a result" in page
    assert "| stopping_distance_m |" in page


def test_two_workers_write_the_same_bits(
    one: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = file.parent / "two"
    given = ["--workers", "2", "--scheduler", "none", "--csv"]
    assert sweep.main([str(file), "--out", str(out), *given]) == 0
    assert content(out) == content(one)
    assert "18 cases, run by 2 processes of this machine\n" in capsys.readouterr().out


def test_a_worker_that_is_killed_costs_nothing_but_time(
    one: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark, out, plan = file.parent / "mark", file.parent / "killed", read_plan(file)
    monkeypatch.setenv(sweep_work.MARK, str(mark))
    assert finished(out, plan, pool.on_processes(2), sweep_work.killed_once) == [1, 2, 3]
    assert mark.exists()
    assert sweep.main([str(file), "--out", str(out), "--workers", "1", "--csv"]) == 0
    assert content(out) == content(one)


def test_workers_that_always_end_end_the_sweep(file: Path, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="workers=2: one ended 3 times without a result"):
        finished(tmp_path, read_plan(file), pool.on_processes(2), sweep_work.always_killed)


def test_a_sweep_that_was_killed_runs_only_what_is_left(
    one: Path, file: Path, tmp_path: Path
) -> None:
    plan, ran = read_plan(file), []
    prepare(tmp_path, plan)
    for number in (0, 2):
        part_path(tmp_path, number).write_bytes(part_path(one, number).read_bytes())
    part_path(tmp_path, 2).write_bytes(part_path(one, 2).read_bytes()[:100])  # not whole

    def counted(part: Part) -> list[Row]:
        ran.append([case.number for case in part.cases])
        return parts.run_part(part)

    assert finished(tmp_path, plan, pool.in_this_process(), counted) == [1, 2]
    assert ran == [[*range(8, 16)], [16, 17]]
    assert list(all_rows(tmp_path, plan)) == list(all_rows(one, plan))


def test_a_folder_of_another_sweep_is_refused(
    one: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.yaml").write_text("manoeuvres: [straight_brake]", encoding="utf-8")
    assert sweep.main([str(tmp_path / "other.yaml"), "--out", str(one)]) == 2
    assert capsys.readouterr().err == (
        f"vdsim_sweep: --out={one}: holds another sweep: must be a new folder\n"
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--workers", "0"], "--workers=0: must be 1 to 1024"),
        (["--out", "{file}"], "--out={file}: cannot be used"),
        (["--scheduler", "here"], "--scheduler=here: must be tcp://HOST:PORT, tls://HOST:PORT"),
        (["--scheduler", "tcp://h:1"], "--scheduler=tcp://h:1: needs Dask: pip install"),
        (["--scheduler", "h:1", "--workers", "2"], "--workers=2: must be left out with"),
    ],
)
def test_a_wrong_option_is_one_line(
    arguments: list[str],
    error: str,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(cluster, "has_dask", lambda: False)
    given = [argument.format(file=file) for argument in arguments]
    assert sweep.main([str(file), "--out", str(file.parent / "no"), *given]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"vdsim_sweep: {error.format(file=file)}")
    assert said.count("\n") == 1


def test_a_table_of_parquet_has_the_rows_of_the_parts(
    one: Path, file: Path, tmp_path: Path
) -> None:
    """Read back where pyarrow is installed; without it the command writes CSV."""
    rows = list(all_rows(one, read_plan(file)))
    written = write_results(tmp_path, rows, table_of(rows), parquet=has_pyarrow())
    if has_pyarrow():
        table = importlib.import_module("pyarrow.parquet").read_table(written).to_pylist()
        kept = [{k: v for k, v in row.items() if v is not None} for row in table]
        assert kept == json.loads(json.dumps(rows))
    else:
        assert written.read_bytes() == (one / "results.csv").read_bytes()
