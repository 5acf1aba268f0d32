"""The gear in effect: requests, interlocks, automatic choice and the time that a shift takes."""

import math

from vdsim_interface.safety.gear import AutomaticGear, refusal, wheels_stand
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
    last request that was refused. `is_shifting`: the last shift is still under way. `before_park`:
    the gear that PARK replaced where we have set it, until somebody else changes the gear.
    `park_is_older`: that PARK was set before the present autonomy.
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
        self._wait_reported: Gear | None = None
        self.before_park: Gear | None = None
        self.park_is_older = False
        self.is_shifting = False

    def mirror_vehicle(self, gear: Gear, *, parks: bool = False) -> tuple[Change, ...]:
        """Without authority: use the gear that the vehicle reports. `parks`: PARK instead."""
        self.park_is_older = True
        if gear is not Gear.PARK:
            self.before_park = None
        changes: tuple[Change, ...] = ()
        if parks and drive_direction(gear):
            changes = (Change(notice_kinds.GEAR_STOP, "gear", gear, Gear.PARK),)
            self.before_park, gear = gear, Gear.PARK
        self.gear, self.direction = gear, drive_direction(gear)
        self._since_shift_s = float("inf")
        self.is_shifting = False
        return changes

    @property
    def drive_direction(self) -> int:
        """The sign of the motion that a request to drive means: in PARK of ours, the gear before's.

        0 in P and N that others have chosen.
        """
        before = self.before_park
        return self.direction if before is None else drive_direction(before)

    def arm_automatic(self) -> None:
        """Start of autonomy: let the first sign of the acceleration choose the direction."""
        self._automatic.arm()

    def discard_requests(self) -> None:
        """End of autonomy: discard requests; the next drive starts from the car's gear."""
        self.refused = None
        self._pending = None
        self._pinned = False

    def request(
        self,
        requested: Gear,
        speed_mps: float | None,
        limits: SafetyParameters,
        *,
        checked: bool,
        wheel_mps: float = math.nan,
    ) -> tuple[Notice, ...]:
        """Process an explicit request: refuse it now or keep it until it can be done."""
        if checked:
            reason = refusal(self.gear, requested, speed_mps, limits, wheel_mps)
            if reason is not None:
                return self._refuse(requested, reason)
        self.refused = None
        self._pending = requested
        self._wait_reported = None
        return ()

    def step(
        self,
        accel_mps2: float | None,
        speed_mps: float | None,
        reported: Gear,
        limits: SafetyParameters,
        period_s: float,
        wheel_mps: float = math.nan,
        *,
        parks: bool = False,
        wants_motion: bool = False,
    ) -> tuple[tuple[Change, ...], tuple[Notice, ...]]:
        """Run one period of autonomy. `accel_mps2` None: no command that could choose a gear.

        `parks`: the car has been held at rest. PARK then lasts until the next request to drive in
        the direction of the gear before (`wants_motion`), or a request for a gear.
        """
        self._since_shift_s += period_s
        changes: tuple[Change, ...] = ()
        notices: tuple[Notice, ...] = ()
        most_mps = limits.standstill_speed_mps
        # The latest report may be too old to know that the car still stands.
        at_rest = speed_mps is not None and abs(speed_mps) <= most_mps
        at_rest = at_rest and wheels_stand(wheel_mps, most_mps)
        pending = self._pending
        if pending is not None and not (parks and drive_direction(pending)):
            notices = self._try_pending(speed_mps, limits, wheel_mps)
        elif parks:
            changes = self._park(limits) if at_rest else ()
        elif self._leaves_park(accel_mps2, limits, wants_motion=wants_motion):
            changes = self._return_from_park() if at_rest else ()
        elif accel_mps2 is not None and limits.auto_gear and not self._pinned:
            # PARK of ours counts as the gear before: a brake is no request for the other direction.
            current = self.gear if self.before_park is None else self.before_park
            chosen = self._automatic.choose(
                accel_mps2, current, self._forward, at_rest, limits.auto_gear_deadzone_mps2
            )
            if chosen is not current and not self._shifts(limits):
                changes = (Change(notice_kinds.GEAR_AUTOMATIC, "gear", self.gear, chosen),)
                self._shift(chosen)
        under_way = self._shifts(limits) or reported is not self.gear
        self.is_shifting = under_way and self.direction != 0
        return changes, notices

    def _park(self, limits: SafetyParameters) -> tuple[Change, ...]:
        before = self.gear
        if self.direction == 0 or self._shifts(limits):
            return ()
        self._shift(Gear.PARK)
        self.before_park, self.park_is_older = before, False
        return (Change(notice_kinds.GEAR_STOP, "gear", before, Gear.PARK),)

    def _leaves_park(
        self, accel_mps2: float | None, limits: SafetyParameters, *, wants_motion: bool
    ) -> bool:
        is_ours = self.before_park is not None and not self._shifts(limits)
        return is_ours and accel_mps2 is not None and wants_motion

    def _return_from_park(self) -> tuple[Change, ...]:
        before = self.before_park
        assert before is not None
        self._shift(before)
        return (Change(notice_kinds.GEAR_STOP, "gear", Gear.PARK, before),)

    def _try_pending(
        self, speed_mps: float | None, limits: SafetyParameters, wheel_mps: float
    ) -> tuple[Notice, ...]:
        requested = self._pending
        assert requested is not None
        if requested is not self.gear and limits.enabled:
            reason = refusal(self.gear, requested, speed_mps, limits, wheel_mps)
            if reason is not None:
                self._pending = None
                return self._refuse(requested, reason)
            if self._shifts(limits):
                return self._report_wait(requested)
        self._pending = self.before_park = None
        self._pinned = drive_direction(requested) == 0
        if requested in FORWARD_GEARS:
            self._forward = requested
        if requested is not self.gear:
            self._shift(requested)
        self._automatic.disarm()
        return ()

    def _shifts(self, limits: SafetyParameters) -> bool:
        """Whether the last shift takes its time still."""
        return self._since_shift_s < limits.shift_time_s

    def _shift(self, gear: Gear) -> None:
        self.gear, self.direction = gear, drive_direction(gear)
        self.refused = self.before_park = None
        self._since_shift_s = 0.0
        self._automatic.disarm()

    def _report_wait(self, requested: Gear) -> tuple[Notice, ...]:
        if self._wait_reported is requested:
            return ()
        self._wait_reported = requested
        text = f"{requested.name} waits for the shift to {self.gear.name} to end"
        return (Notice(notice_kinds.GEAR_WAIT, text),)

    def _refuse(self, requested: Gear, reason: Notice) -> tuple[Notice, ...]:
        repeated = self.refused is requested
        self.refused = requested
        return () if repeated else (reason,)
