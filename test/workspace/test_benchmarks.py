"""`./ws bench --all`: ratios, their noise, what counts as a loss, and what is stored; no timing."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import run
from benchmarks.figures import Figure, losses, of_runs, table

ROOT = Path(__file__).resolve().parents[2]
CORE = Figure("plant: the core", "ms", 1.2, "plain C", 3.2, 0.375, 0.02, True)
RATE = Figure("plant: cars", "M/s", 30.0, "plain C", 15.0, 2.0, 0.05, False)


def handed(name: str, values: list[float], peers: list[float]) -> dict[str, object]:
    return {"name": name, "unit": "ms", "values": values, "peer": "plain C",
            "peer_values": peers, "less_is_better": True}  # fmt: skip


def test_a_ratio_is_the_median_of_rounds_in_which_both_ran() -> None:
    # The machine is three times slower in the second round, for both of them.
    (figure,) = of_runs([[handed("core", [1.0, 3.0, 1.1], [2.0, 6.0, 2.0])]])
    assert figure.ratio == 0.5
    assert (figure.value, figure.peer_value) == (1.1, 2.0)


def test_noise_is_how_much_runs_of_the_same_code_differ() -> None:
    runs = [[handed("core", [value], [2.0])] for value in (1.0, 1.1, 1.2)]
    (figure,) = of_runs(runs)
    assert figure.ratio == pytest.approx(0.55)
    assert figure.noise == pytest.approx(0.1 / 0.55)


def test_noise_is_also_how_much_the_rounds_of_one_run_differ() -> None:
    (figure,) = of_runs([[handed("core", [1.0, 1.0, 2.0, 2.0, 1.5], [1.0] * 5)]])
    assert figure.ratio == 1.5
    assert figure.noise == pytest.approx(1.0 / 1.5)


@pytest.mark.parametrize(
    ("ratio", "is_lost"),
    [(0.375, False), (0.30, False), (0.389, False), (0.392, True), (0.8, True)],
)
def test_a_loss_beyond_both_noises_counts_and_a_gain_never_does(
    ratio: float, is_lost: bool
) -> None:
    now = replace(CORE, ratio=ratio, noise=0.02)
    assert bool(losses([CORE], [now])) is is_lost


@pytest.mark.parametrize(("ratio", "is_lost"), [(2.5, False), (1.9, False), (1.7, True)])
def test_less_of_what_should_be_more_is_a_loss(ratio: float, is_lost: bool) -> None:
    now = replace(RATE, ratio=ratio)
    assert bool(losses([RATE], [now])) is is_lost


def test_a_loss_is_named_with_both_ratios_and_the_noise() -> None:
    (line,) = losses([CORE], [replace(CORE, ratio=0.75)])
    assert line == "plant: the core: 0.75 times plain C, stored 0.375: 100 % worse, noise 4 %"


def test_a_figure_that_is_not_measured_any_more_is_named() -> None:
    assert losses([CORE, RATE], [CORE]) == ["plant: cars: stored, and not measured any more"]


def test_the_table_has_the_peer_beside_each_figure() -> None:
    rows = table([CORE, RATE]).splitlines()
    assert rows[2] == "| plant: the core | 1.2 ms | plain C: 3.2 ms | 0.375 | 2 % |"
    assert "| 2 (more is better) | 5 % |" in rows[3]


AGAINST = ROOT / "bench/interface/bench_against.py"


def against(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(AGAINST), "--rounds", "1", "--ticks", "300", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a clone")
def test_another_commit_is_measured_in_turns() -> None:
    done = against()
    assert done.stderr == ""
    rows = [line.split() for line in done.stdout.splitlines()[2:]]
    assert [row[:2] for row in rows] == [
        [level, part]
        for level in ("high_level", "vehicle", "raw")
        for part in ("tick", "report", "both")
    ]
    assert all(float(value) > 0.0 for row in rows for value in row[2:])


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a clone")
def test_a_commit_that_is_not_there_is_one_line() -> None:
    done = against("no_such_commit")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("interface/against no_such_commit: ")


def test_every_benchmark_of_the_plan_is_there_and_hands_figures_over() -> None:
    for name in run.PLAN:
        folder, _, stem = name.partition("/")
        text = (ROOT / "bench" / folder / f"bench_{stem}.py").read_text(encoding="utf-8")
        assert "figures.figure(" in text, name


def test_what_is_stored_is_what_the_plan_measures() -> None:
    content, figures = run.read(ROOT / run.STORED)
    assert {figure.name.partition(":")[0] for figure in figures} == set(run.PLAN)
    assert all(figure.peer and figure.ratio > 0.0 for figure in figures)
    assert all(content[key] for key in ("date", "version", "commit", "machine", "python", "runs"))


SCRIPT = """
import sys
sys.path.insert(0, {bench!r})
import figures
figures.figure("the core", "ms", [{value}] * 5, "plain C", [2.0] * 5)
raise SystemExit({code})
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one benchmark, whose figure is 1 ms beside 2 ms."""
    (tmp_path / "bench" / "plant").mkdir(parents=True)
    package = tmp_path / "src" / "vdsim_interface"
    package.mkdir(parents=True)
    (package / "package.xml").write_text("<package><version>1.2.3</version></package>")
    write(tmp_path, 1.0)
    return tmp_path


def write(repository: Path, value: float, code: int = 0) -> None:
    text = SCRIPT.format(bench=str(ROOT / "bench"), value=value, code=code)
    (repository / "bench" / "plant" / "bench_core.py").write_text(text)


PLAN = {"plant/core": ()}


def test_figures_are_stored_printed_and_compared(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = repository / "kept.json"
    page = repository / "kept.md"
    store = ["--store", "--json", str(kept), "--markdown", str(page)]
    assert run.main(store, repository, PLAN) == 0
    content = json.loads(kept.read_text())
    assert content["version"] == "1.2.3"
    assert [figure["name"] for figure in content["figures"]] == ["plant/core: the core"]
    assert (repository / run.STORED).read_text() == kept.read_text()
    row = "| plant/core: the core | 1 ms | plain C: 2 ms | 0.5 | 0 % |"
    assert row in page.read_text()
    assert row in capsys.readouterr().out
    assert run.main(["--check"], repository, PLAN) == 0
    assert "1 of 1 ratios are as they were, or better" in capsys.readouterr().out
    write(repository, 1.5)
    assert run.main(["--check"], repository, PLAN) == 1
    assert "worse: plant/core: the core: 0.75 times plain C" in capsys.readouterr().out


def test_a_missed_target_still_has_figures_and_a_crash_has_none(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository, 1.0, code=1)
    assert run.main(["--repeats", "1"], repository, PLAN) == 0
    (repository / "bench" / "plant" / "bench_core.py").write_text("raise SystemExit('no compiler')")
    assert run.main(["--repeats", "1"], repository, PLAN) == 2
    assert "plant/core handed over no figure: no compiler" in capsys.readouterr().err


def test_a_benchmark_by_itself_hands_nothing_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    import figures

    assert figures.VARIABLE == run.VARIABLE
    monkeypatch.delenv(run.VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    figures.figure("the core", "ms", [1.0], "plain C", [2.0])
    assert list(tmp_path.iterdir()) == []
    del sys.modules["figures"]
