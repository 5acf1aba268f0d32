"""Whole scenes: they repeat bit for bit, and without a fault everything holds."""

import json
import math
from pathlib import Path

import pytest
from vdsim_interface.values import Command, VehicleCommand
from vdsim_simulate.cli.test_file import test_of as text_of_a_test
from vdsim_simulate.draw import scene_of
from vdsim_simulate.oracles import Violation, judge
from vdsim_simulate.runs import bits_of, breaks, run_scene
from vdsim_simulate.scene import Event, Leg, Scene, scene_from
from vdsim_simulate.shrink import shrink
from vdsim_simulate.stack import Planner

DRIVE = (Leg(0.0, 5.0), Leg(1.5, 5.0, 2.0, 0.02), Leg(3.0, 0.0, 2.0))


@pytest.mark.parametrize("composition", ["single", "guarded", "processes"])
@pytest.mark.parametrize("level", ["high_level", "vehicle"])
def test_without_a_fault_everything_holds(composition: str, level: str) -> None:
    scene = Scene(
        composition=composition, level=level, start_mps=5.0, legs=DRIVE, heals_s=6.0, ends_s=20.0
    )
    record = run_scene(scene)
    assert judge(record) == []
    assert max(car.vx_mps for car in record.car if car.time_s > 12.0) > 2.5


def test_a_seed_gives_the_same_scene_and_the_same_bits() -> None:
    assert scene_of(4) == scene_of(4) != scene_of(5)
    scene = Scene(seed=3, legs=DRIVE, start_mps=5.0, ends_s=2.0)
    assert bits_of(run_scene(scene)) == bits_of(run_scene(scene))


def test_a_scene_survives_its_file() -> None:
    scene = scene_of(7, "processes")
    assert scene_from(json.loads(scene.to_json())) == scene


def test_a_file_with_an_unknown_key_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="scene: speed is unknown; there are actuator"):
        scene_from({"speed": 3})
    with pytest.raises(ValueError, match="composition=pair: must be one of single"):
        scene_from({"composition": "pair"})


def test_shrinking_keeps_what_the_failure_needs() -> None:
    needed = Event(2.04, "planner_silent", {"for_s": 3.0})
    scene = Scene(
        car="sport_rwd", grade=0.1, legs=DRIVE, events=(Event(1.0, "disengage"), needed), ends_s=9.0
    )

    def breaks_when_silent_on_a_slope(tried: Scene) -> Violation | None:
        silent = any(event.name == "planner_silent" for event in tried.events)
        return Violation(5.0, "") if silent and tried.grade > 0.0 else None

    small = shrink(scene, breaks_when_silent_on_a_slope)
    assert small.events == (Event(2.0, "planner_silent", {"for_s": 3.0}),)
    assert (small.car, small.grade, len(small.legs), small.ends_s) == ("ioniq5_awd", 0.1, 1, 5.5)


def test_a_failure_becomes_a_test_file(tmp_path: Path) -> None:
    scene = Scene(legs=DRIVE[:1], ends_s=1.0, seed=12)
    names: dict[str, object] = {}
    text = text_of_a_test(scene, "drives_again", tmp_path, [])
    exec(compile(text, "test_found.py", "exec"), names)
    test = names["test_drives_again_in_the_scene_of_seed_12"]
    assert callable(test)
    test()
    assert breaks("drives_again", scene) is None


def test_the_planner_knows_the_slope_ahead_of_the_car() -> None:
    sent: list[Command] = []
    planner = Planner(Scene(grade=0.1, level="vehicle", legs=(Leg(0.0, 5.0),)), sent.append)
    planner.speed_mps = 5.0
    for heading_rad, share in ((0.0, 1.0), (0.5 * math.pi, 0.0), (math.pi, -1.0)):
        planner.heading_rad = heading_rad
        planner.period(1.0)
        command = sent[-1]
        assert isinstance(command, VehicleCommand)
        assert command.long_accel_mps2 == pytest.approx(0.981 * share)
