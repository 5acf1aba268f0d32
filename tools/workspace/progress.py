"""Long commands: their whole output in a log, their progress on the screen."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from workspace.layout import WorkspaceError


def print_status(text: str) -> None:
    """Print a line about the progress of `ws` to stderr: stdout is for the user's command."""
    print(f"ws: {text}", file=sys.stderr, flush=True)


def run_logged(
    command: Sequence[str | Path],
    log: Path,
    environ: Mapping[str, str],
    *,
    keep: Sequence[str],
    every: int = 1,
    steps: int = 0,
    cwd: Path | None = None,
    lock: int | None = None,
) -> int:
    """Run `command`; show the lines that start with one of `keep`, write all to `log`.

    On a terminal the shown lines replace each other; elsewhere only each `every`th is shown. With
    `steps`, how many such lines there are in all, each begins with the share that is done.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    on_terminal = sys.stderr.isatty()
    shown = 0
    with (
        log.open("w", encoding="utf-8", buffering=1) as file,
        subprocess.Popen(
            [str(part) for part in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=dict(environ),
            cwd=cwd,
            pass_fds=() if lock is None else (lock,),
            text=True,
            errors="replace",
        ) as child,
    ):
        if child.stdout is None:
            raise WorkspaceError("the output of a command could not be read")
        for line in child.stdout:
            file.write(line)
            if line.lstrip().startswith(tuple(keep)):
                shown += 1
                if on_terminal or shown % every == 0:
                    _show(f"{_share(shown, steps)}{line.strip()}", on_terminal)
        code = child.wait()
    if on_terminal:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return code


def _share(done: int, steps: int) -> str:
    """A percentage of the steps; 99 where a command has more of them than was said."""
    return f"{min(100 * done // steps, 99):3d} %  " if steps else ""


def _show(line: str, on_terminal: bool) -> None:
    if not on_terminal:
        print(f"ws:   {line[:100]}", file=sys.stderr, flush=True)
        return
    width = os.get_terminal_size(sys.stderr.fileno()).columns
    print(f"\r\033[K  {line[: max(width - 3, 20)]}", end="", file=sys.stderr, flush=True)


def tail(log: Path, lines: int) -> str:
    """The last lines of a log."""
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
