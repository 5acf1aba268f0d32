"""The guard's end of the connection: the session of the shell, and the frames that wait for it.

    frames of the shell ──▶ session ──▶ Guard ──▶ send ──▶ take_frames ──▶ shell

Without a shell nothing is kept: the next one starts with what is sent after it has connected.
"""

from vdsim_interface.guard.frames import FrameWriter, Payload
from vdsim_interface.guard.session import ShellSession


class ShellEnd:
    """`session`: of the shell that is connected; None without one."""

    def __init__(self) -> None:
        self.session: ShellSession | None = None
        self._writer = FrameWriter()
        self._outbox: list[Payload] = []

    def connect(self, timeout_s: float) -> None:
        """A shell has connected. `timeout_s`: the age up to which its frames are fresh."""
        self.session = ShellSession(timeout_s)
        self._writer = FrameWriter()
        self._outbox = []

    def disconnect(self) -> None:
        """The connection has ended."""
        self.session = None
        self._outbox = []

    def use_timeout(self, timeout_s: float) -> None:
        """Use another age up to which frames are fresh."""
        if self.session is not None:
            self.session.timeout_s = timeout_s

    def is_silent(self, now: float) -> bool:
        """Whether no shell is connected, or its last frame that counts is too old."""
        return self.session is None or self.session.is_silent(now)

    def counts(self) -> dict[str, float]:
        """How many frames were lost, stale or rejected, by name; {} without a shell."""
        return {} if self.session is None else self.session.counts()

    def send(self, payload: Payload) -> None:
        """Keep a frame for the shell until `take_frames`."""
        if self.session is not None:
            self._outbox.append(payload)

    def take_frames(self, now: float) -> list[bytes]:
        """Return the frames since the last call."""
        outbox, self._outbox = self._outbox, []
        return [self._writer.write(payload, now)[1] for payload in outbox]
