"""The path that a stack plans, before the page draws it."""

from __future__ import annotations

import itertools
import math

import pytest
from vdsim_plant_node.interface.path import MOST_POINTS, path_view, planned, thinned


@pytest.mark.parametrize("frame", ["map", "odom", "car_1/map", "/map", ""])
def test_a_path_in_the_world_is_drawn(frame: str) -> None:
    path = planned(frame, [(0.0, 1.0), (2.004, 3.0)])
    assert path.points == ((0.0, 1.0), (2.0, 3.0))
    assert path.problem == ""


def test_a_path_in_the_frame_of_the_car_is_named_and_not_drawn() -> None:
    path = planned("car_1/base_link", [(0.0, 1.0)])
    assert path_view(path) == {"points": (), "problem": "in frame car_1/base_link, not in map"}


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -1e30])
def test_a_path_with_a_wrong_number_is_named_and_not_drawn(wrong: float) -> None:
    path = planned("map", [(0.0, 0.0), (wrong, 0.0)])
    assert path.points == ()
    assert "not finite or too far away" in path.problem


@pytest.mark.parametrize("count", [0, 1, 2, MOST_POINTS, MOST_POINTS + 1, 10_000])
def test_a_long_path_keeps_its_ends_and_is_thinned_evenly(count: int) -> None:
    points = [(float(n), 0.0) for n in range(count)]
    left = thinned(points)
    assert len(left) == min(count, MOST_POINTS)
    assert left[:1] == tuple(points[:1])
    assert left[-1:] == tuple(points[-1:])
    gaps = {b[0] - a[0] for a, b in itertools.pairwise(left)}
    assert not gaps or max(gaps) - min(gaps) <= 1.0


def test_no_path_is_null_for_the_page() -> None:
    assert path_view(None) is None
