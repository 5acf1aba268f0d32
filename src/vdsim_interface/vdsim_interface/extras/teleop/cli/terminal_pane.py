"""Run a command in a terminal that another program opens: `OPENER ... -- COMMAND ...`.

A pane of tmux, or a window of a terminal server, is no child of whoever opens it: it has the
environment of the server, and nobody sees how it ends. So a second process of this file runs in the
terminal. It gets environment and command through a file and reports through a pipe:

    launch ── this program ── OPENER
                   ▲ pipe        ┊
                   └──── the same file, --inside FOLDER ── COMMAND

The first one lives as long as the command, passes signals on, shows what the command wrote to
stderr, and ends with its exit code. The part inside uses the standard library alone.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

_OPEN_WITHIN_S = 20.0
_POLL_S = 0.1
_SHOWN_BYTES = 20_000
_ORDER, _PIPE, _STDERR = "order.json", "pipe", "stderr"
_OF_THE_TERMINAL = ("TERM", "TMUX", "TMUX_PANE", "COLORTERM", "WINDOWID", "COLUMNS", "LINES")
USER_ERROR_EXIT = 2
LOST_EXIT = 1


class _Signals:
    """Notes the signals that end a program."""

    def __init__(self) -> None:
        self.received: list[int] = []
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.received.append(number)


# ---- in the terminal -----------------------------------------------------------------------------


def inside(folder: Path) -> int:
    """Run the ordered command; report its process, and its exit code at the end."""
    signals = _Signals()
    order = json.loads((folder / _ORDER).read_text(encoding="utf-8"))
    kept = {name: os.environ[name] for name in _OF_THE_TERMINAL if name in os.environ}
    pipe = os.open(folder / _PIPE, os.O_WRONLY)
    # Before the command, which may kill this process: an end without a report is no open terminal.
    _report(pipe, os.getpid())
    with (folder / _STDERR).open("wb") as stderr:
        process = subprocess.Popen(
            order["command"],
            env={**order["environment"], **kept},
            cwd=order["folder"],
            stderr=stderr,
        )
    is_alone = False
    while True:
        try:
            code = process.wait(_POLL_S)
            break
        except subprocess.TimeoutExpired:
            while signals.received:
                process.send_signal(signals.received.pop(0))
            if not is_alone and _is_broken(pipe):
                is_alone = True
                process.terminate()
    _report(pipe, code)
    return code


def _is_broken(pipe: int) -> bool:
    """Whether the program that opened the terminal is gone, with the launch that runs it."""
    poll = select.poll()
    poll.register(pipe, 0)
    return any(events & select.POLLERR for _, events in poll.poll(0))


def _report(pipe: int, value: int) -> None:
    # The other end may be gone: then nobody waits for the value.
    try:
        os.write(pipe, f"{value}\n".encode())
    except BrokenPipeError:
        return


# ---- beside it -----------------------------------------------------------------------------------


def beside(opener: Sequence[str], command: Sequence[str]) -> int:
    """Open the terminal, wait for the command, return its exit code."""
    signals = _Signals()
    with tempfile.TemporaryDirectory(prefix="vdsim_terminal_") as name:
        folder = Path(name)
        order = {
            "command": list(command),
            "environment": dict(os.environ),
            "folder": str(Path.cwd()),
        }
        (folder / _ORDER).write_text(json.dumps(order), encoding="utf-8")
        os.mkfifo(folder / _PIPE)
        pipe = os.open(folder / _PIPE, os.O_RDONLY | os.O_NONBLOCK)
        try:
            # -I: the folder of this file must not be on the module path.
            again = [sys.executable, "-I", str(Path(__file__).resolve()), "--inside", name]
            opened = subprocess.Popen([*opener, *again])
            return _Watch(pipe, signals, opened, opener[0], folder / _STDERR).run()
        except OSError as error:
            return _fail(f"{opener[0]}: {error.strerror}")
        finally:
            os.close(pipe)


class _Watch:
    """Follows the command in its terminal through the pipe."""

    def __init__(
        self,
        pipe: int,
        signals: _Signals,
        opened: subprocess.Popen[bytes],
        opener: str,
        stderr: Path,
    ) -> None:
        self._pipe, self._signals, self._opened = pipe, signals, opened
        self._opener, self._stderr = opener, stderr
        self._values: list[int] = []
        self._rest = b""

    def run(self) -> int:
        """Wait until the command has ended; return its exit code."""
        start_s = time.monotonic()
        while not self._values:
            if self._opened.poll() not in (None, 0):
                return _fail(f"{self._opener}: exit code {self._opened.returncode}")
            if self._signals.received or time.monotonic() - start_s > _OPEN_WITHIN_S:
                return _fail("no terminal was opened")
            self._read()
        is_open = True
        while is_open and len(self._values) < 2:
            while self._signals.received:
                self._pass_on(self._signals.received.pop(0))
            is_open = self._read()
        return self._end()

    def _read(self) -> bool:
        """Take what has arrived; False once nobody holds the other end any more."""
        select.select([self._pipe], [], [], _POLL_S)
        try:
            data = os.read(self._pipe, 4096)
        except BlockingIOError:
            return True
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._values += [int(line) for line in lines]
        if not data:
            time.sleep(_POLL_S)  # a pipe without a writer is always readable
        return bool(data)

    def _pass_on(self, number: int) -> None:
        try:
            os.kill(self._values[0], number)
        except ProcessLookupError:
            return

    def _end(self) -> int:
        if len(self._values) < 2:
            return _fail("the terminal was closed", LOST_EXIT)
        code = self._values[1]
        if code != 0 and self._stderr.exists():
            sys.stderr.buffer.write(self._stderr.read_bytes()[-_SHOWN_BYTES:])
            sys.stderr.flush()
        return code if code >= 0 else LOST_EXIT


def _fail(why: str, code: int = USER_ERROR_EXIT) -> int:
    print(f"terminal: {why}", file=sys.stderr, flush=True)
    return code


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["--inside"]:
        return inside(Path(given[1]))
    split = given.index("--")
    return beside(given[:split], given[split + 1 :])


if __name__ == "__main__":
    sys.exit(main())
