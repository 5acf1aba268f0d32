"""Lamps, wipers and horn of a station, on a car that the interface has parked: it stays ours."""

import pytest
from vdsim_interface.extras.fake.platform import FakeParameters
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.teleop.state_requests import StateRequests
from vdsim_interface.values import (
    BodyCommand,
    Gear,
    Headlight,
    HighLevelCommand,
    Mode,
    state_report,
)
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.interface import Drive

STAND = HighLevelCommand(0.0)
SLOW = HighLevelCommand(0.0, 1.0)
SAFETY = SafetyParameters(rig="driverless", hold_park_after_s=2.0)
LAMPS = (Action.HEADLIGHT, Action.WIPER, Action.HORN, Action.BLINKER_LEFT, Action.HAZARD)


class Parked:
    """A car that the interface has parked, `held` by the stack in autonomy or without it."""

    def __init__(self, *, autonomous: bool) -> None:
        self.requests = StateRequests()
        self.drive = Drive(safety=SAFETY, fake=FakeParameters(initial_gear="DRIVE"))
        self.drive.run(0.1)
        self.engage()
        self.drive.run(2.0, SLOW)
        if not autonomous:
            self.drive.heard(
                self.drive.pipeline.safety_side.on_change_mode(False, self.drive.now)[1]
            )
        self.stand(4.5)
        assert self.is_parked

    def engage(self) -> None:
        result, _ = self.drive.pipeline.safety_side.on_change_mode(True, self.drive.now)
        assert result.success, result.reason

    def stand(self, seconds: float) -> None:
        self.drive.run(seconds, STAND)

    def press(self, action: Action) -> None:
        """Press and release a button, as the station sends it."""
        for pressed in (True, False):
            vehicle, now = self.drive.pipeline.vehicle, self.drive.now
            assert vehicle is not None
            report = state_report(vehicle.body, self.drive.pipeline.mode)
            message, _ = self.requests.on_action(action, pressed, report, now)
            if message is not None:
                self.drive.message(message)
            self.stand(0.2)

    def drives_off(self) -> bool:
        """Whether it does when it is to drive, with an engage where that is needed."""
        if self.drive.pipeline.mode is not Mode.AUTONOMOUS:
            self.engage()
        self.drive.run(3.0, SLOW)
        return self.drive.speed > 0.5

    @property
    def body(self) -> BodyCommand:
        return self.drive.outputs[-1].sent.command.body

    @property
    def is_parked(self) -> bool:
        return self.body.hand_brake and self.body.gear is Gear.PARK


@pytest.mark.parametrize("autonomous", [False, True])
@pytest.mark.parametrize("action", LAMPS)
def test_a_lamp_leaves_hand_brake_and_park_ours(action: Action, *, autonomous: bool) -> None:
    car = Parked(autonomous=autonomous)
    car.press(action)
    car.stand(1.0)
    assert car.is_parked
    assert car.drives_off()
    assert not car.body.hand_brake
    assert car.body.gear is Gear.DRIVE


@pytest.mark.parametrize("autonomous", [False, True])
def test_so_do_several(*, autonomous: bool) -> None:
    car = Parked(autonomous=autonomous)
    for action in (*LAMPS, *LAMPS):
        car.press(action)
    assert car.is_parked
    assert car.drives_off()


def test_a_lamp_lights() -> None:
    car = Parked(autonomous=True)
    car.press(Action.HEADLIGHT)
    assert car.body.headlight is Headlight.ON


@pytest.mark.parametrize("lamps", [(), (Action.HEADLIGHT,), (Action.HORN, Action.WIPER)])
@pytest.mark.parametrize("action", [Action.GEAR_PARK])
def test_park_that_is_pressed_is_the_persons(action: Action, lamps: tuple[Action, ...]) -> None:
    car = Parked(autonomous=True)
    for lamp in lamps:
        car.press(lamp)
    car.stand(2.5)  # a message that is repeated within 2 s belongs to a stream
    car.press(action)
    assert not car.drives_off()
    assert car.body.gear is Gear.PARK


def test_a_gear_that_is_pressed_after_a_lamp_counts() -> None:
    car = Parked(autonomous=True)
    car.press(Action.HEADLIGHT)
    car.press(Action.GEAR_DRIVE)
    car.stand(1.0)
    assert car.body.gear is Gear.DRIVE
    assert not car.body.hand_brake


def test_a_hand_brake_that_a_person_releases_and_sets_is_the_persons() -> None:
    car = Parked(autonomous=True)
    car.press(Action.HEADLIGHT)
    car.press(Action.HAND_BRAKE)
    assert not car.body.hand_brake
    car.press(Action.HAND_BRAKE)
    assert car.body.hand_brake
    assert not car.drives_off()


def test_a_message_that_only_sets_the_hand_brake_sets_it() -> None:
    car = Parked(autonomous=True)
    message = StateMessage(gear=int(Gear.PARK), hand_brake=True)
    car.drive.message(message)
    assert not car.drives_off()
