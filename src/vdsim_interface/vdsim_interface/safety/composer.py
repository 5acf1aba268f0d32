"""Composes the command of one period: gear, motion rules and body, for a decided authority.

Who drives is decided before (safety.py). Without authority the gear and the memory of the rules
mirror the vehicle, so that autonomy starts from where the car is. A raw command passes unchanged or
is blocked as a whole.
"""

from typing import NamedTuple

from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.safety.body import BodyRequests
from vdsim_interface.safety.gear import gear_choosing_accel
from vdsim_interface.safety.gearbox import Gearbox
from vdsim_interface.safety.inputs import NEVER_S, Inputs
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.rule_context import RuleContext
from vdsim_interface.safety.rule_runner import RuleRunner
from vdsim_interface.safety.rules import (
    HOLD_ZONE_MPS2,
    blocked_raw_changes,
    raw_blocked_by,
    raw_changes,
)
from vdsim_interface.safety.stops import standing_stops
from vdsim_interface.standstill.stands import wheels_stand
from vdsim_interface.values import (
    NOT_STANDING,
    AccelMeaning,
    Authority,
    Change,
    Gear,
    Holder,
    Mode,
    Notice,
    PlatformCommand,
    RawCommand,
    RequestContext,
    Standing,
    StateCommand,
    Stop,
    VehicleCommand,
    notice_kinds,
    travel_direction,
)
from vdsim_interface.values.records import record

NO_NOTICES: tuple[Notice, ...] = ()
# Plain names: an attribute of an enumeration costs as much as a call.
COMMAND, SILENT = Authority.COMMAND, Authority.SILENT
DRIVE, STOP = AccelMeaning.DRIVE, AccelMeaning.STOP
NOBODY, OURS, STACK = Holder.NOBODY, Holder.OURS, Holder.STACK


class Period(NamedTuple):
    """What is decided before the command is composed.

    `latest`: the command that holds, None before the first. `command_fresh`, `link_fresh`: whether
    it and the vehicle's report are young enough. `meaning`: that of the stack's accelerations.
    """

    authority: Authority
    mode: Mode
    latest: VehicleCommand | RawCommand | None
    command_fresh: bool
    link_fresh: bool
    meaning: AccelMeaning


class Composed(NamedTuple):
    """The command for the platform, what was changed, notices to be counted, standing stops."""

    command: PlatformCommand
    changes: tuple[Change, ...]
    notices: tuple[Notice, ...]
    stops: tuple[Stop, ...]


class Composer:
    """The gearbox, the rules and the body requests, with what they remember.

    `stood_s`: for how long the car has stood without a command, as far as is known [s]. `holder`:
    who holds the car, as of the last period.
    """

    def __init__(self, geometry: VehicleGeometry, period_s: float, *, rear_steering: bool) -> None:
        self.gearbox = Gearbox()
        self.runner = RuleRunner(period_s)
        self.requests = BodyRequests()
        self.holder = NOBODY
        self._takes_hand_brake = False
        self._parked_before = True
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

    def request_context(self, inputs: Inputs) -> RequestContext:
        """What a state message requests although it only repeats the previous one."""
        parked = inputs.parked
        return RequestContext(
            body=inputs.body,
            refused_gear=self.gearbox.refused,
            hand_brake_refused=self.requests.hand_brake_refused,
            gear_before_park=parked.gear_before,
            parked_before=self._parked_before,
            hand_brake_is_ours=parked.hand_brake,
        )

    def start_autonomy(self) -> None:
        """Reset what starts with autonomy."""
        self.gearbox.arm_automatic()
        self._parked_before = True
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
        changes, notices = self._update_gear(period, inputs, limits, wants_motion=wants_motion)
        motion = latest if isinstance(latest, VehicleCommand) else None
        context = self._context(period, motion, inputs, limits)
        standing = standing_stops(context, limits)
        stops = bool(standing)
        meaning = STOP if stops else self._meaning_now(meaning, context)
        raw, blocked_raw = _raw_that_passes(latest, context, limits)
        wants_motion = wants_motion and not stops
        self._count_silence(context, inputs, limits)
        context.wants_motion = meaning is DRIVE
        if raw is not None:
            self._mirror_vehicle(inputs, coasting=True)
        stamp_s = NEVER_S if latest is None else latest.stamp_s
        vehicle, rule_changes = self.runner.step(motion, context, limits, stamp_s)
        if raw is not None:
            rule_changes = raw_changes(raw, rear_steering=self._rear_steering)
        else:
            rule_changes += blocked_raw
        body, body_changes = self.requests.compose(
            self.gearbox.gear,
            commanding=authority is COMMAND,
            enabled=limits.applies(notice_kinds.WIPER_HEADLIGHT),
            period_s=self._period_s,
            stopping=not (command_fresh and link_fresh) or inputs.emergency is not None,
        )
        if authority is COMMAND or command_fresh:
            changes += rule_changes + body_changes
        held = self._standing(period, inputs, stops=stops, wants=wants_motion)
        safe = record(
            PlatformCommand,
            (authority, mode, vehicle, body, raw, meaning, 0.0, False, False, False, held),
        )
        return record(Composed, (safe, changes, notices, standing))

    def _update_gear(
        self, period: Period, inputs: Inputs, limits: SafetyParameters, *, wants_motion: bool
    ) -> tuple[tuple[Change, ...], tuple[Notice, ...]]:
        """Choose the gear, or mirror the vehicle without authority; set the travel direction."""
        changes: tuple[Change, ...] = ()
        notices = NO_NOTICES
        gearbox, odometry = self.gearbox, inputs.odometry
        if period.authority is COMMAND:
            command = period.latest if period.command_fresh else None
            changes, notices = gearbox.step(
                gear_choosing_accel(command, gearbox.gear, limits),
                odometry.velocity_mps if period.link_fresh else None,
                inputs.body.gear,
                limits,
                self._period_s,
                inputs.wheel_mps,
                is_parked=inputs.parked.gear_before is not None,
                held_by_us=self.holder is OURS,
                wants_motion=wants_motion and self.holder is not OURS,
                by_speed=period.meaning in (DRIVE, STOP),
            )
        else:
            self.requests.mirror_vehicle(inputs.body)
            gearbox.mirror_vehicle(inputs.body.gear)
            self._mirror_vehicle(inputs, coasting=period.authority is SILENT)
        direction = gearbox.direction or travel_direction(gearbox.gear, odometry.velocity_mps)
        if direction != self.runner.direction:
            self.runner.set_direction(direction)
        return changes, notices

    def _mirror_vehicle(self, inputs: Inputs, *, coasting: bool) -> None:
        odometry = inputs.odometry
        self.runner.mirror_vehicle(
            odometry.front_wheel_angle_rad, odometry.rear_wheel_angle_rad, coasting=coasting
        )

    def _context(
        self,
        period: Period,
        motion: VehicleCommand | None,
        inputs: Inputs,
        limits: SafetyParameters,
    ) -> RuleContext:
        authority, _, _, command_fresh, link_fresh, _ = period
        _, speed_mps, front_rad, rear_rad = inputs.odometry
        gearbox, runner, geometry = self.gearbox, self.runner, self.geometry
        parked = inputs.parked
        # While it leaves PARK of ours, the car is in a shift.
        in_park = parked.gear_before is not None and not gearbox.is_shifting
        # Of a car without understeer that curves alike.
        gradient = geometry.understeer_gradient_rad_s2pm
        if gradient < 0.0:
            gradient = 0.0
        wheelbase_m = geometry.wheelbase_m + gradient * speed_mps * speed_mps
        # Positional, in the order of the fields: with names the call takes 0.6 us longer
        # (0.9 against 0.3), on every tick.
        return RuleContext(
            speed_mps,
            front_rad,
            rear_rad,
            Gear.PARK if in_park else gearbox.gear,
            parked.hand_brake
            or inputs.body.hand_brake
            or self.requests.requested.hand_brake is True,
            abs(speed_mps) <= limits.standstill_speed_mps,
            runner.previous,
            self._period_s,
            authority is not COMMAND,
            command_fresh,
            link_fresh,
            inputs.cabin_secured,
            gearbox.is_shifting,
            runner.oscillating,
            wheelbase_m,
            geometry.front_wheel_angle_max_rad,
            geometry.rear_wheel_angle_max_rad,
            not self._rear_steering and motion is not None and motion.rear_wheel_angle_rad != 0.0,
            bool(inputs.required.lost),
            inputs.emergency,
        )

    def _count_silence(
        self, context: RuleContext, inputs: Inputs, limits: SafetyParameters
    ) -> None:
        """Count for how long the car has stood without a command, by the last report."""
        rests = context.at_rest and not inputs.is_doubted
        rests = rests and wheels_stand(inputs.wheel_mps, limits.standstill_speed_mps)
        silent = rests and not (context.blocked or context.command_fresh)
        self.stood_s = self.stood_s + self._period_s if silent else 0.0

    def _standing(self, period: Period, inputs: Inputs, *, stops: bool, wants: bool) -> Standing:
        """Return who holds the car, and what ends PARK and hand brake of ours."""
        if stops:
            self.holder = NOBODY if period.authority is SILENT else OURS
        else:
            holds = not wants and isinstance(period.latest, VehicleCommand)
            self.holder = STACK if holds else NOBODY
        gearbox, parked = self.gearbox, inputs.parked
        self._parked_before &= period.authority is not COMMAND or parked.gear_before is not None
        takes_gear, takes_hand_brake = gearbox.takes_gear, self._takes_hand_brake
        if takes_gear and parked.gear_before is None:
            gearbox.takes_gear = False
        if takes_hand_brake and not parked.hand_brake:
            self._takes_hand_brake = False
        takes = takes_gear or takes_hand_brake
        if self.holder is NOBODY and not takes and not (wants and parked.is_held):
            return NOT_STANDING
        return Standing(self.holder, wants, takes_gear, takes_hand_brake)

    def asks_to_drive(
        self, latest: VehicleCommand | RawCommand | None, meaning: AccelMeaning
    ) -> bool:
        """Return whether the stack requests to drive, in the gear or in the one before our PARK."""
        direction = self.gearbox.direction
        if direction == 0 or latest is None:
            return False
        if isinstance(latest, RawCommand):
            return latest.throttle > 0
        if meaning is STOP:
            return False
        wants = meaning is DRIVE
        return wants or direction * latest.long_accel_mps2 > HOLD_ZONE_MPS2

    def _meaning_now(self, meaning: AccelMeaning, context: RuleContext) -> AccelMeaning:
        """Return what the stack's acceleration means where it passes."""
        waits = context.shifting or context.hand_brake or not self.gearbox.direction
        if meaning is DRIVE and waits:
            return STOP
        return meaning


def _raw_that_passes(
    latest: VehicleCommand | RawCommand | None, context: RuleContext, limits: SafetyParameters
) -> tuple[RawCommand | None, tuple[Change, ...]]:
    """Return the raw command, None where there is none or it is blocked; and what was blocked."""
    if not isinstance(latest, RawCommand):
        return None, ()
    blocked_by = raw_blocked_by(context, limits)
    return (None, blocked_raw_changes(latest, blocked_by)) if blocked_by else (latest, ())
