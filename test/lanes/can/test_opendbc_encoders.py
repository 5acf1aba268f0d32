"""opendbc's own controllers drive at random: each frame that a car file maps is the same.

What a controller has decided to send (its applied values, enable flags, what it copies) is the
input; the frames, with counters and checksums, are made by the rows of the car file alone. Frames
that the file does not map are listed. The limits of those controllers are no part of this.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import opendbc.car as opendbc_car
import pytest
from opendbc.can.packer import CANPacker
from opendbc.car import structs
from opendbc.car.car_helpers import interfaces
from vdsim_can.car import CarFile, SignalName, read_car
from vdsim_can.car.checks import problems_of
from vdsim_can.dbc import raw_of
from vdsim_can.fields.encoding import FieldEncoder
from vdsim_can.traffic.transmitter import Sending
from vdsim_can.traffic.wire_message import WireMessage
from vdsim_can_kit.opendbc_networks import texts

HERE = Path(__file__).parent
HOUR = 360_000
"""Periods of 10 ms."""


class Judged(NamedTuple):
    """A car file, the controller of the same car, and the modules of that port."""

    file: str
    platform: str
    steers_by_torque: bool
    port: tuple[str, ...]


CARS = (
    Judged("tesla_model_3", "TESLA_MODEL_3", False, ("carcontroller", "teslacan")),
    Judged("toyota_rav4_lta", "TOYOTA_RAV4_TSS2_2023", False, ("carcontroller", "toyotacan")),
    Judged("hyundai_ioniq_5", "HYUNDAI_IONIQ_5", True, ("carcontroller", "hyundaicanfd")),
)


class Sent(NamedTuple):
    """One call of the packer: what the controller decided, and the frame."""

    message: str
    values: Mapping[str, float]
    frame: bytes


def drive(platform: str, periods: int) -> Iterator[Sent]:
    """What a controller sends while it is asked for random things."""
    interface = interfaces[platform]
    fingerprint: dict[int, dict[int, int]] = {bus: {} for bus in range(8)}
    parameters = interface.get_params(
        platform, fingerprint, [], alpha_long=True, is_release=False, docs=False
    )
    car = interface(parameters)
    calls: list[Sent] = []
    pack = CANPacker.make_can_msg

    def recorded(self: Any, name: str, bus: int, values: Mapping[str, float]) -> Any:
        made = pack(self, name, bus, values)
        calls.append(Sent(name, dict(values), bytes(made[1])))
        return made

    chance = random.Random(platform)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CANPacker, "make_can_msg", recorded)
        car.update([])
        for period in range(periods):
            if period % 20 == 0:
                control = request(chance)
                car.CS.out = report(chance)
            car.apply(control, period * 10_000_000)
            yield from calls
            calls.clear()


def request(chance: random.Random) -> Any:
    control = structs.CarControl()
    control.enabled = chance.random() < 0.9
    control.latActive = control.enabled and chance.random() < 0.9
    control.longActive = control.enabled and chance.random() < 0.9
    control.actuators.steeringAngleDeg = chance.uniform(-90.0, 90.0)
    control.actuators.torque = chance.uniform(-1.0, 1.0)
    control.actuators.accel = chance.uniform(-3.5, 2.0)
    control.cruiseControl.cancel = chance.random() < 0.05
    return control.as_reader()


def report(chance: random.Random) -> Any:
    state = structs.CarState()
    state.vEgo = state.vEgoRaw = chance.uniform(0.0, 40.0)
    state.steeringAngleDeg = chance.uniform(-90.0, 90.0)
    state.steeringTorque = chance.gauss(0.0, 50.0)
    return state.as_reader()


class Encoder:
    """The frames of a car file, from values that somebody else has decided."""

    def __init__(self, car: CarFile) -> None:
        self._car = car
        self._sending = {name: Sending(WireMessage(car, row)) for name, row in car.send.items()}
        self._rows = [(row, FieldEncoder(car, row)) for row in car.commands]
        self._flags = {setting.signal for step in car.handshake for setting in step.send}

    def frame(self, name: str, values: Mapping[str, float]) -> bytes:
        """Return the next frame of a message."""
        raws: dict[str, float] = dict(self._car.send[name].fixed)
        for row, encoder in self._rows:
            if row.signal.message == name:
                physical = values[row.signal.signal]
                raws[row.signal.signal], _ = encoder.raw(physical * row.scale + row.offset)
        for message, signal in self._flags:
            if message == name:
                known = self._car.signal(SignalName(message, signal))
                raws[signal] = raw_of(known, float(values[signal]))
        sending = self._sending[name]
        data = sending.frame(raws).data
        sending.on_sent()
        return data


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The car files beside the networks of the wheel."""
    for judged in CARS:
        shutil.copy(HERE / f"{judged.file}.yaml", tmp_path)
    for name in ("tesla_model3_party", "toyota_nodsu_pt_generated", "hyundai_canfd_generated"):
        (tmp_path / f"{name}.dbc").write_text(texts()[name], encoding="utf-8")
    return tmp_path


def port_lines(judged: Judged) -> int:
    folder = Path(opendbc_car.__file__).parent / judged.platform.split("_")[0].lower()
    return sum(
        len((folder / f"{module}.py").read_text(encoding="utf-8").splitlines())
        for module in judged.port
    )


@pytest.mark.parametrize("judged", CARS, ids=[judged.file for judged in CARS])
def test_an_hour_of_frames_equals_those_of_opendbc(judged: Judged, folder: Path) -> None:
    car = read_car(folder / f"{judged.file}.yaml")
    encoder = Encoder(car)
    equal: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for sent in drive(judged.platform, HOUR):
        if sent.message not in car.send:
            others[sent.message] += 1
            continue
        ours = encoder.frame(sent.message, sent.values)
        assert ours == sent.frame, (sent, ours.hex(), equal)
        equal[sent.message] += 1
    lines = port_lines(judged)
    print(f"{car.name}: {car.rows} rows, the port's encoder {lines} lines; equal: {dict(equal)}")
    print(f"  not mapped: {dict(others)}")
    assert equal.keys() == car.send.keys()
    assert car.rows <= 60


@pytest.mark.parametrize("judged", CARS, ids=[judged.file for judged in CARS])
def test_the_file_of_a_judge_is_a_whole_car_file(judged: Judged, folder: Path) -> None:
    car = read_car(folder / f"{judged.file}.yaml")
    assert problems_of(car) == []
    assert car.steers_by_torque == judged.steers_by_torque
    head = (folder / f"{judged.file}.yaml").read_text(encoding="utf-8")
    assert head.startswith("# Judge, not for a car")
