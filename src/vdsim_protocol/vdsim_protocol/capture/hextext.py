"""Datagrams written as hex: one a line, spaces allowed, `#` starts a comment at a line's start."""

from __future__ import annotations

from collections.abc import Iterator

from vdsim_protocol.capture.datagram import CaptureError, Datagram

LINE_PERIOD_S = 0.01
"""Lines carry no time: they are taken to come at 100 Hz."""


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
