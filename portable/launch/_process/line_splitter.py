"""Bytes in, whole lines out."""

from __future__ import annotations


class LineSplitter:
    """Collects the bytes of one stream until a line is whole."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that ``data`` completes, without their line ends."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [_text(line) for line in lines]

    def flush(self) -> list[str]:
        """Return what is left when the stream ends."""
        rest, self._rest = self._rest, b""
        return [_text(rest)] if rest else []


def _text(line: bytes) -> str:
    return line.rstrip(b"\r").decode(errors="replace")
