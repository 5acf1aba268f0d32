"""The one way in which functions of the numeric core are compiled, and where that is kept.

Strict IEEE arithmetic (no fastmath) is what makes a run the same to the bit in every process;
the cache on disk is what makes a second process start without compiling. Both only work for
functions at module level, so never apply this to a closure.

numba alone would take a stale function from the cache when only something that it calls has
changed, and needs a folder it can write to beside the source. So the cache has a folder of its
own for each state of the sources, version of numba and processor.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from llvmlite import binding  # type: ignore[import-untyped]
from numba import njit
from numba.core import config as _config

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = _config  # its names are made at run time

_PACKAGE = Path(__file__).resolve().parent
_SOURCES = ("compiled.py", "kernel/*.py", "ground/*.py", "tyres/*.py", "parameters/tir_*.py")


def compiled(function: Function) -> Function:
    """Compile a module-level function with numba; its Python signature stays."""
    options: dict[str, Any] = {"fastmath": False, "error_model": "numpy", "nogil": True}
    if CACHE_FOLDER is None:
        return cast(Function, njit(**options)(function))
    usual = config.CACHE_DIR
    config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        return cast(Function, njit(cache=True, **options)(function))
    finally:
        config.CACHE_DIR = usual


def announce_compilation(function: Callable[..., Any]) -> None:
    """Say on standard error that a first call is going to compile `function`, where it is."""
    dispatcher = cast(Any, function)
    name = function.__name__
    if dispatcher.signatures or (CACHE_FOLDER and any(CACHE_FOLDER.glob(f"*/*.{name}-*.nbi"))):
        return
    kept = f"kept in {CACHE_FOLDER}" if CACHE_FOLDER else "no folder to keep it in"
    print(f"vdsim_plant: compiling {name}, once, a few seconds ({kept})", file=sys.stderr)


def _cache_folder() -> Path | None:
    """Return the folder for compiled code; None where nothing can be written."""
    name = f"kernels-{_fingerprint()}"
    for base in _candidates():
        folder = base / name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            own = folder.stat().st_uid == os.getuid()
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
    user = os.environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    temporary = Path(tempfile.gettempdir()) / f"vdsim-{os.getuid()}"
    return [Path(user) / "vdsim", temporary]


def _fingerprint() -> str:
    """Return a digest of all that decides what the compiler makes."""
    digest = hashlib.blake2b(digest_size=8)
    processor = config.CPU_NAME or binding.get_host_cpu_name()
    features = config.CPU_FEATURES or binding.get_host_cpu_features().flatten()
    for part in (numba.__version__, sys.version, processor, features):
        digest.update(f"{part}\n".encode())
    for pattern in _SOURCES:
        for path in sorted(_PACKAGE.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()


CACHE_FOLDER = _cache_folder()
