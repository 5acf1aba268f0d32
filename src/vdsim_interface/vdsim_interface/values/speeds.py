"""Every speed that means "stands", "creeps" or "moves": one row each, and the only place of it.

A row gives a constant its value; whoever uses it imports the constant. Parameters have their
defaults from here. docs/safety.md shows the table.
"""

from enum import Enum
from typing import NamedTuple


class Means(Enum):
    """What a car does at this speed, in the words of the table."""

    STANDS = "stands"
    CREEPS = "creeps"
    MOVES = "moves"


class Speed(NamedTuple):
    """One row. `users`: modules below `vdsim_interface/`; `why`: why this value."""

    name: str
    value_mps: float
    means: Means
    why: str
    users: tuple[str, ...]


TABLE: dict[str, Speed] = {}


def _row(name: str, value_mps: float, means: Means, why: str, *users: str) -> float:
    TABLE[name] = Speed(name, value_mps, means, why, users)
    return value_mps


_S, _C, _M = Means.STANDS, Means.CREEPS, Means.MOVES

TINY_MPS = _row(
    "TINY_MPS", 1e-6, _S, "a denormal number of a car at rest is reported as 0", "values/vehicle"
)
SETTLED_MPS = _row(
    "SETTLED_MPS", 0.002, _S, "the end of a soft stop is no jolt", "longitudinal/standing_brake"
)
REST_MPS = _row(
    "REST_MPS",
    0.01,
    _S,
    "a stop has ended",
    "longitudinal/standing_brake",
    "longitudinal/stopping",
    "longitudinal/acceleration_loop",
    "safety/rules",
)
CREEPS_OFF_MPS = _row(
    "CREEPS_OFF_MPS",
    0.03,
    _C,
    "beyond the noise of speed: the held car creeps, the brake is too little",
    "longitudinal/standing_brake",
    "longitudinal/acceleration_loop",
)
ROLLS_BACK_MPS = _row(
    "ROLLS_BACK_MPS",
    0.05,
    _C,
    "motion against the gear is braked",
    "longitudinal/acceleration_loop",
)
NO_SLIP_MPS = _row(
    "NO_SLIP_MPS", 0.05, _S, "below it the brake has no cap by slip", "longitudinal/slip_cap"
)
STANDSTILL_MPS = _row(
    "STANDSTILL_MPS",
    0.1,
    _S,
    "gear, PARK, hand brake and engaging need a car that stands: default of the parameters",
    "safety/limits",
    "controller/parameters",
    "arbitration/motion",
    "arbitration/safe_stop",
    "teleop/driver",
    "extras/calibration/bend_drive",
)
ROLLING_MPS = _row(
    "ROLLING_MPS",
    0.1,
    _C,
    "in P and N the sign of the speed is a direction beyond its noise",
    "values/enums",
    "platforms/vds1/platform",
)
WHEEL_MARGIN_MPS = _row(
    "WHEEL_MARGIN_MPS",
    0.2,
    _S,
    "wheels may be faster than the limit by this: they rock when a car stops",
    "standstill/stands",
)
GEAR_CHANGE_MPS = _row(
    "GEAR_CHANGE_MPS",
    0.3,
    _C,
    "no change of direction, no hand brake beyond it: default of the parameter",
    "safety/limits",
)
NO_DRIVE_MPS = _row(
    "NO_DRIVE_MPS",
    0.3,
    _C,
    "a stop has no drive below it",
    "longitudinal/stopping",
    "longitudinal/acceleration_loop",
)
STARTED_MPS = _row("STARTED_MPS", 0.5, _M, "a start is over", "longitudinal/acceleration_loop")
JUDGED_MPS = _row(
    "JUDGED_MPS",
    0.5,
    _M,
    "below it the slip of wheels is not judged: each locks at the end of a stop",
    "longitudinal/slip_cap",
)
TRACKED_MPS = _row(
    "TRACKED_MPS",
    0.5,
    _M,
    "below it a brake has no acceleration that could be compared",
    "pipeline/vehicle_watch",
)
STILL_MPS = _row(
    "STILL_MPS", 0.5, _S, "a car that gains more has not kept its speed", "plausibility/checks"
)
AGAINST_GEAR_MPS = _row(
    "AGAINST_GEAR_MPS", 0.5, _M, "motion against the gear beyond noise", "plausibility/checks"
)
COMPARED_MPS = _row(
    "COMPARED_MPS",
    1.0,
    _M,
    "below it speed, wheels and pedals are not compared: a stop ends there",
    "plausibility/checks",
)
UNSUPERVISED_MPS = _row(
    "UNSUPERVISED_MPS",
    1.0,
    _C,
    "below it a stop is not judged: it ends by its own last deceleration",
    "longitudinal/acceleration_loop",
)
SOFT_FROM_MPS = _row(
    "SOFT_FROM_MPS",
    1.0,
    _C,
    "from here a stop comes down to its last deceleration",
    "longitudinal/stopping",
)
FINAL_MPS = _row(
    "FINAL_MPS",
    1.0,
    _C,
    "below it the controller brakes with at least its final deceleration, without creeping",
    "controller/controller",
)
HOLD_BELOW_MPS = _row(
    "HOLD_BELOW_MPS",
    1.0,
    _C,
    "below it a packet that takes the drive away carries the brake that holds the slope",
    "gate/gate",
)
TURNS_MPS = _row(
    "TURNS_MPS",
    1.0,
    _M,
    "the side of the steering shows in the yaw rate",
    "extras/morai/steer_sign",
)
FAST_MPS = _row(
    "FAST_MPS",
    3.0,
    _M,
    "only above it a contradiction ends autonomy",
    "plausibility/checks",
    "plausibility/watch",
)
