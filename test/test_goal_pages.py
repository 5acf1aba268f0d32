"""`./ws goals`: a page says what was found, and a goal that is not shown says so."""

from pathlib import Path

import pytest
from generate.paths import ROOT
from generate.safety_case import checks, sign
from generate.safety_case.goals import GOALS
from generate.safety_case.sign import Result, Source, main, page_of, results_of

SOURCE = Source("0123abc", True, "2026-01-02 03:04 UTC", "Python 3.10")
GOAL = next(goal for goal in GOALS if goal.number == "G10")
GOOD = {checks.path_of(test): Result(sign.PASSED, 3, 0.2) for test in GOAL.tests}


def test_a_page_has_the_claim_the_evidence_and_the_hashes() -> None:
    text, is_shown = page_of(GOAL, GOOD, SOURCE)
    assert is_shown
    for part in ("Safety goal G10", "PARK is set at standstill only", "H6: the car rolls away"):
        assert part in text
    for part in ("commit `0123abc`", "measured: 0 s", "| accepted |", "gear and hand brake, given"):
        assert part in text
    assert len([line for line in text.splitlines() if "safety/gearbox.py" in line]) == 1
    assert "CHANGES" not in text


@pytest.mark.parametrize("outcome", [sign.FAILED, sign.NOT_RUN])
def test_one_test_that_did_not_pass_leaves_the_goal_open(outcome: str) -> None:
    test, *_ = GOOD
    text, is_shown = page_of(GOAL, {**GOOD, test: Result(outcome, 1, 0.1)}, SOURCE)
    assert not is_shown
    assert outcome in text
    assert "**This page shows it**: NO" in text


def test_a_time_beyond_what_is_tolerable_leaves_the_goal_open() -> None:
    late = GOAL._replace(measured=lambda: 1.0)
    assert not page_of(late, GOOD, SOURCE)[1]


def test_changes_that_no_commit_holds_are_named() -> None:
    assert "WITH CHANGES" in page_of(GOAL, GOOD, SOURCE._replace(is_clean=False))[0]


def test_results_come_from_pytest(tmp_path: Path) -> None:
    file = tmp_path / "test_some.py"
    file.write_text(
        "import pytest\n"
        "def test_good(): pass\n"
        "def test_bad(): assert False\n"
        "def test_elsewhere(): pytest.skip('no namespaces')\n",
        encoding="utf-8",
    )
    wanted = {
        "test_good": sign.PASSED,
        "test_bad": sign.FAILED,
        "test_elsewhere": sign.NOT_RUN,
        "test_absent": sign.FAILED,
    }
    found = results_of([f"{file}::{name}" for name in wanted])
    assert [result.outcome for result in found.values()] == list(wanted.values())


def test_the_command_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "goals"), "--goal", "G10"]) == 0
    assert capsys.readouterr().out.startswith("G10: shown: PARK is set")
    text = (tmp_path / "goals/G10.md").read_text(encoding="utf-8")
    assert "| passed |" in text
    assert str(ROOT) not in text


def test_a_folder_that_cannot_be_made_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert main([str(tmp_path / "file/goals")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
