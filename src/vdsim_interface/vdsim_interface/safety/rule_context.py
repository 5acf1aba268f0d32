"""What the motion rules work on: a wanted motion and what was seen.

`drive_mps2` is the acceleration in the direction of travel that the gear gives: positive speeds the
car up in gear, negative brakes, in D and in R alike. So each rule is written once for both.
"""

from dataclasses import dataclass
from typing import NamedTuple

from vdsim_interface.values import Gear

CALM = (False, False, False)
"""No channel oscillates."""


class Motion(NamedTuple):
    """Acceleration in the travel direction and road-wheel angles."""

    drive_mps2: float
    front_rad: float
    rear_rad: float


@dataclass(slots=True)
class Seen:
    """What a motion rule may know. Speeds along the body's x axis, angles as measured."""

    speed_mps: float
    front_rad: float
    rear_rad: float
    gear: Gear
    hand_brake: bool
    at_rest: bool
    previous: Motion
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
    rear_in_vain: bool = False
    """A rear wheel angle is asked of a platform that cannot steer its rear wheels."""

    @property
    def is_plain(self) -> bool:
        """Tell whether the car simply drives: none of the special situations is there."""
        return (
            self.command_fresh
            and self.link_fresh
            and self.cabin_secured
            and self.oscillating == CALM
            and self.gear is not Gear.PARK
            and self.gear is not Gear.NEUTRAL
            and not (self.blocked or self.hand_brake or self.at_rest or self.shifting)
            and not self.rear_in_vain
        )
