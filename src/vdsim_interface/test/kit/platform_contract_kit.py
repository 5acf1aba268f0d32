"""The contract of every platform: run `CHECKS` on a spec and, if it has a wire, its peer."""

import importlib
import itertools
import math
import random
from collections.abc import Callable
from dataclasses import fields, replace

from vdsim_interface.parameters import VehicleGeometry, declarations
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.spec import LINK_NAMES, Platform, PlatformSetup, PlatformSpec
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.testing.peer import Peer, PeerMotion
from vdsim_interface.values import (
    Authority,
    AuxiliaryCommand,
    Blinker,
    BodyCommand,
    BodyState,
    Gear,
    Headlight,
    HighLevelCommand,
    Mode,
    PlatformCommand,
    RawCommand,
    VehicleCommand,
    VehicleReport,
    Wiper,
)

SETUP = PlatformSetup(VehicleGeometry(), 0.01)
EXTREMES = (0.0, 0.55, -0.55, 3.0, -6.0, 1e-30)
STANDING = PeerMotion(0.0)
IN_DRIVE = BodyCommand(Gear.DRIVE)
LIT = BodyCommand(Gear.DRIVE, Blinker.LEFT, Headlight.HIGH, Wiper.LOW, False, True)


class Subject:
    """A platform under test, with its peer when it has a wire."""

    def __init__(self, spec: PlatformSpec) -> None:
        self.spec = spec
        self.platform: Platform = spec.create(spec.parameters(), SETUP)
        self.peer: Peer | None = None
        self.now = 10.0
        if self.platform.endpoints():
            package = spec.create.__module__.rpartition(".")[0]
            self.peer = importlib.import_module(f"{package}.contract_peer").Peer()

    def report(self, motion: PeerMotion = STANDING) -> VehicleReport:
        """Make the vehicle report; one without a wire reports what it does."""
        self.now += 0.01
        if self.peer is None:
            (report,) = self.platform.poll(self.now)
            return report
        found: VehicleReport | None = None
        for datagram, source in self.peer.say(motion, self.now):
            received = self.platform.receive(datagram.data, source, datagram.endpoint, self.now)
            found = received.report or found
        assert found is not None, f"{self.spec.name}: its peer's report was not understood"
        return found


def command(
    accel: float = 0.0,
    front: float = 0.0,
    body: BodyCommand = IN_DRIVE,
    authority: Authority = Authority.COMMAND,
    raw: RawCommand | None = None,
) -> PlatformCommand:
    """A command as the safety stage gives it."""
    mode = Mode.AUTONOMOUS if authority is Authority.COMMAND else Mode.MANUAL
    return PlatformCommand(authority, mode, VehicleCommand(0.0, accel, front, 0.0), body, raw)


def describes_itself(spec: PlatformSpec) -> None:
    """Name, text, parameters, capabilities and gear map are complete."""
    assert spec.name.isidentifier()
    assert spec.doc
    assert set(spec.gears) == set(Gear), "the gear map must be total"
    body = {field.name for field in fields(BodyCommand)}
    assert spec.capabilities.commands <= body
    assert spec.capabilities.reports <= {field.name for field in fields(BodyState)}
    for item in declarations(spec.parameters()):
        assert item.name.startswith(f"{spec.parameters.PREFIX}.")
        assert item.doc


def names_its_endpoints(spec: PlatformSpec) -> None:
    """Sockets have names of their own; what is sent goes to one that sends."""
    subject = Subject(spec)
    endpoints = {item.name: item for item in subject.platform.endpoints()}
    assert len(endpoints) == len(subject.platform.endpoints())
    subject.report()
    for datagram in subject.platform.encode(command(), subject.now).datagrams:
        assert endpoints[datagram.endpoint].send_to
        assert 0 < len(datagram.data) <= 65507


def encodes_whatever_safety_gives(spec: PlatformSpec) -> None:
    """[VI-1.1.4] Every gear, authority and extreme value; packets are numbered one by one."""
    subject = Subject(spec)
    subject.report()
    before: int | None = None
    for gear, authority, value in itertools.product(Gear, Authority, EXTREMES):
        body = replace(LIT, gear=gear, hand_brake=value < 0.0)
        given = command(value, max(min(value, 0.55), -0.55), body, authority)
        subject.now += 0.01
        encoded = subject.platform.encode(given, subject.now)
        if authority is Authority.SILENT:
            assert encoded.datagrams == (), "SILENT sends nothing"
            continue
        assert encoded.wire is not None
        assert math.isfinite(encoded.wire.front_wheel_angle_rad)
        if encoded.sequence is not None:
            assert before is None or encoded.sequence == before + 1
            before = encoded.sequence


def reports_what_the_vehicle_says(spec: PlatformSpec) -> None:
    """[VI-1.2.1] [VI-1.2.2] Velocity, wheel angle and pose arrive, stamped with the receipt."""
    subject = Subject(spec)
    motion = PeerMotion(7.5, 0.12, 0.5, 3.0, -4.0, 0.7)
    report = subject.report(motion)
    assert report.stamp_s == subject.now
    assert report.odometry().is_finite()
    assert spec.capabilities.driver_activity or not report.driver.active_controls()
    if subject.peer is not None:
        got = (report.velocity_mps, report.front_wheel_angle_rad, report.x_m, report.y_m)
        for a, b in zip((*got, report.yaw_rad), (7.5, 0.12, 3.0, -4.0, 0.7), strict=True):
            assert abs(a - b) < 1e-3, (got, motion)
        assert abs(report.applied.front_wheel_angle_rad - 0.12) < 1e-3


def holds_what_the_wire_does_not_carry(spec: PlatformSpec) -> None:
    """[VI-1.2.4] [VI-1.2.5] [VI-1.2.7] [VI-1.2.8] Lamps, horn, wipers: echoed, marked as such."""
    subject = Subject(spec)
    subject.report()
    subject.platform.encode(command(body=LIT), subject.now)
    state = subject.report().body
    assert state.modelled.isdisjoint(spec.capabilities.reports)
    for name in ("gear", "blinker", "headlight", "wiper", "hand_brake", "horn"):
        assert name in state.modelled or name in spec.capabilities.reports
        if name in state.modelled:
            assert getattr(state, name) == getattr(LIT, name), name
    assert 0.0 <= state.fuel_percent <= 100.0


def steers_pushes_and_brakes_in_the_right_sense(spec: PlatformSpec) -> None:
    """[VI-1.1.1] [VI-1.1.2] [VI-1.1.3] Left is left, throttle follows the gear."""
    subject = Subject(spec)
    if subject.peer is None:
        return moves_in_the_right_sense(subject)
    cases = [
        (Gear.DRIVE, 5.0, 1.5, 1, False),
        (Gear.DRIVE, 5.0, -2.0, 0, True),
        (Gear.LOW, 5.0, 1.5, 1, False),
        (Gear.REVERSE, -3.0, -1.5, -1, False),
        (Gear.REVERSE, -3.0, 2.0, 0, True),
        (Gear.DRIVE, 0.0, -2.0, 0, True),
    ]
    for gear, speed, accel, push, brakes in cases:
        subject.report(PeerMotion(speed))
        body = BodyCommand(gear)
        encoded = subject.platform.encode(command(accel, 0.2, body), subject.now)
        heard = subject.peer.hear(encoded.datagrams, subject.now)
        assert heard is not None
        assert abs(heard.front_wheel_angle_rad - 0.2) < 1e-3
        assert (heard.push, heard.brakes) == (push, brakes), (gear, speed, accel)
    subject.report(PeerMotion(0.0))
    parked = subject.platform.encode(command(-2.0, 0.0, BodyCommand(Gear.PARK)), subject.now)
    heard = subject.peer.hear(parked.datagrams, subject.now)
    assert heard is not None
    assert heard.push == 0
    assert heard.hand_brake or heard.brakes
    return None


def moves_in_the_right_sense(subject: Subject) -> None:
    """The same for a vehicle in this process: by what it does."""
    for gear, accel, front in ((Gear.DRIVE, 1.0, 0.2), (Gear.REVERSE, -1.0, 0.2)):
        body = BodyCommand(gear)
        for _ in range(300):
            report = subject.report()
            subject.platform.encode(command(accel, front, body), subject.now)
        assert report.velocity_mps * accel > 0.0
        assert abs(report.front_wheel_angle_rad - front) < 1e-2
        assert report.yaw_rate_radps * accel > 0.0, "positive angles turn left when driving forward"
        for _ in range(600):
            report = subject.report()
            subject.platform.encode(command(-2.0 * accel, 0.0, body), subject.now)
        assert report.velocity_mps == 0.0, "the brake stops, it does not push"


def takes_raw_commands(spec: PlatformSpec) -> None:
    """[VI-1.1.1] Raw units reach the pedals; values far out of range are kept in it."""
    subject = Subject(spec)
    subject.report()
    full = RawCommand(0.0, 4294967295, 0, 2147483647, -2147483648)
    encoded = subject.platform.encode(command(raw=full), subject.now)
    wire = encoded.wire
    assert wire is not None
    assert wire.throttle == 1.0
    assert wire.brake == 0.0
    assert wire.front_wheel_angle_rad <= SETUP.geometry.front_wheel_angle_max_rad
    none = subject.platform.encode(command(raw=RawCommand(0.0)), subject.now).wire
    assert none is not None
    assert (none.throttle, none.brake, none.front_wheel_angle_rad) == (0.0, 0.0, 0.0)


def says_what_it_cuts_of_a_raw_command(spec: PlatformSpec) -> None:
    """A pedal beyond its end, a wheel angle beyond the car's: a change with a reason."""
    subject = Subject(spec)
    subject.report()

    def cut(raw: RawCommand) -> dict[str, float]:
        changes = subject.platform.encode(command(raw=raw), subject.now).changes
        assert all(change.kind == "platform_limit" for change in changes)
        assert all(abs(change.before) > abs(change.after) for change in changes)
        return {change.channel: change.after for change in changes}

    most = 2**31 - 1
    assert cut(RawCommand(0.0)) == {}
    assert cut(RawCommand(0.0, throttle=most)) == {"throttle": 1.0}
    assert cut(RawCommand(0.0, brake=most)) == {"brake": 1.0}
    left = cut(RawCommand(0.0, front_steer=most))
    assert list(left) == ["front_wheel_angle_rad"]
    right = cut(RawCommand(0.0, front_steer=-most))
    assert right == {name: -angle_rad for name, angle_rad in left.items()}


def survives_any_datagram(spec: PlatformSpec) -> None:
    """What a wire can bring never raises; every drop has a reason; nothing bad gets through."""
    subject = Subject(spec)
    chance = random.Random(7)
    good: list[bytes] = []
    endpoint = "none"
    if subject.peer is not None:
        spoken = subject.peer.say(PeerMotion(3.0), subject.now)
        good = [datagram.data for datagram, _ in spoken]
        endpoint = spoken[0][0].endpoint
    samples = [b"", b"\x00", *(chance.randbytes(n) for n in (1, 24, 76, 123, 220, 436, 452, 1500))]
    for data in good:
        for _ in range(300):
            broken = bytearray(data)
            broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
            samples.append(bytes(broken[: chance.randrange(1, len(broken) + 1)]))
    for sample in samples:
        received = subject.platform.receive(sample, ("127.0.0.1", 7001), endpoint, subject.now)
        if received.report is None:
            assert received.notices, "a dropped datagram needs a reason"
            assert all(report.text for report in received.notices)
    assert subject.report(PeerMotion(1.0)).odometry().is_finite()


def answers_auxiliary_controls(spec: PlatformSpec) -> None:
    """[VI-2.2] Known names are taken, others are refused by name."""
    subject = Subject(spec)
    subject.report()
    for name in spec.capabilities.auxiliary:
        assert subject.platform.auxiliary(AuxiliaryCommand(0.0, ((name, 1.0),)), 0.0) == ()
        (bad,) = subject.platform.auxiliary(AuxiliaryCommand(0.0, ((name, math.nan),)), 0.0)
        assert name in bad.text
    (unknown,) = subject.platform.auxiliary(AuxiliaryCommand(0.0, (("no_such", 1.0),)), 0.0)
    assert "no_such" in unknown.text


def names_its_link_statistics(spec: PlatformSpec) -> None:
    """Names that the shell knows; none without a wire."""
    subject = Subject(spec)
    subject.report()
    names = set(subject.platform.link_statistics(subject.now))
    assert bool(names) is (subject.peer is not None)
    assert {name for name in names if not name.startswith("rejected_")} <= LINK_NAMES


def counts_what_was_sent_by_the_time_of_now(spec: PlatformSpec) -> None:
    """The rate of sending is that of the last second, also after time jumped back."""
    subject = Subject(spec)
    for number in range(50):
        subject.platform.encode(command(), 1000.0 + 0.01 * number)
    if "sent_rate_hz" in subject.platform.link_statistics(1000.5):
        assert subject.platform.link_statistics(1000.5)["sent_rate_hz"] == 50.0
        assert subject.platform.link_statistics(1002.0)["sent_rate_hz"] == 0.0
        subject.platform.encode(command(), 5.0)
        assert subject.platform.link_statistics(5.0)["sent_rate_hz"] == 1.0


def engages_in_the_pipeline(spec: PlatformSpec) -> None:
    """[VI-4.3] The whole pipeline engages on this platform and lets its commands through."""
    subject = Subject(spec)
    parameters = InterfaceParameters(safety=SafetyParameters(auto_engage=True))
    pipeline = Pipeline(parameters, subject.platform, spec.capabilities)
    for _ in range(100):
        subject.now += 0.01
        if subject.peer is not None:
            for datagram, source in subject.peer.say(PeerMotion(0.0), subject.now):
                pipeline.on_datagram(datagram.data, source, datagram.endpoint, subject.now)
        pipeline.on_command(HighLevelCommand(subject.now, 2.0, 0.0), subject.now)
        output = pipeline.tick(subject.now)
        if subject.peer is not None:
            subject.peer.hear(output.datagrams, subject.now)
    assert output.mode is Mode.AUTONOMOUS
    assert output.trace.body.gear is Gear.DRIVE
    assert output.trace.safe.long_accel_mps2 > 0.0
    assert output.vehicle is not None


def steers_its_rear_wheels_or_says_that_it_cannot(spec: PlatformSpec) -> None:
    """[VI-1.1.3] A rear wheel angle is reported back, or named as what the platform cannot do."""
    subject = Subject(spec)
    geometry = VehicleGeometry(rear_wheel_angle_max_rad=0.2)
    subject.platform = spec.create(spec.parameters(), PlatformSetup(geometry, 0.01))
    parameters = InterfaceParameters(
        control_command="vehicle", vehicle=geometry, safety=SafetyParameters(auto_engage=True)
    )
    pipeline = Pipeline(parameters, subject.platform, spec.capabilities)
    for _ in range(150):
        subject.now += 0.01
        if subject.peer is not None:
            for datagram, source in subject.peer.say(PeerMotion(0.0), subject.now):
                pipeline.on_datagram(datagram.data, source, datagram.endpoint, subject.now)
        pipeline.on_command(VehicleCommand(subject.now, 0.0, 0.0, 0.1), subject.now)
        output = pipeline.tick(subject.now)
    named = "no_rear_steering" in {change.kind for change in output.trace.changes}
    assert named is not spec.capabilities.rear_steering
    if subject.peer is None and spec.capabilities.rear_steering:
        assert output.vehicle is not None
        assert abs(output.vehicle.rear_wheel_angle_rad - 0.1) < 1e-2


CHECKS: tuple[Callable[[PlatformSpec], None], ...] = (
    describes_itself,
    names_its_endpoints,
    encodes_whatever_safety_gives,
    reports_what_the_vehicle_says,
    holds_what_the_wire_does_not_carry,
    steers_pushes_and_brakes_in_the_right_sense,
    takes_raw_commands,
    says_what_it_cuts_of_a_raw_command,
    survives_any_datagram,
    answers_auxiliary_controls,
    names_its_link_statistics,
    counts_what_was_sent_by_the_time_of_now,
    engages_in_the_pipeline,
    steers_its_rear_wheels_or_says_that_it_cannot,
)
