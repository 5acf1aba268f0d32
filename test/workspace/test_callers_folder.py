"""Files that a command of `./ws` is given are those of the caller's folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from workspace.distro import Distro
from workspace.environment import overlay_environment
from workspace.layout import Layout

PREPENDS = {"AMENT_PREFIX_PATH": [], "PYTHONPATH": ["/of/the/overlay"]}


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path / "clone", "jazzy")
    made.python.parent.mkdir(parents=True)
    content = {"prepends": PREPENDS, "scalars": {}, "portable": True}
    made.variables.write_text(json.dumps(content))
    return made


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
