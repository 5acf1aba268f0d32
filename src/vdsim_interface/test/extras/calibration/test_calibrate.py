"""vdsim_calibrate from samples to a map that drives; the sweep runs as a process of its own."""

import os
from pathlib import Path

import pytest
from vdsim_interface.extras.calibration.cli.calibrate import main
from vdsim_interface.platforms.pedal_table import load_pedal_map


def test_calibrates_the_built_in_plant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sweep of a car gives the map that is shipped, and a picture of it."""
    source = Path(__file__).resolve().parents[4]
    parts = [str(source / name) for name in ("vdsim_plant",)]
    monkeypatch.setenv("PYTHONPATH", ":".join(parts), prepend=os.pathsep)
    target, plot = tmp_path / "car.csv", tmp_path / "car.png"
    command = ["--vehicle", "scale_car", "--top-speed", "15", "-o", str(target)]
    assert main([*command, "--plot", str(plot)]) == 0
    assert "error on" in capsys.readouterr().out
    assert plot.stat().st_size > 10_000
    made, shipped = load_pedal_map(str(target)), load_pedal_map("scale_car")
    for speed in (2.0, 8.0, 14.0):
        for accel in (-5.0, -2.0, 0.0, 1.0):
            assert made.pedal(accel, speed) == pytest.approx(shipped.pedal(accel, speed), abs=0.02)


def test_errors_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "x.csv")
    assert main([str(tmp_path / "none.csv"), "-o", target]) == 2
    assert "No such file" in capsys.readouterr().err
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n", encoding="utf-8")
    assert main([str(bad), "-o", target]) == 2
    error = capsys.readouterr().err
    assert error == "vdsim_calibrate: columns=a,b: must be speed_mps,pedal,accel_mps2\n"


def test_an_unknown_vehicle_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path(__file__).resolve().parents[4]
    parts = [str(source / name) for name in ("vdsim_plant",)]
    monkeypatch.setenv("PYTHONPATH", ":".join(parts), prepend=os.pathsep)
    assert main(["--vehicle", "nosuch", "-o", str(tmp_path / "x.csv")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("vdsim_calibrate: sweep of vehicle=nosuch: vdsim_pedal_sweep: ")
    assert error.count("\n") == 1
