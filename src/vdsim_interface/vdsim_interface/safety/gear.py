"""Gear interlocks: which shifts are refused, the automatic choice of D or R, and when we park.

Where the vehicle reports its wheels, they must agree with the speed: one wrong signal alone neither
parks a car that moves nor changes its direction.
"""

import math
from typing import NamedTuple

from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import (
    FORWARD_GEARS,
    Gear,
    Notice,
    RawCommand,
    VehicleCommand,
    drive_direction,
    notice_kinds,
)

WHEEL_MARGIN_MPS = 0.2
"""Wheels may turn faster than the limit for the speed by this: they rock when a car stops."""


def wheels_stand(wheel_mps: float, at_most_mps: float) -> bool:
    """Whether the wheels are about as slow as a limit for the speed, or not reported (nan)."""
    return not abs(wheel_mps) > at_most_mps + WHEEL_MARGIN_MPS


def refusal(
    current: Gear,
    requested: Gear,
    speed_mps: float | None,
    limits: SafetyParameters,
    wheel_mps: float = math.nan,
) -> Notice | None:
    """Return why a shift is refused, None when it is allowed. `speed_mps` None: unknown.

    `wheel_mps`: speed of the fastest wheel, nan where wheels are not reported.
    [VI-3.2]: PARK only at standstill. No direction against the motion.
    """
    found = _refusal(current, requested, speed_mps, limits, wheel_mps)
    return found if found is not None and limits.applies(found.kind) else None


def _refusal(
    current: Gear,
    requested: Gear,
    speed_mps: float | None,
    limits: SafetyParameters,
    wheel_mps: float,
) -> Notice | None:
    if requested is current:
        return None
    name = requested.name
    if speed_mps is None:
        if requested is Gear.NEUTRAL:
            return None
        return Notice(
            notice_kinds.GEAR_SPEED_UNKNOWN,
            f"{name} refused: the speed is not known, the vehicle does not report",
        )
    if requested is Gear.PARK and abs(speed_mps) > limits.standstill_speed_mps:
        return Notice(
            notice_kinds.GEAR_PARK_MOVING,
            f"PARK refused: the car moves at {speed_mps:.2f} m/s; "
            f"it must stand (at most {limits.standstill_speed_mps:g} m/s)",
        )
    if requested is Gear.PARK and not wheels_stand(wheel_mps, limits.standstill_speed_mps):
        return Notice(notice_kinds.GEAR_PARK_MOVING, _disagree("PARK", wheel_mps, speed_mps))
    speed_in_gear = drive_direction(requested) * speed_mps
    if speed_in_gear < -limits.gear_change_speed_mps:
        way = "forward" if requested is Gear.REVERSE else "backward"
        return Notice(
            notice_kinds.GEAR_DIRECTION_MOVING,
            f"{name} refused: the car moves {way} at {abs(speed_mps):.2f} m/s "
            f"(at most {limits.gear_change_speed_mps:g} m/s)",
        )
    against = drive_direction(requested) * wheel_mps < 0.0
    if against and not wheels_stand(wheel_mps, limits.gear_change_speed_mps):
        return Notice(notice_kinds.GEAR_DIRECTION_MOVING, _disagree(name, wheel_mps, speed_mps))
    return None


def _disagree(name: str, wheel_mps: float, speed_mps: float) -> str:
    return (
        f"{name} refused: the wheels turn at {wheel_mps:.2f} m/s while the speed is "
        f"{speed_mps:.2f} m/s; both must agree"
    )


def gear_choosing_accel(
    command: VehicleCommand | RawCommand | None,
    current: Gear,
    limits: SafetyParameters,
    before_park: Gear | None = None,
) -> float | None:
    """Return the acceleration whose sign chooses the gear [m/s2], None without a command.

    A raw command has no sign: it can only request to leave PARK or NEUTRAL, forward, or PARK that
    we have set, into the gear before.
    """
    if command is None:
        return None
    if isinstance(command, VehicleCommand):
        return command.long_accel_mps2
    if command.throttle <= 0 or drive_direction(current):
        return 0.0
    direction = -1.0 if before_park is Gear.REVERSE else 1.0
    return direction * 2.0 * limits.auto_gear_deadzone_mps2


class AutomaticGear:
    """Chooses D or R by the sign of the acceleration, at standstill only.

    The command that stopped the car keeps it stopped: the direction changes only after the command
    was inside the dead zone while the car stood. So braking never ends in reverse.
    """

    def __init__(self) -> None:
        self._armed = True

    def disarm(self) -> None:
        """Require a pass through the dead zone before the next change."""
        self._armed = False

    def arm(self) -> None:
        """Accept the next sign at once, at the start of autonomy."""
        self._armed = True

    def choose(
        self, accel_mps2: float, current: Gear, forward: Gear, at_rest: bool, deadzone_mps2: float
    ) -> Gear:
        """Return the gear that the commanded acceleration requests; `current` when none."""
        if not at_rest:
            self._armed = False
            return current
        if accel_mps2 > deadzone_mps2:
            chosen = forward
        elif accel_mps2 < -deadzone_mps2:
            chosen = Gear.REVERSE
        else:
            self._armed = True
            return current
        if chosen is current or (chosen in FORWARD_GEARS and current in FORWARD_GEARS):
            self._armed = False
            return current
        if drive_direction(current) == 0 or self._armed:
            return chosen
        return current


class Parked(NamedTuple):
    """What we have set and shall release ourselves; it outlives the process.

    `hand_brake`: the hand brake is ours. `gear_before`: the gear that PARK replaced, None where
    PARK is not ours.
    """

    hand_brake: bool = False
    gear_before: Gear | None = None


NOTHING_PARKED = Parked()


class Parking:
    """For how long the car has been held at rest. `is_due`: hand brake and PARK are to be set.

    A stop of ours, and a hold without autonomy, add them to the brake after `stop_park_after_s`; a
    stack that holds the car itself gets them after `hold_park_after_s`. Both stay until the next
    request to drive that passes (body.py, gearbox.py).

    `by_us`: our stop or hold does it, which outranks requests; otherwise the stack.
    """

    def __init__(self) -> None:
        self.is_due = False
        self.by_us = False
        self._held_s = 0.0

    def restart(self) -> None:
        """Count again, after a request of the stack for a gear."""
        self.is_due, self._held_s = False, 0.0

    def step(
        self, *, rests: bool, by_us: bool, by_stack: bool, after_s: float, period_s: float
    ) -> None:
        """Count one period. `rests`: the car stands, as far as is known. `after_s` 0: never."""
        if not rests or not (by_us or by_stack):
            self.restart()
            self.by_us = False
            return
        if by_us is not self.by_us:
            self.restart()
            self.by_us = by_us
        if after_s > 0.0:
            self._held_s = min(self._held_s + period_s, after_s)
            self.is_due = self._held_s >= after_s
