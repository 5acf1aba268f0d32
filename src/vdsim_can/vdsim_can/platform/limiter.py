"""The last look at what goes onto the bus: clamps commands, and judges the packed frames.

`bounded` clamps an angle to what may follow the last one, `bounded_accel` an acceleration.
`refusal` decodes a frame again, from its bytes, and names what must not be sent: an id that is not
in the list, a value beyond its limits, a bit that no row of the file accounts for, a drive while
the car is not ours. It knows nothing of what was asked for, so that a fault of the encoder or of
the loops before it does not pass it. What is refused is not counted as sent.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from vdsim_interface.values.records import record

from vdsim_can.car import MEASURED, AngleLimits, CarFile, FieldRow, SignalName
from vdsim_can.dbc import codec_of
from vdsim_can.fields.encoding import carried, line_of
from vdsim_can.frame import Frame
from vdsim_can.platform.bounds import angle_bounds, torque_bounds
from vdsim_can.traffic.wire_message import WireMessage

ANGLE, TORQUE = "front_wheel_angle_rad", "steering_torque_nm"
REAR_ANGLE = "rear_wheel_angle_rad"
ACCEL, THROTTLE = "long_accel_mps2", "throttle"
JUDGED = (ANGLE, TORQUE, ACCEL, THROTTLE)
NEAR_MEASURED_RAD = 0.02
"""A car without limits of the angle is shown its own one, no further away than this [rad]."""
Settings = Mapping[SignalName, int]
NO_SETTINGS: Settings = MappingProxyType({})


class Situation(NamedTuple):
    """What limits depend on. `drives`: the handshake is complete and the interface commands.

    `settings`: the raw values that the present row of the handshake sends. `denied`: why nothing at
    all may be sent, in words; empty when frames may go out. `enabling`: the handshake was begun.
    """

    now: float
    speed_mps: float
    measured_rad: float
    driver_nm: float
    drives: bool
    settings: Settings = NO_SETTINGS
    denied: str = ""
    enabling: bool = False


class Checked(NamedTuple):
    """A row whose values are judged: value = raw * gain + bias."""

    row: FieldRow
    gain: float
    bias: float


class Verdict(NamedTuple):
    """What is wrong with a frame: the kind of limit, and a sentence; empty: it may be sent.

    `values`: what it carries, by field.
    """

    kind: str
    text: str
    values: Mapping[str, float]


class Judged:
    """A message that the car file sends: the rows that are judged, and every other bit."""

    def __init__(self, car: CarFile, wire: WireMessage) -> None:
        self.wire = wire
        mapped = [row for row in car.commands if row.signal.message == wire.name]
        self.rows = [
            Checked(row, *line_of(car.signal(row.signal), row))
            for row in mapped
            if row.field in JUDGED or math.isfinite(row.least) or math.isfinite(row.most)
        ]
        row = wire.row
        owned = {each.signal.signal for each in mapped}
        owned |= {rule.signal for rule in (row.counter, row.checksum) if rule is not None}
        self._free = (1 << 8 * wire.message.length) - 1
        for signal in wire.message.signals:
            if signal.name in owned:
                for bit in signal.bits():
                    self._free &= ~(1 << bit)
        self._codec = codec_of(wire.message)
        self._unpack = self._codec.unpack
        if not wire.is_multiplexed:  # no other signal decides where the values stand
            names = {row.signal.signal for row, _, _ in self.rows}
            judged = tuple(each for each in wire.message.signals if each.name in names)
            self._unpack = codec_of(replace(wire.message, signals=judged)).unpack
        self._fixed = dict[str, int](row.fixed)
        self._settings: Settings | None = None
        self._expected = 0

    def raws(self, data: bytes) -> Mapping[str, float]:
        """Return the raw values of the rows, of a frame with the right length."""
        return (self._unpack(data) or {}) if self.rows else {}

    def stray(self, data: bytes, settings: Settings) -> str:
        """Return which signal, or bit, has a value that neither a row nor the handshake gives."""
        if settings is not self._settings:
            ours = {n.signal: raw for n, raw in settings.items() if n.message == self.wire.name}
            frame = self._codec.pack({**self._fixed, **ours})
            self._settings, self._expected = settings, int.from_bytes(frame, "little")
        found = (int.from_bytes(data, "little") ^ self._expected) & self._free
        if not found:
            return ""
        bit = (found & -found).bit_length() - 1
        names = [each.name for each in self.wire.message.signals if bit in each.bits()]
        return f"{self.wire.name}.{names[0]}" if names else f"{self.wire.name}, bit {bit},"


class Limiter:
    """Of one car. `refused`: how many frames, by kind of limit."""

    def __init__(self, car: CarFile) -> None:
        self._limits = car.limits
        self._carried_rad, self._carried_mps2 = carried(car, ANGLE), carried(car, ACCEL)
        self._rear_rad = carried(car, REAR_ANGLE)
        wires = [WireMessage(car, row) for row in car.send.values()]
        self._messages = {wire.key: Judged(car, wire) for wire in wires}
        self._angle_rad: float | None = None
        self._angle_s = -math.inf
        self._torque_nm = 0.0
        self._torques: deque[tuple[float, float]] = deque(maxlen=256)
        frames = 0 if car.limits.angle is None else car.limits.angle.frames
        self._steered_s: deque[float] = deque(maxlen=frames)
        self._bounds_of: tuple[AngleLimits, float, float | None, float] | None = None
        self._bounds = -math.inf, math.inf
        self.refused: Counter[str] = Counter()

    def bounded(self, angle_rad: float, at: Situation) -> float:
        """Return the nearest angle that may be sent now, and that the car's message carries."""
        least_rad, most_rad = self._carried_rad
        angle_rad = min(max(angle_rad, least_rad), most_rad)
        if self._limits.angle is None or not at.drives:
            return angle_rad
        low, high = self._angle_bounds(at)
        return min(max(angle_rad, low), high)

    def bounded_rear(self, angle_rad: float) -> float:
        """Return the nearest angle of the rear wheels that the car's message carries."""
        least_rad, most_rad = self._rear_rad
        return min(max(angle_rad, least_rad), most_rad)

    def bounded_accel(self, accel_mps2: float) -> float:
        """Return the nearest acceleration that may be sent, and that the car's message carries."""
        low, high = self._accel_bounds()
        least, most = self._carried_mps2
        return min(max(accel_mps2, low, least), high, most)

    def restart(self) -> None:
        """Nothing was sent yet: the next frames begin at the measured angle."""
        self._angle_rad, self._angle_s, self._torque_nm = None, -math.inf, 0.0
        self._torques.clear()
        self._steered_s.clear()

    def refusal(self, bus: str, frame: Frame, at: Situation) -> str:
        """Return why a frame must not be sent; empty when it may, and then it counts as sent."""
        kind, text, values = self.verdict(bus, frame, at)
        if kind:
            self.refused[kind] += 1
            return text
        if ANGLE in values:
            self._angle_rad, self._angle_s = values[ANGLE], at.now
            if (at.drives or at.enabling) and self._steered_s.maxlen:
                self._steered_s.append(at.now)
        if TORQUE in values:
            self._torque_nm = values[TORQUE]
            self._torques.append((at.now, values[TORQUE]))
        return ""

    def verdict(self, bus: str, frame: Frame, at: Situation) -> Verdict:
        """Judge a frame; nothing counts as sent."""
        if at.denied:
            return Verdict("denied", at.denied, {})
        judged = self._messages.get((bus, frame.can_id, frame.extended))
        if judged is None:
            text = f"id 0x{frame.can_id:X} on {bus} is not in the list of what this car is sent"
            return Verdict("id", text, {})
        wire = judged.wire
        if len(frame.data) != wire.message.length or frame.fd is not wire.is_fd:
            text = f"{wire.name} has {len(frame.data)} bytes, not {wire.message.length}"
            return Verdict("length", text, {})
        stray = judged.stray(frame.data, at.settings)
        if stray:
            return Verdict("signal", f"{stray} is not as the car file says", {})
        raws = judged.raws(frame.data)
        found: dict[str, float] = {}
        for row, gain, bias in judged.rows:
            raw = raws.get(row.signal.signal)
            if raw is None:
                continue
            value = raw * gain + bias
            if at.settings.get(row.signal, math.nan) == raw:
                continue  # what is sent while the stack is silent, word for word
            fault = self._beyond(row, value, abs(gain), at)
            if fault:
                text = f"{row.signal} carries {row.field} {value:.5g}: {fault}"
                return Verdict(row.field, text, {})
            found[row.field] = value
        return record(Verdict, ("", "", found))

    def _beyond(self, row: FieldRow, value: float, step: float, at: Situation) -> str:
        """Return which bound a value exceeds by more than its rounding."""
        low, high = -math.inf, math.inf
        field = row.field
        if field == ANGLE:
            if at.drives or at.enabling:
                if self._is_too_often(at.now):
                    return "too many frames steer in this time"
                low, high = self._angle_bounds(at)
            if not at.drives and row.neutral == MEASURED and math.isnan(at.measured_rad):
                return "the car does not say its own angle"
            if not at.drives:
                near_low, near_high = self._neutral_angles(row, at)
                low, high = max(low, near_low), min(high, near_high)
        elif field == TORQUE:
            low, high = self._torque_bounds(at) if at.drives else (0.0, 0.0)
        elif field == ACCEL:
            neutral = 0.0 if isinstance(row.neutral, str) else row.neutral
            low, high = self._accel_bounds() if at.drives else (neutral, neutral)
        elif field == THROTTLE and not at.drives:
            low, high = 0.0, 0.0
        rounding = 0.5 * step + 1e-9
        if max(low, row.least) - rounding <= value <= min(high, row.most) + rounding:
            return ""
        return f"not within {max(low, row.least):.5g} to {min(high, row.most):.5g}"

    def _neutral_angles(self, row: FieldRow, at: Situation) -> tuple[float, float]:
        """What a car that does not steer for us may be sent."""
        if row.neutral != MEASURED:
            return float(row.neutral), float(row.neutral)
        limits = self._limits.angle
        near_rad = NEAR_MEASURED_RAD if limits is None else limits.near_measured_rad
        # A person may have turned the wheel beyond what the row carries: then it carries its end.
        measured_rad = min(max(at.measured_rad, row.least), row.most)
        return measured_rad - near_rad, measured_rad + near_rad

    def _is_too_often(self, now: float) -> bool:
        """Whether as many frames steer within the time as may."""
        limits, sent = self._limits.angle, self._steered_s
        if limits is None or not sent or len(sent) < limits.frames:
            return False
        return 0.0 <= now - sent[0] < 1e-3 * limits.frames_ms

    def _angle_bounds(self, at: Situation) -> tuple[float, float]:
        limits = self._limits.angle
        if limits is None:
            return -math.inf, math.inf
        before, elapsed_s = self._angle_rad, at.now - self._angle_s
        if before is None or not elapsed_s >= 0.0:  # nothing sent yet, or time jumped back
            before, elapsed_s = at.measured_rad, math.inf
        if math.isnan(before):
            before = None
        # The bound of a command, and the last look at its frame, are about the same moment.
        asked = limits, at.speed_mps, before, elapsed_s
        if asked != self._bounds_of:
            self._bounds_of, self._bounds = asked, angle_bounds(*asked)
        return self._bounds

    def _torque_bounds(self, at: Situation) -> tuple[float, float]:
        limits = self._limits.torque
        if limits is None:
            return -math.inf, math.inf
        low, high = torque_bounds(limits, at.speed_mps, self._torque_nm, at.driver_nm)
        if limits.window_ms:
            since_s = at.now - 1e-3 * limits.window_ms
            recent = [torque for sent_s, torque in self._torques if sent_s > since_s]
            if recent:
                high = min(high, max(min(recent), 0.0) + limits.window_delta_nm)
                low = max(low, min(max(recent), 0.0) - limits.window_delta_nm)
        return low, high

    def _accel_bounds(self) -> tuple[float, float]:
        least, most = self._limits.accel_min_mps2, self._limits.accel_max_mps2
        return (-math.inf if least is None else least), (math.inf if most is None else most)
