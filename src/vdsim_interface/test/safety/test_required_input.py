"""Cabin state and driver switch fail closed where they are required."""

from collections.abc import Callable
from typing import Any

import pytest
from vdsim_interface.safety.inputs import RequiredInput, RequiredInputs
from vdsim_interface.values import CabinState, Mode, RawCommand
from vdsim_interface_kit.safety import LIMITS
from vdsim_interface_kit.safety_stage import GO, Bench


def test_a_source_is_alive_while_it_repeats_within_three_of_its_periods() -> None:
    source = RequiredInput("cabin_state")
    assert source.fault(0.0) == "nobody publishes cabin_state, which is required"
    source.publishers_n = 1
    assert source.fault(0.0) == "cabin_state is required and was not received yet"
    for tick_n in range(10):
        source.on_message("closed", 0.1 * tick_n)
        assert source.fault(0.1 * tick_n) == ""
    assert source.fault(0.9 + 0.299) == ""
    assert source.fault(0.9 + 0.31) == "cabin_state is silent for 0.31 s, and is required"
    source.on_message("closed", 1.3)
    assert source.fault(1.3) == ""


def test_a_latched_source_is_alive_as_long_as_its_publisher() -> None:
    source = RequiredInput("cabin_state")
    source.publishers_n = 1
    for tick_n, content in enumerate(("closed", "open", "closed", "open", "closed")):
        source.on_message(content, 0.1 * tick_n)
    assert source.fault(1000.0) == ""
    source.publishers_n = 0
    assert "nobody publishes" in source.fault(1000.0)


def test_the_slowest_of_the_last_repetitions_is_the_period() -> None:
    source = RequiredInput("cabin_state")
    source.publishers_n = 1
    for now in (0.0, 0.1, 0.2, 0.7, 0.8):
        source.on_message("closed", now)
    assert source.fault(0.8 + 1.49) == ""
    assert source.fault(0.8 + 1.51)


def repeat_cabin(bench: Bench) -> None:
    bench.safety.inputs.on_cabin(CabinState(), bench.now)


def repeat_switch(bench: Bench) -> None:
    bench.safety.inputs.required.switch.on_message(False, bench.now)


REQUIRED = [
    ({"cabin_required": True}, repeat_cabin, "cabin_state"),
    ({"driver_switch_required": True}, repeat_switch, "driver_override"),
]


def alive(limits: dict[str, Any], repeat: Callable[[Bench], None]) -> Bench:
    bench = Bench(**limits)
    bench.safety.inputs.required.on_publishers(1, 1)
    for _ in range(10):
        bench.step()
        repeat(bench)
    return bench.engage()


@pytest.mark.parametrize(("limits", "repeat", "topic"), REQUIRED)
def test_without_it_nothing_engages(
    limits: dict[str, Any], repeat: Callable[[Bench], None], topic: str
) -> None:
    """[VI-3.3]"""
    bench = Bench(**limits)
    bench.step()
    result, _ = bench.safety.on_change_mode(True, bench.now)
    assert result.reason == f"nobody publishes {topic}, which is required"
    bench.safety.inputs.required.on_publishers(1, 1)
    bench.step()
    result, _ = bench.safety.on_change_mode(True, bench.now)
    assert result.reason == f"{topic} is required and was not received yet"
    repeat(bench)
    bench.step()
    assert bench.safety.on_change_mode(True, bench.now)[0].success


@pytest.mark.parametrize("gone", ["silent", "no publisher"])
@pytest.mark.parametrize(("limits", "repeat", "topic"), REQUIRED)
def test_its_loss_is_a_safe_stop_with_that_reason(
    limits: dict[str, Any], repeat: Callable[[Bench], None], topic: str, gone: str
) -> None:
    bench = alive(limits, repeat)
    bench.speed = 5.0
    for _ in range(50):
        repeat(bench)
        bench.step(GO)
    assert "input_lost" not in bench.kinds()
    if gone == "no publisher":
        bench.safety.inputs.required.on_publishers(0, 0)
    for _ in range(200):
        if gone == "no publisher":
            repeat(bench)
        bench.step(GO)
    assert bench.output is not None
    command = bench.output.command
    assert command.mode is Mode.AUTONOMOUS
    assert command.vehicle.long_accel_mps2 == -2.5
    assert command.vehicle.front_wheel_angle_rad == pytest.approx(0.1), "still steering"
    lost, rule = [notice.text for notice in bench.notices if notice.kind == "input_lost"]
    assert topic in lost
    assert "the car stops smoothly" in rule
    assert "input_lost" in bench.safety.status(bench.now).active


def test_a_raw_command_is_blocked_too() -> None:
    bench = Bench(driver_switch_required=True)
    bench.safety.inputs.required.on_publishers(0, 1)
    bench.safety.inputs.required.switch.on_message(False, bench.now)
    raw = RawCommand(0.0, 500, 0, 20, 0)
    bench.engage(raw)
    bench.speed = 5.0
    assert bench.step(raw).command.raw is not None
    bench.safety.inputs.required.on_publishers(0, 0)
    out = bench.step(raw, 100)
    assert out.command.raw is None
    assert {(c.kind, c.channel, c.before) for c in out.changes if c.channel != "blinker"} >= {
        ("input_lost", "throttle", 500.0),
        ("input_lost", "front_steer", 20.0),
    }


def test_the_cabin_is_not_required_while_safety_is_disabled() -> None:
    bench = Bench(cabin_required=True, enabled=False)
    bench.engage()
    assert bench.safety.mode is Mode.AUTONOMOUS


def test_what_is_not_required_is_never_lost() -> None:
    inputs = RequiredInputs()
    assert not inputs.check(LIMITS, 1e3)
    assert inputs.lost == ()


def test_after_a_jump_of_time_the_repetition_is_judged_again() -> None:
    source = RequiredInput("cabin_state")
    source.publishers_n = 1
    for tick_n in range(5):
        source.on_message("closed", 7.0 + 0.1 * tick_n)
    source.restart()
    for tick_n in range(3):
        source.on_message("closed", 0.1 * tick_n)
    assert source.fault(100.0) == "", "three messages are two intervals"
    source.on_message("closed", 0.3)
    assert source.fault(100.0)
