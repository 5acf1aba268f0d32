"""One UDP datagram with its time and addresses, and datagrams written as hex.

A hex file holds one datagram a line; spaces are allowed, `#` at the start of a line is a comment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

LINE_PERIOD_S = 0.01
"""Lines carry no time: they count as sent at 100 Hz."""


class CaptureError(ValueError):
    """A capture file cannot be read. The message is one line for the user."""


@dataclass(frozen=True)
class Datagram:
    """A payload with its time, sender and receiver, as far as they are known."""

    time_s: float
    payload: bytes
    source: str = ""
    destination: str = ""


def read_hex(text: str) -> Iterator[Datagram]:
    """The datagrams of a hex file."""
    index = 0
    for number, line in enumerate(text.splitlines(), start=1):
        content = "".join(line.split())
        if not content or content.startswith("#"):
            continue
        try:
            payload = bytes.fromhex(content)
        except ValueError:
            raise CaptureError(f"line {number}: not hex: {line.strip()[:40]!r}") from None
        yield Datagram(index * LINE_PERIOD_S, payload)
        index += 1
