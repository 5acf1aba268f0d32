"""The vehicle side: the platform, the vehicle's reports, and its own safe stop.

It turns the safety side's command into datagrams, rejects reports that are not finite, monitors
whether the vehicle reports and tracks its commands, and completes the trace. When the safety side
stops sending it brakes by itself, with the steering held.

    SafeCommand ──▶ VehicleSide ──datagrams──▶ vehicle
                        │  ▲
    VehicleFeedback ◀───┘  └──── datagrams ─── vehicle
"""

import math
from collections.abc import Mapping
from dataclasses import replace

from vdsim_interface.controller.curvature_trim import CurvatureTrim
from vdsim_interface.longitudinal.acceleration_loop import AccelerationLoop
from vdsim_interface.parameters.frozen import frozen_because
from vdsim_interface.pipeline.own_parking import OwnParking
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.report_lag import ReportLag
from vdsim_interface.pipeline.step_clock import TIME_JUMPED
from vdsim_interface.pipeline.tracking_monitor import TrackingEstimate
from vdsim_interface.pipeline.vehicle_watch import VehicleWatch
from vdsim_interface.platforms.spec import (
    NO_EXTRAS,
    Address,
    Capabilities,
    Correction,
    Encoded,
    Endpoint,
    Platform,
    Received,
)
from vdsim_interface.plausibility import PlausibilityWatch
from vdsim_interface.safety.authority import Entry, Rig, authority_without_autonomy
from vdsim_interface.safety.gear import NOTHING_PARKED
from vdsim_interface.sensors.extra import checked_extra
from vdsim_interface.values import (
    NOT_YET_REPORTED,
    AccelMeaning,
    Authority,
    AuxiliaryCommand,
    BodyCommand,
    BodyState,
    Mode,
    Notice,
    PlatformCommand,
    SafeCommand,
    StateReport,
    VehicleCommand,
    VehicleFeedback,
    VehicleReport,
    braking_accel,
    notice_kinds,
    state_report,
)
from vdsim_interface.values.records import record

NOTHING_RECEIVED: tuple[Received, ...] = ()
NOTHING_SENT = Encoded(())
COMMAND = Authority.COMMAND
SAFETY_SILENT = "the safety stage is silent: safe stop"
PATIENCE_PERIODS = 5.0
LATE_TIMEOUTS = 2.0
"""So many report time-outs of lag are late: a simulator on a busy machine slips by less."""


class VehicleSide:
    """One vehicle behind its platform.

    `report`: the latest accepted report, however old; None before the first. `feedback`: its
    values for the safety side. `sent`: the command in the latest datagrams, the safety side's or
    our own stop; `encoded`: those datagrams.
    """

    def __init__(
        self,
        parameters: InterfaceParameters,
        platform: Platform,
        capabilities: Capabilities = NO_EXTRAS,
    ) -> None:
        self._parameters = parameters
        self._platform = platform
        self._loop = AccelerationLoop(
            parameters.acceleration,
            capabilities,
            parameters.safety.standstill_hold_mps2,
            parameters.vehicle.wheelbase_m,
            parameters.period_s,
        )
        self._trim = CurvatureTrim(
            parameters.vehicle.front_wheel_angle_max_rad,
            enabled=parameters.vehicle.curvature_correction,
        )
        self._watch = VehicleWatch(parameters.tracking, parameters.period_s)
        self._lag = ReportLag(parameters.safety.link_lost_s)
        self._drained_s, self._waited_s = math.inf, 0.0
        self._late_n = self._extra_dropped_n = 0
        self._late_s = 0.0
        self._plausibility = PlausibilityWatch(capabilities, parameters.vehicle)
        self._parking = OwnParking()
        self._safe: SafeCommand | None = None
        self._safe_s = -math.inf
        self.sent: SafeCommand | None = None
        self._mode = Mode.MANUAL
        self.encoded = NOTHING_SENT
        self._encode_notices: tuple[Notice, ...] = ()
        self.report: VehicleReport | None = None
        self._as_received: VehicleReport | None = None  # with the time of its arrival
        self.feedback: VehicleFeedback | None = None

    def configure(self, parameters: InterfaceParameters) -> None:
        """Use parameters that may change while active."""
        self._parameters = parameters
        self._watch.configure(parameters.tracking)
        self._lag.silence_s = parameters.safety.link_lost_s
        self._loop.configure(parameters.safety.standstill_hold_mps2, parameters.vehicle.wheelbase_m)
        self._plausibility.configure(parameters.vehicle)

    # ---- input -----------------------------------------------------------------------------------

    def on_safe_command(self, safe: SafeCommand, now: float) -> None:
        """Use the safety side's command until the next one."""
        self._safe, self._safe_s, self._mode = safe, now, safe.command.mode

    def on_drain(self, now: float) -> None:
        """The sockets are read to the end now: what they hold arrived since the last time."""
        self._waited_s, self._drained_s = now - self._drained_s, now

    def on_datagram(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        """Process what a socket received; an accepted report is the new `report`."""
        received = self._platform.receive(datagram, source, endpoint, now)
        if received.report is None:
            return received
        if self._waited_s > self._parameters.safety.report_timeout_s:
            # It waited while this process did not run. The next one is a few milliseconds away.
            self._late_n += 1
            return Received(None, received.notices)
        return self._accept(received)

    def poll(self, now: float) -> tuple[Received, ...]:
        """Process the reports of a vehicle in this process; () for one on a wire."""
        reports = self._platform.poll(now)
        if not reports:
            return NOTHING_RECEIVED
        return tuple(self._accept(Received(report)) for report in reports)

    def on_auxiliary(self, command: AuxiliaryCommand, now: float) -> tuple[Notice, ...]:
        """Use additional platform-specific control values ([VI-2.2])."""
        return self._platform.auxiliary(command, now)

    # ---- one period ------------------------------------------------------------------------------

    def encode(self, now: float) -> Encoded:
        """Turn the latest safe command into datagrams, or our own stop where it is too old."""
        safe = self._safe
        # In the Pipeline the command is always of this very tick.
        if safe is None or (self._safe_s != now and self.safety_is_silent(now)):
            safe = self._stop(now)
        elif self._parking.parked is not NOTHING_PARKED:
            self._parking.hand_over(now)
        command, report = safe.command, self.report
        if command.authority is not COMMAND and report is not None:
            # Without autonomy the body stays as reported. The safety side's copy of it may be one
            # message old, and would revert what a person has just switched.
            body = held_body(report.body)
            if command.sets_parking:
                ours = command.body
                body = replace(body, gear=ours.gear, hand_brake=ours.hand_brake)
            if body != command.body:
                safe = safe._replace(command=_with_body(command, body, report.velocity_mps))
        self.sent = safe
        self.encoded = self._encoded(safe, now)
        return self.encoded

    def compare(self, command: PlatformCommand) -> None:
        """After a period: compare its command with what the vehicle reports as applied."""
        self._watch.compare(command, self.report)
        self._watch.watch_following(command, self.encoded.wire, self.report, self._safe_s)

    def watch_link(self, now: float) -> tuple[Notice, ...]:
        """Return notices of the vehicle: its reports begin or stop, a start or a stop fails."""
        received = self._as_received
        if received is not None and not received.paused:
            self._plausibility.update(received, self.effort_mps2)
        timeout_s = self._parameters.safety.report_timeout_s
        link = self._watch.update(self.report_age_s(now), timeout_s, now, self._late_s)
        clock = self._lag.take_notice()
        if clock:
            link += (Notice(notice_kinds.SLOW_VEHICLE, clock),)
        if self._encode_notices:
            link += self._encode_notices
            self._encode_notices = ()
        return link + self._loop.take_notices()

    def stop(self, now: float) -> Encoded:
        """Deactivate: the last datagrams carry the safe command."""
        self._safe_s = -math.inf
        return self.encode(now)

    # ---- lifecycle -------------------------------------------------------------------------------

    def restart(self) -> tuple[Notice, ...]:
        """After a backward jump of time: discard everything received before it.

        The last command is kept for its steering angle, which our stop holds, and for who drove.
        """
        self._safe_s = -math.inf
        self.report = self._as_received = None
        self._watch.clear()
        self._lag.reset()
        self._plausibility.clear()
        return (TIME_JUMPED,)

    def restore_from(self, previous: "VehicleSide") -> None:
        """Copy who drove and the steering angle to hold, but no gear: the car may be rolling."""
        self._parking = previous._parking
        safe = previous._safe
        if safe is not None:
            command = safe.command._replace(body=held_body(NOT_YET_REPORTED))
            self._safe = safe._replace(command=command)

    # ---- state -----------------------------------------------------------------------------------

    @property
    def is_reporting(self) -> bool:
        """Whether the report is fresh, as of the last `watch_link`."""
        return self._watch.is_fresh

    @property
    def mode(self) -> Mode:
        """The mode in the safety side's latest command."""
        return self._mode

    @property
    def frozen_because(self) -> str:
        """Why frozen parameters cannot change now; empty while they can."""
        sent, report = self.sent, self.report
        authority = Authority.SILENT if sent is None else sent.command.authority
        standing_mps = self._parameters.safety.standstill_speed_mps
        moving = report is not None and abs(report.velocity_mps) > standing_mps
        return frozen_because(self._mode, authority, moving=moving)

    @property
    def contradictions(self) -> frozenset[str]:
        """Names of the checks that find reports which contradict each other."""
        return self._plausibility.found

    def effort_mps2(self) -> float:
        """Return what the pedals of the latest packet give on level ground; nan: not known."""
        encoded, sent = self.encoded, self.sent
        if sent is None or encoded.wire is None or sent.command.body.hand_brake:
            return math.nan
        effort, brake = encoded.effort_mps2, encoded.wire.brake
        # Both pedals at once, as in a start on a hill: neither alone moves the car.
        return math.nan if effort > 0.0 and brake > 0.0 else effort

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Name the sockets that the shell must open."""
        return self._platform.endpoints()

    def safety_is_silent(self, now: float) -> bool:
        """Whether the safety side stopped sending; it sends every period, even without input."""
        p = self._parameters
        patience_s = max(p.safety.report_timeout_s, PATIENCE_PERIODS * p.period_s)
        return not 0.0 <= now - self._safe_s <= min(patience_s, p.command_timeout_s)

    def state_report(self) -> StateReport | None:
        """Return the VehicleStateReport; None while the vehicle does not report."""
        if self.report is None or not self._watch.is_fresh:
            return None
        return state_report(self.report.body, self._mode)

    def report_age_s(self, now: float) -> float:
        """Return the age of the latest report [s]; infinite before the first."""
        return math.inf if self.report is None else now - self.report.stamp_s

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """Return figures of the link, by name; {} without a wire. For about 1 Hz."""
        wire = self._platform.link_statistics(now)
        if wire:
            lag = {"lag_s": self._lag.lag_s, "time_ratio": self._lag.time_ratio}
            wire = {**wire, **lag, "rejected_late": float(self._late_n)}
            wire["too_low_gap_s"] = self._watch.too_low_gap_s
            if self._extra_dropped_n:
                wire["extra_dropped"] = float(self._extra_dropped_n)
        return self._watch.link_statistics(wire, self.report_age_s(now))

    def tracking(self) -> tuple[TrackingEstimate, ...]:
        """Judge whether the vehicle tracks its commands; about a millisecond, call it at 1 Hz."""
        return self._watch.estimates()

    @property
    def _tolerated_lag_s(self) -> float:
        return LATE_TIMEOUTS * self._parameters.safety.report_timeout_s

    # ---- helpers ---------------------------------------------------------------------------------

    def _encoded(self, safe: SafeCommand, now: float) -> Encoded:
        """Pass a command through both loops and the platform; note what the loops changed."""
        command, report = safe.command, self.report
        timeout_s = self._parameters.safety.report_timeout_s
        fresh = report is not None and now - report.stamp_s <= timeout_s
        trimmed = self._trim.step(safe, report, fresh=fresh)
        given = self._loop.step(command, trimmed, report, fresh=fresh)
        if command.engage_wanted:
            given = given._replace(engage_wanted=True)
        encoded = self._platform.encode(given, now)
        datagrams, sequence, changes, wire, effort_mps2, _, notices = encoded
        if notices:
            self._encode_notices += notices
        self._loop.on_sent(effort_mps2)
        if command.raw is not None:
            return encoded
        correction = record(Correction, (command.vehicle, given.vehicle))
        return record(Encoded, (datagrams, sequence, changes, wire, effort_mps2, correction, ()))

    def _accept(self, received: Received) -> Received:
        """Use a report, unless a number of its motion is not finite."""
        report = received.report
        assert report is not None
        self._watch.on_report(report.stamp_s)
        if report.extra:
            received = self._with_checked_extra(received, report)
            report = received.report
            assert report is not None
        as_received = report
        lag_s = self._lag.add(report.stamp_s, report.vehicle_time_s)
        self._late_s = lag_s = lag_s if lag_s > self._tolerated_lag_s else 0.0
        if lag_s:  # its age counts from when it was sent, as far as that is known
            report = report._replace(stamp_s=report.stamp_s - lag_s)
            received = Received(report, received.notices)
        feedback = report.feedback()
        plausibility = self._plausibility
        fault, doubt = self._watch.fault or plausibility.fault, plausibility.doubt
        if plausibility.fault and not self._parameters.safety.contradiction_ends_autonomy:
            fault = self._watch.fault
        fault = fault or report.fault
        if fault or doubt:
            feedback = feedback._replace(fault=fault, doubt=doubt)
        if self._parking.parked is not NOTHING_PARKED:
            feedback = self._parking.named(feedback)
        if not feedback.odometry.is_finite():
            notice = Notice(notice_kinds.NON_FINITE_REPORT, "vehicle report dropped: not finite")
            return Received(None, (*received.notices, notice))
        self.report, self.feedback, self._as_received = report, feedback, as_received
        return received

    def _with_checked_extra(self, received: Received, report: VehicleReport) -> Received:
        """Drop extra values that are not plain or too many, with a notice and a count."""
        extra, why = checked_extra(report.extra)
        if not why:
            return Received(report._replace(extra=extra), received.notices)
        self._extra_dropped_n += 1
        notice = Notice(notice_kinds.LINK_REJECT, f"extra values of a report dropped: {why}")
        return Received(report._replace(extra=extra), (*received.notices, notice))

    def _stop(self, now: float) -> SafeCommand:
        """Our own stop when the safety side has stopped sending: brake, steering held."""
        last, feedback, safety = self._safe, self.feedback, self._parameters.safety
        held = VehicleCommand(-math.inf) if last is None else last.command.vehicle
        if last is None:
            authority = authority_without_autonomy(Entry.START, Rig(safety.rig))
        else:
            silent = last.command.authority is Authority.SILENT
            authority = Authority.SILENT if silent else Authority.IDLE
        speed_mps, parks = 0.0, False
        body = held_body(NOT_YET_REPORTED) if last is None else last.command.body
        if feedback is not None:
            speed_mps = feedback.odometry.velocity_mps
            body = held_body(feedback.body)
            if authority is Authority.IDLE:
                body, parks = self._parking.hold(body, feedback, now, safety)
        accel_mps2 = braking_accel(body.gear, speed_mps, safety.stop_decel_mps2)
        stop = held._replace(long_accel_mps2=accel_mps2)
        if self._mode is Mode.AUTONOMOUS:
            self._mode = Mode.DISENGAGED  # what drives now is our stop
        return SafeCommand(
            stamp_s=now,
            command=PlatformCommand(
                authority, self._mode, stop, body, meaning=AccelMeaning.STOP, sets_parking=parks
            ),
            received=None if last is None else last.received,
            blocked=SAFETY_SILENT,
            command_id=0 if last is None else last.command_id,
        )


def held_body(body: BodyState) -> BodyCommand:
    """Return the command that changes nothing."""
    return BodyCommand(
        body.gear, body.blinker, body.headlight, body.wiper, body.hand_brake, body.horn
    )


def _with_body(command: PlatformCommand, body: BodyCommand, speed_mps: float) -> PlatformCommand:
    """Our own command with another body: braking in one gear stays braking in the other."""
    vehicle = command.vehicle
    if body.gear is not command.body.gear:
        accel = braking_accel(body.gear, speed_mps, abs(vehicle.long_accel_mps2))
        vehicle = vehicle._replace(long_accel_mps2=accel)
    return command._replace(vehicle=vehicle, body=body)
