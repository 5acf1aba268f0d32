"""30 viewers come and go for VDSIM_LIFE hours: memory and files stay as they are."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HOURS = float(os.environ["VDSIM_LIFE"])


def test_no_process_grows() -> None:
    command = [str(ROOT / "ws"), "attack", "--kind", "life", "--minutes", str(60.0 * HOURS)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout)
    last = done.stdout.strip().splitlines()[-1]
    assert re.fullmatch(r"[1-9]\d* tried, 0 fell", last), last
