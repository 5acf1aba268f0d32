"""Commands as plain values, from the stack to the platform.

Angles are road-wheel angles in rad, positive to the left (ISO 8855); accelerations and speeds are
along the body's x axis, negative when reversing. `stamp_s` is the time of receipt on the clock of
the interface: ages are computed from it, never from the sender's clock. Values that are built in
every period are NamedTuples, which cost half of a frozen dataclass.
"""

import math
import struct
from dataclasses import dataclass
from typing import NamedTuple

from vdsim_interface.values.enums import (
    AccelMeaning,
    Authority,
    Blinker,
    ControlLevel,
    Gear,
    Headlight,
    Holder,
    Mode,
    Wiper,
)
from vdsim_interface.values.records import record

_SINGLE = struct.Struct("<f")
SINGLES = struct.Struct("<3f")
SINGLE_MAX = 3.4028234663852886e38


def single(value: float) -> float:
    """Round to the float32 that the messages carry, so that every composition computes the same."""
    if not -SINGLE_MAX <= value <= SINGLE_MAX:
        return value if math.isnan(value) else math.copysign(math.inf, value)
    result: float = _SINGLE.unpack(_SINGLE.pack(value))[0]
    return result


class RawCommand(NamedTuple):
    """Integrator's units, scaled by the platform's parameters. Pedals >= 0.

    Throttle [VI-1.1.1], brake [VI-1.1.2], steering [VI-1.1.3] without the comfort limits.
    """

    stamp_s: float
    throttle: int = 0
    brake: int = 0
    front_steer: int = 0
    rear_steer: int = 0


class VehicleCommand(NamedTuple):
    """Acceleration and wheel angles, the level of a driver's pedals and steering wheel.

    Throttle [VI-1.1.1], brake [VI-1.1.2], steering [VI-1.1.3].
    """

    stamp_s: float
    long_accel_mps2: float = 0.0
    front_wheel_angle_rad: float = 0.0
    rear_wheel_angle_rad: float = 0.0

    def is_finite(self) -> bool:
        """Return whether every channel is a finite number."""
        # A sum is non-finite when any term is; commands are far from overflow (float32 range).
        return math.isfinite(
            self.long_accel_mps2 + self.front_wheel_angle_rad + self.rear_wheel_angle_rad
        )


def make_vehicle_command(
    stamp_s: float, long_accel_mps2: float, front_rad: float, rear_rad: float
) -> VehicleCommand:
    """Build a command as a stage passes it on: rounded to the message's float32. Finite input."""
    try:
        accel, front, rear = SINGLES.unpack(SINGLES.pack(long_accel_mps2, front_rad, rear_rad))
    except OverflowError:  # beyond float32, where it becomes infinite
        accel, front, rear = single(long_accel_mps2), single(front_rad), single(rear_rad)
    return record(VehicleCommand, (stamp_s, accel, front, rear))


class HighLevelCommand(NamedTuple):
    """Speed [VI-4.1] and path curvature [VI-4.2] (1/m, positive to the left)."""

    stamp_s: float
    velocity_mps: float = 0.0
    curvature_1pm: float = 0.0

    def is_finite(self) -> bool:
        """Return whether both channels are finite numbers."""
        return math.isfinite(self.velocity_mps + self.curvature_1pm)


Command = RawCommand | VehicleCommand | HighLevelCommand
COMMAND_OF: dict[ControlLevel, type[Command]] = {
    ControlLevel.RAW: RawCommand,
    ControlLevel.VEHICLE: VehicleCommand,
    ControlLevel.HIGH_LEVEL: HighLevelCommand,
}
LEVEL_OF: dict[type[Command], ControlLevel] = {kind: level for level, kind in COMMAND_OF.items()}


@dataclass(frozen=True, slots=True)
class StateCommand:
    """A request about everything but motion. None: not named, so left as it is.

    `undefined`: numbers of the message that mean nothing, in words.
    """

    blinker: Blinker | None = None
    headlight: Headlight | None = None
    wiper: Wiper | None = None
    gear: Gear | None = None
    hand_brake: bool | None = None
    horn: bool | None = None
    mode: Mode | None = None
    autonomous: bool | None = None
    undefined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BodyCommand:
    """The whole commanded state of the body, after the safety rules.

    Gear [VI-1.1.4], headlights [VI-1.1.5], turn signals [VI-1.1.6], hazard lamps [VI-1.1.7], horn
    [VI-1.1.8], wipers [VI-1.1.9], hand brake.
    """

    gear: Gear = Gear.PARK
    blinker: Blinker = Blinker.OFF
    headlight: Headlight = Headlight.OFF
    wiper: Wiper = Wiper.OFF
    hand_brake: bool = False
    horn: bool = False


class Standing(NamedTuple):
    """From the safety side to the vehicle side: who holds the car, and what ends PARK of ours.

    `may_release`: a request to drive passes; hand brake and PARK of ours are to be released.
    `takes_gear`, `takes_hand_brake`: a sender has requested a gear, or the hand brake, which is its
    own from now on. All three last until the feedback shows that nothing more is ours.
    """

    holder: Holder = Holder.NOBODY
    may_release: bool = False
    takes_gear: bool = False
    takes_hand_brake: bool = False


NOT_STANDING = Standing()


class PlatformCommand(NamedTuple):
    """Output of the safety stage for the platform. `raw`, unless None, outranks `vehicle`.

    What reaches a platform comes from the acceleration loop: the acceleration is that of level
    ground. `hold_mps2`: brake in addition to the drive, as a deceleration; only for platforms with
    `pedals_overlap`. `past_map`: the brake may go on beyond the end of the platform's pedal map,
    because the slip of the wheels is supervised. `no_drive`: no throttle at all, however little the
    acceleration needs. `engage_wanted`: somebody asks for autonomy, which does not drive yet.
    The gear of `body` is the one to drive in, its hand brake what a person or a sender has set;
    `standing` says why our hand brake and PARK are set. Without autonomy the body stays as
    reported.
    """

    authority: Authority
    mode: Mode
    vehicle: VehicleCommand
    body: BodyCommand
    raw: RawCommand | None = None
    meaning: AccelMeaning = AccelMeaning.FLAT_ROAD
    hold_mps2: float = 0.0
    past_map: bool = False
    no_drive: bool = False
    engage_wanted: bool = False
    standing: Standing = NOT_STANDING


class WireCommand(NamedTuple):
    """What a platform put on its wire; nan where that quantity is not sent."""

    front_wheel_angle_rad: float
    throttle: float = math.nan
    brake: float = math.nan
    long_accel_mps2: float = math.nan


@dataclass(frozen=True, slots=True)
class AuxiliaryCommand:
    """Additional platform-specific control values by name ([VI-2.2]); advisory on VDS1."""

    stamp_s: float
    values: tuple[tuple[str, float], ...] = ()
