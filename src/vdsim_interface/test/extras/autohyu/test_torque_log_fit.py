"""Logs at held throttle levels become a map: compared with the car that the logs were made of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from vdsim_interface.extras.autohyu import TorqueMapError, load_torque_map
from vdsim_interface.extras.autohyu.parameters import PedalParameters
from vdsim_interface.extras.autohyu.torque_log_fit import Curves, FitSettings, LogFit, fit_logs
from vdsim_interface.extras.autohyu.torque_log_report import Log, joined
from vdsim_interface.extras.autohyu.torque_points import Measured, read_points
from vdsim_interface_kit.torque_logs import LEVELS, OUTLIER, true_torque_nm, write_logs

SETTINGS = FitSettings()


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Log]:
    files = write_logs(tmp_path_factory.mktemp("logs"))
    return [Log(file.name, *read_points(file)) for file in files]


@pytest.fixture(scope="module")
def fit(logs: list[Log]) -> LogFit:
    return fit_logs(joined(logs), SETTINGS)


def test_the_log_is_like_the_public_one(logs: list[Log]) -> None:
    points = joined(logs)
    assert 33_000 < len(points.aps_percent) < 35_000
    assert len(np.unique(np.round(points.aps_percent))) == len(LEVELS) == 21


@pytest.mark.parametrize("which", [0, 1])
def test_such_a_log_is_no_map_and_the_error_says_what_makes_one(which: int, tmp_path: Path) -> None:
    with pytest.raises(TorqueMapError, match="becomes a map with vdsim_torque_map fit"):
        load_torque_map(write_logs(tmp_path)[which], PedalParameters())


def test_the_plain_outlier_alone_is_left_out(logs: list[Log], fit: LogFit) -> None:
    [index] = fit.left_out
    points = joined(logs)
    row = points.torque_nm[index], points.speed_kph[index], points.aps_percent[index]
    assert row == OUTLIER


def test_the_curves_are_those_of_the_car(fit: LogFit) -> None:
    speed = np.arange(25.0, 160.0)
    for level in LEVELS:
        aps = fit.curves.aps(true_torque_nm(level, speed), speed)
        assert np.abs(aps - level).max() < 0.25
        assert np.abs(aps - level).mean() < 0.05
    between = (true_torque_nm(40.0, speed) + true_torque_nm(45.0, speed)) / 2.0
    assert fit.curves.aps(between, speed) == pytest.approx(42.5, abs=0.1)


def test_the_errors_on_held_out_points(fit: LogFit) -> None:
    assert fit.held_out_n > 10_000
    assert fit.errors["fit"].mean <= 0.05
    assert fit.errors["fit"].p95 <= 0.2
    assert fit.errors["table, nearest"].mean <= 0.15
    assert fit.errors["table, bilinear"].mean < fit.errors["table, nearest"].mean / 2.0


def test_beyond_its_torques_the_map_holds_and_it_never_falls(fit: LogFit) -> None:
    table = fit.torque_map
    assert (np.diff(table.aps_percent, axis=0) >= 0.0).all()
    assert table.aps_percent.min() == pytest.approx(0.0, abs=1e-6)
    assert table.aps_percent.max() == pytest.approx(100.0, abs=1e-6)
    assert (np.diff(fit.curves.torque_nm, axis=0) >= 0.0).all()


def small_log(**changed: object) -> Measured:
    """Three levels, 5 km/h to 100 km/h."""
    speed = np.tile(np.linspace(5.0, 100.0, 400), 3)
    aps = np.repeat([0.0, 20.0, 40.0], 400)
    return replace(Measured(-100.0 + 30.0 * aps, speed, aps), **changed)


def test_a_level_that_ends_early_keeps_its_place_between_the_others() -> None:
    points = small_log()
    torque = points.torque_nm * (1.0 - points.speed_kph / 200.0)
    keep = (points.aps_percent != 20.0) | (points.speed_kph < 60.0)
    curves = fit_logs(
        Measured(torque[keep], points.speed_kph[keep], points.aps_percent[keep]), SETTINGS
    ).curves
    for speed in (50.0, 70.0, 95.0):
        asked = np.array([(-100.0 + 600.0) * (1.0 - speed / 200.0)])
        assert curves.aps(asked, np.array([speed])) == pytest.approx(20.0, abs=0.3)


def test_levels_that_cross_are_made_to_rise() -> None:
    points = small_log()
    crossing = (points.aps_percent == 20.0) & (points.speed_kph > 50.0)
    torque = np.where(crossing, 1300.0, points.torque_nm)
    curves: Curves = fit_logs(replace(points, torque_nm=torque), SETTINGS).curves
    assert (np.diff(curves.torque_nm, axis=0) >= 0.0).all()
    assert curves.straightened_nm == pytest.approx(100.0, abs=5.0)
    assert curves.straightened_kph > 50.0


@pytest.mark.parametrize(
    ("points", "words"),
    [
        (small_log(aps_percent=np.linspace(0.0, 40.0, 1200)), "form 1 level"),
        (small_log(aps_percent=np.repeat([0.0, 20.0], 600)), "form 2 level"),
        (
            small_log(aps_percent=np.concatenate((np.repeat([0.0, 20.0], 598), [40.0] * 4))),
            "level 40 % has 4 points: must have 10 or more",
        ),
        (
            small_log(torque_nm=np.tile([-100.0, 900.0], 600)),
            "lie outside of the curve of their throttle level: must be at most 1%",
        ),
        (
            small_log(speed_kph=np.tile(np.r_[5.0:40.0:200j, 60.0:99.0:200j], 3)),
            "km/h: neighbours must be at most gap_speed=10",
        ),
        (small_log(torque_nm=np.full(1200, 500.0)), "does not rise with the throttle"),
        (small_log(torque_nm=np.repeat([900.0, 500.0, 100.0], 400)), "does not rise with the"),
        (small_log(speed_kph=np.tile(np.linspace(5.0, 19.0, 400), 3)), "no points from 20 to 160"),
    ],
)
def test_what_is_no_log_of_levels_is_refused(points: Measured, words: str) -> None:
    with pytest.raises(TorqueMapError) as error:
        fit_logs(points, SETTINGS)
    assert words in str(error.value)


@pytest.mark.parametrize(
    "steps",
    [{"torque_step_nm": 1e-9}, {"speed_step_kph": 1e-9}, {"torque_step_nm": 1e-300}],
)
def test_a_step_that_makes_an_endless_map_is_refused(steps: dict[str, float]) -> None:
    with pytest.raises(TorqueMapError, match="must be so long that the map has at most"):
        fit_logs(small_log(), FitSettings(**steps))
