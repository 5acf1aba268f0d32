"""The part of the contract on commands: pedals, steering, gears, raw units, auxiliary controls."""

import itertools
import math
from dataclasses import replace

from vdsim_interface.extras.contract.subject import (
    SETUP,
    Subject,
    command,
    decoded_of,
    near,
    require,
    wire_of,
)
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.trace import trace_of
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.spec import PlatformSetup, PlatformSpec
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    Authority,
    AuxiliaryCommand,
    Blinker,
    BodyCommand,
    Gear,
    Headlight,
    RawCommand,
    VehicleCommand,
    Wiper,
)

EXTREMES = (0.0, 0.55, -0.55, 3.0, -6.0, 1e-30)
LIT = BodyCommand(Gear.DRIVE, Blinker.LEFT, Headlight.HIGH, Wiper.LOW, False, True)


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
        angle_rad = wire_of(encoded).front_wheel_angle_rad
        require(math.isfinite(angle_rad), "the wheel angle on the wire must be finite", angle_rad)
        if encoded.sequence is not None:
            counts_up = before is None or encoded.sequence == before + 1
            require(counts_up, "packets must be numbered one by one", before, encoded.sequence)
            before = encoded.sequence


def steers_pushes_and_brakes_in_the_right_sense(spec: PlatformSpec) -> None:
    """Left is left, throttle follows the gear.

    [VI-1.1.1 on every wire] [VI-1.1.2 on every wire] [VI-1.1.3 on every wire]
    """
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
        body = BodyCommand(gear)
        encoded, received = subject.settled(command(accel, 0.2, body), PeerMotion(speed))
        decoded = decoded_of(received)
        near("left must be left: front wheel angle [rad]", decoded.front_wheel_angle_rad, 0.2)
        shown = wire_of(encoded).front_wheel_angle_rad
        near("Encoded.wire must show the angle that is sent [rad]", shown, 0.2)
        require(not decoded.hand_brake, f"in {gear.name} no hand brake may be set unasked")
        require(
            (decoded.push, decoded.brakes) == (push, brakes),
            f"{accel:g} m/s2 in {gear.name} at {speed:g} m/s must be push {push:+d}, "
            f"brakes {brakes}",
            f"push {decoded.push:+d}, brakes {decoded.brakes}",
        )
    decoded = decoded_of(subject.settled(command(-2.0, 0.0, BodyCommand(Gear.PARK)))[1])
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
        near("front wheel angle [rad]", report.front_wheel_angle_rad, front, 1e-2)
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


def drives_nothing_where_no_drive_is_wanted(spec: PlatformSpec) -> None:
    """`no_drive`: no throttle in any gear at any speed, however little the acceleration needs."""
    subject = Subject(spec)
    for gear, speed in ((Gear.DRIVE, 10.0), (Gear.DRIVE, 0.0), (Gear.REVERSE, -3.0)):
        for accel in (0.0, -0.01, -2.0):
            away = -accel if gear is Gear.REVERSE else accel
            wanted = command(away, 0.0, BodyCommand(gear))._replace(no_drive=True)
            encoded, received = subject.settled(wanted, PeerMotion(speed))
            throttle = wire_of(encoded).throttle
            require(not throttle > 0.0, "no_drive must be no throttle", gear.name, speed, throttle)
            if subject.peer is not None:
                decoded = decoded_of(received)
                require(decoded.push == 0, "no_drive must push nothing", gear.name, speed, accel)


def takes_raw_commands(spec: PlatformSpec) -> None:
    """[VI-1.1.1] Raw units reach the pedals; values far out of range are clipped."""
    subject = Subject(spec)
    full = RawCommand(0.0, 4294967295, 0, 2147483647, -2147483648)
    wire = wire_of(subject.settled(command(raw=full))[0])
    pedals = (wire.throttle, wire.brake)
    require(pedals == (1.0, 0.0), "a full raw throttle must be throttle 1, brake 0", *pedals)
    most_rad = SETUP.geometry.front_wheel_angle_max_rad
    angle_rad = wire.front_wheel_angle_rad
    require(angle_rad <= most_rad, f"raw steering must stay within {most_rad:g} rad", angle_rad)
    none = wire_of(subject.settled(command(raw=RawCommand(0.0)))[0])
    zeros = (none.throttle, none.brake, none.front_wheel_angle_rad)
    require(zeros == (0.0, 0.0, 0.0), "a raw command of zeros must be zeros on the wire", *zeros)
    brakes_mps2 = subject.settled(command(raw=RawCommand(0.0, brake=500)))[0].effort_mps2
    expect = "effort_mps2 must say what a raw brake gives: a stop that replaces it begins there"
    require(brakes_mps2 < 0.0, expect, brakes_mps2)


def sends_raw_commands_in_the_right_sense(spec: PlatformSpec) -> None:
    """Raw pedals and steering arrive, and left is left.

    [VI-1.1.1 on every wire] [VI-1.1.2 on every wire] [VI-1.1.3 on every wire]
    """
    subject = Subject(spec)
    if subject.peer is None:
        return
    for raw, push, brakes in (
        (RawCommand(0.0, throttle=500, front_steer=100), 1, False),
        (RawCommand(0.0, brake=500, front_steer=-100), 0, True),
    ):
        decoded = decoded_of(subject.settled(command(raw=raw))[1])
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

    def cut(raw: RawCommand) -> dict[str, float]:
        changes = subject.settled(command(raw=raw))[0].changes
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


def answers_auxiliary_controls(spec: PlatformSpec) -> None:
    """[VI-2.2] Known controls are accepted, others are rejected by name."""
    subject = Subject(spec)
    subject.report()
    for name in subject.spec.capabilities.auxiliary:
        good = subject.platform.auxiliary(AuxiliaryCommand(0.0, ((name, 1.0),)), 0.0)
        require(good == (), f"the declared auxiliary control {name} must be accepted", *good)
        refused(subject, name, math.nan)
    refused(subject, "no_such", 1.0)


def steers_its_rear_wheels_or_says_that_it_cannot(spec: PlatformSpec) -> None:
    """[VI-1.1.3] A rear wheel angle is steered and reported, or named as not supported."""
    subject = Subject(spec)
    geometry = VehicleGeometry(rear_wheel_angle_max_rad=0.2)
    subject.platform = spec.create(spec.parameters(), PlatformSetup(geometry, 0.01))
    parameters = InterfaceParameters(
        control_command="vehicle", vehicle=geometry, safety=SafetyParameters(auto_engage=True)
    )
    capabilities = subject.spec.capabilities
    pipeline = Pipeline(parameters, subject.platform, capabilities)
    for _ in range(150):
        subject.now += 0.01
        if subject.peer is not None:
            for datagram, source in subject.peer.report(PeerMotion(0.0), subject.now):
                pipeline.on_datagram(datagram.data, source, datagram.endpoint, subject.now)
        pipeline.on_command(VehicleCommand(subject.now, 0.0, 0.0, 0.1), subject.now)
        output = pipeline.tick(subject.now)
        if subject.peer is not None:
            subject.peer.receive(output.datagrams, subject.now)
    named = "no_rear_steering" in {change.kind for change in trace_of(output).changes}
    require(
        named is not capabilities.rear_steering,
        "a rear wheel angle must be steered with the capability rear_steering, or else named",
        f"capability {capabilities.rear_steering}, named {named}",
    )
    if subject.peer is None and capabilities.rear_steering and output.report is not None:
        near("rear wheel angle [rad]", output.report.rear_wheel_angle_rad, 0.1, 1e-2)


def refused(subject: Subject, name: str, value: float) -> None:
    """Check that an auxiliary control is refused by its name."""
    notices = subject.platform.auxiliary(AuxiliaryCommand(0.0, ((name, value),)), 0.0)
    texts = [notice.text for notice in notices]
    named = len(texts) == 1 and name in texts[0]
    require(named, f"auxiliary control {name}={value} must be refused by name", *texts)
