"""A recording of a drive, by its car file: what `vdsim_identify` and `vdsim_dump` read."""

import json
from pathlib import Path

import cantools
import numpy as np
import pytest
from vdsim_can.bus.recording import Recording
from vdsim_can.car.reading import load_car
from vdsim_can.data import example
from vdsim_can.learn.drive_log import read_drive
from vdsim_can_kit.world import World
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.study.identify.log_formats.log_files import read_log
from vdsim_protocol.cli.dump import main as dump

CAR, DBC = example("vdsim_dbw"), example("vdsim_dbw").with_suffix(".dbc")
KINDS = (".log", ".asc", ".blf")
TRUTH = ("time_s", "velocity_mps", "front_wheel_angle_rad", "yaw_rate_radps", "throttle", "brake")


@pytest.fixture(scope="module")
def drive(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, np.ndarray]:
    """A drive of twelve seconds by the shipped interface and ECUs, in three formats."""
    folder = tmp_path_factory.mktemp("drive")
    world = World(car=load_car(CAR))
    recordings = [Recording(folder / f"drive{kind}", ("main",)) for kind in KINDS]
    truth = []
    receive, arrive = world.driven.receive, world._arrive

    def sent(bus: str, frame: object, now: float) -> None:
        for each in recordings:
            each.add(bus, frame, 1.7e9 + now, is_sent=True)
        receive(bus, frame, now)

    def reported(bus: str, frame: object) -> None:
        for each in recordings:
            each.add(bus, frame, 1.7e9 + world.now, is_sent=False)
        arrive(bus, frame)

    world.driven.receive, world._arrive = sent, reported
    for period in range(1200):
        world.speed_mps = 4.0 + 2.0 * (period // 300 % 2)
        world.curvature_1pm = 0.03 * (period // 200 % 2)
        world.period()
        now = world.driven.truth(world.now)
        truth.append([world.now, *(now[name] for name in TRUTH[1:])])
    for each in recordings:
        each.close()
    return folder, np.array(truth)


@pytest.mark.parametrize("kind", KINDS)
def test_the_channels_are_the_true_motion_within_the_steps_of_the_signals(
    kind: str, drive: tuple[Path, np.ndarray]
) -> None:
    folder, truth = drive
    time_s, columns = read_drive(folder / f"drive{kind}", str(CAR))
    # Some tenths of a second go by before the car takes commands.
    assert 11.0 < time_s[-1] - time_s[0] < 12.0
    at = truth[:, 0] - truth[0, 0]
    for channel, place, step in (
        ("vx_mps", 1, 0.02),
        ("steer_rad", 2, 0.01),
        ("yaw_rate_radps", 3, 0.02),
    ):
        true = np.interp(time_s, at, truth[:, place])
        assert np.median(np.abs(columns[channel] - true)) < step
        assert np.abs(columns[channel] - true).max() < 10.0 * step
    assert set(np.unique(columns["command_gear"])) <= {0.0, 1.0}
    throttle = np.interp(time_s, at, truth[:, 4])
    assert np.median(np.abs(columns["command_throttle"] - throttle)) < 0.01


def test_the_three_formats_give_the_same_channels(drive: tuple[Path, np.ndarray]) -> None:
    folder, _ = drive
    first, *others = (read_drive(folder / f"drive{kind}", str(CAR)) for kind in KINDS)
    for time_s, columns in others:
        assert columns.keys() == first[1].keys()
        assert time_s == pytest.approx(first[0], abs=2e-3)
        for name, values in columns.items():
            assert np.mean(np.isclose(values, first[1][name], atol=1e-3)) > 0.98, name


def test_the_identifier_takes_the_recording_by_its_car_file(
    drive: tuple[Path, np.ndarray],
) -> None:
    log = read_log(drive[0] / "drive.blf", car=str(CAR))
    assert log.period_s == pytest.approx(0.01, abs=1e-4)
    assert log.has("command_steer_rad", "command_throttle", "command_brake", "wheel_spin_radps_fl")
    assert log.duration_s > 10.0


def test_a_time_in_which_nobody_drives_is_a_gap(
    drive: tuple[Path, np.ndarray], tmp_path: Path
) -> None:
    """Frames that do not enable: their neutral pedals are no commands."""
    network = cantools.database.load_file(DBC)
    lines = (drive[0] / "drive.log").read_text().splitlines()
    text = []
    for line in lines:
        stamp = float(line[1 : line.index(")")]) - 1.7e9
        is_command = network.get_message_by_name("DBW_PEDAL_CMD").frame_id
        if not (4.0 < stamp < 6.0 and f" {is_command:03X}#" in line):
            text.append(line)
    path = tmp_path / "gap.log"
    path.write_text("\n".join(text) + "\n")
    time_s, _ = read_drive(path, str(CAR))
    assert np.diff(time_s).max() == pytest.approx(2.0, abs=0.2)
    assert len(read_log(path, car=str(CAR)).stretches) == 2


def test_what_cannot_be_read_is_one_line(drive: tuple[Path, np.ndarray], tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"--car=no\.yaml"):
        read_drive(drive[0] / "drive.blf", "no.yaml")
    other = tmp_path / "other.log"
    other.write_text("(1.0) can0 7AA#00\n")
    with pytest.raises(ParameterError, match="no frame has an id of the car file"):
        read_drive(other, str(CAR))
    with pytest.raises(ParameterError, match=r"must end with \.log, \.asc, \.blf, \.mf4"):
        read_drive(tmp_path / "drive.txt", str(CAR))


def test_vdsim_dump_decodes_a_recording_as_cantools_does(
    drive: tuple[Path, np.ndarray], capsys: pytest.CaptureFixture[str]
) -> None:
    recording = str(drive[0] / "drive.blf")
    network = cantools.database.load_file(DBC)
    assert dump([recording, "--dbc", str(DBC), "--json", "--count", "200"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 200
    for line in lines:
        frame_id, data = line["frame"].split("#")
        message = network.get_message_by_frame_id(int(frame_id, 16))
        assert line["message"] == message.name
        found = message.decode(bytes.fromhex(data))
        for name, value in line["signals"].items():
            assert value == (
                pytest.approx(found[name]) if isinstance(value, float | int) else str(found[name])
            )
    assert dump([recording, "--dbc", str(DBC), "--fields", "SPEED", "--count", "9"]) == 0
    assert "DBW_MOTION SPEED=" in capsys.readouterr().out
    assert dump(["--dbc", str(DBC)]) == 2
    assert dump([recording, "--dbc", "no.dbc"]) == 2
    assert "vdsim_dump: " in capsys.readouterr().err
