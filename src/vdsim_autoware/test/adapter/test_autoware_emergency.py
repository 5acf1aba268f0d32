"""Autoware's emergency_cmd: it acts at once in every state, and a second sender ends nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_autoware.adapter import AutowareAdapter, AutowareParameters, Control, Output
from vdsim_autoware.adapter.actuation import Actuation
from vdsim_autoware.adapter.emergency import QUIET_S
from vdsim_autoware.adapter.enums import ControlMode
from vdsim_interface.values import (
    Blinker,
    Gear,
    Headlight,
    Mode,
    Odometry,
    RawCommand,
    StateReport,
    VehicleCommand,
    Wiper,
)

NOW, SPEED_MPS, ANGLE_RAD = 100.0, 8.0, 0.1
PARAMETERS = AutowareParameters()
DRIVE = StateReport(
    fuel=90,
    blinker=Blinker.OFF,
    headlight=Headlight.ON,
    wiper=Wiper.OFF,
    gear=Gear.DRIVE,
    mode=Mode.AUTONOMOUS,
    hand_brake=False,
    horn=False,
)


def adapter(parameters: AutowareParameters = PARAMETERS) -> AutowareAdapter:
    """One whose car drives."""
    made = AutowareAdapter(parameters)
    made.on_odometry(Odometry(NOW, SPEED_MPS, ANGLE_RAD))
    made.on_state_report(DRIVE, NOW)
    return made


def control(now: float, steer_rad: float = 0.2) -> Control:
    return Control(now, steer_rad, SPEED_MPS, 1.0, True)


def brakes(output: Output) -> bool:
    """Whether it brakes as hard as the adapter may."""
    command = output.command
    assert isinstance(command, VehicleCommand)
    return command.long_accel_mps2 == -PARAMETERS.decel_max_mps2


def test_it_brakes_at_once_without_any_command_and_holds_the_wheel() -> None:
    output = adapter().on_emergency(True, NOW)
    assert brakes(output)
    assert output.command.front_wheel_angle_rad == pytest.approx(ANGLE_RAD)
    assert [notice.text for notice in output.notices] == [
        "emergency_cmd is true: the car stops until it is false"
    ]


def test_it_brakes_by_each_command_and_follows_its_steering() -> None:
    made = adapter()
    made.on_emergency(True, NOW)
    output = made.on_control(control(NOW + 0.01, steer_rad=0.3))
    assert brakes(output)
    assert output.command.front_wheel_angle_rad == pytest.approx(0.3)


def test_it_goes_on_while_the_stack_is_silent() -> None:
    made = adapter()
    made.on_control(control(NOW))
    made.on_emergency(True, NOW)
    assert made.repeat_emergency(NOW + 0.05).command is None, "the last command is fresh"
    assert brakes(made.repeat_emergency(NOW + 0.2))
    assert brakes(made.repeat_emergency(NOW + 60.0)), "silence does not end it"


def test_a_false_ends_it_when_no_true_has_come_for_half_a_second() -> None:
    made = adapter()
    made.on_emergency(True, NOW)
    made.on_emergency(False, NOW + QUIET_S - 0.01)
    assert brakes(made.on_control(control(NOW + QUIET_S)))
    made.on_emergency(False, NOW + QUIET_S)
    output = made.on_control(control(NOW + QUIET_S))
    assert output.command.long_accel_mps2 == 1.0
    assert [notice.text for notice in output.notices] == ["the stop has ended: commands pass"]


@given(st.lists(st.sampled_from(["false", "control", "engage"]), max_size=30))
def test_among_whatever_else_arrives_it_acts(others: list[str]) -> None:
    made, now = adapter(), NOW
    for other in others:
        now += 0.01
        made.on_emergency(True, now)
        if other == "false":
            made.on_emergency(False, now + 0.001)
        elif other == "engage":
            made.on_engage(True)
        assert brakes(made.on_control(control(now + 0.002)))


@pytest.mark.parametrize("mode", [m for m in ControlMode if m.value in (1, 2, 3)])
def test_autonomy_does_not_begin_while_it_is_on(mode: ControlMode) -> None:
    made = adapter(replace(PARAMETERS, manual_control=True))
    made.on_control(control(NOW))
    made.on_manual_control(control(NOW))
    made.on_emergency(True, NOW)
    assert made.on_mode_request(mode, NOW)[0].refusal == "emergency_cmd is true"


def test_with_actuation_it_presses_the_pedal() -> None:
    made = adapter(replace(PARAMETERS, command="actuation"))
    at_once = made.on_emergency(True, NOW).command
    with_command = made.on_actuation(Actuation(NOW, 0.9, 0.0, 0.2)).command
    for command in (at_once, with_command):
        assert isinstance(command, RawCommand)
        assert command.throttle == 0
        assert command.brake > 0
    harder = made.on_actuation(Actuation(NOW, 0.9, 0.0, 0.2)).command
    engaged_off = adapter(replace(PARAMETERS, command="actuation"))
    engaged_off.on_engage(False)
    assert harder.brake > engaged_off.on_actuation(Actuation(NOW, 0.9, 0.0, 0.2)).command.brake
