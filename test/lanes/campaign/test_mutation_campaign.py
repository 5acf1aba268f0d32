"""Mutation runs: what the tests of wire, safety stage, acceleration loop and guard notice."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = {"safety": "348", "acceleration": "240", "guard": "200"}
"""A sample keeps the lane within its time; VDSIM_MUTANTS=0 tries them all."""


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    # The mutated copy must be imported, not the sources.
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, *command],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )


def test_every_surviving_mutant_of_the_wire_is_argued(tmp_path: Path) -> None:
    script = "src/vdsim_protocol/test/mutation/mutate.py"
    done = _run(script, str(tmp_path / "mutation"))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert re.search(r"^\d+ of \d{3,} survive: ", done.stdout, re.MULTILINE), done.stdout[-500:]


@pytest.mark.parametrize("room", SAMPLES)
def test_every_surviving_mutant_of_the_interface_is_argued(room: str) -> None:
    sample = ("--sample", os.environ.get("VDSIM_MUTANTS", SAMPLES[room]), "--seed", "1")
    done = _run("src/vdsim_interface/test/mutation/interface_mutants.py", room, *sample)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    total = int(re.findall(r"^(\d+) mutants", done.stdout, re.MULTILINE)[-1])
    assert total >= 100
