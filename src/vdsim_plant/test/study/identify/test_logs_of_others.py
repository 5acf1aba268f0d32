"""Logs as others have them: MATLAB, CSV with other names, CAN; banked roads, offsets, spins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from vdsim_plant.kernel import logged
from vdsim_plant.parameters import ParameterError, load_tyre, load_vehicle
from vdsim_plant.study.identify.candidates import (
    TORQUE_DELAY,
)
from vdsim_plant.study.identify.cut_out import cuts_of, without
from vdsim_plant.study.identify.drive_log import make_log, with_bank, with_true_yaw_rate
from vdsim_plant.study.identify.input_series import InputSeries
from vdsim_plant.study.identify.log_formats.can_file import frames_of, messages_of
from vdsim_plant.study.identify.log_formats.log_files import read_log
from vdsim_plant.study.identify.log_formats.named_sources import Source, checked_sources
from vdsim_plant.study.identify.unknowns import (
    Start,
)

ROWS = 400
TIME = 0.01 * np.arange(ROWS)
FIELDS = ("time_s=t", "vx_mps=speed", "steer_rad=df*0.5", "yaw_rate_radps=wz")
DBC = """
BO_ 37 STEER: 8 XXX
 SG_ ANGLE : 7|16@0- (0.5,0) [-500|500] "deg" XXX
 SG_ KIND M : 16|2@1+ (1,0) [0|3] "" XXX
 SG_ SPARE m1 : 24|8@1+ (1,0) [0|255] "" XXX
BO_ 2566844672 MOTION: 8 XXX
 SG_ SPEED : 0|16@1+ (0.01,0) [0|100] "m/s" XXX
 SG_ YAW : 16|12@1- (0.001,0.5) [-2|3] "rad/s" XXX
"""


def test_a_matlab_file_is_read_by_its_variables_and_from_its_first_row(tmp_path: Path) -> None:
    wz = np.sin(TIME)
    path = tmp_path / "lap.mat"
    stamps = np.insert(1e4 + TIME, 7, 1e4 + TIME[6])  # one stands twice
    twice = {"speed": np.full(ROWS + 1, 9.0), "df": np.ones(ROWS + 1), "wz": np.insert(wz, 7, 9.9)}
    savemat(path, {"t": stamps, **twice, "mode": "fast"})
    log = read_log(path, FIELDS)
    assert log.rows == ROWS
    assert log.columns["steer_rad"][0] == 0.5
    assert np.allclose(log.columns["yaw_rate_radps"], wz, atol=1e-6)
    assert log.by_speed


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        (("vx_mps=speed",), "lap.mat: time_s: is missing: name it"),
        (("time_s=t", "vx_mps=v"), r"lap.mat: vx_mps=v: must be a vector of the file \(df, "),
        (("time_s=t", "vx_mps=short"), "lap.mat: vx_mps: has 3 values: must be 400"),
        (("time=t",), "field='time=t': must be CHANNEL=NAME or CHANNEL=NAME"),
        (("vx_mps=speed*x",), "must be CHANNEL=NAME or"),
    ],
)
def test_what_a_matlab_file_has_not_is_named(
    fields: tuple[str, ...], error: str, tmp_path: Path
) -> None:
    content = {"t": TIME, "speed": np.ones(ROWS), "df": np.ones(ROWS), "short": np.ones(3)}
    savemat(tmp_path / "lap.mat", content)
    with pytest.raises(ParameterError, match=error):
        read_log(tmp_path / "lap.mat", fields)


def test_a_file_that_is_no_matlab_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lap.mat").write_text("no")
    with pytest.raises(ParameterError, match=r"lap\.mat: file: is no MATLAB file up to version 7"):
        read_log(tmp_path / "lap.mat", FIELDS)


def test_a_csv_is_read_by_other_names_and_units(tmp_path: Path) -> None:
    table = np.stack([TIME, np.full(ROWS, 36.0), 0.1 * TIME, TIME], axis=1)
    path = tmp_path / "a.csv"
    np.savetxt(path, table, delimiter=",", header="t,kmh,df,wz", comments="")
    log = read_log(
        path, ("time_s=t", "vx_mps=kmh*0.277777778", "steer_rad=df", "yaw_rate_radps=wz")
    )
    assert log.columns["vx_mps"] == pytest.approx(np.full(ROWS, 10.0))
    with pytest.raises(
        ParameterError, match=r"a\.csv: vx_mps=v: must be a column of the file \(t,"
    ):
        read_log(path, ("vx_mps=v",))


def test_signals_are_decoded_in_both_byte_orders_with_sign_and_multiplexer() -> None:
    messages = messages_of(DBC)
    steer = messages["STEER"]
    data = bytes([0xFF, 0x38, 0x01, 0x2A, 0, 0, 0, 0])
    assert steer.value(steer.signals["ANGLE"], data) == -100.0
    assert steer.value(steer.signals["SPARE"], data) == 42.0
    other = bytes([0xFF, 0x38, 0x00, 0x2A, 0, 0, 0, 0])
    assert steer.value(steer.signals["SPARE"], other) is None
    motion = messages["MOTION"]
    data = (1234 | ((-200 & 0xFFF) << 16)).to_bytes(8, "little")
    assert motion.value(motion.signals["SPEED"], data) == pytest.approx(12.34)
    assert motion.value(motion.signals["YAW"], data) == pytest.approx(0.3)
    assert motion.value(motion.signals["YAW"], b"\x01\x02") is None
    assert frames_of(["(1.5) can0 025#0102", "noise", "(2) can0 18FF0000#"])[1][1] >> 31 == 1


def test_a_can_log_is_read_by_message_and_signal(tmp_path: Path) -> None:
    lines = []
    for k in range(ROWS):
        angle = int(200 * np.sin(TIME[k]))
        speed = (1000 | ((k % 100) << 16)).to_bytes(8, "little").hex().upper()
        lines += [
            f"({TIME[k]:.6f}) can0 025#{(angle & 0xFFFF).to_bytes(2, 'big').hex()}000000000000",
            f"({TIME[k]:.6f}) can0 18FEF000#{speed}",
        ]
    (tmp_path / "a.log").write_text("\n".join(lines))
    dbc = tmp_path / "a.dbc"
    dbc.write_text(DBC.replace("2566844672", str(0x18FEF000 | 1 << 31)))
    fields = (
        *("vx_mps=MOTION.SPEED", "yaw_rate_radps=MOTION.YAW"),
        "steering_wheel_rad=STEER.ANGLE*0.0174532925",
    )
    log = read_log(tmp_path / "a.log", fields, dbc)
    assert np.allclose(log.columns["vx_mps"], 10.0)
    most = np.radians(0.5 * int(200 * np.sin(TIME[157])))
    assert log.columns["steering_wheel_rad"].max() == pytest.approx(most, rel=1e-6)
    with pytest.raises(ParameterError, match=r"a\.log: --dbc: is missing"):
        read_log(tmp_path / "a.log", fields)
    with pytest.raises(ParameterError, match=r"vx_mps=X\.Y: must be MESSAGE\.SIGNAL of a\.dbc"):
        read_log(tmp_path / "a.log", ("vx_mps=X.Y",), dbc)


def test_sources_have_a_factor() -> None:
    assert checked_sources(["vx_mps=v*0.5"]) == {"vx_mps": Source("v", 0.5)}


def _drive(**more: np.ndarray) -> dict[str, np.ndarray]:
    rows = 3000
    rolling = {"vx_mps": np.full(rows, 15.0), "yaw_rate_radps": np.zeros(rows)}
    return {**rolling, "steer_rad": np.zeros(rows), **more}


def test_a_spin_and_a_slope_are_cut_out_and_named() -> None:
    rows = np.arange(3000)
    yaw_rate = np.where((rows > 1000) & (rows < 1100), 1.5, 0.0)
    ax = np.where((rows > 2000) & (rows < 2500), 0.49, 0.0) + 0.2
    log = make_log(0.01 * rows, _drive(yaw_rate_radps=yaw_rate, ax_mps2=ax))
    cuts = cuts_of(log)
    assert [cut.why for cut in cuts] == ["spin", "slope of +5 %"]
    left = without(log, cuts)
    assert len(left.stretches) == 3
    assert all(last <= 1000 or first >= 1100 for first, last in left.stretches)
    assert left.duration_s < log.duration_s - 5.0
    level = make_log(0.01 * rows, _drive(ax_mps2=np.full(3000, 0.3)))
    assert cuts_of(level) == []


def test_a_heading_shows_what_the_yaw_rate_reads_too_much() -> None:
    rows = np.arange(3000)
    rate = 0.1 * np.sin(0.01 * rows)
    heading = np.cumsum(rate) * 0.01
    wrapped = (heading + 3.0 + np.pi) % (2.0 * np.pi) - np.pi
    log = make_log(0.01 * rows, _drive(yaw_rate_radps=rate + 0.005, heading_rad=wrapped))
    true, offset = with_true_yaw_rate(log)
    assert offset == pytest.approx(0.005, abs=3e-5)
    assert true.columns["yaw_rate_radps"] == pytest.approx(rate, abs=3e-5)
    assert true.settled == ("yaw_rate_radps",)


def test_an_accelerometer_shows_the_bank_less_its_offset_and_its_tilt() -> None:
    rows = np.arange(6000)
    rate = np.where(rows < 3000, 0.0, 0.2)
    bank = np.where(rows < 3000, 0.0, 0.4)
    felt = (15.0 * rate - bank) * 1.05 - 0.6
    columns = {"vx_mps": np.full(6000, 15.0), "yaw_rate_radps": rate, "ay_mps2": felt}
    log = with_bank(make_log(0.01 * rows, {**columns, "steer_rad": rate}), 0.05)
    assert not log.has("ay_mps2")
    assert log.columns["bank_mps2"][4000:] == pytest.approx(np.full(2000, 0.4), abs=1e-9)
    assert log.columns["bank_mps2"][:2900] == pytest.approx(np.zeros(2900), abs=1e-9)


@pytest.mark.parametrize(("held", "delay_s"), [(True, 0.0), (True, 0.013), (False, 0.004)])
def test_wheel_torques_act_late_held_or_straight(held: bool, delay_s: float) -> None:
    torque = np.where(np.arange(200) >= 100, 80.0, 0.0)
    names = ("fl", "fr", "rl", "rr")
    columns = {"vx_mps": np.full(200, 10.0), "steer_rad": np.zeros(200)}
    columns |= {f"wheel_torque_nm_{name}": torque for name in names}
    log = make_log(0.01 * np.arange(200), columns)
    start = Start(vehicle=load_vehicle("ioniq5_awd"), tyre=load_tyre("mf96"), mu=0.9)
    values = {**start.values(), TORQUE_DELAY: delay_s}
    places, series = InputSeries(log, 0.5, held_torque=held).of([values])
    begin = int(places[logged.TORQUE_FROM, 0])
    found = series[begin : begin + 2000]
    # The mean of each millisecond: a step at 1 s, or a ramp from 0.99 s to it, and the delay.
    time_s = 1e-3 * (np.arange(2000) + 0.5)
    wanted = (
        80.0 * np.clip((time_s - 1.0 - delay_s) / 1e-3 + 0.5, 0.0, 1.0)
        if held
        else 80.0 * np.clip((time_s - 0.99 - delay_s) / 0.01, 0.0, 1.0)
    )
    assert found == pytest.approx(wanted, abs=1e-6)
