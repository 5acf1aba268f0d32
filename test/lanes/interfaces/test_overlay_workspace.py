"""The overlay of Autoware in a workspace of its own, before and after another one of the same name.

colcon builds it as docs/autoware.md says; the other workspace has a package that stands for
Autoware's own simulator. Whichever is sourced last is started, and the doctor says whose it is.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
NAME = "autoware_simple_planning_simulator"
FILE = "simple_planning_simulator.launch.py"
THEIRS = f"""from launch import LaunchDescription
from launch.actions import LogInfo


def generate_launch_description():
    return LaunchDescription([LogInfo(msg="{NAME} of somebody else")])
"""
GIVEN = (
    "simulator_model_param_file:=$(ros2 pkg prefix --share vdsim_description)/config/"
    "simulator_model.param.yaml vehicle_info_param_file:=$(ros2 pkg prefix --share "
    "vdsim_description)/config/vehicle_info.param.yaml"
)


def colcon(folder: Path, base: Path) -> Path:
    """Build the packages below `base` into a workspace."""
    folder.mkdir()
    command = [str(ROOT / "ws"), "colcon", "build", "--base-paths", str(base)]
    done = subprocess.run(command, cwd=folder, check=False, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "install/setup.bash"


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files to source: ours, and that of the other workspace."""
    folder = tmp_path_factory.mktemp("workspaces")
    package = folder / "theirs_src" / NAME
    (package / "launch").mkdir(parents=True)
    source = ROOT / "extras/autoware_overlay" / NAME
    for name in ("package.xml", "CMakeLists.txt"):
        text = (source / name).read_text(encoding="utf-8")
        (package / name).write_text(text.replace("launch design", "launch"), encoding="utf-8")
    (package / "launch" / FILE).write_text(THEIRS, encoding="utf-8")
    return {
        "ours": colcon(folder / "ours", ROOT / "extras/autoware_overlay"),
        "theirs": colcon(folder / "theirs", package.parent),
    }


def sourced(workspaces: dict[str, Path], order: tuple[str, ...], command: str) -> list[str]:
    """The command line that runs something with these workspaces sourced in this order."""
    sources = "; ".join(f'source "{workspaces[name]}"' for name in order)
    return [str(ROOT / "ws"), "bash", "-c", f"{sources}; {command}"]


@pytest.mark.parametrize("order", [("ours", "theirs"), ("theirs", "ours")])
def test_the_workspace_that_is_sourced_last_decides_which_simulator_is_launched(
    workspaces: dict[str, Path], order: tuple[str, ...]
) -> None:
    line = sourced(workspaces, order, f"ros2 pkg prefix {NAME}")
    found = subprocess.run(line, check=False, text=True, capture_output=True)
    assert found.stdout.strip() == str(workspaces[order[-1]].parent / NAME), found.stderr
    line = sourced(workspaces, order, f"ros2 launch {NAME} {FILE} --print-description")
    shown = subprocess.run(line, check=False, text=True, capture_output=True)
    assert "LaunchDescription" in shown.stdout, shown.stderr
    assert ("IncludeLaunchDescription" in shown.stdout) == (order[-1] == "ours")


@pytest.fixture
def running(workspaces: dict[str, Path]) -> Iterator[str]:
    """What the launch said until the car was there."""
    line = sourced(workspaces, ("theirs", "ours"), f"exec ros2 launch {NAME} {FILE} {GIVEN}")
    process = subprocess.Popen(
        line, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    lines = []
    for text in process.stdout:
        lines.append(text)
        if "car ioniq5_awd" in text:
            break
    yield "".join(lines)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60.0)


def test_the_doctor_says_whose_simulator_runs(running: str) -> None:
    assert "is that of vdsim (an overlay)" in running
    command = [str(ROOT / "ws"), "doctor", "--live", "--seconds", "3"]
    done = subprocess.run(command, check=False, text=True, capture_output=True)
    said = "/simulation/simple_planning_simulator: that of vdsim"
    assert said in done.stdout, running + done.stdout + done.stderr
