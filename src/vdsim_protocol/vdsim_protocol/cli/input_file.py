"""Reads the files that a command line names: of bounded size, and nothing that never ends."""

from __future__ import annotations

from pathlib import Path

LARGEST_BYTES = 1 << 30


def read_input(path: Path, largest_bytes: int = LARGEST_BYTES) -> bytes:
    """Return the content of a regular file, or raise an OSError or a ValueError of one line."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is no regular file")
    with path.open("rb") as file:
        content = file.read(largest_bytes + 1)
    if len(content) > largest_bytes:
        raise ValueError(f"{path}: has more than {largest_bytes >> 20} MiB")
    return content
