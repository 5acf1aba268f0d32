"""Buttons -> state commands that change what was asked for and nothing else."""

from dataclasses import replace
from typing import Any

import pytest
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.teleop.state_requests import STATE_ACTIONS, StateRequests
from vdsim_interface.values import Blinker, Gear, Headlight, StateReport, Wiper
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.teleop import STATE

LIT = replace(
    STATE,
    blinker=Blinker.HAZARD,
    headlight=Headlight.HIGH,
    wiper=Wiper.CLEAN,
    gear=Gear.PARK,
    hand_brake=True,
)


def message_of(state: StateReport, **changed: Any) -> StateMessage:
    fields = {
        name: getattr(state, name)
        for name in ("blinker", "headlight", "wiper", "gear", "hand_brake", "horn")
    }
    return StateMessage(**{**fields, **changed})


@pytest.mark.parametrize(
    ("action", "state", "changed"),
    [
        (Action.GEAR_DRIVE, STATE, {"gear": Gear.DRIVE}),
        (Action.GEAR_REVERSE, STATE, {"gear": Gear.REVERSE}),
        (Action.GEAR_PARK, STATE, {"gear": Gear.PARK}),
        (Action.GEAR_NEUTRAL, LIT, {"gear": Gear.NEUTRAL}),
        (Action.GEAR_LOW, STATE, {"gear": Gear.LOW}),
        (Action.BLINKER_LEFT, STATE, {"blinker": Blinker.LEFT}),
        (Action.BLINKER_RIGHT, LIT, {"blinker": Blinker.RIGHT}),
        (Action.HAZARD, STATE, {"blinker": Blinker.HAZARD}),
        (Action.HAZARD, LIT, {"blinker": Blinker.OFF}),
        (Action.HEADLIGHT, STATE, {"headlight": Headlight.ON}),
        (Action.HEADLIGHT, LIT, {"headlight": Headlight.OFF}),
        (Action.WIPER, STATE, {"wiper": Wiper.LOW}),
        (Action.WIPER, LIT, {"wiper": Wiper.OFF}),
        (Action.HAND_BRAKE, STATE, {"hand_brake": True}),
        (Action.HAND_BRAKE, LIT, {"hand_brake": False}),
        (Action.HORN, LIT, {"horn": True}),
    ],
)
def test_a_press_changes_what_it_names_and_nothing_else(
    action: Action, state: StateReport, changed: dict[str, Any]
) -> None:
    message, notices = StateRequests().on_action(action, True, state, now=0.0)
    assert message == message_of(state, **changed)
    assert [report.kind for report in notices] == ["request_sent"]


def test_releases_mean_nothing_but_for_the_horn() -> None:
    requests = StateRequests()
    for action in STATE_ACTIONS - {Action.HORN}:
        assert requests.on_action(action, False, STATE, now=0.0) == (None, ())
    message, _ = requests.on_action(Action.HORN, False, replace(STATE, horn=True), now=0.0)
    assert message == message_of(STATE, horn=False)


def test_two_quick_presses_make_two_steps() -> None:
    requests = StateRequests()
    requests.on_action(Action.HEADLIGHT, True, STATE, now=0.0)
    message, _ = requests.on_action(Action.HEADLIGHT, True, STATE, now=0.05)
    assert message == message_of(STATE, headlight=Headlight.HIGH)


def test_what_was_just_asked_for_is_not_undone_by_the_next_request() -> None:
    requests = StateRequests()
    requests.on_action(Action.HAND_BRAKE, True, STATE, now=0.0)
    message, _ = requests.on_action(Action.HAZARD, True, STATE, now=0.05)
    assert message == message_of(STATE, hand_brake=True, blinker=Blinker.HAZARD)


@pytest.mark.parametrize("action", [Action.GEAR_DRIVE, Action.GEAR_REVERSE, Action.GEAR_LOW])
def test_a_gear_that_drives_releases_a_hand_brake_of_the_interface(action: Action) -> None:
    requests = StateRequests()
    message, _ = requests.on_action(action, True, LIT, now=0.0)
    assert message is not None
    assert not message.hand_brake
    message, _ = requests.on_action(Action.HAZARD, True, LIT, now=0.05)
    assert message is not None
    assert not message.hand_brake, "before the vehicle reports it"


def test_a_gear_keeps_a_hand_brake_that_the_person_has_set() -> None:
    requests = StateRequests()
    requests.on_action(Action.HAND_BRAKE, True, STATE, now=0.0)
    requests.update(LIT, now=0.1)
    message, _ = requests.on_action(Action.GEAR_DRIVE, True, LIT, now=0.2)
    assert message == message_of(LIT, gear=Gear.DRIVE)
    requests.on_action(Action.HAND_BRAKE, True, LIT, now=0.3)
    requests.update(STATE, now=0.4)
    message, _ = requests.on_action(Action.GEAR_DRIVE, True, LIT, now=0.5)
    assert message == message_of(LIT, gear=Gear.DRIVE, hand_brake=False)


def test_without_a_report_nothing_is_sent_and_a_notice_says_so() -> None:
    message, notices = StateRequests().on_action(Action.GEAR_DRIVE, True, None, now=0.0)
    assert message is None
    assert [report.kind for report in notices] == ["request_ignored"]


def test_a_request_without_effect_is_reported_once_and_removed() -> None:
    requests = StateRequests(timeout_s=4.0)
    requests.on_action(Action.GEAR_PARK, True, STATE, now=0.0)
    assert requests.update(STATE, 3.9) == ()
    notices = requests.update(STATE, 4.0)
    assert [report.kind for report in notices] == ["request_unmet"]
    assert notices[0].text.startswith("gear PARK had no effect")
    assert requests.update(STATE, 9.0) == ()
    message, _ = requests.on_action(Action.HAZARD, True, STATE, now=9.0)
    assert message == message_of(STATE, blinker=Blinker.HAZARD)


def test_a_request_that_is_met_is_no_timeout() -> None:
    requests = StateRequests(timeout_s=4.0)
    requests.on_action(Action.HAND_BRAKE, True, STATE, now=0.0)
    assert requests.update(replace(STATE, hand_brake=True), 1.0) == ()
    assert requests.update(STATE, 5.0) == ()
