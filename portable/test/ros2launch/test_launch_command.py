"""``ros2 launch`` as its users call it: exit codes, output, one line for every mistake."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

LAUNCH_FILE = """
import sys
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, GroupAction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration

def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument("speed", default_value="3", description="in m/s", choices=["3", "4"]),
        DeclareLaunchArgument("name"),
        ExecuteProcess(cmd=["echo", "speed", LaunchConfiguration("speed")], output="screen"),
        GroupAction([ExecuteProcess(cmd=["sleep", "1000"])],
                    condition=IfCondition(LaunchConfiguration("stay", default="false"))),
    ])
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    prefix = tmp_path / "prefix"
    (prefix / "share/ament_index/resource_index/packages").mkdir(parents=True)
    (prefix / "share/ament_index/resource_index/packages/demo").touch()
    for path in ("share/demo/launch/demo.launch.py", "share/demo/a/two.launch.py"):
        (prefix / path).parent.mkdir(parents=True, exist_ok=True)
        (prefix / path).write_text(LAUNCH_FILE)
    (prefix / "share/demo/b").mkdir()
    (prefix / "share/demo/b/two.launch.py").touch()
    path = f"{prefix}{os.pathsep}{os.environ.get('AMENT_PREFIX_PATH', '')}"
    return {**os.environ, "AMENT_PREFIX_PATH": path, "ROS_LOG_DIR": str(tmp_path / "log")}


def ros2_launch(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ros2launch.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=60.0,
        env=environment,
    )


def test_package_and_file(environment: dict[str, str], tmp_path: Path) -> None:
    done = ros2_launch(environment, "demo", "demo.launch.py", "name:=n", "speed:=4")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[echo-1] speed 4" in done.stdout.splitlines()
    first = done.stdout.splitlines()[0]
    assert first.startswith("[INFO] [launch]: All log files can be found below")
    (log,) = (tmp_path / "log").glob("*/launch.log")
    assert "speed 4" not in log.read_text()
    assert "process has finished cleanly" in log.read_text()


def test_path_duplicates_and_undeclared(environment: dict[str, str], tmp_path: Path) -> None:
    path = str(tmp_path / "prefix/share/demo/launch/demo.launch.py")
    done = ros2_launch(environment, path, "name:=n", "speed:=9", "-n", "speed:=3", "unknown:=1")
    assert done.returncode == 0
    assert "[echo-1] speed 3" in done.stdout


def test_show_arguments(environment: dict[str, str], tmp_path: Path) -> None:
    done = ros2_launch(environment, "demo", "demo.launch.py", "--show-args")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "Arguments (pass arguments as '<name>:=<value>'):",
        "",
        "    'speed':",
        "        in m/s. Valid choices are: ['3', '4']",
        "        (default: '3')",
        "",
        "    'name':",
        "        no description given",
    ]
    assert not (tmp_path / "log").exists()


COMPUTED = """
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import Command, LaunchConfiguration, PythonExpression

def generate_launch_description():
    defaults = {
        "speed": "3",
        "fast": PythonExpression(["str(", LaunchConfiguration("speed"), " > 3)"]),
        "more": PythonExpression([LaunchConfiguration("not_there"), " + 1"]),
        "asked": Command("touch MARK"),
    }
    return LaunchDescription(
        [DeclareLaunchArgument(name, default_value=each) for name, each in defaults.items()]
    )
"""


def test_a_default_that_follows_from_others_is_shown_as_its_value_and_runs_nothing(
    environment: dict[str, str], tmp_path: Path
) -> None:
    file, mark = tmp_path / "computed.launch.py", tmp_path / "mark"
    file.write_text(COMPUTED.replace("MARK", str(mark)))
    done = ros2_launch(environment, str(file), "--show-args")
    shown = [line.strip() for line in done.stdout.splitlines() if "(default" in line]
    assert shown == [
        "(default: '3')",
        "(default: 'False', follows from the other arguments)",
        "(default: PythonExpr(LaunchConfig('not_there') + ' + 1'))",
        f"(default: Command('touch {mark}'))",
    ]
    assert not mark.exists()


def test_print(environment: dict[str, str]) -> None:
    done = ros2_launch(environment, "demo", "demo.launch.py", "-p")
    assert done.returncode == 0
    assert "ExecuteProcess(cmd=['sleep', '1000'], shell=False)" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "x.launch.py"], "Package 'nowhere' not found:"),
        (["demo", "x.launch.py"], "file 'x.launch.py' was not found in the share directory of"),
        (["demo", "two.launch.py"], "was found more than once in the share directory"),
        (["./x.launch.py"], "launch file './x.launch.py' does not exist"),
        (["demo"], "'demo' is no launch file; for a package give the launch file's name after it"),
        (["demo", "demo.launch.py", "speed=4"], "malformed launch argument 'speed=4', expected"),
        (["demo", "demo.launch.py"], "missing required argument 'name'"),
        (["demo", "demo.launch.py", "name:=n", "speed:=5"], '"speed" provided value "5" is not'),
    ],
)
def test_mistake_is_one_line(
    environment: dict[str, str], arguments: list[str], message: str
) -> None:
    done = ros2_launch(environment, *arguments)
    assert done.returncode == 1
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "All log" not in line]
    assert len(lines) == 1
    assert message in lines[0]


def test_debug_shows_where(environment: dict[str, str]) -> None:
    done = ros2_launch(environment, "--debug", "demo", "demo.launch.py")
    assert done.returncode == 1
    assert "Traceback" in done.stdout


def test_prefix_and_all_output(environment: dict[str, str]) -> None:
    done = ros2_launch(
        environment, "-a", "--launch-prefix", "env A=b", "demo", "demo.launch.py", "name:=n"
    )
    assert done.returncode == 0
    assert "[echo-1] speed 3" in done.stdout


def test_ctrl_c(environment: dict[str, str]) -> None:
    launch = subprocess.Popen(
        [sys.executable, "-m", "ros2launch.cli", "demo", "demo.launch.py", "name:=n", "stay:=true"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert launch.stdout is not None
    seen = ""
    while "[sleep-2]: process started with pid" not in seen:
        seen = launch.stdout.readline()
        assert seen
    pid = int(seen.rpartition("[")[2].rstrip("]\n"))
    launch.send_signal(signal.SIGINT)
    rest, _ = launch.communicate(timeout=60.0)
    assert launch.returncode == 0
    assert "user interrupted with ctrl-c (SIGINT)" in rest
    assert "sending signal 'SIGINT' to process[sleep-2]" in rest
    deadline = time.monotonic() + 60.0
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
