"""A fresh clone beside a sourced ROS 2 with upstream's own launch, ros2 and launch_testing.

The clone is in a folder with a space, the home is empty. The counts of each part are kept in
tools/workspace/upstream_run.json, of which docs/where-it-runs.md has a table (`./ws generate`).
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from vdsim_kit.upstream_ros import VARIABLE, Source, build, sourced, sources, with_stack_messages

ROOT = Path(__file__).resolve().parents[3]
RECORD = ROOT / "tools" / "workspace" / "upstream_run.json"
FOLDER = Path(sys.prefix).parent / "ros"
OWN_MODULES = Path(pytest.__file__).resolve().parents[1]
"""The modules of this lane: pytest 7, as Ubuntu 24.04 has it."""
PATIENCE_S = 300.0
LAUNCH_TESTS = sorted(
    str(file.relative_to(ROOT))
    for file in (*(ROOT / "test").glob("test_*.py"), *(ROOT / "examples").glob("test_*.py"))
    if re.search(r"^@pytest\.mark\.launch_test$", file.read_text(encoding="utf-8"), re.MULTILINE)
)
_SUMMARY = re.compile(r"^=*\s*(\d+ (?:passed|failed|error).*?) in ", re.MULTILINE)


class Record:
    """What this run has seen, part by part; a part that ran again replaces its line."""

    def __init__(self, found: list[Source]) -> None:
        self._content = {
            "packages": {each.name: [each.version, each.commit] for each in found},
            "python": platform.python_version(),
            "parts": {},
        }
        if RECORD.is_file():
            before = json.loads(RECORD.read_text(encoding="utf-8"))
            if all(before[key] == self._content[key] for key in ("packages", "python")):
                self._content = before

    def keep(self, part: str, result: str) -> None:
        """Write the result of a part."""
        self._content["parts"][part] = result
        RECORD.write_text(json.dumps(self._content, indent=1) + "\n", encoding="utf-8")


class Clone:
    """A fresh clone, and a shell beside it in which ROS 2 is sourced."""

    def __init__(self, root: Path, variables: dict[str, str]) -> None:
        self.root, self.variables = root, variables

    def run(self, *command: str, **more: str) -> tuple[int, str]:
        """Run `./ws COMMAND`; return its exit code and its output."""
        done = subprocess.run(
            ["./ws", *command], cwd=self.root, env={**self.variables, **more}, text=True,
            check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        return done.returncode, done.stdout


@pytest.fixture(scope="session")
def record() -> Record:
    return Record(sources(Path(os.environ[VARIABLE])))


@pytest.fixture(scope="session")
def install(record: Record) -> Path:
    return build(sources(Path(os.environ[VARIABLE])), FOLDER)


@pytest.fixture(scope="session")
def clone(install: Path) -> Clone:
    """It keeps its build, so that a part of the lane can run again; the first test removes that."""
    root = FOLDER / "a clone"
    for entry in root.iterdir() if root.exists() else ():
        if entry.name == ".ros":
            continue
        shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists() or (ROOT / name).is_symlink():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, root / name, follow_symlinks=False)
    return Clone(root, sourced(FOLDER, install, OWN_MODULES, with_its_pytest=True))


@pytest.fixture(scope="session")
def built(clone: Clone) -> Clone:
    """The same, built: what waits for a launch must not wait for the compiler."""
    code, output = clone.run("build")
    assert code == 0, output
    return clone


@pytest.fixture(scope="session")
def whole(built: Clone) -> Clone:
    """The same with the messages of Autoware and Ackermann, so that every test is collected."""
    return Clone(built.root, with_stack_messages(built.variables, FOLDER))


@pytest.fixture(scope="session")
def newest(install: Path, built: Clone) -> Clone:
    """The same with the pytest of the wheels, on which upstream's plug-ins do not load."""
    variables = sourced(FOLDER, install, OWN_MODULES, with_its_pytest=False)
    return Clone(built.root, with_stack_messages(variables, FOLDER))


def wait_for(holds: Callable[[], bool], what: Callable[[], str]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, what()
        time.sleep(0.05)


@contextmanager
def launched(clone: Clone, log: Path, *words: str, **more: str) -> Iterator[Callable[[], str]]:
    """`./ws ros2 launch`, running until Ctrl-C; its output so far."""
    with log.open("w") as output:
        process = subprocess.Popen(
            ["./ws", "ros2", "launch", *words], cwd=clone.root, env={**clone.variables, **more},
            stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    try:
        yield lambda: log.read_text(encoding="utf-8", errors="replace")
    finally:
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60.0) == 0, log.read_text(encoding="utf-8")


def test_the_first_command_builds_what_is_needed(clone: Clone, record: Record) -> None:
    shutil.rmtree(clone.root / ".ros", ignore_errors=True)
    start_s = time.monotonic()
    code, output = clone.run("build")
    assert code == 0, output
    [log] = (clone.root / ".ros").glob("system-*/log/build.log")
    built = re.findall(r"^Finished <<< (\w+)", log.read_text(encoding="utf-8"), re.MULTILINE)
    assert not [name for name in built if name.startswith(("autoware_", "tier4_", "ackermann_"))]
    assert "ROS 2's own" in clone.run("doctor")[1]
    packages = [name for name in built if name.startswith(("vdsim_", "autohyu_"))]
    assert len(packages) == len(list((ROOT / "src").glob("*/package.xml")))
    took_s = time.monotonic() - start_s
    load = f"load {os.getloadavg()[2]:.0f} on {os.cpu_count()} cores"
    result = f"{len(built)} packages in {took_s:.0f} s ({load})"
    record.keep("`./ws build` in a fresh clone", result)


def test_the_commands_of_the_readme_drive(built: Clone, tmp_path: Path, record: Record) -> None:
    with launched(built, tmp_path / "log", "vdsim_interface", "vdsim.launch.py") as output:
        wait_for(lambda: "vehicle link up" in output(), output)
        speed_mps = driven(built, output)
    record.keep("the README's two commands", f"{speed_mps:.1f} of 5 m/s reached")


def driven(clone: Clone, launch_output: Callable[[], str]) -> float:
    """Drive as the README says, until the speed is there; return it [m/s]."""
    drive = ("/vehicle/high_level_command", "vdsim_msgs/msg/HighLevelControlCommand")
    command = ["./ws", "ros2", "topic", "pub", "-r", "20", *drive, "{velocity_mps: 5.0}"]
    publisher = subprocess.Popen(
        command, cwd=clone.root, env=clone.variables, stdout=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    show = ("topic", "echo", "--once", "/vehicle/odometry", "vdsim_msgs/msg/VehicleOdometry")
    speeds: list[float] = []

    def drives() -> bool:
        code, output = clone.run("ros2", *show)
        assert code == 0, output
        speeds.extend(map(float, re.findall(r"^velocity_mps: ([\d.e-]+)$", output, re.MULTILINE)))
        return bool(speeds) and speeds[-1] > 4.5

    try:
        wait_for(drives, lambda: f"{speeds}\n{launch_output()}")
    finally:
        os.killpg(publisher.pid, signal.SIGINT)
        publisher.wait()
    return speeds[-1]


CONTAINER = """
from launch import LaunchDescription
from launch_ros.actions import ComposableNodeContainer
from launch_ros.descriptions import ComposableNode

def generate_launch_description():
    container = ComposableNodeContainer(
        package="vdsim_interface", executable="component_container", name="my_container",
        namespace="vehicle", parameters=["{parameters}"], output="screen",
        composable_node_descriptions=[
            ComposableNode(package="their_package", plugin="theirs", name="planner"),
        ],
    )
    return LaunchDescription([container])
"""


THEIR_MODULE = """
from rclpy.node import Node

class Theirs(Node):
    def __init__(self, **options):
        super().__init__("theirs", **options)
"""


def installed_component(folder: Path) -> Path:
    """Lay a package with one component into a folder, as pip would."""
    info = folder / "their_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their_package\nVersion: 1.0\n")
    entry = "[vdsim_interface.components]\ntheirs = their_module:Theirs\n"
    (info / "entry_points.txt").write_text(entry)
    (folder / "their_module.py").write_text(THEIR_MODULE)
    return folder


def test_a_container_of_a_launch_file_has_a_name_of_its_own(
    built: Clone, tmp_path: Path, record: Record
) -> None:
    parameters = tmp_path / "own.yaml"
    parameters.write_text("/**: {ros__parameters: {platform: fake}}")
    file = tmp_path / "container.launch.py"
    file.write_text(CONTAINER.format(parameters=parameters))
    path = os.pathsep.join([str(installed_component(tmp_path)), built.variables["PYTHONPATH"]])
    with launched(built, tmp_path / "log", str(file), PYTHONPATH=path) as output:
        wait_for(lambda: "Loaded node" in output(), output)
        nodes: list[str] = []

        def are_listed() -> bool:
            nodes[:] = built.run("ros2", "node", "list")[1].split()
            return "/vehicle/planner" in nodes

        wait_for(are_listed, lambda: f"{nodes}\n{output()}")
    ours = sorted(node for node in nodes if node.startswith("/vehicle/"))
    assert ours == ["/vehicle/my_container", "/vehicle/planner", "/vehicle/vehicle_interface"]
    assert "already registered" not in output()
    record.keep("`ComposableNodeContainer` with `component_container`", ", ".join(ours))


@pytest.mark.parametrize("file", LAUNCH_TESTS)
def test_a_launch_test_passes_by_launch_test(file: str, whole: Clone, record: Record) -> None:
    # It knows neither pyproject.toml nor the folder of the kits.
    path = os.pathsep.join([str(whole.root / "test"), whole.variables["PYTHONPATH"]])
    code, output = whole.run("launch_test", file, PYTHONPATH=path)
    ran = re.findall(r"^Ran (\d+) tests? in", output, re.MULTILINE)
    record.keep(f"`launch_test {file}`", f"{'+'.join(ran)} tests, exit code {code}")
    assert code == 0, output


def judged(code: int, output: str, record: Record, part: str) -> None:
    """Keep pytest's counts, and fail as it has."""
    [*_, counts] = _SUMMARY.findall(output) or ["nothing was run"]
    record.keep(part, f"{counts}, exit code {code}")
    log = FOLDER / f"{re.sub('[^a-z0-9]+', '_', part.lower())}.txt"
    log.write_text(output, encoding="utf-8")
    assert code == 0, f"{log}\n{output[-20_000:]}"


def test_the_system_tests_pass_with_the_pytest_of_ubuntu(whole: Clone, record: Record) -> None:
    code, output = whole.run("test", "test", "examples")
    judged(code, output, record, f"`./ws test test examples`, pytest {pytest.__version__}")


def test_launch_tests_pass_with_the_newest_pytest(newest: Clone, record: Record) -> None:
    _, version = newest.run("python", "-c", "import pytest; print(pytest.__version__)")
    assert not version.startswith(pytest.__version__.partition(".")[0])
    code, output = newest.run("test", "--collect-only", "-q")
    assert code == 0, output[-4000:]
    code, output = newest.run("test", *LAUNCH_TESTS, "test/test_launch_is_gone.py")
    part = f"launch tests and `test_launch_is_gone.py` by `./ws test`, pytest {version.split()[-1]}"
    judged(code, output, record, part)
