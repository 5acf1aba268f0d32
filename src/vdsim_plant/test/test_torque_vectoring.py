"""The example runs as a user would run it, and shows what its text says."""

import csv
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "torque_vectoring.py"


def test_yaw_moment_control_keeps_the_car_from_spinning(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLE), "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    without, controlled, _ = run.stdout.splitlines()
    assert without.startswith("no control: ")
    assert without.endswith("spun")
    assert controlled.startswith("yaw moment control: ")
    assert controlled.endswith("yaw rate at the end 0.000 rad/s: stayed stable")
    assert (tmp_path / "torque_vectoring.png").read_bytes().startswith(b"\x89PNG")
    torques: dict[str, list[list[float]]] = {}
    for name in ("no_control", "yaw_moment_control"):
        with (tmp_path / f"torque_vectoring_{name}.csv").open() as file:
            rows = list(csv.DictReader(file))
        torques[name] = [[float(row[f"T_{w}"]) for w in ("fl", "fr", "rl", "rr")] for row in rows]
        assert len(rows) == 501
    assert not any(any(row) for row in torques["no_control"])
    assert max(map(max, torques["yaw_moment_control"])) == 1500.0
    assert all(sum(row) == 0.0 for row in torques["yaw_moment_control"])
