"""Runs two_hosts.py in a network of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 300.0


def in_a_network(*words: str) -> Any:
    """What two_hosts.py prints in a network of its own."""
    paths = os.pathsep.join(filter(None, [str(ROOT / "test"), os.environ.get("PYTHONPATH", "")]))
    python = [sys.executable, "-m", "vdsim_kit.two_hosts", *words]
    process = subprocess.Popen(
        ["unshare", "--map-root-user", "--net", *python],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=PATIENCE_S)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, output + errors
    return json.loads(output.splitlines()[-1])
