"""The message between safety stage and platform stage carries a SafeCommand whole."""

import pytest
from vdsim_interface.ros.messages.sides import safe_command_message, safe_command_value
from vdsim_interface.values import (
    AccelMeaning,
    Authority,
    BodyCommand,
    Gear,
    Mode,
    PlatformCommand,
    SafeCommand,
    VehicleCommand,
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
