"""Input of the motion rules: a commanded motion, and the context in which they check it.

`drive_mps2` is the acceleration in the direction of travel that the gear gives: positive speeds the
car up, negative brakes it, in D and in R alike. So each rule is written once for both.
"""

from enum import IntFlag
from typing import NamedTuple

from vdsim_interface.values import NO_STOPS, Gear, Stop

PARK, NEUTRAL = Gear.PARK, Gear.NEUTRAL
NOT_OSCILLATING = (False, False, False)
"""No channel oscillates."""


class MotionCommand(NamedTuple):
    """Acceleration in the travel direction and road-wheel angles."""

    drive_mps2: float
    front_rad: float
    rear_rad: float


class Special(IntFlag):
    """Situations beyond plain driving. A rule may name those that it applies to (`only_when`)."""

    NOTHING = 0
    BLOCKED = 1
    COMMAND_STALE = 2
    LINK_STALE = 4
    CABIN_UNSECURED = 8
    OSCILLATING = 16
    HAND_BRAKE = 32
    NO_DRIVE_GEAR = 64
    SHIFTING = 128
    AT_REST = 256
    REAR_STEERING_UNSUPPORTED = 512
    INPUT_LOST = 1024
    EMERGENCY = 2048


STOPPING = 1 + 2 + 4 + 8 + 1024 + 2048
"""The situations in which a stop may stand, as a plain number: blocked, a stale command or link, an
unsecured cabin, a lost input, an emergency."""


class RuleContext(NamedTuple):
    """The situation as the rules see it. Speed along the body's x axis, angles as measured.

    `wheelbase_m`: of a car without understeer that curves alike at this speed.
    """

    speed_mps: float
    front_rad: float
    rear_rad: float
    gear: Gear
    hand_brake: bool
    at_rest: bool
    previous: MotionCommand
    period_s: float
    blocked: bool
    command_fresh: bool
    link_fresh: bool
    cabin_secured: bool
    shifting: bool
    oscillating: tuple[bool, bool, bool]
    wheelbase_m: float
    front_max_rad: float
    rear_max_rad: float
    rear_steering_unsupported: bool = False
    """A rear wheel angle is commanded on a platform that cannot steer its rear wheels."""
    input_lost: bool = False
    """The source of an input that autonomy requires is not alive."""
    emergency: Stop | None = None
    """The emergency stop that is latched."""
    wants_motion: bool = False
    """The car is to move, however small the commanded acceleration."""
    stops: tuple[Stop, ...] = NO_STOPS
    """Those that stand."""

    def special(self) -> int:
        """Return the special situations that hold, as a sum of `Special`; 0 in plain driving."""
        # Plain numbers: an operation on IntFlag members costs a microsecond.
        return (
            self.blocked
            + 2 * (not self.command_fresh)
            + 4 * (not self.link_fresh)
            + 8 * (not self.cabin_secured)
            + 16 * (self.oscillating != NOT_OSCILLATING)
            + 32 * self.hand_brake
            + 64 * (self.gear is PARK or self.gear is NEUTRAL)
            + 128 * self.shifting
            + 256 * self.at_rest
            + 512 * self.rear_steering_unsupported
            + 1024 * self.input_lost
            + 2048 * (self.emergency is not None)
        )
