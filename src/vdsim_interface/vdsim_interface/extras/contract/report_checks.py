"""The part of the contract on reports: motion, body, whatever arrives, statistics of the link."""

import math
import random
import struct
from collections.abc import Iterator

from vdsim_interface.extras.contract.command_checks import LIT
from vdsim_interface.extras.contract.subject import Subject, command, near, require
from vdsim_interface.platforms.peer import Peer, PeerMotion
from vdsim_interface.platforms.sources import reported_source
from vdsim_interface.platforms.spec import PlatformSpec
from vdsim_interface.platforms.vocabulary import LINK_NAMES
from vdsim_interface.values import Source, VehicleReport

APPLIED = ("front_wheel_angle_rad", "long_accel_mps2")


def reports_what_the_vehicle_measures(spec: PlatformSpec) -> None:
    """Velocity, wheel angle and pose arrive, stamped with the receipt.

    [VI-1.2.1 on every wire] [VI-1.2.2 on every wire]
    """
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
        subject.spec.capabilities.driver_activity or not active,
        "without the capability driver_activity no report may name the driver",
        *active,
    )
    if subject.peer is not None:
        near("velocity [m/s]", report.velocity_mps, 7.5)
        near("front wheel angle [rad]", report.front_wheel_angle_rad, 0.12)
        if not is_modelled(subject.spec, "position"):
            near("x [m]", report.x_m, 3.0)
            near("y [m]", report.y_m, -4.0)
        if not is_modelled(subject.spec, "heading"):
            near("yaw [rad]", report.yaw_rad, 0.7)
        near("applied front wheel angle [rad]", report.applied.front_wheel_angle_rad, 0.12)


def is_modelled(spec: PlatformSpec, name: str) -> bool:
    """Whether the platform computes a value of REPORTED, because its wire does not carry it."""
    return reported_source(spec, name, spec.wire_versions[-1]) is Source.MODELLED


def holds_what_the_wire_does_not_carry(spec: PlatformSpec) -> None:
    """[VI-1.2.4] [VI-1.2.5] [VI-1.2.7] [VI-1.2.8] Lamps, horn, wipers: echoed, marked as such."""
    subject = Subject(spec)
    subject.report()
    subject.platform.encode(command(body=LIT), subject.now)
    state = subject.report().body
    reports = subject.spec.capabilities.reports
    both = state.modelled & reports
    require(not both, "a field that the wire reports must not be marked as modelled", *both)
    for name in ("gear", "blinker", "headlight", "wiper", "hand_brake", "horn"):
        covered = name in state.modelled or name in reports
        require(covered, "a field that the wire does not report must be marked as modelled", name)
        if name in state.modelled:
            commanded, echoed = getattr(LIT, name), getattr(state, name)
            require(
                echoed == commanded, f"a modelled {name} must echo the command {commanded}", echoed
            )
    fuel = state.fuel_percent
    require(0.0 <= fuel <= 100.0, "fuel must be within 0 to 100 %", fuel)


def survives_any_datagram(spec: PlatformSpec) -> None:
    """No datagram raises an exception; a drop has a reason; what is not finite is dropped.

    The vehicle side thins out the notices of a flood; the platform need not.
    """
    subject = Subject(spec)
    chance = random.Random(7)
    good: list[bytes] = []
    without_a_number: list[bytes] = []
    endpoint = "none"
    if subject.peer is not None:
        reports = subject.peer.report(PeerMotion(3.0), subject.now)
        good = [datagram.data for datagram, _ in reports]
        endpoint = reports[0][0].endpoint
        without_a_number += _reports_without_a_number(subject.peer, subject.now)
    samples = [b"", b"\x00", *(chance.randbytes(n) for n in (1, 24, 76, 123, 220, 436, 452, 1500))]
    for data in good:
        for _ in range(300):
            broken = bytearray(data)
            broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
            samples.append(bytes(broken[: chance.randrange(1, len(broken) + 1)]))
    for sample in (*samples, *without_a_number):
        subject.now += 1.0
        before = taken(subject)
        received = subject.platform.receive(sample, ("127.0.0.1", 7001), endpoint, subject.now)
        if received.report is None and taken(subject) == before:
            reasons = [notice.text for notice in received.notices]
            named = bool(reasons) and all(reasons)
            require(named, "a dropped datagram needs a reason", sample[:16].hex())
        if received.report is not None:
            bad = not_finite(received.report)
            require(not bad, "a report with a value that is not finite must be dropped", *bad)
    odometry = subject.report(PeerMotion(1.0)).odometry()
    require(odometry.is_finite(), "a good report after bad datagrams must be used", odometry)


def _reports_without_a_number(peer: Peer, now: float) -> Iterator[bytes]:
    """Datagrams of a vehicle that reports nan or infinity, as far as its peer can encode them."""
    for name in PeerMotion._fields:
        for value in (math.nan, math.inf, -math.inf):
            motion = PeerMotion(3.0)._replace(**{name: value})
            try:
                reports = peer.report(motion, now)
            except (ValueError, ArithmeticError, struct.error):
                continue
            yield from (datagram.data for datagram, _ in reports)


def not_finite(report: VehicleReport) -> list[str]:
    """What of a report's motion is no number; nan of pedals and sensors says that there is none."""
    applied = {f"applied.{name}": getattr(report.applied, name) for name in APPLIED}
    values = {**report._asdict(), **applied}.items()
    return [f"{key}={v}" for key, v in values if isinstance(v, float) and not math.isfinite(v)]


def taken(subject: Subject) -> float:
    """How many datagrams were used, or were no fault of the link although nothing used them."""
    statistics = subject.platform.link_statistics(subject.now)
    return sum(statistics.get(name, 0.0) for name in ("accepted", "other_messages"))


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
