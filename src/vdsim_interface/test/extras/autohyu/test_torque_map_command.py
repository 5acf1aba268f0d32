"""`vdsim_torque_map fit`: logs in, a map out that the bridge loads."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_interface.extras.autohyu import load_torque_map
from vdsim_interface.extras.autohyu.cli.torque_map import main
from vdsim_interface.extras.autohyu.parameters import BILINEAR, PedalParameters
from vdsim_interface_kit.torque_logs import true_torque_nm, write_logs

HEADER = "torque_Nm,speed_kph,throttle"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Path]:
    folder = tmp_path_factory.mktemp("made")
    words = [str(file) for file in write_logs(folder)]
    assert main(["fit", *words, "-o", str(folder / "map.csv")]) == 0
    return words, folder / "map.csv"


def test_the_bridge_loads_the_map_and_finds_the_cars_throttle(
    made: tuple[list[str], Path],
) -> None:
    for lookup, error in (("nearest", 0.35), (BILINEAR, 0.1)):
        table = load_torque_map(made[1], PedalParameters(lookup=lookup))
        assert table.straightened_percent < 0.01
        for level in (10.0, 45.0, 70.0, 90.0):
            torque = float(true_torque_nm(level, 83.4))
            assert table.aps(torque, 83.4 / 3.6) == pytest.approx(level, abs=error)


def test_the_report_names_files_levels_outliers_and_errors(
    made: tuple[list[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, picture = tmp_path / "map.csv", tmp_path / "map.png"
    assert main(["fit", *made[0], "-o", str(output), "--plot", str(picture)]) == 0
    printed = capsys.readouterr().out
    assert "21 throttle levels from 0 to 100 %" in printed
    assert "left out as outliers: 1" in printed
    assert "output0to20.csv line 2: 3085.3 N m, 150.8 km/h, 0.0 %" in printed
    assert "table, bilinear: mean" in printed
    head = output.read_text(encoding="utf-8").partition(HEADER)[0]
    assert all(f"# {line}" in head for line in printed.splitlines()[:-1])
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_second_run_leaves_the_map_as_it_is_until_something_differs(
    made: tuple[list[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    words, output = made
    text = output.read_text(encoding="utf-8")
    assert main(["fit", *words, "-o", str(output)]) == 0
    assert "up to date" in capsys.readouterr().out
    assert output.read_text(encoding="utf-8") == text
    output.write_text(text.replace("\n40,60,", "\n40,60,9", 1), encoding="utf-8")
    assert main(["fit", *words, "-o", str(output)]) == 0
    assert "up to date" not in capsys.readouterr().out
    assert output.read_text(encoding="utf-8") == text
    assert main(["fit", *words, "-o", str(output), "--torque-step", "20"]) == 0
    assert "up to date" not in capsys.readouterr().out


def test_a_byte_order_mark_is_no_part_of_the_header(
    made: tuple[list[str], Path], tmp_path: Path
) -> None:
    marked = tmp_path / "marked.csv"
    marked.write_text(Path(made[0][0]).read_text(encoding="utf-8"), encoding="utf-8-sig")
    output = tmp_path / "map.csv"
    assert main(["fit", str(marked), *made[0][1:], "-o", str(output)]) == 0


def test_a_plot_in_no_known_format_is_one_line(
    made: tuple[list[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plot = tmp_path / "map.nothing"
    words = ["fit", *made[0], "-o", str(tmp_path / "map.csv"), "--plot", str(plot)]
    assert main(words) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 1
    assert f"plot={plot}: Format 'nothing' is not supported" in errors[0]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("x\n", [], "log.csv: first line 'x': must be torque_Nm,speed_kph,throttle"),
        (f"{HEADER}\n1,2,3\n", [], "1 different throttle values form 1 level(s)"),
        (f"{HEADER}\n1,2,3\n", ["--outlier", "0"], "outlier=0: must be > 0 and <= 100"),
        (f"{HEADER}\n1,2,3\n", ["--gap-speed", "nan"], "gap-speed=nan: must be > 0 and <= 400"),
        (f"{HEADER}\n1,2,3\n", ["-o", "LOG"], "must be another file than the logs"),
    ],
)
def test_what_cannot_be_fitted_is_one_line(
    text: str,
    options: list[str],
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log, output = tmp_path / "log.csv", tmp_path / "map.csv"
    log.write_text(text, encoding="utf-8")
    options = [str(log) if word == "LOG" else word for word in options]
    assert main(["fit", str(log), "-o", str(output), *options]) == 2
    printed = capsys.readouterr().err
    assert words in printed
    assert len(printed.splitlines()) == 1
    assert not output.exists()


def test_a_missing_log_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", str(tmp_path / "no.csv"), "-o", str(tmp_path / "map.csv")]) == 2
    assert "no.csv: No such file or directory" in capsys.readouterr().err
