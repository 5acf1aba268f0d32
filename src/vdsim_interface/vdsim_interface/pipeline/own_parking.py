"""The end of the vehicle side's own stop: hand brake and PARK, and whose they are.

Only the safety side releases what was set at rest, and a person's it leaves. So what is set here,
while that side is silent, is reported to it in the feedback: a safety side that runs again takes it
over as its own.
"""

import math
from dataclasses import replace

from vdsim_interface.safety.gear import NOTHING_PARKED, Parked, wheels_stand
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import BodyCommand, Gear, VehicleFeedback, drive_direction

HAND_OVER_S = 1.0
"""A safety side that has sent for so long has read the feedback."""
LONGEST_GAP_S = 0.5
"""A stop that is further away than this from the last one is another one."""
_NEVER_S = -math.inf


class OwnParking:
    """`parked`: what we have set and the safety side may not know of."""

    def __init__(self) -> None:
        self.parked = NOTHING_PARKED
        self._rests_since_s = math.inf
        self._held_s = self._returned_s = _NEVER_S

    def hold(
        self, command: BodyCommand, feedback: VehicleFeedback, now: float, limits: SafetyParameters
    ) -> tuple[BodyCommand, bool]:
        """One period of our stop: the body to command, and whether it sets gear and hand brake."""
        body = feedback.body
        if not 0.0 <= now - self._held_s <= LONGEST_GAP_S:
            self._rests_since_s = math.inf
        self._held_s, self._returned_s = now, _NEVER_S
        if not _rests(feedback, now, limits):
            self._rests_since_s = math.inf
            return command, False
        self._rests_since_s = min(self._rests_since_s, now)
        if now - self._rests_since_s < limits.stop_park_after_s:
            return command, False
        hand_brake, before = self.parked
        if drive_direction(body.gear):
            before = body.gear
        self.parked = Parked(hand_brake or not body.hand_brake, before)
        gear = body.gear if before is None else Gear.PARK
        return replace(command, hand_brake=True, gear=gear), True

    def hand_over(self, now: float) -> None:
        """The safety side sends: after a while it knows what we have set."""
        if self._returned_s == _NEVER_S:
            self._returned_s = now
        elif now - self._returned_s >= HAND_OVER_S:
            self.parked = NOTHING_PARKED

    def named(self, feedback: VehicleFeedback) -> VehicleFeedback:
        """Return the feedback with what is ours of the body that it reports."""
        hand_brake, before = self.parked
        body = feedback.body
        return feedback._replace(
            hand_brake_ours=hand_brake and body.hand_brake,
            gear_before_park=before if body.gear is Gear.PARK else None,
        )


def _rests(feedback: VehicleFeedback, now: float, limits: SafetyParameters) -> bool:
    """Whether the car stands, as speed and wheels of a fresh report agree."""
    odometry, most_mps = feedback.odometry, limits.standstill_speed_mps
    if feedback.doubt or now - odometry.stamp_s > limits.report_timeout_s:
        return False
    return abs(odometry.velocity_mps) <= most_mps and wheels_stand(feedback.wheel_mps, most_mps)
