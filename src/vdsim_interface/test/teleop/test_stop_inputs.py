"""An emergency stop that arrives acts: whatever else its message holds, whoever else sends.

One property for every input of a core that can carry one (tools/generate/stop_inputs.py has the
table). Messages before it are anything, from any number of senders; the stop is the last one.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from vdsim_interface.arbitration.interface_parameters import ArbitrationParameters
from vdsim_interface.arbitration.mux import EMERGENCY_LOCK
from vdsim_interface.extras.teleop.keyboard import ACTION_KEYS, DRIVING_KEYS, QUIT_KEYS
from vdsim_interface.extras.teleop.keyboard_driver import KeyboardDriver
from vdsim_interface.pipeline.intake import Intake
from vdsim_interface.teleop.driver import Phase
from vdsim_interface.teleop.gamepad_driver import GamepadDriver
from vdsim_interface.teleop.mapping import Action, GamepadMapping
from vdsim_interface.teleop.mapping_file import load_folder, load_mapping
from vdsim_interface.teleop.parameters import GamepadTeleopParameters, KeyboardTeleopParameters
from vdsim_interface.values import ControlLevel, HighLevelCommand, Odometry, VehicleCommand
from vdsim_interface_kit.teleop import GAMEPADS, STATE, XBOX, PlayedPad

SHIPPED = load_folder(GAMEPADS)
WITH_STOP = [mapping for mapping in SHIPPED if Action.EMERGENCY_STOP in mapping.actions]
DASHBOARD = load_mapping(GAMEPADS / "game_controller.yaml")
Joy = tuple[tuple[float, ...], tuple[int, ...]]

AXIS = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([-1.0, 0.0, 1.0, 1.3])
BUTTON = st.integers(-(2**31), 2**31 - 1) | st.sampled_from([0, 1])
ANY_JOY = st.tuples(
    st.lists(AXIS, max_size=12).map(tuple), st.lists(BUTTON, max_size=24).map(tuple)
)


@st.composite
def stops(draw: Any, mapping: GamepadMapping) -> Joy:
    """A Joy with the stop of this mapping, long enough for it; all else is anything."""
    switch = mapping.actions[Action.EMERGENCY_STOP]
    needed = max(switch.button or 0, switch.with_button or 0) + 1
    buttons = draw(st.lists(BUTTON, min_size=needed, max_size=30))
    axes = draw(st.lists(AXIS, min_size=(switch.axis or 0) + 1, max_size=12))
    assume(not _is_of_another_kind(mapping, len(axes), len(buttons)))
    for index in (switch.button, switch.with_button):
        if index is not None:
            buttons[index] = draw(st.sampled_from([1, 2, -1]))
    if switch.axis is not None:
        axes[switch.axis] = math.copysign(draw(st.sampled_from([1.0, 1.3])), switch.beyond)
    return tuple(axes), tuple(buttons)


def _is_of_another_kind(mapping: GamepadMapping, axes: int, buttons: int) -> bool:
    return any(m.is_shape(axes, buttons) for m in SHIPPED if m is not mapping)


def test_every_shipped_mapping_has_a_stop() -> None:
    assert tuple(WITH_STOP) == SHIPPED


@pytest.mark.parametrize("mapping", WITH_STOP, ids=[mapping.name for mapping in WITH_STOP])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_stop_button_of_a_gamepad_acts_in_every_message(
    mapping: GamepadMapping, data: st.DataObject
) -> None:
    driver = GamepadDriver((mapping,), GamepadTeleopParameters())
    for n, before in enumerate(data.draw(st.lists(ANY_JOY, max_size=4))):
        driver.on_joy(*before, now=0.01 * n)
    driver.tick(0.05)
    driver.station.on_active_locks((EMERGENCY_LOCK,))  # whatever was requested before
    driver.on_joy(*data.draw(stops(mapping)), now=0.1)
    for now in (0.1, 0.12, 2.0):
        assert driver.tick(now).emergency_stop, "until it is confirmed, for 2 s"
    driver.station.on_active_locks((EMERGENCY_LOCK,))
    assert not driver.tick(2.02).emergency_stop


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_the_page_and_its_pad_stop_in_every_message(data: st.DataObject) -> None:
    """It is latched in the arbiter with the message itself, and shown as a lock."""
    intake = Intake(
        ArbitrationParameters(), DASHBOARD, level=ControlLevel.HIGH_LEVEL, wheelbase_m=2.97
    )
    level = ControlLevel.HIGH_LEVEL
    intake.on_motion(Odometry(99.9, 5.0, 0.0, 0.0), STATE, 99.9)
    for n, before in enumerate(data.draw(st.lists(ANY_JOY, max_size=4))):
        intake.on_joy(*before, level, 99.9 + 0.01 * n)
    if data.draw(st.booleans()):
        intake.restart()
    intake.on_joy(*data.draw(stops(DASHBOARD)), level, 100.0)
    assert intake.mux.emergency == "dashboard"
    assert EMERGENCY_LOCK in intake.mux.active_locks(100.0)
    assert "emergency stop by dashboard" in intake.refuses_engage
    for n, after in enumerate(data.draw(st.lists(ANY_JOY, max_size=4))):
        intake.on_joy(*after, level, 100.01 + 0.01 * n)
        intake.tick(100.01 + 0.01 * n)
    assert intake.mux.emergency == "dashboard"


@settings(max_examples=100, deadline=None)
@given(keys=st.lists(st.sampled_from([*DRIVING_KEYS, *ACTION_KEYS, "?", "KEY_RESIZE", ""])))
def test_the_stop_key_acts_after_any_keys(keys: list[str]) -> None:
    for stop in [key for key, action in ACTION_KEYS.items() if action is Action.EMERGENCY_STOP]:
        driver = KeyboardDriver(KeyboardTeleopParameters())
        for n, key in enumerate(keys):
            assert key not in QUIT_KEYS
            driver.on_key(key, 0.001 * n)
        driver.station.on_active_locks((EMERGENCY_LOCK,))
        driver.on_key(stop, 0.1)
        assert driver.tick(0.1).emergency_stop
        assert driver.station.driver.phase is not Phase.DRIVING


# ---- what the properties do not say --------------------------------------------------------------


def driven(*mappings: GamepadMapping) -> tuple[GamepadDriver, PlayedPad]:
    """A pad that commands with full throttle."""
    driver, pad = GamepadDriver(mappings or (XBOX,), GamepadTeleopParameters()), PlayedPad()
    for n in range(5):
        if n == 2:
            pad.hold("deadman")
        if n == 3:
            pad.pedal("throttle", 1.0)
        driver.on_joy(*pad.joy(), now=0.05 * n)
        driver.tick(0.05 * n)
    assert driver.station.driver.phase is Phase.DRIVING
    return driver, pad


@pytest.mark.parametrize("value", [math.nan, math.inf, 1.3])
def test_an_axis_that_the_mapping_does_not_use_is_not_judged(value: float) -> None:
    driver, pad = driven()
    used = {XBOX.steer.axis, XBOX.throttle.axis, XBOX.brake.axis}
    used |= {switch.axis for switch in XBOX.actions.values()}
    spare = next(n for n in range(XBOX.axes) if n not in used)
    pad.axes[spare] = value
    driver.on_joy(*pad.joy(), now=0.5)
    assert driver.pad.intent().throttle == 1.0
    assert driver.tick(0.5).notices == ()


def test_a_joy_too_short_for_its_mapping_is_a_safe_stop_with_its_reason() -> None:
    driver, _ = driven()
    driver.on_joy((0.0, 0.0), (0,), now=0.5)
    intent = driver.pad.intent()
    assert not intent.active
    assert intent.why == (
        "a Joy message has 2 axes and 1 buttons; the mapping 'Xbox' needs 8 and 11"
    )
    output = driver.tick(0.5)
    assert [notice.kind for notice in output.notices] == ["device_too_small", "stopping"]
    assert driver.station.driver.phase is Phase.STOPPING


def test_a_second_sender_of_another_shape_stops_and_does_not_take_the_mapping() -> None:
    driver, pad = driven(*SHIPPED)
    other = PlayedPad(DASHBOARD)
    driver.on_joy(*other.joy(), now=0.5)
    assert not driver.pad.intent().active
    driver.on_joy(*pad.joy(), now=0.51)
    assert not driver.pad.intent().active, "its dead-man button must be released first"


def test_a_stop_button_that_is_still_held_stops_again_after_give_back() -> None:
    intake = Intake(
        ArbitrationParameters(), DASHBOARD, level=ControlLevel.HIGH_LEVEL, wheelbase_m=2.97
    )
    pad = PlayedPad(DASHBOARD)
    pad.hold(Action.EMERGENCY_STOP)
    for now in (1.0, 1.02):
        intake.on_joy(*pad.joy(), ControlLevel.HIGH_LEVEL, now)
        assert intake.mux.emergency == "dashboard"
        done, _, _ = intake.give_back("service", now)
        assert done
        assert not intake.mux.emergency


def test_a_held_stop_is_reported_once() -> None:
    driver, pad = driven()
    pad.hold(Action.EMERGENCY_STOP)
    kinds = []
    for n in range(20):
        driver.on_joy(*pad.joy(), now=0.5 + 0.05 * n)
        kinds += [notice.kind for notice in driver.tick(0.5 + 0.05 * n).notices]
    assert kinds.count("emergency_stop_requested") == 1


def test_the_arbiter_keeps_a_stop_among_any_false_messages_and_commands() -> None:
    intake = Intake(
        ArbitrationParameters(), DASHBOARD, level=ControlLevel.HIGH_LEVEL, wheelbase_m=2.97
    )
    intake.on_motion(Odometry(1.0, 5.0, 0.0, 0.0), STATE, 1.0)
    intake.on_stack(HighLevelCommand(1.0, 5.0, 0.0), 1.0)
    output = intake.emergency_stop("topic emergency_stop", 1.0)
    assert intake.mux.emergency
    for n in range(50):
        now = 1.0 + 0.01 * n
        output = intake.on_stack(HighLevelCommand(now, 9.0, 0.0), now)
        output = intake.on_source("remote", VehicleCommand(now, 3.0, 0.0), now)
        intake.on_lock("stop_all", False, now)
        assert output.command is None or output.command != HighLevelCommand(now, 9.0, 0.0)
    assert intake.mux.emergency == "topic emergency_stop"
