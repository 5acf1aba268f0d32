"""mu_at agrees with what the ground's description says, point by point."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.ground import (
    Ground,
    MuGrid,
    PolygonPatch,
    SplitMu,
    XPatch,
    compile_ground,
    flat,
    is_uniform_or_striped,
    rectangle,
)
from vdsim_plant.ground.lookup import mu_at

metres = st.floats(-500.0, 500.0)
frictions = st.floats(0.05, 1.2)


def look(ground: Ground, x: float, y: float = 0.0) -> float:
    return mu_at(float(x), float(y), compile_ground(ground))


@given(x=metres, y=metres, mu=frictions)
def test_a_flat_ground_is_the_same_everywhere(x: float, y: float, mu: float) -> None:
    assert look(flat(mu), x, y) == mu


@pytest.mark.parametrize(
    ("x", "expected"),
    [(9.999999, 0.9), (10.0, 0.5), (19.999999, 0.5), (20.0, 0.3), (30.0, 0.9), (-1e6, 0.9)],
)
def test_x_patches_are_exact_and_half_open(x: float, expected: float) -> None:
    ground = Ground(base_mu=0.9, x_patches=(XPatch(10, 20, 0.5), XPatch(20, 30, 0.3)))
    assert look(ground, x) == expected


@given(
    patches=st.lists(
        st.tuples(metres, st.floats(0.5, 100.0), frictions).map(
            lambda p: XPatch(p[0], p[0] + p[1], p[2])
        ),
        max_size=6,
    ),
    x=metres,
)
def test_the_last_of_overlapping_patches_wins(patches: list[XPatch], x: float) -> None:
    covering = [patch.mu for patch in patches if patch.x0_m <= x < patch.x1_m]
    expected = covering[-1] if covering else 0.9
    assert look(Ground(base_mu=0.9, x_patches=tuple(patches)), x) == expected


@given(
    patches=st.lists(
        st.tuples(metres, st.floats(0.5, 30.0), frictions).map(
            lambda p: XPatch(p[0], p[0] + p[1], p[2])
        ),
        min_size=1,
        max_size=4,
    ),
    width=st.floats(0.1, 20.0),
    x=metres,
)
def test_a_transition_is_the_mean_over_its_width(
    patches: list[XPatch], width: float, x: float
) -> None:
    sharp = Ground(base_mu=0.9, x_patches=tuple(patches))
    soft = Ground(base_mu=0.9, x_patches=tuple(patches), transition_m=width)
    inner = [e for p in patches for e in (p.x0_m, p.x1_m) if abs(e - x) < width / 2.0]
    edges = np.unique([x - width / 2.0, *inner, x + width / 2.0])
    arrays = compile_ground(sharp)
    pieces = [mu_at((a + b) / 2.0, 0.0, arrays) * (b - a) for a, b in pairwise(edges)]
    assert look(soft, x) == pytest.approx(sum(pieces) / width, abs=1e-6)


@given(x=metres, y=st.floats(-5.0, 5.0))
def test_split_mu_has_left_and_right_halves(x: float, y: float) -> None:
    ground = Ground(split=SplitMu(mu_left=0.2, mu_right=0.8, y_m=1.0))
    assert look(ground, x, y) == (0.2 if y >= 1.0 else 0.8)


def test_split_mu_with_a_transition_is_the_mean_on_the_line() -> None:
    ground = Ground(split=SplitMu(0.2, 0.8), transition_m=1.0)
    assert look(ground, 0.0, 0.0) == pytest.approx(0.5)
    assert look(ground, 0.0, 0.5) == 0.2
    assert look(ground, 0.0, -0.5) == 0.8


def test_patches_lie_over_split_mu_and_polygons_over_patches() -> None:
    ground = Ground(
        split=SplitMu(0.2, 0.8),
        x_patches=(XPatch(10, 20, 0.5),),
        polygons=(rectangle((15, 0), 2.0, 2.0, 0.0, 0.1),),
    )
    assert look(ground, 5.0, 1.0) == 0.2
    assert look(ground, 12.0, 1.0) == 0.5
    assert look(ground, 15.0, 0.5) == 0.1


@given(x=metres, y=metres, heading=st.floats(-math.pi, math.pi))
def test_a_turned_rectangle_covers_its_own_axes(x: float, y: float, heading: float) -> None:
    ground = Ground(base_mu=0.9, polygons=(rectangle((20, -30), 200, 60, heading, 0.3),))
    along = (x - 20) * math.cos(heading) + (y + 30) * math.sin(heading)
    across = (y + 30) * math.cos(heading) - (x - 20) * math.sin(heading)
    margin = max(abs(along) - 100, abs(across) - 30)
    if abs(margin) > 1e-6:
        assert look(ground, x, y) == (0.3 if margin < 0 else 0.9)


def test_a_hollow_polygon_is_open_in_its_hollow() -> None:
    horseshoe = ((0, 0), (10, 0), (10, 10), (7, 10), (7, 3), (3, 3), (3, 10), (0, 10))
    ground = Ground(base_mu=0.9, polygons=(PolygonPatch(horseshoe, 0.2),))
    assert look(ground, 5.0, 8.0) == 0.9
    assert look(ground, 1.0, 8.0) == 0.2
    assert look(ground, 5.0, 1.0) == 0.2


@given(distance=st.floats(-3.0, 3.0))
def test_a_polygon_edge_ramps_over_the_transition(distance: float) -> None:
    ground = Ground(
        base_mu=0.9, polygons=(rectangle((0, 0), 100, 100, 0.0, 0.3),), transition_m=2.0
    )
    weight = min(max(distance / 2.0 + 0.5, 0.0), 1.0)
    assert look(ground, 50.0 - distance, 7.0) == pytest.approx(0.9 + weight * (0.3 - 0.9))


def test_a_grid_is_looked_up_by_cell() -> None:
    grid = MuGrid(np.array([[0.1, 0.2], [0.3, math.nan]]), cell_m=2.0, x0_m=10.0, y0_m=-2.0)
    ground = Ground(base_mu=0.9, grid=grid)
    assert look(ground, 10.0, -2.0) == 0.1
    assert look(ground, 13.9, -0.1) == 0.2
    assert look(ground, 11.0, 1.0) == 0.3
    assert look(ground, 13.0, 1.0) == 0.9, "an unknown cell shows the ground below"
    assert look(ground, 14.0, 0.0) == 0.9, "outside the grid"
    assert look(ground, 9.99, 0.0) == 0.9


def test_a_smooth_grid_meets_each_cell_at_its_centre() -> None:
    values = np.array([[0.1, 0.2, 0.7], [0.3, 0.5, 0.9]])
    ground = Ground(grid=MuGrid(values, cell_m=1.0, smooth=True))
    for row in range(2):
        for column in range(3):
            assert look(ground, column + 0.5, row + 0.5) == pytest.approx(values[row, column])
    assert look(ground, 1.0, 0.5) == pytest.approx(0.15)
    assert look(ground, 1.0, 1.0) == pytest.approx((0.1 + 0.2 + 0.3 + 0.5) / 4)


@given(x=metres, y=metres, width=st.sampled_from([0.0, 0.5, 5.0]))
def test_friction_stays_between_the_frictions_given(x: float, y: float, width: float) -> None:
    ground = Ground(
        base_mu=0.9,
        split=SplitMu(0.2, 0.8),
        grid=MuGrid(np.array([[0.4, 0.6], [0.3, 1.1]]), cell_m=80.0, smooth=True),
        x_patches=(XPatch(10, 20, 0.5), XPatch(15, 60, 0.15)),
        polygons=(rectangle((15, 0), 60, 30, 0.7, 0.25),),
        transition_m=width,
    )
    assert 0.15 - 1e-12 <= look(ground, x, y) <= 1.1 + 1e-12


def test_the_fast_case_is_told_apart() -> None:
    assert is_uniform_or_striped(Ground(x_patches=(XPatch(0, 1, 0.5),), transition_m=1.0))
    assert not is_uniform_or_striped(Ground(split=SplitMu(0.2, 0.8)))
    assert not is_uniform_or_striped(Ground(polygons=(rectangle((0, 0), 1, 1, 0, 0.5),)))
