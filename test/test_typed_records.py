"""mypy checks order, number and types of a record's values (tools/typed_records)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAD = """
from vdsim_interface.values import Authority, PlatformCommand, WireCommand
from vdsim_interface.values.records import record

def made(command: PlatformCommand, steer: float, throttle: float, brake: float) -> object:
    authority, mode, vehicle, body, raw, meaning, x, a, b, c, parks = command
    return record({})
"""
CASES = {
    "as the fields": (
        "PlatformCommand, (authority, mode, vehicle, body, raw, meaning, x, a, b, c, parks)",
        "",
    ),
    "two values swapped": (
        "PlatformCommand, (mode, authority, vehicle, body, raw, meaning, x, a, b, c, parks)",
        "PlatformCommand.authority is",
    ),
    "a value of another type": (
        'PlatformCommand, (authority, mode, "none", body, raw, meaning, x, a, b, c, parks)',
        "PlatformCommand.vehicle is",
    ),
    "a value left out": (
        "PlatformCommand, (authority, mode, vehicle, body, raw, meaning, x, a, b, c)",
        "PlatformCommand has 10 values for 11 fields",
    ),
    "two floats in order": ("WireCommand, (steer, throttle, brake, 0.0)", ""),
    "two floats swapped": (
        "WireCommand, (steer, brake, throttle, 0.0)",
        "WireCommand.throttle gets what is named brake",
    ),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What mypy says of each case, all in one run."""
    folder = tmp_path_factory.mktemp("records")
    files = {name: folder / f"case_{i}.py" for i, name in enumerate(CASES)}
    for name, file in files.items():
        file.write_text(HEAD.format(CASES[name][0]))
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--cache-dir", str(folder / "cache"), *map(str, files.values())]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    return {
        name: "\n".join(line for line in lines if file.name in line) for name, file in files.items()
    }


@pytest.mark.parametrize("name", CASES)
def test_mypy_says_what_is_wrong(name: str, answers: dict[str, str]) -> None:
    expected = CASES[name][1]
    assert expected in answers[name]
    assert bool(expected) == bool(answers[name]), answers[name]
