"""Where in an FMU the shared library for a machine is."""

from __future__ import annotations

import ctypes
import platform

_ENDINGS = {"linux": ".so", "darwin": ".dylib", "windows": ".dll"}
_MACHINES = {"AMD64": "x86_64", "arm64": "aarch64"}


def library_name(version: str, identifier: str) -> str:
    """Return where FMI `version` expects the shared library for this machine."""
    system = platform.system().lower()
    machine = _MACHINES.get(platform.machine(), platform.machine())
    ending = _ENDINGS.get(system, ".so")
    if version == "3.0":
        return f"binaries/{machine}-{system}/{identifier}{ending}"
    bits = "64" if ctypes.sizeof(ctypes.c_void_p) == 8 else "32"
    return f"binaries/{ {'windows': 'win'}.get(system, system) }{bits}/{identifier}{ending}"
