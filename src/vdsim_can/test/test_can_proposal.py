"""A first car file, guessed from a network."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from vdsim_can.car import read_car
from vdsim_can.car.proposal import propose_car
from vdsim_can.cli.main import main
from vdsim_can.data import example
from vdsim_can.dbc import Message, Network, Signal
from vdsim_protocol.checked_file import FileError, read_yaml


@pytest.fixture
def dbc(tmp_path: Path) -> Path:
    return Path(shutil.copy(example("vdsim_dbw").with_suffix(".dbc"), tmp_path))


def test_the_messages_of_a_network_are_on_their_side(dbc: Path) -> None:
    car = dbc.with_name("mine.yaml")
    assert main(["new", str(dbc), str(car), "--node", "STACK"]) == 0
    rows = read_yaml(car)
    assert list(rows["send"]) == ["DBW_STEER_CMD", "DBW_PEDAL_CMD", "DBW_BODY_CMD"]
    assert "DBW_STATUS" in rows["receive"]
    assert rows["send"]["DBW_STEER_CMD"] == {"counter": {"signal": "COUNTER"}}
    assert rows["commands"]["throttle"] == {"signal": "DBW_PEDAL_CMD.THROTTLE", "unit": "%"}
    assert rows["reports"]["velocity_mps"] == {"signal": "DBW_MOTION.SPEED"}
    assert rows["reports"]["wheel_rl_radps"] == {"signal": "DBW_WHEELS.REAR_LEFT"}
    assert rows["reports"]["doors_closed"] == {"signal": "DBW_STATUS.DOORS_CLOSED"}
    assert rows["reports"]["belts_fastened"] == {"signal": "DBW_STATUS.BELTS_FASTENED"}
    assert "checksum CHECKSUM: by which rule?" in car.read_text(encoding="utf-8")


def test_what_is_missing_is_what_check_asks_for_next(dbc: Path) -> None:
    car = dbc.with_name("mine.yaml")
    assert main(["new", str(dbc), str(car), "--node", "STACK"]) == 0
    with pytest.raises(FileError, match=r"commands\.blinker: enum is missing: a raw value for"):
        read_car(car)


def test_gears_are_read_from_the_texts_of_the_dbc() -> None:
    signals = tuple(
        Signal(name=name, start=at, length=3, values=texts)
        for at, (name, texts) in enumerate(
            {
                "GEAR_REQ": {0: "P", 1: "R", 2: "N", 3: "D"},
                "GEAR": {1: "park", 2: "Reverse", 3: "NEUTRAL", 4: "D", 5: "Low"},
                "SHIFT": {0: "P", 1: "R", 2: "N", 3: "D", 7: "fault"},
            }.items()
        )
    )
    ours = Message(name="CMD", can_id=1, length=8, sender="ME", signals=signals[:1])
    theirs = Message(name="STATUS", can_id=2, length=8, sender="CAR", signals=signals[1:2])
    other = Message(name="STATUS", can_id=2, length=8, sender="CAR", signals=signals[2:])

    def proposed(*messages: Message) -> str:
        network = Network(source="x", messages={message.name: message for message in messages})
        return propose_car(network, "ME", name="car", dbc="car.dbc")

    text = proposed(ours, theirs)
    assert (
        "enum: {PARK: 0, REVERSE: 1, NEUTRAL: 2, DRIVE: 3, LOW: 3}}"
        "  # the car has no LOW: DRIVE is sent for it" in text
    )
    assert "STATUS.GEAR, enum: {PARK: 1, REVERSE: 2, NEUTRAL: 3, DRIVE: 4, LOW: 5}}\n" in text
    assert "STATUS.SHIFT}  # enum: 0 P, 1 R, 2 N, 3 D, 7 fault" in proposed(ours, other)


@pytest.mark.parametrize(("most", "asks"), [(540.0, True), (35.0, False), (None, False)])
def test_an_angle_that_no_front_wheel_has_asks_for_the_ratio(
    most: float | None, asks: bool
) -> None:
    angle = Signal(name="STEER_ANGLE", start=0, length=16, unit="deg", maximum=most)
    message = Message(name="EPS", can_id=1, length=8, sender="ME", signals=(angle,))
    network = Network(source="x", messages={"EPS": message})
    text = propose_car(network, "ME", name="car", dbc="car.dbc")
    assert ("of the steering wheel? then add its ratio" in text) is asks


def test_a_file_that_exists_is_not_overwritten(
    dbc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    car = dbc.with_name("mine.yaml")
    car.write_text("mine", encoding="utf-8")
    assert main(["new", str(dbc), str(car), "--node", "STACK"]) == 1
    assert capsys.readouterr().err == f"vdsim_can: {car}: File exists\n"
    assert car.read_text(encoding="utf-8") == "mine"


def test_a_node_that_sends_nothing_is_refused_with_those_that_do(
    dbc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", str(dbc), str(dbc.with_name("mine.yaml")), "--node", "ME"]) == 1
    assert "--node=ME: must be a sender: CAR, STACK" in capsys.readouterr().err
    assert not dbc.with_name("mine.yaml").exists()


def test_names_that_yaml_would_read_otherwise_are_read_back(tmp_path: Path) -> None:
    signals = (
        Signal(name="4WD_SPEED: #1", start=0, length=8),
        Signal(name="no", start=8, length=8),
    )
    message = Message(name="123", can_id=1, length=8, sender="CAR", signals=signals)
    ours = Message(name="off", can_id=2, length=8, sender="ME")
    network = Network(source="x", messages={"123": message, "off": ours})
    file = tmp_path / "car.yaml"
    file.write_text(propose_car(network, "ME", name="1e3", dbc="a b.dbc"), encoding="utf-8")
    rows = read_yaml(file)
    assert rows["car"] == "1e3"
    assert rows["buses"]["main"]["dbc"] == "a b.dbc"
    assert list(rows["receive"]) == ["123"]
    assert rows["reports"]["velocity_mps"]["signal"] == "123.4WD_SPEED: #1"
    assert list(rows["send"]) == ["off"]
