"""What must be installed on the machine, checked first, with the command that installs it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Sequence
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


def _has_build_program() -> bool:
    """CMake writes Makefiles unless this variable requests another generator."""
    ninja = os.environ.get("CMAKE_GENERATOR", "").startswith("Ninja")
    return shutil.which("ninja" if ninja else "make") is not None


# What colcon calls for a package with a CMakeLists.txt.
CMAKE_NEEDS = (
    Need("CMake", "cmake", _has_any("cmake")),
    Need("make", "make", _has_build_program),
)


def needs(origin: str) -> tuple[Need, ...]:
    """What `./ws` cannot install without root; `origin` is that of the ROS 2 (distro.py).

    On the wheels `./ws` compiles its messages itself; with any other ROS 2 colcon does.
    """
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    always = (
        Need("Python's venv module", f"{version}-venv", _has_venv),
        Need("Python's headers", f"{version}-dev", _python_headers),
        Need("a C++ compiler", "g++", _has_any("g++", "clang++", "c++")),
        Need("bash", "bash", _has_any("bash")),
    )
    return always if origin == "wheels" else (*always, *CMAKE_NEEDS)


def missing_line(wanted: Sequence[Need], purpose: str = "") -> str:
    """One line with everything that is missing and how to install it; empty if complete."""
    missing = [need for need in wanted if not need.present()]
    if not missing:
        return ""
    names = ", ".join(need.name for need in missing)
    packages = " ".join(need.package for need in missing)
    return f"missing{purpose}: {names}. Install with: sudo apt-get install {packages}"
