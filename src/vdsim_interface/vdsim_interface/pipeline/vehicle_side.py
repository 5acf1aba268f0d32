"""The vehicle side: the platform, and the vehicle's reports.

It turns the safety side's command into datagrams, rejects reports that are not finite, monitors
whether the vehicle reports and does what it is sent, and completes the trace. Where the safety side
is in another process, and may fall silent: extras/stages/staged_vehicle.py.

    SafeCommand ──▶ VehicleSide ──datagrams──▶ vehicle
                        │  ▲
    VehicleFeedback ◀───┘  └──── datagrams ─── vehicle
"""

import math
from collections.abc import Mapping

from vdsim_interface.controller.curvature_trim import CurvatureTrim
from vdsim_interface.gate import (
    START,
    Facts,
    GateLimits,
    Wanted,
    after_time_jump,
    brakes_for_emergency,
    gate,
    without_packet,
)
from vdsim_interface.longitudinal.acceleration_loop import AccelerationLoop
from vdsim_interface.pipeline.link_health import LinkHealth
from vdsim_interface.pipeline.output import GateRecord
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.step_clock import TIME_JUMPED
from vdsim_interface.pipeline.vehicle_watch import FollowingWatch
from vdsim_interface.platforms.wire import (
    Address,
    Encoded,
    Endpoint,
    Platform,
    Received,
)
from vdsim_interface.plausibility.watch import PlausibilityWatch
from vdsim_interface.safety.body import held_body
from vdsim_interface.standstill.parking import Parking
from vdsim_interface.values import (
    NO_DRIVER,
    NOTHING_PARKED,
    AccelMeaning,
    Authority,
    AuxiliaryCommand,
    BodyCommand,
    Change,
    DriverActivity,
    Gear,
    Mode,
    Notice,
    Parked,
    PlatformCommand,
    SafeCommand,
    StateReport,
    VehicleCommand,
    VehicleFeedback,
    VehicleReport,
    braking_accel,
    notice_kinds,
    state_report,
    travel_direction,
)
from vdsim_interface.values.capabilities import NO_EXTRAS, Capabilities
from vdsim_interface.values.extra import checked_extra
from vdsim_interface.values.records import record

NOTHING_SENT = Encoded(())
COMMAND, SILENT, FLAT_ROAD = Authority.COMMAND, Authority.SILENT, AccelMeaning.FLAT_ROAD
REJECT_EVERY_S = 0.1
NOTHING_SEEN: tuple[float, float, float, float, Gear | None, bool, DriverActivity]
NOTHING_SEEN = (-math.inf, 0.0, 0.0, 0.0, None, False, NO_DRIVER)
"""What the gate uses of a report: its time, speed, wheel angles, gear, hand brake and driver."""


class VehicleSide:
    """One vehicle behind its platform.

    `report`: the latest accepted report, however old; None before the first. `feedback`: its
    values for the safety side. `sent`: the command in the latest datagrams, with hand brake and
    PARK; `encoded`: those datagrams; `judged`: what the gate made them of. `plausibility`: whether
    its reports contradict each other.
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
        self._trim = CurvatureTrim(parameters.vehicle)
        self._following = FollowingWatch(parameters.tracking.lost_s)
        self._link = LinkHealth(parameters.safety.link_lost_s)
        self._extra_dropped_n = 0
        self._named_s: dict[str, float] = {}
        self.plausibility = PlausibilityWatch(capabilities, parameters.vehicle)
        self._parking = Parking(parameters.safety)
        self._limits = _gate_limits(parameters)
        self._gate = START
        self._raw_effort_mps2 = math.inf
        """Of the last packet, where it had raw pedals that brake [m/s2, along the travel
        direction]; else inf."""
        self._waits_s = math.inf
        self.sent: SafeCommand | None = None
        self.encoded = NOTHING_SENT
        self.judged: GateRecord | None = None
        self._encode_notices: tuple[Notice, ...] = ()
        self.report: VehicleReport | None = None
        self._as_received: VehicleReport | None = None  # with the time of its arrival
        self._seen = NOTHING_SEEN
        self.feedback: VehicleFeedback | None = None

    def configure(self, parameters: InterfaceParameters) -> None:
        """Use parameters that may change while active."""
        self._parameters = parameters
        self._following.lost_s = parameters.tracking.lost_s
        self._link.lag.silence_s = parameters.safety.link_lost_s
        self._limits = _gate_limits(parameters)
        self._loop.configure(parameters.safety.standstill_hold_mps2, parameters.vehicle.wheelbase_m)
        self.plausibility.geometry = parameters.vehicle
        self._parking.limits = parameters.safety

    # ---- input -----------------------------------------------------------------------------------

    def on_drain(self, now: float) -> None:
        """The sockets are read to the end now: what they hold arrived since the last time."""
        self._link.on_drain(now)

    def on_datagram(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        """Process what a socket received; an accepted report is the new `report`."""
        received = self._platform.receive(datagram, source, endpoint, now)
        if received.report is None:
            return self._named(received, now)
        if self._link.rejects(self._parameters.safety.report_timeout_s):
            return Received(None, received.notices)
        return self._accept(received)

    def _named(self, rejected: Received, now: float) -> Received:
        """Return ten notices a second of each kind: a flood would make one of every datagram."""
        kind = rejected.notices[0].kind if rejected.notices else None
        if kind is None or 0.0 <= now - self._named_s.get(kind, -math.inf) < REJECT_EVERY_S:
            return Received(None)
        self._named_s[kind] = now
        return rejected

    def poll(self, now: float) -> tuple[Received, ...]:
        """Process the reports of a vehicle in this process; () for one on a wire."""
        return tuple(self._accept(Received(report)) for report in self._platform.poll(now))

    def on_auxiliary(self, command: AuxiliaryCommand, now: float) -> tuple[Notice, ...]:
        """Use additional platform-specific control values ([VI-2.2])."""
        return self._platform.auxiliary(command, now)

    def on_vehicle_placed(self) -> None:
        """Forget how the vehicle moved: a simulator has put it elsewhere, at another speed."""
        self._loop.reset()

    # ---- one period ------------------------------------------------------------------------------

    def encode(self, safe: SafeCommand, now: float) -> Encoded:
        """Turn the safety side's command into datagrams."""
        command, report = safe.command, self.report
        body, commanding = command.body, command.authority is COMMAND
        if not commanding and report is not None:
            # Without autonomy the body stays as reported. The safety side's copy of it may be one
            # message old, and would revert what a person has just switched.
            body = held_body(report.body)
        standing, leaves = command.standing, self.encoded.carries_body
        parked = self._parking.step(standing, body, self.feedback, now, commanding, leaves)
        if parked is not command.body and report is not None:
            hold_mps2 = self._parameters.safety.standstill_hold_mps2
            safe = with_body(safe, parked, report.velocity_mps, hold_mps2, before=body)
        if command.authority is SILENT and brakes_for_emergency(self._gate):
            safe = self._in_emergency(safe)
        self.sent = safe
        if report is None and self.encoded is NOTHING_SENT:
            # The first packet waits for a report for as long as one may be old: until then the
            # wheels' angle is not known, and another one in a packet would turn them at once.
            self._waits_s = min(self._waits_s, now + self._limits.safety.report_timeout_s)
            if now < self._waits_s:
                return NOTHING_SENT
        self.encoded = self._encoded(safe, now)
        return self.encoded

    def compare(self, command: PlatformCommand) -> None:
        """After a period: compare what was sent with what the vehicle reports as applied."""
        sent, sent_s, report = self.encoded.wire, self._gate.sent_s, self.report
        if command.authority is not COMMAND or sent is None:
            self._following.clear()
        elif self._following.add(sent, sent_s) and report is not None and self._link.is_fresh:
            self._following.check(report.applied, sent_s)

    def watch_link(self, now: float) -> tuple[Notice, ...]:
        """Return notices of the vehicle: its reports begin or stop, a start or a stop fails."""
        received = self._as_received
        if received is not None and not received.paused:
            self.plausibility.update(received, self.effort_mps2)
        timeout_s = self._parameters.safety.report_timeout_s
        link = self._link.update(now - self._seen[0], timeout_s, now)
        if self._encode_notices:
            link += self._encode_notices
            self._encode_notices = ()
        return link + self._loop.take_notices()

    def brake_at_once(self) -> None:
        """Apply the brake of a stop without its ramp: the next packet is the last."""
        self._loop.brake_at_once()

    # ---- lifecycle -------------------------------------------------------------------------------

    def restart(self) -> tuple[Notice, ...]:
        """After a backward jump of time: discard everything received before it."""
        self.report, self._as_received, self._seen = None, None, NOTHING_SEEN
        self._gate = after_time_jump(self._gate)
        self._following.clear()
        self._link.clear()
        self.plausibility.clear()
        return (TIME_JUMPED,)

    def restore_from(self, previous: "VehicleSide") -> None:
        """Copy what the previous instance had set at rest, and what its gate must not forget.

        A node tells its first instance what a process that crashed has left, and drives with
        another.
        """
        self.resume(previous.parked, drove=previous._loop.slip.is_supervised)
        self._gate = without_packet(previous._gate)

    def resume(self, parked: Parked, *, drove: bool = True) -> None:
        """Continue where a process that crashed ended: what it had set is ours.

        `drove`: it had sent. The car may then brake with locked wheels by itself, which would never
        be seen to roll.
        """
        self._parking = Parking(self._parking.limits, parked)
        self._loop.slip.is_supervised = drove

    # ---- state -----------------------------------------------------------------------------------

    @property
    def parked(self) -> Parked:
        """What we have set at rest and will release; it outlives an activation and a process."""
        return self._parking.parked

    @property
    def is_reporting(self) -> bool:
        """Whether the report is fresh, as of the last `watch_link`."""
        return self._link.is_fresh

    @property
    def mode(self) -> Mode:
        """The mode in the latest command; MANUAL before the first."""
        return Mode.MANUAL if self.sent is None else self.sent.command.mode

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

    def state_report(self) -> StateReport | None:
        """Return the VehicleStateReport; None while the vehicle does not report."""
        fresh = self.report if self._link.is_fresh else None
        return None if fresh is None else state_report(fresh.body, self.mode)

    def report_age_s(self, now: float) -> float:
        """Return the age of the latest report [s]; infinite before the first."""
        return math.inf if self.report is None else now - self.report.stamp_s

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """Return figures of the link, by name; {} without a wire. For about 1 Hz."""
        wire = self._platform.link_statistics(now)
        if not wire:
            return wire
        dropped = {"extra_dropped": float(self._extra_dropped_n)} if self._extra_dropped_n else {}
        age = {"age_s": self.report_age_s(now)}
        return {**wire, **self._link.statistics(), **dropped, **age}

    # ---- helpers ---------------------------------------------------------------------------------

    def _encoded(self, safe: SafeCommand, now: float) -> Encoded:
        """Pass a command through both loops, the gate and the platform; note what each changed."""
        command, stops, report, loop = safe.command, safe.stops, self.report, self._loop
        before, limits = self._gate, self._limits
        report_s, speed, front, rear, gear, hand_brake, driver = self._seen
        fresh = now - report_s <= limits.safety.report_timeout_s
        trimmed = self._trim.step(safe, report, fresh)
        direction = travel_direction(command.body.gear, speed)
        raw, (command_s, accel, _, _) = command.raw, command.vehicle
        asked = direction * accel
        if raw is not None:  # what the platform made of the last pedals
            command_s, effort = raw.stamp_s, self.encoded.effort_mps2
            asked = effort if math.isfinite(effort) else 0.0
            # The gate reads an effort from the acceleration, which no platform uses beside pedals.
            trimmed = record(VehicleCommand, (trimmed.stamp_s, direction * asked, *trimmed[2:]))
        elif stops:  # the gate's demand counts: it began at what the car did then
            least = min(direction * trimmed.long_accel_mps2, -before.demand_mps2)
            least = min(least, self._raw_effort_mps2)
            trimmed = trimmed._replace(long_accel_mps2=direction * least)
        given = loop.step(command, trimmed, report, fresh, not stops)
        if command.engage_wanted:
            given = given._replace(engage_wanted=True)
        measured, pull, holding, slips = loop.for_gate()
        if gear is None:  # before the first report
            _, _, front, rear = given.vehicle
        if raw is None:
            # Uphill the car decelerates by more than what the brake is asked for.
            rise = pull if pull < 0.0 else 0.0
            if command.meaning is FLAT_ROAD and asked < 0.0:
                asked += rise
            # Of a stop the gate knows no raw pedals; it must not brake less than they did.
            asked = min(asked, self._raw_effort_mps2 + rise)
        facts = record(
            Facts,
            (
                now, command_s, report_s, speed, measured, holding, slips,
                front, rear, gear, hand_brake, driver,
            ),
        )  # fmt: skip
        wanted = record(Wanted, (given, asked, stops, safe.engagement, safe.emergency_n))
        sent, self._gate, reasons = gate(before, wanted, facts, limits)
        self.judged = record(GateRecord, (before, wanted, facts, sent, limits))
        encoded = self._platform.encode(sent, now)
        effort_mps2, notices, carries_body = encoded[4:]
        brakes = sent.raw is not None and effort_mps2 < 0.0
        self._raw_effort_mps2 = effort_mps2 if brakes else math.inf
        body = sent.body
        is_new = body.gear is not gear or body.hand_brake is not hand_brake
        if is_new and carries_body and sent.authority is not SILENT and gear is not None:
            # Until the next report: without one a change that was sent is not taken back.
            self._seen = (report_s, speed, front, rear, body.gear, body.hand_brake, driver)
        if notices:
            self._encode_notices += notices
            encoded = encoded._replace(notices=())
        if reasons:
            loop.use_gated(self._gate.effort_mps2)
            self._trim.skip()
            encoded = encoded._replace(changes=reasons + encoded.changes)
        loop.on_sent(effort_mps2)
        return encoded

    def _accept(self, received: Received) -> Received:
        """Use a report, unless a number of its motion is not finite."""
        report, notices = received
        assert report is not None
        timeout_s = self._parameters.safety.report_timeout_s
        lag_s = self._link.on_report(report.stamp_s, report.vehicle_time_s, timeout_s)
        if report.extra:
            extra, why = checked_extra(report.extra)
            report = report._replace(extra=extra)
            if why:
                self._extra_dropped_n += 1
                text = f"extra values of a report dropped: {why}"
                notices += (Notice(notice_kinds.LINK_REJECT, text),)
        as_received = report
        if lag_s:  # its age counts from when it was sent, as far as that is known
            report = report._replace(stamp_s=report.stamp_s - lag_s)
        feedback = report.feedback()
        plausibility = self.plausibility
        # The platform knows its wire: where it names a cause, that is the reason.
        fault, doubt = report.fault or self._following.fault, plausibility.doubt
        if self._parameters.safety.contradiction_ends_autonomy:
            fault = fault or plausibility.fault
        if fault or doubt:
            feedback = feedback._replace(fault=fault, doubt=doubt)
        if self._parking.parked is not NOTHING_PARKED:
            feedback = self._parking.named(feedback)
        if not feedback.odometry.is_finite():
            notice = Notice(notice_kinds.NON_FINITE_REPORT, "vehicle report dropped: not finite")
            return Received(None, (*notices, notice))
        self.report, self.feedback, self._as_received = report, feedback, as_received
        body = report.body
        self._seen = (
            report.stamp_s, report.velocity_mps,
            report.front_wheel_angle_rad, report.rear_wheel_angle_rad,
            body.gear, body.hand_brake, report.driver,
        )  # fmt: skip
        return received if report is received.report else Received(report, notices)

    def _in_emergency(self, safe: SafeCommand) -> SafeCommand:
        """Return the emergency stop that is latched, where nothing would be sent."""
        command, report = safe.command, self.report
        speed_mps = 0.0 if report is None else report.velocity_mps
        accel_mps2 = braking_accel(command.body.gear, speed_mps, self._gate.demand_mps2)
        vehicle = command.vehicle._replace(long_accel_mps2=accel_mps2)
        command = command._replace(
            authority=Authority.IDLE, vehicle=vehicle, raw=None, meaning=AccelMeaning.STOP
        )
        return safe._replace(command=command)


def _gate_limits(parameters: InterfaceParameters) -> GateLimits:
    vehicle = parameters.vehicle
    return GateLimits(
        parameters.safety,
        parameters.period_s,
        parameters.command_timeout_s,
        vehicle.wheelbase_m,
        max(vehicle.understeer_gradient_rad_s2pm, 0.0),
        vehicle.front_wheel_angle_max_rad,
        vehicle.rear_wheel_angle_max_rad,
    )


def with_body(
    safe: SafeCommand,
    body: BodyCommand,
    speed_mps: float,
    hold_mps2: float,
    *,
    before: BodyCommand,
) -> SafeCommand:
    """Return the command with another body: braking in one gear stays braking in the other.

    What differs from `before`, the body without parking, is in the trace as a change of ours. With
    PARK over a gear that drives, the car is held (`hold_mps2`): a request to drive waits for it, a
    raw command as a whole.
    """
    command = safe.command
    if body == command.body:
        return safe
    vehicle, raw, meaning = command.vehicle, command.raw, command.meaning
    changes = safe.changes
    if body.gear is not command.body.gear:
        decel_mps2 = abs(vehicle.long_accel_mps2)
        if body.gear is not before.gear:
            decel_mps2, raw, meaning = max(decel_mps2, hold_mps2), None, AccelMeaning.STOP
        accel = braking_accel(body.gear, speed_mps, decel_mps2)
        vehicle = vehicle._replace(long_accel_mps2=accel)
    if body.hand_brake is not before.hand_brake:
        kind = notice_kinds.HAND_BRAKE_STOP
        changes += (Change(kind, "hand_brake", before.hand_brake, body.hand_brake),)
    if body.gear is not before.gear:
        changes += (Change(notice_kinds.GEAR_STOP, "gear", before.gear, body.gear),)
    command = command._replace(vehicle=vehicle, body=body, raw=raw, meaning=meaning)
    return safe._replace(command=command, changes=changes)
