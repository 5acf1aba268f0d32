"""A command trace on its way through its message."""

import math

import pytest
from vdsim_interface.extras.explain.gate_record import recomputed
from vdsim_interface.extras.explain.ros.trace_value import trace_value
from vdsim_interface.pipeline.trace import CommandTrace, trace_of
from vdsim_interface.ros.messages.trace import trace_message
from vdsim_interface.values import (
    Applied,
    Authority,
    BodyCommand,
    Change,
    Command,
    Gear,
    HighLevelCommand,
    Mode,
    RawCommand,
    VehicleCommand,
    WireCommand,
)
from vdsim_interface_kit.interface import Drive

SAFE = VehicleCommand(9.5, 0.5, 0.125, 0.0)
TRACE = CommandTrace(
    10.0,
    Mode.AUTONOMOUS,
    Authority.COMMAND,
    HighLevelCommand(9.5, 5.0, 0.25),
    VehicleCommand(9.5, 1.0, 0.25, 0.0),
    VehicleCommand(9.5, 0.75, 0.25, 0.0),
    SAFE,
    None,
    BodyCommand(gear=Gear.DRIVE),
    WireCommand(0.125, 0.5, 0.0, 0.5),
    7,
    Applied(0.0625, 0.25, 0.5, 0.0),
    9.75,
    (Change("rate", "front_wheel_angle_rad", 0.25, 0.125),),
)


def test_a_trace_comes_back_as_it_went() -> None:
    assert trace_value(trace_message(TRACE, 3)) == TRACE


def test_every_reason_stands_at_the_stage_that_it_changed() -> None:
    changes = (
        Change("low_pass", "long_accel_mps2", 1.0, 0.75),
        Change("rate", "front_wheel_angle_rad", 0.25, 0.125),
        Change("platform_limit", "long_accel_mps2", 0.75, 0.5),
    )
    message = trace_message(TRACE._replace(changes=changes), 3)
    stages = (message.filtered, message.safe, message.wire)
    assert [list(stage.reasons) for stage in stages] == [
        ["long_accel_mps2 1 -> 0.75 by low_pass"],
        ["front_wheel_angle_rad 0.25 -> 0.125 by rate"],
        ["long_accel_mps2 0.75 -> 0.5 by platform_limit"],
    ]
    again = trace_value(message).changes
    assert again == changes
    assert [change.kind.why for change in again] == [
        "the low-pass filter smooths it",
        "it changes faster than the rate limit",
        "the platform cannot do more",
    ]


def test_what_blocks_comes_back_beside_the_changes() -> None:
    trace = TRACE._replace(mode=Mode.MANUAL, authority=Authority.IDLE, blocked="no command; a: b")
    assert trace_value(trace_message(trace, 3)) == trace


@pytest.mark.parametrize(
    ("received", "raw"),
    [(None, None), (SAFE, None), (RawCommand(9.5, 300, 20), RawCommand(9.5, 300, 20))],
)
def test_other_levels_and_missing_stages(received: Command | None, raw: RawCommand | None) -> None:
    trace = TRACE._replace(received=received, controlled=None, filtered=None, raw=raw, applied=None)
    trace = trace._replace(applied_stamp_s=-math.inf, wire=None, wire_sequence=None, changes=())
    back = trace_value(trace_message(trace, 0))
    assert (back.received, back.raw, back.applied, back.wire) == (received, raw, None, None)
    assert back.wire_sequence is None


def test_a_reason_that_is_none_is_refused() -> None:
    message = trace_message(TRACE, 0)
    message.safe.reasons = ["because"]
    with pytest.raises(ValueError, match="not a reason"):
        trace_value(message)


def test_a_gear_that_the_vehicle_does_not_apply_by_itself_is_none() -> None:
    message = trace_message(TRACE, 7)
    assert (message.safe.gear, message.wire.gear) == (TRACE.body.gear, TRACE.body.gear)
    assert message.applied.gear == 255, "0 would be DRIVE"


def test_what_the_gate_judged_comes_back_and_gives_the_same_packet() -> None:
    drive = Drive("vehicle")
    drive.run(1.0, VehicleCommand(0.0, 1.0, 0.1))
    drive.run(1.0)
    trace = trace_of(drive.outputs[-1])
    back = trace_value(trace_message(trace, 3)).gate
    assert back is not None
    assert trace.gate is not None
    assert repr(back) == repr(trace.gate)
    assert recomputed(back)[0] == trace.gate.sent
