"""Hand brake and PARK of a car that is held at rest: when they are set, whose they are, their end.

The vehicle side owns one Parking. Each period it receives the command (its body, and `Standing`:
who holds the car) and the latest feedback, and returns the body to send.

    rests under one holder for its time ─▶ set ─▶ may_release ─▶ released ─▶ reported off: not ours
                                            └──▶ takes_gear, takes_hand_brake: the sender's

Set: our stop or hold sets both after `stop_park_after_s`, a stack that holds the car itself after
`hold_park_after_s`. With autonomy both stay until they are released, whoever holds the car by then.
Without it the body stays as reported, except in a hold of ours whose time is over.

Ours: what a person or a sender has set is not. What is ours stays so until the vehicle reports that
it is off, so that a release which is interrupted does not leave a hand brake without an owner.

A platform may send without a body, as on CAN until the car is enabled. Meanwhile nothing is set,
and a shift begins with the first packet that has it.
"""

import math
from dataclasses import replace

from vdsim_interface.safety.limits import SafetyLimits
from vdsim_interface.values import (
    NOTHING_PARKED,
    BodyCommand,
    BodyState,
    Gear,
    Holder,
    Parked,
    Standing,
    VehicleFeedback,
    drive_direction,
    wheels_stand,
)

NOBODY, OURS = Holder.NOBODY, Holder.OURS


def stands(feedback: VehicleFeedback, at_most_mps: float) -> bool:
    """Whether speed and wheels of a report are within a limit; a speed that is no number is not."""
    return abs(feedback.odometry.velocity_mps) <= at_most_mps and wheels_stand(
        feedback.wheel_mps, at_most_mps
    )


class Parking:
    """What we have set at rest. `limits` may be replaced at any time."""

    def __init__(self, limits: SafetyLimits, parked: Parked = NOTHING_PARKED) -> None:
        self.limits = limits
        self._is_brake_ours = self._sets_brake = parked.hand_brake
        self._gear_before = parked.gear_before
        self._sets_park = parked.gear_before is not None
        self._holder, self._since_s = NOBODY, math.inf
        self._gear: Gear | None = None
        self._shifted_s = self._late_s = self._unseen_s = -math.inf
        self._is_withheld = self._overrides = False

    @property
    def parked(self) -> Parked:
        """What is ours, and whether it is still commanded."""
        is_brake, before = self._is_brake_ours, self._gear_before
        if not is_brake and before is None:
            return NOTHING_PARKED
        is_held = (is_brake and self._sets_brake) or (before is not None and self._sets_park)
        return Parked(is_brake, before, is_held)

    def named(self, feedback: VehicleFeedback) -> VehicleFeedback:
        """Return the feedback with what is ours of the body that it reports."""
        is_brake, before, is_held = self.parked
        body = feedback.body
        before = before if body.gear is Gear.PARK else None
        parked = Parked(is_brake and body.hand_brake, before, is_held)
        return feedback if parked == NOTHING_PARKED else feedback._replace(parked=parked)

    def step(
        self,
        standing: Standing,
        body: BodyCommand,
        feedback: VehicleFeedback | None,
        now: float,
        commanding: bool,
        leaves: bool = True,
    ) -> BodyCommand:
        """Run one period; return the body to send.

        `body`: with autonomy (`commanding`) the commanded one, without it the body as reported.
        `leaves`: the body of the last period was in its packet.
        """
        if standing.takes_gear and self._gear_before is not None:
            self._late_s = self._shifted_s  # the gear that it names waits for the shift to PARK
        if commanding and self._gear is not None and self._lasts(self._late_s, now):
            self._is_withheld = self._is_withheld or body.gear is not self._gear
            body = replace(body, gear=self._gear)
        if not leaves and feedback is not None:
            self._gear, self._is_withheld = feedback.body.gear, True
        is_ours = self._is_brake_ours or self._gear_before is not None
        most_mps = -1.0 if standing.holder is NOBODY else self.limits.standstill_speed_mps
        if feedback is None or not (is_ours or abs(feedback.odometry.velocity_mps) <= most_mps):
            self._holder, self._since_s = NOBODY, math.inf
            if leaves and body.gear is not self._gear:
                self._note_gear(body.gear, now)
            return body
        is_fresh = 0.0 <= now - feedback.odometry.stamp_s <= self.limits.report_timeout_s
        is_due = self._is_due(standing, feedback, now, is_fresh=is_fresh) and leaves
        self._release(standing, feedback, now, is_fresh=is_fresh)
        if is_due:
            self._set(body, now, commanding=commanding)
        elif commanding and self._gear_before is not None and drive_direction(body.gear):
            self._gear_before = body.gear  # where it is to drive now
        # While no report is fresh, what was sent last stays: the one before may not show it yet.
        self._overrides = commanding or is_due or (self._overrides and not is_fresh)
        given = self._body(body, feedback, is_fresh=is_fresh)
        self._forget(given, feedback.body, now)
        if leaves and given.gear is not self._gear:
            self._note_gear(given.gear, now)
        return given

    def _is_due(
        self, standing: Standing, feedback: VehicleFeedback, now: float, *, is_fresh: bool
    ) -> bool:
        """Count for how long one holder has kept the car at rest; whether its time is over."""
        holder, may_release, takes_gear, takes_hand_brake = standing
        limits = self.limits
        rests = is_fresh and not feedback.doubt and stands(feedback, limits.standstill_speed_mps)
        if not rests or may_release or takes_gear or takes_hand_brake:
            holder = NOBODY
        if holder is not self._holder:
            self._holder, self._since_s = holder, math.inf
        if holder is NOBODY:
            return False
        self._since_s = min(self._since_s, now)
        after_s = limits.stop_park_after_s if holder is OURS else limits.hold_park_after_s
        return after_s > 0.0 and now - self._since_s >= after_s

    def _release(
        self, standing: Standing, feedback: VehicleFeedback, now: float, *, is_fresh: bool
    ) -> None:
        """Stop commanding what a request to drive releases, and owning what a sender takes."""
        if standing.takes_hand_brake:
            self._is_brake_ours = False
        if standing.takes_gear:
            self._gear_before = None
        if standing.may_release or self._moves(feedback, is_fresh=is_fresh):
            self._sets_brake = False
        if standing.may_release and self._sets_park:
            # As any gear that is to change, PARK is left at rest, and after the last shift.
            rests = is_fresh and stands(feedback, self.limits.standstill_speed_mps)
            if rests and self._lasts(self._shifted_s, now):
                self._is_withheld = True
            elif rests:
                self._sets_park = False

    def _set(self, body: BodyCommand, now: float, *, commanding: bool) -> None:
        if self._is_brake_ours or not body.hand_brake:
            self._is_brake_ours = self._sets_brake = True
        if drive_direction(body.gear) and not (commanding and self._lasts(self._shifted_s, now)):
            self._gear_before = body.gear
        self._sets_park = self._gear_before is not None

    def _body(self, body: BodyCommand, feedback: VehicleFeedback, *, is_fresh: bool) -> BodyCommand:
        """Return the body with what is ours, or as reported, but not held by hand in motion."""
        gear, hand_brake = body.gear, body.hand_brake
        if self._overrides:
            if self._gear_before is not None and self._sets_park:
                gear = Gear.PARK
            hand_brake = hand_brake or (self._is_brake_ours and self._sets_brake)
        elif self._is_brake_ours and self._moves(feedback, is_fresh=is_fresh):
            hand_brake = False
        if gear is body.gear and hand_brake is body.hand_brake:
            return body
        return replace(body, gear=gear, hand_brake=hand_brake)

    def _forget(self, given: BodyCommand, body: BodyState, now: float) -> None:
        """What we do not command and the vehicle does not report is not ours any more.

        What it has not reported yet may still come, within the time of a shift.
        """
        if given.hand_brake is not body.hand_brake:
            self._unseen_s = now if given.hand_brake else -math.inf
        if self._lasts(self._unseen_s, now):
            return
        if not given.hand_brake and not body.hand_brake:
            self._is_brake_ours = False
        if given.gear is not Gear.PARK and body.gear is not Gear.PARK:
            self._gear_before = None

    def _note_gear(self, gear: Gear, now: float) -> None:
        if self._gear is not None:
            self._shifted_s = now
        if self._is_withheld:  # it may have been decided before, and counts from now on
            self._late_s, self._is_withheld = now, False
        self._gear = gear

    def _lasts(self, since_s: float, now: float) -> bool:
        """Whether the time of a shift is not over; one from before a backward jump of time is."""
        return 0.0 <= now - since_s < self.limits.shift_time_s

    def _moves(self, feedback: VehicleFeedback, *, is_fresh: bool) -> bool:
        """As with a request for the hand brake: beyond the speed of a change of gear."""
        speed_mps = abs(feedback.odometry.velocity_mps)
        return is_fresh and speed_mps > self.limits.gear_change_speed_mps
