"""What must be the same on every worker so that its bits are: this library, and what computes."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import numpy
import scipy

import vdsim_plant

_SUFFIXES = (".py", ".yaml", ".tir")
_DIGITS = 12


@lru_cache(maxsize=1)
def identity() -> str:
    """Return the versions and the hash of this library's files, for people and to compare."""
    return (
        f"vdsim_plant {vdsim_plant.__version__} ({files_hash(Path(vdsim_plant.__file__).parent)}), "
        f"numpy {numpy.__version__}, scipy {scipy.__version__}"
    )


def files_hash(folder: Path) -> str:
    """Return a hash of names and content of the source and data files below a folder."""
    found = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        found.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()[:_DIGITS]
