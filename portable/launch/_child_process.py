"""One running process in its own group; its output and its exit are handled on the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import pty
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

_READ_SIZE = 65536
_DRAIN_S = 0.5


@dataclass(frozen=True)
class Command:
    """What to run and how."""

    cmd: list[str]
    cwd: str | None
    env: Mapping[str, str]
    shell: bool = False
    emulate_tty: bool = False


class ChildProcess:
    """A process that leads its own session, so that a signal reaches everything it started.

    A thread waits for it, not asyncio's child watcher, so that a launch can run in any thread.
    """

    def __init__(self, command: Command, on_output: Callable[[int, bytes], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_output = on_output
        self._open_streams: dict[int, int] = {}
        self._drained = asyncio.Event()
        self._exited: asyncio.Future[int] = self._loop.create_future()
        self._popen = self._start(command)
        threading.Thread(target=self._wait_in_thread, daemon=True).start()

    @property
    def pid(self) -> int:
        """Return the process id, which is also the id of the group."""
        return self._popen.pid

    @property
    def has_ended(self) -> bool:
        """Return whether the process has ended."""
        return self._exited.done()

    def _start(self, command: Command) -> subprocess.Popen[bytes]:
        make = pty.openpty if command.emulate_tty else os.pipe
        out_read, out_write = make()
        err_read, err_write = make()
        try:
            popen = subprocess.Popen(
                " ".join(command.cmd) if command.shell else command.cmd,
                shell=command.shell,
                cwd=command.cwd,
                env=dict(command.env),
                stdin=subprocess.PIPE,
                stdout=out_write,
                stderr=err_write,
                start_new_session=True,
            )
        except OSError:
            os.close(out_read)
            os.close(err_read)
            raise
        finally:
            os.close(out_write)
            os.close(err_write)
        for stream, descriptor in ((1, out_read), (2, err_read)):
            os.set_blocking(descriptor, False)
            self._open_streams[stream] = descriptor
            self._loop.add_reader(descriptor, self._read, stream, descriptor)
        return popen

    def _read(self, stream: int, descriptor: int) -> None:
        try:
            data = os.read(descriptor, _READ_SIZE)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != errno.EIO:  # a closed pseudo terminal gives EIO
                raise
            data = b""
        if data:
            self._on_output(stream, data)
        else:
            self._close(stream)

    def _close(self, stream: int) -> None:
        descriptor = self._open_streams.pop(stream)
        self._loop.remove_reader(descriptor)
        os.close(descriptor)
        if not self._open_streams:
            self._drained.set()

    def _wait_in_thread(self) -> None:
        code = self._popen.wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed already
            self._loop.call_soon_threadsafe(self._note_exit, code)

    def _note_exit(self, code: int) -> None:
        if not self._exited.done():
            self._exited.set_result(code)

    async def wait_for_exit(self, timeout_s: float | None = None) -> bool:
        """Return whether the process has ended within ``timeout_s``."""
        done, _ = await asyncio.wait({self._exited}, timeout=timeout_s)
        return bool(done)

    def send_signal(self, number: signal.Signals) -> bool:
        """Signal the whole group; return whether it has a process."""
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return False
        except PermissionError:  # a member runs as another user; the leader does not
            self._popen.send_signal(number)
        return True

    async def finish(self, patience_s: float) -> int:
        """Wait for the exit, end the rest of the group, read the last output.

        Return the exit code.
        """
        code = await asyncio.shield(self._exited)
        await self._end_group(patience_s)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._drained.wait(), _DRAIN_S)
        for stream in list(self._open_streams):  # a process outside the group holds it open
            self._close(stream)
        if self._popen.stdin is not None:
            self._popen.stdin.close()
        return code

    async def _end_group(self, patience_s: float) -> None:
        if not self.send_signal(signal.SIGTERM):
            return
        deadline = self._loop.time() + patience_s
        while has_living_member(self.pid) and self._loop.time() < deadline:
            await asyncio.sleep(0.02)
        self.send_signal(signal.SIGKILL)


_ZOMBIE_STATES = ("Z", "X")


def has_living_member(group: int) -> bool:
    """Return whether a process of the group lives.

    A zombie does not: it has exited, but stays listed where no process reaps it (a container).
    """
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return any(_lives_in(stat, group) for stat in Path("/proc").glob("[0-9]*/stat"))


def _lives_in(stat: Path, group: int) -> bool:
    try:
        # pid (name, with any characters) state parent group ...
        state, _, process_group = stat.read_text().rpartition(")")[2].split()[:3]
    except (OSError, ValueError):
        return False
    return int(process_group) == group and state not in _ZOMBIE_STATES
