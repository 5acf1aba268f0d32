"""Whole scenes on a CAN bus: before, beside and after faults (test_bus_faults_everywhere.py)."""

from dataclasses import replace

import cantools
import pytest
from vdsim_can.data import example
from vdsim_simulate.bus.faults import OF_US
from vdsim_simulate.bus.reading import MESSAGES, frame_of
from vdsim_simulate.draw import scene_of
from vdsim_simulate.fault_table import EVERYWHERE
from vdsim_simulate.oracles import judge
from vdsim_simulate.record import Record
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene
from vdsim_simulate.world import World

BEGINS_S = 2.5
TWO_AT_ONCE = (
    Event(BEGINS_S, "car_reports_a_fault", {"for_s": 2.0}),
    Event(BEGINS_S, "stranger_on_the_bus", {"message": "DBW_STEER_CMD", "for_s": 2.0}),
)
"""The first is latched."""


def scene(composition: str, *events: Event, ends_s: float = BEGINS_S + 2.0) -> Scene:
    return Scene(
        composition=composition,
        platform="can",
        start_mps=4.0,
        legs=(Leg(0.0, 4.0),),
        events=events,
        heals_s=BEGINS_S + 2.5,
        ends_s=ends_s,
    )


def mode_at(record: Record, time_s: float) -> str:
    return [mode for since_s, mode in record.shown if since_s <= time_s][-1]


@pytest.mark.parametrize("rig", ["driver", "driverless"])
@pytest.mark.parametrize("composition", EVERYWHERE)
def test_before_anybody_engages_only_a_car_without_a_driver_is_sent_frames(
    composition: str, rig: str
) -> None:
    """As in the launch: there, `rig` is `driver` without another word."""
    record = run_scene(replace(scene(composition, ends_s=0.45), start_mps=0.0, rig=rig))
    assert {frame.message for frame in record.frames} == (
        set(OF_US) if rig == "driverless" else set()
    )
    assert not any(frame.enables for frame in record.frames)
    assert record.car[-1].vx_mps == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("composition", EVERYWHERE)
def test_after_faults_the_car_drives_again(composition: str) -> None:
    record = run_scene(scene(composition, *TWO_AT_ONCE, ends_s=BEGINS_S + 11.0))
    assert judge(record) == []
    assert max(car.vx_mps for car in record.car[-100:]) > 2.5


def test_a_fault_of_a_car_that_is_off_the_bus_is_seen_when_it_is_back() -> None:
    stands = Event(BEGINS_S, "counter_stands", {"message": "DBW_WHEELS", "for_s": 2.0})
    off = Event(BEGINS_S + 0.05, "car_off_the_bus", {"for_s": 0.477})
    record = run_scene(scene("single", stands, off))
    assert judge(record) == []
    assert mode_at(record, BEGINS_S + 0.9) != "AUTONOMOUS"


@pytest.mark.parametrize("composition", EVERYWHERE)
def test_frames_that_are_lost_for_a_moment_change_nothing(composition: str) -> None:
    lost = Event(BEGINS_S, "message_lost", {"message": "DBW_PEDALS", "for_s": 0.03})
    record = run_scene(scene(composition, lost))
    assert judge(record) == []
    assert mode_at(record, BEGINS_S + 1.0) == "AUTONOMOUS"


def test_the_oracles_read_frames_as_cantools_does() -> None:
    database = cantools.database.load_file(example("vdsim_dbw").with_suffix(".dbc"))
    world = World(scene("single"))
    sent: list[bytes] = []
    send = world.wire._send
    world.wire._send = lambda datagrams: (sent.extend(datagrams), send(datagrams))[1]
    world.agenda.run_until(2.5)
    assert len(sent) > 300
    for data in sent:
        frame, _, hand_brake = frame_of(data, 0.0)
        message = database.get_message_by_name(frame.message)
        assert MESSAGES[message.frame_id][0] == frame.message
        found = message.decode(data[8:16], decode_choices=False)
        assert frame.counter == found["COUNTER"]
        assert frame.is_protected
        if frame.message == "DBW_PEDAL_CMD":
            assert frame.throttle == pytest.approx(found["THROTTLE"] / 100.0)
            assert frame.brake == pytest.approx(found["BRAKE"] / 100.0)
            assert frame.enables is bool(found["ENABLE"])
        elif frame.message == "DBW_STEER_CMD":
            assert frame.steer_rad == pytest.approx(found["WHEEL_ANGLE"] * 0.0174532925, abs=1e-6)
        else:
            assert hand_brake is bool(found["HAND_BRAKE"])


def test_a_frame_with_one_bit_turned_is_not_protected() -> None:
    world = World(scene("single"))
    sent: list[bytes] = []
    world.wire._send = sent.extend
    world.agenda.run_until(1.0)
    data = bytearray(sent[-1])
    data[12] ^= 0x10
    assert frame_of(sent[-1], 0.0)[0].is_protected
    assert not frame_of(bytes(data), 0.0)[0].is_protected


def test_seeds_of_both_platforms_draw_their_own_faults() -> None:
    names = {
        platform: {
            event.name for seed in range(150) for event in scene_of(seed, platform=platform).events
        }
        for platform in ("vds1", "can")
    }
    assert "stranger_on_the_bus" in names["can"] - names["vds1"]
    assert "link_harmed" in names["vds1"] - names["can"]
    assert "planner_silent" in names["vds1"] & names["can"]
