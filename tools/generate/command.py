"""`./ws generate`, with `--check` or `--release`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from generate.files import PATHS, is_stale, write
from generate.package_changelogs import write_changelogs
from generate.paths import ROOT

STALE = "is out of date: run ./ws generate"


def main(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Write what is stale and name it; with --check only name it and return 1.

    With --release write what only a release needs: the changelog of each package.
    """
    if list(arguments) not in ([], ["--check"], ["--release"]):
        allowed = "only --check or --release is allowed"
        print(f"generate {' '.join(arguments)}: {allowed}", file=sys.stderr)
        return 2
    try:
        if "--release" in arguments:
            print(*write_changelogs(root), sep="\n")
            return 0
        stale = [path for path in PATHS if is_stale(path, root)]
    except ValueError as error:  # a table that names what is not there, or leaves something out
        print(error, file=sys.stderr)
        return 1
    for path in stale:
        if arguments:
            print(f"{path}: {STALE}")
        else:
            write(path, root)
            print(path)
    return 1 if arguments and stale else 0
