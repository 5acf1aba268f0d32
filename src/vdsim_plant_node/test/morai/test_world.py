"""The emulator's world in virtual time: every message in, every message out."""

from __future__ import annotations

import math
import random
import struct
from typing import Any

import pytest
from vdsim_plant_node.morai.settings import EmulatorSettings
from vdsim_plant_node.morai.shapes import Thing, touch
from vdsim_plant_node.morai.signals import INTERSECTION, LIGHT_NAME
from vdsim_plant_node.morai.world import PERIOD_S, World

from vdsim_protocol import morai

AUTO, DRIVE = morai.CtrlMode.AUTO, morai.Gear.DRIVE
LOAD_ALL = {f"load_{part}": True for part in ("network", "ego", "npc", "pedestrian", "object")}


def spoken(world: World) -> dict[str, Any]:
    """What the world says now, by port."""
    found = {}
    for port, data in world.messages():
        if port == "gps":
            continue  # text
        packet = morai.decode(data)
        assert isinstance(packet, morai.Packet), packet
        assert packet.kind.direction is morai.Direction.FROM_SIMULATOR
        found[port] = packet.body
    return found


def drive(world: World, seconds: float, gear: int = DRIVE, **command: Any) -> None:
    """Command at 50 Hz."""
    data = morai.encode(morai.EgoCtrlCmd(AUTO, gear, **command))
    for _ in range(round(seconds / PERIOD_S)):
        world.receive(data)
        world.step()


def say(world: World, body: Any) -> str:
    return "; ".join(notice.text for notice in world.receive(morai.encode(body)))


def rest(world: World, seconds: float) -> None:
    for _ in range(round(seconds / PERIOD_S)):
        world.step()


def scenario(**flags: bool) -> morai.ScenarioLoad:
    chosen = {"delete_all": True, **LOAD_ALL, "set_pause": False, **flags}
    return morai.ScenarioLoad(file_name="town", **chosen)


def test_it_says_every_message_and_stands_parked_at_first() -> None:
    said = spoken(World(EmulatorSettings()))
    assert set(said) == {
        "status", "objects", "collisions", "npc_collisions", "traffic_light", "intersection",
        "competition", "imu",
    }  # fmt: skip
    status = said["status"]
    assert (status.ctrl_mode, status.gear) == (morai.CtrlMode.KEYBOARD, morai.Gear.PARKING)
    assert status.wheelbase_m == pytest.approx(2.97)
    assert status.size_x_m == pytest.approx(
        status.overhang_m + status.wheelbase_m + status.rear_overhang_m
    )


@pytest.mark.parametrize("generation", range(1, 6))
def test_every_generation_is_spoken(generation: int) -> None:
    world = World(EmulatorSettings(generation=generation))
    drive(world, 1.0, cmd_type=morai.CmdType.PEDALS, accel=0.3, steering=0.1)
    packet = morai.decode(next(iter(world.messages())).data)
    assert isinstance(packet, morai.Packet)
    assert packet.generation == generation
    assert packet.body.signed_velocity_kph > 3.0
    if generation >= 3:
        assert (packet.body.sec, packet.body.nsec) == (1, 0)
        assert packet.body.angular_velocity_z_degps > 0.0


def test_an_acceleration_is_kept() -> None:
    # [VS-3.3]
    world = World(EmulatorSettings())
    drive(world, 3.0, cmd_type=morai.CmdType.ACCELERATION, acceleration_mps2=1.5)
    status = spoken(world)["status"]
    assert status.accel_x_mps2 == pytest.approx(1.5, abs=0.05)
    assert status.signed_velocity_kph == pytest.approx(3.6 * 4.5, rel=0.05)
    drive(world, 1.0, cmd_type=morai.CmdType.ACCELERATION, acceleration_mps2=-3.0)
    assert spoken(world)["status"].accel_x_mps2 == pytest.approx(-3.0, abs=0.2)
    drive(world, 3.0, cmd_type=morai.CmdType.ACCELERATION, acceleration_mps2=-3.0)
    assert spoken(world)["status"].signed_velocity_kph == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(("gear", "sign"), [(DRIVE, 1.0), (morai.Gear.REVERSE, -1.0)])
def test_a_velocity_is_reached_in_the_gears_direction(gear: int, sign: float) -> None:
    # [VS-3.3]
    world = World(EmulatorSettings())
    drive(world, 6.0, gear, cmd_type=morai.CmdType.VELOCITY, velocity_kph=18.0)
    assert spoken(world)["status"].signed_velocity_kph == pytest.approx(sign * 18.0, abs=0.3)
    drive(world, 4.0, gear, cmd_type=morai.CmdType.VELOCITY, velocity_kph=0.0)
    assert spoken(world)["status"].signed_velocity_kph == pytest.approx(0.0, abs=1e-3)


def test_neutral_gives_no_push_and_brakes() -> None:
    world = World(EmulatorSettings())
    neutral = morai.Gear.NEUTRAL
    drive(world, 2.0, neutral, cmd_type=morai.CmdType.ACCELERATION, acceleration_mps2=2.0)
    assert spoken(world)["status"].signed_velocity_kph == pytest.approx(0.0, abs=1e-3)
    drive(world, 2.0, cmd_type=morai.CmdType.PEDALS, accel=0.4)
    before = spoken(world)["status"].signed_velocity_kph
    drive(world, 1.0, neutral, cmd_type=morai.CmdType.ACCELERATION, acceleration_mps2=-2.0)
    assert spoken(world)["status"].signed_velocity_kph < before - 5.0


def test_steering_is_a_share_of_the_largest_angle() -> None:
    # [VS-3.4]
    world = World(EmulatorSettings(steer_max_deg=20.0))
    drive(world, 2.0, cmd_type=morai.CmdType.PEDALS, accel=0.2, steering=0.25)
    status = spoken(world)["status"]
    assert status.steer_deg == pytest.approx(5.0)
    assert status.heading_deg > 1.0


def test_it_brakes_when_commands_stop_and_when_the_keyboard_takes_over() -> None:
    world = World(EmulatorSettings())
    drive(world, 2.0, cmd_type=morai.CmdType.PEDALS, accel=0.5, steering=0.1)
    rest(world, 0.4)
    assert spoken(world)["status"].brake == 0.0
    rest(world, 0.3)
    status = spoken(world)["status"]
    assert (status.accel, status.brake) == (0.0, pytest.approx(0.3))
    assert status.steer_deg == pytest.approx(3.625)
    drive(world, 0.5, cmd_type=morai.CmdType.PEDALS, accel=0.5)
    keyboard = morai.EgoCtrlCmd(morai.CtrlMode.KEYBOARD, DRIVE, morai.CmdType.PEDALS, accel=1.0)
    assert say(world, keyboard) == "control mode KEYBOARD"
    world.step()
    assert spoken(world)["status"].accel == 0.0


def test_undefined_codes_change_nothing() -> None:
    world = World(EmulatorSettings())
    good = morai.encode(morai.EgoCtrlCmd(AUTO, DRIVE, morai.CmdType.PEDALS, accel=1.0))
    for offset in (30, 31, 32):
        bad = bytearray(good)
        bad[offset] = 77
        (notice,) = world.receive(bytes(bad))
        assert "=77: must be one of" in notice.text
        assert "<" not in notice.text
    world.step()
    assert spoken(world)["status"].gear == morai.Gear.PARKING


def test_what_is_no_order_is_named() -> None:
    world = World(EmulatorSettings())
    assert "identifier" in world.receive(b"hello")[0].text
    assert "from the simulator" in say(world, morai.TrafficLightStatus("C1", 0, 1))


def test_objects_are_sorted_by_distance_and_move() -> None:
    world = World(EmulatorSettings(boxes=((5.0, 8.0),)))
    first = spoken(world)["objects"].present
    assert {record.object_id for record in first} == {1, 2, 3, 4, 100}
    distances = [math.hypot(record.pos_x_m, record.pos_y_m) for record in first]
    assert distances == sorted(distances)
    assert {record.object_type for record in first} == {0, 1, 2}
    rest(world, 1.0)
    later = {record.object_id: record for record in spoken(world)["objects"].present}
    before = {record.object_id: record for record in first}
    assert later[1].pos_y_m != before[1].pos_y_m
    assert later[2].pos_x_m - before[2].pos_x_m == pytest.approx(6.0, abs=0.2)
    assert later[100] == before[100]
    assert later[2].velocity_x_kph == pytest.approx(21.6)


def test_a_box_in_the_way_is_hit_and_left_again() -> None:
    # [VS-3.9]
    world = World(EmulatorSettings(boxes=((8.0, 0.0),)))
    assert spoken(world)["collisions"].collisions[0].object_id == 0
    hits = []
    for _ in range(300):
        drive(world, PERIOD_S, cmd_type=morai.CmdType.PEDALS, accel=0.4)
        (hit, *rest_of) = spoken(world)["collisions"].collisions
        assert all(record == morai.CollisionRecord() for record in rest_of)
        hits.append(hit.object_id)
        if hit.object_id and hits.count(100) == 1:
            assert hit.object_type == morai.ObjectType.STATIC
            assert hit.global_offset_x_m == 8.0
            assert 2.0 < hit.pos_x_m < 3.6
    assert hits[0] == 0
    assert 100 in hits
    assert hits[-1] == 0, "things pass through each other"


def test_two_vehicles_of_the_traffic_collide_now_and_then() -> None:
    world = World(EmulatorSettings())
    seen = []
    for _ in range(100):
        rest(world, 0.1)
        record = spoken(world)["npc_collisions"].collisions[0]
        seen.append(tuple(half.object_id for half in record.pair))
    assert (2, 3) in seen
    assert (0, 0) in seen


def test_the_light_goes_round_until_it_is_set() -> None:
    # [VS-3.8]
    world = World(EmulatorSettings())
    seen = []
    for _ in range(12):
        light = spoken(world)["traffic_light"]
        assert light.index == LIGHT_NAME
        seen.append(int(light.lamps))
        rest(world, 1.0)
    assert seen == [1] * 5 + [16] * 5 + [4] * 2
    lamps = morai.TrafficLightLamps.GREEN | morai.TrafficLightLamps.LEFT
    assert "lamps 48" in say(world, morai.SetTrafficLight(LIGHT_NAME, lamps))
    rest(world, 7.0)
    assert spoken(world)["traffic_light"].lamps == 48
    assert "no traffic light 'other'" in say(world, morai.SetTrafficLight("other", 1))
    say(world, scenario())
    assert spoken(world)["traffic_light"].lamps in (1, 4, 16)


def test_the_intersection_goes_on_from_where_it_was_set() -> None:
    # [VS-3.10]
    world = World(EmulatorSettings())
    rest(world, 10.5)
    now = spoken(world)["intersection"]
    assert (now.index, now.status) == (INTERSECTION, 1)
    assert now.time_s == pytest.approx(0.5, abs=0.03)
    assert "state 3" in say(world, morai.SetIntersection(INTERSECTION, 3, 2.0))
    rest(world, 1.0)
    now = spoken(world)["intersection"]
    assert now.status == 3
    assert now.time_s == pytest.approx(3.0, abs=0.03)
    for bad in ((8, 0, 0.0), (INTERSECTION, 9, 0.0), (INTERSECTION, 0, 99.0)):
        assert "has no state" in say(world, morai.SetIntersection(*bad))


def test_egos_are_placed_and_the_others_become_objects() -> None:
    # [VS-3.7]
    world = World(EmulatorSettings())
    own = morai.EgoRecord(0, 10.0, 20.0, 0.0, 0.0, 0.0, 90.0, 36.0, DRIVE, 16)
    other = morai.EgoRecord(1, 10.0, 40.0, 0.0, 0.0, 0.0, 0.0, 0.0, morai.Gear.PARKING, 1)
    assert "2 vehicles" in say(world, morai.MultiEgoSetting(2, 0, (own, other)))
    said = spoken(world)
    status = said["status"]
    assert (status.pos_x_m, status.pos_y_m, status.heading_deg) == (10.0, 20.0, 90.0)
    assert status.signed_velocity_kph == pytest.approx(36.0)
    assert (status.gear, status.ctrl_mode) == (DRIVE, AUTO)
    assert morai.ObjectType.EGO in [record.object_type for record in said["objects"].present]
    far = morai.EgoRecord(0, 1e30, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, DRIVE, 2)
    assert "out of the world" in say(world, morai.MultiEgoSetting(1, 0, (far,)))
    fast = morai.EgoRecord(0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9e9, DRIVE, 2)
    say(world, morai.MultiEgoSetting(1, 0, (fast,)))
    assert spoken(world)["status"].pos_x_m == 10.0, "a place out of the world is not taken"


def test_loading_a_scenario_starts_again_clears_and_pauses() -> None:
    # [VS-3.11]
    world = World(EmulatorSettings())
    drive(world, 2.0, cmd_type=morai.CmdType.PEDALS, accel=0.5)
    assert "'town' loaded" in say(world, scenario())
    status = spoken(world)["status"]
    assert (status.pos_x_m, status.gear) == (0.0, morai.Gear.PARKING)
    say(world, scenario(load_npc=False, load_pedestrian=False, load_object=False))
    assert spoken(world)["objects"].present == ()
    kept = {"delete_all": False, "load_npc": False, "load_pedestrian": False}
    say(world, scenario(**kept))
    assert [record.object_type for record in spoken(world)["objects"].present] == [2]
    assert "paused" in say(world, scenario(set_pause=True))
    before = world.time_s
    rest(world, 1.0)
    assert world.time_s == before
    say(world, scenario())
    rest(world, 1.0)
    assert world.time_s > before


def test_lamps_sensors_and_saving_are_answered_honestly() -> None:
    # [VS-3.12]
    world = World(EmulatorSettings())
    left = morai.LampControl(morai.TurnSignal.LEFT, morai.EmergencySignal.OFF)
    assert say(world, left) == "lamps: turn signal 1, emergency 0"
    assert say(world, left) == ""
    assert world.lamps == left
    moved = say(world, morai.SensorControl(3, 1.0, 0.5, 1.5, 0.0, 0.0, 0.0))
    assert moved == "sensor 3 to 1, 0.5, 1.5 m: accepted, there are no sensors"
    saved = say(world, morai.SaveSensorData(True, "frame", "/data"))
    assert saved == "save sensor data as frame in '/data': accepted, nothing is written"
    assert "a name of its own" in say(world, morai.SaveSensorData(False, "", "/data"))


@pytest.mark.parametrize(
    ("x_m", "y_m", "yaw_rad", "hit"),
    [
        (3.9, 0.0, 0.0, True),
        (4.1, 0.0, 0.0, False),
        (0.0, 2.1, 0.0, False),
        (0.0, 2.9, math.pi / 2.0, True),
        (3.2, 1.7, math.pi / 4.0, True),
        (3.6, 2.6, math.pi / 4.0, False),
    ],
)
def test_rectangles_touch_when_no_side_separates_them(
    x_m: float, y_m: float, yaw_rad: float, hit: bool
) -> None:
    a = Thing(1, 2, 10.0, 20.0, 0.0, 4.0, 2.0, 1.0)
    b = Thing(2, 2, 10.0 + x_m, 20.0 + y_m, yaw_rad, 4.0, 2.0, 1.0)
    assert touch(a, b) is hit
    assert touch(b, a) is hit


ORDERS = (
    morai.EgoCtrlCmd(AUTO, DRIVE, morai.CmdType.ACCELERATION, 1.0, 1.0, 0.5, 0.0, 0.1),
    morai.SetTrafficLight(LIGHT_NAME, 1),
    morai.SetIntersection(INTERSECTION, 1, 1.0),
    morai.MultiEgoSetting(2, 0, (morai.EgoRecord(0, gear=DRIVE), morai.EgoRecord(1, 3.0))),
    morai.ScenarioLoad("town", False, False, False, True, True, True, False),
    morai.LampControl(1, 0),
    morai.EgoGhostCmd(1.0, 2.0, 0.5, yaw_deg=30.0, velocity_kph=10.0),
    morai.NpcGhostCmd((morai.NpcGhostRecord(3, "2015_Kia_K5", 5.0, 6.0),)),
)
EXTREMES = (0.0, 1e38, -1e38, 3.4e38, 1e-38, 12345.678)


def test_no_datagram_stops_it_or_what_it_says() -> None:
    world, chance = World(EmulatorSettings()), random.Random(11)
    good = [morai.encode(order) for order in ORDERS]
    for _ in range(600):
        data = bytearray(chance.choice(good))
        at = chance.randrange(data.index(b"$") + 1, len(data) - 5)
        if chance.random() < 0.5:
            data[at : at + 4] = struct.pack("<f", chance.choice(EXTREMES))
        else:
            data[at] = chance.randrange(256)
        world.receive(bytes(data))
        world.step()
        spoken(world)
    drive(world, 1.0, cmd_type=morai.CmdType.PEDALS, accel=0.2)
    say(world, scenario())
    drive(world, 2.0, cmd_type=morai.CmdType.PEDALS, accel=0.3)
    assert spoken(world)["status"].signed_velocity_kph > 3.0
