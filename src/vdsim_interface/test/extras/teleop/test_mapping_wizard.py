"""The wizard that makes a mapping for an unknown device."""

from collections.abc import Iterator

import pytest
from vdsim_interface.extras.teleop.joystick import JoySample
from vdsim_interface.extras.teleop.mapping_wizard import MappingWizard
from vdsim_interface.teleop.gamepad import Gamepad
from vdsim_interface.teleop.mapping import Action, PedalAxis, SteerAxis, Switch
from vdsim_interface.teleop.mapping_file import dump_mapping, parse_mapping
from vdsim_interface.teleop.parameters import GamepadParameters

DT_S = 0.05


class Person:
    """Does to a device what the wizard asks for: 4 axes (2 and 3 are pedals), 9 buttons."""

    def __init__(self) -> None:
        self.wizard = MappingWizard("Odd Wheel")
        self.axes = [0.0, 0.0, 1.0, -1.0]
        self.buttons = [0] * 9
        self.now = 0.0

    def wait(self, duration_s: float = 0.6) -> None:
        for _ in range(round(duration_s / DT_S)):
            self.now += DT_S
            self.wizard.on_sample(JoySample(tuple(self.axes), tuple(self.buttons)), self.now)

    def begin(self) -> None:
        self.wait()
        assert "press Enter" in self.wizard.prompt
        self.wizard.on_enter()
        assert self.wizard.prompt == "Release everything"
        self.wait()

    def move(self, axis: int, value: float) -> None:
        rest, self.axes[axis] = self.axes[axis], value
        self.wait(0.2)
        self.axes[axis] = rest
        self.wait()

    def press(self, *buttons: int) -> None:
        for button in buttons:
            self.buttons[button] = 1
            self.wait(0.1)
        for button in reversed(buttons):
            self.buttons[button] = 0
        self.wait()


@pytest.fixture
def person() -> Iterator[Person]:
    somebody = Person()
    somebody.begin()
    return somebody


def needed(person: Person) -> None:
    person.move(0, -1.0)  # this wheel says -1 for left
    person.move(2, -1.0)
    person.move(3, 1.0)


def test_a_whole_run_gives_a_mapping_that_drives(person: Person) -> None:
    needed(person)
    person.press(0)
    for action in Action:
        assert action.value.upper() in person.wizard.prompt
        if action is Action.ENGAGE:
            person.press(1)
        elif action is Action.DISENGAGE:
            person.press(8, 1)
        elif action is Action.GEAR_DRIVE:
            person.move(1, 1.0)
        else:
            person.wizard.on_enter()
    assert person.wizard.done
    mapping = person.wizard.result()
    assert mapping.steer == SteerAxis(0, invert=True)
    assert mapping.throttle == PedalAxis(2, rest=1.0, pressed=-1.0)
    assert mapping.brake == PedalAxis(3, rest=-1.0, pressed=1.0)
    assert mapping.deadman == Switch(button=0)
    assert mapping.actions == {
        Action.ENGAGE: Switch(button=1),
        Action.DISENGAGE: Switch(button=1, with_button=8),
        Action.GEAR_DRIVE: Switch(axis=1, beyond=0.5),
    }
    pad = Gamepad((mapping,), GamepadParameters())
    pad.on_joy((0.0, 0.0, 1.0, -1.0), (0,) * 9, now=0.0)
    pad.on_joy((-1.0, 0.0, -1.0, -1.0), (1,) + (0,) * 8, now=0.1)
    intent = pad.intent()
    assert (intent.active, intent.steer, intent.throttle, intent.brake) == (True, 1.0, 1.0, 0.0)


def test_the_file_it_writes_reads_back(person: Person) -> None:
    import yaml

    needed(person)
    while not person.wizard.done:
        person.wizard.on_enter()
    mapping = person.wizard.result()
    assert mapping.deadman is None
    assert parse_mapping(yaml.safe_load(dump_mapping(mapping)), "x") == mapping


def test_what_is_needed_to_drive_cannot_be_left_out(person: Person) -> None:
    prompt = person.wizard.prompt
    person.wizard.on_enter()
    assert person.wizard.problem == "this control is required"
    assert person.wizard.prompt == prompt


def test_two_things_at_once_are_not_clear(person: Person) -> None:
    person.axes[0], person.axes[1] = 1.0, 1.0
    person.wait(0.2)
    person.axes[0], person.axes[1] = 0.0, 0.0
    problem = ""
    for _ in range(20):
        person.wait(DT_S)
        problem = problem or person.wizard.problem
    assert "ambiguous" in problem
    assert "LEFT" in person.wizard.prompt


def test_one_thing_has_one_meaning(person: Person) -> None:
    needed(person)
    person.press(0)
    problem = ""
    person.buttons[0] = 1
    person.wait(0.1)
    person.buttons[0] = 0
    for _ in range(20):
        person.wait(DT_S)
        problem = problem or person.wizard.problem
    assert "already assigned" in problem
    assert "ENGAGE" in person.wizard.prompt


def test_a_pedal_may_be_a_button_and_a_trigger_that_clicks_is_an_axis(person: Person) -> None:
    person.move(0, 1.0)
    person.press(4)
    person.buttons[5] = 1
    person.move(2, -1.0)
    person.buttons[5] = 0
    person.wait()
    while not person.wizard.done:
        person.wizard.on_enter()
    mapping = person.wizard.result()
    assert mapping.throttle == Switch(button=4)
    assert mapping.brake == PedalAxis(2, rest=1.0, pressed=-1.0)
