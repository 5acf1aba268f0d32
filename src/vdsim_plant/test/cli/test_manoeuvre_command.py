"""The `vdsim_manoeuvre` command: every manoeuvre runs, saves a plot and a CSV; faults are named."""

import csv
import sys
from pathlib import Path

import pytest
from vdsim_plant.cli.manoeuvre import main
from vdsim_plant.parameters import vehicle_names
from vdsim_plant.study.manoeuvres import MANOEUVRES

QUICK = {"pass_speed": ["--resolution", "4"], "steady_circle": ["--radius", "20"]}


@pytest.mark.parametrize("name", MANOEUVRES)
def test_every_manoeuvre_prints_plots_and_saves(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plot, data = tmp_path / "plot.png", tmp_path / "run.csv"
    files = ["--plot", str(plot), "--csv", str(data)]
    assert main([name, "--vehicle", "sport_rwd", *QUICK.get(name, []), *files]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("  ") for line in lines)
    assert len(lines) >= 4
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert plot.stat().st_size > 20_000
    with data.open() as file:
        assert len(list(csv.DictReader(file))) > 50
    assert "matplotlib.pyplot" not in sys.modules, "no window, no global state"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["straight_brake", "--vehicle", "nope"], "vehicle='nope': must be a .yaml file or one of"),
        (["straight_brake", "--mu", "9"], "base_mu=9.0: must be > 0 and <= 1.2"),
        (["straight_brake", "--plot", "/no/such/folder/x.png"], "its folder does not exist"),
        (["straight_brake", "--speed", "500"], "speed_mps=500.0: must be 1 to 100 m/s"),
        (["double_lane_change", "--track", "x"], "track='x': must be one of 3888-1, 3888-2"),
    ],
)
def test_a_fault_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("vdsim_manoeuvre: ")
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_a_plot_of_an_unknown_kind_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plot = tmp_path / "plot.xyz"
    assert main(["straight_brake", "--speed", "5", "--plot", str(plot)]) == 2
    assert "output: cannot be written" in capsys.readouterr().err


def test_the_sine_with_dwell_shows_every_car_with_and_without_assistance(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["sine_with_dwell", "--every-car"]) == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0].removeprefix("| ") for row in rows[::2]] == list(vehicle_names())
    assert [row[1] for row in rows] == ["none", "passenger_car"] * len(vehicle_names())
    assert all(row[-1] == "yes |" for row in rows[1::2])


def test_another_tyre_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["straight_brake", "--speed", "20"]) == 0
    usual = capsys.readouterr().out
    assert main(["straight_brake", "--speed", "20", "--tyre", "road_235_55r19"]) == 0
    assert capsys.readouterr().out != usual
