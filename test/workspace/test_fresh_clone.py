"""`./ws doctor` of a workspace that is not set up."""

from pathlib import Path

import pytest
from workspace import doctor
from workspace.distro import Distro
from workspace.layout import Layout


def told(layout: Layout, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    doctor.report(layout, Distro("jazzy", "wheels"))
    rows = [line.partition("  ") for line in capsys.readouterr().out.splitlines()]
    return {name: value.strip() for name, _, value in rows}


def test_a_fresh_clone_needs_no_build_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = Layout(tmp_path, "jazzy")
    rows = told(layout, capsys)
    assert rows["environment"].startswith("missing: the next command creates it")
    assert rows["build"] == rows["environment"]
    layout.venv.mkdir(parents=True)
    assert told(layout, capsys)["environment"] == "incomplete: the next command recreates it"
