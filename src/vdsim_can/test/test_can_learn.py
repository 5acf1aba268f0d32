"""A drive in a log: the signals of pedals and wheel are found, with scale, sign and lag."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from vdsim_can.cli.main import main
from vdsim_can.data import example
from vdsim_can.dbc import codec_of, read_dbc
from vdsim_can.learn.candump import LoggedFrame, frames_of
from vdsim_can.learn.likeness import Series, likeness
from vdsim_protocol.checked_file import FileError

DBC = example("vdsim_dbw").with_suffix(".dbc")
LAG_S = 0.08


def angle_at(t_s: float) -> float:
    """Of the front wheels [rad]."""
    return 0.2 * math.sin(0.9 * t_s) + 0.05 * math.sin(2.3 * t_s)


def brake_at(t_s: float) -> float:
    return max(0.0, math.sin(0.5 * t_s)) ** 2


@pytest.fixture(scope="module")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of 40 s in which the car reports the wheel LAG_S late, and a table of the drive."""
    folder = tmp_path_factory.mktemp("drive")
    network = read_dbc(DBC).network
    codecs = {name: codec_of(network.messages[name]) for name in network.messages}
    chance = random.Random(1)
    lines, rows = [], ["t_s,front_wheel_angle_rad,brake"]
    for step in range(4000):
        t_s = 100.0 + 0.01 * step
        late = angle_at(t_s - LAG_S)
        steering = {
            "WHEEL_ANGLE": math.degrees(late),
            "DRIVER_TORQUE": chance.gauss(0.0, 1.0),
            "COUNTER": step % 15,
        }
        pedals = {"BRAKE": 100.0 * brake_at(t_s), "THROTTLE": 20.0 + chance.gauss(0.0, 1.0)}
        for name, values in (("DBW_STEERING", steering), ("DBW_PEDALS", pedals)):
            can_id = network.messages[name].can_id
            lines.append(
                f"({t_s:.6f}) can0 {can_id:03X}#{codecs[name].pack_physical(values).hex()}"
            )
        rows.append(f"{t_s:.3f},{angle_at(t_s):.9f},{brake_at(t_s):.9f}")
    (folder / "drive.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "drive.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def test_the_signals_of_wheel_and_brake_are_found(
    drive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["learn", str(drive / "drive.log"), "--dbc", str(DBC), "--drive", f"{drive}/drive.csv"]
    assert main(words) == 0
    angle, brake = capsys.readouterr().out.splitlines()
    assert angle.startswith(
        "front_wheel_angle_rad: {signal: DBW_STEERING.WHEEL_ANGLE, scale: 0.017"
    )
    assert angle.endswith("lag 80 ms")
    assert brake.startswith("brake: {signal: DBW_PEDALS.BRAKE, scale: 0.01")
    assert brake.endswith("correlation +1.000, lag 0 ms")


def test_the_relatives_of_a_known_signal_are_found_or_their_absence_is_said(
    drive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["learn", str(drive / "drive.log"), "--dbc", str(DBC), "--like", "DBW_PEDALS.BRAKE"]
    assert main(words) == 1
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "DBW_PEDALS.BRAKE: nothing moves like it\n")


@pytest.mark.parametrize("lag_s", [-0.3, 0.0, 0.2])
@pytest.mark.parametrize("scale", [-3.0, 0.25])
def test_scale_sign_offset_and_lag_are_those_of_the_signal(lag_s: float, scale: float) -> None:
    time_s = np.arange(0.0, 60.0, 0.01)
    wheel = np.vectorize(angle_at)
    quantity = Series("wheel", time_s, wheel(time_s))
    signal = Series("S", time_s, (wheel(time_s - lag_s) - 0.1) / scale)
    found = likeness(quantity, signal, longest_lag_s=0.5)
    assert found is not None
    assert found.lag_s == pytest.approx(lag_s, abs=0.021)
    assert found.scale == pytest.approx(scale, rel=0.01)
    assert found.offset == pytest.approx(0.1, abs=0.005)
    assert abs(found.correlation) > 0.999


def test_what_shares_no_time_is_not_compared() -> None:
    time_s = np.arange(0.0, 10.0, 0.01)
    early = Series("a", time_s, np.sin(time_s))
    late = Series("b", time_s + 9.0, np.sin(time_s))
    assert likeness(early, late, longest_lag_s=0.5) is None


def test_lines_of_candump_are_frames() -> None:
    text = "(1.5) can0 123#0102 R\n(1.6) can1 18FF0001##1AABB\n\n(1.7) can0 123#R\n"
    assert list(frames_of(text, source="x.log")) == [
        LoggedFrame(1.5, "can0", 0x123, False, b"\x01\x02"),
        LoggedFrame(1.6, "can1", 0x18FF0001, True, b"\xaa\xbb"),
    ]


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        (
            "drive.log",
            "(1.5) can0 123#012\n",
            "line 1: '(1.5) can0 123#012': must be as (12.05) ca",
        ),
        ("drive.log", "(1.5) can0 7FF#01\n", "holds no frame of"),
        ("drive.csv", "", "line 1: must name columns, t_s among them"),
        ("drive.csv", "t_s,speed\n", "line 1: speed is no field; there are: velocity_mps"),
        ("drive.csv", "t_s,brake\n1,x\n", "line 2: must have 2 numbers"),
        ("drive.csv", "t_s,brake\n1,0\n1,0\n", "t_s: must rise from row to row"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(
    drive: Path,
    tmp_path: Path,
    file: str,
    text: str,
    problem: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("drive.log", "drive.csv"):
        (tmp_path / name).write_bytes((drive / name).read_bytes())
    (tmp_path / file).write_text(text, encoding="utf-8")
    words = [str(tmp_path / "drive.log"), "--dbc", str(DBC), "--drive", str(tmp_path / "drive.csv")]
    assert main(["learn", *words]) == 1
    said = capsys.readouterr().err
    assert problem in said
    assert said.count("\n") == 1


def test_without_a_known_quantity_nothing_can_be_learned(
    drive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", str(drive / "drive.log"), "--dbc", str(DBC)]) == 1
    assert "--drive or --like is needed" in capsys.readouterr().err
    with pytest.raises(FileError):
        list(frames_of("nonsense", source="x"))
