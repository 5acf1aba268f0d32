"""The real `./ws`, on the workspace that these tests run in."""

import os
import re
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SLEEPER = """
import signal, sys, time
def caught(*_):
    print("caught")
    sys.exit(3)
signal.signal(signal.SIGINT, caught)
print("on")
time.sleep(60)
"""


def _ws(*arguments: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(ROOT / "ws"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environ},
        cwd="/",
    )


def test_the_exit_code_and_the_output_are_the_commands_own() -> None:
    done = _ws("sh", "-c", "echo out; exit 7")
    assert (done.returncode, done.stdout, done.stderr) == (7, "out\n", "")


PRINTS = (
    "import os; from vdsim_protocol.why.typed import STARTER, typed; "
    "print(typed('run ros2 topic list', os.environ[STARTER]))"
)


def test_a_command_that_is_printed_works_in_the_shell_of_its_reader() -> None:
    done = _ws("python", "-c", PRINTS)
    assert done.stdout == f"run {shlex.quote(str(ROOT / 'ws'))} ros2 topic list\n"
    own = subprocess.run(
        ["./ws", "python", "-c", PRINTS], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert own.stdout == "run ./ws ros2 topic list\n"


def test_a_shell_inside_the_workspace_needs_no_ws(tmp_path: Path) -> None:
    shell = tmp_path / "shell"
    shell.write_text("#!/bin/sh\necho ${VDSIM_WS:-none}\n")
    shell.chmod(0o755)
    assert _ws("shell", SHELL=str(shell), VDSIM_WS="./ws").stdout.endswith("none\n")


def test_an_unknown_command_is_named() -> None:
    done = _ws("no-such-command")
    assert done.returncode == 127
    assert "no-such-command: no such command" in done.stderr


def test_a_command_that_is_nearly_right_gets_the_right_one() -> None:
    done = _ws("doctr")
    assert done.returncode == 127
    assert done.stderr.endswith("; did you mean ./ws doctor?\n")


def test_every_command_of_the_packages_runs_by_its_name() -> None:
    """As docs of other projects call them: `vdsim_realtime ...`, not `ros2 run PACKAGE ...`."""
    files = [path.read_text(encoding="utf-8") for path in ROOT.glob("src/*/setup.py")]
    text = "".join(
        part for file in files for part in re.findall(r'"console_scripts": \[.*?\]', file, re.S)
    )
    names = sorted(set(re.findall(r"^ +f?\"([a-z][a-z0-9_]+) ?= ?[a-z_.{}0-9]+:", text, re.M)))
    assert {"vdsim_realtime", "vdsim_plot", "vdsim_explain", "vdsim_dump"} <= set(names)
    done = _ws(
        "sh", "-c", 'for name in "$@"; do command -v "$name" || echo "no $name"; done', "sh", *names
    )
    missing = [line for line in done.stdout.splitlines() if line.startswith("no ")]
    assert (len(done.stdout.splitlines()), missing) == (len(names), [])


def test_help_names_every_command_of_its_own() -> None:
    done = _ws("--help")
    assert done.returncode == 0
    for name in ("build", "test", "lint", "generate", "bench", "shell", "doctor", "clean"):
        assert f"\n  {name}" in done.stdout


def test_a_ros_2_that_is_nowhere_is_refused() -> None:
    done = _ws("true", VDSIM_ROS_DISTRO="foxy")
    assert done.returncode == 1
    assert "VDSIM_ROS_DISTRO=foxy" in done.stderr


def test_clean_takes_only_all() -> None:
    done = _ws("clean", "everything")
    assert (done.returncode, done.stderr) == (2, "ws: clean everything: only --all is allowed\n")


def test_generate_takes_only_check_and_release() -> None:
    done = _ws("generate", "docs")
    assert done.returncode == 2
    assert "generate docs: only --check or --release is allowed\n" in done.stderr


def test_doctor_reports_a_ready_workspace() -> None:
    done = _ws("doctor")
    assert done.returncode == 0
    lines = dict(line.split("  ", 1) for line in done.stdout.splitlines() if "  " in line)
    assert lines["environment"].strip() == "ready"
    assert lines["build"].strip() == "ready"


def test_whoever_reads_the_report_may_stop() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    report = subprocess.run(
        [str(ROOT / "ws"), "doctor"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert (report.returncode, report.stderr) == (1, "")


@pytest.mark.parametrize("name", ["vdsim_msgs", "vdsim_protocol", "vdsim_interface"])
def test_packages_are_importable_inside(name: str) -> None:
    assert _ws("python", "-c", f"import {name}").returncode == 0


def test_ctrl_c_reaches_the_command() -> None:
    child = subprocess.Popen(
        [str(ROOT / "ws"), "python", "-uc", SLEEPER],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "on\n"
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=60)[0] == "caught\n"
    assert child.returncode == 3


def test_inside_itself_it_finds_the_same_environment() -> None:
    inner = f"'{ROOT}/ws' python -c 'import os; print(os.environ[\"AMENT_PREFIX_PATH\"])'"
    outer = _ws("python", "-c", 'import os; print(os.environ["AMENT_PREFIX_PATH"])')
    nested = _ws("sh", "-c", f"AMENT_PREFIX_PATH=$AMENT_PREFIX_PATH:/x {inner}")
    assert nested.stdout.strip() == outer.stdout.strip() + ":/x"
