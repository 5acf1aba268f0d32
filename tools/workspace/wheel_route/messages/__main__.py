"""`python -m workspace.wheel_route.messages PREFIX WORK ROS PACKAGE ...`: build interface packages.

PREFIX is replaced when everything succeeded; WORK keeps what the next run can use; ROS is the
prefix of the wheels; each PACKAGE is a folder.
"""

from __future__ import annotations

import os
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from workspace.wheel_route.messages import compile as compiling
from workspace.wheel_route.messages import install, packages
from workspace.wheel_route.messages.generate import Workspace


def main(arguments: list[str]) -> int:
    """Build and install; the exit code."""
    prefix, work, ros, *folders = map(Path, arguments)
    work.mkdir(parents=True, exist_ok=True)
    found = packages.in_order([packages.read(folder) for folder in folders])
    space = Workspace(work, ros, found)
    for package in found:  # else a deleted message would be compiled still
        shutil.rmtree(work / package.name, ignore_errors=True)
    with ProcessPoolExecutor(os.cpu_count() or 1) as pool:
        space.generate(pool)
    partial = prefix.with_name(f"{prefix.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    (partial / "lib").mkdir(parents=True)
    try:
        compiling.build(space, partial / install.LIBRARY)
    except compiling.CompileError as error:
        print(f"Failed: {error}", flush=True)
        return 1
    install.install(space, partial)
    shutil.rmtree(prefix, ignore_errors=True)
    partial.replace(prefix)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
