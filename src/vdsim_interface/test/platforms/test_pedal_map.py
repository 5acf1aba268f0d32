import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vdsim_interface.platforms.pedal_map import PedalMap, PedalMapError
from vdsim_interface.platforms.pedal_table import (
    PRESETS,
    load_pedal_map,
    parse_pedal_map,
    write_pedal_map,
)

PEDALS = (-1.0, -0.5, 0.0, 0.5, 1.0)
SMALL = PedalMap((0.0, 10.0), PEDALS, ((-8.0, -3.0, -0.2, 2.0, 5.0), (-8.5, -3.5, -0.4, 1.0, 2.0)))
SHIPPED = sorted(path.stem for path in PRESETS.glob("*.csv"))


@pytest.mark.parametrize(
    ("pedal", "speed", "accel"),
    [
        (0.0, 0.0, -0.2),
        (1.0, 0.0, 5.0),
        (-1.0, 10.0, -8.5),
        (0.5, 5.0, 1.5),
        (0.75, 0.0, 3.5),
        (0.25, 5.0, 0.6),
        (0.0, 99.0, -0.4),
        (0.0, -10.0, -0.4),
        (2.0, 0.0, 5.0),
        (-2.0, 0.0, -8.0),
    ],
)
def test_acceleration_is_bilinear_and_held_at_the_ends(
    pedal: float, speed: float, accel: float
) -> None:
    assert SMALL.accel(pedal, speed) == pytest.approx(accel)


@pytest.mark.parametrize(
    ("accel", "speed", "pedal"),
    [(5.0, 0.0, 1.0), (9.0, 0.0, 1.0), (-9.0, 0.0, -1.0), (-0.2, 0.0, 0.0), (1.5, 5.0, 0.5)],
)
def test_pedal_cases(accel: float, speed: float, pedal: float) -> None:
    assert SMALL.pedal(accel, speed) == pytest.approx(pedal)


@pytest.mark.parametrize("name", SHIPPED)
@settings(deadline=None)
@given(pedal=st.floats(-1.0, 1.0), speed=st.floats(-60.0, 60.0))
def test_every_shipped_map_is_exactly_invertible(name: str, pedal: float, speed: float) -> None:
    pedal_map = load_pedal_map(name)
    pedal = min(max(pedal, pedal_map.pedals[0]), pedal_map.pedals[-1])
    accel = pedal_map.accel(pedal, speed)
    again = pedal_map.pedal(accel, speed)
    assert pedal_map.accel(again, speed) == pytest.approx(accel, abs=1e-9)
    assert again == pytest.approx(pedal, abs=1e-6)


@pytest.mark.parametrize("name", SHIPPED)
@settings(deadline=None)
@given(a=st.floats(-12.0, 12.0), b=st.floats(-12.0, 12.0), speed=st.floats(0.0, 50.0))
def test_more_acceleration_is_never_less_pedal(name: str, a: float, b: float, speed: float) -> None:
    pedal_map = load_pedal_map(name)
    low, high = sorted((a, b))
    assert pedal_map.pedal(low, speed) <= pedal_map.pedal(high, speed)


@settings(deadline=None)
@given(asked=st.lists(st.tuples(st.floats(-12.0, 12.0), st.floats(0.0, 12.0)), max_size=20))
def test_an_answer_does_not_depend_on_what_was_asked_before(
    asked: list[tuple[float, float]],
) -> None:
    used = PedalMap(SMALL.speeds_mps, SMALL.pedals, SMALL.accel_mps2)
    for accel, speed in asked:
        fresh = PedalMap(SMALL.speeds_mps, SMALL.pedals, SMALL.accel_mps2)
        assert used.pedal(accel, speed) == fresh.pedal(accel, speed)


ROW = (-8.0, -3.0, -0.2, 2.0, 5.0)


@pytest.mark.parametrize(
    ("speeds", "pedals", "rows", "line"),
    [
        ((), PEDALS, (), "speed_mps=[]: must rise from 0 or above"),
        ((-1.0,), PEDALS, (ROW,), "speed_mps=[-1.0]: must rise"),
        ((1.0, 1.0), PEDALS, (ROW, ROW), "speed_mps=[1.0, 1.0]: must rise"),
        ((0.0,), (0.0, 1.0), ((0.0, 1.0),), "pedal=[0.0, 1.0]: must be three or more, rising"),
        ((0.0,), (-1.0, 0.0, 0.0), ((0.0, 1.0, 2.0),), "pedal=[-1.0, 0.0, 0.0]: must be three"),
        ((0.0,), (-1.0, 0.1, 1.0), ((0.0, 1.0, 2.0),), "pedal=[-1.0, 0.1, 1.0]: must go from"),
        ((0.0,), (0.0, 0.5, 1.0), ((0.0, 1.0, 2.0),), "pedal=[0.0, 0.5, 1.0]: must go from"),
        ((0.0,), (-1.0, -0.5, 0.0), ((0.0, 1.0, 2.0),), "pedal=[-1.0, -0.5, 0.0]: must go from"),
        ((0.0,), (-1.1, 0.0, 1.0), ((0.0, 1.0, 2.0),), "pedal=[-1.1, 0.0, 1.0]: must go from"),
        ((0.0,), PEDALS, ((1.0, 2.0),), "accel_mps2: must have one value for every speed"),
        ((0.0,), PEDALS, (), "accel_mps2: must have one value for every speed"),
        ((0.0,), PEDALS, ((*ROW[:4], float("nan")),), "accel_mps2 at 0 m/s: must be finite"),
        (
            (0.0,),
            PEDALS,
            ((-8.0, -3.0, -0.2, -0.2, 5.0),),
            "accel_mps2 at 0 m/s: must rise with the pedal, but falls from -0.2 to -0.2 "
            "after pedal 0",
        ),
    ],
)
def test_what_is_not_a_map_is_refused(
    speeds: tuple[float, ...],
    pedals: tuple[float, ...],
    rows: tuple[tuple[float, ...], ...],
    line: str,
) -> None:
    with pytest.raises(PedalMapError) as caught:
        PedalMap(speeds, pedals, rows)
    assert str(caught.value).startswith(line)


def test_csv_and_back() -> None:
    text = write_pedal_map(SMALL, "two\nlines")
    assert text.startswith("# two\n# lines\nspeed_mps,pedal,accel_mps2\n0,-1,-8.00000\n")
    again = parse_pedal_map(text)
    assert again.accel_mps2 == SMALL.accel_mps2
    assert again.speeds_mps == SMALL.speeds_mps
    assert again.pedals == SMALL.pedals


HEAD = "speed_mps,pedal,accel_mps2\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("speed,pedal,accel\n", "columns=['speed', 'pedal', 'accel']: must be speed_mps,pedal,"),
        ("", "columns=None: must be"),
        (HEAD + "1,2\n", "row 1: must be three numbers"),
        (HEAD + "1,2,x\n", "row 1: must be three numbers"),
        (HEAD + "0,-1,-5\n0,-1,-6\n", "row 2: speed 0, pedal -1 appears twice"),
        (HEAD + "0,-1,-5\n0,0,0\n1,-1,-5\n", "speed 1, pedal 0: is missing, the grid must be full"),
    ],
)
def test_what_is_not_a_table_is_refused(text: str, line: str) -> None:
    with pytest.raises(PedalMapError) as caught:
        parse_pedal_map(text)
    assert str(caught.value).startswith(line)


def test_names_and_paths(tmp_path: object) -> None:
    with pytest.raises(
        PedalMapError, match=r"pedal_map=nosuch: must be a .csv file or one of "
    ) as e:
        load_pedal_map("nosuch")
    assert "ioniq5_awd" in str(e.value)
    assert "no such file" not in str(e.value)
    with pytest.raises(PedalMapError, match=r"^pedal_map=car2\.csv: .*; there is no such file$"):
        load_pedal_map("car2.csv")
    with pytest.raises(PedalMapError, match=r"must be a .csv file or one of "):
        load_pedal_map("x" * 5000)
    bad = f"{tmp_path}/bad.csv"
    with open(bad, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write("x\n")
    with pytest.raises(PedalMapError, match=r"bad.csv: columns="):
        load_pedal_map(bad)


def test_every_vehicle_of_the_plant_has_a_map() -> None:
    vehicles = PRESETS.resolve().parent / "vehicles"
    assert {path.stem for path in vehicles.glob("*.yaml")} <= set(SHIPPED)
