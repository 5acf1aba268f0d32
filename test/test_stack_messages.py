"""Without the messages of Autoware and Ackermann, as beside an installed ROS 2 without them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from vdsim_kit.launched import PATIENCE_S
from vdsim_kit.tools import STACK_MESSAGES
from workspace import build
from workspace.distro import Distro
from workspace.layout import Layout

ROOT = Path(__file__).resolve().parents[1]
OF_AUTOWARE = "autoware_adapi_v1_msgs, autoware_control_msgs, autoware_vehicle_msgs"


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment, with each module folder that has such messages replaced by one without."""
    folders = []
    for entry in filter(None, os.environ["PYTHONPATH"].split(os.pathsep)):
        folder = Path(entry)
        if any((folder / name).is_dir() for name in STACK_MESSAGES):
            fewer = tmp_path_factory.mktemp("modules")
            for module in folder.iterdir():
                if not module.name.startswith(STACK_MESSAGES):
                    (fewer / module.name).symlink_to(module)
            folder = fewer
        folders.append(str(folder))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


def run(
    command: list[str], environment: dict[str, str], folder: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False,
        timeout=PATIENCE_S,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("package", "file", "arguments", "needs"),
    [
        ("vdsim_interface", "autoware", [], f"autoware_interface needs {OF_AUTOWARE}: not"),
        ("vdsim_interface", "autoware", ["adapter:=inside"], f"needs {OF_AUTOWARE}: not"),
        ("vdsim_interface", "autoware", ["command:=actuation"], "needs .*tier4_vehicle_msgs: not"),
        ("vdsim_autoware", "autoware_simulator", [],
         f"planning_simulator needs {OF_AUTOWARE}, autoware_planning_msgs: not"),
        ("vdsim_autoware", "autoware_simulator", ["link:=udp"], f"needs {OF_AUTOWARE}: not"),
    ],
)  # fmt: skip
def test_a_launch_file_that_needs_them_says_so_before_anything_starts(
    package: str, file: str, arguments: list[str], needs: str, without: dict[str, str]
) -> None:
    done = run(["ros2", "launch", package, f"{file}.launch.py", *arguments], without)
    output = done.stdout + done.stderr
    assert done.returncode == 1, output
    assert "process started" not in output
    [line] = [line for line in output.splitlines() if "[ERROR]" in line]
    before, _, after = needs.partition(".*")
    assert before in line
    assert after in line


@pytest.mark.parametrize(
    ("node", "package"),
    [("autoware_interface", "autoware_control_msgs"), ("ackermann_adapter", "ackermann_msgs")],
)
def test_a_node_that_needs_them_says_so(node: str, package: str, without: dict[str, str]) -> None:
    done = run(["ros2", "run", "vdsim_interface", node], without)
    assert done.returncode == 2
    assert done.stderr.strip() == f"{node}: needs the package {package}: not installed"


def test_the_tests_of_the_rest_are_collected(without: dict[str, str]) -> None:
    files = [
        "src/vdsim_autoware/test",
        *map(str, sorted((ROOT / "test").glob("test_autoware_*.py"))),
        *("test/test_velocity_adapters.py", "test/test_docs.py", "test/test_drive.py"),
    ]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    chosen = {k: v for k, v in without.items() if k != "VDSIM_TEST_REQUIRE_TOOLS"}
    done = run([*command, *files], chosen)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert "src/vdsim_autoware/test/adapter/test_autoware_adapter.py" in done.stdout
    assert "test/test_drive.py" in done.stdout
    assert "README.md" in done.stdout
    for absent in ("test_autoware_node.py", "test_autoware_drive.py", "[autoware.md]"):
        assert absent not in done.stdout
    for package in ("ackermann_msgs", "autoware_control_msgs"):
        assert f"not run: the tests that need the messages of {package}" in done.stdout
    required = run([*command, *files], {**chosen, "VDSIM_TEST_REQUIRE_TOOLS": "1"})
    assert required.returncode != 0
    assert "needed by a test, and not installed" in required.stdout + required.stderr


def test_an_installed_ros_2_compiles_only_what_every_node_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout, distro = Layout(ROOT, "system-jazzy"), Distro("jazzy", "sourced")
    interfaces = ROOT / "portable" / "interfaces"
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    required = [interfaces / "composition_interfaces", interfaces / "tf2_msgs"]
    assert build.base_paths(layout, distro) == [ROOT / "src", *required]
    package = tmp_path / "share" / "tf2_msgs" / "package.xml"
    package.parent.mkdir(parents=True)
    package.touch()
    assert build.base_paths(layout, distro) == [ROOT / "src", required[0]]
