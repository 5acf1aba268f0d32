"""Transforms of /tf: where a frame is in another."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vdsim_autoware.frames import HERE, MOST_FRAMES, Frames, Placed, after, inverse

QUARTER = math.sqrt(0.5)
LEFT = Placed(0.0, 0.0, 0.0, 0.0, 0.0, QUARTER, QUARTER)


def at(x_m: float, y_m: float = 0.0, z_m: float = 0.0) -> Placed:
    return HERE._replace(x_m=x_m, y_m=y_m, z_m=z_m)


def test_a_frame_is_where_the_chain_of_its_parents_puts_it() -> None:
    frames = Frames()
    frames.on_transform("map", "viewer", at(10.0, 5.0, 2.0))
    frames.on_transform("viewer", "mark", after(at(1.0), LEFT))
    assert frames.of("mark", "map") == pytest.approx((11.0, 5.0, 2.0, 0, 0, QUARTER, QUARTER))


def test_two_branches_meet_where_they_part() -> None:
    frames = Frames()
    frames.on_transform("earth", "map", after(at(100.0), LEFT))
    frames.on_transform("earth", "mark", at(100.0, 7.0))
    assert frames.of("mark", "map") == pytest.approx((7.0, 0.0, 0.0, 0, 0, -QUARTER, QUARTER))


def test_the_latest_transform_counts_with_and_without_a_slash() -> None:
    frames = Frames()
    frames.on_transform("map", "viewer", at(1.0))
    frames.on_transform("/map", "/viewer", at(2.0))
    assert frames.of("viewer", "map") == at(2.0)


def test_frames_that_nothing_joins_and_circles_have_no_answer() -> None:
    frames = Frames()
    frames.on_transform("a", "b", at(1.0))
    frames.on_transform("b", "a", at(1.0))
    assert frames.of("a", "map") is None
    assert frames.of("nobody", "map") is None
    assert frames.of("map", "map") == HERE


@pytest.mark.parametrize(
    "wrong", [at(math.nan), at(math.inf), HERE._replace(qw=0.0), HERE._replace(qz=math.nan)]
)
def test_what_is_no_transform_is_discarded(wrong: Placed) -> None:
    frames = Frames()
    frames.on_transform("map", "viewer", at(3.0))
    frames.on_transform("map", "viewer", wrong)
    assert frames.of("viewer", "map") == at(3.0)


def test_a_flood_of_names_takes_no_more_memory_and_the_known_ones_go_on() -> None:
    frames = Frames()
    frames.on_transform("map", "viewer", at(3.0))
    for index in range(2 * MOST_FRAMES):
        frames.on_transform("map", f"flood{index}", at(1.0))
    assert frames.of(f"flood{2 * MOST_FRAMES - 1}", "map") is None
    frames.on_transform("map", "viewer", at(4.0))
    assert frames.of("viewer", "map") == at(4.0)


NUMBER = st.floats(-100, 100)


@settings(deadline=None)
@given(*[NUMBER] * 3, st.floats(-3, 3), st.floats(-1, 1), st.floats(-1, 1))
def test_an_inverse_leads_back(
    x: float, y: float, z: float, yaw: float, pitch: float, roll: float
) -> None:
    turn = HERE
    for angle, axis in ((yaw, 5), (pitch, 4), (roll, 3)):
        values = [0.0] * 7
        values[axis], values[6] = math.sin(angle / 2), math.cos(angle / 2)
        turn = after(turn, Placed(*values))
    placed = turn._replace(x_m=x, y_m=y, z_m=z)
    assert after(inverse(placed), placed) == pytest.approx(tuple(HERE), abs=1e-9)
