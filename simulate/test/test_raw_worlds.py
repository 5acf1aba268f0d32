"""Scenes of the raw level: what holds there, and that its oracles break when they should."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from vdsim_interface.values import RawCommand
from vdsim_simulate import record as facts
from vdsim_simulate.draw import RAW_SHARE, scene_of
from vdsim_simulate.oracles import ABOVE_RAW, ORACLES, judge
from vdsim_simulate.planted import PLANTED, planted
from vdsim_simulate.record import Record
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene, scene_from
from vdsim_simulate.senders import nonsense_of, pedals_of

DRIVE = Scene(
    level="raw",
    start_mps=8.0,
    legs=(Leg(0.0, 8.0), Leg(3.0, 8.0, 2.0, 0.05), Leg(5.5, 2.0, 4.0)),
    heals_s=20.0,
    ends_s=8.0,
)
DOOR = replace(DRIVE, events=(Event(6.0, "door_opens", {"for_s": 1.5}),))
DOOR_IN_A_DRIVE = replace(DRIVE, events=(Event(2.0, "door_opens", {"for_s": 1.5}),))
COMPOSITIONS = ("single", "guarded", "processes")


def broken(oracle: str, record: Record) -> bool:
    return any(ORACLES[oracle](record))


@pytest.mark.parametrize("composition", COMPOSITIONS)
@pytest.mark.parametrize("scene", [DRIVE, DOOR, DOOR_IN_A_DRIVE], ids=["drive", "door", "early"])
def test_a_drive_by_pedals_breaks_nothing(scene: Scene, composition: str) -> None:
    record = run_scene(replace(scene, composition=composition))
    assert judge(record) == []
    assert max(packet.throttle for packet in record.packets) > 0.0
    assert len({packet.steer_rad for packet in record.packets}) > 10


@pytest.mark.parametrize(
    ("defect", "scene", "oracle"),
    [
        ("raw_passes_in_a_stop", DOOR_IN_A_DRIVE, "no_drive_in_a_stop"),
        ("raw_effort_untold", DOOR, "no_stop_brakes_less"),
        ("raw_angle_is_cut", DRIVE, "raw_commands_drive_the_car"),
        ("raw_angle_is_cut", DRIVE, "a_raw_command_passes_whole_or_not"),
    ],
)
def test_a_planted_defect_of_the_raw_level_is_found(defect: str, scene: Scene, oracle: str) -> None:
    assert not broken(oracle, run_scene(scene))
    with planted(PLANTED[defect]):
        assert broken(oracle, run_scene(scene))


@pytest.mark.parametrize(
    "defect", ["raw_passes_in_a_stop", "raw_effort_untold", "raw_angle_is_cut"]
)
def test_no_other_level_shows_it(defect: str) -> None:
    scene = replace(DOOR, level="vehicle")
    before = run_scene(scene).packets
    with planted(PLANTED[defect]):
        assert run_scene(scene).packets == before


def older(record: Record) -> None:
    """Packets repeat what was asked for half a second before."""
    record.packets[:] = [p._replace(time_s=p.time_s + 0.7) for p in record.packets]


def mixed(record: Record) -> None:
    """The pedals are those of a command, and the wheels of none."""
    record.packets[:] = [p._replace(steer_rad=0.2) for p in record.packets]


@pytest.mark.parametrize("spoil", [older, mixed])
def test_what_is_no_young_command_is_seen(spoil: Callable[[Record], None]) -> None:
    record = run_scene(DRIVE)
    spoil(record)
    assert broken("a_raw_command_passes_whole_or_not", record)


def test_what_raw_commands_do_not_promise_is_not_judged() -> None:
    record = run_scene(DRIVE)
    record.packets[:] = [
        packet._replace(steer_rad=0.3 * (n % 2)) for n, packet in enumerate(record.packets)
    ]
    assert "no_packet_steers_a_step" in ABOVE_RAW
    assert not broken("no_packet_steers_a_step", record)
    record.scene = replace(DRIVE, level="vehicle")
    assert broken("no_packet_steers_a_step", record)


def test_some_stacks_command_pedals_forward() -> None:
    scenes = [scene_of(seed) for seed in range(400)]
    raw = [scene for scene in scenes if scene.is_raw]
    assert 0.5 * RAW_SHARE < len(raw) / len(scenes) < 1.5 * RAW_SHARE
    assert all(leg.speed_mps >= 0.0 for scene in raw for leg in scene.legs)
    assert not any(scene_of(seed, "two_computers").is_raw for seed in range(100))


def test_no_computer_is_switched_on_the_raw_level() -> None:
    with pytest.raises(ValueError, match="raw"):
        scene_from({"composition": "two_computers", "level": "raw"})


def test_a_huge_number_is_the_largest_count_and_nan_is_what_a_cast_makes_of_it() -> None:
    command = RawCommand(1.0, 10, 20, 30, 40)
    assert nonsense_of(command, 3e38) == RawCommand(1.0, *(2**32 - 1,) * 2, *(2**31 - 1,) * 2)
    assert nonsense_of(command, float("nan")) == RawCommand(1.0, 0, 0, -(2**31), -(2**31))


def test_an_acceleration_is_one_pedal() -> None:
    assert pedals_of(2.0) == (500, 0)
    assert pedals_of(-4.5) == (0, 500)
    assert pedals_of(99.0) == (1000, 0)


def test_a_stack_of_pedals_holds_the_car_in_reverse() -> None:
    scene = replace(
        DRIVE,
        start_mps=0.0,
        legs=(Leg(0.0, 0.0), Leg(2.0, 3.0)),
        events=(Event(1.0, "gear_asked", {"gear": "REVERSE"}),),
        ends_s=5.0,
    )
    record = run_scene(scene)
    assert any(fact.what == facts.GEAR_SAID for fact in record.facts)
    assert all(car.vx_mps > -0.2 for car in record.car)
