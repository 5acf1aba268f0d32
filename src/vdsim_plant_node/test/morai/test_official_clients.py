"""The simulator's public clients, their behaviour restated, against the emulator.

What each client reads at which offset comes from its public source, not from our tables: packed
little-endian structures for the clients of 24.R2, a length check and offsets for the example of
2026, a refusal of every number that is not finite for a public bridge.
"""

from __future__ import annotations

import math
import struct
from collections import defaultdict
from typing import Any

import pytest
from vdsim_plant_node.morai.settings import EmulatorSettings
from vdsim_plant_node.morai.world import PERIOD_S, World

HEAD = "<{}s4i"
STATUS_24_R2 = struct.Struct(HEAD.format(11) + "2i2bfi2f3f3f3f3f3f3f3ff38s4f4f4f2s")
OBJECTS_24_R2 = struct.Struct(HEAD.format(14) + "2i" + "2h16f38s" * 20 + "2s")
COLLISION_24_R2 = struct.Struct(HEAD.format(15) + "2i" + "2h6f" * 5 + "2s")
IMU_24_R2 = struct.Struct(HEAD.format(9) + "2i10d2s")
CONTROL = struct.Struct(HEAD.format(14) + "3B5f2s")
CONTROL_26_R1 = struct.Struct(HEAD.format(14) + "3B6f2s")
EGO_GHOST = struct.Struct(HEAD.format(13) + "8f2s")
NPC_GHOST = struct.Struct(HEAD.format(13) + "b25s6f" * 20 + "2s")
STEER_MAX_DEG = 36.25
LATER = ["24.R2", "26.R1"]


def sent(world: World) -> dict[str, list[bytes]]:
    """What a period sends, by port."""
    found: dict[str, list[bytes]] = defaultdict(list)
    for port, data in world.messages():
        found[port].append(data)
    return found


def fields_of(layout: struct.Struct, data: bytes) -> tuple[list[Any], list[Any]]:
    """Name and size of a message, and what follows the three spare numbers of its head."""
    values = list(layout.unpack(data))
    return values[:2], values[5:]


def control(accel: float, steering: float, *, rear: bool = False, brake: float = 0.0) -> bytes:
    """Ego Ctrl Cmd of the example: automatic, D, throttle."""
    values = (2, 4, 1, 0.0, 0.0, accel, brake, steering)
    if rear:
        return CONTROL_26_R1.pack(b"#MoraiCtrlCmd$", 27, 0, 0, 0, *values, 0.0, b"\r\n")
    return CONTROL.pack(b"#MoraiCtrlCmd$", 23, 0, 0, 0, *values, b"\r\n")


def drive(world: World, data: bytes, seconds: float) -> None:
    for _ in range(round(seconds / PERIOD_S)):
        world.receive(data, "127.0.0.1:5000")
        world.step()


def driven(release: str) -> World:
    """A car in a left bend."""
    world = World(EmulatorSettings(release=release, boxes=((14.0, 0.5),)))
    side = 1.0 if release == "21" else -1.0
    drive(world, control(0.4, side * 0.1, rear=release == "26.R1"), 3.0)
    drive(world, control(0.0, side * 0.1, rear=release == "26.R1"), 1.0)
    return world


def test_the_client_of_24_r2_reads_every_field_of_the_status() -> None:
    # [VS-3.5]
    world = driven("24.R2")
    (data,) = sent(world)["status"]
    assert len(data) == STATUS_24_R2.size == 229
    (identifier, size), (sec, nsec, mode, gear, *rest) = fields_of(STATUS_24_R2, data)
    assert (identifier, size, mode, gear) == (b"#MoraiInfo$", 200, 2, 4)
    assert sec + 1e-9 * nsec == pytest.approx(world.time_s)
    motion = world.session.state()
    speed_kph, map_id, _, _ = rest[:4]
    assert speed_kph == pytest.approx(3.6 * motion.vx_mps, rel=1e-6)
    assert map_id == 1
    assert rest[10:13] == pytest.approx((motion.x_m, motion.y_m, motion.z_m), rel=1e-6)
    assert rest[15] == pytest.approx(math.degrees(motion.yaw_rad), rel=1e-6)
    steer_deg, link_id = rest[25:27]
    assert steer_deg == pytest.approx(-math.degrees(motion.steer_applied_rad), rel=1e-5)
    assert link_id == bytes(38)
    forces, slips, stiffnesses = rest[27:31], rest[31:35], rest[35:39]
    assert forces == pytest.approx(motion.tire_fy_n, rel=1e-5)
    assert rest[39] == b"\r\n"
    check_tyres(world, slips, stiffnesses)


def check_tyres(world: World, slips_deg: list[float], stiffnesses: list[float]) -> None:
    """Slip angles from the motion of each wheel; small ones and the stiffness give the force."""
    motion = world.session.state()
    body = world.session.vehicle.parameters.body
    lengths = (body.cg_to_front_axle_m,) * 2 + (-body.cg_to_rear_axle_m,) * 2
    tracks = [body.track_front_m / 2.0] * 2 + [body.track_rear_m / 2.0] * 2
    for wheel in range(4):
        side = tracks[wheel] * (1.0 if wheel % 2 == 0 else -1.0)
        vx = motion.vx_mps - motion.yaw_rate_radps * side
        vy = motion.vy_mps + motion.yaw_rate_radps * lengths[wheel]
        steer = motion.steer_applied_rad if wheel < 2 else 0.0
        slip = math.atan2(vy, vx) - steer
        assert math.radians(slips_deg[wheel]) == pytest.approx(slip, abs=2.5e-3)
        force = -stiffnesses[wheel] * slips_deg[wheel]
        assert force == pytest.approx(motion.tire_fy_n[wheel], rel=0.15, abs=60.0)
        assert 300.0 < stiffnesses[wheel] < 4000.0, "N/deg of a passenger car's tyre"


@pytest.mark.parametrize("release", LATER)
def test_a_bridge_that_refuses_what_is_not_finite_takes_every_status(release: str) -> None:
    world = World(EmulatorSettings(release=release))
    command = control(0.6, -0.2, rear=release == "26.R1")
    for _ in range(100):
        world.receive(command, "127.0.0.1:5000")
        world.step()
        (data,) = sent(world)["status"]
        floats = data[27 + 18 : 141] + data[-2 - 48 - (12 if release == "26.R1" else 0) : -2]
        assert len(floats) % 4 == 0
        assert all(map(math.isfinite, struct.unpack(f"<{len(floats) // 4}f", floats)))


def test_the_client_of_24_r2_reads_objects_and_collisions() -> None:
    world = driven("24.R2")
    found = sent(world)
    (objects,), (collisions,) = found["objects"], found["collisions"]
    (identifier, size), (sec, nsec, *records) = fields_of(OBJECTS_24_R2, objects)
    assert (identifier, size, len(objects)) == (b"#MoraiObjInfo$", 2128, 2160)
    assert sec + 1e-9 * nsec == pytest.approx(world.time_s)
    by_id = {records[at]: records[at : at + 19] for at in range(0, 20 * 19, 19) if records[at]}
    assert set(by_id) == {1, 2, 3, 4, 100}
    circling = by_id[1]
    assert circling[12] == pytest.approx(3.6 * 8.0)
    assert circling[6:8] == pytest.approx((1.9, 4.6)), "x is the width"
    seen = []
    command = control(0.4, 0.0)
    for _ in range(300):
        world.receive(command, "127.0.0.1:5000")
        world.step()
        (collisions,) = sent(world)["collisions"]
        head, values = fields_of(COLLISION_24_R2, collisions)
        (identifier, size), (sec, nsec, kind, number, *place) = head, values[:10]
        assert (identifier, size, len(collisions)) == (b"#CollisionData$", 148, 181)
        if number:
            seen.append((kind, number, place[3:5]))
    assert seen or by_id[100][2] == 14.0


def test_the_example_of_2026_turns_to_the_side_that_it_asks_for() -> None:
    """Its steering is -angle / 36.25 degrees: left is negative on the wire."""
    world = World(EmulatorSettings(release="24.R2"))
    asked_left_rad = 0.1
    steering = -math.degrees(asked_left_rad) / STEER_MAX_DEG
    drive(world, control(0.4, steering), 3.0)
    (data,) = sent(world)["status"]
    assert struct.unpack_from("<i", data, 11) == (200,), "it drops every other length"
    (heading,), (speed,) = struct.unpack_from("<f", data, 97), struct.unpack_from("<f", data, 101)
    assert speed > 5.0
    assert heading > 5.0, "counter-clockwise"
    (objects,) = sent(world)["objects"]
    assert struct.unpack_from("<hh", objects, 38) == (4, 0), "the nearest, a pedestrian"


@pytest.mark.parametrize(
    ("release", "steer_positive", "side"),
    [("21", "release", 1.0), ("24.R2", "release", -1.0), ("24.R2", "left", 1.0),
     ("21", "right", -1.0)],
)  # fmt: skip
def test_the_sign_of_steering_is_the_releases_or_the_one_that_is_set(
    release: str, steer_positive: str, side: float
) -> None:
    world = World(EmulatorSettings(release=release, steer_positive=steer_positive))
    drive(world, control(0.4, 0.2), 2.0)
    assert side * world.session.state().yaw_rad > 0.05
    packets = {len(data) for data in sent(world)["status"]}
    offset = 117 if packets == {123} else 137
    (steer_deg,) = struct.unpack_from("<f", sent(world)["status"][0], offset)
    assert steer_deg == pytest.approx(0.2 * STEER_MAX_DEG, rel=1e-3), "in the sign of the command"


@pytest.mark.parametrize(
    ("release", "most", "least"), [("22.R2", 4.0, 1.3), ("23.R1", 1.1, 0.8), ("26.R1", 1.1, 0.8)]
)
def test_velocity_commands_keep_the_releases_limits(
    release: str, most: float, least: float
) -> None:
    world = World(EmulatorSettings(release=release))
    values = (2, 4, 2, 100.0, 0.0, 0.0, 0.0, 0.0)
    drive(world, CONTROL.pack(b"#MoraiCtrlCmd$", 23, 0, 0, 0, *values, b"\r\n"), 4.0)
    speed = world.session.state().vx_mps
    assert least * 4.0 < speed < most * 4.0
    stop = CONTROL.pack(b"#MoraiCtrlCmd$", 23, 0, 0, 0, 2, 4, 2, *[0.0] * 5, b"\r\n")
    drive(world, stop, 1.0)
    lost = speed - world.session.state().vx_mps
    assert (lost < 2.2) is (release != "22.R2")


def test_the_imu_client_reads_attitude_rates_and_gravity() -> None:
    world = driven("24.R2")
    (data,) = sent(world)["imu"]
    assert len(data) == 115
    (identifier, size), (sec, nsec, w, x, y, z, *rest) = fields_of(IMU_24_R2, data)
    assert (identifier, size) == (b"#IMUData$", 88)
    assert sec + 1e-9 * nsec == pytest.approx(world.time_s)
    motion = world.session.state()
    assert math.sqrt(w * w + x * x + y * y + z * z) == pytest.approx(1.0)
    yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = math.asin(2.0 * (w * y - z * x))
    assert (roll, pitch, yaw) == pytest.approx(
        (motion.roll_rad, motion.pitch_rad, motion.yaw_rad), abs=1e-9
    )
    assert rest[2] == pytest.approx(motion.yaw_rate_radps)
    force = math.sqrt(sum(value * value for value in rest[3:6]))
    assert force == pytest.approx(math.hypot(motion.ax_mps2, motion.ay_mps2, 9.80665))
    assert rest[4] == pytest.approx(motion.ay_mps2 + 9.80665 * motion.roll_rad, abs=0.05)
    still = World(EmulatorSettings(release="21"))
    (data,) = sent(still)["imu"]
    assert len(data) == 107
    assert struct.unpack_from("<3d", data, 81) == pytest.approx((0.0, 0.0, 9.80665), abs=0.15)


def test_the_gps_client_reads_both_sentences() -> None:
    """It takes the first six letters, splits the rest at commas, and reads by number."""
    world = driven("24.R2")
    while not (found := sent(world)["gps"]):
        world.step()
    (rmc, gga) = (sentence.decode() for sentence in found)
    assert (rmc[:6], gga[:6]) == ("$GPRMC", "$GPGGA")
    fields, heights = rmc[6:].split(","), gga[6:].split(",")
    assert len(fields) >= 14, "it reads item 13, whatever the version of NMEA"
    places = []
    for items, first in ((fields, 3), (heights, 2)):
        north, east = float(items[first]), float(items[first + 2])
        places.append((int(north / 100) + north % 100 / 60, int(east / 100) + east % 100 / 60))
        assert (items[first + 1], items[first + 3]) == ("N", "E")
    assert places[0] == pytest.approx(places[1], abs=1e-9)
    assert places[0] == pytest.approx((37.24, 126.77), abs=0.01), "K-City"
    motion = world.session.state()
    speed = math.hypot(motion.vx_mps, motion.vy_mps)
    assert float(fields[7]) * 0.514444 == pytest.approx(speed, abs=1e-2)
    assert float(heights[9]) == pytest.approx(motion.z_m, abs=1e-3)
    for sentence in (rmc, gga):
        body, _, given = sentence.strip()[1:].partition("*")
        value = 0
        for character in body:
            value ^= ord(character)
        assert int(given, 16) == value


def test_the_ego_ghost_is_where_it_is_put_and_gives_way_to_a_driver() -> None:
    world = World(EmulatorSettings(release="24.R2"))
    pose = (26.4, 1115.3, -0.39, 0.878, 1.525, 3.831, 36.0, -5.0)
    ghost = EGO_GHOST.pack(b"#EgoGhostCmd$", 32, 0, 0, 0, *pose, b"\r\n")
    assert len(ghost) == 63
    (notice,) = world.receive(ghost, "10.0.0.2:4000")
    assert "poses move the car" in notice.text
    for _ in range(10):
        assert world.receive(ghost, "10.0.0.2:4000") == ()
        world.receive(control(1.0, 0.0), "10.0.0.3:4000")
        world.step()
    (data,) = sent(world)["status"]
    assert struct.unpack_from("<6f", data, 77) == pytest.approx(pose[:6], rel=1e-5)
    assert struct.unpack_from("<f", data, 37) == pytest.approx((36.0,))
    assert struct.unpack_from("<f", data, 137) == pytest.approx((-5.0,))
    assert data[35:37] == bytes((2, 4))
    for _ in range(40):
        world.step()
    drive(world, control(0.5, 0.0), 0.5)
    assert world.ghost is None
    assert world.session.state().y_m != pytest.approx(1115.3, abs=1e-3)


def test_npc_ghosts_are_objects_until_they_are_left_out() -> None:
    world = World(EmulatorSettings(release="24.R2"))
    unused = (0, b"", *[0.0] * 6)
    records = [(3, b"2015_Kia_K5".ljust(25), 25.0, 12.0, -0.4, 0.9, 1.5, 90.0), *[unused] * 19]
    values = [value for record in records for value in record]
    order = NPC_GHOST.pack(b"#NpcGhostCmd$", 1000, 0, 0, 0, *values, b"\r\n")
    assert len(order) == 1031
    (notice,) = world.receive(order, "10.0.0.2:4000")
    assert notice.text == "NPC ghosts: 1 vehicles"
    records = OBJECTS_24_R2.unpack(sent(world)["objects"][0])[7:-1]
    by_id = {records[at]: records[at : at + 19] for at in range(0, 20 * 19, 19)}
    assert by_id[203][1:6] == pytest.approx((1, 25.0, 12.0, 0.0, 90.0))
    nobody = NPC_GHOST.pack(b"#NpcGhostCmd$", 1000, 0, 0, 0, *list(unused) * 20, b"\r\n")
    world.receive(nobody, "10.0.0.2:4000")
    records = OBJECTS_24_R2.unpack(sent(world)["objects"][0])[7:-1]
    assert 203 not in {records[at] for at in range(0, 20 * 19, 19)}


CAPTURED_COMPETITION = (
    "234d6f726169496e666f249800000000000000000000000000000039f8bd6a8012ca25020464a1a7b8860000002a"
    "233b3e00000000ec5194400e2df23fa8c61b40ec51583f00004040713d4a3f0000000000000000000000002bb9b3"
    "c3a1c8ec3fa20531c364a1a7b80000000000000000f5ba97399fe48a3cc3a93c3b00000000000000000000000054"
    "42a8bf41323235365730303130383600000000000000000000000000000000000000000000000000000d0a"
)


def test_the_competition_status_withholds_what_a_captured_one_does() -> None:
    world = driven("24.R2")
    (data,) = sent(world)["competition"]
    captured = bytes.fromhex(CAPTURED_COMPETITION)
    assert len(data) == len(captured) == 181
    assert data[:27] == captured[:27]
    withheld = [slice(77, 89), slice(105, 113), slice(125, 137)]
    for part in withheld:
        assert data[part] == captured[part] == bytes(part.stop - part.start)
    for shown in (slice(37, 41), slice(97, 101), slice(101, 105), slice(121, 125)):
        assert data[shown] != bytes(4)
        assert captured[shown] != bytes(4)


def test_two_commanders_are_named_by_address() -> None:
    world = World(EmulatorSettings())
    one, other = "127.0.0.1:5000", "192.168.0.7:6000"
    assert [n.text for n in world.receive(control(0.1, 0.0), one)] == [
        "control mode AUTO from 127.0.0.1:5000"
    ]
    world.step()
    (notice,) = world.receive(control(0.3, 0.0), other)
    assert "comes from 2 senders, 127.0.0.1:5000, 192.168.0.7:6000" in notice.text
    for _ in range(30):
        world.step()
    assert world.receive(control(0.3, 0.0), other) == (), "the first one has stopped"
    keyboard = bytearray(control(0.0, 0.0))
    keyboard[30] = 1
    texts = [notice.text for notice in world.receive(bytes(keyboard), one)]
    assert "control mode KEYBOARD from 127.0.0.1:5000" in texts


def test_values_out_of_range_are_limited_and_named() -> None:
    world = World(EmulatorSettings())
    (_, notice) = sorted(world.receive(control(7.0, 5.0), "10.0.0.2:1"), key=lambda n: n.about)
    assert notice.text == (
        "limited Ego Ctrl Cmd from 10.0.0.2:1: accel=7: must be in 0..1; "
        "steering=5: must be in -1..1"
    )
    world.step()
    for _ in range(50):
        world.receive(control(7.0, 5.0), "10.0.0.2:1")
        world.step()
    assert math.degrees(world.session.state().steer_applied_rad) <= STEER_MAX_DEG + 1e-6
    lamps = b"#LampControl$" + struct.pack("<4i2b", 2, 0, 0, 0, 9, 0) + b"\r\n"
    (notice,) = world.receive(lamps, "10.0.0.2:1")
    assert notice.text.startswith("dropped Turn Signal Lamp Control from 10.0.0.2:1: turn=9: must")


def test_a_command_that_keeps_the_mode_drives_on() -> None:
    """CtrlMode 0, as public senders of 25.S4 send it."""
    world = World(EmulatorSettings(release="25.S4"))
    drive(world, control(0.5, 0.0), 3.0)
    before = world.session.state().vx_mps
    values = (0, 4, 1, 0.0, 0.0, 0.5, 0.0, 0.0)
    drive(world, CONTROL.pack(b"#MoraiCtrlCmd$", 23, 0, 0, 0, *values, b"\r\n"), 1.0)
    assert world.session.state().vx_mps > before + 0.5
    assert world.driver.ctrl_mode == 2


@pytest.mark.parametrize(
    ("release", "imu_generation", "size"),
    [("24.R2", 0, 115), ("26.R1", 0, 107), ("26.R1", 2, 115), ("24.R2", 1, 107)],
)
def test_the_size_of_the_imu_is_the_releases_or_the_one_that_is_set(
    release: str, imu_generation: int, size: int
) -> None:
    world = World(EmulatorSettings(release=release, imu_generation=imu_generation))
    drive(world, control(0.4, 0.2, rear=release == "26.R1"), 0.1)
    (data,) = sent(world)["imu"]
    assert len(data) == size
