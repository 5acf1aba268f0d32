"""Platform `morai`: every command type, generation and sign, and the keyboard that takes over."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from vdsim_interface.extras.contract.subject import SETUP, Subject, command
from vdsim_interface.extras.morai import SPEC, MoraiParameters, MoraiPlatform
from vdsim_interface.extras.morai.contract_peer import SOURCE, status
from vdsim_interface.extras.morai.platform import CONTROL, LAMP, RUNS_TEXT
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.values import (
    AccelMeaning,
    Authority,
    Blinker,
    BodyCommand,
    Gear,
    RawCommand,
    VehicleReport,
)

from vdsim_protocol import morai

CAPTURED_STATUS = (
    "234d6f726169496e666f245e000000000000000000000000000000020400001042010000000000003f000000003d"
    "0a9b4048e1ea3f713dba3f3d0a773f48e1324048e18a3f0000c9420000a2c10000003f000000000000c03f0000b4"
    "420000104200000000000000000000803e0000000000001cc1000068c00d0a"
)


def platform(**changed: Any) -> MoraiPlatform:
    return MoraiPlatform(replace(MoraiParameters(), **changed), SETUP)


def report(subject: MoraiPlatform, body: Any, now: float, generation: int = 1) -> VehicleReport:
    received = subject.receive(morai.encode(body, generation), SOURCE, CONTROL, now)
    assert received.report is not None, received.notices
    return received.report


def sent(subject: MoraiPlatform, now: float = 1.0, **fields: Any) -> morai.EgoCtrlCmd:
    """What the simulator gets for a command."""
    encoded = subject.encode(command(**fields), now)
    data = next(item.data for item in encoded.datagrams if item.endpoint == CONTROL)
    packet = morai.decode(data)
    assert isinstance(packet, morai.Packet)
    return packet.body


def lamps(encoded: Any) -> list[tuple[int, int]]:
    bodies = [morai.decode(d.data).body for d in encoded.datagrams if d.endpoint == LAMP]
    return [(body.turn, body.emergency) for body in bodies]


def test_a_known_status_becomes_the_report_of_its_numbers() -> None:
    """[VI-1.2.1 on morai] [VI-1.2.2 on morai] [VI-1.2.3 on morai] A captured datagram."""
    received = platform().receive(bytes.fromhex(CAPTURED_STATUS), SOURCE, CONTROL, 5.0)
    seen = received.report
    assert seen is not None
    assert seen.velocity_mps == pytest.approx(10.0)
    assert (seen.x_m, seen.y_m, seen.z_m) == (100.5, -20.25, 0.5)
    assert seen.yaw_rad == pytest.approx(math.pi / 2.0)
    assert seen.pitch_rad == pytest.approx(math.radians(1.5))
    assert seen.front_wheel_angle_rad == pytest.approx(math.radians(-3.625))
    assert (seen.accel_x_mps2, seen.applied.throttle, seen.applied.brake) == (0.25, 0.5, 0.0)
    assert seen.body.gear is Gear.DRIVE
    assert seen.stamp_s == seen.vehicle_time_s == 5.0


@pytest.mark.parametrize("generation", [1, 2, 3, 4, 5])
def test_every_generation_is_understood(generation: int) -> None:
    motion = PeerMotion(7.5, 0.12, 0.5, 3.0, -4.0, 0.7)
    body = replace(
        status(motion), sec=12, nsec=500_000_000, angular_velocity_x_degps=0.0,
        angular_velocity_y_degps=0.0, angular_velocity_z_degps=9.0, rear_steer_deg=0.0,
    )  # fmt: skip
    seen = report(platform(), body, 5.0, generation)
    assert seen.velocity_mps == pytest.approx(7.5)
    assert seen.yaw_rad == pytest.approx(0.7, abs=1e-6)
    timed = generation >= 3
    assert seen.vehicle_time_s == (12.5 if timed else 5.0)
    assert seen.yaw_rate_radps == pytest.approx(math.radians(9.0) if timed else 0.0)


def test_without_angular_velocity_the_heading_gives_the_yaw_rate_across_the_seam() -> None:
    subject = platform()
    for step in range(30):
        now = 1.0 + 0.02 * step
        heading = math.pi - 0.2 + 0.5 * (now - 1.0) * 1.0
        seen = report(subject, status(PeerMotion(5.0, yaw_rad=heading)), now)
    assert seen.yaw_rate_radps == pytest.approx(0.5, rel=1e-3)
    assert -math.pi < seen.yaw_rad <= math.pi
    later = report(subject, status(PeerMotion(5.0, yaw_rad=0.0)), 9.0)
    assert later.yaw_rate_radps == 0.0, "no rate across a silence"


def test_acceleration_commands_go_along_the_gear() -> None:
    """[VI-1.1.1 on morai] [VI-1.1.3 on morai] [VI-1.1.4 on morai]"""
    subject = platform()
    report(subject, status(PeerMotion(5.0)), 1.0)
    forward = sent(subject, accel=1.5, front=0.1)
    assert forward.cmd_type is morai.CmdType.ACCELERATION
    assert forward.ctrl_mode is morai.CtrlMode.AUTO
    assert forward.acceleration_mps2 == 1.5
    assert forward.steering == pytest.approx(0.1 / math.radians(36.25))
    report(subject, status(PeerMotion(-3.0)), 1.0)
    backward = sent(subject, accel=-1.5, body=BodyCommand(Gear.REVERSE))
    assert (backward.acceleration_mps2, backward.gear) == (1.5, morai.Gear.REVERSE)


def test_velocity_commands_lead_the_speed_by_the_acceleration() -> None:
    subject = platform(cmd_type="velocity", velocity_lead_s=0.5)
    report(subject, status(PeerMotion(5.0)), 1.0)
    faster = sent(subject, accel=2.0)
    assert faster.cmd_type is morai.CmdType.VELOCITY
    assert faster.velocity_kph == pytest.approx(3.6 * 6.0)
    report(subject, status(PeerMotion(0.5)), 1.0)
    assert sent(subject, accel=-3.0).velocity_kph == 0.0
    report(subject, status(PeerMotion(-3.0)), 1.0)
    reverse = sent(subject, accel=-2.0, body=BodyCommand(Gear.REVERSE))
    assert reverse.velocity_kph == pytest.approx(3.6 * 4.0)


@pytest.mark.parametrize("speed_mps", [0.35, 0.99])
def test_a_brake_that_ends_before_the_lead_is_no_velocity_of_0(speed_mps: float) -> None:
    """The simulator approached it downhill, and the car rolled on where both were in balance."""
    subject = platform(cmd_type="velocity", velocity_lead_s=0.5)
    report(subject, status(PeerMotion(speed_mps)), 1.0)
    braking = sent(subject, accel=-2.0)
    assert braking.cmd_type == morai.CmdType.ACCELERATION
    assert braking.acceleration_mps2 == pytest.approx(-2.0)
    report(subject, status(PeerMotion(1.01)), 1.0)
    assert sent(subject, accel=-2.0).cmd_type == morai.CmdType.VELOCITY


def test_pedal_commands_come_from_the_map() -> None:
    subject = platform(cmd_type="pedals")
    report(subject, status(PeerMotion(5.0)), 1.0)
    push = sent(subject, accel=1.5)
    assert push.cmd_type is morai.CmdType.PEDALS
    assert 0.0 < push.accel < 1.0
    assert push.brake == 0.0
    hold = sent(subject, accel=-2.0)
    assert hold.accel == 0.0
    assert 0.0 < hold.brake < 1.0


@pytest.mark.parametrize("cmd_type", ["pedals", "velocity", "acceleration"])
def test_no_drive_is_released_pedals_or_a_brake_whatever_the_type(cmd_type: str) -> None:
    subject = platform(cmd_type=cmd_type)
    report(subject, status(PeerMotion(8.0)), 1.0)

    def without_drive(accel: float) -> morai.EgoCtrlCmd:
        encoded = subject.encode(command(accel)._replace(no_drive=True), 1.0)
        packet = morai.decode(encoded.datagrams[0].data)
        assert isinstance(packet, morai.Packet)
        return packet.body

    coasting = without_drive(0.0)
    assert (coasting.cmd_type, coasting.accel, coasting.brake) == (morai.CmdType.PEDALS, 0.0, 0.0)
    braking = without_drive(-2.0)
    assert braking.accel == braking.velocity_kph == 0.0
    assert braking.brake > 0.1 or braking.acceleration_mps2 == -2.0


@pytest.mark.parametrize("cmd_type", ["velocity", "acceleration"])
@pytest.mark.parametrize("speed_mps", [0.25, 0.0, -0.6])
def test_what_holds_a_car_is_a_pedal_whatever_the_type(cmd_type: str, speed_mps: float) -> None:
    """How hard a simulator holds a car at rest for an acceleration below 0, nobody states."""
    subject = platform(cmd_type=cmd_type)
    report(subject, status(PeerMotion(speed_mps)), 1.0)
    pedals = []
    for accel in (-2.0, -6.0):
        encoded = subject.encode(command(accel)._replace(no_drive=True), 1.0)
        packet = morai.decode(encoded.datagrams[0].data)
        assert isinstance(packet, morai.Packet)
        assert (packet.body.cmd_type, packet.body.accel) == (morai.CmdType.PEDALS, 0.0)
        pedals.append(packet.body.brake)
    assert 0.1 < pedals[0] < 0.5 * pedals[1]
    setting_out = sent(subject, accel=0.5)
    assert setting_out.cmd_type is not morai.CmdType.PEDALS


@pytest.mark.parametrize("cmd_type", ["velocity", "acceleration"])
@pytest.mark.parametrize(
    ("meaning", "speed_mps", "by_pedal"),
    [
        (AccelMeaning.FLAT_ROAD, 0.25, True),
        (AccelMeaning.KINEMATIC, 0.25, True),
        (AccelMeaning.FLAT_ROAD, 0.35, False),
        (AccelMeaning.DRIVE, 0.25, False),
    ],
)
def test_a_stack_of_accelerations_brakes_to_rest_by_the_pedal(
    cmd_type: str, meaning: AccelMeaning, speed_mps: float, by_pedal: bool
) -> None:
    subject = platform(cmd_type=cmd_type)
    report(subject, status(PeerMotion(speed_mps)), 1.0)
    encoded = subject.encode(command(-3.4)._replace(meaning=meaning), 1.0)
    packet = morai.decode(encoded.datagrams[0].data)
    assert isinstance(packet, morai.Packet)
    assert (packet.body.cmd_type is morai.CmdType.PEDALS) is by_pedal
    assert (packet.body.brake > 0.1) is by_pedal


@pytest.mark.parametrize("cmd_type", ["pedals", "velocity", "acceleration"])
def test_raw_commands_and_the_hand_brake_are_pedals_whatever_the_type(cmd_type: str) -> None:
    subject = platform(cmd_type=cmd_type)
    raw = sent(subject, raw=RawCommand(0.0, 500, 0, 100, 0))
    assert (raw.cmd_type, raw.accel, raw.brake) == (morai.CmdType.PEDALS, 0.5, 0.0)
    held = sent(subject, accel=1.0, body=BodyCommand(Gear.DRIVE, hand_brake=True))
    assert (held.cmd_type, held.accel, held.brake) == (morai.CmdType.PEDALS, 0.0, 1.0)
    both = sent(
        subject, raw=RawCommand(0.0, 500, 0, 0, 0), body=BodyCommand(Gear.DRIVE, hand_brake=True)
    )
    assert both.brake == 1.0


def test_the_effort_of_raw_pedals_is_told() -> None:
    subject = platform()
    brakes = subject.encode(command(raw=RawCommand(0.0, 0, 400, 0, 0)), 1.0)
    drives = subject.encode(command(raw=RawCommand(0.0, 400, 0, 0, 0)), 1.1)
    assert brakes.effort_mps2 < -1.0 < 0.5 < drives.effort_mps2


@pytest.mark.parametrize(("steer_max_deg", "cut_rad"), [(10.0, math.radians(10.0)), (80.0, 0.55)])
def test_a_raw_angle_is_cut_where_car_or_command_end(steer_max_deg: float, cut_rad: float) -> None:
    subject = platform(steer_max_deg=steer_max_deg)
    encoded = subject.encode(command(raw=RawCommand(0.0, 0, 0, 9000, 0)), 1.0)
    (change,) = encoded.changes
    assert encoded.wire is not None
    assert (change.channel, change.before) == ("front_wheel_angle_rad", 9.0)
    assert change.after == pytest.approx(cut_rad)
    assert encoded.wire.front_wheel_angle_rad == pytest.approx(cut_rad, abs=1e-6)


@pytest.mark.parametrize(("side", "sign"), [("left", 1.0), ("right", -1.0)])
def test_the_sign_holds_for_what_is_sent_and_what_is_heard(side: str, sign: float) -> None:
    subject = platform(steer_positive=side)
    assert sent(subject, front=0.2).steering * sign == pytest.approx(0.2 / math.radians(36.25))
    heard = report(subject, status(PeerMotion(1.0, 0.1)), 1.0)
    assert heard.front_wheel_angle_rad == pytest.approx(sign * 0.1)
    encoded = subject.encode(command(front=0.2), 1.0)
    assert encoded.wire is not None
    assert encoded.wire.front_wheel_angle_rad == pytest.approx(0.2, abs=1e-7)


def test_an_angle_beyond_the_largest_is_cut_and_said() -> None:
    subject = platform(steer_max_deg=10.0)
    encoded = subject.encode(command(front=0.5), 1.0)
    assert sent(subject, front=0.5).steering == 1.0
    (change,) = encoded.changes
    assert change.after == pytest.approx(math.radians(10.0))


def test_generation_two_has_its_size() -> None:
    for generation, size in ((1, 55), (2, 59)):
        encoded = platform(generation=generation).encode(command(), 1.0)
        assert len(encoded.datagrams[0].data) == size


def test_lamps_are_sent_on_change_and_once_a_second() -> None:
    """[VI-1.1.6 on morai] [VI-1.1.7 on morai]"""
    subject = platform()
    body = BodyCommand(Gear.DRIVE, Blinker.LEFT)
    assert lamps(subject.encode(command(body=body), 1.0)) == [(1, 0)]
    assert lamps(subject.encode(command(body=body), 1.1)) == []
    assert lamps(subject.encode(command(body=body), 2.1)) == [(1, 0)]
    hazard = BodyCommand(Gear.DRIVE, Blinker.HAZARD)
    assert lamps(subject.encode(command(body=hazard), 2.2)) == [(0, 1)]
    right = BodyCommand(Gear.DRIVE, Blinker.RIGHT)
    assert lamps(subject.encode(command(body=right), 2.3)) == [(2, 0)]


def test_the_keyboard_takes_over_only_after_our_own_automatic_mode() -> None:
    """[VI-5.1 on morai]"""
    subject = platform()
    keyboard, auto = (
        status(PeerMotion(1.0), mode) for mode in (morai.CtrlMode.KEYBOARD, morai.CtrlMode.AUTO)
    )
    assert not report(subject, keyboard, 1.0).driver.switch, "before we command"
    subject.encode(command(), 1.0)
    assert not report(subject, keyboard, 1.01).driver.switch, "our command is still on its way"
    assert not report(subject, auto, 1.02).driver.switch
    assert report(subject, keyboard, 1.03).driver.switch
    subject.encode(command(authority=Authority.SILENT), 1.04)
    assert not report(subject, keyboard, 1.05).driver.switch, "released, so we may engage again"


def test_an_unknown_gear_counts_as_neutral() -> None:
    data = bytearray(morai.encode(status(PeerMotion(0.0))))
    data[28] = 99
    received = platform().receive(bytes(data), SOURCE, CONTROL, 1.0)
    assert received.report is not None
    assert received.report.body.gear is Gear.NEUTRAL


def test_what_is_no_status_is_dropped_counted_and_named() -> None:
    subject = platform()
    light = morai.encode(morai.TrafficLightStatus("C1", 0, 1))
    cases = [(b"x", SOURCE, "identifier"), (light, SOURCE, "message")]
    cases.append((morai.encode(status(PeerMotion(0.0))), ("10.0.0.9", 908), "source"))
    for data, source, reason in cases:
        received = subject.receive(data, source, CONTROL, 1.0)
        assert received.report is None
        assert received.notices[0].text
        assert subject.link_statistics(1.0)[f"rejected_{reason}"] == 1.0
    anyone = platform(only_from_sim=False)
    assert anyone.receive(cases[2][0], cases[2][1], CONTROL, 1.0).report is not None


@pytest.mark.parametrize(
    ("release", "size", "sign"),
    [("21", 55, 1.0), ("22.R2", 55, -1.0), ("23.R1", 55, -1.0), ("24.R2", 55, -1.0),
     ("26.R1", 59, -1.0)],
)  # fmt: skip
def test_a_release_sets_size_and_sign(release: str, size: int, sign: float) -> None:
    subject = platform(release=release)
    assert len(subject.encode(command(), 1.0).datagrams[0].data) == size
    assert sign * sent(subject, front=0.2).steering > 0.0
    other = platform(release=release, steer_positive="left", generation=1)
    assert len(other.encode(command(), 1.0).datagrams[0].data) == 55
    assert sent(other, front=0.2).steering > 0.0


def test_the_releases_limits_of_velocity_commands_are_named_and_braking_goes_past_them() -> None:
    subject = platform(cmd_type="velocity", release="24.R2")
    report(subject, status(PeerMotion(5.0)), 1.0)
    encoded = subject.encode(command(accel=2.5), 1.0)
    (change,) = encoded.changes
    assert (change.channel, change.before, change.after) == ("long_accel_mps2", 2.5, 1.0)
    assert subject.encode(command(accel=0.9), 1.0).changes == ()
    gentle, hard = sent(subject, accel=-1.9), sent(subject, accel=-2.5)
    assert gentle.cmd_type is morai.CmdType.VELOCITY
    assert (hard.cmd_type, hard.acceleration_mps2) == (morai.CmdType.ACCELERATION, -2.5)
    unlimited = platform(cmd_type="velocity", release="22.R2")
    assert unlimited.encode(command(accel=2.5), 1.0).changes == ()


def paused_after(subject: MoraiPlatform, body: Any, generation: int, seconds: float) -> bool:
    """Whether the platform takes a repeated status for a pause."""
    seen = report(subject, body, 1.0, generation)
    for step in range(1, round(seconds / 0.02) + 1):
        seen = report(subject, body, 1.0 + 0.02 * step, generation)
    assert seen.ready is not bool(subject.link_statistics(1.0)["paused"])
    return not seen.ready


def timed(motion: PeerMotion, stamp_s: float = 12.0) -> morai.EgoVehicleStatus:
    nanoseconds = round(stamp_s * 1e9)
    return replace(
        status(motion), sec=nanoseconds // 10**9, nsec=nanoseconds % 10**9,
        angular_velocity_x_degps=0.0, angular_velocity_y_degps=0.0, angular_velocity_z_degps=0.0,
    )  # fmt: skip


def test_a_stamp_that_stands_still_is_a_pause() -> None:
    assert paused_after(platform(), timed(PeerMotion(0.0)), 3, 0.6)
    assert not paused_after(platform(), timed(PeerMotion(0.0)), 3, 0.3), "releases repeat a frame"
    running = platform()
    for step in range(100):
        seen = report(running, timed(PeerMotion(0.0), 12.0 + 0.02 * step), 0.02 * step, 3)
        assert seen.ready


def test_without_a_stamp_a_moving_car_that_repeats_itself_is_a_pause() -> None:
    assert paused_after(platform(), status(PeerMotion(5.0)), 1, 0.6)
    assert not paused_after(platform(), status(PeerMotion(0.0)), 1, 5.0), "a parked car"


def test_without_a_stamp_a_car_that_ignores_the_command_to_drive_is_paused() -> None:
    subject = platform()
    texts = []
    for step in range(300):
        now = 1.0 + 0.01 * step
        subject.encode(command(accel=1.0), now)
        received = subject.receive(morai.encode(status(PeerMotion(0.0))), SOURCE, CONTROL, now)
        texts += [notice.text for notice in received.notices]
    (text,) = texts
    assert text.startswith("the simulator is paused: its status repeats")
    assert received.report is not None
    assert not received.report.ready
    received = subject.receive(morai.encode(status(PeerMotion(0.1))), SOURCE, CONTROL, 5.0)
    assert received.report is not None
    assert received.report.ready
    assert [notice.text for notice in received.notices] == [RUNS_TEXT]


def test_the_keyboard_names_its_likely_causes_once() -> None:
    subject = platform()
    keyboard, auto = (
        status(PeerMotion(1.0), mode) for mode in (morai.CtrlMode.KEYBOARD, morai.CtrlMode.AUTO)
    )
    subject.encode(command(), 1.0)
    report(subject, auto, 1.01)
    texts = []
    for step in range(5):
        data = morai.encode(keyboard)
        texts += subject.receive(data, SOURCE, CONTROL, 1.02 + 0.01 * step).notices
    (notice,) = texts
    assert "on its keyboard: a person has switched it, or a scenario was loaded" in notice.text
    assert notice.kind == "vehicle_news"


def test_rates_are_counted_over_the_last_second() -> None:
    subject = Subject(SPEC)
    for _ in range(50):
        subject.report()
        subject.platform.encode(command(), subject.now)
    seen = subject.platform.link_statistics(subject.now)
    assert (seen["rate_hz"], seen["sent_rate_hz"], seen["accepted"]) == (50.0, 50.0, 50.0)
    assert seen["age_s"] == 0.0
