"""Topics' values in, CMD out; STATE in, the messages' values out; in virtual time."""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import pytest
from vdsim_interface.extras.autohyu import (
    AutohyuBridge,
    AutohyuParameters,
    BridgeOutput,
    chosen_torque_map,
)
from vdsim_interface.extras.autohyu.parameters import (
    FilteredParameters,
    LinkParameters,
    ReferenceParameters,
)
from vdsim_interface.extras.autohyu.vehicle_state import (
    AUTONOMOUS,
    FAIL,
    GEAR_DRIVE,
    MANUAL,
    STEERING_ACTIVE,
    STEERING_ERROR,
    STEERING_READY,
    STEERING_STANDBY,
)
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.vds1.contract_peer import Peer
from vdsim_kit.one_version_server import ADDRESS, OneVersionServer

from autohyu_msgs.msg import VehicleCAN
from vdsim_protocol import vds1

PERIOD_S = 0.01
PARAMETERS = AutohyuParameters(link=LinkParameters(version=5))
MAP = chosen_torque_map(PARAMETERS.pedals)
VX_OFFSET = 72
"""Of vx in STATE (docs/vds1.md)."""
SOURCE = ("127.0.0.1", 7001)


class Link:
    """A bridge and the vehicle's end of its wire."""

    def __init__(self, **changed: Any) -> None:
        self.bridge = AutohyuBridge(replace(PARAMETERS, **changed), MAP)
        self.receiver = vds1.Receiver(vds1.Command)
        self.sender = vds1.Sender(5)
        ((datagram, _),) = Peer().report(PeerMotion(10.0, 0.1, 0.5, 3.0, 4.0, 0.7), 0.0)
        packet = vds1.decode(datagram.data)
        assert isinstance(packet, vds1.Packet)
        self.state = replace(packet.body, throttle_applied=0.0, brake_applied=0.0)
        self.now = 10.0

    def receive_state(self, **changed: Any) -> None:
        """One STATE packet arrives."""
        self.state = replace(self.state, **changed)
        data = self.sender.state(self.state, self.now)
        assert self.bridge.on_datagram(data, SOURCE, self.now) == ()

    def command(self, steer_deg: float = 2.0, torque_nm: float = 1000.0) -> None:
        """Publish on both topics."""
        self.bridge.on_steer(steer_deg, self.now)
        self.bridge.on_torque(torque_nm, self.now)

    def tick(self) -> tuple[BridgeOutput, vds1.Command]:
        """One period; what went out, and what a vehicle makes of it."""
        self.now += PERIOD_S
        output = self.bridge.tick(self.now)
        return output, self.command_of(output)

    def command_of(self, output: BridgeOutput) -> vds1.Command:
        (datagram,) = output.datagrams
        accepted = self.receiver.receive(datagram.data, SOURCE, self.now)
        assert isinstance(accepted, vds1.Accepted), accepted
        command = accepted.packet.body
        assert isinstance(command, vds1.Command)
        return command


def test_before_the_first_input_it_brakes_and_publishes_nothing() -> None:
    output, command = Link().tick()
    assert (command.throttle, command.brake, command.steering_tire_angle_rad) == (0.0, 1.0, 0.0)
    assert output.state is None
    assert [report.kind for report in output.notices] == ["mode_changed"]


def test_other_vehicles_of_the_server_are_neither_lost_nor_noticed() -> None:
    link = Link()
    server = OneVersionServer(5, 2, answers_all=True)
    for n in range(50):
        for datagram in server.step(0.005 * n, 0.005):
            assert link.bridge.on_datagram(datagram, ADDRESS, 0.005 * n) == ()
    figures = link.bridge.link(0.25)
    assert (figures.accepted, figures.lost, figures.other_vehicles) == (50, 0, 50)
    assert sum(figures.rejected.values()) == 0


@pytest.mark.parametrize("answers_all", [True, False])
@pytest.mark.parametrize("spoken", [3, 4, 5])
def test_a_server_that_speaks_one_version_is_driven(spoken: int, answers_all: bool) -> None:
    link, server = Link(link=LinkParameters()), OneVersionServer(spoken, answers_all=answers_all)
    kinds: list[str] = []
    for _ in range(600):
        for datagram in server.step(link.now, PERIOD_S):
            kinds += [str(n.kind) for n in link.bridge.on_datagram(datagram, ADDRESS, link.now)]
        link.command()
        link.now += PERIOD_S
        output = link.bridge.tick(link.now)
        kinds += [str(notice.kind) for notice in output.notices]
        server.receive(output.datagrams[0].data, link.now)
    assert server.speeds_mps[0] > 0.5
    assert server.commands[-1].header.version == spoken
    assert ("version_asked" in kinds) is (not answers_all and spoken != 3)
    assert "version_differs" not in kinds


def test_while_nobody_answers_it_asks_with_the_fail_safe_command() -> None:
    link = Link(link=LinkParameters())
    seen = []
    for _ in range(260):
        link.command(torque_nm=3000.0)
        output, command = link.tick()
        packet = vds1.decode(output.datagrams[0].data)
        assert isinstance(packet, vds1.Packet)
        seen.append((packet.header.version, command.throttle, command.brake))
    assert {version for version, _, _ in seen[:99]} == {3}
    assert seen[110] == (5, 0.0, 0.3)
    assert seen[160] == (4, 0.0, 0.3)
    assert seen[210] == (3, 0.0, 0.3)


def test_torque_and_steer_become_a_command_forward() -> None:
    # [VS-0.7.2]
    link = Link()
    link.receive_state()
    link.command(3.0, 2000.0)
    link.bridge.on_accel(1.25)
    _, command = link.tick()
    assert command.steering_tire_angle_rad == pytest.approx(math.radians(3.0))
    assert command.throttle == pytest.approx(MAP.aps(2000.0, 10.0) / 100.0)
    assert (command.brake, command.gear, command.handbrake) == (0.0, 1, False)
    assert command.aux_accel_target_mps2 == 1.25
    link.bridge.on_accel(math.nan)
    assert math.isnan(link.tick()[1].aux_accel_target_mps2)


def test_every_contract_field_is_mapped() -> None:
    # [VS-0.5.2]
    link = Link(reference=ReferenceParameters(ref_lat_deg=37.5, ref_lon_deg=127.0))
    link.receive_state()
    link.command()
    link.now += PERIOD_S
    link.receive_state(
        steering_tire_angle_applied_rad=0.11, ay_body_mps2=2.0, yaw_rate_radps=0.2, z_world_m=1.5,
        roll_rad=0.01, pitch_rad=-0.02, roll_rate_radps=0.03, pitch_rate_radps=0.04, vy_mps=-0.1,
        vz_mps=0.05, wheel_spin_radps=(10.0, 20.0, 30.0, 40.0), rack_torque_nm=12.0,
        tire_fx_n=(100.0, 100.0, 200.0, 200.0), throttle_applied=0.25, brake_applied=0.0,
        m_gnss_x_m=0.0, m_gnss_y_m=0.0,
    )  # fmt: skip
    output, _ = link.tick()
    assert output.state is not None
    state, can = output.state.state, output.state.can
    assert state == {
        "x": 3.0, "y": 4.0, "z": 1.5, "vx": 10.0, "vy": -0.1, "vz": 0.05, "ax": 0.5, "ay": 2.0,
        "az": 0.0, "roll": 0.01, "pitch": -0.02, "yaw": 0.7, "roll_vel": 0.03, "pitch_vel": 0.04,
        "yaw_vel": 0.2,
    }  # fmt: skip
    radius, force = 0.338, math.cos(0.11) * 200.0
    expected = {
        "lateral_accel": 2.0, "longitudinal_accel": 0.5, "yaw_rate": 0.2,
        "steering_wheel_angle": 14.0 * 0.11, "steering_tire_angle": 0.11, "steering_speed": 14.0,
        "steering_torque": 12.0, "steering_state": 5,
        "wheel_velocity_fl": 10.0 * radius, "wheel_velocity_fr": 20.0 * radius,
        "wheel_velocity_rl": 30.0 * radius, "wheel_velocity_rr": 40.0 * radius,
        "wheel_velocity_f_avg": 15.0 * radius, "wheel_velocity_r_avg": 35.0 * radius,
        "wheel_velocity_avg": 25.0 * radius, "motor_torque_f": force * radius,
        "motor_torque_r": 400.0 * radius, "motor_torque_total": (force + 400.0) * radius,
        "accel_position": 25.0, "brake_pressure": 0.0, "brake_active": 0, "gear_select": 5,
        "operation_mode": AUTONOMOUS, "lateral_autonomous_mode": 1,
        "longitudinal_autonomous_mode": 1,
    }  # fmt: skip
    assert can == pytest.approx(expected)
    assert output.state.stamp_s == pytest.approx(10.01)
    assert output.state.gnss == pytest.approx((37.5, 127.0, 1.5))


def test_the_codes_are_those_of_the_message() -> None:
    assert (MANUAL, AUTONOMOUS, FAIL) == (
        VehicleCAN.OPERATION_MANUAL,
        VehicleCAN.OPERATION_AUTONOMOUS,
        VehicleCAN.OPERATION_FAIL,
    )
    assert (STEERING_READY, STEERING_STANDBY, STEERING_ACTIVE, STEERING_ERROR) == (
        VehicleCAN.MDPS_READY,
        VehicleCAN.MDPS_STANDBY,
        VehicleCAN.MDPS_ACTIVATE,
        VehicleCAN.MDPS_ERROR,
    )
    assert GEAR_DRIVE == VehicleCAN.GEAR_D


def test_units_of_pedals_and_motors_are_parameters() -> None:
    link = Link(pedal_unit="fraction", motor_ratio=10.0)
    link.receive_state(
        throttle_applied=0.25,
        brake_applied=0.0,
        steering_tire_angle_applied_rad=0.0,
        tire_fx_n=(100.0, 100.0, 200.0, 200.0),
    )
    link.command()
    output, _ = link.tick()
    assert output.state is not None
    can = output.state.can
    assert can["accel_position"] == 0.25
    assert can["motor_torque_total"] == pytest.approx(600.0 * 0.338 / 10.0)
    link.receive_state(throttle_applied=0.0, brake_applied=0.4)
    output, _ = link.tick()
    assert output.state is not None
    assert output.state.can["brake_pressure"] == 0.4


def test_what_an_old_version_does_not_carry_is_nan_or_what_was_commanded() -> None:
    link = Link(link=LinkParameters(version=1))
    link.sender = vds1.Sender(1)
    link.receive_state()
    link.command(0.0, -4650.0)
    output, command = link.tick()
    assert output.state is not None
    can = output.state.can
    assert math.isnan(can["steering_torque"])
    assert can["brake_pressure"] == pytest.approx(100.0 * command.brake)
    assert can["brake_active"] == 1
    assert output.state.gnss[0] != 0.0, "the position stands in for the GNSS reading"


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_bad_torque_brakes_and_marks_the_mode(bad: float) -> None:
    link = Link()
    link.receive_state()
    link.command(3.0, 1000.0)
    link.tick()
    link.command(3.0, bad)
    output, command = link.tick()
    assert (command.throttle, command.brake) == (0.0, 1.0)
    assert command.steering_tire_angle_rad == pytest.approx(math.radians(3.0))
    assert output.state is not None
    assert output.state.can["operation_mode"] == FAIL
    link.command(4.0, 1000.0)
    output, command = link.tick()
    assert command.throttle > 0.0
    assert output.state is not None
    assert output.state.can["operation_mode"] == AUTONOMOUS


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_bad_steer_holds_the_steering_for_the_time_out_then_brakes(bad: float) -> None:
    link = Link()
    link.receive_state()
    link.command(3.0, 1000.0)
    driven, kinds = [], []
    for _ in range(40):
        output, command = link.tick()
        assert command.steering_tire_angle_rad == pytest.approx(math.radians(3.0))
        driven.append(command.throttle > 0.0)
        kinds += [notice.kind for notice in output.notices]
        link.receive_state()
        link.command(bad, 1000.0)
    timeout_n = round(PARAMETERS.failsafe.command_timeout_s / PERIOD_S)
    assert driven == [True] * timeout_n + [False] * (40 - timeout_n)
    assert command.brake == PARAMETERS.failsafe.brake
    assert output.state is not None
    assert output.state.can["operation_mode"] == FAIL
    assert output.state.can["steering_state"] == STEERING_STANDBY
    assert kinds[:2] == ["link_restored", "non_finite_command"]
    link.command(-2.0, 1000.0)
    output, command = link.tick()
    assert command.throttle > 0.0
    assert command.steering_tire_angle_rad == pytest.approx(math.radians(-2.0))


def test_a_first_steer_that_is_bad_brakes_at_once() -> None:
    link = Link()
    link.receive_state()
    link.command(math.nan, 1000.0)
    _, command = link.tick()
    assert (command.throttle, command.brake, command.steering_tire_angle_rad) == (0.0, 0.3, 0.0)


@pytest.mark.parametrize("stale", ["on_steer", "on_torque"])
def test_a_stale_topic_brakes_moderately_and_holds_the_steering(stale: str) -> None:
    link = Link()
    link.receive_state()
    link.command(3.0, 1000.0)
    for _ in range(25):
        link.receive_state()
        if stale != "on_steer":
            link.bridge.on_steer(3.0, link.now)
        if stale != "on_torque":
            link.bridge.on_torque(1000.0, link.now)
        output, command = link.tick()
    assert (command.throttle, command.brake) == (0.0, 0.3)
    assert command.steering_tire_angle_rad == pytest.approx(math.radians(3.0))
    assert output.state is not None
    assert output.state.can["operation_mode"] == FAIL
    assert output.state.can["steering_state"] == STEERING_STANDBY


def test_stale_state_shows_in_the_mode_and_the_old_stamp() -> None:
    # [VS-0.8.2]
    link = Link()
    link.receive_state()
    received_s = link.now
    kinds = []
    for _ in range(15):
        link.command()
        output, command = link.tick()
        kinds += [report.kind for report in output.notices]
    assert (command.throttle, command.brake) == (0.0, 0.3)
    assert output.state is not None
    assert output.state.can["operation_mode"] == FAIL
    assert output.state.can["steering_state"] == STEERING_ERROR
    assert output.state.stamp_s == received_s
    link.receive_state()
    link.command()
    kinds += [report.kind for report in link.tick()[0].notices]
    assert kinds == ["link_restored", "link_timeout", "link_restored"]


def test_a_vehicle_that_may_still_be_starting_is_no_error() -> None:
    link = Link()
    notices = []
    while link.now < 41.5:
        link.command()
        notices += link.tick()[0].notices
    assert [(notice.kind, notice.severity.name) for notice in notices] == [
        ("link_awaited", "INFO"),
        ("link_absent", "WARN"),
    ]


def test_before_the_first_torque_the_mode_is_manual() -> None:
    link = Link()
    link.receive_state()
    output, _ = link.tick()
    assert output.state is not None
    assert output.state.can["operation_mode"] == MANUAL
    assert output.state.can["steering_state"] == STEERING_READY


def test_what_is_no_state_is_dropped_with_a_reason() -> None:
    link = Link()
    (report,) = link.bridge.on_datagram(b"hello", SOURCE, link.now)
    assert report.kind == "link_reject"
    good = link.sender.state(link.state, link.now)
    (report,) = link.bridge.on_datagram(good, ("10.0.0.9", 7001), link.now)
    assert "10.0.0.9" in report.text
    assert link.bridge.link(link.now).accepted == 0


def test_a_speed_that_is_not_finite_is_rejected_and_the_car_stops() -> None:
    link = Link()
    link.receive_state()
    for _ in range(12):
        link.command()
        link.now += PERIOD_S
        bad = bytearray(link.sender.state(link.state, link.now))
        struct.pack_into("<d", bad, VX_OFFSET, math.nan)
        struct.pack_into("<I", bad, len(bad) - 4, zlib.crc32(bad[:-4]))
        (report,) = link.bridge.on_datagram(bytes(bad), SOURCE, link.now)
        command = link.command_of(link.bridge.tick(link.now))
    assert report.kind == "link_reject"
    assert (command.throttle, command.brake) == (0.0, 0.3)


def test_the_link_is_counted_both_ways() -> None:
    # [VS-0.8.3]
    link = Link()
    for _ in range(30):
        link.receive_state()
        link.tick()
    seen = link.bridge.link(link.now)
    assert (seen.accepted, seen.lost) == (30, 0)
    assert seen.rate_hz == pytest.approx(100.0, rel=0.05)
    assert link.bridge.sent_rate_hz(link.now) == 30.0
    assert link.bridge.sent_rate_hz(link.now + 2.0) == 0.0


def test_the_last_word_is_a_brake() -> None:
    link = Link()
    link.receive_state()
    link.command(3.0, 1000.0)
    link.tick()
    (datagram,) = link.bridge.stop(link.now)
    packet = vds1.decode(datagram.data)
    assert isinstance(packet, vds1.Packet)
    assert (packet.body.throttle, packet.body.brake) == (0.0, 0.3)
    assert packet.body.steering_tire_angle_rad == pytest.approx(math.radians(3.0))


def test_the_filtered_state_is_smooth_and_starts_without_a_jump() -> None:
    assert Link().tick()[0].filtered is None
    link = Link(filtered=FilteredParameters(type="first_order", cutoff_frequency_hz=2.0))
    for step in range(200):
        link.receive_state(vx_mps=10.0 + (-1.0) ** step, x_world_m=float(step))
        link.command()
        output, _ = link.tick()
        assert output.filtered is not None
        if step == 0:
            assert output.filtered.state["vx"] == pytest.approx(11.0)
    assert output.filtered.state["vx"] == pytest.approx(10.0, abs=0.1)
    assert output.filtered.state["x"] == 199.0
    for _ in range(12):
        output, _ = link.tick()
    link.receive_state(vx_mps=20.0)
    link.command()
    output, _ = link.tick()
    assert output.filtered is not None
    assert output.filtered.state["vx"] == pytest.approx(20.0), "no memory across a silence"


def test_the_rate_of_the_steering_needs_two_packets_in_order() -> None:
    link = Link()
    link.receive_state()
    link.receive_state(steering_tire_angle_applied_rad=0.2)
    output, _ = link.tick()
    assert output.state is not None
    assert output.state.can["steering_speed"] == 0.0


@pytest.mark.parametrize(
    ("part", "values", "words"),
    [
        ("link", {"vehicle_id": 3, "version": 3}, "link.vehicle_id=3: must be 0 below version 4"),
        ("pedals", {"brake_cubic": (1.0,)}, "must have four terms"),
        ("pedals", {"torque_step_nm": 1000.0, "torque_min_nm": 0.0, "torque_max_nm": 10.0}, "fit"),
        ("pedals", {"speed_min_kph": 50.0, "speed_max_kph": 50.0}, "a step above speed_min_kph"),
        ("failsafe", {"state_timeout_s": 0.01}, "must be >= two periods"),
    ],
)
def test_wrong_parameters_are_named(part: str, values: dict[str, Any], words: str) -> None:
    kind = {item.name: item for item in fields(PARAMETERS)}[part].default_factory
    with pytest.raises(ValueError, match=words):
        replace(PARAMETERS, **{part: kind(**values)})


def test_the_steering_of_the_transmitter_is_kept_on_the_wire_and_on_the_bus() -> None:
    cubic = (-0.003527, -0.001528, 16.06, 0.0)
    link = Link(steering_cubic=cubic, steering_speed_most_degps=800.0)
    angles = []
    for _ in range(60):
        link.receive_state(steering_tire_angle_applied_rad=math.radians(10.0))
        link.command(steer_deg=20.0)
        output, command = link.tick()
        angles.append(math.degrees(command.steering_tire_angle_rad))
    steps = [after - before for before, after in pairwise(angles)]
    assert max(steps) == pytest.approx(8.0 / 16.06, rel=0.4), "800 deg/s at the wheel"
    assert angles[-1] == pytest.approx(20.0, abs=1e-6)
    assert output.state is not None
    wheel_deg = math.degrees(output.state.can["steering_wheel_angle"])
    assert wheel_deg == pytest.approx(-3.527 - 0.1528 + 160.6)
