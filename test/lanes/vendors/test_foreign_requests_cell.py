"""The campaign's cell with requests of another DDS vendor, sent by this environment's Cyclone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_the_guard_holds_what_must_hold_during_foreign_requests() -> None:
    cell = ("--cell", "foreign_requests", "--peer-python", sys.executable, "--verbose")
    done = subprocess.run(
        ["./ws", "campaign", *cell], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 cells judged, 0 broken, 0 starved" in done.stdout
