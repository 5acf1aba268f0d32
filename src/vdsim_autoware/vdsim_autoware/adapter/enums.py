"""The numbers of Autoware's messages <-> the values of the interface; each table is total.

autoware_vehicle_msgs uses the same numbers for a command and for its report. Of the 25 gears a car
with one forward and one reverse range has PARK, NEUTRAL, DRIVE, REVERSE and LOW.
"""

from __future__ import annotations

from enum import Enum, IntEnum

from vdsim_interface.values import Blinker, Gear, Mode


class GearNumber(IntEnum):
    """GearCommand and GearReport; 3 to 19 are DRIVE_2 to DRIVE_18."""

    NONE = 0
    NEUTRAL = 1
    DRIVE = 2
    REVERSE = 20
    REVERSE_2 = 21
    PARK = 22
    LOW = 23
    LOW_2 = 24


class TurnNumber(IntEnum):
    """TurnIndicatorsCommand and TurnIndicatorsReport."""

    NO_COMMAND = 0
    DISABLE = 1
    ENABLE_LEFT = 2
    ENABLE_RIGHT = 3


class HazardNumber(IntEnum):
    """HazardLightsCommand and HazardLightsReport."""

    NO_COMMAND = 0
    DISABLE = 1
    ENABLE = 2


class ControlMode(IntEnum):
    """ControlModeReport; ControlModeCommand has the first five."""

    NO_COMMAND = 0
    AUTONOMOUS = 1
    AUTONOMOUS_STEER_ONLY = 2
    AUTONOMOUS_VELOCITY_ONLY = 3
    MANUAL = 4
    DISENGAGED = 5
    NOT_READY = 6


class DoorNumber(IntEnum):
    """DoorStatus of autoware_adapi_v1_msgs, as far as a cabin without motors has them."""

    OPENED = 2
    CLOSED = 3


class ApiGear(IntEnum):
    """Gear of autoware_adapi_v1_msgs: numbers of its own."""

    NEUTRAL = 1
    DRIVE = 2
    REVERSE = 3
    PARK = 4
    LOW = 5


class Unusable(Enum):
    """Why a number requests nothing.

    NO_REQUEST: defined as "no command", ignored without a word. UNSUPPORTED: defined, and this car
    does not have it. UNDEFINED: not in the table.
    """

    NO_REQUEST = "requests nothing"
    UNSUPPORTED = "is not supported by this vehicle"
    UNDEFINED = "is undefined"


NO_REQUEST, UNSUPPORTED = Unusable.NO_REQUEST, Unusable.UNSUPPORTED

GEARS_IN: dict[int, Gear | Unusable] = {
    **dict.fromkeys(range(25), UNSUPPORTED),
    GearNumber.NONE: NO_REQUEST,
    GearNumber.NEUTRAL: Gear.NEUTRAL,
    GearNumber.DRIVE: Gear.DRIVE,
    GearNumber.REVERSE: Gear.REVERSE,
    GearNumber.PARK: Gear.PARK,
    GearNumber.LOW: Gear.LOW,
}
GEARS_OUT: dict[Gear, GearNumber] = {
    Gear.NEUTRAL: GearNumber.NEUTRAL,
    Gear.DRIVE: GearNumber.DRIVE,
    Gear.REVERSE: GearNumber.REVERSE,
    Gear.PARK: GearNumber.PARK,
    Gear.LOW: GearNumber.LOW,
}

API_GEARS_OUT: dict[Gear, ApiGear] = {gear: ApiGear[gear.name] for gear in Gear}
"""Indicators and hazard lights have the same numbers in autoware_adapi_v1_msgs: see TURNS_OUT."""

TURNS_IN: dict[int, Blinker | Unusable] = {
    TurnNumber.NO_COMMAND: NO_REQUEST,
    TurnNumber.DISABLE: Blinker.OFF,
    TurnNumber.ENABLE_LEFT: Blinker.LEFT,
    TurnNumber.ENABLE_RIGHT: Blinker.RIGHT,
}
TURNS_OUT: dict[Blinker, TurnNumber] = {
    Blinker.OFF: TurnNumber.DISABLE,
    Blinker.LEFT: TurnNumber.ENABLE_LEFT,
    Blinker.RIGHT: TurnNumber.ENABLE_RIGHT,
    Blinker.HAZARD: TurnNumber.DISABLE,
}
"""Hazard lights outrank the turn indicators, which are off meanwhile."""

HAZARDS_IN: dict[int, bool | Unusable] = {
    HazardNumber.NO_COMMAND: NO_REQUEST,
    HazardNumber.DISABLE: False,
    HazardNumber.ENABLE: True,
}
HAZARDS_OUT: dict[Blinker, HazardNumber] = {
    blinker: HazardNumber.ENABLE if blinker is Blinker.HAZARD else HazardNumber.DISABLE
    for blinker in Blinker
}

REQUESTED_MODES: dict[int, ControlMode | Unusable] = {
    ControlMode.NO_COMMAND: NO_REQUEST,
    **{
        int(mode): mode
        for mode in (
            ControlMode.AUTONOMOUS,
            ControlMode.AUTONOMOUS_STEER_ONLY,
            ControlMode.AUTONOMOUS_VELOCITY_ONLY,
            ControlMode.MANUAL,
        )
    },
}
MODES_OUT: dict[Mode, ControlMode] = {
    Mode.MANUAL: ControlMode.MANUAL,
    Mode.NOT_READY: ControlMode.NOT_READY,
    Mode.AUTONOMOUS: ControlMode.AUTONOMOUS,
    Mode.DISENGAGED: ControlMode.DISENGAGED,
}
"""While AUTONOMOUS the groups that the stack commands decide: see ACCEPTED."""


class Accepted(Enum):
    """Groups of commands that come from the stack: (velocity and gear, steering and indicators)."""

    BOTH = (True, True)
    STEERING = (False, True)
    VELOCITY = (True, False)
    NONE = (False, False)

    @property
    def velocity(self) -> bool:
        """Speed, acceleration and gear."""
        return self.value[0]

    @property
    def steering(self) -> bool:
        """Wheel angle and turn indicators."""
        return self.value[1]


ACCEPTED: dict[ControlMode, Accepted] = {
    ControlMode.NO_COMMAND: Accepted.NONE,
    ControlMode.AUTONOMOUS: Accepted.BOTH,
    ControlMode.AUTONOMOUS_STEER_ONLY: Accepted.STEERING,
    ControlMode.AUTONOMOUS_VELOCITY_ONLY: Accepted.VELOCITY,
    ControlMode.MANUAL: Accepted.NONE,
    ControlMode.DISENGAGED: Accepted.NONE,
    ControlMode.NOT_READY: Accepted.NONE,
}
"""Hazard lights and doors are accepted whenever the mode is one of the three AUTONOMOUS ones."""
