"""The shell's end of the socket to the guard: connect, send, ask, receive, connect again."""

from __future__ import annotations

import select
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from vdsim_interface.guard import frames
from vdsim_interface.guard.frames import Answer, Frame, FrameReader, FrameWriter, Payload
from vdsim_interface.guard.local_socket import Connection, connect
from vdsim_interface.values import Mode

_RETRY_S = 0.1
_MOST_FRAMES = 2048
_AGAIN_S = 0.4  # sooner than a frame that waits for a guard is too old for it (session.py)
NO_ANSWER = "the guard does not answer"


def _do_nothing() -> None:
    """Most waits are short."""


class GuardLink:
    """A connection that is made again after the guard has ended.

    `rejected_n`: how many frames of the guard were rejected.
    """

    def __init__(self, path: Path, answer_timeout_s: float, clock: Callable[[], float]) -> None:
        self.path = path
        self._answer_timeout_s = answer_timeout_s
        self._now = clock
        self._connection: Connection | None = None
        self._writer = FrameWriter()
        self._reader = FrameReader(frames.TO_SHELL)
        self._inbox: deque[Frame] = deque()
        self._tried_s = 0.0
        self.rejected_n = 0

    @property
    def is_open(self) -> bool:
        """Whether the connection stands."""
        return self._connection is not None and self._connection.is_open

    def open_within(self, timeout_s: float, while_waiting: Callable[[], None]) -> None:
        """Connect, waiting for the guard to start; raises OSError with one line.

        `while_waiting` is called every 0.1 s; what it raises ends the wait.
        """
        end_s = self._now() + timeout_s
        while not self.is_open:
            while_waiting()
            try:
                self._open()
            except (FileNotFoundError, ConnectionRefusedError):
                if self._now() >= end_s:
                    text = f"guard.socket={self.path}: no guard listens there (vehicle_guard)"
                    raise OSError(text) from None
                time.sleep(_RETRY_S)

    def reopened(self) -> bool:
        """Connect again if that is due; True when a new connection stands."""
        now = self._now()
        if self.is_open or 0.0 <= now - self._tried_s < _RETRY_S:
            return False
        self._tried_s = now
        try:
            self._open()
        except OSError:
            return False
        return True

    def _open(self) -> None:
        self._connection = connect(self.path)
        self._writer, self._reader = FrameWriter(), FrameReader(frames.TO_SHELL)
        self._inbox.clear()

    def send(self, payload: Payload) -> None:
        """Send a frame; without a connection it is lost."""
        if self._connection is not None:
            self._connection.send(self._writer.write(payload, self._now())[1])

    def ask(
        self,
        payload: Payload,
        timeout_s: float | None = None,
        while_waiting: Callable[[], None] = _do_nothing,
    ) -> Answer:
        """Send a frame and wait for its answer; other frames stay for `received`.

        `while_waiting` is called at least every 0.1 s; what it raises ends the wait.
        """
        refusal = Answer(0, False, NO_ANSWER, Mode.MANUAL)
        connection = self._connection
        if connection is None:
            return refusal
        counter, data = self._writer.write(payload, self._now())
        connection.send(data)
        end_s = self._now() + (self._answer_timeout_s if timeout_s is None else timeout_s)
        while connection.is_open:
            while_waiting()
            frame = self._next()
            if frame is None:
                left_s = end_s - self._now()
                if left_s <= 0.0:
                    break
                _wait_readable(connection, min(left_s, _RETRY_S))
            elif isinstance(frame.payload, Answer):
                if frame.payload.request == counter:
                    return frame.payload
            else:
                self._inbox.append(frame)
        return refusal

    def ask_again(
        self, payload: Payload, timeout_s: float, while_waiting: Callable[[], None]
    ) -> Answer:
        """As `ask`, until there is an answer: a guard that did not run drops what has waited."""
        while timeout_s > _AGAIN_S:
            answer = self.ask(payload, _AGAIN_S, while_waiting)
            if answer.text != NO_ANSWER:
                return answer
            timeout_s -= _AGAIN_S
        return self.ask(payload, timeout_s, while_waiting)

    def received(self) -> Iterator[Frame]:
        """All frames that have arrived; answers that nobody waits for are left out."""
        for _ in range(_MOST_FRAMES):
            frame = self._inbox.popleft() if self._inbox else self._next()
            if frame is None:
                return
            if not isinstance(frame.payload, Answer):
                yield frame

    def _next(self) -> Frame | None:
        """The next valid frame of the socket."""
        connection = self._connection
        while connection is not None:
            data = connection.receive()
            if data is None:
                return None
            outcome = self._reader.read(data, self._now())
            if isinstance(outcome, Frame):
                return outcome
            self.rejected_n += 1
        return None

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _wait_readable(connection: Connection, timeout_s: float) -> None:
    if connection.is_open:
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLIN)
        poll.poll(timeout_s * 1e3)
