"""Recordings in three formats: what is written is read again, by us and by tshark."""

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from vdsim_can.bus.opening import open_transport
from vdsim_can.bus.recording import Recorded, Recording, RecordingError, recorded
from vdsim_can.car.reading import load_car
from vdsim_can.cli.main import main
from vdsim_can.data import car_path
from vdsim_can.ecu.ecus import Ecus
from vdsim_can.frame import Frame, packed, unpacked
from vdsim_kit.tools import has_tool

BUSES = ("main", "body")
STAMP_S = 1700000000.25
FRAMES_S = 20.0
"""The monitor has heard of a car that sends for so long, and 2000 lines of it are read."""
FRAMES = (
    Recorded(STAMP_S, "main", Frame(0x110, b"\x01\x02"), False),
    Recorded(STAMP_S + 0.01, "body", Frame(0x18FF0001, bytes(range(8)), True), True),
    Recorded(STAMP_S + 0.02, "main", Frame(0x7FF, b""), True),
    Recorded(STAMP_S + 0.03, "body", Frame(0x120, bytes(range(12)), False, True), False),
)
TSHARK = shutil.which("tshark") if has_tool("tshark") else None


def written(path: Path) -> Path:
    recording = Recording(path, BUSES)
    for each in FRAMES:
        recording.add(each.bus, each.frame, each.stamp_s, is_sent=each.is_sent)
    recording.close()
    return path


@pytest.mark.parametrize("kind", [".log", ".asc", ".blf"])
def test_frames_with_bus_direction_and_time_come_back_as_they_were(
    kind: str, tmp_path: Path
) -> None:
    found = list(recorded(written(tmp_path / f"drive{kind}"), BUSES))
    assert [each._replace(stamp_s=0.0) for each in found] == [
        each._replace(stamp_s=0.0) for each in FRAMES
    ]
    first_s = found[0].stamp_s
    for each, was in zip(found, FRAMES, strict=True):
        assert each.stamp_s - first_s == pytest.approx(was.stamp_s - STAMP_S, abs=1e-4)
    assert first_s == pytest.approx(0.0 if kind == ".asc" else STAMP_S, abs=1e-4)


def test_another_kind_of_file_is_refused_in_one_line(tmp_path: Path) -> None:
    for make in (
        lambda: Recording(tmp_path / "drive.txt", BUSES),
        lambda: list(recorded(tmp_path / "drive.txt", BUSES)),
    ):
        with pytest.raises(RecordingError, match=r"must end with \.log, \.asc, \.blf, \.mf4"):
            make()
    with pytest.raises(RecordingError, match="no_such"):
        list(recorded(tmp_path / "no_such.log", BUSES))


def test_an_mf4_without_asammdf_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("can.io.mf4.asammdf", None)
    (tmp_path / "drive.mf4").write_bytes(b"whatever")
    for make in (
        lambda: Recording(tmp_path / "drive.mf4", BUSES),
        lambda: list(recorded(tmp_path / "drive.mf4", BUSES)),
    ):
        with pytest.raises(RecordingError, match=r"an \.mf4 needs asammdf: pip install asammdf$"):
            make()


def test_a_file_of_something_else_is_refused_in_one_line(tmp_path: Path) -> None:
    wrong = tmp_path / "drive.blf"
    wrong.write_bytes(b"nothing of the kind" * 20)
    with pytest.raises(RecordingError) as refused:
        list(recorded(wrong, BUSES))
    assert "\n" not in str(refused.value)


if TSHARK:

    def test_tshark_reads_what_is_written(tmp_path: Path) -> None:
        fields = ("frame.time_epoch", "can.id", "data.data")
        shown = [word for name in fields for word in ("-e", name)]
        file = written(tmp_path / "drive.blf")
        command = [str(TSHARK), "-r", str(file), "-T", "fields", *shown]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        rows = [line.split("\t") for line in result.stdout.splitlines()]
        assert [(int(row[1]), row[2]) for row in rows] == [
            (each.frame.can_id, each.frame.data.hex()) for each in FRAMES
        ]
        assert float(rows[1][0]) == pytest.approx(STAMP_S + 0.01, abs=1e-4)


def test_a_recording_of_the_car_is_sent_again_without_what_the_interface_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    car = load_car(car_path("vdsim_dbw"))
    ecus = Ecus(car, 0.005)
    path = tmp_path / "drive.blf"
    recording = Recording(path, tuple(car.buses))
    own = Frame(car.message("DBW_STEER_CMD").can_id, bytes(8))
    expected = []
    for number in range(40):
        now = 0.005 * number
        recording.add("main", own, STAMP_S + now, is_sent=True)
        for bus, frame in ecus.step({"velocity_mps": 3.0}, now):
            recording.add(bus, frame, STAMP_S + now, is_sent=False)
            expected.append(frame)
    recording.close()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    bus_end = open_transport("udp_multicast", "main", port, fd=False)
    try:
        assert main(["replay", str(path), "vdsim_dbw", "--port", str(port), "--speed", "0"]) == 0
        assert [unpacked(data) for data in bus_end.drain()] == expected
    finally:
        bus_end.close()
    assert capsys.readouterr().out == f"{len(expected)} frames of vdsim_dbw sent\n"


@pytest.mark.parametrize("ends", ["by a signal", "with its reader"])
def test_the_monitor_records_both_directions(ends: str, tmp_path: Path) -> None:
    """As a process: however it ends, the file is whole."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    path = tmp_path / "drive.blf"
    words = ["monitor", "vdsim_dbw", "--port", port, "--record", str(path)]
    program = "from vdsim_can.cli.main import main; raise SystemExit(main())"
    monitor = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        stdout=subprocess.PIPE,
        text=True,
    )
    car = load_car(car_path("vdsim_dbw"))
    bus = open_transport("udp_multicast", "main", int(port), fd=False)
    ecus, now = Ecus(car, 0.01), 0.0
    assert monitor.stdout is not None
    assert monitor.stdout.readline().startswith("message")  # it listens
    own = Frame(car.message("DBW_STEER_CMD").can_id, bytes(8))
    line = ""
    while "DBW_MOTION" not in line or "never seen" in line:
        now += 0.01
        for _, frame in [("main", own), *ecus.step({"velocity_mps": 3.0}, now)]:
            bus.sendto(packed(frame), ("main", 0))
        line = monitor.stdout.readline()
        assert line, "the monitor has ended"
        assert now < FRAMES_S, f"it never hears the car: {line}"
    if ends == "by a signal":
        monitor.terminate()
        monitor.stdout.read()  # until it has ended: before, it may write another table
    monitor.stdout.close()
    assert monitor.wait() == 0
    bus.close()
    directions = {each.frame.can_id: each.is_sent for each in recorded(path, ("main",))}
    assert directions[own.can_id] is True
    assert directions[car.message("DBW_MOTION").can_id] is False
