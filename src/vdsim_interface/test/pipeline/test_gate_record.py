"""Every packet can be computed again from its trace, bit by bit, also in drives with faults."""

import json
import math
import random
import struct
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from vdsim_interface.extras.explain.gate_record import from_text, gate_words, recomputed
from vdsim_interface.extras.explain.jsonl import from_line, to_line
from vdsim_interface.extras.explain.sentences import explain
from vdsim_interface.gate import START, GateState
from vdsim_interface.pipeline.gate_text import to_text
from vdsim_interface.pipeline.output import GateRecord
from vdsim_interface.pipeline.trace import CommandTrace, trace_of
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    NO_DRIVER,
    CabinState,
    Command,
    DriverActivity,
    HighLevelCommand,
    Mode,
    PlatformCommand,
    RawCommand,
    Stop,
    Until,
    VehicleCommand,
)
from vdsim_interface_kit.interface import PERIOD_S, Drive

EMERGENCY = Stop("emergency", 6.0, 50.0, Until.RELEASED)
LEVELS = ("high_level", "vehicle", "raw")


def bits(value: Any) -> Any:
    """A value in which numbers differ as soon as one bit of them does; nan equals itself."""
    if isinstance(value, float):
        return struct.pack("<d", value)
    if isinstance(value, tuple):
        return tuple(bits(part) for part in value)
    return value


class RecordedDrive(Drive):
    """A drive that keeps what reaches the platform, whatever the trace says of it."""

    def __init__(self, level: str, **more: Any) -> None:
        super().__init__(level, **more)
        self.reached: list[PlatformCommand] = []
        shipped = self.platform.encode

        def encode(command: PlatformCommand, now: float) -> Any:
            self.reached.append(command)
            return shipped(command, now)

        self.platform.encode = encode  # type: ignore[method-assign]


def command_of(level: str, draw: random.Random) -> Command:
    """Any command of a level, now and then one that no limit lets pass."""
    steer = draw.choice((0.0, 0.05, -0.3, 2.0))
    if level == "high_level":
        return HighLevelCommand(0.0, draw.choice((0.0, 3.0, 8.0, -2.0)), steer)
    if level == "vehicle":
        return VehicleCommand(0.0, draw.choice((2.0, 0.0, -3.0, -9.0, math.nan)), steer, 0.0)
    return RawCommand(0.0, draw.choice((0, 300)), draw.choice((0, 200)), int(50 * steer), 0)


def fault(drive: Drive, draw: random.Random) -> None:
    """Begin, or end, one thing that goes wrong."""
    pipeline, now = drive.pipeline, drive.now
    match draw.randrange(8):
        case 0:
            drive.platform.muted = not drive.platform.muted
        case 1:
            pipeline.safety_side.on_cabin(CabinState(doors_closed=draw.random() < 0.5), now)
        case 2:
            pipeline.safety_side.on_emergency(draw.choice((EMERGENCY, None)))
        case 3:
            pipeline.safety_side.on_change_mode(draw.random() < 0.7, now)
        case 4:
            pipeline.safety_side.on_driver_override(draw.random() < 0.4, now)
        case 5:
            driver = draw.choice((NO_DRIVER, NO_DRIVER, DriverActivity(accelerator=True)))
            drive.platform.altered = {"driver": driver}
        case 6:
            drive.now += draw.choice((0.02, 0.09))  # this process did not run
        case 7:
            drive.platform.altered = {"velocity_mps": draw.choice((math.nan, 5.0))}


@cache
def faulty_drive(level: str, seed: int, seconds: float = 8.0) -> RecordedDrive:
    draw = random.Random(f"{level} {seed}")
    drive = RecordedDrive(level)
    end_s = seconds
    while drive.now < end_s:
        fault(drive, draw)
        command = command_of(level, draw) if draw.random() < 0.8 else None
        drive.run(draw.choice((0.05, 0.2, 0.6)), command)
        if draw.random() < 0.6:
            drive.platform.muted, drive.platform.altered = False, {}
    return drive


def read_back(drive: Drive) -> Iterator[CommandTrace]:
    """The traces of a drive as a recording of it holds them."""
    return (from_line(to_line(trace_of(output))) for output in drive.outputs)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(3))
def test_every_packet_of_a_drive_with_faults_is_computed_again(level: str, seed: int) -> None:
    drive = faulty_drive(level, seed)
    state: GateState = START
    for trace, reached in zip(read_back(drive), drive.reached, strict=True):
        record = trace.gate
        assert record is not None
        assert bits(record.state) == bits(state), "the state is that after the packet before"
        sent, state = recomputed(record)
        assert bits(sent) == bits(reached)
        assert bits(record.sent) == bits(reached)
    assert len(drive.reached) > 500


def test_the_faults_bring_every_kind_of_change_of_the_gate() -> None:
    kinds = {
        str(change.kind)
        for level in LEVELS
        for seed in range(3)
        for output in faulty_drive(level, seed).outputs
        for change in trace_of(output).changes
    }
    assert {"gate_stop", "gate_emergency", "gate_steer"} <= kinds


def test_parameters_that_change_between_two_packets_are_those_of_each() -> None:
    drive = RecordedDrive("vehicle", safety=SafetyParameters(auto_engage=True, jerk_max_mps3=7.0))
    drive.run(1.0, VehicleCommand(0.0, 1.0))
    record = drive.outputs[-1].gate
    assert record is not None
    assert record.limits.safety.jerk_max_mps3 == 7.0
    assert from_text(to_text(record)).limits == record.limits


def a_record() -> GateRecord:
    drive = RecordedDrive("vehicle")
    drive.run(1.0, VehicleCommand(0.0, 1.0))
    record = drive.outputs[-1].gate
    assert record is not None
    return record


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 0.1 + 0.2, -0.0, 5e-324])
def test_a_number_reads_back_as_it_was(number: float) -> None:
    record = a_record()
    record = record._replace(facts=record.facts._replace(hold_mps2=number))
    text = to_text(record)
    assert bits(from_text(text).facts) == bits(record.facts)
    json.loads(text, parse_constant=pytest.fail)  # as any reader of JSON reads it


def test_another_packet_than_the_gate_gives_is_named() -> None:
    record = a_record()
    assert not [line for line in gate_words(record) if "another one" in line]
    vehicle = record.sent.vehicle._replace(long_accel_mps2=1.25)
    other = record._replace(sent=record.sent._replace(vehicle=vehicle))
    assert "gate: the packet is another one than these values give" in gate_words(other)


# ---- why, in words -------------------------------------------------------------------------------


def words(drive: Drive) -> str:
    """The gate's part of the explanation of the latest packet, from a recording."""
    trace = from_line(to_line(trace_of(drive.outputs[-1])))
    return "\n".join(line for line in explain(trace) if line.startswith("gate: "))


def driving(level: str = "vehicle") -> RecordedDrive:
    drive = RecordedDrive(level)
    drive.run(3.0, VehicleCommand(0.0, 2.0))
    assert drive.pipeline.mode is Mode.AUTONOMOUS
    return drive


def test_a_command_that_passes_says_so() -> None:
    assert words(driving()) == "gate: nothing stands against the command"


def test_a_silent_stack_says_what_is_old_and_what_the_stop_demands() -> None:
    drive = driving()
    drive.run(1.5)
    text = words(drive)
    assert "the command is 1.50 s old, at most 0.5" in text
    assert "stop command_timeout, 2.5 m/s2, until its cause has gone" in text
    assert "gate: at least 2.5 m/s2 of deceleration are demanded" in text


def test_a_silent_vehicle_says_how_old_its_report_is() -> None:
    drive = driving()
    drive.platform.muted = True
    drive.run(0.3, VehicleCommand(0.0, 2.0))
    assert "the vehicle's report is 0.3" in words(drive)
    assert "s old, at most 0.1 s" in words(drive)


def test_before_the_first_report_it_says_that_it_is_missing() -> None:
    drive = RecordedDrive("vehicle")
    drive.platform.muted = True
    drive.run(0.3)
    assert "a person drives: nothing is sent" in words(drive)
    assert "the vehicle's report is missing" in words(drive)


def test_an_emergency_stop_says_whose_it_is() -> None:
    drive = driving()
    drive.pipeline.safety_side.on_emergency(EMERGENCY)
    drive.run(0.1, VehicleCommand(0.0, 2.0))
    assert "stop emergency, 6 m/s2, until give_back" in words(drive)
    assert "an emergency stop is latched" in words(drive)
    drive.platform.altered = {"driver": DriverActivity(accelerator=True)}
    drive.run(0.5)
    assert "which a person has taken over" in words(drive)


def test_an_interlock_that_held_the_car_and_a_release_say_so() -> None:
    drive = driving()
    drive.pipeline.safety_side.on_cabin(CabinState(doors_closed=False), drive.now)
    drive.run(1.0, VehicleCommand(0.0, -1.0))
    drive.pipeline.safety_side.on_cabin(CabinState(), drive.now)
    drive.run(0.02, VehicleCommand(0.0, 2.0))
    assert "a stop has just ended, and the brake is released by the jerk" in words(drive)
    drive.pipeline.safety_side.on_cabin(CabinState(doors_closed=False), drive.now)
    drive.run(10.0, VehicleCommand(0.0, 0.0))
    drive.pipeline.safety_side.on_cabin(CabinState(), drive.now)
    drive.run(0.1, VehicleCommand(0.0, 2.0))
    assert "an interlock held the car: no drive before the next engagement" in words(drive)
    assert drive.now > PERIOD_S
