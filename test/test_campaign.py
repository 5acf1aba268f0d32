"""Seventeen cells of the fault campaign, with real processes, as `./ws campaign` runs them.

One for each boundary and way to end; what a link or a stack does otherwise is drawn on virtual
time (simulate/).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PATIENCE_S = 900.0


def test_what_must_hold_holds_in_every_quick_cell() -> None:
    folders = [str(ROOT / name) for name in ("campaign", "test")]
    path = os.pathsep.join(filter(None, [*folders, os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, "-m", "vdsim_campaign", "--cells", "quick", "--seed", "1"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    judged = re.search(r"^(\d+) cells judged, 0 broken", done.stdout, re.MULTILINE)
    assert judged is not None
    assert int(judged[1]) > 0, done.stdout
