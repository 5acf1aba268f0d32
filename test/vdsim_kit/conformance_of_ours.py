"""Our vehicle interfaces as the conformance kit drives them, on virtual time.

What the ROS graph shows (types, QoS) is not here: it is answered as the pages want it, and the kit
judges it on the running nodes alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from vdsim_autoware.adapter import Ask, Control
from vdsim_autoware.adapter.adapter import DiagnosticLine
from vdsim_autoware.adapter.enums import GEARS_OUT, HAZARDS_OUT, TURNS_OUT, ControlMode
from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.record import ERROR, OK, WARN, Endpoint
from vdsim_autoware_kit.conformance_double import Double, Line, Status
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.values import Severity, StateReport

from vdsim_kit.autoware_pair import AutowarePair
from vdsim_kit.started import Started

ALARM_PERIOD_S = 1.0
LEVELS = {Severity.INFO: OK, Severity.WARN: WARN, Severity.ERROR: ERROR}
LAUNCH = Path(__file__).resolve().parents[2] / "src/vdsim_interface/launch/autoware.launch.py"


class Vehicle(Protocol):
    """What the planning simulator's core has, and the pair below."""

    pipeline: Pipeline

    @property
    def now(self) -> float: ...
    def step(self) -> None: ...
    def on_control(self, command: Control, *, manual: bool = False) -> None: ...
    def on_gear(self, number: int, *, manual: bool = False) -> None: ...
    def on_turn(self, number: int) -> None: ...
    def on_hazard(self, number: int) -> None: ...
    def on_mode_request(self, number: int) -> bool: ...
    def report(self) -> StateReport | None: ...
    def control_mode(self) -> ControlMode | None: ...
    def diagnostics(self) -> tuple[DiagnosticLine, ...]: ...


class InterfacePair(AutowarePair):
    """autoware.launch.py: adapter, interface and plant, each with what the file gives it."""

    def __init__(self, **arguments: str) -> None:
        super().__init__(Started(LAUNCH, **arguments))

    def step(self) -> None:
        """One period."""
        self.period()

    def on_turn(self, number: int) -> None:
        """turn_indicators_cmd arrives."""
        self._apply(self.adapter.on_turn(number, self.now))

    def on_hazard(self, number: int) -> None:
        """hazard_lights_cmd arrives."""
        self._apply(self.adapter.on_hazard(number, self.now))

    def on_mode_request(self, number: int) -> bool:
        """A request of a control mode, answered as the interface answers."""
        decision, _ = self.adapter.on_mode_request(number, self.now)
        if decision.refusal:
            return False
        success, reason = True, ""
        if decision.ask is not Ask.NOTHING:
            engages = decision.ask is Ask.ENGAGE
            result, _ = self.pipeline.safety_side.on_change_mode(engages, self.now)
            success, reason = result.success, result.reason
        output, _ = self.adapter.on_mode_answer(decision, success, reason, self.now)
        self._apply(output)
        return success

    def report(self) -> StateReport | None:
        """Gear and lamps, while the vehicle reports."""
        return self.adapter.report() if self.adapter.is_reporting(self.now) else None

    def control_mode(self) -> ControlMode | None:
        """Who drives."""
        return self.adapter.control_mode()

    def diagnostics(self) -> tuple[DiagnosticLine, ...]:
        """The state of each topic."""
        return self.adapter.diagnostics(self.now)


class Judged:
    """A vehicle in place of the kit's double. `motion_s`, `state_s`: periods of its statuses."""

    def __init__(self, vehicle: Vehicle, motion_s: float, state_s: float) -> None:
        self.vehicle = vehicle
        self.provoked: set[str] = set()
        self._periods_s = {"motion": motion_s, "state": state_s, "alarms": ALARM_PERIOD_S}
        self._due_s = dict.fromkeys(self._periods_s, 0.0)
        self._begun_s: float | None = None
        self._latched: dict[str, Status] = {}

    def endpoints(self) -> tuple[Endpoint, ...]:
        """What DDS would announce: as the pages want it."""
        return Double().endpoints()

    def latched(self, topic: str) -> Status | None:
        """What a late subscriber receives."""
        return self._latched.get(topic)

    def request(self, mode: int) -> bool | None:
        """A request of a control mode."""
        return self.vehicle.on_mode_request(mode)

    def receive(self, topic: str, values: tuple[float, ...], _stamp_s: float) -> None:
        """A command: when it is received counts, and not its stamp."""
        manual = topic in (names.MANUAL_CONTROL, names.MANUAL_GEAR)
        if topic in (names.CONTROL, names.MANUAL_CONTROL):
            velocity_mps, accel_mps2, angle_rad = values
            message = Control(self.vehicle.now, angle_rad, velocity_mps, accel_mps2, True)
            self.vehicle.on_control(message, manual=manual)
        elif topic in (names.GEAR, names.MANUAL_GEAR):
            self.vehicle.on_gear(int(values[0]), manual=manual)
        elif topic == names.TURN:
            self.vehicle.on_turn(int(values[0]))
        else:
            self.vehicle.on_hazard(int(values[0]))

    def step(self, now: float) -> tuple[list[Status], list[Line]]:
        """Go on to the kit's time; return what is published."""
        vehicle = self.vehicle
        if self._begun_s is None:
            self._begun_s = now - vehicle.now
        if isinstance(vehicle, AutowarePair):
            vehicle.is_cut = "link_lost" in self.provoked
        while vehicle.now < now - self._begun_s - 1e-6:
            vehicle.step()
        made = self._statuses(now)
        lines = vehicle.diagnostics() if self._is_due("alarms", now) else ()
        return made, [Line(each.name, LEVELS[each.severity], each.text) for each in lines]

    def _is_due(self, what: str, now: float) -> bool:
        is_due = now >= self._due_s[what] - 1e-6
        if is_due:
            self._due_s[what] = now + self._periods_s[what]
        return is_due

    def _statuses(self, now: float) -> list[Status]:
        vehicle, made = self.vehicle, []
        report, mode, moves = vehicle.report(), vehicle.control_mode(), vehicle.pipeline.vehicle
        if report is None or mode is None or moves is None:
            return []
        if self._is_due("motion", now):
            speeds = (moves.velocity_mps, moves.lateral_velocity_mps, moves.yaw_rate_radps)
            made.append(Status(names.VELOCITY_STATUS, speeds, now))
            made.append(Status(names.STEERING_STATUS, (moves.front_wheel_angle_rad,), now))
        is_due = self._is_due("state", now)
        for topic, number in {
            names.GEAR_STATUS: GEARS_OUT[report.gear],
            names.TURN_STATUS: TURNS_OUT[report.blinker],
            names.HAZARD_STATUS: HAZARDS_OUT[report.blinker],
            names.MODE_STATUS: mode,
        }.items():
            before = self._latched.get(topic)
            if is_due or before is None or before.values != (float(number),):
                self._latched[topic] = Status(topic, (float(number),), now)
                made.append(self._latched[topic])
        return made
