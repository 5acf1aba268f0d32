"""The pieces of the numeric core, and where its compiled form is kept."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from vdsim_plant.compiled import code_cache
from vdsim_plant.kernel import layout
from vdsim_plant.kernel.polynomials import (
    angle_of,
    arctangent,
    curve_sine_and_cosine,
    exponential,
    sine,
    sine_and_cosine,
)
from vdsim_plant_kit.drives import PACKAGE_ROOT, in_fresh_process

FIRST_OBSERVATION = """
import time
started = time.perf_counter()
from vdsim_plant import VDSimPlant
plant = VDSimPlant()
plant.reset([0, 0, 0, 10, 0, 0])
plant.step([0.0, 0.0])
import sys
heavy = [name for name in ("numba", "scipy", "matplotlib", "rclpy") if name in sys.modules]
print(time.perf_counter() - started, heavy)
"""


@njit  # type: ignore[untyped-decorator]
def _over(points: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    out = np.empty((points.size, 5))
    for k in range(points.size):
        x = points[k]
        out[k, 0] = sine(min(max(x, -math.pi), math.pi))
        out[k, 1], out[k, 2] = sine_and_cosine(x)
        out[k, 3] = arctangent(abs(x) + 1e-12, 1.0 / (abs(x) + 1e-12))
        out[k, 4] = angle_of(x, 1.0 - x)
    return out


@njit  # type: ignore[untyped-decorator]
def _exponentials(points: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    out = np.empty(points.size)
    for k in range(points.size):
        out[k] = exponential(points[k])
    return out


def test_the_exponential_is_one_and_is_held_where_it_would_overflow() -> None:
    x = np.linspace(-32.0, 32.0, 40_001)
    assert _exponentials(x) == pytest.approx(np.exp(x), rel=2e-12)
    assert _exponentials(np.zeros(1))[0] == 1.0
    beyond = _exponentials(np.array([-1e9, 1e9]))
    assert beyond == pytest.approx(np.exp([-32.0, 32.0]), rel=2e-12)


def test_polynomials_are_sine_cosine_and_arctangent() -> None:
    x = np.concatenate([np.linspace(-40.0, 40.0, 20001), np.geomspace(1e-9, 1e5, 2001)])
    out = _over(x)
    assert out[:, 0] == pytest.approx(np.sin(np.clip(x, -np.pi, np.pi)), abs=4e-15)
    small = np.abs(x) < 1e3
    assert out[small, 1] == pytest.approx(np.sin(x[small]), abs=1e-13)
    assert out[small, 2] == pytest.approx(np.cos(x[small]), abs=1e-13)
    assert out[:, 3] == pytest.approx(np.arctan(np.abs(x) + 1e-12), rel=1e-10)
    assert out[:, 4] == pytest.approx(np.arctan2(x, np.abs(1.0 - x)), rel=1e-10, abs=1e-12)


@njit  # type: ignore[untyped-decorator]
def _curve_over(angles: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    out = np.empty((angles.size, 2))
    for k in range(angles.size):
        out[k, 0], out[k, 1] = curve_sine_and_cosine(angles[k])
    return out


def test_the_sine_of_a_tyre_curve_is_close_enough_and_its_cosine_for_a_slope() -> None:
    angles = np.concatenate([np.geomspace(1e-12, 1e-2, 101), np.linspace(0.0, np.pi, 3001)])
    out = _curve_over(angles)
    assert np.all(np.abs(out[:, 0] - np.sin(angles)) <= 7e-12 * angles + 1e-16)
    assert out[:, 1] == pytest.approx(np.cos(angles), abs=8.1e-7)


def test_polynomials_are_exactly_odd_and_even() -> None:
    x = np.linspace(0.0, 30.0, 3001)
    plus, minus = _over(x), _over(-x)
    assert np.array_equal(plus[:, 1], -minus[:, 1])
    assert np.array_equal(plus[:, 2], minus[:, 2])


def test_no_two_numbers_share_a_place() -> None:
    """Places count up; wheel quantities take four, the motor's table its length."""
    bends = 4 * layout.BEND_TABLE
    sizes = {"MOTOR_TABLE": layout.MOTOR_POINTS, "TORQUE": 4, "BEND_TABLES": bends}
    taken: list[int] = []
    skipped = (
        *("LANES", "WHEELS", "SIZE", "STATE", "MOTOR_POINTS", "OBSERVED_PER_WHEEL"),
        *("WHEEL_NAMES", "BEND_KINKS", "BEND_TABLE"),
    )
    for name, place in vars(layout).items():
        if not name.isupper() or name in skipped or name.startswith("OBSERVED"):
            continue
        width = sizes.get(name, 4 if place >= layout.WHEELS else 1)
        taken += range(place, place + width)
    assert sorted(taken) == list(range(layout.OBSERVED))


def _first_observation(**environment: str) -> tuple[float, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_OBSERVATION],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE_ROOT), **environment},
    )
    seconds, heavy = done.stdout.split(" ", 1)
    return float(seconds), heavy.strip(), done.stderr


def test_an_empty_cache_is_announced_and_a_full_one_is_silent(tmp_path: Path) -> None:
    cold, _, said = _first_observation(VDSIM_CACHE_DIR=str(tmp_path))
    assert said.startswith("vdsim_plant: compiling advance, once")
    assert str(tmp_path) in said
    warm, heavy, said = _first_observation(VDSIM_CACHE_DIR=str(tmp_path))
    assert said == ""
    assert heavy == "[]"
    assert warm < cold


@pytest.mark.parametrize(
    "arguments", ['level="kinematic"', 'tyre="road_235_55r19"', 'ground="split_mu"']
)
def test_no_car_and_no_road_loads_the_compiler_when_the_cache_is_full(arguments: str) -> None:
    code = FIRST_OBSERVATION.replace("VDSimPlant()", f"VDSimPlant({arguments})")
    in_fresh_process(code)
    _, heavy = in_fresh_process(code).split(" ", 1)
    assert heavy.strip() == "[]"


def test_a_damaged_file_in_the_cache_is_compiled_again(tmp_path: Path) -> None:
    _first_observation(VDSIM_CACHE_DIR=str(tmp_path))
    (kept,) = tmp_path.glob("*/advance.code")
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-100])
    _, _, said = _first_observation(VDSIM_CACHE_DIR=str(tmp_path))
    assert said.startswith("vdsim_plant: compiling advance, once")
    assert kept.read_bytes() == whole


def test_a_place_that_cannot_be_written_is_passed_over(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    kept = tmp_path / "temporary"
    kept.mkdir()
    _, _, said = _first_observation(
        VDSIM_CACHE_DIR="", XDG_CACHE_HOME=str(blocked), TMPDIR=str(kept)
    )
    assert str(kept) in said


def test_without_any_place_it_compiles_every_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    _, _, said = _first_observation(VDSIM_CACHE_DIR=str(blocked))
    assert "no folder to keep it in" in said


def test_the_fingerprint_follows_the_sources_and_the_processor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    usual = code_cache._fingerprint()
    assert code_cache._fingerprint() == usual
    monkeypatch.setenv("NUMBA_CPU_NAME", "another")
    assert code_cache._fingerprint() != usual
    monkeypatch.undo()
    monkeypatch.setattr(code_cache, "_PACKAGE", tmp_path)
    assert code_cache._fingerprint() != usual
