"""The path follower that people copy: it starts at the car, and stops where it cannot follow."""

from __future__ import annotations

import math
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).resolve().parents[1] / "examples" / "path_follower.py"
PERIOD_S = 0.02
START = 100.0, -40.0, 2.5


def loaded() -> ModuleType:
    spec = spec_from_file_location("path_follower_example", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLE = loaded()


def path_from(x_m: float, y_m: float, yaw_rad: float) -> list[tuple[float, float]]:
    path: list[tuple[float, float]] = EXAMPLE.placed(EXAMPLE.figure_of_eight(), x_m, y_m, yaw_rad)
    return path


def driven(path: list[tuple[float, float]], pose: tuple[float, float, float]) -> tuple[object, int]:
    """A point that obeys speed and curvature at once, for 60 s at most."""
    pursuit = EXAMPLE.PurePursuit(path, 6.0)
    x, y, yaw = pose
    speed = 0.0
    for n in range(3000):
        speed, curvature = pursuit.command(x, y, yaw, speed)
        x, y = x + speed * PERIOD_S * math.cos(yaw), y + speed * PERIOD_S * math.sin(yaw)
        yaw += speed * curvature * PERIOD_S
        if pursuit.at_the_end or pursuit.is_lost:
            return pursuit, n
    return pursuit, 3000


def test_the_path_begins_at_the_car_in_its_direction() -> None:
    path = path_from(*START)
    assert path[0] == pytest.approx(START[:2])
    (x1, y1), (x2, y2) = path[0], path[1]
    assert math.atan2(y2 - y1, x2 - x1) == pytest.approx(START[2], abs=0.02)


def test_a_car_anywhere_drives_its_path_to_the_end() -> None:
    pursuit, _ = driven(path_from(*START), START)
    assert pursuit.at_the_end  # type: ignore[attr-defined]
    assert pursuit.largest_distance_m < 0.5  # type: ignore[attr-defined]


@pytest.mark.parametrize("away", [(100.0, 0.0, 0.0), (0.0, 30.0, 1.0)])
def test_a_car_that_is_far_from_its_path_is_stopped_at_once(
    away: tuple[float, float, float],
) -> None:
    pursuit, periods_n = driven(path_from(0.0, 0.0, 0.0), away)
    assert pursuit.is_lost  # type: ignore[attr-defined]
    assert periods_n == 0
    assert pursuit.command(*away, 6.0) == (0.0, 0.0)  # type: ignore[attr-defined]
