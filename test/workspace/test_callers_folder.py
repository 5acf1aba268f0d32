"""Files that a command of `./ws` is given are those of the caller's folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from workspace.distro import Distro
from workspace.environment import overlay_environment
from workspace.layout import Layout
from workspace.testing import checks

PREPENDS = {"AMENT_PREFIX_PATH": [], "PYTHONPATH": ["/of/the/overlay"]}
Command = Callable[[Layout, dict[str, str], list[str]], int]


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path / "clone", "jazzy")
    made.python.parent.mkdir(parents=True)
    made.python.write_text("#!/bin/sh\npwd\n")
    made.python.chmod(0o755)
    content = {"prepends": PREPENDS, "scalars": {}, "portable": True}
    made.variables.write_text(json.dumps(content))
    (made.root / "bench").mkdir()
    (made.root / "bench" / "bench_x.py").touch()
    return made


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (checks.simulate, ["--with", "own.py"]),
        (checks.exam, ["--store", "rows.json"]),
        (checks.campaign, ["--store", "rows.json"]),
        (checks.attack, ["--store", "rows.json"]),
        (checks.bench, ["x", "--page", "page.md"]),
        (checks.bench, ["--all"]),
    ],
    ids=["simulate", "exam", "campaign", "attack", "bench", "bench --all"],
)
def test_a_command_runs_in_the_folder_of_its_caller(
    layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str], command: Command, words: list[str],
) -> None:  # fmt: skip
    (tmp_path / "callers").mkdir()
    monkeypatch.chdir(tmp_path / "callers")
    assert command(layout, dict(os.environ), words) == 0
    assert capfd.readouterr().out == f"{tmp_path}/callers\n"


def test_every_command_finds_the_simulator_behind_everything_else(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test that `./ws simulate --write-test` made runs by `./ws pytest FILE` from any folder."""
    monkeypatch.setenv("PYTHONPATH", "/of/the/caller")
    distro = Distro("jazzy", "wheels", None)
    simulator = str(layout.root / "simulate")
    for _ in range(2):  # the second one as a ws inside of ws
        found = overlay_environment(layout, distro)["PYTHONPATH"].split(os.pathsep)
        assert found == [str(layout.portable), "/of/the/overlay", "/of/the/caller", simulator]
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(found))
