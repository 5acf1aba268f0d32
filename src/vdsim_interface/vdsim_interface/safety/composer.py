"""Composes the command of one period: gear, motion rules and body, for a decided authority.

Who drives is decided before (safety.py). Without authority the gear and the memory of the rules
mirror the vehicle, so that autonomy starts from where the car is. A raw command passes unchanged or
is blocked as a whole.
"""

from typing import NamedTuple

from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.safety.body import BodyRequests
from vdsim_interface.safety.gear import Parked, Parking, gear_choosing_accel, wheels_stand
from vdsim_interface.safety.gearbox import Gearbox
from vdsim_interface.safety.inputs import Inputs
from vdsim_interface.safety.latest_command import NEVER_S
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.requests import Repeatable
from vdsim_interface.safety.rule_context import RuleContext
from vdsim_interface.safety.rule_runner import RuleRunner
from vdsim_interface.safety.rules import (
    HOLD_ZONE_MPS2,
    blocked_raw_changes,
    raw_blocked_by,
    raw_changes,
)
from vdsim_interface.values import (
    AccelMeaning,
    Authority,
    Change,
    Mode,
    Notice,
    PlatformCommand,
    RawCommand,
    StateCommand,
    VehicleCommand,
    notice_kinds,
    travel_direction,
)
from vdsim_interface.values.records import record

NO_NOTICES: tuple[Notice, ...] = ()
# Plain names: an attribute of an enumeration costs as much as a call.
COMMAND, IDLE, DRIVE = Authority.COMMAND, Authority.IDLE, AccelMeaning.DRIVE


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
    """The command for the platform, what was changed on the way, and notices to be counted."""

    command: PlatformCommand
    changes: tuple[Change, ...]
    notices: tuple[Notice, ...]


class Composer:
    """The gearbox, the rules and the body requests, with what they remember.

    `stood_s`: for how long the car has stood without a command, as far as is known [s].
    """

    def __init__(self, geometry: VehicleGeometry, period_s: float, *, rear_steering: bool) -> None:
        self.gearbox = Gearbox()
        self.runner = RuleRunner(period_s)
        self.requests = BodyRequests()
        self._parking = Parking()
        self.stood_s = 0.0
        self.geometry = geometry
        self._period_s = period_s
        self._rear_steering = rear_steering

    def add_request(self, request: StateCommand) -> None:
        """Use a request for the body; one for gear or hand brake ends the stack's long hold."""
        self.requests.add(request, by_us=self._parking.by_us)
        if not self._parking.by_us and (request.gear, request.hand_brake) != (None, None):
            self._parking.restart()

    @property
    def repeatable(self) -> Repeatable:
        """What a state message requests although it only repeats the previous one."""
        return Repeatable(
            refused_gear=self.gearbox.refused,
            hand_brake_refused=self.requests.hand_brake_refused,
            gear_before_park=self.gearbox.before_park,
            park_is_older=self.gearbox.park_is_older,
            hand_brake_is_ours=self.requests.is_hand_brake_ours,
        )

    @property
    def parked(self) -> Parked:
        """What we have set at rest."""
        return Parked(self.requests.is_hand_brake_ours, self.gearbox.before_park)

    def resume(self, parked: Parked) -> None:
        """Continue where a previous activation or process ended."""
        self.requests.is_hand_brake_ours = parked.hand_brake
        self.gearbox.before_park = parked.gear_before

    def take_over(self, parked: Parked) -> None:
        """Add what the vehicle side has set for us; nothing named changes nothing."""
        hand_brake, gear_before = parked
        self.requests.is_hand_brake_ours |= hand_brake
        if gear_before is not None:
            self.gearbox.before_park, self.gearbox.park_is_older = gear_before, True

    def start_autonomy(self) -> None:
        """Reset what starts with autonomy."""
        self.gearbox.arm_automatic()
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
        wants_motion = self._wants_motion(period)
        changes, notices = self._update_gear(period, inputs, limits, wants_motion=wants_motion)
        motion = latest if isinstance(latest, VehicleCommand) else None
        context = self._context(period, motion, inputs, limits)
        stops = self._stops(context, limits)
        meaning = AccelMeaning.STOP if stops else self._meaning_now(meaning, context)
        raw, blocked_raw = _raw_that_passes(latest, context, limits)
        wants_motion = wants_motion and not stops
        self._update_parking(period, context, inputs, limits, stops=stops, wants=wants_motion)
        # As with a request for the hand brake: not while the car moves.
        moves = link_fresh and abs(context.speed_mps) > limits.gear_change_speed_mps
        releases = moves or wants_motion
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
            stopping=not (command_fresh and link_fresh),
            parks=self._parking.is_due,
            releases=releases,
        )
        if authority is COMMAND or command_fresh:
            changes += rule_changes + body_changes
        elif body_changes:
            changes += tuple(c for c in body_changes if c.kind is notice_kinds.HAND_BRAKE_STOP)
        sets_parking = authority is IDLE and (self._parking.is_due or releases)
        safe = record(
            PlatformCommand,
            (authority, mode, vehicle, body, raw, meaning, 0.0, False, False, False, sets_parking),
        )
        return record(Composed, (safe, changes, notices))

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
                gear_choosing_accel(command, gearbox.gear, limits, gearbox.before_park),
                odometry.velocity_mps if period.link_fresh else None,
                inputs.body.gear,
                limits,
                self._period_s,
                inputs.wheel_mps,
                parks=self._parking.is_due,
                wants_motion=wants_motion,
            )
        else:
            silent = period.authority is Authority.SILENT
            parks = self._parking.is_due and not silent
            self.requests.mirror_vehicle(inputs.body, parks=parks)
            changes = gearbox.mirror_vehicle(inputs.body.gear, parks=parks)
            self._mirror_vehicle(inputs, coasting=silent)
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
            gearbox.gear,
            inputs.body.hand_brake or self.requests.requested.hand_brake is True,
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
        )

    def _update_parking(
        self,
        period: Period,
        context: RuleContext,
        inputs: Inputs,
        limits: SafetyParameters,
        *,
        stops: bool,
        wants: bool,
    ) -> None:
        """Count for how long the car has stood, and who holds it."""
        rests = context.at_rest and context.link_fresh and not inputs.is_doubted
        rests = rests and wheels_stand(inputs.wheel_mps, limits.standstill_speed_mps)
        silent = rests and not (context.blocked or context.command_fresh)
        self.stood_s = self.stood_s + self._period_s if silent else 0.0
        by_us = stops and period.authority is not Authority.SILENT
        self._parking.step(
            rests=rests,
            by_us=by_us,
            by_stack=not (stops or wants) and isinstance(period.latest, VehicleCommand),
            after_s=limits.stop_park_after_s if by_us else limits.hold_park_after_s,
            period_s=self._period_s,
        )

    def _wants_motion(self, period: Period) -> bool:
        """Return whether the stack requests to drive, in the gear or in the one before our PARK."""
        direction, latest = self.gearbox.drive_direction, period.latest
        if direction == 0 or latest is None:
            return False
        if isinstance(latest, RawCommand):
            return latest.throttle > 0
        if period.meaning is AccelMeaning.STOP:
            return False
        wants = period.meaning is DRIVE
        return wants or direction * latest.long_accel_mps2 > HOLD_ZONE_MPS2

    @staticmethod
    def _stops(context: RuleContext, limits: SafetyParameters) -> bool:
        """Return whether a stop of ours runs, or nothing of the stack passes at all."""
        insecure = context.input_lost or (
            not context.cabin_secured and limits.applies("cabin_unsecured")
        )
        return context.blocked or insecure or not (context.command_fresh and context.link_fresh)

    def _meaning_now(self, meaning: AccelMeaning, context: RuleContext) -> AccelMeaning:
        """Return what the stack's acceleration means where it passes."""
        waits = context.shifting or context.hand_brake or not self.gearbox.direction
        if meaning is DRIVE and waits:
            return AccelMeaning.STOP
        return meaning


def _raw_that_passes(
    latest: VehicleCommand | RawCommand | None, context: RuleContext, limits: SafetyParameters
) -> tuple[RawCommand | None, tuple[Change, ...]]:
    """Return the raw command, None where there is none or it is blocked; and what was blocked."""
    if not isinstance(latest, RawCommand):
        return None, ()
    blocked_by = raw_blocked_by(context, limits)
    return (None, blocked_raw_changes(latest, blocked_by)) if blocked_by else (latest, ())
