"""Commands over time: reading, checking, and the value between two points."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_plant.motion import PedalInput
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant_node.scenario.commands import schedule_from_csv, schedule_from_list

POINTS = [
    {"t_s": 1.0, "throttle": 0.4},
    {"t_s": 2.0, "steer_rad": 0.1, "gear": "R"},
    {"t_s": 4.0, "throttle": 0.0, "brake": 1, "handbrake": True},
]


def test_a_key_left_out_keeps_its_value_and_hold_is_a_staircase() -> None:
    schedule = schedule_from_list(POINTS)
    assert schedule.at(0.0) == PedalInput(0.0, 0.0, 0.0, 1, False)
    assert schedule.at(1.0) == PedalInput(0.0, 0.4, 0.0, 1, False)
    assert schedule.at(1.999) == PedalInput(0.0, 0.4, 0.0, 1, False)
    assert schedule.at(2.0) == PedalInput(0.1, 0.4, 0.0, -1, False)
    assert schedule.at(99.0) == PedalInput(0.1, 0.0, 1.0, -1, True)


def test_linear_interpolates_all_but_gear_and_hand_brake() -> None:
    schedule = schedule_from_list(POINTS, "linear")
    middle = schedule.at(3.0)
    assert (middle.throttle, middle.brake) == (pytest.approx(0.2), pytest.approx(0.5))
    assert (middle.gear, middle.handbrake) == (-1, False)
    assert schedule.at(4.0).brake == 1.0


def test_csv_and_list_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "commands.csv"
    path.write_text(
        "t_s,steer_rad,throttle,brake,gear,handbrake\n1,,0.4,,,\n2,0.1,,,R,\n4,,0,1,,1\n"
    )
    assert schedule_from_csv(path).points == schedule_from_list(POINTS).points


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([], "commands: must hold at least one point"),
        ("drive", "commands: must be a list of points, each with t_s"),
        ([1], "commands[0]=1: must be a group of keys"),
        ([{"throttle": 1}], "commands[0].t_s: missing"),
        ([{"t_s": 0, "speed": 1}], "commands[0].speed: unknown key; known are t_s, steer_rad"),
        ([{"t_s": 0, "throttle": 2}], "commands[0].throttle=2: must be >= 0 and <= 1"),
        ([{"t_s": 0, "gear": 7}], "commands[0].gear=7: must be one of -1, 0, 1, R, N, D"),
        ([{"t_s": 0, "handbrake": "up"}], "commands[0].handbrake='up': must be one of"),
        ([{"t_s": 0}, {"t_s": 0}], "commands[1].t_s=0.0: must be > 0, the point before"),
        ([{"t_s": -1}], "commands[0].t_s=-1: must be >= 0"),
        ([{"t_s": 0, "brake": "much"}], "commands[0].brake='much': must be a number"),
        ([{"t_s": 0, "brake": float("nan")}], "commands[0].brake=nan: must be >= 0 and <= 1"),
    ],
)
def test_wrong_points_are_refused_by_place(points: object, message: str) -> None:
    with pytest.raises(ParameterError) as error:
        schedule_from_list(points)
    assert str(error.value).startswith(message)


def test_a_csv_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "from_a_spreadsheet.csv"
    path.write_text("t_s,throttle\n0,0.4\n", encoding="utf-8-sig")
    assert schedule_from_csv(path).at(0.0).throttle == 0.4


def test_an_unknown_interpolation_is_refused() -> None:
    with pytest.raises(ParameterError, match="interpolation='cubic': must be one of hold, linear"):
        schedule_from_list(POINTS, "cubic")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t_s,speed\n0,1\n", "c.csv: speed: unknown key; known are t_s"),
        ("t_s,throttle\n0,fast\n", "c.csv: commands[0].throttle='fast': must be a number"),
        ("t_s,throttle\n0,1,2\n", "c.csv: commands[0]: has more cells than the header"),
        ("t_s,throttle\n", "c.csv: commands: must hold at least one point"),
        ("", "c.csv: commands: must hold at least one point"),
        ('t_s,throttle\n0,"1\n', "c.csv: after line 1: not CSV"),
    ],
)
def test_a_wrong_csv_is_refused_by_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "c.csv"
    path.write_text(text)
    with pytest.raises(ParameterError) as error:
        schedule_from_csv(path)
    assert str(error.value).startswith(message)
