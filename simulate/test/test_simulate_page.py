"""docs/simulate.md: its fault and oracle of one's own run, and a failure of them is kept."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from vdsim_simulate.cli.simulate import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "simulate.md"
SPEEDS = {
    "start_mps": 17.9,
    "ends_s": 2.0,
    "heals_s": 9.0,
    "legs": [{"at_s": 0, "speed_mps": 25}],
    "events": [{"at_s": 0.0, "name": "car_freezes", "values": {"for_s": 0.2}}],
}


def run(*words: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    path = os.pathsep.join([str(ROOT / "simulate"), os.environ.get("PYTHONPATH", "")])
    environ = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-m", *words]
    return subprocess.run(
        command, env=environ, cwd=cwd, capture_output=True, text=True, check=False
    )


def write_own(folder: Path) -> Path:
    found = re.search(r"<!-- own.py -->\n```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    own = folder / "own.py"
    own.write_text(found[1])
    return own


def test_a_fault_and_an_oracle_of_ones_own_take_ten_lines_each(tmp_path: Path) -> None:
    own = write_own(tmp_path)
    assert len(own.read_text().splitlines()) <= 12

    scene = tmp_path / "scene.json"
    scene.write_text(json.dumps(SPEEDS))
    done = run(
        "vdsim_simulate.cli.simulate", "--with", own.name, "--replay", scene.name, cwd=tmp_path
    )
    assert "the car freezes for 0.2 s" in done.stdout, done.stderr
    assert "BROKEN nobody_speeds" in done.stdout
    assert done.returncode == 1


def test_a_failure_of_ones_own_is_kept_as_a_scene_and_as_a_test_that_runs_anywhere(
    tmp_path: Path,
) -> None:
    write_own(tmp_path)
    (tmp_path / "scene.json").write_text(json.dumps(SPEEDS))
    (tmp_path / "out").mkdir()
    kept = ("--shrink", "out/small.json", "--write-test", "out/test_found.py")
    words = ("--with", "own.py", "--oracle", "nobody_speeds", "--replay", "scene.json", *kept)
    done = run("vdsim_simulate.cli.simulate", *words, cwd=tmp_path)
    assert done.returncode == 1, done.stderr

    tested = run("pytest", "-p", "no:cacheprovider", str(tmp_path / "out/test_found.py"), cwd=ROOT)
    assert "nobody_speeds" in tested.stdout, tested.stdout + tested.stderr
    assert "1 failed" in tested.stdout
    assert "m/s" in tested.stdout

    alone = run("vdsim_simulate.cli.simulate", "--replay", "out/small.json", cwd=tmp_path)
    assert (alone.returncode, alone.stdout) == (2, "")
    assert "oracle=nobody_speeds: is unknown" in alone.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--replay", "fault.json"], "simulate: fault car_freezes: is unknown; one of your own"),
        (["--with", "gone.py"], "gone.py: there is no such file"),
        (["--with", "fault.json"], "fault.json: must be a Python file"),
    ],
)
def test_what_is_not_there_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    words: list[str], why: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fault.json").write_text(json.dumps(SPEEDS))
    assert main([*words, "--seeds", "1"]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1
