"""Which Python runs the peer of another vendor."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from vdsim_campaign.cli import main
from vdsim_campaign.peers import candidates, environment_of, python_with


def test_this_python_is_asked_before_that_of_the_lane(tmp_path: Path) -> None:
    lane = tmp_path / "vendors-3.11" / "venv" / "bin" / "python"
    lane.parent.mkdir(parents=True)
    lane.touch()
    assert candidates("", tmp_path) == [sys.executable, str(lane)]
    assert candidates("", tmp_path / "none") == [sys.executable]
    assert candidates("/my/python", tmp_path) == ["/my/python"]


def test_a_python_counts_if_it_has_the_package(tmp_path: Path) -> None:
    assert python_with("pytest", sys.executable) == sys.executable
    assert python_with("no_such_package", sys.executable) == ""
    assert python_with("pytest", str(tmp_path / "none")) == ""


def test_another_python_gets_nothing_of_this_ones_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/mine")
    monkeypatch.setenv("ROS_DOMAIN_ID", "7")
    assert environment_of(sys.executable)["PYTHONPATH"] == "/mine"
    other = environment_of("/other/python")
    assert "PYTHONPATH" not in other
    assert other["ROS_DOMAIN_ID"] == "7"


def test_a_cell_without_its_peer_is_named_and_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cell", "foreign_requests", "--peer-python", "/no/such/python"]) == 0
    assert capsys.readouterr().out == (
        "not run foreign_requests.guarded: no Python has cyclonedds: run ./ws test vendors once, "
        "or name one by --peer-python\n0 cells judged, 0 broken, 0 starved\n"
    )
