"""FMUs of cars through another importer (FMPy): valid, and the same bits as the kernel's own.

Every drive runs twice in steps of 10 ms: in `Vehicle`, and in the FMU that `vdsim_fmu` wrote.
"""

from __future__ import annotations

import math
import shlex
import socket
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fmpy import extract, read_model_description
from fmpy.build import build_platform_binary
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave
from fmpy.validation import validate_fmu
from vdsim_kit.docs import commands
from vdsim_plant.cli.c_compiler import find_compiler, shared_library
from vdsim_plant.cli.fmu import main
from vdsim_plant.fmu.archive import archived, identifier_of
from vdsim_plant.fmu.libraries import library_name
from vdsim_plant.fmu.variables import WHEELS, variables_of
from vdsim_plant.fmu_import.foreign_vehicle import ForeignVehicle
from vdsim_plant.ground import flat, load_ground
from vdsim_plant.motion import InitialState, PedalInput, WheelTorques
from vdsim_plant.parameters import ParameterError
from vdsim_plant.vehicle import STATE_LIMITS, Vehicle
from vdsim_plant_node.cli.realtime import main as realtime

from vdsim_protocol import vds1

ROOT = Path(__file__).resolve().parents[3]

FULL_MF96 = Path(__file__).with_name("full_mf96.yaml")
STEP_S = 0.01
REFUSED = r"failed|status"
Inputs = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Drive:
    """A car, where it starts, and what it is driven with."""

    name: str
    inputs: Callable[[float], Inputs]
    speed_mps: float = 20.0
    car: str = "ioniq5_awd"
    options: tuple[str, ...] = ()
    duration_s: float = 4.0
    start: dict[str, float] = field(default_factory=dict)

    def vehicle(self) -> Vehicle:
        """The car as the library makes it."""
        given = dict(zip(self.options[::2], self.options[1::2], strict=False))
        ground = load_ground(given["--ground"]) if "--ground" in given else flat()
        return Vehicle(
            self.car,
            given.get("--tyre"),
            ground,
            level=given.get("--level", "l2"),
            limit_to_motor="--limit-to-motor" in self.options,
        )


def wheels(name: str, *values: float) -> Inputs:
    return {f"{name}_{wheel}": value for wheel, value in zip(WHEELS, values, strict=True)}


def after(t: float, start_s: float, value: float) -> float:
    return value if t >= start_s else 0.0


DRIVES = (
    Drive(name="straight_brake", inputs=lambda t: {"force_n": after(t, 0.5, -20000.0)}),
    Drive(name="step_steer", inputs=lambda t: {"steer_rad": after(t, 0.5, 0.08)}),
    Drive(
        name="sine_at_the_limit",
        inputs=lambda t: {"steer_rad": 0.14 * math.sin(4.0 * t), "force_n": 3000.0},
        car="sport_rwd",
        speed_mps=30.0,
    ),
    Drive(
        name="brake_in_a_turn_over_a_patch",
        inputs=lambda t: {"steer_rad": 0.05, "force_n": after(t, 1.0, -9000.0)},
        options=("--ground", "low_mu_patch"),
    ),
    Drive(
        name="brake_on_split_friction",
        inputs=lambda t: {"force_n": after(t, 0.3, -15000.0), "steer_rad": -0.01},
        options=("--ground", "split_mu"),
    ),
    Drive(
        name="launch_and_stop_by_pedals",
        inputs=lambda t: {"throttle": 1.0 if t < 2.0 else 0.0, "brake": after(t, 2.2, 0.9)},
        speed_mps=0.0,
    ),
    Drive(
        name="reverse_by_pedals",
        inputs=lambda t: {"throttle": 0.4, "gear": -1, "steer_rad": 0.3},
        speed_mps=0.0,
        car="compact_fwd",
    ),
    Drive(
        name="hand_brake_turn",
        inputs=lambda t: {"steer_rad": 0.2, "handbrake": t >= 0.5},
        speed_mps=15.0,
    ),
    Drive(
        name="torques_at_the_wheels_within_the_motor",
        inputs=lambda t: {
            "steer_rad": 0.02,
            "force_n": 4000.0,
            **wheels("drive_torque_nm", -900.0, 1500.0, -900.0, 1500.0),
            **wheels("brake_torque_nm", 0.0, 0.0, after(t, 2.0, 800.0), 0.0),
        },
        options=("--limit-to-motor",),
    ),
    Drive(
        name="lane_change_with_a_property_file",
        inputs=lambda t: {"steer_rad": 0.06 * math.sin(3.0 * t), "force_n": after(t, 2, -6000.0)},
        options=("--tyre", "road_235_55r19"),
    ),
    Drive(
        name="lane_change_with_the_full_mf96",
        inputs=lambda t: {"steer_rad": 0.06 * math.sin(3.0 * t), "force_n": after(t, 2, -6000.0)},
        options=("--tyre", str(FULL_MF96)),
    ),
    Drive(
        name="standing_on_a_hill",
        inputs=lambda t: {"force_n": -8000.0 if t < 2.0 else 0.0},
        speed_mps=0.0,
        options=("--ground", "hill_8_percent"),
    ),
    Drive(
        name="single_track",
        inputs=lambda t: {"steer_rad": 0.1 * math.sin(2.0 * t)},
        options=("--level", "l1"),
        start={"start_x_m": 5.0, "start_yaw_rad": 1.2, "start_yaw_rate_radps": 0.3},
    ),
    Drive(
        name="gust_from_the_side",
        inputs=lambda t: {
            "steer_rad": 0.01,
            "wind_x_n": -300.0,
            "wind_y_n": after(t, 1.0, 4000.0),
            "wind_moment_nm": after(t, 1.5, -1500.0),
        },
    ),
    Drive(
        name="rolling_without_slip",
        inputs=lambda t: {"steer_rad": 0.2, "force_n": 1000.0},
        options=("--level", "kinematic"),
    ),
)
OF_FMI_2 = tuple(drive for drive in DRIVES if drive.name in ("step_steer", "hand_brake_turn"))
BY_IMPORTER = ("step_steer", "sine_at_the_limit", "lane_change_with_the_full_mf96")
COMPILED = tuple(drive for drive in DRIVES if drive.name in BY_IMPORTER)


class Imported:
    """An FMU in FMPy, by names, whichever its version."""

    def __init__(self, folder: Path) -> None:
        self.described = read_model_description(folder)
        kind = FMU3Slave if self.described.fmiVersion == "3.0" else FMU2Slave
        self.new = self.described.fmiVersion == "3.0"
        self.fmu: Any = kind(
            guid=self.described.guid,
            modelIdentifier=self.described.coSimulation.modelIdentifier,
            unzipDirectory=str(folder),
            instanceName="car",
        )
        self._variables = {item.name: item for item in self.described.modelVariables}
        self.time_s = 0.0
        self.fmu.instantiate()

    def start(self, **values: float) -> None:
        """Initialize with these parameters."""
        self.set(values)
        if not self.new:
            self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def set(self, values: Inputs) -> None:
        """Set variables of any type."""
        for name, value in values.items():
            self._access("set", name)([self._variables[name].valueReference], [value])

    def get(self, *names: str) -> list[float]:
        """Return values of variables of one type."""
        references = [self._variables[name].valueReference for name in names]
        return list(self._access("get", names[0])(references))

    def step(self, duration_s: float = STEP_S) -> None:
        """Go on by a communication step."""
        self.fmu.doStep(currentCommunicationPoint=self.time_s, communicationStepSize=duration_s)
        self.time_s += duration_s

    def close(self) -> None:
        """Unload it."""
        self.fmu.terminate()
        self.fmu.freeInstance()

    def _access(self, verb: str, name: str) -> Callable[..., Any]:
        access: Callable[..., Any] = getattr(self.fmu, f"{verb}{self._variables[name].type}")
        return access


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function: car and options -> its FMU; each is made once."""
    made: dict[tuple[str, ...], Path] = {}

    def export(car: str, *options: str) -> Path:
        key = (car, *options)
        if key not in made:
            made[key] = tmp_path_factory.mktemp("fmu") / "car.fmu"
            assert main(["export", car, "--out", str(made[key]), *options]) == 0
        return made[key]

    return export


@pytest.fixture
def imported(tmp_path: Path) -> Iterator[Callable[[Path], Imported]]:
    """Return a function: an FMU's file or folder -> an instance."""
    instances: list[Imported] = []

    def load(fmu: Path) -> Imported:
        if fmu.is_file():
            folder = tmp_path / f"unzipped{len(instances)}"
            extract(str(fmu), str(folder))
        else:
            folder = fmu
        instances.append(Imported(folder))
        return instances[-1]

    yield load
    for instance in instances:
        instance.close()


def outputs(vehicle: Vehicle) -> list[str]:
    names = [item.name for item in variables_of(vehicle) if item.causality == "output"]
    return [name for name in names if name != "steer_applied_rad"]


def observed(vehicle: Vehicle) -> list[float]:
    numbers = vehicle.observed()
    return numbers[:11] + numbers[12:]  # without the time


def drive_vehicle(vehicle: Vehicle, inputs: Inputs) -> None:
    """Do with the library what the inputs of an FMU mean."""
    drive = [inputs.get(f"drive_torque_nm_{wheel}", 0.0) for wheel in WHEELS]
    brake = [inputs.get(f"brake_torque_nm_{wheel}", 0.0) for wheel in WHEELS]
    torques = WheelTorques(tuple(drive), tuple(brake)) if any((*drive, *brake)) else None
    steer = inputs.get("steer_rad", 0.0)
    if inputs.keys() & {"throttle", "brake", "handbrake"}:
        pedals = PedalInput(
            steer_rad=steer,
            throttle=inputs.get("throttle", 0.0),
            brake=inputs.get("brake", 0.0),
            gear=int(inputs.get("gear", 1)),
            handbrake=bool(inputs.get("handbrake", False)),
            torques=torques,
        )
        vehicle.step_pedals(pedals, STEP_S)
    else:
        blown = [inputs.get(name, 0.0) for name in ("wind_x_n", "wind_y_n", "wind_moment_nm")]
        wind = blown[0], blown[1], blown[2]
        vehicle.step_force(steer, inputs.get("force_n", 0.0), STEP_S, torques, wind)


def assert_same_bits(drive: Drive, car: Imported) -> None:
    vehicle = drive.vehicle()
    start = {"start_vx_mps": drive.speed_mps, **drive.start}
    vehicle.reset(InitialState(**{key.removeprefix("start_"): v for key, v in start.items()}))
    car.start(**start)
    names = outputs(vehicle)
    assert car.get(*names) == observed(vehicle)
    for k in range(round(drive.duration_s / STEP_S)):
        inputs = drive.inputs(k * STEP_S)
        drive_vehicle(vehicle, inputs)
        car.set(inputs)
        car.step()
        assert car.get(*names) == observed(vehicle), f"after {car.time_s} s"
    assert car.get("time") == [pytest.approx(drive.duration_s)]
    x_m, y_m, yaw_rad = car.get("x_m", "y_m", "yaw_rad")
    still = drive.name == "standing_on_a_hill"
    assert still or abs(x_m) + abs(y_m) + abs(yaw_rad) > 1.0


@pytest.mark.parametrize("drive", DRIVES, ids=lambda drive: drive.name)
def test_fmi_3_gives_the_same_bits(
    drive: Drive, exported: Callable[..., Path], imported: Callable[[Path], Imported]
) -> None:
    fmu = exported(drive.car, *drive.options)
    assert validate_fmu(str(fmu)) == []
    assert_same_bits(drive, imported(fmu))


@pytest.mark.parametrize("drive", OF_FMI_2, ids=lambda drive: drive.name)
def test_fmi_2_gives_the_same_bits(
    drive: Drive, exported: Callable[..., Path], imported: Callable[[Path], Imported]
) -> None:
    fmu = exported(drive.car, "--fmi", "2.0", *drive.options)
    assert validate_fmu(str(fmu)) == []
    assert_same_bits(drive, imported(fmu))


@pytest.mark.parametrize("drive", COMPILED, ids=lambda drive: drive.name)
@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_sources_that_the_importer_compiles_give_the_same_bits(
    version: str,
    drive: Drive,
    exported: Callable[..., Path],
    imported: Callable[[Path], Imported],
    tmp_path: Path,
) -> None:
    fmu = exported(drive.car, "--sources-only", "--fmi", version, *drive.options)
    folder = Path(extract(str(fmu), str(tmp_path / "sources")))
    assert not (folder / "binaries").exists()
    build = tmp_path / "build"
    build.mkdir()
    strict = {"CMAKE_C_FLAGS:STRING": "-Werror"}
    build_platform_binary(folder, build, all_warnings=True, cmake_options=strict)
    assert_same_bits(drive, imported(folder))


@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_a_state_is_taken_up_again_also_from_bytes_and_in_another_instance(
    version: str, exported: Callable[..., Path], imported: Callable[[Path], Imported]
) -> None:
    fmu = exported("ioniq5_awd", "--fmi", version)
    first, second = imported(fmu), imported(fmu)
    names = outputs(Vehicle())
    first.start(start_vx_mps=20.0)
    second.start()
    word = "State" if version == "3.0" else "state"
    of_first, of_second = first.fmu, second.fmu
    get, put = (getattr(of_first, f"{verb}FMU{word}") for verb in ("get", "set"))
    first.set({"steer_rad": 0.1, "force_n": -4000.0, "base_mu": 0.4})
    first.step()
    state = get()
    serialize = "serializeFMUState" if version == "3.0" else "serializeFMUstate"
    kept = getattr(of_first, serialize)(state)
    first.step()
    expected = first.get(*names)
    first.step()
    put(state)
    first.time_s = STEP_S
    first.step()
    assert first.get(*names) == expected
    deserialize = "deserializeFMUState" if version == "3.0" else "deSerializeFMUstate"
    there = getattr(of_second, deserialize)(kept)
    getattr(of_second, f"setFMU{word}")(there)
    second.time_s = STEP_S
    second.step()
    assert second.get(*names) == expected
    spoilt = bytes(kept[:-1]) + bytes([kept[-1] ^ 1])
    with pytest.raises(Exception, match=REFUSED):
        getattr(of_second, deserialize)(spoilt)
    getattr(of_first, f"freeFMU{word}")(state)


@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_what_no_car_can_be_given_is_refused_and_changes_nothing(
    version: str, exported: Callable[..., Path], imported: Callable[[Path], Imported]
) -> None:
    car = imported(exported("ioniq5_awd", "--fmi", version))
    for name, value in (
        ("start_vx_mps", 1.1 * STATE_LIMITS["vx_mps"]),
        ("base_mu", 0.0),
        ("steer_rad", math.nan),
        ("force_n", math.inf),
        ("gear", 2),
        ("brake_torque_nm_fl", -1.0),
        ("x_m", 1.0),
    ):
        with pytest.raises(Exception, match=REFUSED):
            car.set({name: value})
    with pytest.raises(Exception, match=REFUSED):  # not initialized yet
        car.step()
    car.start(start_vx_mps=20.0)
    before = car.get(*outputs(Vehicle()))
    for duration_s in (0.0003, 0.0, -0.01, math.nan, math.inf):
        with pytest.raises(Exception, match=REFUSED):
            car.fmu.doStep(currentCommunicationPoint=0.0, communicationStepSize=duration_s)
    with pytest.raises(Exception, match=REFUSED):  # the car is at 0 s
        car.fmu.doStep(currentCommunicationPoint=1.0, communicationStepSize=STEP_S)
    with pytest.raises(Exception, match=REFUSED):
        car.set({"start_vx_mps": 10.0})
    assert car.get(*outputs(Vehicle())) == before


PEDALS = tuple(drive for drive in DRIVES if "pedals" in drive.name or "hand" in drive.name)


@pytest.mark.parametrize("drive", PEDALS, ids=lambda drive: drive.name)
@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_our_own_importer_drives_it_with_the_same_bits(
    version: str, drive: Drive, exported: Callable[..., Path]
) -> None:
    vehicle = drive.vehicle()
    fmu = exported(drive.car, "--fmi", version, *drive.options)
    foreign = ForeignVehicle(fmu, {}, vehicle.parameters, vehicle.ground)
    start = InitialState(x_m=3.0, vx_mps=drive.speed_mps)
    for car in (vehicle, foreign):
        car.reset(start)
    kept = b""
    for k in range(150):
        if k == 100:
            kept = foreign.snapshot()
        for car in (vehicle, foreign):
            drive_vehicle(car, drive.inputs(k * STEP_S))
        assert_same_motion(foreign, vehicle)
    foreign.restore(kept)
    for k in range(100, 150):
        drive_vehicle(foreign, drive.inputs(k * STEP_S))
    assert_same_motion(foreign, vehicle)
    with pytest.raises(ParameterError, match="serializedState: is not of this car"):
        foreign.restore(kept[:100] + bytes([kept[100] ^ 1]) + kept[101:])
    assert_same_motion(foreign, vehicle)
    foreign.close()


def assert_same_motion(foreign: Vehicle, vehicle: Vehicle) -> None:
    """Every bit, but of the forces in the body frame: those are turned once more."""
    values, expected = asdict(foreign.motion()), asdict(vehicle.motion())
    for name in ("tire_body_fx_n", "tire_body_fy_n"):
        assert values.pop(name) == pytest.approx(expected.pop(name), abs=1e-6)
    assert values == expected


@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_a_car_with_other_names_is_on_the_wire(
    version: str, exported: Callable[..., Path], tmp_path: Path
) -> None:
    """Its steering input is renamed: the FMU is edited as text, and compiled."""
    fmu = renamed(exported("ioniq5_awd", "--sources-only", "--fmi", version), tmp_path, version)
    names = tmp_path / "names.yaml"
    names.write_text("steer_rad: {name: DeltaFront, scale: 1.0}\n", encoding="utf-8")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        ours.bind(("127.0.0.1", 0))
        ours.settimeout(30.0)
        port = ours.getsockname()[1]
        arguments = ["--fmu", str(fmu), "--vx0", "15", "--duration", "1", "--http", "off"]
        ends = ["--cmd-port", "0", "--state-port", str(port)]
        assert realtime(["ioniq5_awd", *arguments, *ends]) == 2  # no variable steer_rad
        assert realtime(["ioniq5_awd", *arguments, *ends, "--fmu-names", str(names)]) == 0
        packets = [vds1.decode(ours.recv(2048)) for _ in range(20)]
    states = [packet.body for packet in packets if isinstance(packet, vds1.Packet)]
    assert len(states) == len(packets)
    assert states[0].vx_mps == pytest.approx(15.0, abs=1.0)
    assert states[-1].x_world_m > states[0].x_world_m
    assert states[-1].tire_fz_n[0] > 1000.0


def renamed(fmu: Path, folder: Path, version: str) -> Path:
    files = {}
    with zipfile.ZipFile(fmu) as archive:
        for name in archive.namelist():
            files[name] = archive.read(name).replace(b'"steer_rad"', b'"DeltaFront"')
    sources = {k.partition("/")[2]: text for k, text in files.items() if k.startswith("sources/")}
    library = library_name(version, identifier_of(Vehicle()))
    files[library] = shared_library(find_compiler(None), sources)
    out = folder / "renamed.fmu"
    out.write_bytes(archived(files))
    return out


def test_the_commands_of_the_page_write_valid_fmus(tmp_path: Path) -> None:
    lines = [item.text for item in commands(ROOT / "docs" / "fmu.md", lane="fmu")]
    assert len(lines) == 2
    for line in lines:
        # Without ROS 2, as the lane is, the program that `./ws ros2 run` starts.
        program, arguments = line.split(" export ", 1)
        assert program == "./ws ros2 run vdsim_plant vdsim_fmu"
        arguments = shlex.split(f"export {arguments}".replace("$OUT", str(tmp_path)))
        assert main(arguments) == 0
    for fmu in tmp_path.glob("*.fmu"):
        assert validate_fmu(str(fmu)) == []
    assert len(list(tmp_path.glob("*.fmu"))) == 2


def test_the_example_of_the_page_drives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs/fmu.md").read_text(encoding="utf-8")
    _, _, rest = page.partition("```python\n")
    code, _, after = rest.partition("```\n")
    assert main(["export", "ioniq5_awd", "--out", str(tmp_path / "ioniq5_awd.fmu")]) == 0
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    exec(code, {})
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("after")]
    assert said == [after.strip().splitlines()[0].strip()]
