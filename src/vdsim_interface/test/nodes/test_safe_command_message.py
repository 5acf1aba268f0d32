"""The messages between safety stage and platform stage carry their values whole."""

import pytest
from vdsim_interface.ros.messages.sides import (
    feedback_message,
    feedback_value,
    safe_command_message,
    safe_command_value,
)
from vdsim_interface.values import (
    AccelMeaning,
    Authority,
    BodyCommand,
    BodyState,
    DriverActivity,
    Gear,
    Mode,
    Odometry,
    PlatformCommand,
    SafeCommand,
    VehicleCommand,
    VehicleFeedback,
)


@pytest.mark.parametrize("sets_parking", [False, True])
@pytest.mark.parametrize("engage_wanted", [False, True])
def test_a_command_without_autonomy_is_the_same_again(
    sets_parking: bool, engage_wanted: bool
) -> None:
    command = PlatformCommand(
        Authority.IDLE,
        Mode.DISENGAGED,
        VehicleCommand(12.5, -2.5, 0.25),
        BodyCommand(Gear.PARK, hand_brake=True),
        meaning=AccelMeaning.STOP,
        engage_wanted=engage_wanted,
        sets_parking=sets_parking,
    )
    again = safe_command_value(safe_command_message(SafeCommand(13.0, command)))
    assert again.command == command


@pytest.mark.parametrize("gear", [None, *Gear])
@pytest.mark.parametrize("ours", [False, True])
def test_feedback_names_whose_hand_brake_and_park_are(gear: Gear | None, *, ours: bool) -> None:
    feedback = VehicleFeedback(
        odometry=Odometry(1.0, 0.5, 0.25),
        body=BodyState(gear=Gear.PARK, hand_brake=True),
        driver=DriverActivity(pedal=True),
        ready=True,
        fault="one",
        doubt="two",
        wheel_mps=0.5,
        hand_brake_ours=ours,
        gear_before_park=gear,
    )
    again = feedback_value(feedback_message(feedback), lambda stamp: 1.0)
    assert again == feedback
