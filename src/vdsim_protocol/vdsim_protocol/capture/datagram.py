"""One UDP datagram as seen on the wire."""

from __future__ import annotations

from dataclasses import dataclass


class CaptureError(ValueError):
    """A capture file cannot be read. The message is one line for the user."""


@dataclass(frozen=True)
class Datagram:
    """A payload with its time and its ends, as far as they are known."""

    time_s: float
    payload: bytes
    source: str = ""
    destination: str = ""
