"""Logs: files, gaps, rates, noise, and what a user gets wrong."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from vdsim_plant.parameters import ParameterError
from vdsim_plant.study.identify.drive_log import (
    joined,
    make_log,
    noise_of,
    rolling_rows,
    segment_starts,
)
from vdsim_plant.study.identify.log_formats.log_files import read_log
from vdsim_plant.study.identify.log_formats.mcap_file import checked_fields, collected, on_one_time

HEADER = "time_s,command_steer_rad,command_throttle,command_brake,vx_mps"


def csv_of(path: Path, rows: int = 200, header: str = HEADER) -> Path:
    lines = [header] + [f"{0.01 * k},0.0,0.{k % 9},0.0,{5 + 0.01 * k}" for k in range(rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_csv_is_read_by_the_names_of_its_columns(tmp_path: Path) -> None:
    log = read_log(csv_of(tmp_path / "a.csv"))
    assert log.period_s == pytest.approx(0.01)
    assert log.stretches == ((0, 200),)
    assert log.columns["vx_mps"][100] == pytest.approx(6.0)
    assert log.measured == ("vx_mps",)


def test_a_command_of_a_replayed_run_begins_where_its_tick_does(tmp_path: Path) -> None:
    header = "time_s,vehicle_id,drive,command_steer_rad,command_throttle,command_brake,vx_mps"
    rows = [f"{0.01 * k},0,commanded,{k / 1000},0.1,0.0,{5 + k / 10}" for k in range(1, 202)]
    (tmp_path / "run.csv").write_text("\n".join([header, *rows]), encoding="utf-8")
    log = read_log(tmp_path / "run.csv")
    assert log.columns["command_steer_rad"][0] == 0.002
    assert log.columns["vx_mps"][0] == 5.1


def test_a_gap_parts_a_log_and_no_piece_spans_it() -> None:
    time_s = np.concatenate((np.arange(300), np.arange(400, 700))) * 0.01
    log = make_log(time_s, {"vx_mps": np.full(600, 10.0), "command_steer_rad": np.zeros(600)})
    assert log.stretches == ((0, 300), (300, 600))
    for start in segment_starts(log, 100):
        assert (start < 300) == (start + 100 <= 300)


def test_a_reset_parts_a_log_as_a_gap_does() -> None:
    time_s = np.arange(600) * 0.01
    noise = np.random.default_rng(1).normal(0.0, 0.2, 600)
    speed = np.where(time_s < 3.0, 5.0 + 4.0 * time_s, 5.0 + 4.0 * (time_s - 3.0)) + noise
    log = make_log(time_s, {"vx_mps": speed, "command_steer_rad": np.zeros(600)})
    assert log.stretches == ((0, 300), (300, 600))


def test_rows_about_coming_to_rest_do_not_count() -> None:
    time_s = np.arange(1000) * 0.01
    speed = np.clip(10.0 - 4.0 * time_s, 0.0, None) + np.where(time_s > 6.0, time_s - 6.0, 0.0)
    noise = np.random.default_rng(1).normal(0.0, 0.2, 1000)
    log = make_log(time_s, {"vx_mps": speed + noise, "command_steer_rad": np.zeros(1000)})
    rolls = rolling_rows(log)
    assert rolls[:190].all()
    assert not rolls[220:700].any()
    assert rolls[760:].all()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("command_throttle", 55.0, r"command_throttle\[7\]=55: must be finite, 0 to 1$"),
        ("command_steer_rad", 12.0, r"command_steer_rad\[7\]=12: must be finite, -1.6 to 1.6 rad"),
        ("vx_mps", np.nan, r"vx_mps\[7\]=nan: must be finite, -150 to 150 m/s"),
    ],
)
def test_a_value_in_another_unit_names_its_row_and_what_is_allowed(
    name: str, value: float, said: str
) -> None:
    columns = {"vx_mps": np.full(200, 10.0), "command_steer_rad": np.zeros(200)}
    columns["command_throttle"] = np.zeros(200)
    columns[name][7] = value
    with pytest.raises(ParameterError, match=said):
        make_log(np.arange(200) * 0.01, columns)


def test_a_fast_log_is_averaged_and_a_command_is_held() -> None:
    time_s = np.arange(10_000) * 0.001
    noisy = 10.0 + np.random.default_rng(1).normal(0.0, 1.0, 10_000)
    steps = (time_s >= 5.0).astype(float)
    log = make_log(time_s, {"vx_mps": noisy, "command_steer_rad": steps})
    assert log.period_s == pytest.approx(0.01)
    assert np.std(log.columns["vx_mps"]) == pytest.approx(np.sqrt(0.1), rel=0.1)
    assert set(log.columns["command_steer_rad"]) == {0.0, 1.0}


def test_the_noise_of_a_channel_is_found_whatever_the_car_does() -> None:
    time_s = np.arange(0.0, 60.0, 0.01)
    clean = 20.0 + 10.0 * np.sin(0.8 * time_s) + (time_s > 30.0)
    noisy = clean + np.random.default_rng(2).normal(0.0, 0.4, len(clean))
    assert noise_of(noisy, [(0, len(noisy))]) == pytest.approx(0.4, rel=0.05)


def test_logs_one_behind_the_other_keep_what_all_of_them_have(tmp_path: Path) -> None:
    one = read_log(csv_of(tmp_path / "a.csv"))
    two = make_log(
        np.arange(100) * 0.01,
        {**{n: c[:100] for n, c in one.columns.items()}, "ax_mps2": one.columns["vx_mps"][:100]},
    )
    both = joined([one, two])
    assert both.stretches == ((0, 200), (200, 300))
    assert not both.has("ax_mps2")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "bad.csv: file: is empty"),
        ("a,b\n1,2\n", "bad.csv: columns: has no time_s"),
        (
            "time_s,speed_kmh,command_steer_rad,command_throttle,command_brake\n0,0,0,0,0\n",
            "bad.csv: columns: has no vx_mps; not known: speed_kmh; --channels lists",
        ),
        ("time_s,vx_mps\n0,1\n", "bad.csv: columns: has no one of command_steer_rad"),
        (f"{HEADER}\n0,0,0,0,1\n0.1,0,x,0,1\n", "bad.csv: row 3: command_throttle='x': must be"),
        (f"{HEADER}\n0,0,0\n", "bad.csv: row 2: has 3 cells"),
        (f"{HEADER}\n0,0,0,0,1\n", "bad.csv: rows=1: must be 100 or more"),
    ],
)
def test_a_wrong_log_is_one_line(tmp_path: Path, text: str, error: str) -> None:
    (tmp_path / "bad.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError) as caught:
        read_log(tmp_path / "bad.csv")
    assert str(caught.value).startswith(error)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_a_time_that_does_not_rise_is_refused(bad: float) -> None:
    time_s = np.arange(200) * 0.01
    time_s[50] = bad
    with pytest.raises(ParameterError, match="must be finite and rising"):
        make_log(time_s, {"vx_mps": np.zeros(200)})


def test_an_unknown_kind_of_file_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"must be one of \.csv, \.log, \.mat, \.mcap"):
        read_log(tmp_path / "log.xyz")


def test_messages_become_channels_by_type_or_by_topic_and_field() -> None:
    velocity = "autoware_vehicle_msgs/msg/VelocityReport"
    report = SimpleNamespace(longitudinal_velocity=8.0, lateral_velocity=0.1)
    own = SimpleNamespace(data=[0.0, 0.3])
    messages = [
        ("/velocity", velocity, 1.0, report),
        ("/pedals", "std_msgs/msg/Float64MultiArray", 1.005, own),
        ("/other_velocity", velocity, 1.006, SimpleNamespace(longitudinal_velocity=0.0)),
        ("/velocity", velocity, 1.01, report),
    ]
    fields = checked_fields(["command_throttle=/pedals:data.1"])
    time_s, columns = on_one_time(collected(iter(messages), fields))
    assert np.allclose(time_s, [0.0, 0.01])
    assert np.all(columns["vx_mps"] == 8.0)
    assert np.all(columns["command_throttle"] == 0.3)


def test_a_field_that_a_message_lacks_is_named() -> None:
    fields = checked_fields(["vx_mps=/speed:value"])
    messages = iter([("/speed", "a/msg/B", 0.0, SimpleNamespace(other=1.0))])
    with pytest.raises(ParameterError, match="vx_mps=value: the message has no such number"):
        collected(messages, fields)
    with pytest.raises(ParameterError, match="must be CHANNEL=TOPIC:FIELD"):
        checked_fields(["speed=/a:b"])
