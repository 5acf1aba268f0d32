"""The gear in effect: requests, interlocks, automatic choice and the time that a shift takes."""

from vdsim_interface.safety.gear import AutomaticGear, refusal
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import (
    FORWARD_GEARS,
    Change,
    Gear,
    Notice,
    drive_direction,
    notice_kinds,
)


class Gearbox:
    """Decides the commanded gear.

    `direction`: the sign of the motion that throttle causes in it, 0 in P and N. `refused`: the
    last gear that was asked for and not given. `is_shifting`: the last shift is still under way.
    """

    def __init__(self) -> None:
        self.gear = Gear.PARK
        self.direction = 0
        self.refused: Gear | None = None
        self._pending: Gear | None = None
        self._pinned = False
        self._forward = Gear.DRIVE
        self._automatic = AutomaticGear()
        self._since_shift_s = float("inf")
        self._wait_told = False
        self.is_shifting = False

    def mirror_vehicle(self, gear: Gear) -> None:
        """Autonomy is off: the gear is whatever the vehicle has."""
        self.gear, self.direction = gear, drive_direction(gear)
        self._since_shift_s = float("inf")
        self.is_shifting = False

    def begin(self) -> None:
        """Autonomy begins: the first sign of the acceleration may choose the direction."""
        self._automatic.arm()

    def forget(self) -> None:
        """Autonomy ended: drop what was asked for; the next drive starts from the car's gear."""
        self.refused = None
        self._pending = None
        self._pinned = False

    def request(
        self, wanted: Gear, speed_mps: float | None, limits: SafetyParameters, *, checked: bool
    ) -> tuple[Notice, ...]:
        """Take an explicit request; refuse it now or keep it until it can be done."""
        if checked:
            reason = refusal(self.gear, wanted, speed_mps, limits)
            if reason is not None:
                return self._refuse(wanted, reason)
        self.refused = None
        self._pending = wanted
        self._wait_told = False
        return ()

    def step(
        self,
        accel_mps2: float | None,
        speed_mps: float | None,
        reported: Gear,
        limits: SafetyParameters,
        period_s: float,
    ) -> tuple[tuple[Change, ...], tuple[Notice, ...]]:
        """Run one period of autonomy. `accel_mps2` None: no command to choose a gear by."""
        self._since_shift_s += period_s
        changes: tuple[Change, ...] = ()
        notices: tuple[Notice, ...] = ()
        at_rest = speed_mps is not None and abs(speed_mps) <= limits.standstill_speed_mps
        if self._pending is not None:
            notices = self._try_pending(speed_mps, limits)
        elif accel_mps2 is not None and limits.auto_gear and not self._pinned:
            wish = self._automatic.wish(
                accel_mps2, self.gear, self._forward, at_rest, limits.auto_gear_deadzone_mps2
            )
            if wish is not self.gear and self._since_shift_s >= limits.shift_time_s:
                changes = (Change(notice_kinds.GEAR_AUTOMATIC, "gear", self.gear, wish),)
                self._shift(wish)
        under_way = self._since_shift_s < limits.shift_time_s or reported is not self.gear
        self.is_shifting = under_way and self.direction != 0
        return changes, notices

    def _try_pending(self, speed_mps: float | None, limits: SafetyParameters) -> tuple[Notice, ...]:
        wanted = self._pending
        assert wanted is not None
        if wanted is not self.gear and limits.enabled:
            reason = refusal(self.gear, wanted, speed_mps, limits)
            if reason is not None:
                self._pending = None
                return self._refuse(wanted, reason)
            if self._since_shift_s < limits.shift_time_s:
                return self._tell_wait(wanted)
        self._pending = None
        self._pinned = drive_direction(wanted) == 0
        if wanted in FORWARD_GEARS:
            self._forward = wanted
        if wanted is not self.gear:
            self._shift(wanted)
        self._automatic.disarm()
        return ()

    def _shift(self, wanted: Gear) -> None:
        self.gear, self.direction = wanted, drive_direction(wanted)
        self.refused = None
        self._since_shift_s = 0.0
        self._automatic.disarm()

    def _tell_wait(self, wanted: Gear) -> tuple[Notice, ...]:
        if self._wait_told:
            return ()
        self._wait_told = True
        text = f"{wanted.name} waits for the shift to {self.gear.name} to end"
        return (Notice(notice_kinds.GEAR_WAIT, text),)

    def _refuse(self, wanted: Gear, reason: Notice) -> tuple[Notice, ...]:
        told = self.refused is wanted
        self.refused = wanted
        return () if told else (reason,)
