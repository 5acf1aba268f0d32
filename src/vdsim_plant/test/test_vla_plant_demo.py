"""The example runs as a user would run it, and shows what its text says."""

import csv
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DEMO = ROOT / "examples" / "vla_plant_demo.py"


def test_the_demo_drives_saves_and_draws(tmp_path: Path) -> None:
    # [VS-2.8.3]
    run = subprocess.run(
        [sys.executable, "-W", "error", str(DEMO), "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    unaware, aware = run.stdout.split("knows the friction")
    assert "left the lane" in unaware
    assert "friction used up to 100 %" in unaware
    assert "stayed in the lane" in aware
    assert (tmp_path / "vla_plant_demo.png").read_bytes().startswith(b"\x89PNG")
    for number in (1, 2):
        with (tmp_path / f"vla_plant_demo_{number}.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert len(rows) > 100
        assert {row["FL_mu"] for row in rows} == {"0.5", "0.9"}
        entered = [row for row in rows if row["FL_mu"] == "0.5" and row["RL_mu"] == "0.9"]
        assert entered, "the front wheels are on the patch before the rear ones"
