"""Is a shared library whole? A truncated one ends the process that loads it, without a word."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

from vdsim_plant.parameters.checked_file import FileError, open_checked

LARGEST_BYTES = 2 << 30
_ELF = b"\x7fELF"
_CLASS, _ORDER = 4, 5
_64, _LITTLE = 2, 1
_PHOFF_64, _SHOFF_64, _PHENTSIZE_64, _SHENTSIZE_64 = 32, 40, 54, 58


def fault_of_library(path: Path) -> str:
    """Return why a library of this machine cannot be loaded; empty when nothing is known."""
    try:
        with open_checked(path, largest_bytes=LARGEST_BYTES) as file:
            size = path.stat().st_size
            head = file.read(64)
            if not sys.platform.startswith("linux"):
                return ""
            if not head.startswith(_ELF):
                return "is no library of Linux (ELF)"
            if len(head) < 64 or head[_CLASS] != _64 or head[_ORDER] != _LITTLE:
                return "" if len(head) == 64 else _truncated(size, 64)
            (place,) = struct.unpack_from("<Q", head, _PHOFF_64)
            each, count = struct.unpack_from("<HH", head, _PHENTSIZE_64)
            if each < 56 or place + each * count > size:
                return _truncated(size, place + each * count)
            file.seek(place)
            table = file.read(each * count)
    except FileError as fault:
        return fault.problem
    except (OSError, ValueError, struct.error):
        return "cannot be read"
    (sections_at,) = struct.unpack_from("<Q", head, _SHOFF_64)
    section_bytes, sections_n = struct.unpack_from("<HH", head, _SHENTSIZE_64)
    needed = sections_at + section_bytes * sections_n  # they are at the end, where there are any
    for k in range(count):
        offset, _, _, in_file = struct.unpack_from("<QQQQ", table, k * each + 8)
        needed = max(needed, offset + in_file)
    return _truncated(size, needed) if needed > size else ""


def _truncated(size: int, needed: int) -> str:
    return f"is truncated: has {size} bytes of at least {needed}"
