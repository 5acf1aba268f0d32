"""Keys -> intent, and the panel."""

from dataclasses import replace

import pytest
from vdsim_interface.arbitration.motion import MeasuredMotion
from vdsim_interface.extras.teleop.keyboard import ACTION_KEYS, DRIVING_KEYS, QUIT_KEYS, Keyboard
from vdsim_interface.extras.teleop.keyboard_driver import KeyboardDriver
from vdsim_interface.extras.teleop.panel import HELP, panel_lines
from vdsim_interface.teleop.driver import Phase
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.teleop.parameters import KeyboardParameters, KeyboardTeleopParameters
from vdsim_interface.teleop.station import ActionEvent
from vdsim_interface.values import (
    ControlLevel,
    Gear,
    HighLevelCommand,
    Mode,
    RawCommand,
    VehicleCommand,
)
from vdsim_interface_kit.teleop import STATE, ToyCar

HIGH = ControlLevel.HIGH_LEVEL
DT_S = 0.02


def press(keyboard: Keyboard, keys: str, now: float = 0.0, speed_mps: float = 0.0) -> None:
    for key in keys:
        keyboard.on_key(key, speed_mps, 10.0, now)


def test_every_action_has_exactly_one_key_and_no_key_two_meanings() -> None:
    backspace = {"KEY_BACKSPACE", "\x7f", "\b"}  # one key: terminals name it differently
    actions = [action for key, action in ACTION_KEYS.items() if key not in backspace]
    actions.append(ACTION_KEYS["\b"])
    assert sorted(actions, key=list(Action).index) == list(Action)
    assert not set(ACTION_KEYS) & set(DRIVING_KEYS)
    assert not (set(ACTION_KEYS) | set(DRIVING_KEYS)) & QUIT_KEYS
    text = " ".join(HELP)
    assert all(key in text for key in set(ACTION_KEYS) - backspace)
    assert "BACKSPACE" in text


def test_speed_is_stepped_and_clamped() -> None:
    keyboard = Keyboard(KeyboardParameters())
    press(keyboard, "www")
    assert keyboard.intent(HIGH).speed_mps == 3.0
    press(keyboard, "wwwwwwwwww")
    assert keyboard.intent(HIGH).speed_mps == 10.0
    press(keyboard, "ssssssssssss")
    assert keyboard.intent(HIGH).speed_mps == 0.0


def test_driving_starts_from_the_cars_speed() -> None:
    keyboard = Keyboard(KeyboardParameters())
    press(keyboard, "w", speed_mps=6.5)
    assert keyboard.intent(HIGH).speed_mps == 7.5


@pytest.mark.parametrize("level", [ControlLevel.VEHICLE, ControlLevel.RAW])
def test_on_levels_with_pedals_keys_press_them(level: ControlLevel) -> None:
    keyboard = Keyboard(KeyboardParameters())
    press(keyboard, "www")
    assert keyboard.intent(level).throttle == pytest.approx(0.3)
    press(keyboard, "sssss")
    assert keyboard.intent(level).throttle == 0.0
    assert keyboard.intent(level).brake == pytest.approx(0.2)


def test_the_wheel_returns_when_no_steering_key_comes() -> None:
    keyboard = Keyboard(KeyboardParameters())
    keyboard.tick(0.0)
    press(keyboard, "aa")
    assert keyboard.intent(HIGH).steer == pytest.approx(0.3)
    keyboard.tick(0.6)
    assert keyboard.intent(HIGH).steer == pytest.approx(0.3)
    keyboard.tick(0.7)
    keyboard.tick(0.75)
    assert 0.0 <= keyboard.intent(HIGH).steer < 0.3
    keyboard.tick(1.5)
    assert keyboard.intent(HIGH).steer == 0.0
    press(keyboard, "ddd")
    assert keyboard.intent(HIGH).steer == pytest.approx(-0.45)
    press(keyboard, "c")
    assert keyboard.intent(HIGH).steer == 0.0


def test_space_stops_and_forgets_the_speed() -> None:
    keyboard = Keyboard(KeyboardParameters())
    press(keyboard, "www ")
    assert not keyboard.intent(HIGH).active
    assert keyboard.intent(HIGH).why == "space was pressed"
    press(keyboard, "w")
    assert keyboard.intent(HIGH).speed_mps == 1.0


def test_without_a_key_the_car_stops() -> None:
    keyboard = Keyboard(KeyboardParameters(attention_s=5.0))
    press(keyboard, "w")
    keyboard.tick(4.9)
    assert keyboard.intent(HIGH).active
    assert keyboard.attention_left_s(4.0) == pytest.approx(1.0)
    keyboard.tick(5.0)
    assert keyboard.intent(HIGH).why == "no key for 5 s"
    assert keyboard.attention_left_s(6.0) is None


def test_attention_can_be_switched_off() -> None:
    keyboard = Keyboard(KeyboardParameters(attention_s=0.0))
    press(keyboard, "w")
    keyboard.tick(1000.0)
    assert keyboard.intent(HIGH).active
    assert keyboard.attention_left_s(1000.0) is None


@pytest.mark.parametrize("key", sorted(QUIT_KEYS))
def test_leaving_stops_for_good(key: str) -> None:
    keyboard = Keyboard(KeyboardParameters())
    press(keyboard, "w" + key + "ww")
    assert keyboard.closed
    assert not keyboard.intent(HIGH).active


def test_the_horn_ends_by_itself() -> None:
    keyboard = Keyboard(KeyboardParameters())
    assert keyboard.on_key("b", 0.0, 10.0, 1.0) == (ActionEvent(Action.HORN, True),)
    assert keyboard.tick(1.4) == ()
    assert keyboard.tick(1.5) == (ActionEvent(Action.HORN, False),)
    assert keyboard.tick(1.6) == ()


def drive(core: KeyboardDriver, car: ToyCar, start: float, duration_s: float) -> float:
    for step in range(round(duration_s / DT_S)):
        now = start + step * DT_S
        core.station.on_odometry(car.odometry(), now)
        core.station.on_state_report(car.state)
        car.step(core.tick(now).command, DT_S)
    return start + duration_s


def test_losing_the_terminal_stops_the_car_and_then_the_node_may_end() -> None:
    core, car = KeyboardDriver(KeyboardTeleopParameters()), ToyCar()
    now = drive(core, car, 0.0, 0.1)
    for _ in range(5):
        core.on_key("w", now)
    now = drive(core, car, now, 4.0)
    assert car.velocity_mps > 4.0
    core.keyboard.on_closed("the terminal is gone")
    assert not core.finished
    now = drive(core, car, now, 8.0)
    assert car.motion().standing
    assert core.finished


def test_in_reverse_gear_the_reverse_limit_counts() -> None:
    core, car = KeyboardDriver(KeyboardTeleopParameters()), ToyCar()
    car.shift(Gear.REVERSE)
    now = drive(core, car, 0.0, 0.1)
    for _ in range(9):
        core.on_key("w", now)
    drive(core, car, now, 4.0)
    assert -3.2 < car.velocity_mps < -2.5


def test_the_panel_shows_the_car_and_the_state() -> None:
    core, car = KeyboardDriver(KeyboardTeleopParameters()), ToyCar()
    blank = panel_lines(core.panel("", "", "", 0.0), 200)
    assert any("speed    --.--" in line for line in blank)
    assert "state idle: press w to drive" in blank
    car.velocity_mps, car.wheel_angle_rad = 2.0, 0.1
    car.become(Mode.AUTONOMOUS)
    now = drive(core, car, 0.0, 0.1)
    core.on_key("w", now)
    drive(core, car, now, 0.1)
    lines = "\n".join(panel_lines(core.panel("ok", "keyboard", "PARK refused", now), 200))
    for part in (
        "speed   +",
        "deg",
        "gear  DRIVE",
        "AUTONOMOUS",
        "dead-man: press any key within",
    ):
        assert part in lines
    for part in ("link  ok", "in control: keyboard", "last refusal: PARK refused", "curvature"):
        assert part in lines


def test_our_own_refusal_is_shown_before_the_interfaces() -> None:
    core = KeyboardDriver(KeyboardTeleopParameters())
    core.on_key("f", 0.0)
    core.tick(0.0)
    assert "has not reported" in core.panel("", "", "other", 0.0).last_refusal


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (HighLevelCommand(0.0, 1.5, 0.01), "+1.50 m/s, curvature +0.0100 1/m"),
        (VehicleCommand(0.0, -1.0, 0.1), "-1.00 m/s2, wheel angle +5.7 deg"),
        (RawCommand(0.0, 5, 6, -7), "throttle 5, brake 6, steer -7"),
        (None, "none (high_level)"),
    ],
)
def test_every_command_has_a_text(command: object, words: str) -> None:
    core = KeyboardDriver(KeyboardTeleopParameters())
    data = replace(core.panel("", "", "", 0.0), command=command)
    assert f"command {words}" in panel_lines(data, 200)


def test_lines_are_cut_to_the_terminal() -> None:
    core = KeyboardDriver(KeyboardTeleopParameters())
    data = replace(
        core.panel("", "", "", 0.0), phase=Phase.STOPPING, motion=MeasuredMotion(1.0, 0.1, STATE)
    )
    assert max(len(line) for line in panel_lines(data, 20)) == 20
    assert set(panel_lines(data, 0)) == {""}
