"""The command in a terminal that is no child: its environment, its exit code, its output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# As a server of terminals: returns at once, and what it starts has an environment of its own.
SERVER = ("env", "-i", "PATH=/usr/bin:/bin", "setsid", "--fork")
PROGRAM = (sys.executable, "-m", "vdsim_interface.extras.teleop.cli.terminal_pane")


def started(*command: str, opener: tuple[str, ...] = SERVER) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, *opener, "--", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "VDSIM_WORD": "a b"},
    )


def ended(*command: str, opener: tuple[str, ...] = SERVER) -> tuple[int, str]:
    process = started(*command, opener=opener)
    _, stderr = process.communicate(timeout=60.0)
    return process.returncode, stderr


def test_the_command_has_the_environment_and_the_folder_of_its_launch(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    code, stderr = ended("sh", "-c", f'echo "$VDSIM_WORD|$PWD" > {seen}')
    assert (code, stderr) == (0, "")
    assert seen.read_text() == f"a b|{Path.cwd()}\n"


@pytest.mark.parametrize(
    ("command", "code", "lines"),
    [
        ("echo broken >&2; exit 3", 3, ["broken"]),
        ("echo note >&2", 0, []),
        ("echo late >&2; sleep 1.3; exit 2", 2, ["late"]),
        ("kill -KILL $$", 1, []),
    ],
)
def test_a_command_that_fails_is_an_error_with_its_output(
    command: str, code: int, lines: list[str]
) -> None:
    assert ended("sh", "-c", command) == (code, "".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize(
    ("opener", "line"),
    [
        (("false",), "terminal: false: exit code 1\n"),
        (("/no/such/terminal",), "terminal: /no/such/terminal: No such file or directory\n"),
    ],
)
def test_a_terminal_that_does_not_open_is_named(opener: tuple[str, ...], line: str) -> None:
    assert ended("true", opener=opener) == (2, line)


def wait_for(path: Path) -> str:
    deadline = time.monotonic() + 60.0
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < deadline, f"no {path}"
        time.sleep(0.02)
    return path.read_text().strip()


TRAPS = "trap 'echo stopped >> {0}; exit 0' TERM INT; echo $$ > {0}; while :; do sleep 0.1; done"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_end_of_the_launch_is_that_of_the_command(
    number: signal.Signals, tmp_path: Path
) -> None:
    """Of a launch that is killed too: the command must not run on alone."""
    seen = tmp_path / "seen"
    process = started("bash", "-c", TRAPS.format(seen))
    wait_for(seen)
    process.send_signal(number)
    process.communicate(timeout=60.0)
    deadline = time.monotonic() + 60.0
    while "stopped" not in seen.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_terminal_that_is_killed_is_noticed(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    # What the command has started keeps stderr open: it ends well before the limit below.
    process = started("sh", "-c", f"echo $PPID > {seen}; sleep 10 & wait")
    os.kill(int(wait_for(seen)), signal.SIGKILL)
    _, stderr = process.communicate(timeout=60.0)
    assert (process.returncode, stderr) == (1, "terminal: the terminal was closed\n")
