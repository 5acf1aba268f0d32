"""The guard's process: two kinds of sockets, one clock, one loop. No ROS.

The loop waits for a frame, a datagram or the next period, whichever is first. A Front of the shell
leads the ticks while it comes at the guard's rate; the clock ticks for each that is missing.
"""

import select
import sys
import time
from collections.abc import Callable
from pathlib import Path

from vdsim_interface.guard import realtime
from vdsim_interface.guard.guard import Guard
from vdsim_interface.guard.local_socket import Connection, Listener
from vdsim_interface.pipeline.tick_schedule import POLLS_PER_PERIOD, TickSchedule
from vdsim_interface.platforms.spec import Datagram, Endpoint
from vdsim_interface.ros.notice_log import NoticeLog
from vdsim_interface.ros.udp_endpoints import UdpEndpoints

PROGRAM = "vehicle_guard"
_MOST_FRAMES = 64
"""So many frames between two looks at the clock: a flood must not delay the tick."""
_IDLE_S = 0.1
NO_ENDPOINTS = UdpEndpoints(())


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
    """The vehicle's sockets; `changed` runs after each opening and closing."""

    def __init__(self) -> None:
        self.sockets = NO_ENDPOINTS

    def open(self, endpoints: tuple[Endpoint, ...]) -> None:
        """Open all, or raise and leave none open."""
        self.close()
        self.sockets = UdpEndpoints(endpoints)
        for name, (host, port) in self.sockets.bound().items():
            say(f"{name}: listening on UDP {host}:{port}")

    def send(self, datagrams: tuple[Datagram, ...]) -> None:
        """Send to the vehicle."""
        if datagrams:
            self.sockets.send(datagrams)

    def close(self) -> None:
        """Close all."""
        self.sockets.close()
        self.sockets = NO_ENDPOINTS

    def counts(self) -> dict[str, float]:
        """How often sending or receiving failed."""
        return dict(self.sockets.counts())


class Waiting:
    """Waits for several files at once. They rarely change, so they are registered only then."""

    def __init__(self) -> None:
        self._files: tuple[int, ...] = ()
        self._poll = select.poll()

    def wait(self, files: tuple[int, ...], timeout_s: float) -> frozenset[int]:
        """Wait until one can be read, or has ended, or for the time-out; return those that can."""
        if files != self._files:
            self._files, self._poll = files, select.poll()
            for file in files:
                self._poll.register(file, select.POLLIN)
        return frozenset(file for file, _ in self._poll.poll(timeout_s * 1e3))


class GuardProcess:
    """Runs a Guard until `is_ended` returns True; then the last, safe command leaves."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._now = clock
        self._listener = Listener(path)
        self._shell: Connection | None = None
        self._vehicle = VehicleSockets()
        self._guard = Guard(self._vehicle)
        self._log = NoticeLog(StderrLog())
        self._schedule = TickSchedule(self._guard.period_s)
        self._was_active = False
        self._scheduling = (False, 0)
        self._wake_s = self._worked_s = self._now()
        self._waiting = Waiting()

    def run(self, is_ended: Callable[[], bool]) -> None:
        """Loop; a signal interrupts the wait, within a period at the latest."""
        try:
            while not is_ended():
                self._work(self._wait())
        finally:
            self._end()

    # ---- one round -------------------------------------------------------------------------------

    def _wait(self) -> frozenset[int]:
        """Wait for a frame, a datagram or the next period; return the files to read."""
        shell = () if self._shell is None else (self._shell.fileno(),)
        files = (self._listener.fileno(), *self._vehicle.sockets.filenos(), *shell)
        return self._waiting.wait(files, max(0.0, self._wake_s - self._now()))

    def _work(self, ready: frozenset[int]) -> None:
        now = self._now()
        self._guard.begin_round(now)
        # A socket that the wait found empty is not read: the attempt would delay the frame. It is
        # read if this process did not run since: what came meanwhile must not look like new.
        reads_all = now - self._worked_s > self._guard.period_s
        self._worked_s = now
        vehicle = self._vehicle.sockets
        if reads_all or not ready.isdisjoint(vehicle.filenos()):
            for data, source, endpoint in vehicle.drain():
                self._guard.on_datagram(data, source, endpoint, now)
        if reads_all or (self._shell is not None and self._shell.fileno() in ready):
            self._receive_frames(now)
        if self._guard.is_active:
            if not self._was_active:
                self._use_scheduling()
                self._schedule = TickSchedule(self._guard.period_s)
                self._tick(now)
            elif now >= self._wake_s and self._schedule.on_poll(now):
                self._tick(now)
        self._was_active = self._guard.is_active
        self._send_frames()
        if now >= self._wake_s:
            period_s = self._guard.period_s if self._guard.is_active else _IDLE_S
            step_s = period_s / POLLS_PER_PERIOD
            self._wake_s = max(self._wake_s + step_s, now)
            self._accept()

    def _tick(self, now: float) -> None:
        self._vehicle.send(self._guard.decide(now))
        self._guard.after_send(now)
        self._schedule.on_tick(now)

    def _use_scheduling(self) -> None:
        """Ask once for what the parameters want; a refusal is one line."""
        wanted = self._guard.scheduling
        if wanted == self._scheduling:
            return
        self._scheduling = lock_memory, priority = wanted
        refusals = [realtime.lock_memory() if lock_memory else "", realtime.use_fifo(priority)]
        for refusal in filter(None, refusals):
            say(refusal)

    def _receive_frames(self, now: float) -> None:
        """Process the shell's frames; one that leads the ticks causes one at once."""
        shell = self._shell
        if shell is None:
            return
        for _ in range(_MOST_FRAMES):
            data = shell.receive()
            if data is None:
                break
            now = max(now, self._now())  # it may have been sent after `now` was read
            if not self._guard.on_frame(data, now):
                continue
            if self._was_active and self._guard.is_active and self._schedule.on_arrival(now):
                self._tick(now)
        self._forget_ended_shell()

    def _forget_ended_shell(self) -> None:
        """A shell that ends is noticed by a frame that it does not send, or does not take."""
        if self._shell is not None and not self._shell.is_open:
            self._shell = None
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
        self._shell = connection
        self._guard.connect()

    def _end(self) -> None:
        """The last datagrams carry the safe command."""
        now = self._now()
        try:
            self._vehicle.send(self._guard.stop(now))
            self._send_frames()
        finally:
            self._vehicle.close()
            self._listener.close()
            if self._shell is not None:
                self._shell.close()
