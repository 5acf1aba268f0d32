"""`./ws repeat`: every run counts, every failure is named, what it started ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from workspace.layout import Layout
from workspace.testing.repeat import Request, parse, repeat, summary

SOMETIMES = """
from pathlib import Path
def test_sometimes(counter=Path(__file__).with_name("runs")):
    runs = counter.read_text() if counter.exists() else ""
    counter.write_text(runs + "x")
    assert len(runs) % 3 != 1
def test_always():
    pass
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A repository with one test that fails in every third run."""
    made = Layout(tmp_path, "any")
    made.python.parent.mkdir(parents=True)
    made.python.symlink_to(sys.executable)
    (tmp_path / "test_one.py").write_text(SOMETIMES)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return made


def _environment() -> dict[str, str]:
    packages = os.pathsep.join(path for path in sys.path if "site-packages" in path)
    return {**os.environ, "PYTHONPATH": packages}


def test_runs_and_failures_are_counted(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    code = repeat(layout, _environment(), ["6", "test_one.py"])
    lines = capsys.readouterr().out.splitlines()
    assert (code, lines[:2]) == (
        1,
        ["6 runs: 2 failed", "     2 x test_one.py::test_sometimes"],
    )
    logs = sorted(layout.log.glob("repeat-*/*.log"))
    assert [log.name for log in logs] == ["0002.log", "0005.log"]
    assert "test_sometimes" in logs[0].read_text()


def test_options_of_pytest_pass_and_busy_processes_end(
    layout: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["3", "test_one.py", "-k", "always", "--busy", "1", "--at-once", "2"]
    assert repeat(layout, _environment(), arguments) == 0
    assert capsys.readouterr().out == "3 runs, 2 at once, beside 1 busy processes: 0 failed\n"
    children = subprocess.run(
        ["ps", "--ppid", str(os.getpid()), "-o", "args="],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert "os.getppid() == parent" not in children


def test_a_run_that_collects_nothing_is_a_failure(
    layout: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    assert repeat(layout, _environment(), ["1", "no_such_file.py"]) == 1
    assert "pytest ended with 4" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required: N"),
        (["0", "x.py"], "0: must be a whole number, at least 1"),
        (["2.5", "x.py"], "2.5: must be a whole number, at least 1"),
        (["3"], "PATH: name the tests to repeat"),
        (["3", "-x"], "PATH: name the tests to repeat"),
        (["3", "x.py", "--at-once", "0"], "0: must be a whole number"),
        (["3", "x.py", "--busy", "-1"], "-1: must be a whole number, at least 0"),
    ],
)
def test_a_wrong_request_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_the_summary_names_the_most_frequent_first() -> None:
    lines = summary(
        Request(9, 0, 1, ("x",)), Counter({"a": 1, "b": 3}), failed_runs=3, logs=Path("/l")
    )
    assert lines == ["9 runs: 3 failed", "     3 x b", "     1 x a", "logs: /l"]
