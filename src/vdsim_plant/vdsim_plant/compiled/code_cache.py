"""Where compiled code is kept: one folder for each state of sources, compiler and processor.

numba alone would take a stale function from its cache when only something that it calls has
changed, and needs a folder it can write to next to the source. This module does without numba,
because a process that finds all it needs in the cache never loads it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import llvmlite  # type: ignore[import-untyped]
from llvmlite import binding

_PACKAGE = Path(__file__).resolve().parent.parent
_FOLDERS = ("assist", "compiled", "kernel", "ground", "tyres", "ride", "linear", "narrow")
_SOURCES = tuple(f"{folder}/*.py" for folder in _FOLDERS)
_TABLES = ("parameters/tir_*.py", "parameters/tir/*.py", "car/loops.py")
# Settings of numba that change what it makes.
_SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX", "BOUNDSCHECK")


def processor() -> tuple[str, str]:
    """Return name and features of the processor to compile for."""
    name = os.environ.get("NUMBA_CPU_NAME") or binding.get_host_cpu_name()
    features = os.environ.get("NUMBA_CPU_FEATURES") or binding.get_host_cpu_features().flatten()
    return name, features


def _cache_folder() -> Path | None:
    """Return the folder for compiled code; None where nothing can be written."""
    name = f"kernels-{_fingerprint()}"
    for base in _candidates():
        folder = base / name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            own = _is_private(base) and _is_private(folder)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            continue
        if own:  # compiled code of someone else is nothing to run
            return folder
    return None


def _candidates() -> list[Path]:
    """Return where compiled code may be kept, the preferred place first."""
    named = os.environ.get("VDSIM_CACHE_DIR")
    if named:
        return [Path(named)]
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    home = home or str(Path("~/.cache").expanduser())
    user = _user()
    temporary = Path(tempfile.gettempdir()) / ("vdsim" if user is None else f"vdsim-{user}")
    return [Path(home) / "vdsim", temporary]


def _is_private(folder: Path) -> bool:
    """Whether nobody but this user and root can put another folder or file in place of ours."""
    user = _user()
    if user is None:
        return True
    if any(found.st_uid not in (user, 0) for found in (folder.lstat(), folder.stat())):
        return False
    mode = folder.stat().st_mode
    return not mode & stat.S_IWOTH or bool(mode & stat.S_ISVTX)


def _user() -> int | None:
    """Return who owns what this process writes; None on Windows, where each user's is private."""
    number: Callable[[], int] | None = getattr(os, "getuid", None)
    return None if number is None else number()


def _fingerprint() -> str:
    """Return a digest of all that decides what the compiler makes."""
    digest = hashlib.blake2b(digest_size=8)
    settings = [os.environ.get(f"NUMBA_{name}", "") for name in _SETTINGS]
    for part in (llvmlite.__version__, sys.version, *processor(), *settings):
        digest.update(f"{part}\n".encode())
    digest.update(_numba_version())
    for pattern in (*_SOURCES, *_TABLES):
        for path in sorted(_PACKAGE.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _numba_version() -> bytes:
    """Return what distinguishes versions of numba, without the time that importing it takes."""
    found = importlib.util.find_spec("numba")
    if found is None or found.origin is None:
        return b""
    return Path(found.origin).with_name("_version.py").read_bytes()


CACHE_FOLDER = _cache_folder()
