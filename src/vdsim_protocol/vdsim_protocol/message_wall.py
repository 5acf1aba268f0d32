"""Messages of topics: measured before they are decoded, and none of them ends a process.

rclpy decodes a message of any size before a node sees it. A list of two million short texts takes
seconds and hundreds of megabytes then, and an allocation that fails there leaves the executor as an
exception, which ends the process. A subscription of ours receives bytes: what is too large or
cannot be read is discarded, counted and logged here. It needs no ROS itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

LARGEST = 1 << 16
"""So many bytes of a message are decoded: within a millisecond, whatever they hold. The largest
message that a node of ours waits for has some thousand."""


class MessageWall:
    """The callback of one subscription of bytes; passes decoded messages on to another callback.

    `decode` raises for what it cannot read. Of a message beyond `largest` bytes the beginning is
    decoded: a type without texts and lists may be followed by anything. `unreadable_is` stands for
    a message that cannot be read, where a callback must know of it.
    """

    def __init__(
        self,
        decode: Callable[[bytes], Any],
        callback: Callable[..., None],
        on_discarded: Callable[[str], None],
        *,
        largest: int = LARGEST,
        unreadable_is: Any = None,
    ) -> None:
        self._decode, self._callback = decode, callback
        self._on_discarded = on_discarded
        self._largest, self._unreadable_is = largest, unreadable_is
        # rclpy passes what is known of a message to a callback with two arguments.
        self.__signature__ = inspect.signature(callback)

    def __call__(self, *received: Any) -> None:
        """Receive (data,), (data, info), or, by the events executor of Jazzy, ((data, info),)."""
        data, *info = received[0] if isinstance(received[0], tuple) else received
        try:
            message = self._decode(data if len(data) <= self._largest else data[: self._largest])
        except Exception:  # whatever arrives is no defect of ours
            self._on_discarded(self._why(len(data)))
            if self._unreadable_is is None:
                return
            message = self._unreadable_is
        self._callback(message, *info)

    def _why(self, size: int) -> str:
        if size > self._largest:
            return f"a message of {size} bytes: must have at most {self._largest}"
        return f"a message of {size} bytes that cannot be read as its type"


def is_of_the_middleware(error: MemoryError, spinning: str) -> bool:
    """Whether no code of ours was under way: an executor had no memory for what it takes.

    `spinning`: the module that spins it.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__", ""))
    return where == spinning or where.partition(".")[0] == "rclpy"


class Discarded:
    """How many messages of each topic were discarded, and why the last one was."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._last = ""

    def add(self, topic: str, why: str) -> str:
        """Count one; return what to log: the first of a topic, the tenth, the hundredth, ..."""
        count = self._counts[topic] = self._counts.get(topic, 0) + 1
        self._last = f"{topic}: discarded {why}"
        is_power_of_ten = str(count).strip("0") == "1"
        return f"{self._last} ({count} so far)" if is_power_of_ten else ""

    @property
    def total(self) -> int:
        """Of all topics."""
        return sum(self._counts.values())

    def text(self) -> str:
        """A sentence for /diagnostics; empty when nothing was discarded."""
        return f"{self._last} ({self.total} messages in all)" if self._counts else ""
