"""The gear in effect: requests, interlocks, automatic choice and the time that a shift takes.

Interlocks refuse shifts. Where the vehicle reports its wheels, they must agree with the speed: one
wrong signal alone neither parks a car that moves nor changes its direction.
"""

import math

from vdsim_interface.safety.inputs import Inputs
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import (
    FORWARD_GEARS,
    Change,
    Gear,
    Notice,
    RawCommand,
    VehicleCommand,
    drive_direction,
    notice_kinds,
    wheels_stand,
)
from vdsim_interface.values.speeds import CREEPS_OFF_MPS

UNCHANGED_MPS2 = 0.05
"""A filter may still settle by so much on what a sender holds a car with."""


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
    if requested in (current, Gear.NEUTRAL):
        return None
    name, parks, direction = requested.name, requested is Gear.PARK, drive_direction(requested)
    most_mps = limits.standstill_speed_mps if parks else limits.gear_change_speed_mps
    kind = notice_kinds.GEAR_PARK_MOVING if parks else notice_kinds.GEAR_DIRECTION_MOVING
    if speed_mps is None:
        kind = notice_kinds.GEAR_SPEED_UNKNOWN
        text = f"{name} refused: the speed is not known, the vehicle does not report"
    elif parks and abs(speed_mps) > most_mps:
        moves = f"the car moves at {speed_mps:.2f} m/s"
        text = f"{name} refused: {moves}; it must stand (at most {most_mps:g} m/s)"
    elif direction * speed_mps < -most_mps:
        moves = f"the car moves {'forward' if direction < 0 else 'backward'}"
        text = f"{name} refused: {moves} at {abs(speed_mps):.2f} m/s (at most {most_mps:g} m/s)"
    elif (parks or direction * wheel_mps < 0.0) and not wheels_stand(wheel_mps, most_mps):
        text = wheels_disagree(name, wheel_mps, speed_mps)
    else:
        return None
    return Notice(kind, text) if limits.applies(kind) else None


def wheels_disagree(what: str, wheel_mps: float, speed_mps: float) -> str:
    """Say that a gear or the hand brake is refused because two signals contradict each other."""
    return (
        f"{what} refused: the wheels turn at {wheel_mps:.2f} m/s while the speed is "
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
    was inside the dead zone while the car stood. So braking never ends in reverse. PARK and NEUTRAL
    are left at once, but not by what has braked the car in them. A speed against the gear asks for
    it; an acceleration may also be the brake that the sender holds the car with: at the start of
    autonomy it chooses REVERSE only after the dead zone.
    """

    def __init__(self) -> None:
        self._armed = True
        self._starts = False
        self._rolled_mps = 0.0

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
        speed_mps: float | None = None,
    ) -> Gear:
        """Return the gear that the commanded acceleration requests; `current` when none.

        `by_speed`: the acceleration is what the controller makes of a speed.
        """
        if not at_rest:
            # The speed may be unknown: a car that has no gear yet starts still.
            self._armed, self._starts = False, self._starts and not drive_direction(current)
            self._rolled_mps = 0.0 if drive_direction(current) else speed_mps or 0.0
            return current
        starts, self._starts = self._starts, False
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
        brakes = drive_direction(current) != 0 or self._rolled_mps * accel_mps2 < 0.0
        return chosen if self._armed or not brakes else current


class Gearbox:
    """Decides the commanded gear.

    `direction`: the sign of the motion that throttle causes in it, 0 in P and N. `refused`: the
    last request that was refused. `is_shifting`: the last shift is still under way. `keeps_brake`:
    the acceleration has braked the car in another gear, and has not changed since. `takes_gear`: a
    request for a gear was carried out, which ends PARK of ours. While PARK is ours (`is_parked`),
    the gear is the one before, to be driven in once PARK is released.
    """

    def __init__(self) -> None:
        self.refused: Gear | None = None
        self._pending: Gear | None = None
        self._pinned = self.takes_gear = False
        self._forward = Gear.DRIVE
        self._automatic = AutomaticGear()
        self._wait_reported: Gear | None = None
        self.mirror_vehicle(Gear.PARK)

    def mirror_vehicle(self, gear: Gear) -> None:
        """Without authority: use the gear that the vehicle reports."""
        self.gear, self.direction = gear, drive_direction(gear)
        self._brake_mps2, self.keeps_brake = 0.0, False
        self._since_shift_s = float("inf")
        self.is_shifting = self._leaves_park = False

    def arm_automatic(self) -> None:
        """Start of autonomy: let the first sign of the acceleration choose the direction."""
        self._automatic.arm()

    def discard_requests(self) -> None:
        """End of autonomy: discard requests; the next drive starts from the car's gear."""
        self.refused, self._pending, self._pinned = None, None, False

    def request(
        self, gear: Gear, inputs: Inputs, limits: SafetyParameters, now: float, *, checked: bool
    ) -> tuple[Notice, ...]:
        """Process an explicit request: refuse it now or keep it until it can be done."""
        if checked:
            speed_mps = inputs.known_speed_mps(limits, now)
            reason = refusal(self.gear, gear, speed_mps, limits, inputs.wheel_mps)
            if reason is not None:
                return self._refuse(gear, reason)
        self.refused, self._wait_reported, self._pending = None, None, gear
        return ()

    def step(
        self,
        accel_mps2: float | None,
        speed_mps: float | None,
        inputs: Inputs,
        limits: SafetyParameters,
        period_s: float,
        held_by_us: bool = False,
        wants_motion: bool = False,
        by_speed: bool = False,
    ) -> tuple[tuple[Change, ...], tuple[Notice, ...]]:
        """Run one period of autonomy. `accel_mps2` None: no command that could choose a gear.

        `by_speed`: it is what the controller makes of a speed.

        PARK of ours lasts until the next request to drive (`wants_motion`), or a request for a
        gear, which waits for as long as a stop of ours holds the car (`held_by_us`).
        """
        is_parked = inputs.parked.gear_before is not None
        self._since_shift_s += period_s
        if is_parked and wants_motion and not self._leaves_park:
            self._shift(self.gear)
        self._leaves_park = is_parked and wants_motion
        changes: tuple[Change, ...] = ()
        notices: tuple[Notice, ...] = ()
        most_mps = limits.standstill_speed_mps
        # The latest report may be too old to know that the car still stands.
        at_rest = speed_mps is not None and abs(speed_mps) <= most_mps
        at_rest = at_rest and wheels_stand(inputs.wheel_mps, most_mps)
        creeps = at_rest and self.direction * (speed_mps or 0.0) > CREEPS_OFF_MPS
        pending = self._pending
        waits = is_parked and held_by_us
        if pending is not None and not (waits and drive_direction(pending)):
            notices = self._try_pending(pending, speed_mps, inputs, limits)
        elif accel_mps2 is not None and limits.auto_gear and not (self._pinned or waits):
            # What slows a car that creeps on in its gear is its brake. A speed may turn it back at
            # rest; an acceleration passes through the dead zone there first.
            deadzone_mps2 = limits.auto_gear_deadzone_mps2
            chosen = gear = self.gear
            if not (creeps and by_speed and self.direction * accel_mps2 < -deadzone_mps2):
                at_rest = at_rest and (by_speed or not creeps)
                chosen = self._automatic.choose(
                    accel_mps2, gear, self._forward, at_rest, deadzone_mps2, by_speed, speed_mps
                )
            if chosen is not gear and not self._shifts(limits):
                changes = (Change(notice_kinds.GEAR_AUTOMATIC, "gear", gear, chosen),)
                self._shift(chosen)
        under_way = is_parked or self._shifts(limits) or inputs.body.gear is not self.gear
        self.is_shifting = under_way and self.direction != 0 and (wants_motion or not is_parked)
        if accel_mps2 is not None and (self._brake_mps2 or (accel_mps2 and not by_speed)):
            self._watch_brake(0.0 if by_speed else accel_mps2, limits, asks=pending is not None)
        return changes, notices

    def _watch_brake(self, accel_mps2: float, limits: SafetyParameters, *, asks: bool) -> None:
        """Remember a brake until it changes: what has not, asks for nothing in another gear.

        `asks`: a gear is requested; what comes from then on counts in that gear.
        """
        if abs(accel_mps2 - self._brake_mps2) > UNCHANGED_MPS2:
            self._brake_mps2 = 0.0
        if self.direction * accel_mps2 < -limits.auto_gear_deadzone_mps2 and not asks:
            self._brake_mps2 = accel_mps2
        self.keeps_brake = self.direction * self._brake_mps2 > 0.0

    def _try_pending(
        self, requested: Gear, speed_mps: float | None, inputs: Inputs, limits: SafetyParameters
    ) -> tuple[Notice, ...]:
        if requested is not self.gear and limits.enabled:
            reason = refusal(self.gear, requested, speed_mps, limits, inputs.wheel_mps)
            if reason is not None:
                self._pending = None
                return self._refuse(requested, reason)
            if self._shifts(limits):
                return self._report_wait(requested)
        self._pending, self.takes_gear = None, True
        self._pinned = drive_direction(requested) == 0
        if requested in FORWARD_GEARS:
            self._forward = requested
        if requested is not self.gear or inputs.parked.gear_before is not None:
            self._shift(requested)
        self._automatic.disarm()
        return ()

    def _shifts(self, limits: SafetyParameters) -> bool:
        """Whether the last shift takes its time still."""
        return self._since_shift_s < limits.shift_time_s

    def _shift(self, gear: Gear) -> None:
        self.gear, self.direction = gear, drive_direction(gear)
        self.refused, self._since_shift_s = None, 0.0
        self._automatic.disarm()

    def _report_wait(self, requested: Gear) -> tuple[Notice, ...]:
        if self._wait_reported is requested:
            return ()
        self._wait_reported = requested
        text = f"{requested.name} waits for the shift to {self.gear.name} to end"
        return (Notice(notice_kinds.GEAR_WAIT, text),)

    def _refuse(self, requested: Gear, reason: Notice) -> tuple[Notice, ...]:
        before, self.refused = self.refused, requested
        return () if before is requested else (reason,)
