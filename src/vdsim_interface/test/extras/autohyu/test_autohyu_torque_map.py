"""Measured points -> the ECU's table: exact where it can be, refused with the place where not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from vdsim_interface.extras.autohyu import SHIPPED_MAP, TorqueMapError, load_torque_map
from vdsim_interface.extras.autohyu.parameters import PedalParameters
from vdsim_interface.extras.autohyu.torque_map import build_torque_map
from vdsim_interface.extras.autohyu.torque_points import Measured, parse_points

SETTINGS = PedalParameters()
HEADER = "torque_Nm,speed_kph,throttle"


def scattered(count: int = 4000, noise: float = 0.0, per_percent_nm: float = 60.0) -> Measured:
    """Points of the plane APS = torque / 60 + speed / 10, at places in no order."""
    chance = np.random.default_rng(3)
    torque = chance.uniform(-200.0, 4400.0, count)
    speed = chance.uniform(3.0, 181.0, count)
    aps = torque / per_percent_nm + speed / 10.0 + noise * chance.standard_normal(count)
    return Measured(torque, speed, np.clip(aps, 0.0, 100.0))


def test_the_table_has_the_ecus_size() -> None:
    made = load_torque_map(SHIPPED_MAP, SETTINGS)
    assert made.aps_percent.shape == (851, 191)
    assert (made.torque_nm[0], made.torque_nm[-1]) == (-2000.0, 6500.0)
    assert (made.speed_kph[0], made.speed_kph[-1]) == (10.0, 200.0)


def test_the_nearest_point_counts_and_the_ends_are_held() -> None:
    made = build_torque_map(scattered(), SETTINGS)
    at_point = made.aps(1500.0, 50.0 / 3.6)
    assert made.aps(1504.0, 50.4 / 3.6) == at_point
    assert made.aps(1506.0, 50.0 / 3.6) > at_point
    assert made.aps(1e6, 60.0) == made.aps(6500.0, 60.0)
    assert made.aps(1500.0, 0.0) == made.aps(1500.0, 10.0 / 3.6)
    assert made.aps(1500.0, -50.0 / 3.6) == at_point, "reverse counts as speed"


def test_scattered_points_give_the_plane_they_were_taken_from() -> None:
    made = build_torque_map(scattered(), SETTINGS)
    for torque, speed in ((0.0, 20.0), (1000.0, 50.0), (2500.0, 100.0), (3000.0, 150.0)):
        assert made.aps(torque, speed / 3.6) == pytest.approx(torque / 60 + speed / 10, abs=0.05)


def test_aps_never_exceeds_what_may_be_sent_and_never_falls_over_torque() -> None:
    made = build_torque_map(scattered(noise=0.5, per_percent_nm=40.0), SETTINGS)
    assert made.aps_percent.max() == 99.0
    assert made.aps_percent.min() >= 0.0
    assert (np.diff(made.aps_percent, axis=0) >= 0.0).all()
    assert 0.0 < made.straightened_percent < 5.0


def test_places_measured_twice_count_with_their_mean() -> None:
    axis = [(t, s) for t in (0.0, 500.0) for s in (0.0, 5.0, 10.0)]
    points = [(t, s, t / 10.0) for t, s in axis] + [(500.0, 5.0, 60.0)]
    torque, speed, aps = np.array(points).T
    settings = replace(SETTINGS, speed_min_kph=0.0, speed_max_kph=10.0)
    assert build_torque_map(Measured(torque, speed, aps), settings).aps(500.0, 5 / 3.6) == 55.0


def test_a_falling_column_is_refused_with_its_place() -> None:
    points = scattered()
    fallen = np.where(points.torque_nm > 3000.0, points.aps_percent - 30.0, points.aps_percent)
    with pytest.raises(TorqueMapError, match=r"APS falls by .* % while the torque rises to .* N m"):
        build_torque_map(replace(points, aps_percent=np.clip(fallen, 0.0, 100.0)), SETTINGS)


@pytest.mark.parametrize(
    ("hole", "words"),
    [
        (lambda p: (p.torque_nm > 1000.0) & (p.torque_nm < 2000.0), "gap_torque_nm=500"),
        (lambda p: (p.speed_kph > 60.0) & (p.speed_kph < 90.0), "gap_speed_kph=10"),
    ],
)
def test_a_gap_is_refused_with_its_place(hole, words: str) -> None:
    points = scattered()
    keep = ~hole(points)
    rest = Measured(points.torque_nm[keep], points.speed_kph[keep], points.aps_percent[keep])
    with pytest.raises(TorqueMapError, match=f"no point between .*{words}"):
        build_torque_map(rest, SETTINGS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("torque,speed,throttle\n1,2,3", "must be torque_Nm,speed_kph,throttle"),
        (f"{HEADER}\n", "has no points"),
        (f"# note\n{HEADER}\n1,2,3\n4,5\n", "line 4 '4,5': must be three numbers"),
        (f"{HEADER}\n1,2,abc\n", "line 2 '1,2,abc': must be three numbers"),
        (f"{HEADER}\nnan,2,3\n", "line 2 torque_Nm=nan: must be within"),
        (f"{HEADER}\n1,-2,3\n", "line 2 speed_kph=-2: must be 0 to 400 km/h"),
        (f"{HEADER}\n1,2,101\n", "line 2 throttle=101: must be 0 to 100 %"),
        (f"{HEADER}\n1,2,0.5\n", "must be in %, 0 to 100"),
    ],
)
def test_bad_files_are_named(text: str, words: str) -> None:
    with pytest.raises(TorqueMapError) as error:
        parse_points(text.splitlines())
    assert words in str(error.value)


def test_what_rounding_put_outside_of_0_to_100_is_clipped() -> None:
    points = parse_points([HEADER, "1,2,-0.077275", "3,4,100.2", "5,6,50"])
    assert points.aps_percent.tolist() == [0.0, 100.0, 50.0]


def test_bilinear_is_exact_on_a_plane_and_holds_the_ends() -> None:
    axis = [(float(t), float(s)) for t in range(-2000, 6501, 500) for s in range(10, 201, 10)]
    points = Measured(*np.array([(t, s, (t + 2000.0) / 100.0 + s / 50.0) for t, s in axis]).T)
    made = build_torque_map(points, replace(SETTINGS, lookup="bilinear"))
    for torque, speed in ((0.0, 20.0), (1234.5, 50.3), (2503.0, 99.9), (-1999.0, 10.2)):
        expected = (torque + 2000.0) / 100.0 + speed / 50.0
        assert made.aps(torque, speed / 3.6) == pytest.approx(expected, abs=1e-9)
    assert made.aps(1e6, 1e3) == made.aps(6500.0, 200.0 / 3.6)
    assert made.aps(-1e6, 0.0) == made.aps(-2000.0, 10.0 / 3.6)


def test_one_torque_or_speed_is_no_map() -> None:
    with pytest.raises(TorqueMapError, match="two or more torques"):
        build_torque_map(parse_points([HEADER, "1,2,3", "1,4,3"]), SETTINGS)


def test_the_file_is_named_in_every_error(tmp_path: Path) -> None:
    missing = tmp_path / "none.csv"
    with pytest.raises(TorqueMapError, match=r"none\.csv: No such file"):
        load_torque_map(missing, SETTINGS)
    missing.write_text("x\n")
    with pytest.raises(TorqueMapError, match=r"none\.csv: first line 'x'"):
        load_torque_map(missing, SETTINGS)
