"""Gear interlocks: which shifts are refused, and which gear the commands ask for by themselves."""

from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import (
    FORWARD_GEARS,
    Gear,
    Notice,
    drive_direction,
    notice_kinds,
)


def refusal(
    current: Gear, wanted: Gear, speed_mps: float | None, limits: SafetyParameters
) -> Notice | None:
    """Say why a shift is refused, None when it may be done. `speed_mps` None: not known.

    [VI-3.2]: no PARK unless the car stands. No direction against the motion.
    """
    if wanted is current:
        return None
    name = wanted.name
    if speed_mps is None:
        if wanted is Gear.NEUTRAL:
            return None
        return Notice(
            notice_kinds.GEAR_SPEED_UNKNOWN,
            f"{name} refused: the speed is not known, the vehicle does not report",
        )
    if wanted is Gear.PARK and abs(speed_mps) > limits.standstill_speed_mps:
        return Notice(
            notice_kinds.GEAR_PARK_MOVING,
            f"PARK refused: the car moves at {speed_mps:.2f} m/s; "
            f"it must stand (at most {limits.standstill_speed_mps:g} m/s)",
        )
    against = drive_direction(wanted) * speed_mps
    if against < -limits.gear_change_speed_mps:
        way = "forward" if speed_mps > 0.0 else "backward"
        return Notice(
            notice_kinds.GEAR_DIRECTION_MOVING,
            f"{name} refused: the car moves {way} at {abs(speed_mps):.2f} m/s "
            f"(at most {limits.gear_change_speed_mps:g} m/s)",
        )
    return None


class AutomaticGear:
    """Chooses D or R by the sign of the acceleration, at standstill only.

    The command that stopped the car keeps it stopped: before the direction changes, the command
    must once have been inside the dead zone while the car stood. So braking never ends in reverse.
    """

    def __init__(self) -> None:
        self._armed = True

    def disarm(self) -> None:
        """Ask for a pass through the dead zone before the next change."""
        self._armed = False

    def arm(self) -> None:
        """Accept the next sign at once: autonomy begins at standstill."""
        self._armed = True

    def wish(
        self, accel_mps2: float, current: Gear, forward: Gear, at_rest: bool, deadzone_mps2: float
    ) -> Gear:
        """Return the gear that the commanded acceleration asks for; `current` when none."""
        if not at_rest:
            self._armed = False
            return current
        if abs(accel_mps2) <= deadzone_mps2:
            self._armed = True
            return current
        wanted = forward if accel_mps2 > 0.0 else Gear.REVERSE
        if wanted is current or (wanted in FORWARD_GEARS and current in FORWARD_GEARS):
            self._armed = False
            return current
        if drive_direction(current) == 0 or self._armed:
            return wanted
        return current
