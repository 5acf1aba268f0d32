"""The guard's process: two kinds of sockets, one clock, one loop. No ROS.

The loop waits for a frame, a datagram or the timer of the rounds (rounds.py), whichever is first.
"""

import select
import sys
import time
from collections.abc import Callable
from pathlib import Path

from vdsim_protocol.data_limit import DataLimit

from vdsim_interface.guard import realtime
from vdsim_interface.guard.guard import Guard
from vdsim_interface.guard.local_socket import Connection, Listener
from vdsim_interface.guard.rounds import GuardRounds
from vdsim_interface.guard.tape import on_tape
from vdsim_interface.platforms.endpoints import Endpoints
from vdsim_interface.platforms.wire import Datagram, Endpoint
from vdsim_interface.values.notice_log import NoticeLog

PROGRAM = "vehicle_guard"
_NO_FILE = -1
_MOST_FRAMES = 64
"""So many frames between two looks at the clock: a flood must not delay the tick."""
_MEMORY_CHECK_S = 0.5
NO_ENDPOINTS = Endpoints(())


def say(line: str) -> None:
    """Print a line for people; a reader that has ended must not end the guard."""
    try:
        print(f"{PROGRAM}: {line}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        return


class StderrLog:
    """The logger of the notices that no shell publishes."""

    def error(self, text: str) -> None:
        """Print an error."""
        say(f"error: {text}")

    def warning(self, text: str) -> None:
        """Print a warning."""
        say(f"warning: {text}")

    def info(self, text: str) -> None:
        """Print a fact."""
        say(text)


class VehicleSockets:
    """The vehicle's sockets. `files`: their descriptors, to wait for."""

    def __init__(self) -> None:
        self.sockets = NO_ENDPOINTS
        self.files: tuple[int, ...] = ()

    def open(self, endpoints: tuple[Endpoint, ...]) -> None:
        """Open all, or raise and leave none open."""
        self.close()
        self.sockets = Endpoints(endpoints)
        self.files = tuple(self.sockets.filenos())
        for name, (host, port) in self.sockets.bound().items():
            say(f"{name}: listening on UDP {host}:{port}")

    def send(self, datagrams: tuple[Datagram, ...]) -> None:
        """Send to the vehicle."""
        if datagrams:
            self.sockets.send(datagrams)

    def close(self) -> None:
        """Close all."""
        self.sockets.close()
        self.sockets, self.files = NO_ENDPOINTS, ()

    def counts(self) -> dict[str, float]:
        """How often sending or receiving failed."""
        return dict(self.sockets.counts())


class Waiting:
    """Waits for several files at once. They rarely change, so they are registered only then."""

    def __init__(self) -> None:
        self._files: tuple[int, ...] = ()
        self._poll = select.poll()

    def wait(self, files: tuple[int, ...], timeout_s: float) -> dict[int, int]:
        """Wait until one can be read, or has ended, or for the time-out; return those, as keys."""
        if files != self._files:
            self._files, self._poll = files, select.poll()
            for file in files:
                self._poll.register(file, select.POLLIN)
        return dict(self._poll.poll(timeout_s * 1e3))


class GuardProcess:
    """Runs a Guard until `is_ended` returns True; then the last, safe command leaves."""

    def __init__(
        self,
        path: Path,
        clock: Callable[[], float] = time.monotonic,
        waiting: Waiting | None = None,
        limit: DataLimit | None = None,
    ) -> None:
        """`limit`: of the memory of this process, which it watches; None: there is none."""
        self._now = clock
        self._listener = Listener(path)
        self._shell: Connection | None = None
        self._shell_file = _NO_FILE
        self._vehicle = VehicleSockets()
        self._guard = on_tape(Guard(self._vehicle))
        self._log = NoticeLog(StderrLog())
        self._worked_s = self._now()
        self._rounds = GuardRounds(self._guard, self._vehicle.send, self._worked_s)
        self._scheduling = (False, 0)
        self._waiting = Waiting() if waiting is None else waiting
        self._limit, self._memory_s = limit, self._now()

    def run(self, is_ended: Callable[[], bool]) -> None:
        """Loop; a signal interrupts the wait, within a period at the latest."""
        try:
            while not is_ended():
                self._work(self._wait())
        finally:
            self._end()

    # ---- one round -------------------------------------------------------------------------------

    def _wait(self) -> dict[int, int]:
        """Wait for a frame, a datagram, a shell or the timer; return the files to read."""
        files = (self._listener.fileno(), *self._vehicle.files, self._shell_file)
        if self._shell is None:
            files = files[:-1]
        return self._waiting.wait(files, max(0.0, self._rounds.wake_s - self._now()))

    def _work(self, ready: dict[int, int]) -> None:
        now = self._now()
        self._guard.begin_round(now)
        # A socket that the wait found empty is not read: the attempt would delay the frame. It is
        # read if this process did not run since: what came meanwhile must not look like new.
        reads_all = now - self._worked_s > self._guard.period_s
        self._worked_s = now
        sockets = self._vehicle.sockets
        if reads_all or sockets.is_walled or not ready.keys().isdisjoint(self._vehicle.files):
            for data, source, endpoint in sockets.drain(now):
                self._guard.on_datagram(data, source, endpoint, now)
            self._log.write(sockets.take_notices(), now)
        if reads_all or self._shell_file in ready:
            now = self._receive_frames(now)
        if self._guard.is_active and not self._rounds.was_active:
            self._use_scheduling()
        self._rounds.finish(now)
        self._send_frames()
        if reads_all or self._listener.fileno() in ready:
            self._accept()
        if self._limit is not None and now - self._memory_s >= _MEMORY_CHECK_S:
            self._memory_s = now
            self._watch_memory(self._limit)

    def _watch_memory(self, limit: DataLimit) -> None:
        """End autonomy while there is memory for it; refuse it until there is enough again."""
        was_low = limit.is_low
        why = limit.update()
        if limit.is_low is not was_low:
            say(why or "memory is free again")
            self._guard.on_memory(why)

    def _use_scheduling(self) -> None:
        """Ask once for what the parameters want; a refusal is one line."""
        wanted = self._guard.scheduling
        if wanted == self._scheduling:
            return
        self._scheduling = lock_memory, priority = wanted
        refusals = [realtime.lock_memory() if lock_memory else "", realtime.use_fifo(priority)]
        for refusal in filter(None, refusals):
            say(refusal)

    def _receive_frames(self, now: float) -> float:
        """Process the shell's frames; one that leads the ticks causes one at once.

        Returns the time of the latest: a tick after that one must not be earlier.
        """
        shell = self._shell
        if shell is None:
            return now
        for _ in range(_MOST_FRAMES):
            data = shell.receive()
            if data is None:
                break
            now = max(now, self._now())  # it may have been sent after `now` was read
            self._rounds.on_frame(data, now)
        self._forget_ended_shell()
        return now

    def _forget_ended_shell(self) -> None:
        """A shell that ends is noticed by a frame that it does not send, or does not take."""
        if self._shell is not None and not self._shell.is_open:
            self._shell, self._shell_file = None, _NO_FILE
            self._guard.disconnect()
            say("the ROS shell has ended; the guard holds the car")

    def _send_frames(self) -> None:
        if self._shell is not None:
            for data in self._guard.take_frames(self._now()):
                self._shell.send(data)
            self._forget_ended_shell()
        if self._shell is None or not self._guard.is_active:
            self._log.write(self._guard.take_notices(), self._now())

    def _accept(self) -> None:
        """A second shell is refused, unless the first does not send any more."""
        connection = self._listener.accept()
        if connection is None:
            return
        if self._shell is not None:
            if not self._guard.shell_is_silent(self._now()):
                say("a second ROS shell was refused")
                connection.close()
                return
            self._shell.close()
            self._guard.disconnect()
        self._shell, self._shell_file = connection, connection.fileno()
        self._guard.connect()

    def _end(self) -> None:
        """The last datagrams carry the safe command, also where memory has run out."""
        if self._limit is not None:
            self._limit.lift()
        now = self._now()
        try:
            self._vehicle.send(self._guard.stop(now))
            self._send_frames()
        finally:
            self._vehicle.close()
            self._listener.close()
            if self._shell is not None:
                self._shell.close()
