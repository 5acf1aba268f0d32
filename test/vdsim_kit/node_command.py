"""A command of `ros2` about one node, repeated until that node is discovered."""

from __future__ import annotations

import subprocess
import time

PATIENCE_S = 180.0


def ros2_about_node(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `ros2 ARGUMENTS`. Upstream's fails for a node that it has not discovered yet."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        done = subprocess.run(
            ["ros2", *arguments], capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )
        if "Node not found" not in done.stdout + done.stderr or time.monotonic() > deadline:
            return done
