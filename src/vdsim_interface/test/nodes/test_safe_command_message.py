"""The messages between safety stage and platform stage carry their values whole."""

import pytest
from vdsim_interface.extras.stages.ros.sides import (
    feedback_message,
    feedback_value,
    safe_command_message,
    safe_command_value,
)
from vdsim_interface.values import (
    NOT_STANDING,
    AccelMeaning,
    Authority,
    BodyCommand,
    BodyState,
    DriverActivity,
    Gear,
    Holder,
    Mode,
    Odometry,
    Parked,
    PlatformCommand,
    SafeCommand,
    Standing,
    VehicleCommand,
    VehicleFeedback,
)


@pytest.mark.parametrize(
    "standing",
    [
        NOT_STANDING,
        Standing(Holder.OURS),
        Standing(Holder.STACK, takes_gear=True),
        Standing(may_release=True),
        Standing(takes_hand_brake=True),
    ],
)
@pytest.mark.parametrize("engage_wanted", [False, True])
def test_a_command_without_autonomy_is_the_same_again(
    standing: Standing, *, engage_wanted: bool
) -> None:
    command = PlatformCommand(
        Authority.IDLE,
        Mode.DISENGAGED,
        VehicleCommand(12.5, -2.5, 0.25),
        BodyCommand(Gear.PARK, hand_brake=True),
        meaning=AccelMeaning.STOP,
        engage_wanted=engage_wanted,
        standing=standing,
    )
    again = safe_command_value(safe_command_message(SafeCommand(13.0, command)))
    assert again.command == command


@pytest.mark.parametrize("gear", [None, *Gear])
@pytest.mark.parametrize("ours", [False, True])
@pytest.mark.parametrize("held", [False, True])
def test_feedback_names_whose_hand_brake_and_park_are(
    gear: Gear | None, *, ours: bool, held: bool
) -> None:
    feedback = VehicleFeedback(
        odometry=Odometry(1.0, 0.5, 0.25),
        body=BodyState(gear=Gear.PARK, hand_brake=True),
        driver=DriverActivity(pedal=True),
        ready=True,
        fault="one",
        doubt="two",
        wheel_mps=0.5,
        parked=Parked(hand_brake=ours, gear_before=gear, is_held=held),
    )
    again = feedback_value(feedback_message(feedback), lambda stamp: 1.0)
    assert again == feedback
