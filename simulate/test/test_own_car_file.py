"""The simulator with a car file of a user's: it is read, broken and judged as the shipped one."""

from dataclasses import replace
from pathlib import Path

import pytest
import vdsim_can_kit
from vdsim_can.car.reading import load_car
from vdsim_can.data import example
from vdsim_interface.platforms.pedal_table import load_pedal_map
from vdsim_simulate.bus.file_reading import FileReading
from vdsim_simulate.cli.simulate import main
from vdsim_simulate.draw import scene_of
from vdsim_simulate.fault_table import EVERYWHERE
from vdsim_simulate.oracles import judge
from vdsim_simulate.record import Record
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene, scene_from

VAN = str(Path(vdsim_can_kit.__file__).with_name("van.yaml"))
BEGINS_S = 2.5
ENDS_AUTONOMY = {
    "lost": Event(BEGINS_S, "message_lost", {"message": "VMC_State", "for_s": 2.0}),
    "speed lost": Event(BEGINS_S, "message_lost", {"message": "VMC_Motion", "for_s": 2.0}),
    "stuck": Event(BEGINS_S, "counter_stands", {"message": "EPS_State", "for_s": 2.0}),
    "checksum": Event(BEGINS_S, "checksum_wrong", {"message": "VMC_Motion", "for_s": 2.0}),
    "silent": Event(BEGINS_S, "ecu_silent", {"for_s": 2.0}),
    "reset": Event(BEGINS_S, "ecu_starts_again", {}),
    "foreign": Event(BEGINS_S, "stranger_on_the_bus", {"message": "ADCU_Drive", "for_s": 2.0}),
    "fault": Event(BEGINS_S, "car_reports_a_fault", {"for_s": 2.0}),
    "override": Event(BEGINS_S, "person_uses", {"control": "EPS_State.HandTorque", "for_s": 2.0}),
}


def scene(car_file: str, *events: Event, composition: str = "single") -> Scene:
    return Scene(
        composition=composition,
        platform="can",
        car_file=car_file,
        start_mps=4.0,
        legs=(Leg(0.0, 4.0), Leg(1.5, 4.0, curvature_1pm=0.05)),
        events=events,
        heals_s=BEGINS_S + 2.5,
        ends_s=BEGINS_S + 2.0,
    )


def mode_at(record: Record, time_s: float) -> str:
    return [mode for since_s, mode in record.shown if since_s <= time_s][-1]


def starts(hill: Scene) -> Record:
    """Start on a hill, on CAN: everything holds, and the car drives in the end."""
    legs = (Leg(0.0, 0.0), Leg(2.0, 3.0))
    record = run_scene(replace(hill, platform="can", legs=legs, heals_s=9.0, ends_s=8.0))
    assert judge(record) == []
    assert record.car[-1].vx_mps > 2.5
    return record


def two_buses(folder: Path) -> str:
    """The shipped car with its body on a bus of its own."""
    network, rows = (example("vdsim_dbw").with_suffix(s).read_text() for s in (".dbc", ".yaml"))
    for name in ("vdsim_dbw", "body"):
        (folder / f"{name}.dbc").write_text(network)
    rows = rows.replace("dbc}\n", "dbc}\n  body: {dbc: body.dbc}\n", 1)
    for message in ("DBW_BODY_CMD: {", "DBW_BODY: {"):
        assert f"  {message}" in rows
        rows = rows.replace(f"  {message}", f"  {message}bus: body, ", 1)
    (folder / "car.yaml").write_text(rows)
    return str(folder / "car.yaml")


@pytest.mark.parametrize("composition", EVERYWHERE)
def test_a_car_with_two_buses_drives_and_everything_holds(tmp_path: Path, composition: str) -> None:
    lost = Event(BEGINS_S, "message_lost", {"message": "DBW_BODY", "for_s": 2.0})
    record = run_scene(scene(two_buses(tmp_path), lost, composition=composition))
    assert judge(record) == []
    assert mode_at(record, BEGINS_S - 0.1) == "AUTONOMOUS"
    assert mode_at(record, BEGINS_S + 1.9) != "AUTONOMOUS"
    assert {frame.message for frame in record.frames} >= {"DBW_BODY_CMD", "DBW_STEER_CMD"}


def test_a_car_with_two_buses_holds_by_seed(tmp_path: Path) -> None:
    path = two_buses(tmp_path)
    for seed in (3, 9):
        assert judge(run_scene(scene_of(seed, "single", "can", path))) == []


@pytest.mark.parametrize("composition", EVERYWHERE)
def test_the_van_drives_and_everything_holds(composition: str) -> None:
    record = run_scene(scene(VAN, composition=composition))
    assert judge(record) == []
    assert mode_at(record, record.scene.ends_s) == "AUTONOMOUS"
    assert min(car.vx_mps for car in record.car[-100:]) > 3.5
    assert len(record.packets) > 150
    assert record.packets[-1].steer_rad == pytest.approx(0.05 * 2.97, abs=0.01)


@pytest.mark.parametrize(("car_file", "grade"), [("", 0.25), ("", -0.25), (VAN, 0.2)])
def test_a_car_that_knows_its_slope_starts_on_a_hill(car_file: str, grade: float) -> None:
    """vdsim_dbw reports its pitch, the van what an accelerometer feels."""
    starts(Scene(car_file=car_file, actuator="passenger_car", grade=grade))


@pytest.mark.parametrize("level", ["vehicle", "high_level"])
@pytest.mark.parametrize("actuator", ["ideal", "passenger_car"])
def test_a_step_of_the_wheel_signals_does_not_take_the_drive_away_on_a_hill(
    level: str, actuator: str
) -> None:
    """At 0.75 m/s a step of 0.1 rad/s is 4 % of the speed: a slip that seems to grow fast.

    The front wheels of this car have little to spare on 25 %: what spins hides in no step.
    """
    record = starts(Scene(car="compact_fwd", actuator=actuator, level=level, grade=0.25))
    assert max(car.slip for car in record.car) < 0.2


@pytest.mark.parametrize("name", ENDS_AUTONOMY)
def test_each_fault_of_its_bus_ends_autonomy(name: str) -> None:
    record = run_scene(scene(VAN, ENDS_AUTONOMY[name]))
    assert judge(record) == []
    assert mode_at(record, BEGINS_S) == "AUTONOMOUS"
    assert mode_at(record, BEGINS_S + 1.5) != "AUTONOMOUS"


def test_frames_read_by_the_file_are_those_read_by_hand() -> None:
    by_hand, by_file = (run_scene(scene(name)) for name in ("", str(example("vdsim_dbw"))))
    assert len(by_hand.frames) == len(by_file.frames) > 500
    for one, other in zip(by_hand.frames, by_file.frames, strict=True):
        assert tuple(one) == pytest.approx(tuple(other), abs=1e-9, nan_ok=True)
    assert len(by_hand.packets) == len(by_file.packets) > 300
    for one, other in zip(by_hand.packets, by_file.packets, strict=True):
        assert tuple(one) == pytest.approx(tuple(other), abs=1e-9)


def test_an_acceleration_that_slows_the_car_down_is_no_drive() -> None:
    """At 6 m/s a car that coasts slows down by more than 0.1 m/s2: a pedal would be pressed."""
    pedal_map = load_pedal_map("ioniq5_awd")
    reading = FileReading(load_car(Path(VAN).with_name("paged_car.yaml")), pedal_map)
    assert pedal_map.pedal(-0.01, 6.0) > 0.0
    for accel, drives in ((-0.01, False), (0.5, True)):
        reading._values["long_accel_mps2"] = accel
        throttle, brake = reading._pedals(6.0, {"long_accel_mps2"})
        assert (throttle > 0.0) is drives
        assert brake == 0.0


def test_seeds_draw_the_messages_and_controls_of_the_car() -> None:
    scenes = [scene_of(seed, platform="can", car_file=VAN) for seed in range(400)]
    named = {
        (event.name, str(value))
        for each in scenes
        for event in each.events
        for key, value in event.values.items()
        if key in ("message", "control")
    }
    assert ("message_lost", "VMC_State") in named
    assert ("counter_stands", "VMC_State") not in named, "it has no counter"
    assert ("stranger_on_the_bus", "ADCU_Drive") in named
    assert ("person_uses", "VMC_State.BrakePedal") in named
    assert not any("DBW" in value for _, value in named)


@pytest.mark.parametrize("seed", [1, 4])
def test_a_seed_holds(seed: int) -> None:
    record = run_scene(scene_of(seed, "guarded", "can", VAN))
    assert judge(record) == []


def test_a_file_says_which_car_it_was() -> None:
    assert scene_from({"platform": "can", "car_file": VAN}).car_file == VAN
    with pytest.raises(ValueError, match="only the platform can has one"):
        scene_from({"car_file": VAN})


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--car-file", VAN], "only --platform can has one"),
        (["--platform", "can", "--car-file", "no.yaml"], "no.yaml: No such file"),
    ],
)
def test_a_wrong_file_is_one_line(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--seeds", "1"]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1
