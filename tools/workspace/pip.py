"""pip in the private environment: its command line, and one line for what goes wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workspace.layout import Layout, WorkspaceError
from workspace.progress import run_logged, tail

_PROGRESS = ("Downloading", "Using cached", "Installing collected")
_NO_NETWORK = (
    "NewConnectionError",
    "ConnectTimeout",
    "Temporary failure in name",
    "Could not find a version",
    "ProxyError",
    "ReadTimeout",
    "Connection refused",
    "Connection aborted",
    "ConnectionResetError",
    "IncompleteRead",
    "HTTPError",
)


def install(
    layout: Layout, arguments: list[str], environ: Mapping[str, str], lock: int, log: Path
) -> None:
    """Run `pip install` with these arguments."""
    command: list[str | Path] = [layout.python, "-m", "pip", "install"]
    command += ["--disable-pip-version-check", "--no-input", "--no-warn-script-location"]
    code = run_logged([*command, *arguments], log, environ, keep=_PROGRESS, every=15, lock=lock)
    if code == 0:
        return
    text = tail(log, 400)
    reason = next((x for x in reversed(text.splitlines()) if "ERROR" in x), text[-200:]).strip()
    if any(sign in text for sign in _NO_NETWORK):
        raise WorkspaceError(
            f"the package index could not be reached: connect to the network and run again. "
            f"Nothing else was changed; details in {log} ({reason[:160]})"
        )
    raise WorkspaceError(f"pip failed, details in {log}: {reason[:300]}")
