"""The example runs as a user would run it, and shows what its text says."""

import csv
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "low_mu_lane_change.py"


def test_the_patch_exists_for_the_car_with_tyres_alone(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLE), "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    *lines, picture = run.stdout.splitlines()
    found = [re.search(r"up to ([\d.]+) m off .* up to ([\d.]+) degrees$", line) for line in lines]
    (kinematic, _), (dry, dry_slip), (snow, snow_slip) = (
        tuple(map(float, match.groups())) for match in found if match
    )
    assert abs(dry - kinematic) < 0.1, "on a dry road the kinematic model is good enough"
    assert dry_slip < 1.0
    assert snow > 3.0 * dry
    assert snow_slip > 5.0
    assert picture == f"picture: {tmp_path / 'low_mu_lane_change.png'}"
    assert (tmp_path / "low_mu_lane_change.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "lane_change_car_with_tyres_snow.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 181
