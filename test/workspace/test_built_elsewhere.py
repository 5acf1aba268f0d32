"""A workspace that was copied runs its own code, not that of the place that it was copied from."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from workspace import build
from workspace.distro import Distro
from workspace.layout import Layout

WHEELS = Distro("jazzy", "wheels")


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The install folders that a build was asked for."""
    asked: list[Path] = []

    def built(layout: Layout, _distro: Distro, _lock: int) -> None:
        layout.variables.write_text("{}", encoding="utf-8")
        asked.append(layout.install)

    monkeypatch.setattr(build.wheel_build, "build", built)
    return asked


@pytest.fixture
def workspace(tmp_path: Path) -> Layout:
    """A workspace with an environment and without a build."""
    made = Layout(tmp_path / "first", "jazzy")
    (made.root / "src").mkdir(parents=True)
    (made.root / "colcon.meta").touch()
    made.state.mkdir(parents=True)
    made.venv_stamp.write_text("pins", encoding="utf-8")
    return made


def test_what_was_built_here_is_not_built_again(workspace: Layout, builds: list[Path]) -> None:
    build.ensure_build(workspace, WHEELS)
    build.ensure_build(workspace, WHEELS)
    assert builds == [workspace.install]


def test_a_copy_is_built_beside_its_original(
    workspace: Layout, builds: list[Path], tmp_path: Path
) -> None:
    build.ensure_build(workspace, WHEELS)
    copy = Layout(shutil.copytree(workspace.root, tmp_path / "second"), "jazzy")
    build.ensure_build(copy, WHEELS)
    assert builds == [workspace.install, copy.install]


def test_a_build_without_its_variables_is_built_again(
    workspace: Layout, builds: list[Path]
) -> None:
    build.ensure_build(workspace, WHEELS)
    workspace.variables.unlink()
    build.ensure_build(workspace, WHEELS)
    assert len(builds) == 2


def test_colcon_starts_anew_where_the_build_was_made_elsewhere(
    workspace: Layout, builds: list[Path]
) -> None:
    build.ensure_build(workspace, WHEELS)
    for folder in (workspace.build, workspace.install):
        folder.mkdir()
    build.remove_what_was_built_elsewhere(workspace)
    assert workspace.build.exists()
    workspace.build_stamp.write_text("sources\n/elsewhere/install", encoding="utf-8")
    build.remove_what_was_built_elsewhere(workspace)
    assert not workspace.build.exists()
    assert not workspace.install.exists()
