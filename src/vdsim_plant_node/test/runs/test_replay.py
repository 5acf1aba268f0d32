"""Recordings of live runs, played again: the same states bit for bit, or where they differ."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import ParameterError
from vdsim_plant.realtime.watched_session import Drive
from vdsim_plant.study.identify.log_formats.log_files import reader_of
from vdsim_plant.vehicle import MODEL_VERSION
from vdsim_plant_node.cli import plot, replay
from vdsim_plant_node.live.recording_session import open_recording, start_recording
from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.live.sessions import build_wire_vehicles
from vdsim_plant_node.runs.link_record import links_of
from vdsim_plant_node.runs.recording import (
    FILE_HEADER,
    MAGIC,
    RecordingError,
    RecordingReader,
    RecordKind,
)
from vdsim_plant_node.runs.recording_status import RecordingFiles
from vdsim_plant_node.runs.recording_writer import RecordingWriter
from vdsim_plant_node.runs.run_table import read_run_tables
from vdsim_plant_node.scenario.recorded import RecordedRun
from vdsim_plant_node.settings.options import server_settings
from vdsim_plant_node_kit.runtime import PlainClient, live_server, lockstep_server


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A live run with everything in it: drive, fail-safe, resume, local input, reset, layers."""
    path = tmp_path_factory.mktemp("recorded") / "run.vds"
    client = PlainClient()
    options = {
        "actuator": "passenger_car",
        "sensor": "automotive",
        "origin_x": 100.0,
        "vx0": 3.0,
        "rate": 100.0,
    }
    with live_server(client, **options) as live:
        writer = live.server.call(record_to(path)).result()
        client.drive(lambda f: f.time_s > 0.4, steer=0.03, throttle=0.5, brake=0.0)
        live.wait_for(lambda s: s.vehicles[0].status.drive is Drive.FAILSAFE)
        client.watch(lambda f: f.time_s > 0.8)
        client.drive(lambda f: f.time_s > 1.0, version=5, steer=-0.02, throttle=0.7, brake=0.0)
        live.server.latch_input(0, PedalInput(0.1, 0.2, 0.0, 1, False)).result(timeout=60.0)
        client.watch(lambda f: f.time_s > 1.2)
        live.server.call(lambda server: server.reset(0, InitialState(x_m=4.0))).result(timeout=60.0)
        client.drive(lambda f: f.time_s > 0.2, steer=0.0, throttle=0.3, brake=0.0)
    writer.close()
    client.close()
    return path


def record_to(path: Path) -> Callable[[PlantServer], RecordingWriter]:
    return lambda server: start_recording(server, RecordingFiles(path))


def test_a_live_run_is_reproduced_bit_for_bit(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # [VS-1.3.2]
    out, plot = tmp_path / "run.csv", tmp_path / "run.png"
    assert replay.main([str(recording), "--out", str(out), "--plot", str(plot)]) == 0
    states = sum(record.kind is RecordKind.STATE for record in RecordingReader(recording))
    assert states > 120
    assert f"all {states} recorded states reproduced bit for bit" in capsys.readouterr().out
    (table,) = read_run_tables(out)
    assert set(table.drive) == {"waiting", "commanded", "failsafe"}
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_a_recording_may_start_in_the_middle_of_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "late.vds"
    client = PlainClient()
    with live_server(client, sensor="automotive", vx0=6.0) as live:
        client.drive(lambda f: f.time_s > 0.3, steer=0.1, throttle=0.6, brake=0.0)
        writer = live.server.call(record_to(path)).result()
        client.drive(lambda f: f.time_s > 0.6, steer=-0.1, throttle=0.6, brake=0.0)
    writer.close()
    client.close()
    assert next(iter(RecordingReader(path))).kind is RecordKind.SNAPSHOT
    assert replay.main([str(path)]) == 0
    assert "reproduced bit for bit" in capsys.readouterr().out


def test_each_file_of_a_long_recording_plays_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = RecordingFiles(tmp_path / "long.vds", largest_bytes=60_000)
    client = PlainClient()
    server = lockstep_server(client, sensor="automotive", vx0=6.0)
    writer = start_recording(server, files)
    for step in range(150):
        client.send(steer=0.001 * step, throttle=0.5, brake=0.0)
        server.advance(2)
    writer.close()
    server.close()
    client.close()
    states = 0
    for number in (1, 2, 3):
        assert replay.main([str(files.numbered(number))]) == 0
        shown = capsys.readouterr().out
        assert "reproduced bit for bit" in shown
        states += int(shown.split("all ")[1].split()[0])
    assert states == 300
    assert not files.numbered(4).exists()


def test_a_changed_state_is_found(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader = RecordingReader(recording)
    changed = tmp_path / "changed.vds"
    writer = RecordingWriter(RecordingFiles(changed), reader.metadata)
    for record in reader:
        if record.kind is RecordKind.INPUT and record.tick > 60:
            continue
        writer._append(record.kind, record.vehicle_id, record.tick, record.time_s, record.payload)
    writer.close()
    assert replay.main([str(changed)]) == 1
    said = capsys.readouterr().err
    assert "recorded states differ; first at tick" in said
    assert "throttle_applied" in said or "ax_body_mps2" in said


def test_a_recording_that_was_cut_off_plays_to_its_end(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.vds"
    cut.write_bytes(recording.read_bytes()[:-200])
    assert replay.main([str(cut)]) == 0
    said = capsys.readouterr().out
    assert "ends inside a record" in said
    assert "reproduced bit for bit" in said


def test_other_parameters_than_recorded_are_noticed(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader = RecordingReader(recording)
    reader.metadata["vehicles"][0]["settings"]["mu"] = 0.5
    other = tmp_path / "other.vds"
    RecordingWriter(RecordingFiles(other), reader.metadata).close()
    assert replay.main([str(other)]) == 2
    assert "was made with other parameters of vehicle 'ioniq5_awd'" in capsys.readouterr().err


@pytest.mark.parametrize("model", [None, 1, MODEL_VERSION + 1])
def test_a_recording_of_other_equations_is_refused_in_one_line(
    recording: Path, tmp_path: Path, model: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    metadata = dict(RecordingReader(recording).metadata)
    metadata.pop("model")
    if model is not None:
        metadata["model"] = model
    old = tmp_path / "old.vds"
    RecordingWriter(RecordingFiles(old), metadata).close()
    assert replay.main([str(old)]) == 2
    said = capsys.readouterr().err
    assert f"was recorded with version {model or 1} of the car's equations" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tick_s": None}, "damaged.vds: tick_s=None: must be a number"),
        ({"tick_s": "x"}, "damaged.vds: tick_s='x': must be a number"),
        ({"tick_s": float("nan")}, "damaged.vds: tick_s=nan: must be > 0 and <= 1 s"),
        ({"tick_s": -0.005}, "damaged.vds: tick_s=-0.005: must be > 0 and <= 1 s"),
        ({"substep_s": []}, "damaged.vds: substep_s=[]: must be a number"),
        ({"substep_s": 0}, "damaged.vds: substep_s=0: must be > 0 and <= 0.1 s"),
        ({"substep_s": float("inf")}, "damaged.vds: substep_s=inf: must be > 0 and <= 0.1 s"),
        ({"substep_s": 0.003}, "substep_s=0.003: must divide tick_s=0.005 into a million at most"),
        ({"substep_s": 1e-300}, "substep_s=1e-300: must divide tick_s=0.005 into a million"),
        ({"substep_s": 5e-324}, "damaged.vds: substep_s=4.94066e-324: must divide tick_s=0.005"),
        ({"vehicles": [{}]}, "damaged metadata"),
        ({"vehicles": 3}, "damaged metadata"),
        ({"vehicles": [3]}, "damaged metadata"),
        ({"vehicles": [{"settings": "ab"}]}, "damaged metadata"),
        ({"vehicles": [{"settings": {"mu": "ab"}}]}, "damaged.vds: mu='ab': must be a number"),
        ({"vehicles": []}, "holds no vehicle 0"),
    ],
)
def test_damaged_metadata_is_refused(
    recording: Path,
    tmp_path: Path,
    change: dict[str, object],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    reader = RecordingReader(recording)
    damaged = tmp_path / "damaged.vds"
    writer = RecordingWriter(RecordingFiles(damaged), {**reader.metadata, **change})
    writer.reset(0, 0, 0.0, InitialState())
    writer.close()
    assert replay.main([str(damaged)]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_recording_with_a_coarse_substep_is_played_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "coarse.vds"
    coarse = {"substep": 0.005, "allow_coarse_substep": True}
    at = server_settings({"record": str(path), "cmd_port": 0, "state_port": 0, **coarse})
    server = PlantServer(at, build_wire_vehicles(at))
    recording = open_recording(server)
    assert recording is not None
    server.advance(20)
    recording.close()
    server.close()
    assert replay.main([str(path)]) == 2
    refused = capsys.readouterr().err
    assert f"{path}: substep_s=0.005: must be <= 0.002 s" in refused
    assert "--allow-coarse-substep allows more" in refused
    assert refused.count("\n") == 1
    assert replay.main([str(path), "--allow-coarse-substep"]) == 0
    said = capsys.readouterr()
    assert "reproduced bit for bit" in said.out
    assert f"{path}: substep_s=0.005: above 0.001 s the motion is inexact" in said.err


def test_a_recording_keeps_its_vehicle(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay.main([str(recording), "--vehicle", "compact_fwd"]) == 2
    assert "vehicle: cannot be changed for a recording" in capsys.readouterr().err


def test_an_empty_recording_proves_nothing(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.vds"
    RecordingWriter(RecordingFiles(empty), RecordingReader(recording).metadata).close()
    assert replay.main([str(empty)]) == 1
    assert "holds no states to compare with" in capsys.readouterr().err


def test_the_link_of_a_recording(recording: Path) -> None:
    (link,) = links_of(RecordingReader(recording))
    assert link.modes[0] == 0
    assert {0, 1, 2} <= set(link.modes)
    assert max(link.intervals_s()) > 0.1
    assert link.lost()[-1] == 0
    assert link.end_s >= link.arrivals_s[-1]


def test_lost_commands_are_those_that_are_missing(recording: Path) -> None:
    (link,) = links_of(RecordingReader(recording))
    link.numbers = [5, 6, 9, 10, 0, 1, 3]
    assert link.lost() == [0, 0, 2, 2, 2, 2, 3]
    link.numbers = [0xFFFFFFFE, 1]
    assert link.lost() == [0, 2]


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
def test_runs_are_drawn_over_each_other(
    recording: Path, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table, picture = tmp_path / "run.csv", tmp_path / f"both.{suffix}"
    replay.main([str(recording), "--out", str(table)])
    assert plot.main([str(recording), str(table), "--out", str(picture)]) == 0
    first = picture.read_bytes()
    assert len(first) > 20_000
    assert plot.main([str(recording), str(table), "--out", str(picture)]) == 0
    assert picture.read_bytes() == first, "equal runs give equal pictures"


def test_a_wheel_that_spins_at_rest_does_not_squeeze_its_panel(
    recording: Path, tmp_path: Path
) -> None:
    table, picture = tmp_path / "run.csv", tmp_path / "run.svg"
    replay.main([str(recording), "--out", str(table)])
    assert plot.main([str(table), "--out", str(picture)]) == 0
    assert "<!-- Slip ratio -->" in picture.read_text()
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    (name,) = [key for key in rows[0] if key.startswith("slip_ratio") and key.endswith("fl")]
    rows[9][name] = "34.0"
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert plot.main([str(table), "--out", str(picture)]) == 0
    assert "<!-- Slip ratio, within \u00b11.5 -->" in picture.read_text()


def test_a_run_without_commands_has_no_panels_of_its_link(tmp_path: Path) -> None:
    path, picture = tmp_path / "alone.vds", tmp_path / "alone.svg"
    client = PlainClient()
    server = lockstep_server(client)
    writer = start_recording(server, RecordingFiles(path))
    server.advance(50)
    writer.close()
    server.close()
    client.close()
    assert plot.main([str(path), "--out", str(picture)]) == 0
    text = picture.read_text()
    assert "<!-- Yaw rate -->" in text
    assert "Who drives" not in text


def test_a_plot_of_nothing_is_refused(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plot.main([str(recording), "--out", str(tmp_path / "x.bmp")]) == 2
    assert "plot='x.bmp': must end in .png, .pdf, .svg" in capsys.readouterr().err
    assert plot.main([str(tmp_path / "none.csv")]) == 2
    assert "none.csv: file: cannot be read: No such file or directory" in capsys.readouterr().err


def test_a_run_has_one_start(recording: Path) -> None:
    run = RecordedRun(recording)
    (start,) = run.start()
    assert start.output.motion.vx_mps == 3.0
    assert start.drive == "waiting"


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_records_of_nonsense_with_a_right_crc_are_one_line(
    recording: Path, tmp_path: Path, data: st.DataObject
) -> None:
    """Somebody may write such a file: it is refused with a reason, or played."""
    reader = RecordingReader(recording)
    path = tmp_path / "nonsense.vds"
    writer = RecordingWriter(RecordingFiles(path, replace=True), reader.metadata)
    for record in itertools.islice(reader, 20):
        writer._append(record.kind, record.vehicle_id, record.tick, record.time_s, record.payload)
    writer._append(
        data.draw(st.sampled_from(RecordKind)),
        data.draw(st.sampled_from([0, 0, 0, 9])),
        data.draw(st.sampled_from([10, 20, 2**60])),
        data.draw(st.floats()),
        data.draw(st.binary(max_size=60) | st.just(bytes(30)) | st.just(b"\xff" * 48)),
    )
    writer.close()
    line = ""
    try:
        for _ in RecordedRun(path):
            pass
    except (RecordingError, ParameterError) as error:
        line = str(error)
    assert line == "" or line.startswith(str(path))
    assert "\n" not in line


@pytest.mark.parametrize(
    "metadata",
    [b"[" * 100_000, b'{"vehicles": [{"settings": {"start": [1]}}]}', b'{"vehicles": [[]]}'],
)
def test_metadata_of_nonsense_is_one_line(
    tmp_path: Path, metadata: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "nonsense.vds"
    path.write_bytes(FILE_HEADER.pack(MAGIC, 1, len(metadata)) + metadata)
    assert replay.main([str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x00" * 300_000, b'"' + b"x" * 200_000])
def test_a_table_of_nonsense_is_one_line(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(content)
    assert plot.main([str(path)]) == 2
    assert capsys.readouterr().err.startswith("vdsim_plot: run.csv: ")


@pytest.mark.parametrize("name", ["endless.csv", "endless.vds"])
def test_a_device_is_no_run(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    path.symlink_to("/dev/zero")
    assert replay.main([str(path)]) == 2
    assert "is no regular file" in capsys.readouterr().err
    assert plot.main([str(path)]) == 2
    assert "is no regular file" in capsys.readouterr().err


def test_a_recording_is_a_log_for_identification(recording: Path) -> None:
    time_s, columns = reader_of("vds")(recording)
    assert len(time_s) > 10
    assert {"command_throttle", "vx_mps", "wheel_spin_radps_rr"} <= set(columns)
    assert {len(values) for values in columns.values()} == {len(time_s)}
