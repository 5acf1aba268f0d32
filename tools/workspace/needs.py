"""What must be installed on the machine, checked first, with the command that installs it."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Need:
    """One requirement."""

    name: str
    package: str  # Debian's
    present: Callable[[], bool]


def _has_venv() -> bool:
    return (
        importlib.util.find_spec("venv") is not None
        and importlib.util.find_spec("ensurepip") is not None
    )


def _has_any(*commands: str) -> Callable[[], bool]:
    return lambda: any(shutil.which(command) for command in commands)


def _python_headers() -> bool:
    import sysconfig
    from pathlib import Path

    return (Path(sysconfig.get_path("include")) / "Python.h").is_file()


def needs() -> tuple[Need, ...]:
    """Everything that `./ws` cannot install without root."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return (
        Need("Python's venv module", f"{version}-venv", _has_venv),
        Need("Python's headers", f"{version}-dev", _python_headers),
        Need("a C++ compiler", "g++", _has_any("g++", "clang++", "c++")),
        Need("CMake", "cmake", _has_any("cmake")),
        Need("make", "make", _has_any("make", "ninja")),
        Need("bash", "bash", _has_any("bash")),
    )


def missing_line() -> str:
    """One line with everything that is missing and how to install it; empty if complete."""
    missing = [need for need in needs() if not need.present()]
    if not missing:
        return ""
    names = ", ".join(need.name for need in missing)
    packages = " ".join(need.package for need in missing)
    return f"missing: {names}. Install with: sudo apt-get install {packages}"
