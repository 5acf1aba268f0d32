"""The gear in effect: requests, interlocks, automatic choice and the time that a shift takes."""

import math

from vdsim_interface.safety.gear import AutomaticGear, refusal
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.standstill.stands import wheels_stand
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
    last request that was refused. `is_shifting`: the last shift is still under way. `takes_gear`: a
    request for a gear was carried out, which ends PARK of ours. While PARK is ours (`is_parked`),
    the gear is the one before, to be driven in once PARK is released.
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
        self.takes_gear = False
        self.is_shifting = False
        self._leaves_park = False

    def mirror_vehicle(self, gear: Gear) -> None:
        """Without authority: use the gear that the vehicle reports."""
        self.gear, self.direction = gear, drive_direction(gear)
        self._since_shift_s = float("inf")
        self.is_shifting = self._leaves_park = False

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
        is_parked: bool = False,
        held_by_us: bool = False,
        wants_motion: bool = False,
        by_speed: bool = False,
    ) -> tuple[tuple[Change, ...], tuple[Notice, ...]]:
        """Run one period of autonomy. `accel_mps2` None: no command that could choose a gear.

        `by_speed`: it is what the controller makes of a speed.

        `is_parked`: the vehicle is in PARK of ours, and `reported` is the gear before. It lasts
        until the next request to drive (`wants_motion`), or a request for a gear, which waits for
        as long as a stop of ours holds the car (`held_by_us`).
        """
        self._since_shift_s += period_s
        if is_parked and wants_motion and not self._leaves_park:
            self._shift(self.gear)
        self._leaves_park = is_parked and wants_motion
        changes: tuple[Change, ...] = ()
        notices: tuple[Notice, ...] = ()
        most_mps = limits.standstill_speed_mps
        # The latest report may be too old to know that the car still stands.
        at_rest = speed_mps is not None and abs(speed_mps) <= most_mps
        at_rest = at_rest and wheels_stand(wheel_mps, most_mps)
        pending = self._pending
        waits = is_parked and held_by_us
        if pending is not None and not (waits and drive_direction(pending)):
            notices = self._try_pending(speed_mps, limits, wheel_mps, is_parked=is_parked)
        elif accel_mps2 is not None and limits.auto_gear and not (self._pinned or waits):
            chosen = self._automatic.choose(
                accel_mps2,
                self.gear,
                self._forward,
                at_rest,
                limits.auto_gear_deadzone_mps2,
                by_speed,
            )
            if chosen is not self.gear and not self._shifts(limits):
                changes = (Change(notice_kinds.GEAR_AUTOMATIC, "gear", self.gear, chosen),)
                self._shift(chosen)
        under_way = is_parked or self._shifts(limits) or reported is not self.gear
        self.is_shifting = under_way and self.direction != 0 and (wants_motion or not is_parked)
        return changes, notices

    def _try_pending(
        self,
        speed_mps: float | None,
        limits: SafetyParameters,
        wheel_mps: float,
        *,
        is_parked: bool,
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
        self._pending, self.takes_gear = None, True
        self._pinned = drive_direction(requested) == 0
        if requested in FORWARD_GEARS:
            self._forward = requested
        if requested is not self.gear or is_parked:
            self._shift(requested)
        self._automatic.disarm()
        return ()

    def _shifts(self, limits: SafetyParameters) -> bool:
        """Whether the last shift takes its time still."""
        return self._since_shift_s < limits.shift_time_s

    def _shift(self, gear: Gear) -> None:
        self.gear, self.direction = gear, drive_direction(gear)
        self.refused = None
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
