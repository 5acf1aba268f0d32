"""Autoware's side of the vehicle interface: its commands, requests and statuses, without ROS.

Theory of operation
  Control     The latest `control_cmd` counts, by order of receipt. Each one is converted and passed
              on at once (control.py): the adapter has no period and repeats nothing, so a stack
              that stops sending is a command time-out of the interface, which stops the car with
              the steering held. A message with a number that is not finite is discarded and does
              not count as received.
  Groups      AUTONOMOUS_STEER_ONLY and _VELOCITY_ONLY take the other group from
              `manual_control_cmd`, MANUAL takes both from it (`manual_control`). Without that
              parameter a person at the car's own controls drives in MANUAL: autonomy ends.
  Periods     A simulator that gives the commands delays of its own calls `check` when a message
              arrives and `follow` in every period, in place of `on_control`. There a stale command
              is a stop of the adapter.
  Stop        /vehicle/engage false, or a partial mode whose manual command is stale: the car brakes
              and keeps to the steering of the commands that still arrive.
  Emergency   `emergency_cmd` true: the same as hard as the adapter may, in every mode, and without
              any other command too (emergency.py says when it ends).
  Body        Gear, indicators and hazard lights pass while their group is accepted. The latest ones
              count from the moment that the group is accepted. A gear that is not safe now is
              ignored; the next message asks again. One that comes within `gear_pause_s` after the
              last change waits, and the car stands until it is engaged: gears do not chatter.
  Modes       A request is refused here for what only the adapter knows, else the interface
              decides. MANUAL is never refused for the state of the car.
  Statuses    They follow the vehicle's reports and stop with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import (
    Gear,
    Mode,
    Notice,
    Odometry,
    RawCommand,
    Severity,
    StateReport,
    VehicleCommand,
    braking_accel,
    notice_kinds,
)
from vdsim_interface.values.state_message import StateMessage

from vdsim_autoware.adapter import control as rules
from vdsim_autoware.adapter.actuation import Actuation, raw_command, stop_command
from vdsim_autoware.adapter.autoware_notices import (
    COMMAND_CLAMPED,
    MODE_REFUSED,
    MODE_SELECTED,
    STOPPED,
)
from vdsim_autoware.adapter.body_requests import (
    GEAR,
    HAZARD,
    MANUAL_GEAR,
    NOTHING,
    TURN,
    Accepts,
    BodyRequests,
)
from vdsim_autoware.adapter.control import Control
from vdsim_autoware.adapter.emergency import EmergencyStop
from vdsim_autoware.adapter.enums import (
    ACCEPTED,
    MODES_OUT,
    REQUESTED_MODES,
    Accepted,
    ControlMode,
    Unusable,
)
from vdsim_autoware.adapter.parameters import ACTUATION as BY_ACTUATION
from vdsim_autoware.adapter.parameters import AutowareParameters
from vdsim_autoware.adapter.watches import DiagnosticLine, Line, RateWatch

CONTROL, MANUAL_CONTROL = "control_cmd", "manual_control_cmd"
ACTUATION = "actuation_cmd"
REQUEST, STATUS = "control_mode_request", "vehicle status"
EMERGENCY_GAP_S = 0.1
"""After so long without a command of Autoware the adapter brakes by itself in an emergency [s]."""
LINES = (CONTROL, ACTUATION, GEAR, TURN, HAZARD, MANUAL_CONTROL, MANUAL_GEAR, REQUEST, STATUS)


class Output(NamedTuple):
    """What to publish now."""

    command: VehicleCommand | RawCommand | None = None
    states: tuple[StateMessage, ...] = ()
    notices: tuple[Notice, ...] = ()


class Ask(Enum):
    """What a request of a control mode asks of the interface."""

    ENGAGE = "engage"
    DISENGAGE = "disengage"
    NOTHING = "nothing"


class ModeDecision(NamedTuple):
    """`refusal`: why not, empty when the request goes on."""

    mode: ControlMode
    ask: Ask
    refusal: str = ""


class AutowareAdapter:
    """One vehicle, one Autoware."""

    def __init__(self, parameters: AutowareParameters) -> None:
        self._parameters = parameters
        self._rate = RateWatch(parameters.control_rate_min_hz, parameters.control_rate_max_hz)
        self._lines = {name: Line() for name in LINES}
        gear_limits = SafetyParameters(
            standstill_speed_mps=parameters.standstill_speed_mps,
            gear_change_speed_mps=parameters.gear_change_speed_mps,
        )
        self._body = BodyRequests(self._lines, gear_limits, parameters.gear_pause_s)
        self._source = ACTUATION if parameters.command == BY_ACTUATION else CONTROL
        self._controls: dict[str, Control] = {}
        self._commanded_rad: dict[str, float] = {}
        self._actuation: Actuation | None = None
        self._odometry: Odometry | None = None
        self._report: StateReport | None = None
        self._undefined_report = ""
        self._engaged = parameters.initial_engage_state
        self._selected = ControlMode.AUTONOMOUS
        self._angle_rad = 0.0
        self._emergency = EmergencyStop()
        self._stop_reason = ""

    # ---- reports of the interface ----------------------------------------------------------------

    def on_odometry(self, odometry: Odometry) -> None:
        """Use speed and wheel angle; `stamp_s` is the time of receipt."""
        self._odometry = odometry

    def on_state_report(self, report: StateReport | None, now: float) -> Output:
        """Use gear, lamps and mode; None: with an undefined number."""
        if report is None:
            self._undefined_report = "the vehicle reports an undefined gear, lamp or mode"
            self._lines[STATUS].problem(self._undefined_report, Severity.ERROR, now)
            self._report = None
            return Output()
        self._undefined_report = ""
        before, self._report = self._report, report
        self._body.on_report(report, now)
        was = before is not None and before.mode is Mode.AUTONOMOUS
        if report.mode is Mode.AUTONOMOUS and not was:
            return self._state_output(self._body.on_accepted(self._accepts(now), now))
        return self._state_output(self._body.on_time(self._accepts(now), now))

    # ---- commands of Autoware --------------------------------------------------------------------

    def on_control(self, message: Control) -> Output:
        """Process control_cmd: the latest one received counts, whatever its stamp."""
        if self._source is not CONTROL:
            return Output()
        now = message.received_s
        self._rate.arrived(now)
        rejected = self._store(CONTROL, message)
        if rejected is not None:
            return rejected
        return Output() if self.accepted is Accepted.NONE else self._command(now)

    def on_manual_control(self, message: Control) -> Output:
        """Process manual_control_cmd: it drives in MANUAL, with `manual_control`."""
        rejected = self._store(MANUAL_CONTROL, message)
        if rejected is not None:
            return rejected
        is_driven = self.accepted is Accepted.NONE
        return self._command(message.received_s) if is_driven else Output()

    def check(self, name: str, message: Control) -> Output | None:
        """Count a command that `follow` is going to use; an output when it is not usable."""
        if name == self._source:
            self._rate.arrived(message.received_s)
        names = message.not_finite()
        return self._rejected(name, names, message.received_s) if names else None

    def note_received(self, name: str, message: Control) -> None:
        """Note the wheel angle as it was commanded: a simulator's delays change it for `follow`."""
        self._commanded_rad[name] = message.steering_rad
        if text := rules.steering(message, self._parameters).text:
            self._lines[name].problem(text, Severity.WARN, message.received_s)

    def follow(self, commands: Mapping[str, Control], now: float) -> Output:
        """Drive by the latest commands, by topic, as the delays of a simulator have made them."""
        self._controls = dict(commands)
        return self._command(now)

    def on_actuation(self, message: Actuation) -> Output:
        """Process actuation_cmd: it drives the car in place of control_cmd."""
        now = message.received_s
        self._rate.arrived(now)
        if names := message.not_finite():
            return self._rejected(ACTUATION, names, now)
        self._actuation = message
        notices = self._note_stop(self._why_stop([]))
        if self._stop_reason:
            brake = self._emergency.brake(self._parameters)
            return Output(stop_command(message, brake, self._parameters), (), notices)
        raw, text = raw_command(message, self._parameters)
        if text:
            notices += self._note_clamped([text], now)
        return Output(raw, (), notices)

    def on_pedals_unknown(self, now: float) -> None:
        """The vehicle does not report its pedals, which actuation_status needs."""
        text = "the vehicle does not report its pedals: no actuation_status"
        self._lines[STATUS].problem(text, Severity.WARN, now)

    def on_gear(self, number: int, now: float, *, manual: bool = False) -> Output:
        """Process gear_cmd, or manual_gear_command."""
        topic = MANUAL_GEAR if manual else GEAR
        return self._state_output(self._body.on_gear(topic, number, self._accepts(now), now))

    def on_turn(self, number: int, now: float) -> Output:
        """Process turn_indicators_cmd."""
        return self._state_output(self._body.on_turn(number, self._accepts(now), now))

    def on_hazard(self, number: int, now: float) -> Output:
        """Process hazard_lights_cmd."""
        return self._state_output(self._body.on_hazard(number, self._accepts(now), now))

    def on_engage(self, engaged: bool) -> None:
        """Process /vehicle/engage: false stops the car until true."""
        self._engaged = engaged

    def on_emergency(self, is_on: bool, now: float) -> Output:
        """Process emergency_cmd: true brakes at once."""
        self._emergency.on_message(is_on, now)
        return self.repeat_emergency(now) if is_on else Output()

    def repeat_emergency(self, now: float) -> Output:
        """A command that brakes, while an emergency is on and Autoware commands nothing else."""
        if not self._emergency.is_on or self._is_fresh(self._source, now, EMERGENCY_GAP_S):
            return Output()
        angle_rad = 0.0 if self._odometry is None else self._odometry.front_wheel_angle_rad
        if self._source is CONTROL:
            if not self._controls:
                self._angle_rad = angle_rad
            return self._command(now)
        latest = self._actuation or Actuation(now, 0.0, 0.0, angle_rad)
        brake = self._emergency.brake(self._parameters)
        notices = self._note_stop(self._why_stop([]))
        latest = latest._replace(received_s=now)
        return Output(stop_command(latest, brake, self._parameters), (), notices)

    # ---- modes -----------------------------------------------------------------------------------

    def on_mode_request(self, number: int, now: float) -> tuple[ModeDecision, tuple[Notice, ...]]:
        """Decide a control mode request as far as the adapter can."""
        mode = REQUESTED_MODES.get(number, Unusable.UNDEFINED)
        if isinstance(mode, Unusable):
            return self._refuse(f"mode {number}", ControlMode.NO_COMMAND, mode.value, now)
        is_partial = ACCEPTED[mode] in (Accepted.STEERING, Accepted.VELOCITY)
        for name in ("manual_control", "partial_modes") if is_partial else ():
            if not getattr(self._parameters, name):
                return self._refuse(mode.name, mode, f"is not supported: {name} is off", now)
        if why := self._unsafe(mode, now):
            return self._refuse(mode.name, mode, why, now)
        if mode is ControlMode.MANUAL:
            ask = Ask.NOTHING if self._parameters.manual_control else Ask.DISENGAGE
            return ModeDecision(mode, ask), ()
        return ModeDecision(mode, Ask.ENGAGE), ()

    def refuse_request(self, number: int, why: str, now: float) -> Notice:
        """Note a request that does not count, whatever mode it asks for."""
        return self._refuse(f"mode {number}", ControlMode.NO_COMMAND, why, now)[1][0]

    def on_mode_answer(
        self, decision: ModeDecision, success: bool, reason: str, now: float
    ) -> tuple[Output, tuple[Notice, ...]]:
        """Use the interface's answer; the groups of the mode count from now on."""
        if not success:
            return Output(), self._refuse(decision.mode.name, decision.mode, reason, now)[1]
        if decision.mode is self._selected:
            return Output(), ()
        self._selected = decision.mode
        notice = Notice(MODE_SELECTED, f"{decision.mode.name}: commanded by Autoware")
        return self._state_output(self._body.on_accepted(self._accepts(now), now)), (notice,)

    def _unsafe(self, mode: ControlMode, now: float) -> str:
        """Why a mode cannot start now; empty when it can."""
        accepted = ACCEPTED[mode]
        if accepted is Accepted.NONE:
            return ""
        if self._emergency.is_on:
            return "emergency_cmd is true"
        odometry = self._odometry
        speed_mps = 0.0 if odometry is None else odometry.velocity_mps
        stands = abs(speed_mps) <= self._parameters.standstill_speed_mps
        for name, is_needed in (
            (self._source, not (stands and self._parameters.engage_at_rest)),
            (MANUAL_CONTROL, accepted is not Accepted.BOTH),
        ):
            if is_needed and not self._is_fresh(name, now):
                return f"{name} does not arrive"
        if odometry is None or not self.is_reporting(now):
            return "the vehicle does not report"
        if accepted.steering and not stands:
            latest = self._latest(self._source)
            assert latest is not None, "it is fresh"
            limit_rad = self._parameters.vehicle.front_wheel_angle_max_rad
            wanted_rad = self._commanded_rad.get(self._source, latest.steering_rad)
            angle_rad = min(max(wanted_rad, -limit_rad), limit_rad)
            lead_rad = abs(angle_rad - odometry.front_wheel_angle_rad)
            if lead_rad > self._parameters.engage_deviation_max_rad:
                return (
                    f"the car moves and the steering command is {lead_rad:.2f} rad off its wheels "
                    f"(at most {self._parameters.engage_deviation_max_rad:g})"
                )
        return ""

    def _refuse(
        self, asked: str, mode: ControlMode, why: str, now: float
    ) -> tuple[ModeDecision, tuple[Notice, ...]]:
        text = f"{asked} refused: {why}"
        self._lines[REQUEST].problem(text, Severity.WARN, now)
        return ModeDecision(mode, Ask.NOTHING, why), (Notice(MODE_REFUSED, text),)

    @property
    def accepted(self) -> Accepted:
        """The groups that Autoware commands. Without authority the interface blocks them."""
        return ACCEPTED[self._selected] if self._parameters.manual_control else Accepted.BOTH

    def _accepts(self, now: float) -> Accepts:
        """Which commands of the body may pass."""
        if self._report is None or self._report.mode is not Mode.AUTONOMOUS:
            return NOTHING
        accepted, speed_mps = self.accepted, None
        if self._odometry is not None and self.is_reporting(now):
            speed_mps = self._odometry.velocity_mps
        return Accepts(
            gear_topic=GEAR if accepted.velocity else MANUAL_GEAR,
            turn=accepted.steering,
            hazard=accepted is not Accepted.NONE,
            speed_mps=speed_mps,
        )

    # ---- statuses --------------------------------------------------------------------------------

    def is_reporting(self, now: float) -> bool:
        """Whether the statuses may be published: the vehicle reports values that exist."""
        odometry = self._odometry
        if odometry is None or self._undefined_report or self._report is None:
            return False
        return 0.0 <= now - odometry.stamp_s <= self._parameters.report_timeout_s

    def control_mode(self) -> ControlMode | None:
        """Return who drives, None before the interface has reported it."""
        if self._report is None:
            return None
        is_driven = self._report.mode is Mode.AUTONOMOUS and self._parameters.manual_control
        return self._selected if is_driven else MODES_OUT[self._report.mode]

    def report(self) -> StateReport | None:
        """Return gear, lamps and mode as reported last."""
        return self._report

    def diagnostics(self, now: float) -> tuple[DiagnosticLine, ...]:
        """Return the state of each topic."""
        return tuple(
            DiagnosticLine(name, *self._state(name, now), self._lines[name].problems)
            for name in LINES
        )

    def _state(self, name: str, now: float) -> tuple[Severity, str]:
        if name == STATUS and not self.is_reporting(now):
            text = self._undefined_report or "the vehicle does not report: the status topics stop"
            return Severity.ERROR, text
        severity, text = self._lines[name].current(now)
        if name == self._source:
            return self._control_state(severity, text, now)
        return severity, text or "no problem"

    def _control_state(self, severity: Severity, text: str, now: float) -> tuple[Severity, str]:
        if self._latest(self._source) is None and not text:
            return Severity.WARN, "nothing was received yet"
        rate = self._rate.problem(now)
        texts = [part for part in (text, rate, self._stop_reason) if part]
        level = Severity.ERROR if rate else severity
        if self._stop_reason:
            level = max(level, Severity.WARN)
        return level, "; ".join(texts) or f"{self._rate.rate_hz(now):.0f} Hz"

    @staticmethod
    def _state_output(made: tuple[tuple[StateMessage, ...], tuple[Notice, ...]]) -> Output:
        return Output(None, *made)

    # ---- inside ----------------------------------------------------------------------------------

    def _store(self, name: str, message: Control) -> Output | None:
        """Keep a message as the latest; an output when it is not usable."""
        names = message.not_finite()
        if not names:
            self._controls[name] = message
            return None
        return self._rejected(name, names, message.received_s)

    def _rejected(self, name: str, fields: tuple[str, ...], now: float) -> Output:
        text = f"{name} rejected: {', '.join(fields)} not finite"
        self._lines[name].problem(text, Severity.ERROR, now)
        return Output(notices=(Notice(notice_kinds.NON_FINITE_COMMAND, text),))

    def _latest(self, name: str) -> Control | Actuation | None:
        return self._actuation if name == ACTUATION else self._controls.get(name)

    def _is_fresh(self, name: str, now: float, timeout_s: float = 0.0) -> bool:
        latest = self._latest(name)
        longest_s = timeout_s or self._parameters.command_timeout_s
        return latest is not None and now - latest.received_s <= longest_s

    def _command(self, now: float) -> Output:
        """Combine both groups; a group without a fresh command stops the car."""
        accepted = self.accepted
        steer_source = CONTROL if accepted.steering else MANUAL_CONTROL
        speed_source = CONTROL if accepted.velocity else MANUAL_CONTROL
        texts = []
        if self._is_fresh(steer_source, now):
            angle = rules.steering(self._controls[steer_source], self._parameters)
            self._angle_rad = angle.value
            texts.append(angle.text)
        stale = [s for s in (steer_source, speed_source) if not self._is_fresh(s, now)]
        gear = self._report.gear if self._report is not None else Gear.PARK
        speed_mps = self._odometry.velocity_mps if self._odometry is not None else 0.0
        notices = self._note_stop(self._why_stop(stale))
        if self._stop_reason:
            decel_mps2 = self._emergency.decel_mps2(self._parameters)
            accel_mps2 = braking_accel(gear, speed_mps, decel_mps2)
        else:
            source = self._controls[speed_source]
            accel = rules.acceleration(source, gear, speed_mps, self._parameters)
            accel_mps2 = accel.value
            texts.append(accel.text)
        notices += self._note_clamped([text for text in texts if text], now)
        return Output(rules.command(now, accel_mps2, self._angle_rad), (), notices)

    def _why_stop(self, stale: list[str]) -> str:
        """Why the car stops; empty while commands pass."""
        if self._emergency.is_on:
            return "emergency_cmd is true: the car stops until it is false"
        if not self._engaged:
            return "/vehicle/engage is false: the car stops and stays"
        if self._body.waiting is not None:
            return "a gear waits (gear_pause_s): the car stands until it is engaged"
        if not stale:
            return ""
        return f"{stale[0]} is stale in {self._selected.name}: the car stops"

    def _note_stop(self, reason: str) -> tuple[Notice, ...]:
        changed, self._stop_reason = reason != self._stop_reason, reason
        if not changed:
            return ()
        return (Notice(STOPPED, reason or "the stop has ended: commands pass"),)

    def _note_clamped(self, texts: list[str], now: float) -> tuple[Notice, ...]:
        if not texts:
            return ()
        text = "; ".join(texts)
        self._lines[self._source].problem(text, Severity.WARN, now)
        return (Notice(COMMAND_CLAMPED, text),)
