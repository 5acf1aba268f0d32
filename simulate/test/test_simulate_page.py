"""docs/simulate.md: its fault and oracle of one's own run, in the ten lines that it promises."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "simulate.md"


def test_a_fault_and_an_oracle_of_ones_own_take_ten_lines_each(tmp_path: Path) -> None:
    found = re.search(r"<!-- own.py -->\n```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    own = tmp_path / "own.py"
    own.write_text(found[1])
    assert len(own.read_text().splitlines()) <= 12

    scene = tmp_path / "scene.json"
    scene.write_text(
        '{"start_mps": 17.9, "ends_s": 7.0, "heals_s": 9.0, "legs": [{"at_s": 0, "speed_mps": 25}],'
        ' "events": [{"at_s": 0.0, "name": "car_freezes", "values": {"for_s": 0.2}}]}'
    )
    command = [sys.executable, "-m", "vdsim_simulate.cli.simulate", "--with", str(own)]
    done = subprocess.run(
        [*command, "--replay", str(scene)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "the car freezes for 0.2 s" in done.stdout, done.stderr
    assert "BROKEN nobody_speeds" in done.stdout
    assert done.returncode == 1
