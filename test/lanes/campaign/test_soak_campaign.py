"""Ten minutes of real time through a bad link: no leak, no drift, every packet accounted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_a_soak_through_the_relay_loses_nothing_unaccounted() -> None:
    done = subprocess.run(
        [sys.executable, "bench/runtime/bench_soak.py", "--seconds", "600"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
