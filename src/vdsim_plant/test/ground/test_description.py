"""Every fault of a ground description is one line that names the place, the value, the limits."""

import math
from contextlib import nullcontext
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from vdsim_plant.ground import (
    Ground,
    MuGrid,
    PolygonPatch,
    SplitMu,
    XPatch,
    compile_ground,
    grid_from_csv,
    ground_from_mapping,
    load_ground,
    x_patches_from,
)
from vdsim_plant.ground.lookup import mu_at
from vdsim_plant.ground.mapping import GROUND_FOLDER
from vdsim_plant.parameters import ParameterError

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]]


@pytest.mark.parametrize(
    ("friction_map", "message"),
    [
        ([(1, 0, 0.5)], "friction_map[0]: x0>=x1 (1 >= 0)"),
        ([(0, 1, 0.5), (3, 2, 0.4)], "friction_map[1]: x0>=x1 (3 >= 2)"),
        ([(0, 1, 1.5)], "friction_map[0].mu=1.5: must be > 0 and <= 1.2"),
        ([(0, 1, 0)], "friction_map[0].mu=0: must be > 0 and <= 1.2"),
        ([(0, 1)], "friction_map[0]: has 2 values: must be (x0, x1, mu)"),
        (7, "friction_map=7: must be a list of (x0, x1, mu)"),
        ("abc", "friction_map='abc': must be a list of (x0, x1, mu)"),
        ([(0, 1, "a")], "friction_map[0].mu='a': must be a number"),
        ([(0, math.nan, 0.3)], "friction_map[0].x1_m=nan: must be finite"),
        ([(0, True, 0.3)], "friction_map[0].x1_m=True: must be a number"),
    ],
)
def test_a_wrong_friction_map_names_entry_and_value(friction_map: object, message: str) -> None:
    with pytest.raises(ValueError, match=r"friction_map") as caught:
        x_patches_from(friction_map)
    assert str(caught.value) == message


def test_a_friction_map_may_be_none_tuples_or_an_array() -> None:
    expected = (XPatch(0.0, 1.0, 0.5),)
    assert x_patches_from(None) == ()
    assert x_patches_from([(0, 1, 0.5)]) == expected
    assert x_patches_from(np.array([[0, 1, 0.5]])) == expected


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"base_mu": 2}, "g.yaml: base_mu=2: must be > 0 and <= 1.2"),
        ({"transition_m": -1}, "g.yaml: transition_m=-1: must be >= 0"),
        ({"slope_x": 3}, "g.yaml: slope_x=3: must be -1 to 1 (rise/run)"),
        ({"bas_mu": 1}, "g.yaml: bas_mu: unknown key; did you mean base_mu?"),
        ({"x_patches": [[0, 1, 0.5], [2, 1, 0.3]]}, "g.yaml: x_patches[1]: x0>=x1 (2 >= 1)"),
        ({"x_patches": 3}, "g.yaml: x_patches=3: must be a list of [x0, x1, mu]"),
        ({"split": {"mu_left": 0.2}}, "g.yaml: split.mu_right: missing"),
        ({"split": 0.2}, "g.yaml: split=0.2: must be a group of keys"),
        (
            {"polygons": [{"points_m": SQUARE[:2], "mu": 0.3}]},
            "g.yaml: polygons[0].points_m: has 2 points: must have at least 3",
        ),
        (
            {"polygons": [{"points_m": [[0, 0], [4, 4], [4, 0], [0, 3]], "mu": 0.3}]},
            "g.yaml: polygons[0].points_m: has sides that cross each other",
        ),
        (
            {"polygons": [{"points_m": [[0, 0], [1, 1], [2, 2]], "mu": 0.3}]},
            "g.yaml: polygons[0].points_m: encloses no area",
        ),
        (
            {"polygons": [{"points_m": [[0, 0], [1], [2, 2]], "mu": 0.3}]},
            "g.yaml: polygons[0].points_m[1]: must be [x, y]",
        ),
        (
            {"grid": {"values": [[1, 2]], "cell_m": 1}},
            "g.yaml: grid.values[0][1]=2.0: must be > 0 and <= 1.2",
        ),
        (
            {"grid": {"values": [[1], [1, 1]], "cell_m": 1}},
            "g.yaml: grid.values: must be rows of numbers of equal length",
        ),
        ({"grid": {"values": [[1]], "cell_m": 0}}, "g.yaml: grid.cell_m=0: must be > 0"),
        (
            {"grid": {"values": [1], "cell_m": 1}},
            "g.yaml: grid.values: has shape (1,): must be rows and columns",
        ),
        ([1], "g.yaml: ground=[1]: must be a group of keys"),
    ],
)
def test_a_wrong_mapping_gives_one_clear_line(values: object, message: str) -> None:
    with pytest.raises(ValueError, match=r"g\.yaml") as caught:
        ground_from_mapping(values, source="g.yaml")
    assert str(caught.value) == message


def test_a_ground_file_with_a_grid_beside_it(tmp_path: Path) -> None:
    (tmp_path / "map.csv").write_text("# the north row first\n0.3,\n0.1,0.2\n")
    (tmp_path / "ground.yaml").write_text(
        "base_mu: 0.8\n"
        "grid: {csv: map.csv, cell_m: 2.0, x0_m: 10, y0_m: -2}\n"
        "x_patches: [[100, 120, 0.4]]\n"
        "polygons: [{points_m: [[200, 0], [210, 0], [205, 8]], mu: 0.25}]\n"
    )
    arrays = compile_ground(load_ground(tmp_path / "ground.yaml"))
    seen = [mu_at(x, y, arrays) for x, y in ((11, -1), (13, -1), (11, 1), (13, 1))]
    assert seen == [0.1, 0.2, 0.3, 0.8]
    assert mu_at(110.0, 5.0, arrays) == 0.4
    assert mu_at(205.0, 2.0, arrays) == 0.25


def test_a_ground_and_its_grid_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "map.csv").write_text("0.3,0.4\n0.1,0.2\n", encoding="utf-8-sig")
    ground = tmp_path / "ground.yaml"
    ground.write_text("grid: {csv: map.csv, cell_m: 2.0}\nbase_mu: 0.8\n", encoding="utf-8-sig")
    arrays = compile_ground(load_ground(ground))
    assert [mu_at(1.0, 3.0, arrays), mu_at(9.0, 9.0, arrays)] == [0.3, 0.8]


def test_a_missing_ground_file_or_grid_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"ground='none\.yaml': must be a \.yaml file or one of"):
        load_ground("none.yaml")
    (tmp_path / "g.yaml").write_text("grid: {csv: none.csv, cell_m: 1}\n")
    with pytest.raises(ValueError, match=r"g\.yaml: grid\.csv: cannot be read"):
        load_ground(tmp_path / "g.yaml")


def test_every_preset_loads_and_is_what_its_name_says() -> None:
    names = sorted(path.stem for path in GROUND_FOLDER.iterdir())
    assert names == ["dry", "hill_8_percent", "low_mu_patch", "split_mu"]
    grounds = {name: load_ground(name) for name in names}
    assert grounds["dry"] == Ground(base_mu=0.9)
    assert grounds["hill_8_percent"].slope_x == 0.08
    assert mu_at(95.0, 0.0, compile_ground(grounds["low_mu_patch"])) == 0.5
    split = compile_ground(grounds["split_mu"])
    assert (mu_at(0.0, 1.0, split), mu_at(0.0, -1.0, split)) == (0.15, 0.7)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0.5,0.6\n0.7\n", "line 2: has 1 cells: must have 2 as before"),
        ("0.5,x\n", "line 1 column 2='x': must be a number"),
        ("0.5,7\n", "line 1 column 2=7.0: must be > 0 and <= 1.2"),
        ("# nothing\n", "grid: has no rows"),
    ],
)
def test_a_wrong_grid_file_names_line_and_column(content: str, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        grid_from_csv(content, cell_m=1.0)
    assert str(caught.value) == message


def test_descriptions_are_checked_when_made_in_python_too() -> None:
    with pytest.raises(ValueError, match=r"mu_left=-1: must be > 0 and <= 1\.2"):
        SplitMu(-1, 0.5)
    with pytest.raises(ValueError, match=r"points_m='abc': must be a list"):
        PolygonPatch("abc", 0.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"base_mu=nan: must be finite"):
        Ground(base_mu=math.nan)
    with pytest.raises(ValueError, match="read-only"):
        MuGrid(np.array([[0.5]]), 1.0).values[0, 0] = 0.1


def crosses(points: list[tuple[float, float]]) -> bool:
    """Whether two sides cross, each pair by itself."""

    def turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    sides = list(zip(points, [*points[1:], points[0]], strict=True))
    return any(
        turn(a, b, c) * turn(a, b, d) < 0.0 and turn(c, d, a) * turn(c, d, b) < 0.0
        for (a, b), (c, d) in combinations(sides, 2)
    )


def test_sides_cross_as_each_pair_of_them_does() -> None:
    random = Random(5)
    found = {True: 0, False: 0}
    for count in (3, 4, 5, 6) * 100:
        points = [(random.uniform(0.0, 9.0), random.uniform(0.0, 9.0)) for _ in range(count)]
        expected = crosses(points)
        found[expected] += 1
        with pytest.raises(ParameterError, match="cross") if expected else nullcontext():
            PolygonPatch(tuple(points), 0.5)
    assert min(found.values()) > 50


def test_a_polygon_of_thousands_of_corners_is_taken() -> None:
    angles = [2.0 * math.pi * k / 5000 for k in range(5000)]
    circle = tuple((math.cos(angle), math.sin(angle)) for angle in angles)
    assert len(PolygonPatch(circle, 0.5).points_m) == 5000
    with pytest.raises(ParameterError, match="has sides that cross each other"):
        PolygonPatch((*circle[:2500], (9.0, 9.0), (-9.0, 8.0), *circle[2500:]), 0.5)


def test_polygons_in_the_form_of_friction_map_2d() -> None:
    """Where two overlap the lowest friction counts, whichever comes first."""
    square = [[0, -5], [10, -5], [10, 5], [0, 5]]
    strip = [[4, -5], [30, -5], [30, 5], [4, 5]]
    road = ground_from_mapping(
        {"friction_map_2d": [{"polygon": square, "mu": 0.3}, {"polygon": strip, "mu": 0.6}]}
    )
    arrays = compile_ground(road)
    assert [mu_at(x, 0.0, arrays) for x in (-1.0, 2.0, 6.0, 20.0)] == [0.9, 0.3, 0.3, 0.6]
    with pytest.raises(ParameterError, match="friction_map_2d: is given as well as polygons"):
        ground_from_mapping({"friction_map_2d": [], "polygons": []})
    crooked = [{"polygon": [[0, 0], [1], [2, 2]], "mu": 0.3}]
    with pytest.raises(ParameterError, match=r"g.yaml: friction_map_2d\[0\].polygon\[1\]"):
        ground_from_mapping({"friction_map_2d": crooked}, source="g.yaml")
