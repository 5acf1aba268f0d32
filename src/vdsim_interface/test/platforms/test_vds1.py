"""What is particular to platform vds1."""

import math
from dataclasses import replace

import pytest
from vdsim_interface.extras.contract.subject import Subject, command
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import from_flat
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.pedal_map import PedalMapError
from vdsim_interface.platforms.pedal_table import load_pedal_map
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.vds1 import SPEC
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.vds1.platform import Vds1Platform
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    Authority,
    AuxiliaryCommand,
    BodyCommand,
    Gear,
    PlatformCommand,
    RawCommand,
)
from vdsim_kit.one_version_server import ADDRESS, OneVersionServer
from vdsim_kit.wire_car import state_at
from vdsim_protocol_kit.vds1 import STATE, encode

from vdsim_protocol import vds1


def sent(subject: Subject, given: PlatformCommand) -> vds1.Command:
    (datagram,) = subject.platform.encode(given, subject.now).datagrams
    packet = vds1.decode(datagram.data)
    assert isinstance(packet, vds1.Packet)
    assert isinstance(packet.body, vds1.Command)
    return packet.body


def test_acceleration_becomes_pedals_by_the_map() -> None:
    subject = Subject(SPEC)
    subject.report(PeerMotion(12.0))
    pedal_map = load_pedal_map("ioniq5_awd")
    for accel in (-5.0, -1.0, -0.1, 0.0, 0.5, 2.0):
        wire = sent(subject, command(accel))
        assert wire.throttle - wire.brake == pytest.approx(pedal_map.pedal(accel, 12.0))
        assert min(wire.throttle, wire.brake) == 0.0


def test_what_the_pedals_cannot_do_is_named() -> None:
    subject = Subject(SPEC)
    subject.report(PeerMotion(30.0))
    encoded = subject.platform.encode(command(6.0), subject.now)
    (change,) = encoded.changes
    assert change.kind == "platform_limit"
    assert change.before == 6.0
    assert change.after == pytest.approx(load_pedal_map("ioniq5_awd").accel(1.0, 30.0))
    assert subject.platform.encode(command(0.5), subject.now).changes == ()


@pytest.mark.parametrize(("throttle", "brake"), [(300, 0), (0, 400), (200, 100)])
def test_the_effort_of_raw_pedals_is_that_of_the_map(throttle: int, brake: int) -> None:
    """The last gate must know it: a stop that follows brakes no less."""
    subject = Subject(SPEC)
    subject.report(PeerMotion(12.0))
    raw = RawCommand(subject.now, throttle, brake)
    encoded = subject.platform.encode(command(0.0)._replace(raw=raw), subject.now)
    expected = load_pedal_map("ioniq5_awd").effort(throttle / 1000.0, brake / 1000.0, 12.0)
    assert encoded.effort_mps2 == pytest.approx(expected)


@pytest.mark.parametrize("hand_brake", [False, True])
@pytest.mark.parametrize("gear", Gear)
def test_gears_on_the_wire(gear: Gear, hand_brake: bool) -> None:
    """[VI-1.1.4 on vds1] PARK is neutral with the hand brake set."""
    subject = Subject(SPEC)
    subject.report()
    wire = sent(subject, command(-2.0, 0.0, BodyCommand(gear, hand_brake=hand_brake)))
    expected = {Gear.DRIVE: 1, Gear.LOW: 1, Gear.REVERSE: -1, Gear.PARK: 0, Gear.NEUTRAL: 0}
    assert wire.gear == expected[gear]
    assert wire.handbrake is (hand_brake or gear is Gear.PARK)


def test_a_car_that_is_already_moving_is_in_gear() -> None:
    for speed, gear in ((5.0, Gear.DRIVE), (-5.0, Gear.REVERSE), (0.05, Gear.PARK)):
        assert Subject(SPEC).report(PeerMotion(speed)).body.gear is gear


def test_auxiliary_targets_are_sent_while_fresh() -> None:
    """[VI-2.2 on vds1]"""
    subject = Subject(SPEC)
    subject.report()
    assert math.isnan(sent(subject, command()).aux_accel_target_mps2)
    values = (("aux_accel_target_mps2", 1.5), ("aux_speed_target_mps", 9.0))
    subject.platform.auxiliary(AuxiliaryCommand(subject.now, values), subject.now)
    wire = sent(subject, command())
    assert (wire.aux_accel_target_mps2, wire.aux_speed_target_mps) == (1.5, 9.0)
    subject.now += 0.3
    subject.platform.auxiliary(AuxiliaryCommand(subject.now, values[:1]), subject.now)
    subject.now += 0.3
    wire = sent(subject, command())
    assert wire.aux_accel_target_mps2 == 1.5
    assert math.isnan(wire.aux_speed_target_mps), "each ages by itself"


def test_auxiliary_targets_are_blocked_with_every_other_command() -> None:
    """[VI-5.1 on vds1]"""
    subject = Subject(SPEC)
    subject.report()
    values = (("aux_accel_target_mps2", 1.5),)
    subject.platform.auxiliary(AuxiliaryCommand(subject.now, values), subject.now)
    for authority in (Authority.COMMAND, Authority.IDLE):
        given = command()._replace(authority=authority)
        passes = not math.isnan(sent(subject, given).aux_accel_target_mps2)
        assert passes is (authority is Authority.COMMAND)


def test_a_car_that_has_not_reported_is_braked_but_neither_parked_nor_in_gear() -> None:
    """It may be rolling fast: an interface that was restarted knows nothing of it."""
    platform = Vds1Platform(Vds1Parameters(), PlatformSetup(VehicleGeometry(), 0.01))
    safety = SafetyParameters(rig="driverless")
    pipeline = Pipeline(InterfaceParameters(safety=safety), platform, SPEC.capabilities)
    assert pipeline.tick(100.0).datagrams == (), "the first packet waits for a report"
    for tick_n in range(3):
        (datagram,) = pipeline.tick(100.3 + 0.01 * tick_n).datagrams
        packet = vds1.decode(datagram.data)
        assert isinstance(packet, vds1.Packet)
        assert (packet.body.gear, packet.body.handbrake) == (0, False)
        assert packet.body.throttle == 0.0
        assert packet.body.brake > 0.0
    subject = Subject(SPEC)
    assert subject.report(PeerMotion(0.0)).body.gear is Gear.PARK


def test_sensor_readings_are_passed_on() -> None:
    """[VI-2.1 on vds1] IMU, GNSS, single wheels, and the whole packet."""
    subject = Subject(SPEC)
    report = subject.report(PeerMotion(3.0, 0.1, 0.7, 5.0, 6.0, 0.3))
    assert report.sensors.accel_x_mps2 == 0.7
    assert (report.sensors.gnss_x_m, report.sensors.gnss_y_m) == (5.0, 6.0)
    assert report.sensors.wheel_spin_radps == (3.0 / report.sensors.wheel_radius_m,) * 4
    assert isinstance(report.details, vds1.Packet)
    assert report.details.body.wheel_radius_nominal_m == 0.338


def test_strangers_are_rejected() -> None:
    subject = Subject(SPEC)
    assert subject.peer is not None
    ((datagram, _),) = subject.peer.report(PeerMotion(1.0), 1.0)
    received = subject.platform.receive(datagram.data, ("10.0.0.9", 7001), "vds1", 1.0)
    assert received.report is None
    assert received.notices[0].kind == "link_reject"
    assert "10.0.0.9:7001" in received.notices[0].text
    assert subject.platform.link_statistics(1.0)["rejected_source"] == 1.0


def test_link_statistics() -> None:
    subject = Subject(SPEC)
    for _ in range(50):
        subject.report(PeerMotion(1.0))
        subject.platform.encode(command(), subject.now)
    statistics = subject.platform.link_statistics(subject.now)
    assert statistics["accepted"] == 50.0
    assert statistics["sent_rate_hz"] == 50.0
    assert statistics["rate_hz"] == pytest.approx(100.0)
    assert statistics["lost"] == 0.0
    assert statistics["age_s"] == 0.0


def test_fuel_goes_down_with_the_distance() -> None:
    setup = PlatformSetup(VehicleGeometry(), 0.01)
    parameters = from_flat(Vds1Parameters, {"vds1.range_km": 1.0})
    platform = Vds1Platform(parameters, setup)
    subject = Subject(SPEC)
    subject.platform = platform
    first = subject.report(PeerMotion(20.0)).body.fuel_percent
    for _ in range(1000):
        last = subject.report(PeerMotion(20.0)).body.fuel_percent
    assert first == 100.0
    assert last == pytest.approx(80.0, abs=0.1)
    assert "fuel_percent" in subject.report(PeerMotion(20.0)).body.modelled


@pytest.mark.parametrize("version", vds1.VERSIONS)
def test_fuel_starts_where_it_is_known_to_start(version: int) -> None:
    """No version of the wire carries it, so it stays marked as modelled."""
    changed = {"vds1.range_km": 1.0, "vds1.initial_fuel_percent": 40.0}
    platform = Vds1Platform(
        from_flat(Vds1Parameters, changed), PlatformSetup(VehicleGeometry(), 0.01)
    )
    sender = vds1.Sender(version)
    for now in (1.0, 1.5, 2.0):
        state = state_at(20.0)
        received = platform.receive(sender.state(state, now), ("127.0.0.1", 7001), "vds1", now)
        assert received.report is not None
        body = received.report.body
        assert body.fuel_percent == pytest.approx(40.0 - 2.0 * (now - 1.0))
        assert "fuel_percent" in body.modelled


def test_an_unknown_pedal_map_is_named() -> None:
    setup = PlatformSetup(VehicleGeometry(), 0.01)
    with pytest.raises(PedalMapError, match="pedal_map=nosuch: must be"):
        Vds1Platform(replace(Vds1Parameters(), pedal_map="nosuch"), setup)


def test_several_vehicles_of_one_server() -> None:
    setup = PlatformSetup(VehicleGeometry(), 0.01)
    platform = Vds1Platform(Vds1Parameters(version=4, vehicle_id=3), setup)
    (datagram,) = platform.encode(command(), 0.0).datagrams
    packet = vds1.decode(datagram.data)
    assert isinstance(packet, vds1.Packet)
    assert (packet.header.version, packet.header.vehicle_id) == (4, 3)


@pytest.mark.parametrize(("vehicles", "vehicle_id"), [(2, 1), (3, 0), (5, 4)])
def test_a_server_that_sends_every_vehicle_to_everyone_shows_no_loss(
    vehicles: int, vehicle_id: int
) -> None:
    setup = PlatformSetup(VehicleGeometry(), 0.01)
    platform = Vds1Platform(Vds1Parameters(version=5, vehicle_id=vehicle_id), setup)
    server = OneVersionServer(5, vehicles, answers_all=True)
    for n in range(100):
        now = 0.005 * n
        for datagram in server.step(now, 0.005):
            received = platform.receive(datagram, ADDRESS, "vds1", now)
            assert received.notices == ()
    link = platform.link_statistics(0.5)
    assert (link["accepted"], link["lost"], link["loss_ratio"]) == (100.0, 0.0, 0.0)
    assert link["other_vehicles"] == 100.0 * (vehicles - 1)
    assert sum(count for name, count in link.items() if name.startswith("rejected_")) == 0.0


@pytest.mark.parametrize(
    ("pinned", "first_port", "later_port", "later_s", "is_accepted"),
    [
        (0, 5000, 5000, 0.01, True),
        (0, 5000, 5001, 0.01, False),
        (0, 5000, 5001, 0.099, False),  # the first one's port is held while it is fresh
        (0, 5000, 5001, 0.1, True),
        (7001, 7001, 5001, 9.0, False),
        (5001, 5001, 5001, 9.0, True),
    ],
)
def test_state_comes_from_one_port(
    pinned: int, first_port: int, later_port: int, later_s: float, is_accepted: bool
) -> None:
    setup = PlatformSetup(VehicleGeometry(), 0.01)
    platform = Vds1Platform(Vds1Parameters(plant_state_port=pinned), setup)
    datagrams = [encode(STATE, seq, float(seq)) for seq in (100, 101)]
    assert platform.receive(datagrams[0], ("127.0.0.1", first_port), "vds1", 0.0).report
    received = platform.receive(datagrams[1], ("127.0.0.1", later_port), "vds1", later_s)
    assert (received.report is not None) is is_accepted


def test_a_pinned_port_needs_the_host() -> None:
    with pytest.raises(ParameterError, match="plant_state_port=7001: must be 0 unless"):
        Vds1Parameters(plant_state_port=7001, only_from_plant=False)
