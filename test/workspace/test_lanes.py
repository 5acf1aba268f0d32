"""The table of lanes, what belongs to each, and the environments that they run in."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from vdsim_kit.docs import every_command
from workspace import pins
from workspace.layout import WorkspaceError
from workspace.testing import lanes, pythons
from workspace.testing.lane_environment import (
    LaneEnvironment,
    NoWheelError,
    ensure_lane_environment,
)
from workspace.testing.lane_run import Outcome, run_lane, summary
from workspace.testing.lanes import LANES, Lane
from workspace.testing.pythons import Python, this_python

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = "--ignore-glob=*/test/test_[!d]*.py"  # their imports take seconds
PIN = re.compile(r"[A-Za-z0-9._-]+==[0-9][\w.]*(; python_version (<|>=) \"3\.\d+\")?")


@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.name)
def test_a_lane_has_tests_and_pinned_requirements(lane: Lane) -> None:
    for folder in (*lane.tests, *lane.numeric_tests):
        assert list((ROOT / folder).rglob("test_*.py")), folder
    files = [lane.requirements, *([lane.numeric_requirements] if lane.numeric_tests else [])]
    for file in files:
        lines = (ROOT / "tools/requirements" / file).read_text(encoding="utf-8").splitlines()
        packages = [line for line in lines if not line.startswith(("#", "--no-binary "))]
        assert packages
        assert all(PIN.fullmatch(line) for line in packages), packages


def test_every_folder_of_lane_tests_is_a_lane() -> None:
    folders = {path.name for path in (ROOT / "test/lanes").iterdir() if path.is_dir()}
    named = {Path(test).name for lane in LANES for test in lane.tests if "lanes" in test}
    assert folders - {"__pycache__"} == named


def test_continuous_integration_and_contributing_name_every_lane() -> None:
    listed = re.search(r"^lanes=\((.*)\)$", (ROOT / ".ci/lanes").read_text(), re.MULTILINE)
    assert listed
    assert listed.group(1).split() == [lane.name for lane in LANES]
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for lane in LANES:
        assert f"| `{lane.name}` | {lane.summary} | {lane.needs} | {lane.minutes} min |" in page


def test_commands_of_a_page_belong_to_a_lane_that_runs_them() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for lane in {command.lane for command in every_command(page)} - {""}:
            named = lanes.lane_named(lane)
            assert named, f"{page.name}: <!-- test: lane {lane} -->"
            files = [file for test in named.tests for file in (ROOT / test).rglob("test_*.py")]
            assert any(page.name in file.read_text(encoding="utf-8") for file in files), page.name


def test_the_quick_suite_does_not_collect_the_lanes() -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "test", WITHOUT]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "test/test_domains.py" in done.stdout
    assert "lanes/" not in done.stdout


def test_help_and_a_wrong_name_list_the_lanes() -> None:
    for arguments, code in ((["--help"], 0), (["nolane"], 2), (["test/nofile.py"], 2)):
        done = subprocess.run(
            [str(ROOT / "ws"), "test", *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == code
        for lane in LANES:
            assert lane.name in (done.stdout if code == 0 else done.stderr)
    assert done.stderr == (
        f"ws: test test/nofile.py: no such file, folder or lane; the lanes are {lanes.names()}\n"
    )


def test_a_lane_whose_variable_is_missing_says_that_it_did_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lanes = [lane for lane in LANES if lane.variable]
    assert lanes
    for lane in lanes:
        monkeypatch.delenv(lane.variable, raising=False)
        assert run_lane(ROOT, lane, []) == 0
        assert capsys.readouterr().err == f"ws: lane {lane.name}: not run: needs {lane.needs}\n"
        assert lane.variable in lane.needs


def test_a_lane_whose_files_are_missing_says_that_it_did_not_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lanes = [lane for lane in LANES if lane.files]
    assert lanes
    for lane in lanes:
        assert run_lane(ROOT, replace(lane, files=(*lane.files[1:], "usr/no/such/*.so")), []) == 0
        assert capsys.readouterr().err == f"ws: lane {lane.name}: not run: needs {lane.needs}\n"


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    """A repository with one lane that needs no package and has one test."""
    requirements = tmp_path / "tools/requirements"
    requirements.mkdir(parents=True)
    for name in ("pip.txt", "build.txt", pins.HASHES):
        shutil.copy(ROOT / "tools/requirements" / name, requirements)
    (tmp_path / "tools/requirements/lane-tiny.txt").write_text("# nothing\n")
    (tmp_path / "tools/requirements/lane-tiny-numeric.txt").write_text("no-such-thing-vdsim==1\n")
    return tmp_path


def test_an_environment_is_kept_until_its_pins_change(
    workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[str, ...]] = []

    def create(environment: LaneEnvironment, files: list[Path], _lock: int) -> None:
        made.append(tuple(file.read_text() for file in files))
        environment.interpreter.parent.mkdir(parents=True, exist_ok=True)
        environment.interpreter.touch()

    monkeypatch.setattr("workspace.testing.lane_environment._create", create)
    environment = LaneEnvironment(workshop, "tiny", this_python())
    tiny = workshop / "tools/requirements/lane-tiny.txt"
    for _ in range(2):
        ensure_lane_environment(environment, [tiny])
    assert made == [("# nothing\n",)]
    tiny.write_text("# other pins\n")
    ensure_lane_environment(environment, [tiny])
    assert made[1:] == [("# other pins\n",)]
    environment.interpreter.unlink()
    ensure_lane_environment(environment, [tiny])
    assert len(made) == 3
    moved = LaneEnvironment(workshop, "tiny", Python("3.11.99", environment.python.path))
    ensure_lane_environment(moved, [tiny])
    assert len(made) == 4, "another Python"


def test_a_package_without_a_wheel_is_named(workshop: Path) -> None:
    environment = LaneEnvironment(workshop, "tiny", this_python())
    empty = workshop / "no-index"
    empty.mkdir()
    tiny = workshop / "tools/requirements/lane-tiny.txt"
    tiny.write_text(f"--no-index\n--find-links {empty}\nno-such-thing-vdsim==1\n")
    hashes = tiny.with_name(pins.HASHES)
    hashes.write_text(f"{hashes.read_text()}no-such-thing-vdsim==1\n  {'0' * 64}  x.whl\n")
    version = re.escape(this_python().version)
    with pytest.raises(NoWheelError, match=f"no-such-thing-vdsim==1 has no wheel for .*{version}"):
        ensure_lane_environment(environment, [tiny])
    assert not environment.stamp.exists()


def test_no_ros_reaches_a_lane(workshop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/a")
    monkeypatch.setenv("AMENT_PREFIX_PATH", "/b")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/c")
    variables = LaneEnvironment(workshop, "tiny", this_python()).variables()
    assert not {"AMENT_PREFIX_PATH", "LD_LIBRARY_PATH"} & variables.keys()
    paths = variables["PYTHONPATH"].split(os.pathsep)
    assert all(path.startswith(str(workshop / "src")) for path in paths)
    assert variables["PATH"].startswith(str(workshop))


def test_the_summary_has_a_line_for_each_supported_python() -> None:
    ran = {Python("3.11.7", Path("/x")): Outcome(0, "passed in 3 s")}
    assert summary(ran) == [
        "Python 3.10     not on this machine",
        "Python 3.11.7   passed in 3 s",
        "Python 3.12     not on this machine",
        "Python 3.13     not on this machine",
        "Python 3.14     not on this machine",
    ]


def _interpreter(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_pythons_are_found_on_the_path_and_in_pyenv_and_must_run(tmp_path: Path) -> None:
    other = [minor for minor in pythons.MINORS if minor != sys.version_info.minor]
    shim, real, broken = other[:3]
    _interpreter(tmp_path / f"bin/python3.{shim}", "exit 127")  # a shim of pyenv
    _interpreter(tmp_path / f"pyenv/versions/3.{shim}.4/bin/python3.{shim}", f"echo 3.{shim}.4")
    _interpreter(tmp_path / f"bin/python3.{real}", f"echo 3.{real}.9")
    _interpreter(tmp_path / f"bin/python3.{broken}", "echo 2.7.18")
    environ = {"PATH": f"{tmp_path}/bin", "PYENV_ROOT": str(tmp_path / "pyenv")}
    found = {python.minor: python for python in pythons.installed(environ)}
    own = f"3.{sys.version_info.minor}"
    assert set(found) == {own, f"3.{shim}", f"3.{real}"}
    assert found[f"3.{shim}"].version == f"3.{shim}.4"
    assert found[f"3.{real}"].path == tmp_path / f"bin/python3.{real}"


def test_a_lane_without_any_python_says_so(workshop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workspace.testing.lane_run.installed", list)
    lane = Lane(name="tiny", summary="", needs="", minutes=1, tests=("t",), every_python=True)
    with pytest.raises(WorkspaceError, match=r"lane tiny: no Python of 3\.10 to 3\.14 was found"):
        run_lane(workshop, lane, [])


def test_where_a_package_has_no_wheel_the_other_tests_run(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, ...]] = []

    def ensure(environment: LaneEnvironment, files: list[Path]) -> None:
        if len(files) > 1:
            raise NoWheelError("numba==1", environment.python)

    def run(_environment: LaneEnvironment, tests: tuple[str, ...], _rest: object) -> Outcome:
        asked.append(tests)
        return Outcome(0, "passed in 1 s: plain")

    monkeypatch.setattr(
        "workspace.testing.lane_run.installed", lambda: [Python("3.14.0", Path("/x"))]
    )
    monkeypatch.setattr("workspace.testing.lane_run.ensure_lane_environment", ensure)
    monkeypatch.setattr("workspace.testing.lane_run._pytest", run)
    lane = Lane(
        name="tiny",
        summary="",
        needs="",
        minutes=1,
        tests=("plain",),
        numeric_tests=("numeric",),
        every_python=True,
    )
    assert run_lane(workshop, lane, []) == 0
    assert asked == [("plain",)]
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == ("Python 3.14.0   passed in 1 s: plain; numeric not run: no wheel of numba==1")


def test_ci_runs_a_lane_by_name() -> None:
    script = ROOT / ".ci/lanes"
    assert os.access(script, os.X_OK)
    done = subprocess.run([str(script), "nolane"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "nolane" in done.stderr
