"""The numbers that the interface's messages carry for gears, modes, lamps and wipers."""

from enum import Enum, IntEnum

from vdsim_interface.values.speeds import ROLLING_MPS


class Gear(IntEnum):
    """Gear selector, as VehicleStateCommand and VehicleStateReport number it."""

    DRIVE = 0
    REVERSE = 1
    PARK = 2
    LOW = 3
    NEUTRAL = 4


class Source(IntEnum):
    """Where a command ends, or a value comes from, as Capability numbers it.

    MODELLED: the interface computes the value, or holds the command and echoes it.
    """

    ABSENT = 0
    MODELLED = 1
    VEHICLE = 2


class Mode(IntEnum):
    """Who drives, as VehicleStateReport numbers it."""

    MANUAL = 0
    NOT_READY = 1
    AUTONOMOUS = 2
    DISENGAGED = 3


class Blinker(IntEnum):
    """Turn and hazard lamps."""

    OFF = 0
    LEFT = 1
    RIGHT = 2
    HAZARD = 3


class Headlight(IntEnum):
    """Front lamps."""

    OFF = 0
    ON = 1
    HIGH = 2


class Wiper(IntEnum):
    """Windscreen wipers; CLEAN is one wash, not continuous wiping."""

    OFF = 0
    LOW = 1
    HIGH = 2
    CLEAN = 3


class ControlLevel(str, Enum):
    """Which of the three command messages drives the car."""

    RAW = "raw"
    VEHICLE = "vehicle"
    HIGH_LEVEL = "high_level"


class Authority(IntEnum):
    """What may reach the vehicle.

    COMMAND: the stack's commands, made safe. IDLE: the interface's own safe command (brake,
    steering held). SILENT: nothing at all, because a person drives.
    """

    SILENT = 0
    IDLE = 1
    COMMAND = 2


class AccelMeaning(IntEnum):
    """What a commanded acceleration means, and whether the car is to move or to stop.

    FLAT_ROAD: what the pedals would give on level ground; its sender compensates the slope.
    KINEMATIC: what the car is to do; the acceleration loop compensates slope and pedals. DRIVE:
    kinematic, and the car is to move in the direction of its gear, however small the acceleration.
    STOP: kinematic, and the car is to come to rest and stay there.
    """

    FLAT_ROAD = 0
    KINEMATIC = 1
    DRIVE = 2
    STOP = 3


class Holder(IntEnum):
    """Who keeps a car at rest: nobody (it drives, or is to drive), our stop or hold, the stack."""

    NOBODY = 0
    OURS = 1
    STACK = 2


FORWARD_GEARS = frozenset({Gear.DRIVE, Gear.LOW})
_DIRECTIONS = tuple(
    -1 if gear is Gear.REVERSE else int(gear in FORWARD_GEARS) for gear in sorted(Gear)
)
"""By the number of the gear: an attribute or a hash of an enumeration costs as much as a call."""


def drive_direction(gear: Gear) -> int:
    """Return the sign of the motion that throttle causes: +1 D and L, -1 R, 0 P and N."""
    return _DIRECTIONS[gear]


def travel_direction(gear: Gear, velocity_mps: float) -> int:
    """Return the sign of the acceleration that drives: the gear's; in P and N the motion's."""
    return _DIRECTIONS[gear] or (-1 if velocity_mps < -ROLLING_MPS else 1)


def braking_accel(gear: Gear, velocity_mps: float, decel_mps2: float) -> float:
    """Return the acceleration that every platform turns into brake, never into throttle [m/s2].

    An acceleration in the direction of the gear is throttle, whichever way the car rolls. So the
    sign of the gear decides, also for a car that stands in R or rolls back a little in D. P and N
    have no direction: there the direction of motion counts, forward for a car at rest. `decel_mps2`
    is at least 0; the result is positive towards the front (ISO 8855 x).
    """
    return -travel_direction(gear, velocity_mps) * decel_mps2
