"""`./ws attack` for as many minutes as VDSIM_ATTACK says, in both compositions: nothing falls."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
MINUTES = float(os.environ["VDSIM_ATTACK"])


def attacked(*words: str) -> str:
    """The last line of a run; what it printed goes to the terminal."""
    done = subprocess.run(
        [str(ROOT / "ws"), "attack", *words], stdout=subprocess.PIPE, text=True, check=False
    )
    print(done.stdout)
    return done.stdout.strip().splitlines()[-1]


@pytest.mark.parametrize("composition", ["guarded", "single"])
def test_nothing_falls(composition: str) -> None:
    last = attacked("--minutes", str(MINUTES / 2), "--composition", composition)
    assert re.fullmatch(r"\d+ tried, 0 fell", last), last
