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

    A file that cannot be made is named with the table that lacks a row; the others are written.
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
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    wrong = False
    for path in PATHS:
        try:
            if not is_stale(path, root):
                continue
        except ValueError as error:  # a table that names what is not there, or leaves something out
            print(f"{path}: {error}", file=sys.stderr)
            wrong = True
            continue
        if arguments:
            print(f"{path}: {STALE}")
            wrong = True
        else:
            write(path, root)
            print(path)
    return int(wrong)
