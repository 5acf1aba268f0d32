"""`vdsim_calibrate --log`: a log of whole km/h -> a map that loads, Autoware's CSVs, a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from vdsim_interface.extras.calibration.cli.calibrate import main
from vdsim_interface.extras.calibration.log_maps import parse_log
from vdsim_interface.extras.calibration.quantised_fit import KPH
from vdsim_interface.platforms.pedal_map import PedalMapError
from vdsim_interface.platforms.pedal_table import load_pedal_map
from vdsim_interface_kit.quantised_drives import CARS, STEERING, drive, steer


def written(folder: Path, *, steering: bool) -> Path:
    """A log of some minutes, of the shipped map of one car."""
    log = drive(CARS["ioniq5_awd"], 4.0 if steering else 8.0, seed=11)
    columns = [log.time_s, log.speed_mps / KPH, log.pedal]
    head = "time_s,speed_kph,pedal"
    if steering:
        turned = steer(STEERING["slow"], 4.2, seed=2)
        at = np.searchsorted(turned.time_s, log.time_s)
        columns += [np.degrees(turned.angle_rad[at]), np.degrees(turned.asked_rad[at])]
        head += ",wheel_angle_deg,asked_angle_deg"
    path = folder / "log.csv"
    np.savetxt(path, np.column_stack(columns), delimiter=",", header=head, comments="", fmt="%.6g")
    return path


def table(path: Path) -> tuple[list[float], list[float], np.ndarray]:
    """Speeds, commands and cells, as Autoware reads them."""
    first, *rows = (line.split(",") for line in path.read_text(encoding="utf-8").splitlines())
    assert first[0] == "default"
    cells = np.array([[float(text) for text in row] for row in rows])
    return [float(text) for text in first[1:]], list(cells[:, 0]), cells[:, 1:]


def test_a_log_becomes_a_map_three_files_and_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target, plot, folder = tmp_path / "car.csv", tmp_path / "car.png", tmp_path / "autoware"
    log = str(written(tmp_path, steering=True))
    command = ["--log", log, "-o", str(target), "--plot", str(plot), "--autoware", str(folder)]
    assert main(command) == 0
    assert "cells with 20 samples; steering:" in capsys.readouterr().out
    made, known = load_pedal_map(str(target)), load_pedal_map("ioniq5_awd")
    for speed in (4.0, 8.0, 14.0):
        for pedal in (-0.25, 0.1, 0.25):
            assert made.accel(pedal, speed) == pytest.approx(known.accel(pedal, speed), abs=0.15)
    assert plot.stat().st_size > 10_000
    speeds, throttles, accel = table(folder / "accel_map.csv")
    assert throttles[0] == 0.0
    assert throttles == sorted(throttles)
    assert (np.diff(accel, axis=0) > 0.0).all(), "more throttle, more acceleration"
    same, brakes, decel = table(folder / "brake_map.csv")
    assert same == speeds
    assert brakes[0] == 0.0
    assert (np.diff(decel, axis=0) < 0.0).all()
    assert accel[0] == pytest.approx(decel[0]), "no pedal is one row of both"
    _, errors, rates = table(folder / "steer_map.csv")
    assert errors[0] == -0.3
    assert rates[0].max() < 0.0 < rates[-1].min()


def test_without_the_steering_columns_two_files_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, folder = str(written(tmp_path, steering=False)), tmp_path / "maps"
    assert main(["--log", log, "-o", str(tmp_path / "car.csv"), "--autoware", str(folder)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["accel_map.csv", "brake_map.csv"]
    assert "no steering in the log" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b\n", "columns=a,b: must be time_s,speed_kph,pedal or time_s,speed_kph,pedal,wheel_an"),
        ("time_s,speed_kph,pedal\n1,2\n", "sample 1=1,2: must be 3 numbers"),
        ("time_s,speed_kph,pedal\n1,2,x\n", "sample 1=1,2,x: must be 3 numbers"),
        ("time_s,speed_kph,pedal\n1,2,nan\n", "log: must be finite"),
        ("time_s,speed_kph,pedal\n1,2,0\n1,2,0\n", "log: time_s must rise from row to row"),
    ],
)
def test_a_log_that_is_none_is_named_by_its_line(text: str, problem: str) -> None:
    with pytest.raises(PedalMapError) as caught:
        parse_log(text.splitlines())
    assert str(caught.value).startswith(problem)
