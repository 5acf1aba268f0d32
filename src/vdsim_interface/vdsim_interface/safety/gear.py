"""Gear interlocks: which shifts are refused, and the automatic choice of D or R.

Where the vehicle reports its wheels, they must agree with the speed: one wrong signal alone neither
parks a car that moves nor changes its direction.
"""

import math

from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.standstill.stands import wheels_stand
from vdsim_interface.values import (
    FORWARD_GEARS,
    Gear,
    Notice,
    RawCommand,
    VehicleCommand,
    drive_direction,
    notice_kinds,
)


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
) -> float | None:
    """Return the acceleration whose sign chooses the gear [m/s2], None without a command.

    A raw command has no sign: it can only request to leave PARK or NEUTRAL, forward.
    """
    if command is None:
        return None
    if isinstance(command, VehicleCommand):
        return command.long_accel_mps2
    if command.throttle <= 0 or drive_direction(current):
        return 0.0
    return 2.0 * limits.auto_gear_deadzone_mps2


class AutomaticGear:
    """Chooses D or R by the sign of the acceleration, at standstill only.

    The command that stopped the car keeps it stopped: the direction changes only after the command
    was inside the dead zone while the car stood. So braking never ends in reverse. A speed against
    the gear asks for it; an acceleration may also be the brake that the sender holds the car with:
    at the start of autonomy it chooses REVERSE only after the dead zone.
    """

    def __init__(self) -> None:
        self._armed = True
        self._starts = False

    def disarm(self) -> None:
        """Require a pass through the dead zone before the next change."""
        self._armed = False

    def arm(self) -> None:
        """Accept the next sign at once, at the start of autonomy."""
        self._armed = self._starts = True

    def choose(
        self,
        accel_mps2: float,
        current: Gear,
        forward: Gear,
        at_rest: bool,
        deadzone_mps2: float,
        by_speed: bool = False,
    ) -> Gear:
        """Return the gear that the commanded acceleration requests; `current` when none.

        `by_speed`: the acceleration is what the controller makes of a speed.
        """
        starts, self._starts = self._starts, False
        if not at_rest:
            self._armed = False
            return current
        if accel_mps2 > deadzone_mps2:
            chosen = forward
        elif accel_mps2 < -deadzone_mps2:
            chosen = Gear.REVERSE
            if starts and not by_speed and current is not chosen:
                self._starts = True
                return current
        else:
            self._armed = True
            return current
        if chosen is current or (chosen in FORWARD_GEARS and current in FORWARD_GEARS):
            self._armed = False
            return current
        if drive_direction(current) == 0 or self._armed:
            return chosen
        return current
