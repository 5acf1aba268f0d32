"""Composes the command of one period: gear, motion rules and body, for a decided authority.

Who drives is decided before (safety.py). Without authority the gear and the memory of the rules
mirror the vehicle, so that autonomy starts from where the car is. A raw command passes unchanged or
is blocked as a whole.
"""

from typing import TypeAlias

from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.safety.body import BodyRequests
from vdsim_interface.safety.gearbox import Gearbox, gear_choosing_accel
from vdsim_interface.safety.inputs import NEVER_S, Inputs
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.rule_context import PARK, STOPPING, RuleContext
from vdsim_interface.safety.rule_runner import RuleRunner
from vdsim_interface.safety.rules import (
    HOLD_ZONE_MPS2,
    blocked_raw_changes,
    kind_named,
    raw_changes,
)
from vdsim_interface.safety.stops import standing_stops
from vdsim_interface.values import (
    NO_STOPS,
    NOT_STANDING,
    AccelMeaning,
    Authority,
    Change,
    Holder,
    Mode,
    Notice,
    PlatformCommand,
    RawCommand,
    Standing,
    StateCommand,
    Stop,
    VehicleCommand,
    make_vehicle_command,
    notice_kinds,
    travel_direction,
    wheels_stand,
)
from vdsim_interface.values.records import record

NO_NOTICES: tuple[Notice, ...] = ()
NO_CHANGES: tuple[Change, ...] = ()
# Plain names: an attribute of an enumeration costs as much as a call.
COMMAND, SILENT = Authority.COMMAND, Authority.SILENT
WIPER_HEADLIGHT = notice_kinds.WIPER_HEADLIGHT
DRIVE, STOP = AccelMeaning.DRIVE, AccelMeaning.STOP
NOBODY, OURS, STACK = Holder.NOBODY, Holder.OURS, Holder.STACK


Period: TypeAlias = tuple[
    Authority, Mode, VehicleCommand | RawCommand | None, bool, bool, AccelMeaning
]
"""What is decided before the command is composed: authority, mode, the latest command (None before
the first), whether it and the vehicle's report are fresh, the meaning of the accelerations."""

Composed: TypeAlias = tuple[
    PlatformCommand, tuple[Change, ...], tuple[Notice, ...], tuple[Stop, ...]
]
"""The command for the platform, what was changed, notices to be counted, standing stops."""


class Composer:
    """The gearbox, the rules and the body requests, with what they remember.

    `stood_s`: for how long the car has stood without a command, as far as is known [s]. `holder`:
    who holds the car, as of the last period. `parked_before`: PARK was ours before the present
    autonomy, or there is none.
    """

    def __init__(self, geometry: VehicleGeometry, period_s: float, *, rear_steering: bool) -> None:
        self.gearbox = Gearbox()
        self.runner = RuleRunner(period_s)
        self.requests = BodyRequests()
        self.holder = NOBODY
        self._takes_hand_brake = False
        self.parked_before = True
        self.stood_s = 0.0
        self.geometry = geometry
        self._period_s = period_s
        self._rear_steering = rear_steering

    def add_request(self, request: StateCommand) -> None:
        """Use a request for the body.

        A hand brake that is named is the sender's from then on, unless a stop of ours holds.
        """
        self.requests.add(request)
        if request.hand_brake is not None and self.holder is not OURS:
            self._takes_hand_brake = True

    def start_autonomy(self) -> None:
        """Reset what starts with autonomy."""
        self.gearbox.arm_automatic()
        self.parked_before = True
        self.requests.start()
        self.runner.reset()

    def end_autonomy(self) -> None:
        """Discard requests: a later autonomy starts from the car's gear and hand brake."""
        self.gearbox.discard_requests()
        # The driver may set the hand brake now: an older request must not release it later.
        self.requests.discard_hand_brake()

    def compose(self, period: Period, inputs: Inputs, limits: SafetyParameters) -> Composed:
        """Run one period; the order is that of safety.py."""
        authority, mode, latest, command_fresh, link_fresh, meaning = period
        wants_motion = self.asks_to_drive(latest, meaning)
        changes, notices = self._update_gear(period, inputs, limits, wants_motion)
        motion = latest if isinstance(latest, VehicleCommand) else None
        context = self._context(period, motion, inputs, limits)
        situations = context.special()
        standing = standing_stops(context, limits) if situations & STOPPING else NO_STOPS
        stops = bool(standing)
        if stops or (meaning is DRIVE and not context.wants_motion):
            meaning, context = STOP, context._replace(wants_motion=False, stops=standing)
        requested = latest if isinstance(latest, RawCommand) else None
        raw = None if stops else requested
        wants_motion = wants_motion and not stops
        if command_fresh:
            self.stood_s = 0.0
        else:
            self._count_silence(context, inputs, limits)
        stamp_s = NEVER_S if latest is None else latest.stamp_s
        if raw is not None:
            self.runner.mirror_vehicle(*inputs.odometry[2:], True)
            vehicle = make_vehicle_command(stamp_s, 0.0, *inputs.odometry[2:])
            rule_changes = raw_changes(raw, rear_steering=self._rear_steering)
        else:
            vehicle, rule_changes = self.runner.step(motion, context, limits, stamp_s, situations)
            if requested is not None:
                rule_changes += blocked_raw_changes(requested, kind_named(standing[0].source))
        if motion is not None and context.at_rest and not wants_motion:
            asked, given = (self.runner.direction * v.long_accel_mps2 for v in (motion, vehicle))
            if asked >= 0.0 > given:
                meaning = STOP  # a rule holds the car, not the stack's brake: on any slope
        body, body_changes = self.requests.compose(
            self.gearbox.gear,
            authority is COMMAND,
            limits.applies(WIPER_HEADLIGHT),
            not (command_fresh and link_fresh) or inputs.emergency is not None,
            self._period_s,
        )
        if authority is COMMAND or command_fresh:
            changes += rule_changes + body_changes
        held = self._standing(authority, inputs, motion is not None, stops, wants_motion)
        safe = record(
            PlatformCommand,
            (authority, mode, vehicle, body, raw, meaning, 0.0, False, False, False, held),
        )
        return safe, changes, notices, standing

    def _update_gear(
        self, period: Period, inputs: Inputs, limits: SafetyParameters, wants_motion: bool
    ) -> tuple[tuple[Change, ...], tuple[Notice, ...]]:
        """Choose the gear, or mirror the vehicle without authority; set the travel direction."""
        changes, notices = NO_CHANGES, NO_NOTICES
        gearbox, odometry = self.gearbox, inputs.odometry
        authority, _, latest, command_fresh, link_fresh, meaning = period
        fresh_s = self._period_s * link_fresh
        self.requests.watch(inputs.body, fresh_s, limits.report_timeout_s)
        if authority is COMMAND:
            is_ours = self.holder is OURS
            changes, notices = gearbox.step(
                gear_choosing_accel(latest if command_fresh else None, gearbox.gear, limits),
                odometry.velocity_mps if link_fresh else None,
                inputs,
                limits,
                self._period_s,
                is_ours,
                wants_motion and not is_ours,
                meaning is DRIVE or meaning is STOP,
            )
        else:
            # The body stays as reported, and the next autonomy starts from it.
            self.requests.base = inputs.body
            gearbox.mirror_vehicle(inputs.body.gear)
            # Without reports the wheels stay where they were sent to, after autonomy too.
            if link_fresh or authority is SILENT or odometry.stamp_s == NEVER_S:
                self.runner.mirror_vehicle(*odometry[2:], authority is SILENT)
        direction = gearbox.direction or travel_direction(gearbox.gear, odometry.velocity_mps)
        if direction != self.runner.direction:
            self.runner.set_direction(direction)
        return changes, notices

    def _context(
        self,
        period: Period,
        motion: VehicleCommand | None,
        inputs: Inputs,
        limits: SafetyParameters,
    ) -> RuleContext:
        authority, _, latest, command_fresh, link_fresh, meaning = period
        _, speed_mps, front_rad, rear_rad = inputs.odometry
        gearbox, runner, geometry = self.gearbox, self.runner, self.geometry
        parked = inputs.parked
        # While it leaves PARK of ours, the car is in a shift.
        in_park = parked.gear_before is not None and not gearbox.is_shifting
        # Of a car without understeer that curves alike.
        gradient = geometry.understeer_gradient_rad_s2pm
        gradient = gradient if gradient > 0.0 else 0.0
        wheelbase_m = geometry.wheelbase_m + gradient * speed_mps * speed_mps
        rear_unsupported = not self._rear_steering and bool(motion and motion.rear_wheel_angle_rad)
        hand_brake = parked.hand_brake or inputs.body.hand_brake
        hand_brake = hand_brake or self.requests.requested.hand_brake is True
        gear = PARK if in_park else gearbox.gear
        shifting = gearbox.is_shifting or gearbox.keeps_brake
        at_rest = abs(speed_mps) <= limits.standstill_speed_mps
        # A request to drive waits for the gear and the hand brake. It is what is asked for, and not
        # what the rules leave of it: the first step of a slow rise would be held, and so each one.
        waits = shifting or hand_brake or not gearbox.direction
        return record(
            RuleContext,
            (
                speed_mps, front_rad, rear_rad, gear, hand_brake, at_rest, runner.previous,
                self._period_s, authority is not COMMAND, command_fresh, link_fresh,
                inputs.cabin_secured, shifting, runner.oscillating, wheelbase_m,
                geometry.front_wheel_angle_max_rad, geometry.rear_wheel_angle_max_rad,
                rear_unsupported, bool(inputs.required.lost), inputs.emergency,
                not waits and (meaning is DRIVE or self.asks_to_drive(latest, meaning)), NO_STOPS,
            ),
        )  # fmt: skip

    def _count_silence(
        self, context: RuleContext, inputs: Inputs, limits: SafetyParameters
    ) -> None:
        """Count for how long the car has stood without a fresh command, by the last report."""
        rests = context.at_rest and not inputs.doubt
        rests = rests and wheels_stand(inputs.wheel_mps, limits.standstill_speed_mps)
        self.stood_s = self.stood_s + self._period_s if rests and not context.blocked else 0.0

    def _standing(
        self, authority: Authority, inputs: Inputs, has_motion: bool, stops: bool, wants: bool
    ) -> Standing:
        """Return who holds the car, and what ends PARK and hand brake of ours.

        Who names a gear or the hand brake begins to hold the car again. While nothing of ours is
        reported, that is all for the gear as reported, and for the release of a brake that is off:
        of PARK and a hand brake that have just been set, the sender does not know.
        """
        gearbox, parked = self.gearbox, inputs.parked
        if stops:
            self.holder = NOBODY if authority is SILENT else OURS
        else:
            self.holder = STACK if has_motion and not wants else NOBODY
        if self.parked_before:
            self.parked_before = authority is not COMMAND or parked.gear_before is not None
        takes_gear, takes_hand_brake = gearbox.takes_gear, self._takes_hand_brake
        holder = NOBODY if takes_gear or takes_hand_brake else self.holder
        if takes_gear and parked.gear_before is None:
            gearbox.takes_gear, takes_gear = False, gearbox.gear is not inputs.body.gear
        if takes_hand_brake and not parked.hand_brake:
            self._takes_hand_brake = False
            takes_hand_brake = self.requests.requested.hand_brake or inputs.body.hand_brake
        if holder is NOBODY and not (takes_gear or takes_hand_brake or (wants and parked.is_held)):
            return NOT_STANDING
        return Standing(holder, wants, takes_gear, takes_hand_brake)

    def asks_to_drive(
        self, latest: VehicleCommand | RawCommand | None, meaning: AccelMeaning
    ) -> bool:
        """Return whether the stack requests to drive, in the gear or in the one before our PARK."""
        direction = self.gearbox.direction
        if direction == 0 or latest is None or meaning is STOP or self.gearbox.keeps_brake:
            return False
        if isinstance(latest, RawCommand):
            return latest.throttle > 0
        return meaning is DRIVE or direction * latest.long_accel_mps2 > HOLD_ZONE_MPS2
