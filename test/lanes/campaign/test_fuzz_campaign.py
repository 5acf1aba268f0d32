"""Coverage-guided fuzzing of every reader of bytes from outside, a minute for each."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FUZZ = ROOT / "src/vdsim_protocol/test/fuzz"
CORPUS = sorted(folder.name for folder in (FUZZ / "corpus").iterdir())
SECONDS = 60


@pytest.mark.parametrize("target", CORPUS)
def test_no_input_raises(target: str, tmp_path: Path) -> None:
    found = tmp_path / "found"  # new inputs; the committed corpus is only read
    found.mkdir()
    done = subprocess.run(
        [
            *(sys.executable, str(FUZZ / "fuzz.py"), target),
            *(str(found), str(FUZZ / "corpus" / target)),
            *(
                f"-max_total_time={SECONDS}",
                "-print_final_stats=1",
                f"-artifact_prefix={tmp_path}/",
            ),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    crashes = [path.read_bytes().hex() for path in tmp_path.glob("crash-*")]
    assert done.returncode == 0, f"{crashes}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    runs = re.search(r"stat::number_of_executed_units: (\d+)", done.stderr)
    assert runs, done.stderr[-2000:]
    assert int(runs.group(1)) > 1000, "the fuzzer tried next to nothing"
