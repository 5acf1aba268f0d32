"""Where a recording goes, and how it goes: values. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RecordingFiles:
    """Where a recording goes."""

    path: Path
    replace: bool = False
    """Whether an existing file may be replaced."""
    largest_bytes: int = 1 << 30
    """Size at which the next file begins."""
    kept: int = 0
    """How many of the newest files stay; 0: all."""

    def numbered(self, number: int) -> Path:
        """The file of that number, from 1 on."""
        if number == 1:
            return self.path
        return self.path.with_name(f"{self.path.stem}.{number}{self.path.suffix}")


@dataclass(frozen=True)
class RecordingStatus:
    """How a recording goes."""

    path: Path
    written_bytes: int
    """In all files together."""
    failure: str | None
