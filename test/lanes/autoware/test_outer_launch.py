"""Autoware's own launch XML, unmodified, starts our car; VDSIM_AUTOWARE names a clone of it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_the_launch_files_of_autoware_start_our_car() -> None:
    command = [str(ROOT / "ws"), "pytest", "-q", "-p", "no:cacheprovider", "outer_launch.py"]
    assert os.environ["VDSIM_AUTOWARE"]
    here = Path(__file__).parent
    done = subprocess.run(command, cwd=here, check=False, text=True, capture_output=True)
    print(done.stdout, done.stderr)
    assert done.returncode == 0
