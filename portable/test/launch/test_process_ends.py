"""However a launch ends, nothing of it is left. Processes are real; their ids are checked."""

from __future__ import annotations

import itertools
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from launch._child_process import has_living_member
from launch.actions import ExecuteProcess, RegisterEventHandler, Shutdown
from launch.event_handlers import OnProcessIO

STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)  # the kernel ends it, however slow Python is
for name in sys.argv[1:]:
    signal.signal(getattr(signal, name), lambda *_: os.write(1, b"ignored\\n"))
os.write(1, b"up\\n")
while True:
    time.sleep(0.05)
"""


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def wait_until(predicate: Any, timeout_s: float = 60.0) -> bool:
    deadline = time.monotonic() + timeout_s
    while not predicate():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def end_when_up() -> RegisterEventHandler:
    """End the launch when a process says that it is up."""
    return RegisterEventHandler(
        OnProcessIO(on_stdout=lambda event: Shutdown() if b"up" in event.text else None)
    )


def stubborn(*ignored: str, **options: Any) -> ExecuteProcess:
    cmd = [sys.executable, "-c", STUBBORN, *ignored]
    return ExecuteProcess(cmd=cmd, name="stubborn", output="screen", **options)


@pytest.mark.parametrize(
    ("ignored", "code", "signals"),
    [
        ([], -2, ["SIGINT"]),
        (["SIGINT"], -15, ["SIGINT", "SIGTERM"]),
        (["SIGINT", "SIGTERM"], -9, ["SIGINT", "SIGTERM", "SIGKILL"]),
    ],
)
def test_escalation(run_launch: Any, ignored: list[str], code: int, signals: list[str]) -> None:
    process = stubborn(*ignored, sigterm_timeout="0.5", sigkill_timeout="0.5")
    outcome = run_launch(end_when_up(), process)
    assert process.return_code == code
    sent = [line.split("'")[1] for line in outcome.lines if "sending signal" in line]
    assert sent == signals
    for earlier, later in itertools.pairwise(signals):
        assert outcome.printed(f"after receiving '{earlier}', escalating to '{later}'")
    assert not is_alive(process.process_details["pid"])  # type: ignore[index]


def test_timeouts_come_from_launch_configurations(run_launch: Any) -> None:
    process = stubborn("SIGINT", "SIGTERM")
    outcome = run_launch(
        end_when_up(),
        process,
        sigterm_timeout="0.2",
        sigkill_timeout="0.3",
    )
    assert process.return_code == -9
    assert outcome.printed("failed to terminate '0.2' seconds after receiving 'SIGINT'")
    assert outcome.printed("failed to terminate '0.3' seconds after receiving 'SIGTERM'")


def test_children_of_a_process_end_with_it(run_launch: Any, tmp_path: Path) -> None:
    """A shell's background child ignores SIGINT, which is how orphans are usually made."""
    pid_file = tmp_path / "pid"
    process = ExecuteProcess(cmd=["sh", "-c", f"sleep 1000 & echo $! > {pid_file}; echo up; wait"])
    run_launch(end_when_up(), process)
    child = int(pid_file.read_text())
    assert wait_until(lambda: not is_alive(child))
    assert not has_living_member(process.process_details["pid"])  # type: ignore[index]


def test_children_that_a_process_leaves_behind_end_too(run_launch: Any, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    start = time.monotonic()
    run_launch(ExecuteProcess(cmd=["sh", "-c", f"sleep 1000 & echo $! > {pid_file}"]))
    child = int(pid_file.read_text())
    assert wait_until(lambda: not is_alive(child))
    assert time.monotonic() - start < 60.0


def test_output_held_open_by_a_daemon_does_not_hold_the_launch(
    run_launch: Any, tmp_path: Path
) -> None:
    """A process that left the group on purpose lives on, and the launch ends all the same."""
    pid_file = tmp_path / "pid"
    daemon = "import os; os.setsid(); os.execvp('sleep', ['sleep', '1000'])"
    code = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-c', {daemon!r}])\n"
        f"open({str(pid_file)!r}, 'w').write(str(child.pid))\n"
        "import time; time.sleep(1.0)"
    )
    start = time.monotonic()
    outcome = run_launch(ExecuteProcess(cmd=[sys.executable, "-c", code]))
    pid = int(pid_file.read_text())
    try:
        assert outcome.code == 0
        assert is_alive(pid)
        assert time.monotonic() - start < 60.0
    finally:
        os.kill(pid, 9)


def test_no_descriptor_is_left_open(run_launch: Any) -> None:
    run_launch(ExecuteProcess(cmd=["true"]))
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        run_launch(ExecuteProcess(cmd=["true"]), ExecuteProcess(cmd=["true"], emulate_tty=True))
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
