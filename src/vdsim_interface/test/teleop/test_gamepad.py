"""The pad's part of gamepad_teleop: dead-man, silence, loss, chords, choice of the mapping."""

from dataclasses import replace

import pytest
from vdsim_interface.teleop.gamepad import Gamepad
from vdsim_interface.teleop.mapping import Action, GamepadMapping
from vdsim_interface.teleop.mapping_file import load_folder
from vdsim_interface.teleop.parameters import GamepadParameters
from vdsim_interface.teleop.station import ActionEvent
from vdsim_interface_kit.teleop import GAMEPADS, XBOX, PlayedPad

SHIPPED = load_folder(GAMEPADS)


def ready(parameters: GamepadParameters | None = None) -> tuple[Gamepad, PlayedPad]:
    """A pad that has said its first, quiet word at time 0."""
    gamepad, played = Gamepad((XBOX,), parameters or GamepadParameters()), PlayedPad()
    gamepad.on_joy(*played.joy(), now=0.0)
    return gamepad, played


def held(gamepad: Gamepad, played: PlayedPad, now: float = 0.1) -> None:
    played.hold("deadman")
    gamepad.on_joy(*played.joy(), now=now)


def test_nothing_drives_before_the_first_message() -> None:
    intent = Gamepad((XBOX,), GamepadParameters()).intent()
    assert not intent.active
    assert intent.why == "no Joy message received yet"


def test_the_dead_man_button_drives_and_its_release_stops() -> None:
    gamepad, played = ready()
    assert gamepad.intent().why == "dead-man button released"
    held(gamepad, played)
    played.pedal("throttle", 1.0)
    played.steer(1.0)
    gamepad.on_joy(*played.joy(), now=0.2)
    intent = gamepad.intent()
    assert (intent.active, intent.steer, intent.throttle, intent.brake) == (True, 1.0, 1.0, 0.0)
    played.hold("deadman", False)
    gamepad.on_joy(*played.joy(), now=0.3)
    assert not gamepad.intent().active


def test_a_dead_man_button_held_since_the_start_must_be_released_first() -> None:
    gamepad, played = Gamepad((XBOX,), GamepadParameters()), PlayedPad()
    held(gamepad, played, now=0.0)
    assert not gamepad.intent().active
    played.hold("deadman", False)
    gamepad.on_joy(*played.joy(), now=0.1)
    held(gamepad, played, now=0.2)
    assert gamepad.intent().active


def test_without_the_requirement_no_button_is_needed() -> None:
    gamepad, _ = ready(GamepadParameters(require_deadman=False))
    assert gamepad.intent().active


def test_a_mapping_without_dead_man_button_says_why_it_does_not_drive() -> None:
    gamepad = Gamepad((replace(XBOX, deadman=None),), GamepadParameters())
    gamepad.on_joy(*PlayedPad().joy(), now=0.0)
    assert "has no dead-man button" in gamepad.intent().why


def test_silence_stops_and_the_dead_man_button_must_be_released_again() -> None:
    gamepad, played = ready()
    held(gamepad, played, now=1.0)
    assert gamepad.tick(1.29) == ((), ())
    events, notices = gamepad.tick(1.31)
    assert [report.kind for report in notices] == ["joy_silent"]
    assert events == ()
    assert gamepad.intent().why == "no Joy message for 0.3 s"
    assert gamepad.tick(1.5) == ((), ())  # told once
    gamepad.on_joy(*played.joy(), now=2.0)
    assert not gamepad.intent().active
    played.hold("deadman", False)
    gamepad.on_joy(*played.joy(), now=2.1)
    held(gamepad, played, now=2.2)
    assert gamepad.intent().active


def test_unplugging_stops_at_once_and_lets_go_of_the_horn() -> None:
    gamepad, played = ready()
    gamepad.on_device("Microsoft X-Box One pad")
    gamepad.on_joy(*played.joy(), now=0.0)
    held(gamepad, played)
    played.hold(Action.HORN)
    gamepad.on_joy(*played.joy(), now=0.2)
    events, notices = gamepad.on_device("")
    assert events == (ActionEvent(Action.HORN, False),)
    assert [report.kind for report in notices] == ["device_lost"]
    assert gamepad.intent().why == "Microsoft X-Box One pad was disconnected"
    assert gamepad.on_device("") == ((), ())
    assert gamepad.tick(99.0) == ((), ())  # silence is no second reason


def test_a_message_that_is_not_a_number_is_ignored_and_does_not_keep_the_car_alive() -> None:
    gamepad, played = ready()
    held(gamepad, played)
    played.pedal("throttle", 0.5)
    axes, buttons = played.joy()
    broken = (*axes[:-1], float("nan"))
    _, notices = gamepad.on_joy(broken, buttons, now=0.39)
    assert [report.kind for report in notices] == ["joy_not_finite"]
    assert gamepad.intent().throttle == 0.0
    assert gamepad.tick(0.41)[1][0].kind == "joy_silent"


def test_the_emergency_stop_acts_in_every_message_that_holds_it() -> None:
    gamepad, played = Gamepad((XBOX,), GamepadParameters()), PlayedPad()
    played.hold(Action.EMERGENCY_STOP)
    for n, again in enumerate((False, True, True)):
        events, _ = gamepad.on_joy(*played.joy(), now=0.1 * n)
        assert events == (ActionEvent(Action.EMERGENCY_STOP, True, again=again),)
    played.hold(Action.EMERGENCY_STOP, False)
    assert gamepad.on_joy(*played.joy(), now=0.4) == ((), ())


@pytest.mark.parametrize("action", [each for each in Action if each is not Action.EMERGENCY_STOP])
def test_every_action_is_pressed_and_released_alone(action: Action) -> None:
    gamepad, played = ready()
    chord = XBOX.actions[action].with_button
    if chord is not None:
        played.buttons[chord] = 1
        gamepad.on_joy(*played.joy(), now=0.05)
    played.hold(action)
    events, _ = gamepad.on_joy(*played.joy(), now=0.1)
    assert events == (ActionEvent(action, True),)
    assert gamepad.on_joy(*played.joy(), now=0.15) == ((), ())
    played.hold(action, False)
    events, _ = gamepad.on_joy(*played.joy(), now=0.2)
    assert events == (ActionEvent(action, False),)


def test_buttons_held_before_the_first_message_were_not_pressed_now() -> None:
    gamepad, played = Gamepad((XBOX,), GamepadParameters()), PlayedPad()
    played.hold(Action.GEAR_REVERSE)
    assert gamepad.on_joy(*played.joy(), now=0.0)[0] == ()


def test_the_mapping_is_found_by_name_and_told() -> None:
    gamepad = Gamepad(SHIPPED, GamepadParameters())
    gamepad.on_device("Wireless Controller")
    _, notices = gamepad.on_joy((0.0,) * 8, (0,) * 13, now=0.0)
    assert [report.kind for report in notices] == ["device_found"]
    assert "PlayStation" in notices[0].text


def test_another_device_on_the_same_topic_is_recognised() -> None:
    gamepad = Gamepad(SHIPPED, GamepadParameters())
    gamepad.on_device("Wireless Controller")
    gamepad.on_joy((0.0,) * 8, (0,) * 13, now=0.0)
    gamepad.on_device("Nintendo Switch Pro Controller")
    assert "no Joy message received from" in gamepad.intent().why
    gamepad.on_joy((0.0,) * 6, (0,) * 14, now=1.0)
    assert gamepad.mapping is not None
    assert gamepad.mapping.name == "Switch Pro"


def test_an_unknown_device_does_not_drive_and_is_told_once() -> None:
    gamepad = Gamepad(SHIPPED, GamepadParameters())
    _, notices = gamepad.on_joy((0.0,) * 3, (1,) * 3, now=0.0)
    assert [report.kind for report in notices] == ["device_unknown"]
    assert "vdsim_gamepad map" in notices[0].text
    assert gamepad.on_joy((0.0,) * 3, (1,) * 3, now=0.1) == ((), ())
    assert "no mapping fits" in gamepad.intent().why


def test_a_device_too_small_for_the_chosen_mapping_is_told() -> None:
    gamepad = Gamepad((XBOX,), GamepadParameters())
    _, notices = gamepad.on_joy((0.0,) * 2, (0,) * 11, now=0.0)
    assert [report.kind for report in notices] == ["device_too_small"]
    assert "'Xbox' needs 8 and 11" in notices[0].text


@pytest.mark.parametrize("mapping", SHIPPED, ids=[mapping.name for mapping in SHIPPED])
def test_every_shipped_mapping_drives(mapping: GamepadMapping) -> None:
    gamepad, played = Gamepad((mapping,), GamepadParameters()), PlayedPad(mapping)
    gamepad.on_joy(*played.joy(), now=0.0)
    held(gamepad, played)
    for pedal in ("throttle", "brake"):
        played.pedal(pedal, 1.0)
        gamepad.on_joy(*played.joy(), now=0.2)
        assert getattr(gamepad.intent(), pedal) == 1.0
        played.pedal(pedal, 0.0)
        gamepad.on_joy(*played.joy(), now=0.3)
        assert getattr(gamepad.intent(), pedal) == 0.0
    played.steer(-1.0)
    gamepad.on_joy(*played.joy(), now=0.4)
    assert gamepad.intent().steer == -1.0
