"""Platform `can`: PlatformCommand -> frames of the car file, its frames -> VehicleReport.

    encode: handshake ─▶ values ─▶ limiter ─▶ messages that are due ─▶ last look ─▶ frames
    receive: frame ─▶ length, checksum, counter ─▶ signals ─▶ overrides, faults ─▶ report

Nothing is sent before the bus has shown the car of the file, while somebody else sends a message of
ours, and while a person drives; there the car's own watchdog acts. Every frame that is sent carries
values of its own period.
"""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Callable, Collection, Container, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.platforms.body_model import BodyModel
from vdsim_interface.platforms.pedal_table import load_pedal_map
from vdsim_interface.platforms.spec import (
    Address,
    Datagram,
    Encoded,
    Endpoint,
    PlatformSetup,
    Received,
    Transport,
)
from vdsim_interface.values import (
    Authority,
    AuxiliaryCommand,
    BodyCommand,
    Change,
    Gear,
    Mode,
    Notice,
    PlatformCommand,
    WireCommand,
    notice_kinds,
)
from vdsim_interface.values.records import record

from vdsim_can.bus.channels import channel_of
from vdsim_can.car import MEASURED, CarFile, Control, SignalName
from vdsim_can.fields.decoding import FieldDecoder, ReportDecoder
from vdsim_can.fields.encoding import CommandEncoder, Value
from vdsim_can.frame import BUS_OFF, RESTARTED, Frame, packed, unpacked
from vdsim_can.platform.approach import Approach
from vdsim_can.platform.car_parts import reported_body
from vdsim_can.platform.command_values import (
    Motion,
    body_values,
    in_gear,
    motion_of,
    motion_values,
)
from vdsim_can.platform.driver_watch import NO_CONTROLS, DriverWatch, FaultWatch
from vdsim_can.platform.fingerprint import Fingerprint
from vdsim_can.platform.handshake_run import HandshakeRun
from vdsim_can.platform.limiter import ANGLE, NO_SETTINGS, Limiter, Settings, Situation
from vdsim_can.platform.parameters import CanParameters
from vdsim_can.platform.permission import Permission
from vdsim_can.platform.vehicle_reports import NEEDED, ReportBuilder, unsecured
from vdsim_can.traffic.receiver import Receiver
from vdsim_can.traffic.reception import ACCEPTED, Fate, Outcome
from vdsim_can.traffic.transmitter import Transmitter

SILENT = Authority.SILENT
FOREIGN_S = 1.0
"""So long after the last frame of a stranger with an id of ours nothing is sent [s]."""
BACK_S = 0.1
"""So long after a controller has left the bus a frame of the car shows that it is back [s]."""
OWNED = ("gear", "hand_brake")
"""What the interface sets at rest and releases again: no report says of these what nobody has said.
"""
NO_TORQUE_LOOP = "this car is steered by torque, which is encoded but not driven: no torque loop"
NOBODY = "nobody commands through this interface"
NOTHING = Encoded((), carries_body=False)
BUSES = "vdsim_can.bus.opening"
"""The module that opens buses, and needs python-can: imported when a bus is opened."""


class CanPlatform:
    """One car."""

    def __init__(self, parameters: CanParameters, setup: PlatformSetup, car: CarFile) -> None:
        self._parameters, self._car = parameters, car
        geometry = setup.geometry
        self._most_rad = geometry.front_wheel_angle_max_rad, geometry.rear_wheel_angle_max_rad
        self._pedal_map = load_pedal_map(parameters.pedal_map)
        self._receiver = Receiver(car, car.receive, car.send)
        self._transmitter = Transmitter(car, car.send, setup.period_s)
        self._fingerprint = Fingerprint(self._receiver.messages)
        self._handshake = HandshakeRun(car.handshake)
        self._drivers, self._faults = DriverWatch(car.overrides), FaultWatch(car.faults)
        self._decoder, self._encoder = ReportDecoder(car), CommandEncoder(car)
        self.limiter = Limiter(car)
        self.situation = Situation(-math.inf, 0.0, math.nan, 0.0, drives=False, denied=NOBODY)
        """What the limiter judges frames by in this period."""
        self._permission = Permission(car, self._receiver)
        self._speaking = frozenset(
            name for name, row in car.send.items() if row.when_silent is not None
        )
        self._silent = {
            SignalName(row.message, name): raw
            for row in car.send.values()
            for name, raw in row.when_silent or ()
        }
        self._body = BodyModel(Gear.PARK, 1000.0 * parameters.range_km, reported_body(car))
        self._builder = ReportBuilder(
            car, self._body, geometry.wheelbase_m, parameters.wheel_radius_m, self._pedal_map
        )
        self._owned = frozenset(row.signal.message for row in car.reports if row.field in OWNED)
        self._awaited = set(self._owned)
        measured = {row.field for row in car.commands if row.enum and row.neutral == MEASURED}
        self._kept = tuple(
            (row.field, row.signal.message)
            for row in car.reports
            if row.field in OWNED or row.field in measured
        )
        self._report_message = next(
            (row.signal.message for row in car.reports if row.field == NEEDED[0]), ""
        )
        self._tells_gear = any(row.field == "gear" for row in car.commands)
        self._has_pedals = any(row.field == "throttle" for row in car.commands)
        self._sorted: Settings = NO_SETTINGS
        self._settings: dict[str, dict[str, int]] = {}
        self._known: dict[str, Value] = {}
        self._angle = next(FieldDecoder(car, row) for row in car.reports if row.field == ANGLE)
        self._controls: frozenset[Control] = NO_CONTROLS
        self._autonomous = False
        self._bus_off: dict[str, str] = {}
        self._off_s: dict[str, float] = {}
        self._refused: Gear | None = None
        self._is_told, self._ignored = False, ""
        """Whether the last report named a control, and which one did not end autonomy."""
        self._rejected: Counter[str] = Counter()
        self._accepted = self._sequence = 0
        self._last_s = -math.inf
        self._body_command: BodyCommand | None = None
        self._body_fields: Mapping[str, Value] = {}
        self._front_rad, self._period_s = math.nan, setup.period_s
        self._front, self._rear = Approach(setup.period_s), Approach(setup.period_s)
        by_field = {row.field: row.signal.message for row in car.commands}
        self._steering = by_field.get(ANGLE, ""), by_field.get("rear_wheel_angle_rad", "")
        self._slow = {
            name for name, row in car.send.items() if 1e-3 * row.cycle_ms > 1.5 * setup.period_s
        }
        """Messages whose frames always make up for several periods."""
        self._slow.add("")

    def endpoints(self) -> tuple[Endpoint, ...]:
        """One endpoint a bus of the car file, by its name there."""
        return tuple(self._endpoint(name) for name in self._car.buses)

    # ---- to the car ------------------------------------------------------------------------------

    def encode(self, command: PlatformCommand, now: float) -> Encoded:
        """Return the frames that are due; none while a person drives."""
        if now < self._last_s:
            self._restart()
        self._last_s = now
        authority = command.authority
        self._autonomous = command.mode is Mode.AUTONOMOUS
        if authority is SILENT:
            self._handshake.leave()
            self.limiter.restart()
            self._permission.take(now)
            self._approach_nothing()
            return self._said_silent(now)
        self._body.apply(self._obeyed(command.body))
        stops, lost = self._stops(now), self._permission.take(now)
        if stops or lost:  # the car's watchdog acts, and what comes after it begins anew
            self._handshake.lose(stops or lost)
        if self._drivers.text or self._controls:
            self._handshake.leave()
            person = self._drivers.text or "a person drives"
            stops = stops or person
            if self._is_told and self._autonomous:
                self._ignored = person
        elif not self._autonomous:
            self._ignored = ""
        wanted = authority is Authority.COMMAND and not stops
        self._handshake.update(now, self._physical(now), wanted=wanted)
        drives = self._handshake.is_enabled
        speed = self._number("velocity_mps", 0.0)
        measured_rad = self._measured(now)
        driver_nm = self._number("steering_torque_nm", 0.0)
        settings = self._handshake.settings
        enabling = not drives and not self._handshake.is_idle
        about = now, speed, measured_rad, driver_nm, drives, settings, stops, enabling
        at = record(Situation, about)
        self.situation = at
        motion = motion_of(command, speed, self._pedal_map, self._parameters, self._most_rad)
        if not self._tells_gear:
            motion = in_gear(motion, command.body.gear, self._gear, speed)
        front_rad, rear_rad = self._approached(motion, at)
        changes = motion.changes
        if abs(front_rad - motion.front_rad) > 1e-9:
            kind, channel = notice_kinds.PLATFORM_LIMIT, "front_wheel_angle_rad"
            changes += (Change(kind, channel, motion.front_rad, front_rad),)
            motion = motion._replace(front_rad=front_rad)
        if abs(rear_rad - motion.rear_rad) > 1e-9:
            kind, channel = notice_kinds.PLATFORM_LIMIT, "rear_wheel_angle_rad"
            changes += (Change(kind, channel, motion.rear_rad, rear_rad),)
            motion = motion._replace(rear_rad=rear_rad)
        accel_mps2 = self.limiter.bounded_accel(motion.accel_mps2)
        if accel_mps2 != motion.accel_mps2 and not self._has_pedals:
            kind, channel = notice_kinds.PLATFORM_LIMIT, "long_accel_mps2"
            changes += (Change(kind, channel, motion.accel_mps2, accel_mps2),)
            motion = motion._replace(accel_mps2=accel_mps2)
        self._sequence += 1
        values: dict[str, Value] = {"sequence": self._sequence, "time_ms": 1e3 * now}
        if drives:
            values |= self._body_values(command.body)
            values |= motion_values(motion, speed, authority)
            if math.isfinite(self._front_rad):
                step_rad = front_rad - self._front_rad
                values["front_wheel_rate_radps"] = step_rad / self._period_s
        self._front_rad = front_rad if drives else measured_rad
        if stops:
            wire = self._wire(motion, measured_rad, drives=False)
            return Encoded((), self._sequence, wire=wire, carries_body=False)
        datagrams, notices, sent = self._frames(values, at, self._car.send)
        if self._body.gear is not command.body.gear is not self._refused:
            gear, says = command.body.gear.name, self._body.gear.name
            text = f"{gear} is not driven in: this car is told no gear, and is in {says}"
            notices += (Notice(notice_kinds.PLATFORM_LIMIT, text),)
        self._refused = command.body.gear
        if drives:
            self._note_steered(front_rad, rear_rad, sent)
        return Encoded(
            datagrams,
            self._sequence,
            changes if drives else (),
            self._wire(motion, measured_rad, drives=drives),
            motion.effort_mps2 if drives and self._has_pedals else math.nan,
            notices=notices,
            carries_body=drives,
        )

    @property
    def _gear(self) -> Gear:
        """The gear of a car without a gear command: the reported one, or the one to drive in."""
        return Gear[str(self._known.get("gear", Gear.DRIVE.name))]

    def _obeyed(self, body: BodyCommand) -> BodyCommand:
        """Return a commanded body as a car can take it: one without a gear command has no REVERSE.

        It reports the gear that it is in, so that the safety stage holds it by the brake.
        """
        if self._tells_gear or body.gear is not Gear.REVERSE:
            return body
        return replace(body, gear=self._gear)

    def _approached(self, motion: Motion, at: Situation) -> tuple[float, float]:
        """Return both wheel angles: from those of the car on, and within its limits."""
        front, rear = self._front, self._rear
        if at.drives:
            front_rad = self.limiter.bounded(front.angle(motion.front_rad), at)
            rear_rad = self.limiter.bounded_rear(rear.angle(motion.rear_rad))
            return front_rad, rear_rad
        if at.enabling:
            front.wait(motion.front_rad, at.measured_rad)
            rear.wait(motion.rear_rad, self._number("rear_wheel_angle_rad", 0.0))
        else:
            self._approach_nothing()
        return motion.front_rad, motion.rear_rad

    def _note_steered(self, front_rad: float, rear_rad: float, sent: Collection[str]) -> None:
        """Note which angles have left: a frame that is late does not make up for two periods."""
        angles = front_rad, rear_rad
        approaches = self._front, self._rear
        for message, approach, angle_rad in zip(self._steering, approaches, angles, strict=True):
            if message in sent or message in self._slow:
                approach.on_sent(angle_rad)
            else:
                approach.on_unsent()

    def _approach_nothing(self) -> None:
        self._front.end()
        self._rear.end()

    def _frames(
        self, values: Mapping[str, Value], at: Situation, names: Container[str]
    ) -> tuple[tuple[Datagram, ...], tuple[Notice, ...], list[str]]:
        """Pack what is due of some messages, judge it, and note what the handshake has sent.

        A field that `values` lacks is neutral, with the angle of this moment.
        """
        due = self._transmitter.due(at.now)
        if names is not self._car.send:
            due = [each for each in due if each.wire.name in names]
        measured = self._measures(at.measured_rad)
        fields = self._encoder.raws(values, measured, [each.wire.name for each in due])
        settings = self._settings_of(at)
        texts = []
        datagrams, sent = [], []
        for sending in due:
            wire = sending.wire
            name, bus = wire.name, wire.row.bus
            why = fields.refused.get(name, "") if fields.refused else ""
            if not why:
                raws = fields.raws[name]
                if name in settings:
                    raws.update(settings[name])
                frame = sending.frame(raws)
                why = self.limiter.refusal(bus, frame, at)
            if why:
                texts.append(f"{name} is not sent: {why}")
                continue
            datagrams.append(record(Datagram, (bus, packed(frame))))
            sending.on_sent()
            sent.append(name)
        self._handshake.on_sent(sent)
        if not texts:
            return tuple(datagrams), (), sent
        notices = tuple(Notice(notice_kinds.PLATFORM_LIMIT, text) for text in texts)
        return tuple(datagrams), notices, sent

    def _settings_of(self, at: Situation) -> Mapping[str, Mapping[str, int]]:
        """What the row of the handshake sends, by message: sorted when the row changes."""
        if at.settings is not self._sorted:
            self._sorted, self._settings = at.settings, {}
            for (message, signal), raw in at.settings.items():
                self._settings.setdefault(message, {})[signal] = raw
        return self._settings

    def _body_values(self, body: BodyCommand) -> Mapping[str, Value]:
        """The fields of the body, which rarely changes."""
        if body is not self._body_command:
            self._body_command, self._body_fields = body, body_values(body)
        return self._body_fields

    def _said_silent(self, now: float) -> Encoded:
        """Say in the maker's way that nobody commands, where the file says how; else nothing."""
        stops = self._stops(now) or ("" if self._speaking else NOBODY)
        at = Situation(
            now,
            self._number("velocity_mps", 0.0),
            self._measured(now),
            0.0,
            drives=False,
            settings=self._silent,
            denied=stops,
        )
        self.situation = at
        if stops:
            return NOTHING
        datagrams, notices, _ = self._frames({}, at, self._speaking)
        return Encoded(datagrams, notices=notices, carries_body=False)

    def _measures(self, measured_rad: float) -> Mapping[str, Value]:
        """What the car reports, with its angle of this moment."""
        known = self._known
        return known if math.isnan(measured_rad) else known | {ANGLE: measured_rad}

    def _measured(self, now: float) -> float:
        """Return the angle of the front wheels as the car says now; nan while it is not known."""
        signal = self._angle.row.signal
        if not self._permission.trusts(signal.message):
            return math.nan
        value = self._angle.value(self._receiver.raw(signal, now))
        return math.nan if value is None else float(value)

    def _wire(self, motion: Motion, measured_rad: float, *, drives: bool) -> WireCommand:
        """What a frame that is due carries; before autonomy the car's own angle and no pedal."""
        if not drives:
            shown_rad = 0.0 if math.isnan(measured_rad) else measured_rad
            return WireCommand(shown_rad, 0.0, 0.0) if self._has_pedals else WireCommand(shown_rad)
        if self._has_pedals:
            return WireCommand(motion.front_rad, motion.throttle, motion.brake)
        return WireCommand(motion.front_rad, long_accel_mps2=motion.accel_mps2)

    # ---- from the car ----------------------------------------------------------------------------

    def receive(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        """Use a frame; a report follows the message that carries the speed."""
        taken = self._receiver.take(endpoint, datagram, now)
        if taken is not None:
            return self._accept(taken.accepted, endpoint, now)
        frame = unpacked(datagram)
        if isinstance(frame, str):
            return self._dropped("frame", f"{endpoint}: {frame}")
        if endpoint not in self._car.buses:
            return self._dropped("bus", f"{endpoint}: not a bus of the car file")
        if frame.error:
            return self._on_error_frame(endpoint, frame, now)
        outcome = self._receiver.receive(endpoint, frame, now)
        self._fingerprint.add(outcome, now)
        if outcome.fate is Fate.OTHER:
            return Received(None)
        return self._accept(outcome, endpoint, now)

    def _accept(self, outcome: Outcome, bus: str, now: float) -> Received:
        """Use what became of a frame of the car."""
        if bus in self._bus_off and now - self._off_s[bus] > BACK_S:
            # A network interface that was set down and up again sends no frame that says so.
            del self._bus_off[bus]
        if outcome.message in self._permission.watched:
            self._permission.see(outcome)
        if outcome.message in self._drivers.messages:
            # A control that is let go before the next report was used all the same.
            self._controls |= self._drivers.update(now, self._physical(now), outcome.message)
        if outcome.fate is not ACCEPTED:
            return self._dropped(outcome.fate.value, outcome.text)
        self._accepted += 1
        if self._awaited:
            self._awaited.difference_update(self._receiver.fresh(now))
        if outcome.message != self._report_message:
            return Received(None)
        return self._report(now)

    def _report(self, now: float) -> Received:
        fresh = self._receiver.fresh(now)
        before, self._known = self._known, self._decoder.values(fresh)
        values = self._known
        for field, message in self._kept:
            # A gear is not known between two gears. The one before says more than a neutral value
            # does, or than what was commanded last of a car that somebody else drives.
            is_kept = field not in values and field in before
            if is_kept and (message in fresh or not self.situation.drives):
                values[field] = before[field]
        unknown = self._decoder.unknown(values, NEEDED)
        if unknown:
            text = f"no report: no {unknown}; no {self._stale(now) or 'value is sent'}"
            return Received(None, (Notice(notice_kinds.LINK_REJECT, text),))
        if self._awaited:
            if not self._fingerprint.is_another_car(now):
                return Received(None)  # in a moment
            text = f"no report: {self._fingerprint.fault(now)}"
            return Received(None, (Notice(notice_kinds.LINK_REJECT, text),))
        controls, self._controls = self._controls, NO_CONTROLS
        if not self._drivers.is_calm:
            controls |= self._drivers.update(now, self._physical(now))
        stale = "" if len(fresh) == len(self._car.receive) else self._stale(now)
        self._is_told = bool(controls)
        fault = self._fault(now, values, stale) or self._handshake.why or self._ignored
        if not fault and not self._autonomous:
            fault = self._handshake.refusal(self._physical(now))
        driven = self.situation.drives
        return Received(
            self._builder.build(values, controls, fault, now, ready=not fault, driven=driven)
        )

    def _fault(self, now: float, values: Mapping[str, Value], stale: str) -> str:
        """Return why the car cannot be driven, in one sentence; empty when it can."""
        raw = partial(self._receiver.raw, now=now)
        found = self._faults.update(raw, autonomous=self._autonomous)
        return (
            self._stops(now)
            or self._permission.why(now)
            or (f"no {stale}" if stale else "")
            or found
            or unsecured(values)
        )

    def _stops(self, now: float) -> str:
        """Return why nothing at all may be sent; empty when frames may go out."""
        if self._car.steers_by_torque:
            return NO_TORQUE_LOOP
        if not self._fingerprint.is_complete:
            return self._fingerprint.fault(now)
        if 0.0 <= now - self._receiver.foreign_s <= FOREIGN_S:
            return self._receiver.foreign
        if self._bus_off:
            return "; ".join(self._bus_off.values())
        return self._permission.silence(now)

    def _stale(self, now: float) -> str:
        """Return the messages that are not known, with their ages and why; empty for none."""
        stale = self._receiver.stale(now)
        return ", ".join(self._aged(name, now) for name in stale) if stale else ""

    def _aged(self, name: str, now: float) -> str:
        reception = self._receiver.messages[name]
        age_s = reception.age_s(now)
        why = f", {reception.why.partition(': ')[2]}" if reception.why else ""
        since = f" for {age_s:.2f} s" if age_s < math.inf else " yet"
        return f"{name}{since}{why}"

    def _on_error_frame(self, bus: str, frame: Frame, now: float) -> Received:
        if frame.can_id & BUS_OFF:
            self._off_s[bus] = now
            self._bus_off[bus] = f"{bus}: the controller is off the bus"
            text = self._bus_off[bus]
        elif frame.can_id & RESTARTED:
            self._bus_off.pop(bus, None)
            text = f"{bus}: the controller is on the bus again"
        else:
            text = f"{bus}: the controller reports errors (0x{frame.can_id:X})"
        self._rejected["error_frame"] += 1
        return Received(None, (Notice(notice_kinds.LINK_ERROR, text),))

    def _dropped(self, reason: str, text: str) -> Received:
        self._rejected[reason] += 1
        return Received(None, (Notice(notice_kinds.LINK_REJECT, f"frame dropped: {text}"),))

    # ---- the rest of a platform ------------------------------------------------------------------

    def poll(self, now: float) -> tuple[Any, ...]:
        """Return nothing: the car is at the other end of a bus."""
        return ()

    def auxiliary(self, command: AuxiliaryCommand, now: float) -> tuple[Notice, ...]:
        """Refuse: a car file has no additional controls."""
        return tuple(
            Notice(notice_kinds.PLATFORM_LIMIT, f"auxiliary control {name} ignored")
            for name, _ in command.values
        )

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """Return the figures of the message that carries the speed, and what was rejected."""
        reception = self._receiver.messages[self._report_message]
        messages = self._receiver.messages.values()
        values = {
            "accepted": float(self._accepted),
            "lost": float(sum(each.lost_n for each in messages)),
            "other_messages": float(self._receiver.other_n),
            "rate_hz": reception.arrivals.rate_hz,
            "age_s": now - reception.accepted_s if self._accepted else math.nan,
            "jitter_s": reception.arrivals.jitter_s,
        }
        return values | {f"rejected_{name}": float(n) for name, n in self._rejected.items()}

    def _physical(self, now: float) -> Callable[..., float]:
        return partial(self._receiver.physical, now=now)

    def _number(self, name: str, otherwise: float = math.nan) -> float:
        return float(self._known.get(name, otherwise))

    def _restart(self) -> None:
        """Time jumped back: what was received before it says nothing."""
        self._receiver.restart()
        self._transmitter.restart()
        self._fingerprint.restart()
        self.limiter.restart()
        self._permission.restart()
        self._known, self._awaited = {}, set(self._owned)

    def _endpoint(self, name: str) -> Endpoint:
        p = self._parameters
        try:
            channel = channel_of(p.channels, name)
        except ValueError as error:
            raise ParameterError("can.channels", p.channels, str(error)) from error
        fd = self._car.buses[name].fd

        def opened() -> Transport:
            module = importlib.import_module(BUSES)
            transport: Transport = module.open_transport(p.interface, channel, p.port, fd=fd)
            return transport

        return Endpoint(name, None, ((channel, 0),), opens=opened)
