"""`ros2 launch` as a user runs it: in a session of its own, its output and its processes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import signal
import subprocess
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from vdsim_kit.warm_launch import launch_warm

PATIENCE_S = 180.0
_LAST_LINES = 30
_running: list[Launched] = []
_STARTED = re.compile(r"\[(?P<name>[\w.]+)-\d+\]: process started with pid \[(?P<pid>\d+)\]")


def _take_terminal() -> None:
    """Make stdin the terminal that controls this session: closing it sends SIGHUP."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Launched:
    """A launch; `has_terminal` gives it a terminal, which the test can close."""

    def __init__(
        self,
        folder: Path,
        file: str,
        *,
        package: str = "vdsim_interface",
        has_terminal: bool = False,
        more_environment: Mapping[str, str] | None = None,
        **arguments: object,
    ) -> None:
        self._log = folder / f"{file}.txt"
        words = [f"{name}:={value}" for name, value in arguments.items()]
        own = {"ROS_LOG_DIR": str(folder), "PYTHONUNBUFFERED": "1"}
        environment = {**os.environ, **own, **(more_environment or {})}
        self._terminal: int | None = None
        with self._log.open("wb") as log, contextlib.ExitStack() as opened:
            end: int | None = None
            if has_terminal:
                self._terminal, end = pty.openpty()
                opened.callback(os.close, end)
            self.process = subprocess.Popen(
                ["ros2", "launch", package, f"{file}.launch.py", *words],
                stdin=end if has_terminal else subprocess.DEVNULL,
                stdout=end if has_terminal else log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_take_terminal if has_terminal else None,
                env=environment,
            )
        self._shown = b""
        self._file = file
        _running.append(self)

    @property
    def output(self) -> str:
        """What the launch has written so far."""
        if self._terminal is None:
            return self._log.read_text(encoding="utf-8", errors="replace")
        os.set_blocking(self._terminal, False)
        with contextlib.suppress(BlockingIOError, OSError):
            while data := os.read(self._terminal, 65536):
                self._shown += data
        return self._shown.decode(errors="replace")

    def pids(self) -> dict[str, list[int]]:
        """The process ids by the name of the process, in the order of their start."""
        found: dict[str, list[int]] = {}
        for match in _STARTED.finditer(self.output):
            found.setdefault(match["name"], []).append(int(match["pid"]))
        return found

    def wait(self, until: Callable[[], bool], what: str) -> None:
        """Wait until something is true while the launch runs."""
        deadline = time.monotonic() + PATIENCE_S
        while not until():
            assert self.process.poll() is None, f"ended before {what}: {self.output}"
            assert time.monotonic() < deadline, f"not {what}: {self.output}"
            time.sleep(0.05)

    def close_terminal(self) -> None:
        """Close the terminal, as a window or a dropped connection does."""
        assert self._terminal is not None
        self.output  # noqa: B018  what was written before
        os.close(self._terminal)
        self._terminal = None

    def describe(self) -> str:
        """Return whether it runs, and its last lines."""
        code = self.process.poll()
        state = "runs" if code is None else f"has ended with {code}"
        return "\n".join([f"{self._file} {state}:", *self.output.splitlines()[-_LAST_LINES:]])

    def end(self) -> int:
        """Send Ctrl-C to the whole group, as a terminal does; return the exit code."""
        if self in _running:
            _running.remove(self)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        try:
            return self.process.wait(PATIENCE_S)
        finally:
            if self._terminal is not None:
                os.close(self._terminal)
                self._terminal = None


def describe_running() -> str:
    """Return what the launches of this process say, for the text of a failure."""
    return "\n".join(launch.describe() for launch in _running)


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def launch_briefly(
    file: str, *words: str, package: str = "vdsim_interface"
) -> subprocess.CompletedProcess[str]:
    """Run a launch that ends by itself."""
    return launch_warm([package, f"{file}.launch.py", *words], PATIENCE_S)
