"""The guard's loop on a real socket: a shell that ends at any moment does not end the guard."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from itertools import count, pairwise
from pathlib import Path

import pytest
from vdsim_interface.guard.frames import (
    TO_SHELL,
    Frame,
    FrameReader,
    FrameWriter,
    Front,
    Output,
    Payload,
)
from vdsim_interface.guard.process import GuardProcess, Waiting
from vdsim_interface.platforms.spec import Endpoint
from vdsim_interface_kit.guarding import GO, setup

ROUNDS = 200
PERIOD_S = 0.01
READ_S = 3e-4


class NoWaiting(Waiting):
    """Waits in no time: each look at the clock moves it."""

    def wait(self, files: tuple[int, ...], timeout_s: float) -> dict[int, int]:
        return super().wait(files, 0.0)


def test_a_shell_that_ends_while_the_guard_sends_does_not_end_the_guard(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A killed shell may be noticed by the frame that no longer leaves."""
    folder = tmp_path / "run"
    clock = count(0.0, 0.001)
    process = GuardProcess(folder / "guard.sock", lambda: next(clock), NoWaiting())
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as shell:
        shell.connect(str(folder / "guard.sock"))
        _, activate = FrameWriter().write(setup(), 0.0)
        shell.send(activate)
        rounds = 0

        def is_ended() -> bool:
            nonlocal rounds
            rounds += 1
            if rounds == ROUNDS // 2:
                shell.shutdown(socket.SHUT_RD)  # what the guard sends is refused from now on
            return rounds == ROUNDS

        process.run(is_ended)
    assert "the ROS shell has ended; the guard holds the car" in capfd.readouterr().err


def test_a_flood_that_is_discarded_does_not_hide_that_the_peer_is_silent(tmp_path: Path) -> None:
    """What is discarded wakes nobody: the guard looks at the wall by itself."""
    clock = count(0.0, 0.001)
    process = GuardProcess(tmp_path / "run" / "guard.sock", lambda: next(clock), NoWaiting())
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger,
    ):
        peer.bind(("127.0.0.1", 0))
        heard = frozenset({peer.getsockname()})
        endpoint = Endpoint(
            "car", ("127.0.0.1", 0), peers=lambda now: heard if now < 0.5 else frozenset()
        )
        process._vehicle.open((endpoint,))
        sockets = process._vehicle.sockets
        for _ in range(450):
            stranger.sendto(b"flood", sockets.bound()["car"])
        was_walled: list[bool] = []

        def is_ended() -> bool:
            was_walled.append(sockets.is_walled)
            return next(clock) > 1.0

        process.run(is_ended)
    assert (was_walled[0], any(was_walled), was_walled[-1]) == (False, True, False)


def test_no_tick_is_earlier_than_the_one_before(tmp_path: Path) -> None:
    """Frames lead the ticks. One that arrives while the timer is due is that timer's tick."""
    folder = tmp_path / "run"
    ticks = count(1)
    now = 0.0

    def clock() -> float:
        nonlocal now
        now = READ_S * next(ticks)  # each look at the clock takes some time
        return now

    process = GuardProcess(folder / "guard.sock", clock, NoWaiting())
    writer, reader = FrameWriter(), FrameReader(TO_SHELL)
    stamps: list[float] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as shell:
        shell.connect(str(folder / "guard.sock"))
        shell.send(writer.write(setup(), now)[1])
        due_s = 0.05

        def is_ended() -> bool:
            nonlocal due_s
            if now >= due_s:
                due_s += PERIOD_S
                command = GO._replace(stamp_s=now)
                shell.send(writer.write(Front(command, command, command, None), now)[1])
            stamps.extend(_stamps_of_outputs(shell, reader, now))
            return len(stamps) > ROUNDS

        process.run(is_ended)
    gaps = [later - earlier for earlier, later in pairwise(stamps)]
    assert min(gaps) >= 0.5 * PERIOD_S, f"{sum(gap < 0.0 for gap in gaps)} ticks back in time"


class VirtualTime(Waiting):
    """Waits in virtual time for the next frame of a shell that sends every period, or the timer."""

    def __init__(
        self, shell: socket.socket, period_s: float, frames_n: int, first_s: float = 0.0
    ) -> None:
        super().__init__()
        self.now, self._due_s = 0.0, first_s
        self.timeouts_s: list[float] = []
        self.stamps: list[float] = []
        self._shell, self._period_s, self._left_n = shell, period_s, frames_n
        self._writer, self._reader = FrameWriter(), FrameReader(TO_SHELL)

    def send(self, payload: Payload) -> None:
        self._shell.send(self._writer.write(payload, self.now)[1])

    def wait(self, files: tuple[int, ...], timeout_s: float) -> dict[int, int]:
        self.stamps += _stamps_of_outputs(self._shell, self._reader, self.now)
        self.timeouts_s.append(timeout_s)
        if self._left_n and self.now + timeout_s >= self._due_s:
            self.now = max(self.now, self._due_s)
            self._due_s += self._period_s
            self._left_n -= 1
            command = GO._replace(stamp_s=self.now)
            self.send(Front(command, command, command, None))
        else:
            self.now += timeout_s
        return super().wait(files, 0.0)


def loop_of(
    folder: Path, frames_n: int, until_s: float, rate_hz: float = 100.0, first_s: float = 0.0
) -> VirtualTime:
    """Run the loop with so many frames at its rate, the first at `first_s`."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as shell:
        time = VirtualTime(shell, 1.0 / rate_hz, frames_n, first_s)
        process = GuardProcess(folder / "guard.sock", lambda: time.now, time)
        shell.connect(str(folder / "guard.sock"))
        time.send(setup(rate_hz=rate_hz))
        process.run(lambda: time.now >= until_s)
    return time


def test_while_frames_lead_the_ticks_nothing_else_wakes_the_guard(tmp_path: Path) -> None:
    led = loop_of(tmp_path / "run", frames_n=1000, until_s=2.0)
    gaps = [later - earlier for earlier, later in pairwise(led.stamps[5:])]
    assert gaps == pytest.approx([PERIOD_S] * len(gaps))
    assert len(led.timeouts_s) == pytest.approx(len(led.stamps), abs=10)


@pytest.mark.parametrize("phase", [0.0, 0.2, 0.4, 0.6, 0.8])
def test_the_timer_ticks_for_frames_that_do_not_come(tmp_path: Path, phase: float) -> None:
    """Whenever in a period of the timer's own grid the frames came."""
    first_s = (5.0 + phase) * PERIOD_S
    led = loop_of(tmp_path / "run", frames_n=50, until_s=2.0, first_s=first_s)
    gaps = [later - earlier for earlier, later in pairwise(led.stamps)]
    assert max(gaps) <= 1.26 * PERIOD_S
    assert led.stamps[-1] >= 2.0 - 1.1 * PERIOD_S
    assert len(led.stamps) == pytest.approx((2.0 - led.stamps[0]) / PERIOD_S, abs=3)


def test_another_rate_of_the_shell_is_that_of_the_ticks(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as shell:
        time = VirtualTime(shell, PERIOD_S, frames_n=0)
        process = GuardProcess(folder / "guard.sock", lambda: time.now, time)
        shell.connect(str(folder / "guard.sock"))
        time.send(setup())
        wants = iter([0.5])

        def is_ended() -> bool:
            if time.now >= 0.5 and next(wants, None):
                time.send(setup(rate_hz=25.0))
            return time.now >= 2.0

        process.run(is_ended)
    gaps = [later - earlier for earlier, later in pairwise(time.stamps) if earlier > 0.6]
    assert gaps == pytest.approx([0.04] * len(gaps))


@pytest.mark.parametrize("frames_n", [0, 100])
def test_at_a_low_rate_the_guard_still_looks_twice_a_period(tmp_path: Path, frames_n: int) -> None:
    """Else reports that arrive late in a wait would pass for late ones."""
    slow = loop_of(tmp_path / "run", frames_n, until_s=5.0, rate_hz=10.0)
    assert max(slow.timeouts_s) <= 0.05 + 1e-9
    assert len(slow.stamps) == pytest.approx(50, abs=3)


def _stamps_of_outputs(shell: socket.socket, reader: FrameReader, now: float) -> Iterator[float]:
    while True:
        try:
            data = shell.recv(1 << 20, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        frame = reader.read(data, now)
        assert isinstance(frame, Frame), frame
        if isinstance(frame.payload, Output):
            yield frame.payload.stamp_s
