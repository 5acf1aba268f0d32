"""pip in an environment of ours: its command line, and one line for what goes wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from workspace import pins
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


def run(
    python: Path,
    arguments: Sequence[str],
    environ: Mapping[str, str],
    lock: int,
    log: Path,
    *,
    packages_n: int = 0,
) -> str:
    """Run `pip install` with these arguments; return the end of its log if it failed, else "".

    `packages_n`: how many packages it installs, for the share that is done.
    """
    command: list[str | Path] = [python, "-m", "pip", "install"]
    command += ["--disable-pip-version-check", "--no-input", "--no-warn-script-location"]
    # pip is silent while it unpacks, which takes about a fifth of the time.
    steps = packages_n + packages_n // 4
    code = run_logged(
        [*command, *arguments], log, environ, keep=_PROGRESS, every=15, steps=steps, lock=lock
    )
    return (tail(log, 400) or "pip printed nothing") if code else ""


def install_itself(
    python: Path, requirements: Path, environ: Mapping[str, str], lock: int, log: Path
) -> None:
    """Replace the pip that Python brings by the pinned one; older ones check fewer hashes."""
    file = pins.pinned(requirements, requirements / "pip.txt", log.with_name("pip-itself.txt"))
    _raise(run(python, ["--require-hashes", "--no-deps", "-r", str(file)], environ, lock, log), log)


def install(
    layout: Layout,
    arguments: list[str],
    environ: Mapping[str, str],
    lock: int,
    log: Path,
    *,
    packages_n: int = 0,
) -> None:
    """Install into the private environment; raises WorkspaceError with one line."""
    _raise(run(layout.python, arguments, environ, lock, log, packages_n=packages_n), log)


def _raise(text: str, log: Path) -> None:
    """Raise WorkspaceError for the end of a log, unless that is empty."""
    if not text:
        return
    reason = next((x for x in reversed(text.splitlines()) if "ERROR" in x), text[-200:]).strip()
    if any(sign in text for sign in _NO_NETWORK):
        raise WorkspaceError(
            f"the package index could not be reached: connect to the network and run again. "
            f"Nothing else was changed; details in {log} ({reason[:160]})"
        )
    raise WorkspaceError(f"pip failed, details in {log}: {reason[:300]}")
