"""Third stage of the pipeline: the safety state machine between the stack and the vehicle.

It holds who drives (engagement.py), which gear is in effect (gearbox.py) and what was last let
through (chain.py), and passes every command through the ordered rules (rules.py, body.py). One
`step` is one period of the pipeline; time comes in as an argument. Nothing is logged: reports are
returned.
"""

import math
from dataclasses import replace

from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.safety.body import commanded_body, merge
from vdsim_interface.safety.engagement import Engagement, ModeChange
from vdsim_interface.safety.gearbox import Gearbox
from vdsim_interface.safety.intervention_counts import InterventionCounts
from vdsim_interface.safety.modes import ModeEvent
from vdsim_interface.safety.output import SafetyOutput
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.preconditions import Situation, obstacles
from vdsim_interface.safety.requests import StateMessageReader
from vdsim_interface.safety.rule_context import RuleContext
from vdsim_interface.safety.rule_runner import RuleRunner
from vdsim_interface.values import (
    NO_DRIVER,
    NOT_YET_REPORTED,
    Authority,
    BodyCommand,
    BodyState,
    CabinState,
    Change,
    ChangeModeResult,
    ControlLevel,
    DriverActivity,
    Mode,
    Notice,
    NoticeKind,
    Odometry,
    PlatformCommand,
    RawCommand,
    SafetyStatus,
    StateCommand,
    StateMessage,
    VehicleCommand,
    drive_direction,
    notice_kinds,
    travel_direction,
)

NEVER_S = -math.inf
NO_REQUEST = StateCommand()
REJECTED_WORDS = {
    notice_kinds.WRONG_LEVEL: " (commands of another level come)",
    notice_kinds.NON_FINITE_COMMAND: " (those that come are not finite)",
}
NO_NOTICES: tuple[Notice, ...] = ()


class Safety:
    """The safety state machine. The latest command, report and request of each kind count."""

    def __init__(
        self,
        parameters: SafetyParameters,
        geometry: VehicleGeometry,
        period_s: float,
        command_timeout_s: float,
        *,
        rear_steering: bool,
    ) -> None:
        self._limits = parameters
        self._rear_steering = rear_steering
        self._geometry = geometry
        self._period_s = period_s
        self._command_timeout_s = command_timeout_s
        self._engagement = Engagement()
        self._reader = StateMessageReader()
        self._requested = NO_REQUEST
        self._gearbox = Gearbox()
        self._runner = RuleRunner(period_s)
        self._counts = InterventionCounts()
        self._cabin = CabinState()
        self._cabin_secured = True
        self._driver = NO_DRIVER
        self._vehicle_ready = True
        self._body = NOT_YET_REPORTED
        self._body_wish: tuple[object, ...] = ()
        self._body_command: tuple[BodyCommand, tuple[Change, ...]] = (BodyCommand(), ())
        self._base = self._body
        self._odometry = Odometry(NEVER_S)
        self._command: VehicleCommand | RawCommand | None = None
        self._rejected = notice_kinds.WRONG_LEVEL, NEVER_S

    @property
    def mode(self) -> Mode:
        """Who drives."""
        return self._engagement.mode

    def configure(self, parameters: SafetyParameters, geometry: VehicleGeometry) -> None:
        """Take new limits; they hold from the next step on."""
        self._limits = parameters
        self._geometry = geometry

    def restart(self) -> tuple[Notice, ...]:
        """Time jumped back: nothing that was heard before it counts, and autonomy ends."""
        self._odometry = Odometry(NEVER_S)
        self._command = None
        why = "time jumped back: what was heard before it does not count"
        return self._turn(self._engagement.handle(ModeEvent.LINK_LOST, why))

    def restore_from(self, previous: "Safety") -> None:
        """Go on from what another knows of people and their wishes; nobody tells that again."""
        self._cabin, self._cabin_secured = previous._cabin, previous._cabin_secured
        self._driver = previous._driver
        # A message that repeats itself does not ask for autonomy anew.
        self._reader = previous._reader
        self._requested = replace(previous._requested, hand_brake=None)
        self._engagement.restore_from(previous._engagement)

    def stop(self) -> tuple[Notice, ...]:
        """Deactivate: autonomy ends, and does not begin again by itself.

        The command that follows is the last one for long, so it brakes at once: what a smooth stop
        begins with would leave the car coasting.
        """
        self._runner.brake(self._limits.stop_decel_mps2)
        return self._turn(self._engagement.stop())

    # ---- what is heard -------------------------------------------------------------------------

    def on_odometry(self, odometry: Odometry, now: float) -> tuple[Notice, ...]:
        """Take the measured motion; a report that is not finite is dropped, as if never sent."""
        if not odometry.is_finite():
            return (
                self.count(notice_kinds.NON_FINITE_REPORT, "vehicle report dropped: not finite"),
            )
        self._odometry = odometry
        self._engagement.on_report(odometry.stamp_s)
        return NO_NOTICES

    def on_body(self, body: BodyState, now: float) -> None:
        """Take the gear, lamps and so on that are in effect."""
        self._body = body

    def on_cabin(self, cabin: CabinState, now: float) -> None:
        """Take the state of doors, belts and load."""
        self._cabin = cabin
        self._cabin_secured = not cabin.open_points()

    def on_driver(self, activity: DriverActivity, now: float) -> tuple[Notice, ...]:
        """Take what the driver does; any activity ends autonomy at once ([VI-5.1])."""
        self._driver = activity
        used = activity.named()
        if not used:
            return NO_NOTICES
        names = ", ".join(name.replace("_", " ") for name in used)
        return self._turn(self._engagement.handle(ModeEvent.OVERRIDE, f"driver override: {names}"))

    def on_vehicle_ready(self, ready: bool, now: float) -> tuple[Notice, ...]:
        """Take whether the vehicle itself is ready for, or still in, autonomous operation."""
        self._vehicle_ready = ready
        return NO_NOTICES if ready else self._turn(self._engagement.handle(ModeEvent.VEHICLE_LEFT))

    def on_state_message(self, message: StateMessage, now: float) -> tuple[Notice, ...]:
        """Take a VehicleStateCommand as it arrives."""
        request, notices = self._reader.read(message, self._gearbox.refused)
        return self._counted(notices) + self.on_state_command(request, now)

    def on_state_command(self, request: StateCommand, now: float) -> tuple[Notice, ...]:
        """Take a request that names only what it wants to change."""
        speed = self._known_speed(now)
        checked = self.mode is Mode.AUTONOMOUS and self._limits.enabled
        request, notices = self._hand_brake_checked(request, speed)
        self._requested = merge(self._requested, request)
        if request.gear is not None:
            told = self._gearbox.request(request.gear, speed, self._limits, checked=checked)
            notices += self._counted(told)
        return notices + self._mode_request(request, now)

    def on_change_mode(
        self, engage: bool, now: float
    ) -> tuple[ChangeModeResult, tuple[Notice, ...]]:
        """Engage or disengage; the answer says whether it was accepted, and why not."""
        if not engage:
            notices = self._turn(self._engagement.handle(ModeEvent.DISENGAGE))
            return ChangeModeResult(True, "disengaged", self.mode), notices
        if self.mode is Mode.AUTONOMOUS:
            return ChangeModeResult(True, "already engaged", self.mode), NO_NOTICES
        against = obstacles(self._situation(now), self._limits)
        if against:
            self._engagement.refuse(against)
            report = self.count(notice_kinds.ENGAGE_REFUSED, f"engage refused: {against}")
            return ChangeModeResult(False, against, self.mode), (report,)
        notices = self._turn(self._engagement.request(now, "asked to engage"))
        return ChangeModeResult(True, "engaging", self.mode), notices

    def reject_other_level(self, given: ControlLevel, used: ControlLevel, now: float) -> Notice:
        """Count a command of a level that is not in use."""
        text = f"{given.value}_command ignored: control_command is {used.value}"
        return self.reject(notice_kinds.WRONG_LEVEL, text, now)

    def reject_non_finite(self, command: object, now: float) -> Notice:
        """Count a command with a channel that is no number."""
        text = f"{type(command).__name__} dropped: it is not finite"
        return self.reject(notice_kinds.NON_FINITE_COMMAND, text, now)

    def reject(self, kind: NoticeKind, text: str, now: float) -> Notice:
        """Count a command that is not taken, and remember what was wrong with it."""
        self._rejected = kind, now
        return self.count(kind, text)

    def count(self, kind: NoticeKind, text: str) -> Notice:
        """Count something that happened and put it into words; also for what others noticed."""
        self._counts.event(kind)
        return Notice(kind, text)

    # ---- one period ----------------------------------------------------------------------------

    def step(self, command: VehicleCommand | RawCommand | None, now: float) -> SafetyOutput:
        """Run one period. `command` None: nothing new; the last one counts while it is fresh."""
        notices = NO_NOTICES if command is None else self._take(command, now)
        notices += self._watch_mode(now)
        held = self._command
        fresh = held is not None and now - held.stamp_s <= self._command_timeout_s
        link = now - self._odometry.stamp_s <= self._limits.report_timeout_s
        authority = self._engagement.authority
        changes: tuple[Change, ...] = ()
        if authority is Authority.COMMAND:
            changes, told = self._shift_gears(held if fresh else None, link)
            if told:
                notices += self._counted(told)
        else:
            self._base = self._body
            self._gearbox.mirror_vehicle(self._body.gear)
            self._mirror_vehicle(coasting=authority is Authority.SILENT)
        wanted = held if isinstance(held, VehicleCommand) else None
        direction = self._gearbox.direction or travel_direction(
            self._gearbox.gear, self._odometry.velocity_mps
        )
        if direction != self._runner.direction:
            self._runner.turn(direction)
        context = self._look(authority, fresh, link, wanted)
        raw = held if isinstance(held, RawCommand) and self._raw_passes(context) else None
        if raw is not None:
            self._mirror_vehicle(coasting=True)
        stamp_s = NEVER_S if held is None else held.stamp_s
        vehicle, changed = self._runner.step(wanted, context, self._limits, stamp_s)
        if raw is not None:
            changed = self._raw_changes(raw)
        body, lit = self._command_body(authority, stopping=not (fresh and link))
        if authority is Authority.COMMAND or fresh:
            changes += changed + lit
        if changes or self._counts.is_acting:
            notices += self._counts.step(changes)
        return SafetyOutput(
            PlatformCommand(authority, self._engagement.mode, vehicle, body, raw), changes, notices
        )

    def after_step(self) -> None:
        """After `step`, when its output is on its way: judge what can wait for the next one."""
        held = self._command
        self._runner.watch(held if isinstance(held, VehicleCommand) else None, self._limits)

    def status(self, now: float) -> SafetyStatus:
        """Say how things stand."""
        return SafetyStatus(
            self.mode,
            self._engagement.reason,
            self._engagement.disengage_reason,
            self._counts.active,
            self._counts.counts,
            self._command_age(now),
            now - self._odometry.stamp_s,
        )

    def blocked(self, level: ControlLevel, now: float) -> str:
        """Say why commands do not pass, and what they wait for; empty while they pass."""
        if self._engagement.authority is Authority.COMMAND:
            return ""
        parts = self._engagement.waits_for(self._situation(now), self._limits)
        age_s = self._command_age(now)
        if math.isinf(age_s):
            parts = (f"no command of level {level.value} has come{self.rejected(now)}", *parts)
        elif age_s > self._command_timeout_s:
            said = f"commands of level {level.value} do not come any more{self.rejected(now)}"
            parts = (said, *parts)
        return "; ".join(parts)

    def rejected(self, now: float) -> str:
        """Name what comes instead of commands that could pass; empty when nothing does."""
        kind, at_s = self._rejected
        return REJECTED_WORDS[kind] if 0.0 <= now - at_s <= self._command_timeout_s else ""

    # ---- helpers of step -----------------------------------------------------------------------

    def _take(self, command: VehicleCommand | RawCommand, now: float) -> tuple[Notice, ...]:
        if isinstance(command, VehicleCommand) and not command.is_finite():
            text = "command dropped: it is not finite"
            return (self.reject(notice_kinds.NON_FINITE_COMMAND, text, now),)
        self._command = command
        return NO_NOTICES

    def _shift_gears(
        self, held: VehicleCommand | RawCommand | None, link: bool
    ) -> tuple[tuple[Change, ...], tuple[Notice, ...]]:
        accel: float | None = None
        if isinstance(held, VehicleCommand):
            accel = held.long_accel_mps2
        elif held is not None:
            # A raw command has no sign: it can only ask to leave PARK or NEUTRAL, forward.
            leaves = held.throttle > 0 and drive_direction(self._gearbox.gear) == 0
            accel = 2.0 * self._limits.auto_gear_deadzone_mps2 if leaves else 0.0
        speed = self._odometry.velocity_mps if link else None
        return self._gearbox.step(accel, speed, self._body.gear, self._limits, self._period_s)

    def _mirror_vehicle(self, *, coasting: bool) -> None:
        odometry = self._odometry
        self._runner.mirror_vehicle(
            odometry.front_wheel_angle_rad, odometry.rear_wheel_angle_rad, coasting=coasting
        )

    def _look(
        self, authority: Authority, fresh: bool, link: bool, wanted: VehicleCommand | None
    ) -> RuleContext:
        odometry, geometry, limits = self._odometry, self._geometry, self._limits
        return RuleContext(
            odometry.velocity_mps,
            odometry.front_wheel_angle_rad,
            odometry.rear_wheel_angle_rad,
            self._gearbox.gear,
            self._body.hand_brake or self._requested.hand_brake is True,
            abs(odometry.velocity_mps) <= limits.standstill_speed_mps,
            self._runner.previous,
            self._period_s,
            authority is not Authority.COMMAND,
            fresh,
            link,
            self._cabin_secured,
            self._gearbox.is_shifting,
            self._runner.oscillating,
            geometry.wheelbase_m,
            geometry.front_wheel_angle_max_rad,
            geometry.rear_wheel_angle_max_rad,
            not self._rear_steering and wanted is not None and wanted.rear_wheel_angle_rad != 0.0,
        )

    def _command_body(
        self, authority: Authority, *, stopping: bool
    ) -> tuple[BodyCommand, tuple[Change, ...]]:
        """Compose the body command; it is the same object for as long as nothing changes."""
        commanding = authority is Authority.COMMAND
        wish = (
            self._requested if commanding else NO_REQUEST,
            self._base,
            self._gearbox.gear,
            self._limits.enabled,
            commanding and stopping,
        )
        if wish != self._body_wish:
            requested, base, gear, enabled, stops = wish
            self._body_command = commanded_body(
                requested, base, gear, enabled=enabled, stopping=stops
            )
        self._body_wish = wish  # also when it is only equal: the same objects compare faster
        return self._body_command

    def _raw_passes(self, context: RuleContext) -> bool:
        """A raw command passes the block and the watchdogs only ([VI-3.5])."""
        cabin = context.cabin_secured or not self._limits.enabled
        return not context.blocked and context.command_fresh and context.link_fresh and cabin

    def _raw_changes(self, raw: RawCommand) -> tuple[Change, ...]:
        """Nothing changes a raw command here; what the platform cannot do with it is named."""
        if self._rear_steering or not raw.rear_steer:
            return ()
        return (Change(notice_kinds.NO_REAR_STEERING, "rear_steer", raw.rear_steer, 0.0),)

    # ---- mode ----------------------------------------------------------------------------------

    def _watch_mode(self, now: float) -> tuple[Notice, ...]:
        engagement = self._engagement
        if engagement.mode is not Mode.AUTONOMOUS:
            change = engagement.watch(now, self._situation(now), self._limits)
            notices = self._turn(change)
            if change is not None:  # what was asked for while a person drove is checked now
                speed = self._known_speed(now)
                self._requested, told = self._hand_brake_checked(self._requested, speed)
                notices += told
            return notices
        age = now - self._odometry.stamp_s
        if age <= self._limits.link_lost_s:
            return NO_NOTICES
        why = f"no report from the vehicle for {age:.2f} s"
        return self._turn(engagement.handle(ModeEvent.LINK_LOST, why))

    def _turn(self, change: ModeChange | None) -> tuple[Notice, ...]:
        """After an event: what begins and ends with autonomy, and the report."""
        if change is None:
            return NO_NOTICES
        if change.before is Mode.AUTONOMOUS:
            self._gearbox.forget()
            # The driver may set the hand brake now: an older wish must not release it later.
            self._requested = replace(self._requested, hand_brake=None)
        if change.after is Mode.AUTONOMOUS:
            self._gearbox.begin()
            self._runner.begin()
        return (self.count(notice_kinds.MODE_CHANGED, str(change)),)

    def _mode_request(self, request: StateCommand, now: float) -> tuple[Notice, ...]:
        if request.mode in (Mode.NOT_READY, Mode.DISENGAGED):
            text = f"mode {request.mode.name} cannot be requested: ask for AUTONOMOUS or MANUAL"
            return (self.count(notice_kinds.UNDEFINED_VALUE, text),)
        if request.autonomous is False or request.mode is Mode.MANUAL:
            return self.on_change_mode(False, now)[1]
        if request.autonomous or request.mode is Mode.AUTONOMOUS:
            return self.on_change_mode(True, now)[1]
        return NO_NOTICES

    # ---- small things --------------------------------------------------------------------------

    def _situation(self, now: float) -> Situation:
        return Situation(
            now - self._odometry.stamp_s,
            self._command_age(now),
            self._command_timeout_s,
            self._cabin,
            self._driver,
            self._vehicle_ready,
        )

    def _command_age(self, now: float) -> float:
        return math.inf if self._command is None else now - self._command.stamp_s

    def _known_speed(self, now: float) -> float | None:
        fresh = now - self._odometry.stamp_s <= self._limits.report_timeout_s
        return self._odometry.velocity_mps if fresh else None

    def _hand_brake_checked(
        self, request: StateCommand, speed_mps: float | None
    ) -> tuple[StateCommand, tuple[Notice, ...]]:
        """Take the hand brake out of a request while autonomy drives a car that moves."""
        checked = self.mode is Mode.AUTONOMOUS and self._limits.enabled
        if not (request.hand_brake and checked):
            return request, NO_NOTICES
        if speed_mps is not None and abs(speed_mps) <= self._limits.gear_change_speed_mps:
            return request, NO_NOTICES
        text = "hand brake refused: the car moves, or its speed is not known"
        report = self.count(notice_kinds.HAND_BRAKE_MOVING, text)
        return replace(request, hand_brake=None), (report,)

    def _counted(self, notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
        for report in notices:
            self._counts.event(report.kind)
        return notices
