"""Single node, stages, or guard and shell: the same commands give the same packets, bit for bit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import astuple
from typing import Any

import pytest
import rclpy
from std_msgs.msg import Bool
from vdsim_interface.extras.explain.gate_record import recomputed
from vdsim_interface.extras.explain.ros.trace_value import trace_value
from vdsim_interface.pipeline.trace import CommandTrace
from vdsim_interface.ros import topics
from vdsim_interface.values import Mode
from vdsim_interface_kit.lockstep import PERIOD_S, Composition

from vdsim_msgs.msg import (
    HighLevelControlCommand,
    RawControlCommand,
    VehicleControlCommand,
    VehicleStateCommand,
    VehicleStateReport,
)
from vdsim_msgs.srv import ChangeMode
from vdsim_protocol import vds1

FILTERED = ("filter.front_wheel_angle.type:=butterworth", "filter.long_accel.type:=first_order")
ENGAGE = ChangeMode.Request(request=ChangeMode.Request.REQUEST_ENGAGE)
DISENGAGE = ChangeMode.Request(request=ChangeMode.Request.REQUEST_DISENGAGE)
Said = tuple[str, Any]
NAN = math.nan


def high_level(sense: int, t_s: float) -> Said:
    """A speed that changes, on a slalom, with a hand that trembles."""
    speed_mps = 3.0 + math.sin(t_s)
    curvature = 0.1 * math.sin(3.0 * t_s) + 0.08 * math.sin(80.0 * t_s)
    message = HighLevelControlCommand(velocity_mps=sense * speed_mps, curvature=curvature)
    return topics.HIGH_LEVEL_COMMAND, message


def vehicle(sense: int, t_s: float) -> Said:
    """Push and brake in turns, and steer faster than the limits allow, with a tremble."""
    accel_mps2 = sense * (0.7 + 1.5 * math.sin(4.0 * t_s))
    angle_rad = 0.5 * math.sin(5.0 * t_s) + 0.2 * math.sin(80.0 * t_s)
    message = VehicleControlCommand(long_accel_mps2=accel_mps2, front_wheel_angle_rad=angle_rad)
    return topics.VEHICLE_COMMAND, message


def raw(sense: int, t_s: float) -> Said:
    """Pedals and wheel, sometimes beyond their ends."""
    pedal = round(1500.0 * math.sin(4.0 * t_s))
    message = RawControlCommand(
        throttle=max(pedal, 0), brake=max(-pedal, 0), front_steer=round(700.0 * math.sin(2.0 * t_s))
    )
    return topics.RAW_COMMAND, message


def stand(level: str) -> Said:
    """Brake until the car stands, and hold it there."""
    return {
        "high_level": (topics.HIGH_LEVEL_COMMAND, HighLevelControlCommand()),
        "vehicle": (topics.VEHICLE_COMMAND, VehicleControlCommand(long_accel_mps2=-2.0)),
        "raw": (topics.RAW_COMMAND, RawControlCommand(brake=400)),
    }[level]


DRIVE: dict[str, Callable[[int, float], Said]] = {
    "high_level": high_level,
    "vehicle": vehicle,
    "raw": raw,
}
NOT_FINITE: dict[str, list[Said]] = {
    "high_level": [(topics.HIGH_LEVEL_COMMAND, HighLevelControlCommand(velocity_mps=NAN))],
    "vehicle": [(topics.VEHICLE_COMMAND, VehicleControlCommand(front_wheel_angle_rad=NAN))],
    "raw": [],
}


ALWAYS = {"manual_block", "command_timeout", "hazard_priority"}
WHERE_RULES_HOLD = {"shift_hold", "standstill_hold", "high_frequency", "rate"}


def body(gear: int) -> Said:
    """A gear, and lamps for every bit of the body's way."""
    left = VehicleStateCommand.BLINKER_LEFT
    return topics.STATE_COMMAND, VehicleStateCommand(gear=gear, blinker=left, autonomous=True)


def script(level: str) -> Iterator[list[Said]]:
    """What the stack says in each period of a drive."""
    drive, standing = DRIVE[level], stand(level)
    reverse, forward = VehicleStateCommand.GEAR_REVERSE, VehicleStateCommand.GEAR_DRIVE

    def periods(seconds: float, sense: int) -> Iterator[list[Said]]:
        for n in range(round(seconds / PERIOD_S)):
            yield [drive(sense, n * PERIOD_S)]

    def still(seconds: float, *first: Said) -> Iterator[list[Said]]:
        yield [standing, *first]
        yield from ([standing] for _ in range(round(seconds / PERIOD_S)))

    def silence(seconds: float) -> Iterator[list[Said]]:
        yield from ([] for _ in range(round(seconds / PERIOD_S)))

    yield from silence(0.2)  # nobody has commanded yet
    yield from still(0.3)  # and then nobody has engaged
    yield from still(0.6, (topics.CHANGE_MODE, ENGAGE), body(forward))
    yield from periods(2.0, 1)
    yield from silence(0.2)  # shorter than the time-out: the last command holds
    yield from periods(1.0, 1)
    yield NOT_FINITE[level]
    yield from periods(0.5, 1)
    yield from silence(1.0)  # longer: a safe stop
    yield from periods(1.0, 1)
    yield from still(2.5)
    yield from still(0.8, body(reverse))
    yield from periods(1.2, -1)
    yield [(topics.DRIVER_OVERRIDE, Bool(data=True))]
    yield from periods(0.3, -1)  # a person drives
    yield [(topics.DRIVER_OVERRIDE, Bool(data=False))]
    yield from still(0.8)
    yield from still(0.8, (topics.CHANGE_MODE, ENGAGE), body(forward))
    yield from periods(0.5, 1)
    yield [(topics.CHANGE_MODE, DISENGAGE)]
    yield from periods(0.3, 1)


def driven(name: str, level: str, parameters: tuple[str, ...]) -> Composition:
    """The whole script in a composition."""
    given = ("platform:=vds1", f"control_command:={level}", *parameters)
    arguments = ["--ros-args", *(word for each in given for word in ("-p", each))]
    rclpy.init(args=arguments)
    with pytest.MonkeyPatch.context() as monkeypatch:
        composition = Composition(name, monkeypatch, is_traced=True)
        try:
            for said in script(level):
                composition.period(*said)
        finally:
            composition.close()
            rclpy.try_shutdown()
    return composition


def check_same_packets(name: str, seen: list[vds1.Command], wanted: list[vds1.Command]) -> None:
    """Every packet of a composition is the one of the single node."""
    for n, (here, there) in enumerate(zip(seen, wanted, strict=False)):
        assert same(astuple(here)) == same(astuple(there)), f"{name}: packet {n} of {len(wanted)}"
    assert len(seen) == len(wanted)


def same(value: object) -> str:
    """For a comparison in which NaN equals NaN."""
    return repr(value)


@pytest.mark.parametrize(
    ("level", "parameters"),
    [("high_level", FILTERED), ("vehicle", ()), ("raw", ())],
)
def test_the_same_commands_give_the_same_packets(level: str, parameters: tuple[str, ...]) -> None:
    """Each level once, with filters where the most stages are before them, and without."""
    single = driven("single", level, parameters)
    wanted, values = single.car.commands, [trace_value(trace) for trace in single.traces]
    assert single.answers == [True, True, True]
    for name in ("stages", "guarded"):
        other = driven(name, level, parameters)
        check_same_packets(name, other.car.commands, wanted)
        assert other.answers == single.answers
        of_other = [trace_value(trace) for trace in other.traces]
        for value, expected in zip(of_other, values, strict=True):
            # Packets are counted from the last stage's activation, which came at another moment,
            # and what the gate judged holds times since that.
            here, there = (v._replace(wire_sequence=None, gate=None) for v in (value, expected))
            assert same(here) == same(there), name
        check_records(of_other, name)
    check_records(values, "single")
    # The drive was one: forward, backward, both pedals, and many angles.
    assert {int(packet.gear) for packet in wanted if packet.throttle > 0.0} >= {1, -1}
    assert max(packet.brake for packet in wanted) > 0.15
    assert len({packet.steering_tire_angle_rad for packet in wanted}) > 100
    modes = [trace.mode for trace in single.traces]
    assert modes.count(VehicleStateReport.MODE_AUTONOMOUS) > 800
    changed = {change.kind for value in values for change in value.changes}
    assert changed >= (ALWAYS if level == "raw" else ALWAYS | WHERE_RULES_HOLD)


def check_records(values: list[CommandTrace], name: str) -> None:
    """Compute every packet again from what the last gate judged, wherever that gate runs."""
    records = [value.gate for value in values]
    # The guard learns with the next period that somebody reads the trace.
    first_n = next(n for n, judged in enumerate(records) if judged is not None)
    assert first_n <= 2, name
    for judged in records[first_n:]:
        assert judged is not None, name
        assert same(recomputed(judged)[0]) == same(judged.sent), name


def lied_to(name: str) -> Composition:
    """Drive straight on at more than 3 m/s; then the car reports a speed of zero."""
    rclpy.init(args=["--ros-args", "-p", "platform:=vds1", "-p", "control_command:=vehicle"])
    forward = VehicleControlCommand(long_accel_mps2=3.0)
    with pytest.MonkeyPatch.context() as monkeypatch:
        composition = Composition(name, monkeypatch)
        try:
            for n in range(500):
                if n == 50:
                    composition.period((topics.CHANGE_MODE, ENGAGE))
                if n == 450:
                    composition.car.claimed_mps = 0.0
                composition.period((topics.VEHICLE_COMMAND, forward))
            [port] = [n.safety_port for n in composition.nodes if hasattr(n, "safety_port")]
            composition.status = port.side.status(composition.now)
            composition.lines = {line.name: line for line in port.health(composition.now)}
        finally:
            composition.close()
            rclpy.try_shutdown()
    return composition


def test_a_report_that_cannot_be_ends_autonomy_alike() -> None:
    single = lied_to("single")
    jump = "the speed jumped from "
    assert single.status is not None
    assert single.status.mode is Mode.DISENGAGED
    reason = single.status.last_disengage_reason
    assert reason.startswith(f"the reports contradict each other: {jump}")
    for name in ("stages", "guarded"):
        other = lied_to(name)
        check_same_packets(name, other.car.commands, single.car.commands)
        assert other.status is not None
        assert other.status.mode is Mode.DISENGAGED
        assert other.status.last_disengage_reason == reason
        assert other.status.doubt == single.status.doubt
        assert dict(other.status.counts)["implausible_report"] == 1
        line = other.lines["vehicle_interface: plausibility"]
        assert line.level == b"\x02"
        assert line.message.startswith(jump)
