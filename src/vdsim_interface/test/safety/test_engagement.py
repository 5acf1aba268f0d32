"""Whether somebody waits for autonomy: a link asks an unknown vehicle for its reports then."""

import math

import pytest
from vdsim_interface.safety.authority import LastDriver
from vdsim_interface.safety.engagement import ASKED_S, Engagement, NewRequest
from vdsim_interface.safety.inputs import Inputs, LatestCommand
from vdsim_interface.safety.modes import ModeEvent
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import VehicleCommand

MANUAL = SafetyParameters()
DRIVERLESS = SafetyParameters(rig="driverless")
BY_ITSELF = SafetyParameters(auto_engage=True, rig="driverless")
NOW = 1024.0


def engagement_of(limits: SafetyParameters, command_age_s: float = math.inf) -> Engagement:
    """Nothing is reported; at NOW the stack's command is that old."""
    latest = LatestCommand(0.5)
    latest.command = VehicleCommand(NOW - command_age_s)
    return Engagement(limits, Inputs(), latest)


def test_before_any_request_nobody_waits() -> None:
    engagement = engagement_of(MANUAL)
    for now in (0.0, 0.25, 1.0, 1e6):
        assert not engagement.is_wanted(now)


@pytest.mark.parametrize(
    ("after_s", "waits"), [(-1.0, False), (0.0, True), (ASKED_S, True), (ASKED_S + 0.25, False)]
)
def test_a_refused_request_waits_for_a_while(after_s: float, waits: bool) -> None:
    engagement = engagement_of(MANUAL)
    engagement.refuse("the vehicle does not report", 16.0)
    assert engagement.is_wanted(16.0 + after_s) is waits


@pytest.mark.parametrize(
    ("limits", "command_age_s", "waits"),
    [
        (BY_ITSELF, 0.0, True),
        (BY_ITSELF, 0.5, True),
        (BY_ITSELF, 0.75, False),
        (DRIVERLESS, 0.0, False),
    ],
)
def test_commands_wait_where_they_engage(
    limits: SafetyParameters, command_age_s: float, waits: bool
) -> None:
    assert engagement_of(limits, command_age_s).is_wanted(NOW) is waits


def test_a_person_who_takes_the_car_ends_the_wait() -> None:
    engagement = engagement_of(MANUAL)
    engagement.refuse("the vehicle does not report", 1.0)
    engagement.handle(ModeEvent.OVERRIDE)
    assert not engagement.is_wanted(1.0)


def test_an_interface_that_is_deactivated_does_not_wait() -> None:
    engagement = engagement_of(MANUAL)
    engagement.refuse("no", 1.0)
    engagement.stop()
    assert not engagement.is_wanted(1.0)


@pytest.mark.parametrize(
    ("rests", "secured_until", "asks"),
    [
        (4, 9, True),  # at rest for a second, then it drives
        (3, 9, False),  # for less
        (0, 9, False),  # it asked to drive all the time
        (4, 2, False),  # something stopped the car within that second
    ],
)
def test_a_new_request_is_a_second_at_rest_and_then_motion(
    rests: int, secured_until: int, asks: bool
) -> None:
    request = NewRequest()
    for n in range(rests):
        assert not request.step(0.25 * n, secured=n < secured_until, asks_to_drive=False)
    assert request.step(0.25 * rests, secured=True, asks_to_drive=True) is asks
    request.reset()
    assert not request.step(9.0, secured=True, asks_to_drive=True), "a stop came since"


def driven() -> Engagement:
    engagement = engagement_of(DRIVERLESS)
    for event in (ModeEvent.ENGAGE, ModeEvent.READY):
        assert engagement.handle(event) is not None
    return engagement


def test_who_drove_last_outlives_the_mode() -> None:
    assert engagement_of(DRIVERLESS).last_driver is LastDriver.UNKNOWN
    engagement = driven()
    assert engagement.last_driver is LastDriver.AUTONOMY
    engagement.handle(ModeEvent.OVERRIDE)
    assert engagement.last_driver is LastDriver.PERSON


def test_rest_before_the_end_of_autonomy_is_no_new_request() -> None:
    engagement = driven()
    request = engagement._new_request
    request.step(0.0, secured=True, asks_to_drive=False)
    engagement.handle(ModeEvent.LINK_LOST)
    assert not request.step(2.0, secured=True, asks_to_drive=True)
    request.step(3.0, secured=True, asks_to_drive=False)
    engagement.handle(ModeEvent.DISENGAGE)
    assert request.step(4.0, secured=True, asks_to_drive=True), "it rested after autonomy ended"
