"""The car file of the example network, and what every mistake in one says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from vdsim_can.car import CarFile, Comparison, Condition, SignalName, load_car, read_car
from vdsim_can.car.checks import problems_of
from vdsim_can.car.handshake_checks import successors
from vdsim_can.cli.main import main
from vdsim_can.data import EXAMPLES, example
from vdsim_can.dbc import codec_of
from vdsim_can.fields.encoding import FieldEncoder
from vdsim_can.integrity import checksum_of
from vdsim_protocol.checked_file import FileError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in EXAMPLES:
        for suffix in (".yaml", ".dbc"):
            shutil.copy(example(name).with_suffix(suffix), tmp_path)
    return tmp_path


def changed(folder: Path, before: str, after: str, file: str = "vdsim_dbw.yaml") -> Path:
    """The example with one place changed."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, before
    path.write_text(text.replace(before, after), encoding="utf-8")
    return folder / "vdsim_dbw.yaml"


def line_of(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_no_problem(name: str) -> None:
    car = load_car(example(name))
    assert car.name == name
    assert all(len(line) <= 100 for line in example(name).read_text("utf-8").splitlines())


def test_the_example_is_a_page() -> None:
    assert 50 <= load_car(example("vdsim_dbw")).rows <= 70


def test_a_row_becomes_what_it_says() -> None:
    car = load_car(example("vdsim_dbw"))
    angle = next(row for row in car.commands if row.field == "front_wheel_angle_rad")
    assert angle.signal == SignalName("DBW_STEER_CMD", "WHEEL_ANGLE")
    assert angle.scale == pytest.approx(0.0174532925)
    assert angle.neutral == "measured"
    body = car.send["DBW_BODY_CMD"]
    assert (body.cycle_ms, body.phase_ms, body.when_silent) == (50.0, 5.0, None)
    assert body.counter is not None
    assert (body.counter.first, body.counter.last) == (0, 14)
    assert body.checksum is not None
    assert body.checksum.data_ids == (0x13,)
    clear = car.handshake[1]
    assert clear.wait_for == (Condition(SignalName("DBW_STATUS", "STATE"), Comparison.EQUAL, 1.0),)
    assert (clear.state, clear.within_ms, clear.drives) == ("clear", 300.0, False)
    assert [step.drives for step in car.handshake] == [False, False, False, True]


def test_the_frames_of_the_safety_island_are_the_documented_ones() -> None:
    """0.125 rad, -0.5 rad/s, 12.25 m/s, -1.5 m/s2, mode 2, flags 0x0B, number 42, 12345 ms."""
    car = load_car(example("safety_island"))
    frames = {
        "LATERAL_COMMAND": {"STEERING_ANGLE": 0.125, "STEERING_RATE": -0.5},
        "LONGITUDINAL_COMMAND": {"VELOCITY": 12.25, "ACCELERATION": -1.5},
        "COMMAND_STATUS": {"OUTPUT_MODE": 2, "VALIDITY": 11, "SEQUENCE": 42, "TIMESTAMP": 12345},
    }
    packed = [codec_of(car.message(name)).pack_physical(frames[name]).hex() for name in frames]
    assert packed == ["48e80100e05ef8ff", "da2f000024faffff", "020b2a0039300000"]
    assert [car.message(name).can_id for name in frames] == [0x100, 0x101, 0x102]


def test_a_checksum_of_the_example_protects_every_other_bit() -> None:
    car = load_car(example("vdsim_dbw"))
    for name, row in {**car.send, **car.receive}.items():
        assert row.checksum is not None
        compute = checksum_of(row.checksum, car.message(name), row.counter)
        right = compute(bytes(8), 0)
        for bit in range(8, 64):
            assert compute((1 << bit).to_bytes(8, "little"), 0) != right, (name, bit)


# (text of the file, what stands there instead, text of the line that is named, the sentence)
BROKEN = [
    ("car: vdsim_dbw", "car: vdsim_dbw\nwheels: 4", "wheels:", "wheels: there is no such key"),
    ("{dbc: vdsim_dbw.dbc}", "{dbc: none.dbc}", "", "none.dbc: No such file"),
    ("  DBW_BODY: {", "  DBW_BODIES: {", "DBW_BODIES", "has no message DBW_BODIES"),
    ("DBW_BODY.FUEL", "DBW_BODY.TANK", "TANK", "DBW_BODY has no signal TANK; it has: CHECKSUM"),
    ("DBW_BODY.FUEL", "DBW_STEER_CMD.ENABLE", "fuel", "DBW_STEER_CMD is no message under receive"),
    ("DBW_BODY.FUEL", "FUEL", "fuel", "signal=FUEL: must be MESSAGE.SIGNAL"),
    ("  fuel_percent:", "  fuel:", "fuel:", "fuel is no field of reports; there are: velocity_mps"),
    ("unit: deg/s", "unit: deg per s", "yaw_rate", "unit=deg per s: must be one of"),
    ("unavailable: 255}", "unavailable: often}", "fuel", "unavailable='often': must be a"),
    ("{phase_ms: 5,", "{phase_ms: -5,", "phase_ms", "phase_ms=-5: must be >= 0"),
    ("counters:\n  usual", "counters:\n  rare", "DBW_STEER_CMD", "usual: there is no such rule"),
    ("poly: 0x2F,", "", "DBW_STEER_CMD:", "poly is missing"),
    ("data_ids: 0x12}", "data_ids: 0x1FF}", "0x1FF", "data_ids=511: must be a whole number of 0"),
    ("data_ids: 0x12}", "over: [1, 9]}", "[1, 9]", "DBW_PEDAL_CMD has 8 bytes: no byte 9"),
    ("wait_for: {DBW_STATUS.STATE: \"> 0\"}", "wait_for: {DBW_STATUS.STATE: soon}",
     "state: manual", "DBW_STATUS.STATE: 'soon': must be a number, or as '>= 2'"),
    ("when: 6,", "when: 6, when_not: 0,", "when_not", "one of when and when_not is needed"),
    ("hysteresis: 1, for_ms: 50", "hysteresis: 4", "hysteresis: 4", "must be <= the threshold, 3"),
    ("30: 0.3}", "5: 0.3}", "rate_up", "must name speeds in rising order"),
    ("wheelbase_m: 3.0\n", "max_angle: 1\n", "angle:", "a lateral limit needs wheelbase_m"),
    ("CLEAN: 3}, neutral", "CLEAN: 3, RINSE: 1}, neutral", "RINSE", "RINSE is none of OFF, LOW"),
    ("throttle: {signal: DBW_PEDAL_CMD", "throttle: {enum: {A: 1}, signal: DBW_PEDAL_CMD",
     "enum: {A: 1}", "enum: throttle is a number"),
    ("limits:\n", "limits:\n  agree:\n    DBW_MOTION.SPEED: {other: DBW_PEDALS.BRAKE, within: 1}\n",
     "    DBW_MOTION.SPEED: {other", "DBW_MOTION.SPEED is in 'm/s', DBW_PEDALS.BRAKE in '%'"),
    ("limits:\n", "limits:\n  agree:\n    DBW_MOTION.SPEED: {other: DBW_MOTION.SPEED, within: 1}\n",
     "    DBW_MOTION.SPEED: {other", "other=DBW_MOTION.SPEED: is the signal itself"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "line", "sentence"), BROKEN)
def test_a_row_that_cannot_be_used_is_one_sentence_with_file_and_line(
    folder: Path, before: str, after: str, line: str, sentence: str
) -> None:
    path = changed(folder, before, after)
    with pytest.raises(FileError) as refused:
        read_car(path)
    text = str(refused.value)
    assert sentence in text
    assert "\n" not in text
    if line:
        assert text.startswith(f"{path}: line {line_of(path, line)}: "), text


CONTRADICTIONS = [
    ("REVERSE: 1, NEUTRAL: 2, DRIVE: 3, LOW: 4}\n    neutral", "DRIVE: 3}\n    neutral",
     "  gear:", "DBW_BODY_CMD.GEAR: enum has no raw value for REVERSE, NEUTRAL, LOW"),
    ("    unavailable: 5  # between two gears\n", "", "",
     "DBW_BODY.GEAR: neither enum nor unavailable names 5 (Between)"),
    ("unavailable: 255}", "unavailable: 256}", "fuel", "DBW_BODY.FUEL: 256 does not fit in 8 bits"),
    ("{signal: DBW_BODY.HORN}", "{signal: DBW_BODY.HORN, unavailable: 1}", "DBW_BODY.HORN",
     "DBW_BODY.HORN: 1 is unavailable and has a meaning"),
    ("  brake: {signal: DBW_PEDAL_CMD.BRAKE,", "  brake: {signal: DBW_PEDAL_CMD.THROTTLE,",
     "", "both write bit 31"),
    ("DBW_PEDAL_CMD.BRAKE, unit", "DBW_PEDAL_CMD.BRAKE, neutral: 9, unit", "neutral: 9",
     "DBW_PEDAL_CMD.BRAKE: neutral=9 is raw 90000, which is none of 0 to 65535"),
    ("stale_ms: 100, counter: usual, checksum: {rule: crc8, data_ids: 0x22}", "stale_ms: 10",
     "DBW_MOTION:", "DBW_MOTION: stale_ms=10: must be > cycle_ms=10"),
    ("{phase_ms: 5,", "{phase_ms: 50,", "phase_ms", "phase_ms=50: must be < cycle_ms=50"),
    ("within_ms: 100", "within_ms: 20", "state: drive",
     "handshake drive: within_ms=20: must be > the cycle of 20 ms of what it waits for"),
    ("    within_ms: 300\n", "", "state: clear",
     "handshake clear: dead end: within_ms is missing, it may wait for ever"),
    ("    drives: true\n", "", "state: drive", "the last row, and no other, has drives: true"),
    ("    wait_for: {DBW_STATUS.STATE: 1}", "    wait_for: {DBW_STATUS.STATE: 9}", "state: clear",
     "handshake clear: dead end: no value of DBW_STATUS.STATE"),
    ("    wait_for: {DBW_STATUS.STATE: 1}", "    wait_for: {DBW_STATUS.FAULT: 4}", "state: clear",
     "that is neither a fault nor unavailable satisfies DBW_STATUS.FAULT == 4"),
    ("    else: the car did not enable drive-by-wire\n", "", "state: enable", "else is missing"),
    ("  - state: enable", "  - state: clear", "", "there are two states of this name"),
    ("      DBW_STEER_CMD.CLEAR_OVERRIDE: 0, DBW_PEDAL", "      DBW_PEDAL", "state: clear",
     "DBW_STEER_CMD.CLEAR_OVERRIDE has no value in the first row"),
    ("  velocity_mps: {signal: DBW_MOTION.SPEED, unavailable: -32768}\n", "", "",
     "reports: velocity_mps is missing; the interface needs it"),
    ("  throttle: {signal: DBW_PEDAL_CMD.THROTTLE, unit: \"%\"}\n", "", "",
     "nothing to drive with: long_accel_mps2 or brake and throttle"),
    ("for_ms: 50}", "for_ms: 5}", "for_ms", "for_ms=5: must be 0, or >= the cycle of 10 ms"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "line", "sentence"), CONTRADICTIONS)
def test_rows_that_contradict_each_other_are_named(
    folder: Path, before: str, after: str, line: str, sentence: str
) -> None:
    path = changed(folder, before, after)
    found = problems_of(read_car(path))
    problem = next((problem for problem in found if sentence in problem.text), None)
    assert problem is not None, found
    if line:
        assert problem.line == line_of(path, line)
    with pytest.raises(FileError):
        load_car(path)


def test_a_message_of_the_car_cannot_be_sent_by_us(folder: Path) -> None:
    path = changed(folder, "BO_ 532 DBW_WHEELS: 8 CAR", "BO_ 532 DBW_WHEELS: 8 STACK",
                   "vdsim_dbw.dbc")  # fmt: skip
    (problem,) = problems_of(read_car(path))
    assert problem.text.startswith("DBW_WHEELS is sent by STACK in the DBC, which also sends DBW_S")


def test_a_frame_of_can_fd_needs_a_bus_of_can_fd(folder: Path) -> None:
    path = changed(folder, "BO_ 532 DBW_WHEELS: 8", "BO_ 532 DBW_WHEELS: 12", "vdsim_dbw.dbc")
    (problem,) = problems_of(read_car(path))
    assert problem.text == "DBW_WHEELS is CAN FD: the bus main needs fd: true"
    changed(folder, "{dbc: vdsim_dbw.dbc}", "{dbc: vdsim_dbw.dbc, fd: true}")
    assert problems_of(read_car(path)) == []


def test_every_state_of_the_handshake_leads_to_driving_and_back() -> None:
    assert successors(load_car(example("vdsim_dbw"))) == {
        0: {0, 1}, 1: {0, 2}, 2: {0, 3}, 3: {0, 3},
    }  # fmt: skip


def test_check_prints_what_is_mapped_and_what_is_not(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = changed(folder, "  fuel_percent: {signal: DBW_BODY.FUEL, unavailable: 255}\n", "")
    assert main(["check", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "vdsim_dbw: 59 rows, 3 messages sent, 6 received, 4 states"
    assert "not mapped of DBW_BODY: FUEL" in lines
    assert any(
        line.startswith("command throttle = DBW_PEDAL_CMD.THROTTLE: 0 to ") for line in lines
    )
    assert "limit rate_up: 0.8 at 0 m/s, 0.6 at 10 m/s, 0.3 at 30 m/s" in lines


@pytest.mark.parametrize(("row", "longest_ms"), [("", 10.0), ("    longest_ms: 20\n", 20.0)])
def test_a_late_frame_steers_by_one_cycle_s_worth_unless_the_file_says_more(
    folder: Path, row: str, longest_ms: float
) -> None:
    path = changed(folder, "    max_rad: 0.7\n", f"    max_rad: 0.7\n{row}")
    limits = load_car(path).limits.angle
    assert limits is not None
    assert limits.longest_ms == longest_ms


def test_check_takes_the_name_of_a_shipped_car(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "safety_island"]) == 0
    assert capsys.readouterr().out.startswith("safety_island: ")


def test_check_prints_every_problem_with_file_and_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = changed(folder, "    within_ms: 300\n", "")
    changed(folder, "unavailable: 255}", "unavailable: 256}")
    assert main(["check", str(path)]) == 1
    *problems, last = capsys.readouterr().err.splitlines()
    assert [line.startswith(f"{path}: line ") for line in problems] == [True, True]
    assert last == "2 to mend"


MOVED = [
    ("SG_ FUEL : 24|8", "SG_ FUEL : 32|8", "DBW_BODY.FUEL: start was 32, is 24"),
    ('FUEL : 24|8@1+ (0.5,0)', 'FUEL : 24|8@1+ (1,0)', "DBW_BODY.FUEL: scale was 1, is 0.5"),
    ("BO_ 532 DBW_WHEELS", "BO_ 600 DBW_WHEELS", "DBW_WHEELS: can_id was 0x258, is 0x214"),
    ("SG_ FUEL", "SG_ TANK", "DBW_BODY.FUEL: was not there"),
    ("BO_ 532 DBW_WHEELS", "BO_ 532 DBW_ROLLS", "DBW_WHEELS was not there; its id was that of"),
    ('2 "Active"', '2 "Driving"', "DBW_STATUS.STATE: 2 meant Driving, means Active"),
    ('BO_ 532 10;', 'BO_ 532 20;', "DBW_WHEELS: cycle_ms was 20, is 10"),
]  # fmt: skip


@pytest.mark.parametrize(("now", "then", "sentence"), MOVED)
def test_check_was_names_each_mapped_signal_that_moved(
    folder: Path, now: str, then: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path, old = folder / "vdsim_dbw.yaml", folder / "old.dbc"
    text = (folder / "vdsim_dbw.dbc").read_text(encoding="utf-8")
    assert now in text
    old.write_text(text.replace(now, then), encoding="utf-8")
    assert main(["check", str(path), "--was", str(old)]) == 1
    first, *_ = capsys.readouterr().err.splitlines()
    assert sentence in first
    assert main(["check", str(path), "--was", str(folder / "vdsim_dbw.dbc")]) == 0


def test_a_signal_that_is_not_mapped_may_move(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = changed(folder, "  fuel_percent: {signal: DBW_BODY.FUEL, unavailable: 255}\n", "")
    text = (folder / "vdsim_dbw.dbc").read_text(encoding="utf-8")
    old = folder / "old.dbc"
    old.write_text(text.replace("SG_ FUEL : 24|8", "SG_ FUEL : 32|8"), encoding="utf-8")
    assert main(["check", str(path), "--was", str(old)]) == 0


def test_a_car_steered_by_torque_says_so(folder: Path) -> None:
    before = (
        "front_wheel_angle_rad: {signal: DBW_STEER_CMD.WHEEL_ANGLE, unit: deg, neutral: measured}"
    )
    path = changed(folder, before, "steering_torque_nm: {signal: DBW_STEER_CMD.WHEEL_ANGLE}")
    car: CarFile = load_car(path)
    assert car.steers_by_torque


@pytest.mark.parametrize(("key", "raw"), [("", 10_000), (", whole_range: true", 15_000)])
def test_the_range_of_a_dbc_holds_unless_the_row_says_otherwise(
    folder: Path, key: str, raw: int
) -> None:
    path = changed(folder, 'THROTTLE, unit: "%"}\n  brake: {signal: DBW_PEDAL_CMD',
                   f'THROTTLE, unit: "%"{key}}}\n  brake: {{signal: DBW_PEDAL_CMD')  # fmt: skip
    car = load_car(path)
    row = next(row for row in car.commands if row.field == "throttle")
    assert FieldEncoder(car, row).raw(1.5)[0] == raw
