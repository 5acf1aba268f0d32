"""The contract of every platform, as checks on its spec and, if it has a wire, its peer.

Each check is one promise, stated in the first line of its docstring. A check that fails raises
ContractError with what was expected and what happened. `check_platform` runs them all;
`vdsim_platform check` does so from a command line, and a pytest of your own can parametrise
`CHECKS`.
"""

import importlib
import itertools
import math
import random
from collections.abc import Callable
from dataclasses import fields, replace

from vdsim_interface.parameters import VehicleGeometry, declarations
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.peer import Peer, PeerMotion, ReceivedCommand
from vdsim_interface.platforms.spec import (
    LINK_NAMES,
    SIGNALS,
    Encoded,
    Platform,
    PlatformSetup,
    PlatformSpec,
)
from vdsim_interface.safety import SafetyParameters
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
    WireCommand,
)

SETUP = PlatformSetup(VehicleGeometry(), 0.01)
EXTREMES = (0.0, 0.55, -0.55, 3.0, -6.0, 1e-30)
STANDING = PeerMotion(0.0)
IN_DRIVE = BodyCommand(Gear.DRIVE)
LIT = BodyCommand(Gear.DRIVE, Blinker.LEFT, Headlight.HIGH, Wiper.LOW, False, True)


class ContractError(AssertionError):
    """A platform breaks a promise; the text states what was expected and what happened."""


def require(holds: bool, expected: str, *found: object) -> None:
    """Raise ContractError unless the promise holds; `found` is what was seen instead."""
    if not holds:
        seen = f"; found: {', '.join(str(item) for item in found)}" if found else ""
        raise ContractError(f"{expected}{seen}")


class Subject:
    """A platform under test, with its peer when it has a wire."""

    def __init__(self, spec: PlatformSpec) -> None:
        self.spec = spec
        self.platform: Platform = spec.create(spec.parameters(), SETUP)
        self.peer: Peer | None = None
        self.now = 10.0
        if self.platform.endpoints():
            package = spec.create.__module__.rpartition(".")[0]
            try:
                self.peer = importlib.import_module(f"{package}.contract_peer").Peer()
            except ModuleNotFoundError as error:
                why = (
                    f"{spec.name}: a platform with a wire needs contract_peer.py with a class Peer"
                )
                raise ContractError(f"{why} ({error})") from error

    def report(self, motion: PeerMotion = STANDING) -> VehicleReport:
        """Return one vehicle report; a platform without a wire is polled for it."""
        self.now += 0.01
        if self.peer is None:
            (report,) = self.platform.poll(self.now)
            return report
        found: VehicleReport | None = None
        for datagram, source in self.peer.report(motion, self.now):
            received = self.platform.receive(datagram.data, source, datagram.endpoint, self.now)
            found = received.report or found
        if found is None:
            raise ContractError("the platform must decode the report of its contract_peer")
        return found


def command(
    accel: float = 0.0,
    front: float = 0.0,
    body: BodyCommand = IN_DRIVE,
    authority: Authority = Authority.COMMAND,
    raw: RawCommand | None = None,
) -> PlatformCommand:
    """A command as the safety stage sends it."""
    mode = Mode.AUTONOMOUS if authority is Authority.COMMAND else Mode.MANUAL
    return PlatformCommand(authority, mode, VehicleCommand(0.0, accel, front, 0.0), body, raw)


def describes_itself(spec: PlatformSpec) -> None:
    """Name, text, parameters, capabilities and gear map are complete."""
    require(spec.name.isidentifier(), "the name must be an identifier", spec.name)
    require(bool(spec.doc), "the spec needs a text `doc`")
    missing = ", ".join(gear.name for gear in Gear if gear not in spec.gears)
    require(not missing, "the gear map must hold every Gear", f"no {missing}")
    body = {field.name for field in fields(BodyCommand)}
    state = {field.name for field in fields(BodyState)}
    unknown = (spec.capabilities.commands - body) | (spec.capabilities.reports - state)
    require(not unknown, "capabilities must name fields of BodyCommand and BodyState", *unknown)
    unknown = spec.capabilities.signals - SIGNALS
    require(not unknown, f"signals must be of {', '.join(sorted(SIGNALS))}", *unknown)
    for item in declarations(spec.parameters()):
        prefix = f"{spec.parameters.PREFIX}."
        require(item.name.startswith(prefix), f"parameters must begin with {prefix}", item.name)
        require(bool(item.doc), "every parameter needs a description", item.name)


def names_its_endpoints(spec: PlatformSpec) -> None:
    """Endpoint names differ; every datagram goes to an endpoint that sends."""
    subject = Subject(spec)
    endpoints = {item.name: item for item in subject.platform.endpoints()}
    require(len(endpoints) == len(subject.platform.endpoints()), "endpoint names must differ")
    subject.report()
    for datagram in subject.platform.encode(command(), subject.now).datagrams:
        require(
            bool(endpoints[datagram.endpoint].send_to),
            "a datagram must name an endpoint that sends",
            datagram.endpoint,
        )
        size = len(datagram.data)
        require(0 < size <= 65507, "a datagram must fit into UDP", f"{size} bytes")


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
            require(encoded.datagrams == (), "authority SILENT must send nothing")
            continue
        angle_rad = _wire(encoded).front_wheel_angle_rad
        require(math.isfinite(angle_rad), "the wheel angle on the wire must be finite", angle_rad)
        if encoded.sequence is not None:
            counts_up = before is None or encoded.sequence == before + 1
            require(counts_up, "packets must be numbered one by one", before, encoded.sequence)
            before = encoded.sequence


def reports_what_the_vehicle_measures(spec: PlatformSpec) -> None:
    """[VI-1.2.1] [VI-1.2.2] Velocity, wheel angle and pose arrive, stamped with the receipt."""
    subject = Subject(spec)
    motion = PeerMotion(7.5, 0.12, 0.5, 3.0, -4.0, 0.7)
    report = subject.report(motion)
    require(
        report.stamp_s == subject.now,
        f"a report must be stamped with its time of receipt, {subject.now:g} s",
        report.stamp_s,
    )
    require(report.odometry().is_finite(), "odometry must be finite", report.odometry())
    active = report.driver.active_controls()
    require(
        spec.capabilities.driver_activity or not active,
        "without the capability driver_activity no report may name the driver",
        *active,
    )
    if subject.peer is not None:
        _near("velocity [m/s]", report.velocity_mps, 7.5)
        _near("front wheel angle [rad]", report.front_wheel_angle_rad, 0.12)
        _near("x [m]", report.x_m, 3.0)
        _near("y [m]", report.y_m, -4.0)
        _near("yaw [rad]", report.yaw_rad, 0.7)
        _near("applied front wheel angle [rad]", report.applied.front_wheel_angle_rad, 0.12)


def holds_what_the_wire_does_not_carry(spec: PlatformSpec) -> None:
    """[VI-1.2.4] [VI-1.2.5] [VI-1.2.7] [VI-1.2.8] Lamps, horn, wipers: echoed, marked as such."""
    subject = Subject(spec)
    subject.report()
    subject.platform.encode(command(body=LIT), subject.now)
    state = subject.report().body
    both = state.modelled & spec.capabilities.reports
    require(not both, "a field that the wire reports must not be marked as modelled", *both)
    for name in ("gear", "blinker", "headlight", "wiper", "hand_brake", "horn"):
        covered = name in state.modelled or name in spec.capabilities.reports
        require(covered, "a field that the wire does not report must be marked as modelled", name)
        if name in state.modelled:
            commanded, echoed = getattr(LIT, name), getattr(state, name)
            require(
                echoed == commanded, f"a modelled {name} must echo the command {commanded}", echoed
            )
    fuel = state.fuel_percent
    require(0.0 <= fuel <= 100.0, "fuel must be within 0 to 100 %", fuel)


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
        decoded = _decoded(subject.peer.receive(encoded.datagrams, subject.now))
        _near("left must be left: front wheel angle [rad]", decoded.front_wheel_angle_rad, 0.2)
        shown = _wire(encoded).front_wheel_angle_rad
        _near("Encoded.wire must show the angle that is sent [rad]", shown, 0.2)
        require(not decoded.hand_brake, f"in {gear.name} no hand brake may be set unasked")
        require(
            (decoded.push, decoded.brakes) == (push, brakes),
            f"{accel:g} m/s2 in {gear.name} at {speed:g} m/s must be push {push:+d}, "
            f"brakes {brakes}",
            f"push {decoded.push:+d}, brakes {decoded.brakes}",
        )
    subject.report(PeerMotion(0.0))
    parked = subject.platform.encode(command(-2.0, 0.0, BodyCommand(Gear.PARK)), subject.now)
    decoded = _decoded(subject.peer.receive(parked.datagrams, subject.now))
    require(decoded.push == 0, "in PARK nothing may push", f"push {decoded.push:+d}")
    require(decoded.hand_brake or decoded.brakes, "in PARK the car must be held by a brake")
    return None


def moves_in_the_right_sense(subject: Subject) -> None:
    """Check the same on a vehicle in this process, by its motion."""
    for gear, accel, front in ((Gear.DRIVE, 1.0, 0.2), (Gear.REVERSE, -1.0, 0.2)):
        body = BodyCommand(gear)
        for _ in range(300):
            report = subject.report()
            subject.platform.encode(command(accel, front, body), subject.now)
        speed = report.velocity_mps
        require(speed * accel > 0.0, f"{accel:g} m/s2 in {gear.name} must drive that way", speed)
        _near("front wheel angle [rad]", report.front_wheel_angle_rad, front, 1e-2)
        require(
            report.yaw_rate_radps * accel > 0.0,
            "a positive wheel angle must turn left when driving forward",
            f"yaw rate {report.yaw_rate_radps:g} rad/s",
        )
        for _ in range(600):
            report = subject.report()
            subject.platform.encode(command(-2.0 * accel, 0.0, body), subject.now)
        stopped = report.velocity_mps == 0.0
        require(stopped, "the brake must stop the car, not push it", report.velocity_mps)


def takes_raw_commands(spec: PlatformSpec) -> None:
    """[VI-1.1.1] Raw units reach the pedals; values far out of range are clipped."""
    subject = Subject(spec)
    subject.report()
    full = RawCommand(0.0, 4294967295, 0, 2147483647, -2147483648)
    encoded = subject.platform.encode(command(raw=full), subject.now)
    wire = _wire(encoded)
    pedals = (wire.throttle, wire.brake)
    require(pedals == (1.0, 0.0), "a full raw throttle must be throttle 1, brake 0", *pedals)
    most_rad = SETUP.geometry.front_wheel_angle_max_rad
    angle_rad = wire.front_wheel_angle_rad
    require(angle_rad <= most_rad, f"raw steering must stay within {most_rad:g} rad", angle_rad)
    none = _wire(subject.platform.encode(command(raw=RawCommand(0.0)), subject.now))
    zeros = (none.throttle, none.brake, none.front_wheel_angle_rad)
    require(zeros == (0.0, 0.0, 0.0), "a raw command of zeros must be zeros on the wire", *zeros)


def sends_raw_commands_in_the_right_sense(spec: PlatformSpec) -> None:
    """[VI-1.1.1] [VI-1.1.2] [VI-1.1.3] Raw pedals and steering arrive, and left is left."""
    subject = Subject(spec)
    if subject.peer is None:
        return
    subject.report()
    for raw, push, brakes in (
        (RawCommand(0.0, throttle=500, front_steer=100), 1, False),
        (RawCommand(0.0, brake=500, front_steer=-100), 0, True),
    ):
        encoded = subject.platform.encode(command(raw=raw), subject.now)
        decoded = _decoded(subject.peer.receive(encoded.datagrams, subject.now))
        angle_rad = decoded.front_wheel_angle_rad
        same_side = angle_rad * raw.front_steer > 0.0
        require(same_side, f"raw front_steer {raw.front_steer} must turn that way", angle_rad)
        require(
            (decoded.push, decoded.brakes) == (push, brakes),
            f"raw throttle {raw.throttle}, brake {raw.brake} in DRIVE must be push {push:+d}, "
            f"brakes {brakes}",
            f"push {decoded.push:+d}, brakes {decoded.brakes}",
        )


def names_what_it_limits_of_a_raw_command(spec: PlatformSpec) -> None:
    """A clipped pedal or wheel angle is a change with a reason."""
    subject = Subject(spec)
    subject.report()

    def cut(raw: RawCommand) -> dict[str, float]:
        changes = subject.platform.encode(command(raw=raw), subject.now).changes
        for change in changes:
            limits = change.kind == "platform_limit" and abs(change.before) > abs(change.after)
            require(limits, "a change must be a platform_limit that lowers the value", change)
        return {change.channel: change.after for change in changes}

    most = 2**31 - 1
    expect = "an exceeded raw value must be named with the value that is used: "
    for raw, named in (
        (RawCommand(0.0), {}),
        (RawCommand(0.0, throttle=most), {"throttle": 1.0}),
        (RawCommand(0.0, brake=most), {"brake": 1.0}),
    ):
        found = cut(raw)
        require(found == named, f"{expect}{named}", found)
    left = cut(RawCommand(0.0, front_steer=most))
    require(list(left) == ["front_wheel_angle_rad"], f"{expect}front_wheel_angle_rad", left)
    right = cut(RawCommand(0.0, front_steer=-most))
    mirrored = {name: -angle_rad for name, angle_rad in left.items()}
    require(right == mirrored, f"right must be limited as left: {mirrored}", right)


def survives_any_datagram(spec: PlatformSpec) -> None:
    """No datagram raises an exception; every drop has a reason; no bad value is accepted."""
    subject = Subject(spec)
    chance = random.Random(7)
    good: list[bytes] = []
    endpoint = "none"
    if subject.peer is not None:
        reports = subject.peer.report(PeerMotion(3.0), subject.now)
        good = [datagram.data for datagram, _ in reports]
        endpoint = reports[0][0].endpoint
    samples = [b"", b"\x00", *(chance.randbytes(n) for n in (1, 24, 76, 123, 220, 436, 452, 1500))]
    for data in good:
        for _ in range(300):
            broken = bytearray(data)
            broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
            samples.append(bytes(broken[: chance.randrange(1, len(broken) + 1)]))
    for sample in samples:
        received = subject.platform.receive(sample, ("127.0.0.1", 7001), endpoint, subject.now)
        if received.report is None:
            reasons = [notice.text for notice in received.notices]
            named = bool(reasons) and all(reasons)
            require(named, "a dropped datagram needs a reason", sample[:16].hex())
    odometry = subject.report(PeerMotion(1.0)).odometry()
    require(odometry.is_finite(), "a good report after bad datagrams must be used", odometry)


def answers_auxiliary_controls(spec: PlatformSpec) -> None:
    """[VI-2.2] Known controls are accepted, others are rejected by name."""
    subject = Subject(spec)
    subject.report()
    for name in spec.capabilities.auxiliary:
        good = subject.platform.auxiliary(AuxiliaryCommand(0.0, ((name, 1.0),)), 0.0)
        require(good == (), f"the declared auxiliary control {name} must be accepted", *good)
        _refused(subject, name, math.nan)
    _refused(subject, "no_such", 1.0)


def names_its_link_statistics(spec: PlatformSpec) -> None:
    """All names are in LINK_NAMES or rejected_*; a platform without a wire has none."""
    subject = Subject(spec)
    subject.report()
    names = set(subject.platform.link_statistics(subject.now))
    has_wire = subject.peer is not None
    expected = "a platform with a wire has link statistics, one without has none"
    require(bool(names) is has_wire, expected, *names)
    unknown = {name for name in names if not name.startswith("rejected_")} - LINK_NAMES
    require(not unknown, "link statistics must have names of LINK_NAMES or rejected_*", *unknown)


def counts_what_was_sent_by_the_time_of_now(spec: PlatformSpec) -> None:
    """The send rate covers the last second, also after time jumped back."""
    subject = Subject(spec)
    for number in range(50):
        subject.platform.encode(command(), 1000.0 + 0.01 * number)
    if "sent_rate_hz" not in subject.platform.link_statistics(1000.5):
        return

    def expect(now: float, rate_hz: float) -> None:
        found = subject.platform.link_statistics(now)["sent_rate_hz"]
        require(found == rate_hz, f"sent_rate_hz must be {rate_hz:g} at {now:g} s", found)

    expect(1000.5, 50.0)
    expect(1002.0, 0.0)
    subject.platform.encode(command(), 5.0)
    expect(5.0, 1.0)


def engages_in_the_pipeline(spec: PlatformSpec) -> None:
    """[VI-4.3] The whole pipeline engages on this platform and passes its commands on."""
    subject = Subject(spec)
    parameters = InterfaceParameters(safety=SafetyParameters(auto_engage=True))
    pipeline = Pipeline(parameters, subject.platform, spec.capabilities)
    for _ in range(100):
        subject.now += 0.01
        if subject.peer is not None:
            for datagram, source in subject.peer.report(PeerMotion(0.0), subject.now):
                pipeline.on_datagram(datagram.data, source, datagram.endpoint, subject.now)
        pipeline.on_command(HighLevelCommand(subject.now, 2.0, 0.0), subject.now)
        output = pipeline.tick(subject.now)
        if subject.peer is not None:
            subject.peer.receive(output.datagrams, subject.now)
    require(
        output.mode is Mode.AUTONOMOUS,
        "the pipeline must engage within a second of commands and reports",
        output.mode.name,
        output.safe.blocked,
    )
    trace = output.trace
    drives = trace.body.gear is Gear.DRIVE and trace.safe.long_accel_mps2 > 0.0
    require(drives, "the command must pass in DRIVE", trace.body.gear.name, trace.safe)
    require(output.vehicle is not None, "the vehicle's reports must be fresh")


def steers_its_rear_wheels_or_says_that_it_cannot(spec: PlatformSpec) -> None:
    """[VI-1.1.3] A rear wheel angle is steered and reported, or named as not supported."""
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
            for datagram, source in subject.peer.report(PeerMotion(0.0), subject.now):
                pipeline.on_datagram(datagram.data, source, datagram.endpoint, subject.now)
        pipeline.on_command(VehicleCommand(subject.now, 0.0, 0.0, 0.1), subject.now)
        output = pipeline.tick(subject.now)
    named = "no_rear_steering" in {change.kind for change in output.trace.changes}
    require(
        named is not spec.capabilities.rear_steering,
        "a rear wheel angle must be steered with the capability rear_steering, or else named",
        f"capability {spec.capabilities.rear_steering}, named {named}",
    )
    if subject.peer is None and spec.capabilities.rear_steering and output.vehicle is not None:
        _near("rear wheel angle [rad]", output.vehicle.rear_wheel_angle_rad, 0.1, 1e-2)


def _near(what: str, found: float, expected: float, tolerance: float = 1e-3) -> None:
    require(abs(found - expected) < tolerance, f"{what} must be {expected:g}", f"{found:g}")


def _wire(encoded: Encoded) -> WireCommand:
    if encoded.wire is None:
        raise ContractError("an encoded command must state what is on the wire (Encoded.wire)")
    return encoded.wire


def _decoded(command: ReceivedCommand | None) -> ReceivedCommand:
    if command is None:
        raise ContractError("the contract_peer must decode the platform's datagrams")
    return command


def _refused(subject: Subject, name: str, value: float) -> None:
    notices = subject.platform.auxiliary(AuxiliaryCommand(0.0, ((name, value),)), 0.0)
    texts = [notice.text for notice in notices]
    refused = len(texts) == 1 and name in texts[0]
    require(refused, f"auxiliary control {name}={value} must be refused by name", *texts)


CHECKS: tuple[Callable[[PlatformSpec], None], ...] = (
    describes_itself,
    names_its_endpoints,
    encodes_whatever_safety_gives,
    reports_what_the_vehicle_measures,
    holds_what_the_wire_does_not_carry,
    steers_pushes_and_brakes_in_the_right_sense,
    takes_raw_commands,
    sends_raw_commands_in_the_right_sense,
    names_what_it_limits_of_a_raw_command,
    survives_any_datagram,
    answers_auxiliary_controls,
    names_its_link_statistics,
    counts_what_was_sent_by_the_time_of_now,
    engages_in_the_pipeline,
    steers_its_rear_wheels_or_says_that_it_cannot,
)


def check_platform(spec: PlatformSpec) -> None:
    """Run the whole contract; raises ContractError that names every broken promise."""
    broken = []
    for check in CHECKS:
        try:
            check(spec)
        except ContractError as error:
            broken.append(f"{check.__name__}: {error}")
    if broken:
        raise ContractError("; ".join(broken))
