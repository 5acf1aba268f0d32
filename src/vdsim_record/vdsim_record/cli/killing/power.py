"""A simulated power cut: what was synced of each file, and the names that each folder had at its
last sync.

Run as a module it is the finisher, with its requests noted.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

from vdsim_protocol.checked_file import read_text

from vdsim_record.cli import finisher

VARIABLE = "VDSIM_KILLS_SYNCS"
"""The environment's word for the file in which requests to the disk are noted."""
_LARGEST_NOTES = 64 << 20


def note_syncs(notes: Path) -> None:
    """Note each fsync of this process that has returned, as a line."""
    file = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    sync = os.fsync

    def noted(number: int) -> None:
        known = os.fstat(number)
        path = Path(f"/proc/self/fd/{number}").readlink()
        kept: object = known.st_size
        if stat.S_ISDIR(known.st_mode):
            kept = sorted(each.name for each in path.iterdir())
        sync(number)
        os.write(file, (json.dumps([str(path), kept]) + "\n").encode())

    setattr(os, os.fsync.__name__, noted)  # for all modules of this process


def cut(folder: Path, notes: Path, target: Path) -> None:
    """Copy what a power cut leaves of a folder, in which nobody writes any more."""
    sizes: dict[str, int] = {}
    names: dict[str, list[str]] = {}
    for line in read_text(notes, largest_bytes=_LARGEST_NOTES).splitlines():
        path, kept = json.loads(line)
        if isinstance(kept, list):
            names[path] = kept
        else:
            sizes[path] = kept
    _copy(folder, target, sizes, names)


def _copy(folder: Path, target: Path, sizes: dict[str, int], names: dict[str, list[str]]) -> None:
    target.mkdir()
    for name in names.get(str(folder), []):
        path = folder / name
        if path.is_dir():
            _copy(path, target / name, sizes, names)
        elif path.exists():  # what was removed since may be gone
            data = path.read_bytes()
            (target / name).write_bytes(data[: sizes.get(str(path), 0)])


if __name__ == "__main__":
    note_syncs(Path(os.environ[VARIABLE]))
    sys.exit(finisher.main())
