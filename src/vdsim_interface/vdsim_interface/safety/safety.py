"""Third stage of the pipeline: the safety state machine between the stack and the vehicle.

The package's docstring is its theory of operation. Time is an argument and nothing is logged:
notices are returned.
"""

from collections.abc import Iterable
from typing import NamedTuple

from vdsim_interface.parameters.frozen import frozen_because
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.safety.authority import LastDriver
from vdsim_interface.safety.body import hand_brake_refusal
from vdsim_interface.safety.composer import NO_NOTICES, Composer
from vdsim_interface.safety.engagement import NOT_ACTIVE, Engagement, ModeChange
from vdsim_interface.safety.inputs import (
    NEVER_S,
    NOT_RECEIVED,
    RELEASE_ANSWER_S,
    AnswerWatch,
    Inputs,
    LatestCommand,
    unmet_preconditions,
)
from vdsim_interface.safety.intervention_counts import InterventionCounts
from vdsim_interface.safety.modes import ModeEvent
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.stops import parking_changes, stop_changes
from vdsim_interface.values import (
    NOTHING_PARKED,
    AccelMeaning,
    Authority,
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
    RequestContext,
    SafetyStatus,
    StateCommand,
    Stop,
    VehicleCommand,
    notice_kinds,
)
from vdsim_interface.values.records import record

AUTONOMOUS = Mode.AUTONOMOUS


class SafetyOutput(NamedTuple):
    """Result of one period: the command for the platform, changes, notices, standing stops."""

    command: PlatformCommand
    changes: tuple[Change, ...]
    notices: tuple[Notice, ...]
    stops: tuple[Stop, ...]


class Safety:
    """The safety state machine. The latest command, report and request of each kind count.

    `inputs`: what was received; an input that needs no answer is noted there directly.
    `release`: whether the vehicle side hears that it may release the car. `level`: that of the
    commands.
    """

    def __init__(
        self,
        limits: SafetyParameters,
        geometry: VehicleGeometry,
        period_s: float,
        command_timeout_s: float,
        *,
        rear_steering: bool,
    ) -> None:
        self._limits = limits
        self.inputs = Inputs()
        self._latest = LatestCommand(command_timeout_s)
        self._engagement = Engagement(limits, self.inputs, self._latest)
        self._composer = Composer(geometry, period_s, rear_steering=rear_steering)
        self._counts = InterventionCounts()
        self._asked_autonomous = False
        self.release = AnswerWatch(NOT_RECEIVED)
        self._period_s = period_s
        self.level = ControlLevel.VEHICLE
        self.parameters_hash = ""

    @property
    def mode(self) -> Mode:
        """Who drives."""
        return self._engagement.mode

    @property
    def direction(self) -> int:
        """The sign of the motion that a request to drive means; 0 in P and N, unless P is ours."""
        return self._composer.gearbox.direction

    @property
    def frozen_because(self) -> str:
        """Why frozen parameters cannot change now; empty while they can."""
        moving = abs(self.inputs.odometry.velocity_mps) > self._limits.standstill_speed_mps
        return frozen_because(self.mode, self._engagement.authority, moving=moving)

    def use_limits(self, limits: SafetyParameters, geometry: VehicleGeometry) -> None:
        """Use new limits from the next step on."""
        self._limits = limits
        self._composer.geometry = geometry
        self._engagement.configure(limits)

    def restart(self) -> tuple[Notice, ...]:
        """Time jumped back: discard the command and the report from before; autonomy ends."""
        self._latest.command = None
        self.inputs.restart()
        return self._on_change(self._engagement.restart())

    def end_autonomy(self, why: str) -> tuple[Notice, ...]:
        """The source of commands is lost: discard its last one; autonomy ends."""
        self._latest.command = None
        return self._handle(ModeEvent.COMMAND_LOST, why)

    def copy_requests(self, previous: "Safety") -> None:
        """Copy the cabin, the driver and the standing requests; they are not sent again."""
        self.inputs.restore_from(previous.inputs)
        # A sender that repeats its message does not request autonomy again.
        self._asked_autonomous = previous._asked_autonomous
        self._composer.requests.requested = previous._composer.requests.requested
        self._composer.requests.discard_hand_brake()
        self.go_on(previous.last_driver, previous._counts.counts)

    @property
    def request_context(self) -> RequestContext:
        """What the reader of state messages must know."""
        parked, composer = self.inputs.parked, self._composer
        return RequestContext(
            body=self.inputs.body,
            refused_gear=composer.gearbox.refused,
            hand_brake_refused=composer.requests.hand_brake_refused,
            gear_before_park=parked.gear_before,
            parked_before=composer.parked_before,
            hand_brake_is_ours=parked.hand_brake,
            autonomous=self._asked_autonomous,
        )

    @property
    def counts(self) -> tuple[tuple[NoticeKind, int], ...]:
        """How often each kind has acted or happened since the start."""
        return self._counts.counts

    @property
    def wheels_rad(self) -> tuple[float, float]:
        """The wheel angles of the latest command, front and rear [rad]."""
        _, front_rad, rear_rad = self._composer.runner.previous
        return front_rad, rear_rad

    @property
    def last_driver(self) -> LastDriver:
        """Who drove last; it outlives an activation and a process."""
        return self._engagement.last_driver

    def go_on(self, last_driver: LastDriver, counts: Iterable[tuple[NoticeKind, int]] = ()) -> None:
        """Continue where a previous activation or process ended."""
        self._engagement.resume(last_driver)
        self._counts.restore(counts)

    def hold_wheels(self, wheels_rad: tuple[float, float]) -> None:
        """Hold these wheel angles, front and rear [rad], until the vehicle reports its own."""
        self.on_odometry(Odometry(NEVER_S, 0.0, *wheels_rad))

    def stop(self) -> tuple[Notice, ...]:
        """Deactivate: autonomy ends and does not start again by itself.

        The next command is the last one, so it brakes at once: the first command of a smooth stop
        would leave the car coasting.
        """
        self._composer.runner.assume_braking(self._limits.stop_decel_mps2)
        return self._on_change(self._engagement.stop())

    # ---- input ---------------------------------------------------------------------------------

    def on_odometry(self, odometry: Odometry) -> tuple[Notice, ...]:
        """Use the measured motion; a report that is not finite is discarded."""
        if not odometry.is_finite():
            return (
                self.count(notice_kinds.NON_FINITE_REPORT, "vehicle report dropped: not finite"),
            )
        self.inputs.odometry = odometry
        self._engagement.on_report(odometry.stamp_s)
        return NO_NOTICES

    def on_driver(self, activity: DriverActivity) -> tuple[Notice, ...]:
        """Use the driver's activity; any activity ends autonomy at once ([VI-5.1]).

        Unless `safety.driver_override` is `ignored`: then it is only a notice.
        """
        before, self.inputs.driver = self.inputs.driver, activity
        controls = ", ".join(activity.active_controls())
        if not controls:
            return NO_NOTICES
        if self._limits.obeys_driver:
            return self._handle(ModeEvent.OVERRIDE, f"driver override: {controls}")
        if activity == before:
            return NO_NOTICES
        text = f"driver override ignored (safety.driver_override): {controls}"
        return (self.count(notice_kinds.DRIVER_IGNORED, text),)

    def on_vehicle_ready(self, ready: bool, why: str = "") -> tuple[Notice, ...]:
        """Use whether the vehicle itself is ready for, or still in, autonomous operation.

        `why`: what it says about itself while it is not.
        """
        self.inputs.vehicle_ready = ready
        self.inputs.vehicle_words = "" if ready else why
        if ready:
            return NO_NOTICES
        return self._handle(ModeEvent.VEHICLE_LEFT)

    def on_tracking(self, fault: str) -> tuple[Notice, ...]:
        """Use what the vehicle side found: what the vehicle provably does not follow."""
        return self._handle(ModeEvent.NOT_FOLLOWING, fault)

    def on_state_command(self, request: StateCommand, now: float) -> tuple[Notice, ...]:
        """Process a request that names only what it wants to change."""
        undefined = tuple(self.count(notice_kinds.UNDEFINED_VALUE, t) for t in request.undefined)
        if request.autonomous is not None or request.mode is not None:
            self._asked_autonomous = bool(request.autonomous) or request.mode is AUTONOMOUS
        request, notices = self._check_hand_brake(request, now)
        notices = undefined + notices
        self._composer.add_request(request)
        if request.gear is not None:
            checked = self.mode is AUTONOMOUS
            gearbox, inputs = self._composer.gearbox, self.inputs
            refusal = gearbox.request(request.gear, inputs, self._limits, now, checked=checked)
            notices += self._counted(refusal)
        return notices + self._request_mode(request, now)

    def on_change_mode(
        self, engage: bool, now: float
    ) -> tuple[ChangeModeResult, tuple[Notice, ...]]:
        """Engage or disengage; the answer holds whether it was accepted, and why not."""
        engagement = self._engagement
        if not engage:
            notices = self._handle(ModeEvent.DISENGAGE)
            return ChangeModeResult(True, "disengaged", engagement.mode), notices
        if engagement.mode is AUTONOMOUS:
            return ChangeModeResult(True, "already engaged", engagement.mode), NO_NOTICES
        unmet = unmet_preconditions(self.inputs, self._limits, now)
        if engagement.is_stopped:
            unmet = NOT_ACTIVE
        if unmet:
            engagement.refuse(unmet, now)
            return ChangeModeResult(False, unmet, engagement.mode), (self._refused(unmet),)
        notices = self._on_change(engagement.request(now, "asked to engage"))
        return ChangeModeResult(True, "engaging", engagement.mode), notices

    def reject(self, kind: NoticeKind, text: str, now: float) -> Notice:
        """Count a rejected command and remember why it was rejected."""
        self._latest.reject(kind, now)
        return self.count(kind, text)

    def count(self, kind: NoticeKind, text: str) -> Notice:
        """Count an event and return its notice; also for events that others detected."""
        return self._counts.count(kind, text)

    # ---- one period ----------------------------------------------------------------------------

    def run_period(
        self,
        command: VehicleCommand | RawCommand | None,
        now: float,
        meaning: AccelMeaning = AccelMeaning.FLAT_ROAD,
    ) -> SafetyOutput:
        """Run one period. `command` None: nothing new; the latest holds while it is fresh.

        `meaning`: that of the stack's accelerations. DRIVE counts only while the command passes and
        the gear drives; our own stops are STOP.
        """
        inputs, limits, engagement = self.inputs, self._limits, self._engagement
        notices = NO_NOTICES
        if isinstance(command, VehicleCommand) and not command.is_finite():
            text = "command dropped: it is not finite"
            notices = (self.reject(notice_kinds.NON_FINITE_COMMAND, text, now),)
        elif command is not None:
            self._latest.command = command
        required = inputs.required
        is_watched = limits.cabin_required or limits.driver_switch_required or required.lost
        if is_watched and required.check(limits, now) and engagement.mode is AUTONOMOUS:
            lost = "; ".join(required.lost)
            notices += (self.count(notice_kinds.INPUT_LOST, lost),)
        notices += self._update_mode(now, meaning)
        held = self._latest
        latest = held.command
        command_fresh = latest is not None and now - latest.stamp_s <= held.timeout_s
        link_fresh = now - inputs.odometry.stamp_s <= limits.report_timeout_s
        authority, mode = engagement.authority, engagement.mode
        period = authority, mode, latest, command_fresh, link_fresh, meaning
        safe, changes, shift_notices, stops = self._composer.compose(period, inputs, limits)
        if shift_notices:
            notices += self._counted(shift_notices)
        unreleased = safe.standing.may_release and inputs.parked.is_held
        if unreleased or self.release.is_counting:
            rests = abs(inputs.odometry.velocity_mps) <= limits.standstill_speed_mps
            answer_s = RELEASE_ANSWER_S + limits.shift_time_s
            self.release.step(
                is_missing=unreleased and rests, period_s=self._period_s, answer_s=answer_s
            )
        acting = changes
        if stops and mode is AUTONOMOUS:
            acting += stop_changes(stops, safe.vehicle.long_accel_mps2)
        if inputs.parked is not NOTHING_PARKED:
            acting += parking_changes(inputs.parked)
        if acting or self._counts.acting:
            notices += self._counts.step(acting)
        return record(SafetyOutput, (safe, changes, notices, stops))

    def after_step(self) -> None:
        """After a period, when its output is on its way: compute what the next step needs."""
        command = self._latest.command
        motion = command if isinstance(command, VehicleCommand) else None
        self._composer.runner.update_oscillation(motion, self._limits)

    def status(self, now: float) -> SafetyStatus:
        """Return mode, reasons, counts and ages."""
        active, doubt = sorted(self._counts.acting), self.inputs.doubt
        return SafetyStatus(
            mode=self.mode,
            mode_reason=self._engagement.reason,
            last_disengage_reason=self._engagement.disengage_reason,
            active=(*active, notice_kinds.IMPLAUSIBLE_REPORT) if doubt else tuple(active),
            counts=self._counts.counts,
            command_age_s=self._latest.age_s(now),
            report_age_s=self.inputs.report_age_s(now),
            parameters_hash=self.parameters_hash,
            doubt=doubt,
        )

    def blocked(self, now: float) -> str:
        """Return why commands do not pass or do not move the car; empty while they do."""
        if self._engagement.authority is Authority.COMMAND:
            return self.release.reason
        reasons = self._engagement.blocking_reasons(now)
        missing = self._latest.missing(self.level, now)
        return "; ".join((missing, *reasons) if missing else reasons)

    def rejected(self, now: float) -> str:
        """Name what arrives instead of commands that could pass; empty when nothing does."""
        return self._latest.rejected(now)

    # ---- mode ----------------------------------------------------------------------------------

    def _handle(self, event: ModeEvent, why: str = "") -> tuple[Notice, ...]:
        """Apply an event."""
        return self._on_change(self._engagement.handle(event, why))

    def _on_change(self, change: ModeChange | None) -> tuple[Notice, ...]:
        """After an event: reset what starts and ends with autonomy; return the notice."""
        if change is None:
            return NO_NOTICES
        if change.before is AUTONOMOUS:
            self._composer.end_autonomy()
        if change.after is AUTONOMOUS:
            self._composer.start_autonomy()
        return (self.count(notice_kinds.MODE_CHANGED, str(change)),)

    def _request_mode(self, request: StateCommand, now: float) -> tuple[Notice, ...]:
        """Process the mode in a request of the stack."""
        if request.mode in (Mode.NOT_READY, Mode.DISENGAGED):
            text = f"mode {request.mode.name} cannot be requested: ask for AUTONOMOUS or MANUAL"
            return (self.count(notice_kinds.UNDEFINED_VALUE, text),)
        if request.autonomous is False or request.mode is Mode.MANUAL:
            return self.on_change_mode(False, now)[1]
        if request.autonomous or request.mode is AUTONOMOUS:
            return self.on_change_mode(True, now)[1]
        return NO_NOTICES

    def _update_mode(self, now: float, meaning: AccelMeaning) -> tuple[Notice, ...]:
        engagement = self._engagement
        if engagement.mode is not AUTONOMOUS:
            asks = self._composer.asks_to_drive(self._latest.command, meaning)
            change = engagement.update(now, asks_to_drive=asks)
            notices = self._on_change(change)
            if change is not None:  # requests from before autonomy are checked now
                requests = self._composer.requests
                requests.requested, refusal = self._check_hand_brake(requests.requested, now)
                notices += refusal
                if change.after is not AUTONOMOUS and change.before is Mode.NOT_READY:
                    notices += (self._refused(change.reason),) if not engagement.by_itself else ()
            return notices
        inputs, limits = self.inputs, self._limits
        age_s = now - inputs.odometry.stamp_s
        if age_s > limits.link_lost_s:
            why = f"no report from the vehicle for {age_s:.2f} s"
            return self._handle(ModeEvent.LINK_LOST, why)
        # Blind, it may stand by now; it must not set out again when reports come in time.
        secured = inputs.cabin_secured and not inputs.required.lost
        if not (secured or inputs.moves(limits, now)) and (lost := inputs.unsecured(limits)):
            why = "; ".join((*lost, "nothing shows a motion"))
            return self._handle(ModeEvent.SECURED_LOST, why)
        if self._composer.stood_s < limits.command_lost_s:
            return NO_NOTICES
        why = f"no command for {self._latest.age_s(now):.2f} s, and the car stands"
        return self._handle(ModeEvent.COMMAND_LOST, why)

    # ---- small helpers -------------------------------------------------------------------------

    def _refused(self, why: str) -> Notice:
        return self.count(notice_kinds.ENGAGE_REFUSED, f"engage refused: {why}")

    def _check_hand_brake(
        self, request: StateCommand, now: float
    ) -> tuple[StateCommand, tuple[Notice, ...]]:
        """Remove the hand brake from a request while autonomy drives a moving car."""
        refusal = None
        if request.hand_brake and self.mode is AUTONOMOUS:
            speed_mps = self.inputs.known_speed_mps(self._limits, now)
            refusal = hand_brake_refusal(speed_mps, self._limits, self.inputs.wheel_mps)
        request, notices = self._composer.requests.without_refused(request, refusal)
        return request, self._counted(notices)

    def _counted(self, notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
        return tuple(self._counts.count(notice.kind, notice.text) for notice in notices)
