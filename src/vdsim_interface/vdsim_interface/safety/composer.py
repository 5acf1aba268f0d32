"""Composes the command of one period: gear, motion rules and body, for a decided authority.

Who drives is decided before (safety.py). Without authority the gear and the memory of the rules
mirror the vehicle, so that autonomy starts from where the car is. A raw command passes unchanged or
is blocked as a whole.
"""

from typing import NamedTuple

from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.safety.body import BodyRequests
from vdsim_interface.safety.gear import gear_choosing_accel, wheels_stand
from vdsim_interface.safety.gearbox import Gearbox
from vdsim_interface.safety.inputs import Inputs
from vdsim_interface.safety.latest_command import NEVER_S
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.rule_context import RuleContext
from vdsim_interface.safety.rule_runner import RuleRunner
from vdsim_interface.safety.rules import blocked_raw_changes, raw_blocked_by, raw_changes
from vdsim_interface.values import (
    AccelMeaning,
    Authority,
    Change,
    Mode,
    Notice,
    PlatformCommand,
    RawCommand,
    VehicleCommand,
    notice_kinds,
    travel_direction,
)
from vdsim_interface.values.records import record

NO_NOTICES: tuple[Notice, ...] = ()
# Plain names: an attribute of an enumeration costs as much as a call.
COMMAND, DRIVE, STOP = Authority.COMMAND, AccelMeaning.DRIVE, AccelMeaning.STOP
AT_REST_AFTER_S = 1.0
"""A stop of ours sets hand brake and PARK when the car has stood for this time."""


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

    `stood_s`: for how long the car has stood after a stop of ours, as far as is known [s].
    """

    def __init__(self, geometry: VehicleGeometry, period_s: float, *, rear_steering: bool) -> None:
        self.gearbox = Gearbox()
        self.runner = RuleRunner(period_s)
        self.requests = BodyRequests()
        self.stood_s = 0.0
        self.geometry = geometry
        self._period_s = period_s
        self._rear_steering = rear_steering

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
        changes, notices = self._update_gear(period, inputs, limits)
        motion = latest if isinstance(latest, VehicleCommand) else None
        context = self._context(period, motion, inputs, limits)
        meaning = self._meaning_now(meaning, context, limits)
        context.wants_motion = meaning is DRIVE
        raw = None
        if motion is None and latest is not None:
            assert isinstance(latest, RawCommand)
            raw, vehicle, rule_changes = self._raw(latest, context, inputs, limits)
        else:
            stamp_s = NEVER_S if motion is None else motion.stamp_s
            vehicle, rule_changes = self.runner.step(motion, context, limits, stamp_s)
        body, body_changes = self.requests.compose(
            self.gearbox.gear,
            commanding=authority is COMMAND,
            enabled=limits.applies(notice_kinds.WIPER_HEADLIGHT),
            period_s=self._period_s,
            stopping=not (command_fresh and link_fresh),
            standing=self._stands(context, inputs, limits),
        )
        if authority is COMMAND or command_fresh:
            changes += rule_changes + body_changes
        safe = record(
            PlatformCommand,
            (authority, mode, vehicle, body, raw, meaning, 0.0, False, False, False),
        )
        return record(Composed, (safe, changes, notices))

    def _raw(
        self, given: RawCommand, context: RuleContext, inputs: Inputs, limits: SafetyParameters
    ) -> tuple[RawCommand | None, VehicleCommand, tuple[Change, ...]]:
        """Return the raw command if it passes, our own stop, and what the rules changed."""
        blocked_by = raw_blocked_by(context, limits)
        if blocked_by is None:
            self._mirror_vehicle(inputs, coasting=True)
        vehicle, changes = self.runner.step(None, context, limits, given.stamp_s)
        if blocked_by is None:
            return given, vehicle, raw_changes(given, rear_steering=self._rear_steering)
        return None, vehicle, changes + blocked_raw_changes(given, blocked_by)

    def _update_gear(
        self, period: Period, inputs: Inputs, limits: SafetyParameters
    ) -> tuple[tuple[Change, ...], tuple[Notice, ...]]:
        """Choose the gear, or mirror the vehicle without authority; set the travel direction."""
        changes: tuple[Change, ...] = ()
        notices = NO_NOTICES
        gearbox, odometry = self.gearbox, inputs.odometry
        authority, _, latest, command_fresh, link_fresh, _ = period
        if authority is COMMAND:
            command = latest if command_fresh else None
            changes, notices = gearbox.step(
                gear_choosing_accel(command, gearbox.gear, limits),
                odometry.velocity_mps if link_fresh else None,
                inputs.body.gear,
                limits,
                self._period_s,
                inputs.wheel_mps,
                parks=self.stood_s >= AT_REST_AFTER_S,
            )
        else:
            self.requests.mirror_vehicle(inputs.body)
            gearbox.mirror_vehicle(inputs.body.gear)
            self._mirror_vehicle(inputs, coasting=authority is Authority.SILENT)
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
        wheelbase_m = geometry.wheelbase_m
        if geometry.understeer_gradient_rad_s2pm > 0.0:
            # Of a car without understeer that curves alike.
            wheelbase_m += geometry.understeer_gradient_rad_s2pm * speed_mps * speed_mps
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

    def _stands(self, context: RuleContext, inputs: Inputs, limits: SafetyParameters) -> bool:
        """Return whether the car has stood for a while after a stop of ours, as far as is known."""
        stops = not (context.blocked or context.command_fresh)
        rests = context.at_rest and wheels_stand(inputs.wheel_mps, limits.standstill_speed_mps)
        if not (stops and rests and context.link_fresh):
            self.stood_s = 0.0
            return False
        self.stood_s += self._period_s
        return self.stood_s >= AT_REST_AFTER_S

    def _meaning_now(
        self, meaning: AccelMeaning, context: RuleContext, limits: SafetyParameters
    ) -> AccelMeaning:
        """Return what the acceleration means after the rules: a stop of ours is STOP."""
        insecure = context.input_lost or (
            not context.cabin_secured and limits.applies("cabin_unsecured")
        )
        if context.blocked or insecure or not (context.command_fresh and context.link_fresh):
            return STOP
        if meaning is not DRIVE:
            return meaning
        waits = context.shifting or context.hand_brake or not self.gearbox.direction
        return STOP if waits else DRIVE
