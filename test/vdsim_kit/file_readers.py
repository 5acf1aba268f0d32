"""Every reader of files that a user names, with a good file of each kind: what fuzzing begins with.

`modules` are those of src/ that call the checked reader for it. test/test_file_readers.py refuses a
module that calls it and is in no row, and one that reads a file in another way.
"""

from __future__ import annotations

import io
import json
import random
import struct
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from vdsim_kit.programs import ROOT

SRC = ROOT / "src"
DATA = SRC / "vdsim_plant/vdsim_plant/data"
FLAT = SRC / "vdsim_plant/test/data/flat/vehicles/ioniq5_awd.yaml"
CONFIG = SRC / "vdsim_interface/config"
CAN = SRC / "vdsim_can/vdsim_can/data"
LONGEST_LINE = 1500
_KINDS = {"MappingError", "PlatformError"}


@dataclass(frozen=True)
class Reader:
    """One reader: `read` raises an error of ours, of one line, or returns. `good`: a file."""

    name: str
    suffix: str
    read: Callable[[Path], Any]
    good: Callable[[], bytes]
    modules: tuple[str, ...]
    is_text: bool = True
    says_fault: bool = False
    """`read` returns the line in place of raising it."""


def _file(path: Path) -> Callable[[], bytes]:
    return path.read_bytes


def _text(text: str) -> Callable[[], bytes]:
    return text.encode


def _of(module: str, function: str) -> Callable[[Path], Any]:
    """A function of src/, imported when it is first called: a fuzzer needs one reader alone."""

    def read(path: Path) -> Any:
        imported = __import__(module, fromlist=[function])
        result = getattr(imported, function)(path)
        return list(result) if hasattr(result, "__next__") else result

    return read


def _told(path: Path) -> Any:
    from vdsim_record.ros.why import tell

    return [*tell(str(path), None, 0.0), *tell(str(path), 0.0, 0.0)]


def _identified(*fields: str, dbc: bool = False) -> Callable[[Path], Any]:
    def read(path: Path) -> Any:
        from vdsim_plant.study.identify.log_formats.log_files import read_log

        if dbc:
            other = path.with_name("other.log")
            other.write_bytes(_CAN_LOG.encode())
            return read_log(other, fields, path)
        other = path.with_name("other.dbc")
        other.write_bytes(_DBC.encode())
        return read_log(path, fields, other if path.suffix == ".log" else None)

    return read


def _ground_csv(key: str, cells: str) -> Callable[[Path], Any]:
    """A file of numbers that a ground names."""

    def read(path: Path) -> Any:
        from vdsim_plant.ground import load_ground

        ground = path.with_name("ground.yaml")
        ground.write_text(f"base_mu: 0.9\n{key}: {{csv: {path.name}, {cells}}}\n", "utf-8")
        return load_ground(ground)

    return read


def _command_map(path: Path) -> Any:
    from vdsim_autoware.model.parameters import SimulatorParameters
    from vdsim_autoware.ros.parameters import load_maps

    return load_maps(SimulatorParameters(accel_map_path=str(path)))


def _torque_map(path: Path) -> Any:
    from vdsim_interface.extras.autohyu.parameters import PedalParameters
    from vdsim_interface.extras.autohyu.torque_map import load_torque_map

    return load_torque_map(path, PedalParameters())


def _bridge(path: Path) -> Any:
    from vdsim_interface.extras.autohyu.ros1.autohyu_bridge import _of_file

    return _of_file(path, "/autohyu_bridge")


def _samples(path: Path) -> Any:
    from vdsim_interface.extras.calibration.cli.calibrate import main

    return _command(main, [str(path), "--output", str(path.with_name("made.csv"))])


def _bends(path: Path) -> Any:
    from vdsim_interface.extras.calibration.cli.calibrate import main

    return _command(main, ["--bends", str(path), "--wheelbase", "2.9"])


def _points(path: Path) -> Any:
    from vdsim_interface.extras.autohyu.cli.torque_map import main

    made = path.with_name("made.csv")
    made.unlink(missing_ok=True)
    return _command(main, ["fit", str(path), "--output", str(made)])


class CommandError(ValueError):
    """What a command prints before it ends with 2."""


def _command(main: Callable[[list[str]], int], words: list[str]) -> None:
    import contextlib

    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            code = main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    if code not in (0, 1):
        raise CommandError(said.getvalue().strip())


def _capture(path: Path) -> Any:
    from vdsim_protocol.cli.dump import read_file

    return list(read_file(str(path)))


def _trace(path: Path) -> Any:
    from vdsim_interface.extras.explain.cli.explain import read_recording

    return read_recording(str(path))


def _session(path: Path) -> Any:
    from vdsim_interface.ros.process.session_record import SessionRecord

    return SessionRecord(path).load()


def _morai(path: Path) -> Any:
    from vdsim_plant_node.morai.settings import load_settings

    return load_settings(path, {})


def _sweep_part(path: Path) -> Any:
    from vdsim_plant.study.sweep.files import _content

    return _content(path)


def _flat(path: Path) -> Any:
    from vdsim_plant.conversion.flat_file import read_flat

    return read_flat(path)


def _replay(path: Path) -> Any:
    from vdsim_plant_node.runs.recording_log import read_recording

    return read_recording(path)


def _description(path: Path) -> Any:
    """The JSON of an installed message, by the same function."""
    from vdsim_protocol.checked_file import read_json

    return read_json(path)


@cache
def _fmu() -> bytes:
    from vdsim_plant.fmu.archive import archived, fmu_files
    from vdsim_plant.fmu.libraries import library_name
    from vdsim_plant.vehicle import Vehicle

    library = library_name("3.0", "vdsim_ioniq5_awd")
    return archived({**fmu_files(Vehicle(), "3.0"), library: b"no program"})


def _load_fmu(path: Path) -> Any:
    from vdsim_plant.fmu_import.opened_fmu import open_fmu

    return open_fmu(path)


@cache
def _matlab() -> bytes:
    import numpy as np
    from scipy.io import savemat

    made = io.BytesIO()
    time_s = 0.01 * np.arange(200)
    savemat(made, {"t": time_s, "speed": np.full(200, 9.0), "df": np.ones(200), "wz": time_s})
    return made.getvalue()


def _pcap() -> bytes:
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    udp = struct.pack(">HHHH", 5000, 7001, 12, 0) + b"VDS1"
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 32, 0, 0, 64, 17, 0, b"\x7f\0\0\1", b"\x7f\0\0\1")
    packet = ip + udp
    return header + struct.pack("<IIII", 1, 0, len(packet), len(packet)) + packet


@cache
def _vds() -> bytes:
    """A recording of a quarter of a second, as the plant writes it."""
    import tempfile

    from vdsim_plant_node.cli.realtime import main

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.vds"
        words = ["--cmd-port", "0", "--state-port", "0", "--http", "off", "--duration", "0.25"]
        _command(main, [*words, "--record", str(path)])
        return path.read_bytes()


_DBC = """
BO_ 37 STEER: 8 XXX
 SG_ ANGLE : 7|16@0- (0.5,0) [-500|500] "deg" XXX
BO_ 2566844672 MOTION: 8 XXX
 SG_ SPEED : 0|16@1+ (0.01,0) [0|100] "m/s" XXX
 SG_ YAW : 16|12@1- (0.001,0.5) [-2|3] "rad/s" XXX
"""
_CAN_LOG = "".join(
    f"({1.0 + 0.01 * n:.6f}) can0 025#00{n % 10}0000000000000\n"
    f"({1.001 + 0.01 * n:.6f}) can0 18FEF100#{n % 100:02X}03000000000000\n"
    for n in range(150)
)
_CAN_FIELDS = ("steer_rad=STEER.ANGLE*0.01", "vx_mps=MOTION.SPEED", "yaw_rate_radps=MOTION.YAW")
_LOG = "t,speed,df,wz\n" + "".join(f"{0.01 * n:.2f},9.0,0.01,0.02\n" for n in range(150))
_LOG_FIELDS = ("time_s=t", "vx_mps=speed", "steer_rad=df", "yaw_rate_radps=wz")
_PLAN = {
    "seed": 1,
    "routes": [
        {
            "name": "cmd",
            "listen": "127.0.0.1:17001",
            "target": "127.0.0.1:7001",
            "to": {"loss": 0.02, "delay_s": 0.01, "blackouts": [{"start_s": 5, "duration_s": 1}]},
        }
    ],
}


def _can_car(path: Path) -> Any:
    """The car file's networks stand beside it."""
    network = path.with_name("vdsim_dbw.dbc")
    if not network.exists():
        network.write_bytes((CAN / "vdsim_dbw.dbc").read_bytes())
    return _of("vdsim_can.car.reading", "read_car")(path)


def _can_log(path: Path) -> Any:
    return list(_of("vdsim_can.cli.learn", "read_frames")(path))


def _can_drive(path: Path) -> Any:
    return _of("vdsim_can.cli.learn", "read_drive")(path)


_NETWORK = """VERSION ""
BU_: A B
BO_ 291 WHEEL: 8 A
 SG_ SPEED : 7|16@0+ (0.01,0) [0|655] "km/h" B
 SG_ MODE M : 16|8@1- (1,-1) [0|0] "" B
 SG_ PART m2 : 24|32@1- (1,0) [0|0] "" B
SIG_VALTYPE_ 291 PART : 1;
SG_MUL_VAL_ 291 PART MODE 2-4;
CM_ SG_ 291 SPEED "of the car";
BA_DEF_ BO_ "GenMsgCycleTime" INT 0 9999;
BA_DEF_DEF_ "GenMsgCycleTime" 0;
BA_ "GenMsgCycleTime" BO_ 291 20;
VAL_ 291 MODE 0 "off" 2 "on" ;
"""


def _segment() -> bytes:
    from vdsim_record.journal.frames import all_framed
    from vdsim_record.mcap_file import records

    head = records.MessageHead(1, 1, 10, 10)
    return all_framed(
        [
            records.metadata("vdsim.versions", {"python": "3.12"}),
            records.schema(1, "std_msgs/msg/UInt8", "uint8 data\n"),
            records.channel(1, "/number", 1, {}),
            records.message(head, b"\0\1\0\0\7"),
        ]
    )


@cache
def _mcap() -> bytes:
    from vdsim_record.tape.recorded import TOPIC, TYPE, as_message

    return _recorded(f"{TOPIC}1", TYPE, as_message(bytes(4)))


@cache
def _traced() -> bytes:
    from rclpy.serialization import serialize_message

    from vdsim_msgs.msg import CommandTrace

    data = bytes(serialize_message(CommandTrace()))
    return _recorded("/vehicle/command_trace", "vdsim_msgs/msg/CommandTrace", data)


def _recorded(topic: str, kind: str, data: bytes) -> bytes:
    from vdsim_record.journal.folder import JournalFolder
    from vdsim_record.journal.frames import all_framed
    from vdsim_record.mcap_file import records
    from vdsim_record.mcap_file.finishing import finish

    entries = [
        records.schema(1, kind, "uint8[] data\n"),
        records.channel(1, topic, 1, {}),
        records.message(records.MessageHead(1, 1, 10, 10), data),
    ]
    with tempfile.TemporaryDirectory() as folder:
        journal = JournalFolder.of(Path(folder) / "drive.mcap")
        journal.path.mkdir()
        journal.segment(1).write_bytes(all_framed(entries))
        finish(journal)
        return journal.target.read_bytes()


def _journal(path: Path) -> Any:
    """The file as the only segment of a journal."""
    from vdsim_record.journal.folder import JournalFolder
    from vdsim_record.mcap_file.finishing import finish

    with tempfile.TemporaryDirectory() as folder:
        journal = JournalFolder.of(Path(folder) / "drive.mcap")
        journal.path.mkdir()
        path.replace(journal.segment(1))
        try:
            return finish(journal)
        finally:
            if journal.path.exists():
                journal.segment(1).replace(path)


_CHAOS = """\
seed: 1
routes:
  - name: cmd
    listen: 127.0.0.1:17001
    target: 127.0.0.1:7001
    to: {loss: 0.02, burst: {enter: 0.005, leave: 0.2}, delay_s: 0.01}
"""
_NAMES = "steer_rad: delta\nvx_mps: {name: v, scale: 3.6}\n"
_CONFIG = "vehicle: sport_rwd\nrate: 100.0\nmu: 0.8\n"
_BENDS = "speed_mps,front_wheel_angle_rad,yaw_rate_radps\n" + "".join(
    f"{5 + n},0.02,{0.02 * (5 + n) / 2.9:.5f}\n" for n in range(12)
)
_SAMPLES = "speed_mps,pedal,accel_mps2\n" + "".join(
    f"{speed},{pedal / 10},{pedal / 4 - 0.1}\n" for speed in range(20) for pedal in range(-10, 11)
)
_MAP = "default,0.0,5.0,10.0\n0.0,0.1,0.0,-0.1\n0.5,2.0,1.5,1.0\n1.0,4.0,3.0,2.0\n"
_SESSION = json.dumps(
    {
        "stamp_s": 1.0,
        "counts": {"rate": 1},
        "last_driver": "autonomy",
        "process": "1:1:1",
        "boot": "x",
    }
)
_GRID = "0.9,0.8,0.9\n0.9,0.4,0.9\n"
_HEIGHTS = "0.0,0.1,0.2\n0.0,0.1,0.2\n0.1,0.1,0.1\n"
_TRACE = '{"stamp_s": 1.0, "mode": "AUTONOMOUS"}\n'

_EVENTS = "vdsim_interface.extras.events.cli.events"


def _event_log() -> bytes:
    from vdsim_interface.extras.events.chain import Chain
    from vdsim_interface.extras.events.occurrences import Occurrence

    chain = Chain("1.0.0")
    lines = [chain.line(Occurrence("start", "", "begins"), 1000 + n) for n in range(3)]
    return "".join(f"{line}\n" for line in lines).encode()


_PLANT, _NODE = "vdsim_plant/", "vdsim_plant_node/"
_INTERFACE, _PROTOCOL = "vdsim_interface/", "vdsim_protocol/"
_FILES = (f"{_PLANT}parameters/files.py",)
_DOCUMENTS = (f"{_NODE}settings/documents.py",)
_LOGS = f"{_PLANT}study/identify/log_formats/"
READERS: tuple[Reader, ...] = (
    Reader(
        *("vehicle", ".yaml", _of("vdsim_plant.parameters.files", "load_vehicle")),
        *(_file(DATA / "vehicles/ioniq5_awd.yaml"), _FILES),
    ),
    Reader(
        *("tyre", ".yaml", _of("vdsim_plant.parameters.files", "load_tyre")),
        *(_file(DATA / "tyres/mf96.yaml"), _FILES),
    ),
    Reader(
        *("tyre property file", ".tir", _of("vdsim_plant.parameters.files", "load_tyre")),
        *(_file(DATA / "tyres/road_235_55r19.tir"), _FILES),
    ),
    Reader(
        *("ground", ".yaml", _of("vdsim_plant.ground", "load_ground")),
        *(_file(DATA / "grounds/low_mu_patch.yaml"), (f"{_PLANT}ground/mapping.py",)),
    ),
    Reader(
        *("friction grid", ".csv", _ground_csv("grid", "cell_m: 5.0, x0_m: 0.0, y0_m: 0.0")),
        *(_text(_GRID), (f"{_PLANT}ground/mapping.py",)),
    ),
    Reader(
        *("height grid", ".csv", _ground_csv("heights", "cell_m: 5.0, x0_m: 0.0, y0_m: 0.0")),
        *(_text(_HEIGHTS), (f"{_PLANT}ground/mapping.py",)),
    ),
    Reader(
        *("actuator", ".yaml", _of("vdsim_plant.layer_files", "load_actuator")),
        *(_file(DATA / "actuators/passenger_car.yaml"), _FILES),
    ),
    Reader(
        *("sensor", ".yaml", _of("vdsim_plant.layer_files", "load_sensor")),
        *(_file(DATA / "sensors/automotive.yaml"), _FILES),
    ),
    Reader(
        *("assist", ".yaml", _of("vdsim_plant.assist.parameters", "load_assist")),
        *(_file(DATA / "assist/passenger_car.yaml"), _FILES),
    ),
    Reader(
        *("flat car", ".yaml", _flat, _file(FLAT)),
        (f"{_PLANT}conversion/flat_tyre.py",),
    ),
    Reader(
        *("sweep", ".yaml", _of("vdsim_plant.study.sweep.plan", "read_plan")),
        *(_file(DATA / "sweeps/braking.yaml"), _FILES),
    ),
    Reader(
        *("part of a sweep", ".json", _sweep_part, _text('{"rows": [[1.0, 2.0]]}')),
        (f"{_PLANT}study/sweep/files.py",),
    ),
    Reader(
        *("FMU", ".fmu", _load_fmu, _fmu, (f"{_PLANT}fmu_import/opened_fmu.py",)),
        is_text=False,
    ),
    Reader(
        *("names of an FMU", ".yaml", _of("vdsim_plant.fmu_import.names", "read_names")),
        *(_text(_NAMES), (f"{_PLANT}fmu_import/names.py",)),
    ),
    Reader(
        *("log", ".csv", _identified(*_LOG_FIELDS), _text(_LOG)),
        (f"{_LOGS}log_files.py",),
    ),
    Reader(
        *("MATLAB log", ".mat", _identified(*_LOG_FIELDS), _matlab, (f"{_LOGS}mat_file.py",)),
        is_text=False,
    ),
    Reader(
        *("CAN log", ".log", _identified(*_CAN_FIELDS), _text(_CAN_LOG)),
        (f"{_LOGS}can_file.py",),
    ),
    Reader(
        *("DBC", ".dbc", _identified(*_CAN_FIELDS, dbc=True), _text(_DBC)),
        (f"{_LOGS}can_file.py",),
    ),
    Reader(
        *("scenario", ".yaml", _of("vdsim_plant_node.scenario.reader", "load_scenario")),
        *(_file(ROOT / "examples/scenarios/lane_change.yaml"), _DOCUMENTS),
    ),
    Reader(
        *("commands", ".csv", _of("vdsim_plant_node.scenario.commands", "schedule_from_csv")),
        *(_file(ROOT / "examples/scenarios/stop_and_go.csv"), (f"{_NODE}scenario/commands.py",)),
    ),
    Reader(
        *("fleet", ".yaml", _of("vdsim_plant_node.settings.fleet", "load_fleet")),
        *(_file(ROOT / "examples/fleet.yaml"), _DOCUMENTS),
    ),
    Reader(
        *("settings", ".yaml", _of("vdsim_plant_node.settings.options", "load_config")),
        *(_text(_CONFIG), (*_DOCUMENTS, f"{_NODE}settings/options.py")),
    ),
    Reader(
        *("MORAI emulator", ".yaml", _morai, _file(CONFIG / "morai_emulator.yaml"), _DOCUMENTS),
    ),
    Reader(
        *("recording", ".vds", _replay, _vds, (f"{_NODE}runs/recording.py",)),
        is_text=False,
    ),
    Reader(
        *("event log", ".jsonl", _of(_EVENTS, "checked"), _event_log),
        ("vdsim_interface/extras/events/cli/events.py",),
    ),
    Reader(
        *("table of a run", ".csv", _of("vdsim_plant_node.runs.run_table", "read_run_tables")),
        *(_text("t_s,x_m\n0.0,1.0\n"), (f"{_NODE}runs/run_table.py",)),
    ),
    Reader(
        *("link faults", ".yaml", _of("vdsim_protocol.cli.chaos", "load_plan")),
        *(_text(_CHAOS), (f"{_PROTOCOL}cli/chaos.py",)),
    ),
    Reader(
        *("link faults", ".json", _of("vdsim_protocol.cli.chaos", "load_plan")),
        *(_text(json.dumps(_PLAN)), (f"{_PROTOCOL}cli/chaos.py",)),
    ),
    Reader(
        *("capture", ".pcap", _capture, _pcap, (f"{_PROTOCOL}cli/dump.py",)),
        is_text=False,
    ),
    Reader(
        *("gamepad mapping", ".yaml", _of("vdsim_interface.teleop.mapping_file", "load_mapping")),
        *(_file(CONFIG / "gamepads/xbox.yaml"), (f"{_INTERFACE}teleop/mapping_file.py",)),
    ),
    Reader(
        *("parameter file", ".yaml"),
        lambda path: _of("vdsim_interface.ros.launching.parameter_files", "load")(str(path)).fault,
        *(_file(CONFIG / "vehicle_interface.yaml"),),
        (f"{_INTERFACE}ros/launching/parameter_files.py",),
        says_fault=True,
    ),
    Reader(
        *("AutoHYU bridge", ".yaml", _bridge, _file(CONFIG / "autohyu.yaml")),
        (f"{_INTERFACE}extras/autohyu/ros1/autohyu_bridge.py",),
    ),
    Reader(
        *("torque map", ".csv", _torque_map),
        _file(SRC / "vdsim_interface/vdsim_interface/extras/autohyu/maps/ioniq5_awd.csv"),
        (f"{_INTERFACE}extras/autohyu/torque_points.py",),
    ),
    Reader(
        *("torque points", ".csv", _points),
        _file(SRC / "vdsim_interface/vdsim_interface/extras/autohyu/maps/ioniq5_awd.csv"),
        (f"{_INTERFACE}extras/autohyu/cli/torque_map.py",),
    ),
    Reader(
        *("pedal map", ".csv"),
        lambda path: _of("vdsim_interface.platforms.pedal_table", "load_pedal_map")(str(path)),
        _file(SRC / "vdsim_interface/vdsim_interface/platforms/maps/ioniq5_awd.csv"),
        (f"{_INTERFACE}platforms/pedal_table.py",),
    ),
    Reader(
        *(
            "samples",
            ".csv",
            _samples,
            _text(_SAMPLES),
            (f"{_INTERFACE}extras/calibration/cli/calibrate.py",),
        ),
    ),
    Reader(
        *(
            "bends",
            ".csv",
            _bends,
            _text(_BENDS),
            (f"{_INTERFACE}extras/calibration/cli/calibrate.py",),
        ),
    ),
    Reader(
        *(
            "command trace",
            ".jsonl",
            _trace,
            _text(_TRACE),
            (f"{_INTERFACE}extras/explain/cli/explain.py",),
        ),
    ),
    Reader(
        *(
            "session",
            ".json",
            _session,
            _text(_SESSION),
            (f"{_INTERFACE}ros/process/session_record.py",),
        ),
    ),
    Reader(
        *("description of a message", ".json", _description),
        _text('{"type_hashes": [{"type_name": "x", "hash_string": "y"}]}'),
        (f"{_INTERFACE}extras/doctor/ros/ends.py",),
    ),
    Reader(
        *("CAN network", ".dbc", _of("vdsim_can.dbc.reading", "read_dbc"), _text(_NETWORK)),
        ("vdsim_can/dbc/reading.py",),
    ),
    Reader(
        *("car on CAN", ".yaml", _can_car, _file(CAN / "vdsim_dbw.yaml")),
        ("vdsim_can/car/yaml_lines.py",),
    ),
    Reader(
        *("log of a car on CAN", ".log", _can_log, _text("(1.5) can0 123#0102\n(1.6) can0 001#")),
        ("vdsim_can/cli/learn.py",),
    ),
    Reader(
        *("drive of a car on CAN", ".csv", _can_drive, _text("t_s,brake\n1,0\n2,0.5\n")),
        ("vdsim_can/cli/learn.py",),
    ),
    Reader(
        *("tape of a recording", ".mcap", _of("vdsim_record.tape.recorded", "tapes_of")),
        _mcap,
        ("vdsim_record/tape/recorded.py", "vdsim_record/cli/play.py"),
        is_text=False,
    ),
    Reader(
        *("recording to explain", ".mcap", _told, _traced),
        ("vdsim_record/ros/recorded_drive.py",),
        is_text=False,
    ),
    Reader(
        *("segment of a recording", ".seg", _journal, _segment),
        ("vdsim_record/mcap_file/growing_file.py", "vdsim_record/cli/finish.py"),
        is_text=False,
    ),
    Reader(
        *("Autoware's map", ".csv", _command_map, _text(_MAP)),
        ("vdsim_autoware/ros/parameters.py",),
    ),
)


def fell(reader: Reader, path: Path) -> str:
    """What a reader does wrong with a file; empty where it reads it, or refuses it in a line."""
    try:
        result = reader.read(path)
    except Exception as error:  # judged here: whatever comes
        line = str(error)
        kind = type(error)
        if not isinstance(error, ValueError | OSError) or not _is_ours(kind):
            return f"{kind.__module__}.{kind.__name__}: {line[:200]}"
    else:
        line = result if reader.says_fault else ""
    if "Traceback" in line or "\n" in line:
        return f"several lines: {line[:200]!r}"
    if len(line) > LONGEST_LINE:
        return f"a line of {len(line)} characters"
    return ""


def _is_ours(kind: type) -> bool:
    return kind.__module__.startswith("vdsim_") or kind.__module__.startswith("vdsim")


# ---- fuzzing -------------------------------------------------------------------------------------

TOKENS = (
    *(b"{", b"}", b"[", b"]", b"&a ", b"*a", b"<<: ", b"!!int ", b"!!timestamp x", b"!!python/x "),
    *(b"nan", b".inf", b"1e999", b"-1", b"0", b"9" * 400, b"\0", b"\xff\xfe", b"\xef\xbb\xbf"),
    *(b",", b",,,,", b"\n", b'"', b"'", b": ", b"- ", b"#", b"\t", b"%", b"true", b"null", b"~"),
    *(b"..", b"/dev/zero", b"e", b"x" * 5000),
)


def fuzzed(good: bytes, chance: random.Random) -> bytes:
    """A good file with some bytes, lines or fields changed."""
    content = bytearray(good)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(content) + 1)
        what = chance.randrange(8)
        if what == 0:
            del content[at : at + chance.choice((1, 2, 8, 64, 4096))]
        elif what == 1:
            content[at:at] = chance.choice(TOKENS)
        elif what == 2:
            content[at : at + chance.randint(1, 8)] = chance.choice(TOKENS)
        elif what == 3 and content:
            content[at % len(content)] ^= 1 << chance.randrange(8)
        elif what == 4:
            content[at:at] = content[at : at + chance.choice((4, 40, 400))]
        elif what == 5:
            del content[at:]
        elif what == 6:
            content[at : at + 4] = struct.pack("<I", chance.getrandbits(32))
        else:
            lines = bytes(content).split(b"\n")
            chance.shuffle(lines)
            content = bytearray(b"\n".join(lines))
    return bytes(content)


HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "a null byte": b"\0",
    "no text": bytes(range(128, 256)) * 10,
    "deep lists": b"[" * 1000,  # beyond the recursion limit; PyYAML is quadratic here
    "deep groups": b"{a: " * 3000,
    "deep JSON": b'{"a":' * 100_000,
    "aliases of aliases": b"a0: &a0 [x]\n"
    + b"".join(b"a%d: &a%d [%s]\n" % (n, n, b"*a%d, " % (n - 1) * 9) for n in range(1, 20)),
    "an alias to itself": b"a: &a [*a]\n",
    "a date that is none": b"!!timestamp x\n",
    "a number that is none": b"a: !!int x\n",
    "a huge number": b"a: " + b"9" * 5000 + b"\n",
    "a list as a key": b"? [1, 2]\n: 3\n",
    "a tag of Python": b"!!python/object/apply:os.system [true]\n",
    "a long line": b"x" * 300_000,
    "numbers only": b"1,2,3\n" * 100,
    "too large for YAML": b"a: 1\n" * 300_000,
}


def attack(reader: Reader, folder: Path, seed: int, count: int) -> list[str]:
    """Files that fell, of `count` fuzzed ones and every hostile one."""
    found = []
    path = folder / f"file{reader.suffix}"
    chance = random.Random(f"{seed} {reader.name} {reader.suffix}")
    good = reader.good()
    contents = list(HOSTILE.items())
    contents += [(f"seed {seed} file {n}", b"") for n in range(count)]
    for name, content in contents:
        path.write_bytes(content if not name.startswith("seed ") else fuzzed(good, chance))
        why = fell(reader, path)
        if why:
            found.append(f"{reader.name} ({reader.suffix}), {name}: {why}")
    return found
