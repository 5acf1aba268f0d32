"""Seventeen cells of the fault campaign, with real processes, as `./ws campaign` runs them.

One for each boundary and way to end; what a link or a stack does otherwise is drawn on virtual
time (simulate/).
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from vdsim_kit import processes

ROOT = Path(__file__).resolve().parents[1]

PATIENCE_S = 900.0


def test_what_must_hold_holds_in_every_quick_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [str(ROOT / name) for name in ("campaign", "test")]
    path = os.pathsep.join(filter(None, [*folders, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("PYTHONPATH", path)
    campaign = processes.start(
        [sys.executable, "-m", "vdsim_campaign", "--cells", "quick", "--seed", "1", "--tapes"]
    )
    try:
        said, _ = campaign.communicate(timeout=PATIENCE_S)
    finally:
        # Whoever interrupts the test leaves none of its processes behind.
        processes.end(campaign)
    assert campaign.returncode == 0, said
    judged = re.search(r"^(\d+) cells judged, 0 broken", said, re.MULTILINE)
    assert judged is not None
    assert int(judged[1]) > 0, said
    replays = re.findall(r"^replay (\w+): .* (\d+) differing output bits$", said, re.MULTILINE)
    assert replays == [("single", "0"), ("guarded", "0")], said
