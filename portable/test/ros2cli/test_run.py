"""`ros2 run` with a package made for the test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ros2cli.run import command_line

RunRos2 = Callable[..., subprocess.CompletedProcess[str]]
StartRos2 = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def prefix(tmp_path: Path) -> str:
    """Make a package `tools` whose program `speak` prints its arguments and ends with 7."""
    root = tmp_path / "a prefix"
    marker = root / "share" / "ament_index" / "resource_index" / "packages" / "tools"
    marker.parent.mkdir(parents=True)
    marker.touch()
    program = root / "lib" / "tools" / "speak"
    program.parent.mkdir(parents=True)
    program.write_text(
        '#!/bin/sh\nif [ "$1" = wait ]; then echo waiting; exec sleep 60; fi\n'
        'printf "%s|" "$@"\nexit 7\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    return os.pathsep.join([str(root), os.environ["AMENT_PREFIX_PATH"]])


def test_arguments_and_exit_code_are_the_programs(ros2: RunRos2, prefix: str) -> None:
    done = ros2("run", "tools", "speak", "a b", "--help", "-x", AMENT_PREFIX_PATH=prefix)
    assert (done.returncode, done.stdout) == (7, "a b|--help|-x|")


def test_interrupt_reaches_the_program(start_ros2: StartRos2, prefix: str) -> None:
    process = start_ros2("run", "tools", "speak", "wait", AMENT_PREFIX_PATH=prefix)
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60.0) == -signal.SIGINT


def test_executables_are_listed(ros2: RunRos2, prefix: str) -> None:
    done = ros2("pkg", "executables", "tools", AMENT_PREFIX_PATH=prefix)
    assert done.stdout == "tools speak\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing", "speak"), "Package 'nothing' not found\n"),
        (("tools", "fly"), "No executable found: 'fly' in package 'tools'\n"),
        (
            ("tools", "speek"),
            "No executable found: 'speek' in package 'tools'; did you mean speak?\n",
        ),
        (("--prefix", "no-such-tool -x", "tools", "speak"), "Could not run 'no-such-tool': "),
    ],
)
def test_what_cannot_be_run_is_one_line(
    ros2: RunRos2, prefix: str, arguments: tuple[str, ...], message: str
) -> None:
    done = ros2("run", *arguments, AMENT_PREFIX_PATH=prefix)
    assert done.returncode == 1
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1


def test_prefix_words_come_first() -> None:
    assert command_line(Path("/p/exe"), ["-a"], "gdb -ex 'run now' --args") == (
        ["gdb", "-ex", "run now", "--args", "/p/exe", "-a"]
    )
    assert command_line(Path("/p/exe"), [], None) == ["/p/exe"]
    assert sys.executable not in command_line(Path("/p/exe"), [], None)
