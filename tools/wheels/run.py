"""`./ws wheels OUT`: wheels and source archives of every Python package, checked."""

from __future__ import annotations

import argparse
import subprocess
import sys
from itertools import chain
from pathlib import Path

from wheels.making import check, make

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Build and check; returns the exit code."""
    parser = argparse.ArgumentParser(prog="./ws wheels", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="folder of the archives")
    out = parser.parse_args(arguments).out.resolve()
    try:
        for line in chain(make(ROOT, out), check(ROOT, out)):
            print(line, flush=True)
    except (OSError, RuntimeError, subprocess.TimeoutExpired) as error:
        print(f"./ws wheels: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
