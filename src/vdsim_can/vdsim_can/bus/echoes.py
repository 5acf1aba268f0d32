"""Which frames on a bus are our own, where the bus shows a sender its own frames, too."""

from __future__ import annotations

from collections import Counter, deque

KEPT = 256


class Echoes:
    """Each frame that we send comes back once; a copy more is somebody else's."""

    def __init__(self) -> None:
        self._sent: deque[bytes] = deque()
        self._expected: Counter[bytes] = Counter()

    def on_sent(self, data: bytes) -> None:
        """Expect a frame to come back; of those that never do, the last KEPT are remembered."""
        self._sent.append(data)
        self._expected[data] += 1
        if len(self._sent) > KEPT:
            self._forget(self._sent.popleft())

    def is_ours(self, data: bytes) -> bool:
        """Whether a frame that arrived is one that we sent."""
        if data not in self._expected:
            return False
        self._sent.remove(data)
        self._forget(data)
        return True

    def _forget(self, data: bytes) -> None:
        self._expected[data] -= 1
        if not self._expected[data]:
            del self._expected[data]
