"""The shell's end of the socket asks again where the guard did not run."""

from pathlib import Path

import pytest
from vdsim_interface.guard import frames
from vdsim_interface.guard.frames import Answer, Frame, FrameReader, FrameWriter
from vdsim_interface.guard.link import NO_ANSWER, GuardLink
from vdsim_interface.guard.local_socket import Connection, Listener
from vdsim_interface.values import Mode

STALL_S = 0.9
FRESH_S = 0.5


class SlowGuard:
    """Runs while the shell waits: nothing for STALL_S, and then it drops what has waited."""

    def __init__(self, folder: Path) -> None:
        self.now = 100.0
        folder.chmod(0o700)
        self.listener = Listener(folder / "guard.sock")
        self.link = GuardLink(folder / "guard.sock", 0.5, self.clock)
        self.link.open_within(1.0, lambda: None)
        accepted = self.listener.accept()
        assert accepted is not None
        self.shell: Connection = accepted
        self.reader, self.writer = FrameReader(frames.TO_GUARD), FrameWriter()
        self.dropped_n = 0
        self.ends_s = self.now + STALL_S

    def clock(self) -> float:
        self.now += 0.04
        return self.now

    def work(self) -> None:
        if self.now < self.ends_s:
            return
        while data := self.shell.receive():
            frame = self.reader.read(data, self.now)
            assert isinstance(frame, Frame)
            if self.now - frame.sent_s > FRESH_S:
                self.dropped_n += 1
                continue
            answer = Answer(frame.counter, True, "", Mode.MANUAL)
            self.shell.send(self.writer.write(answer, self.now)[1])

    def close(self) -> None:
        self.link.close()
        self.shell.close()
        self.listener.close()


def test_a_guard_that_did_not_run_is_asked_again(tmp_path: Path) -> None:
    """It was activated only by the next try, after guard.start_timeout_s: 10 s."""
    guard = SlowGuard(tmp_path)
    try:
        began_s = guard.now
        answer = guard.link.ask_again(frames.Deactivate(), 10.0, guard.work)
        assert answer.success
        assert guard.dropped_n >= 1
        assert guard.now - began_s < 2.0
    finally:
        guard.close()


@pytest.mark.parametrize("timeout_s", [0.2, 1.0])
def test_a_guard_that_never_answers_is_asked_for_so_long(tmp_path: Path, timeout_s: float) -> None:
    guard = SlowGuard(tmp_path)
    guard.ends_s = 1e9
    try:
        began_s = guard.now
        answer = guard.link.ask_again(frames.Deactivate(), timeout_s, guard.work)
        assert not answer.success
        assert answer.text == NO_ANSWER
        assert timeout_s <= guard.now - began_s < timeout_s + 0.5
    finally:
        guard.close()
