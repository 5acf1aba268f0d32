"""Mutation runs: the tests of wire and safety notice nearly every small change of the code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LARGEST_SHARE = 0.03


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


def test_few_mutants_of_the_safety_stage_survive() -> None:
    done = _run("src/vdsim_interface/test/mutation/safety_mutants.py")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    total, survived = map(int, re.findall(r"(\d+) mutants, (\d+) survived", done.stdout)[-1])
    assert total > 500
    assert survived <= LARGEST_SHARE * total, done.stdout
