"""Files that a launch writes for its processes; they end with it. Shell."""

from __future__ import annotations

import atexit
import os
import tempfile
from pathlib import Path


def kept_copy(text: str, name: str) -> str:
    """Write a text into a new file, for as long as this process lives; returns its path."""
    handle, path = tempfile.mkstemp(prefix="vdsim_", suffix=f"_{name}")
    os.close(handle)
    Path(path).write_text(text, encoding="utf-8")
    atexit.register(Path(path).unlink, missing_ok=True)
    return path
