"""A process ends with the launch that started it, and with nothing else. Real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from vdsim_protocol.launch_watch import VARIABLE, wait_for_end

from vdsim_protocol import launch_watch

PATIENCE_S = 60.0
# Starts the program in its arguments, names its id, and lives until it is killed.
LAUNCH = """
import os, subprocess, sys, time
from vdsim_protocol.launch_watch import mark
program = subprocess.Popen(
    [sys.executable, "-u", "-c", *sys.argv[1:]], env={**os.environ, **mark()},
    stdout=subprocess.PIPE if "piped" in sys.argv else None,
)
print(program.pid, flush=True)
time.sleep(600)
"""
# As a program of ours: handlers first, then the watch; its last act is a file with its exit code.
PROGRAM = """
import os, pathlib, signal, sys, time
from vdsim_protocol.launch_watch import VARIABLE, end_with_launch
end = []
signal.signal(signal.SIGTERM, lambda *_: end.append("SIGTERM"))
end_with_launch(float(sys.argv[2]))
assert VARIABLE not in os.environ, "the programs that it starts do not end with the launch"
folder = pathlib.Path(sys.argv[1])
(folder / "ready").touch()
while not end or "stubborn" in sys.argv:
    time.sleep(0.01)
print("the last words", flush=True)
(folder / "ended").write_text(end[0])
"""


class Family:
    """A launch and its program."""

    def __init__(self, folder: Path, *options: str, patience_s: float = 60.0) -> None:
        self.folder = folder
        self.launch = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, PROGRAM, str(folder), str(patience_s), *options],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.launch.stdout is not None
        self.program = int(self.launch.stdout.readline())
        self.identity = launch_watch.identity(self.program)
        wait_until((folder / "ready").exists)

    def program_runs(self) -> bool:
        return launch_watch._runs(self.identity)

    def close(self) -> None:
        if self.program_runs():
            os.kill(self.program, signal.SIGKILL)
        with self.launch:
            self.launch.kill()


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def families() -> Iterator[list[Family]]:
    made: list[Family] = []
    yield made
    for family in made:
        family.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("options", [(), ("piped",)], ids=["own output", "output to the launch"])
def test_a_program_ends_in_order_when_its_launch_has_gone(
    number: int, options: tuple[str, ...], tmp_path: Path, families: list[Family]
) -> None:
    family = Family(tmp_path, *options)
    families.append(family)
    family.launch.send_signal(number)
    family.launch.wait()
    wait_until(lambda: not family.program_runs())
    assert (tmp_path / "ended").read_text() == "SIGTERM"


def test_a_program_that_does_not_end_in_time_is_killed(
    tmp_path: Path, families: list[Family]
) -> None:
    family = Family(tmp_path, "stubborn", patience_s=0.1)
    families.append(family)
    family.launch.kill()
    wait_until(lambda: not family.program_runs())
    assert not (tmp_path / "ended").exists()


# A launch that has gone before, a number that another process has got since, and three that say
# nothing about this process: of another PID namespace, none, and an empty one.
_HERE = launch_watch.identity(os.getpid())
_NUMBER, _START, _NAMESPACE = _HERE.split(":")


@pytest.mark.parametrize(
    ("value", "ends"),
    [
        (f"4194305:{_START}:{_NAMESPACE}", True),
        (f"{_NUMBER}:{int(_START) - 1}:{_NAMESPACE}", True),
        (f"4194305:{_START}:1", False),
        (None, False),
        ("", False),
    ],
    ids=["gone before", "another process", "another namespace", "by hand", "empty"],
)
def test_a_program_that_starts_late_or_by_hand(
    value: str | None, ends: bool, tmp_path: Path
) -> None:
    environment = {k: v for k, v in os.environ.items() if k != VARIABLE}
    if value is not None:
        environment[VARIABLE] = value
    command = [sys.executable, "-c", PROGRAM, str(tmp_path), "60"]
    program = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        if not ends:
            wait_until((tmp_path / "ready").exists)
            threads = list(Path(f"/proc/{program.pid}/task").iterdir())
            assert len(threads) == 1, "nothing waits"
            program.send_signal(signal.SIGTERM)
        output, _ = program.communicate(timeout=PATIENCE_S)
    finally:
        program.kill()
        program.wait()
    assert program.returncode == 0
    assert output == "the last words\n"


def refused(pid: int) -> int:
    """What a sandbox does that knows no descriptors of processes."""
    raise PermissionError(1, "Operation not permitted")


@pytest.mark.parametrize("open_process", [None, refused], ids=["old Python", "sandbox"])
def test_the_end_is_seen_without_descriptors_of_processes(
    open_process: Callable[[int], int] | None,
) -> None:
    sleeper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    identity = launch_watch.identity(sleeper.pid)
    assert identity
    sleeper.kill()
    # Not yet asked for by its parent: a zombie, as in a container without an init.
    wait_for_end(identity, open_process)
    sleeper.communicate()
    wait_for_end(identity, open_process)
